//! A service that logs requests of several threads, with e-mail and IP addresses sealed.
//!
//! usage: cargo run -p sealmark-tracing --example service [RECIPIENT] | sealmark log open -i KEY_FILE

use sealmark::record::{LogSealer, Readers, SealerSettings, Shape};
use sealmark::{Identity, Kem, Recipient};
use sealmark_tracing::{SealedFields, sink};
use std::error::Error;
use std::io::stdout;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Instant, SystemTime};
use std::{env, thread};
use tracing::field::Empty;
use tracing::{Span, info, info_span, warn};

fn main() -> Result<(), Box<dyn Error>> {
    let readers = Readers::recipients(&[recipient()?])?;
    let settings = SealerSettings::new(Shape::Plain).wall_clock(SystemTime::now);
    let sealer = Arc::new(LogSealer::new(readers, settings, sink(stdout), Instant::now())?);
    let fields = SealedFields::new(sealer.clone(), ["email", "ip"])?;
    tracing_subscriber::fmt().with_ansi(false).fmt_fields(fields).init();

    thread::scope(|scope| (0..4).for_each(|thread| drop(scope.spawn(move || work(thread)))));
    Ok(sealer.close()?)
}

/// Without a recipient, the log is sealed to a key that nobody keeps.
fn recipient() -> Result<Recipient, Box<dyn Error>> {
    match env::args().nth(1) {
        Some(text) => Ok(text.parse()?),
        None => Ok(Identity::generate(Kem::MlKem768X25519)?.recipient()),
    }
}

fn work(thread: u8) {
    for number in 0..3 {
        info_span!("request", ip = %Ipv4Addr::new(192, 0, 2, thread), email = Empty)
            .in_scope(|| request(number));
    }
}

fn request(number: u8) {
    info!(path = "/login", "began");
    Span::current().record("email", format!("user{number}@example.org"));
    match number {
        0 => warn!("wrong password"),
        _ => info!(status = 200, "logged in"),
    }
}
