//! Writes a log whose e-mail addresses are sealed, then opens it with the secret key.
//!
//! usage: cargo run -p sealmark --example seal_log_value
#![allow(clippy::print_stdout, reason = "an example shows its results")]

use sealmark::record::{Label, LogKeys, LogOpener, LogSealer, OwnLines, Readers, SealerSettings, Shape};
use sealmark::{Identity, Kem};
use std::cell::RefCell;
use std::time::Instant;

fn main() -> sealmark::Result<()> {
    let identity = Identity::generate(Kem::MlKem768X25519)?;

    // The service knows the public key only.
    let readers = Readers::recipients(&[identity.recipient()])?;
    let log = RefCell::new(String::new());
    // The sink writes the session's header, its later headers and its closing token into the log itself.
    let sink = |lines: OwnLines<'_>| {
        log.borrow_mut().push_str(lines.text());
        Ok(())
    };
    let sealer = LogSealer::new(readers, SealerSettings::new(Shape::Plain), sink, Instant::now())?;
    // A service that goes on calls `sealer.tick(Instant::now())` every minute: that ends sessions when they are an hour old.
    let email = Label::new("email")?;
    for address in ["hanako@example.com", "ann@example.org"] {
        let token = sealer.seal(&email, address)?;
        log.borrow_mut().push_str(&format!("login of {token}\n"));
    }
    sealer.close()?;
    let log = log.take();
    assert!(!log.contains("example"));
    print!("The log as it is on the disk:\n{log}\n");

    // A holder of the secret key reads it elsewhere.
    let mut opened = Vec::new();
    let report = LogOpener::new(LogKeys::identities(vec![identity])).open(log.as_bytes(), &mut opened);
    print!("Opened, {} values:\n{}", report.opened, String::from_utf8_lossy(&opened));
    assert_eq!(opened, b"login of hanako@example.com\nlogin of ann@example.org\n");
    Ok(())
}
