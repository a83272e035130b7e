//! Seals named fields of a service that logs with `tracing`: they become tokens (spec/record.md) before a line exists.
//!
//! ```
//! use std::{io::stdout, sync::Arc, time::Instant};
//!
//! use sealmark::record::{LogSealer, Readers, SealerSettings, Shape};
//! use sealmark_tracing::{SealedFields, sink};
//!
//! # fn main() -> sealmark::Result<()> {
//! # use sealmark::{Identity, Kem, Recipient};
//! # let recipient = Identity::generate(Kem::MlKem768X25519)?.recipient().to_string();
//! let readers = Readers::recipients(&[recipient.parse::<Recipient>()?])?;
//! let settings = SealerSettings::new(Shape::Plain);
//! let sealer = Arc::new(LogSealer::new(readers, settings, sink(stdout), Instant::now())?);
//!
//! let fields = SealedFields::new(sealer.clone(), ["email", "ip"])?;
//! tracing_subscriber::fmt().fmt_fields(fields).init();
//! tracing::info!(email = "a@b.example", attempt = 2, "login");
//! // … login email="~s1a~email~7gQ2mJ0cXbVtR4aL~AAAAAHk3…~" attempt=2
//!
//! sealer.close()
//! # }
//! ```
//!
//! `sealmark log open` turns such a log into the one that `tracing` would have written. A value that cannot
//! be sealed, for example because the disk is full, becomes the marker `~s1x~email~`: never the value, an error or a panic.
//!
//! # Other formatters
//!
//! [`SealedFields`] seals in the two formats that leave fields to it: the default one and `compact()`. **`json()` and
//! `pretty()` write the fields of events themselves, and would write them as they are.** There, and with any other
//! logger, let the value seal itself where it is logged:
//!
//! ```
//! # use std::{io::stdout, sync::Arc, time::Instant};
//! # use sealmark::record::{Label, LogSealer, OwnLines, Readers, SealerSettings, Shape};
//! # fn main() -> sealmark::Result<()> {
//! # use sealmark::{Identity, Kem};
//! # let readers = Readers::recipients(&[Identity::generate(Kem::X25519)?.recipient()])?;
//! # let settings = SealerSettings::new(Shape::Json);
//! # let sealer = LogSealer::new(readers, settings, sealmark_tracing::sink(stdout), Instant::now())?;
//! let email = Label::new("email")?;
//! tracing_subscriber::fmt().json().init();
//! tracing::info!(email = %sealer.sealed(&email, "a@b.example"), "login");
//! # sealer.close()
//! # }
//! ```

#![warn(missing_debug_implementations)]

mod fields;
mod sink;

pub use fields::SealedFields;
pub use sink::sink;
