//! Encrypts standard input to standard output with a passphrase, or decrypts it.
//!
//! usage: echo private | cargo run -p sealmark --example stream seal PASSPHRASE_FILE > private.sealed
//!        cargo run -p sealmark --example stream open PASSPHRASE_FILE < private.sealed

use sealmark::{Format, OpenWith, Opener, Passphrase, SealTo, Sealer};
use std::error::Error;
use std::io::{self, Read, Write};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [verb, file] = arguments.as_slice() else {
        return Err("usage: stream seal|open PASSPHRASE_FILE".into());
    };
    let mut text = fs::read_to_string(file)?;
    text.truncate(text.trim_end_matches('\n').len());
    let passphrase = Passphrase::new(text);
    match verb.as_str() {
        "seal" => seal(&mut io::stdin().lock(), passphrase),
        "open" => open(&mut io::stdin().lock(), passphrase),
        _ => Err(format!("{verb:?} is neither seal nor open").into()),
    }
}

fn seal(input: &mut impl Read, passphrase: Passphrase) -> Result<(), Box<dyn Error>> {
    let to = SealTo::passphrase(Format::Sealmark, passphrase);
    let mut sealer = Sealer::new(io::stdout().lock(), &to)?;
    io::copy(input, &mut sealer)?;
    // Without this the output is truncated, and every reader refuses it.
    sealer.finish()?.flush()?;
    Ok(())
}

/// Each piece is authenticated before it is written. If the exit code is not 0, throw the output away: the end of
/// the input may be missing.
fn open(input: &mut impl Read, passphrase: Passphrase) -> Result<(), Box<dyn Error>> {
    let mut opener = Opener::new(input, &OpenWith::passphrase(passphrase))?;
    let mut output = io::stdout().lock();
    io::copy(&mut opener, &mut output)?;
    output.flush()?;
    Ok(())
}
