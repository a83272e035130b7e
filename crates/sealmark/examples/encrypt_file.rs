//! Encrypts a file to a public key, decrypts it again, and reads a part of it without decrypting the rest.
//!
//! usage: cargo run -p sealmark --example encrypt_file
#![allow(clippy::print_stdout, reason = "an example shows its results")]

use sealmark::{Format, Identity, Job, Kem, OpenWith, RangeOpener, Recipient, SealTo, open_file, seal_file};
use std::fs::File;
use std::{env, fs, process};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = env::temp_dir().join(format!("sealmark-example-{}", process::id()));
    fs::create_dir(&directory)?;
    let [plain, sealed, opened] =
        ["report.txt", "report.txt.sealed", "copy.txt"].map(|name| directory.join(name));
    fs::write(&plain, "the report\n".repeat(100_000))?;

    // The reader makes a key pair. Both keys are lines of text; `sealmark keygen` writes the same ones.
    let identity = Identity::generate(Kem::MlKem768X25519)?;
    let public: String = identity.recipient().to_string();

    // The writer needs only the public key.
    let recipient: Recipient = public.parse()?;
    let to = SealTo::recipients(Format::Sealmark, &[recipient])?;
    let done = seal_file(&plain, &sealed, &to, &Job::default())?;
    println!("encrypted {} bytes into {}", done.input, done.output);

    let with = OpenWith::identities(vec![identity]);
    open_file(&sealed, &opened, &with, &Job::default())?;
    assert_eq!(fs::read(&plain)?, fs::read(&opened)?);

    let mut part = Vec::new();
    RangeOpener::new(File::open(&sealed)?, &with)?.read_range(4..10, &mut part)?;
    println!("bytes 4 to 10: {}", String::from_utf8(part)?);

    fs::remove_dir_all(&directory)?;
    Ok(())
}
