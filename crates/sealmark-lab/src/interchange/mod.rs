//! Files that other tools read, made of a run, and files that other tools wrote, for the report.

mod bencher;
mod csv;
mod elsewhere;
mod hyperfine;
mod jmh;
mod names;
#[cfg(test)]
mod tests;

pub use elsewhere::{Benchmark, Elsewhere, Figures, Range, Unit};

use crate::rows::{self, Row};
use crate::trouble::{Result, Trouble, because};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Whose format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum To {
    /// One row a sample, for spreadsheets and data frames.
    Csv,
    /// JMH's JSON, for what draws it.
    Jmh,
    /// Bencher's metrics, for its continuous benchmarking.
    Bencher,
}

/// A run in another tool's words.
pub fn export(rows: &[Row], to: To) -> Result<String> {
    match to {
        To::Csv => csv::write(rows),
        To::Jmh => Ok(jmh::write(rows)),
        To::Bencher => Ok(bencher::write(rows)),
    }
}

/// What a file has to tell.
#[derive(Debug)]
pub enum Source {
    Run(Vec<Row>),
    Elsewhere(Elsewhere),
}

/// A results file of ours, or one of JMH or hyperfine: the content says which.
pub fn read(path: &Path) -> Result<Source> {
    match kind(path)? {
        Kind::Run => rows::read(path).map(Source::Run),
        Kind::Jmh => elsewhere(path, jmh::read),
        Kind::Hyperfine => elsewhere(path, hyperfine::read),
    }
}

enum Kind {
    Run,
    Jmh,
    Hyperfine,
}

/// How much of a file is looked at to tell whose it is.
const BEGINNING: u64 = 4096;

/// JMH writes an array and hyperfine an object that begins with its results; whatever else there is, the reader of our
/// own rows says what is wrong with it.
fn kind(path: &Path) -> Result<Kind> {
    let mut beginning = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning));
    read.map_err(|error| because(format!("cannot read \"{}\"", path.display()), error))?;
    let beginning = beginning.trim_ascii_start();
    let first_member = beginning.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    Ok(match first_member {
        _ if beginning.starts_with(b"[") => Kind::Jmh,
        Some(member) if member.starts_with(b"\"results\"") => Kind::Hyperfine,
        _ => Kind::Run,
    })
}

/// Other tools' files hold summaries: a larger one is a mistake. In memory they take up to ten times as much.
const LARGEST: u64 = 16 << 20;

fn elsewhere(path: &Path, read: fn(&str) -> std::result::Result<Elsewhere, String>) -> Result<Source> {
    let name = path.display();
    let mut text = String::new();
    let limit = LARGEST + 1;
    let length = File::open(path)
        .and_then(|file| file.take(limit).read_to_string(&mut text))
        .map_err(|error| because(format!("cannot read \"{name}\""), error))?;
    if length as u64 == limit {
        return Err(Trouble::new(format!("\"{name}\" is larger than {} MiB", LARGEST >> 20)));
    }
    let found = read(&text).map_err(|why| because(format!("cannot use \"{name}\""), why))?;
    let from = path.file_name().map_or_else(|| name.to_string(), |name| name.to_string_lossy().into_owned());
    Ok(Source::Elsewhere(Elsewhere { from, ..found }))
}
