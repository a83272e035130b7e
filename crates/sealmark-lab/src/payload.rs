//! Job `payload`: what an operation reads and writes, and what must have come out of it.

use crate::check::{failed_at, must_refuse, remove};
use crate::child::Fault;
use crate::gcm;
use crate::protocol::{Operation, Shape};
use crate::rows::{FaultKind, Line};
use crate::runner::{Cell, Outcome, Runner, Timed};
use crate::workload::{self, Fingerprint};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What a line made of the input, and how it took to being deceived.
pub struct Made {
    pub bytes: u64,
    pub sha256: String,
    /// Plain bytes in the output when a payload altered at its very end was refused; none where nothing is refused.
    pub released: Option<u64>,
}

/// What is sealed must open for the lab, what the lab seals must open, and what was altered must not.
pub fn check(runner: &mut Runner, cell: &Cell) -> Outcome<Made> {
    promises_what_it_does(runner)?;
    let sealed = sealed(runner);
    runner.run(cell, Operation::Seal, &cell.input, &sealed)?;
    let made = must_be_sealed(runner, cell, &sealed)?;
    let source = source(runner, cell, Operation::Open);
    runner.run(cell, Operation::Open, &source, &opened(runner))?;
    must_be_opened(runner, cell)?;
    let released =
        if runner.authenticated { Some(deceive(runner, cell, &sealed, made.bytes)?) } else { None };
    // What no model makes is what its own process will open.
    if cell.sealed_by_model(&runner.line).is_some() {
        remove(&sealed)?;
    }
    Ok(Made { bytes: made.bytes, sha256: made.sha256, released })
}

/// Does an operation again and again, each timed by the engine; the last output must be right.
pub fn time(runner: &mut Runner, cell: &Cell, operation: Operation, count: u64) -> Outcome<Timed> {
    let input = source(runner, cell, operation);
    let output = if operation == Operation::Seal { runner.place.join("again") } else { opened(runner) };
    let mut all: Option<Timed> = None;
    for number in 1..=count {
        let timed = runner.run(cell, operation, &input, &output)?;
        all = Some(all.map_or_else(|| timed.clone(), |all| all.and(&timed)));
        match operation {
            Operation::Seal if number == count => drop(must_be_sealed(runner, cell, &output)?),
            Operation::Seal => {}
            _ if number == count => {
                must_be_opened(runner, cell)?;
                continue;
            }
            _ => {}
        }
        remove(&output)?;
    }
    all.ok_or_else(|| Fault::new(FaultKind::WrongCount, "no operation was asked for").during(operation))
}

/// An engine that denied it would be spared the damage.
fn promises_what_it_does(runner: &Runner) -> Outcome<()> {
    let has_cipher = runner.line.algorithm != "none";
    let says = match (runner.authenticated, has_cipher) {
        (true, false) => "says it authenticates",
        (false, true) => "says it does not authenticate",
        _ => return Ok(()),
    };
    Err(Fault::new(FaultKind::WrongOutput, says))
}

/// What an operation reads: the model's sealed file, where there is a model.
fn source(runner: &Runner, cell: &Cell, operation: Operation) -> PathBuf {
    match operation {
        Operation::Seal => cell.input.clone(),
        _ if runner.line.algorithm == "none" => cell.input.clone(),
        _ => cell.sealed_by_model(&runner.line).unwrap_or_else(|| sealed(runner)),
    }
}

fn sealed(runner: &Runner) -> PathBuf {
    runner.place.join("sealed")
}

fn opened(runner: &Runner) -> PathBuf {
    runner.place.join("opened")
}

/// Whether the lab can make and open what this line seals.
pub fn has_model(line: &Line) -> bool {
    line.shape != Shape::Chunked && gcm::key_bytes(&line.algorithm).is_some()
}

fn must_be_sealed(runner: &Runner, cell: &Cell, path: &Path) -> Outcome<Fingerprint> {
    let made = fingerprint(path, Operation::Seal)?;
    let wrong = |why: String| Err(Fault::new(FaultKind::WrongOutput, why).during(Operation::Seal));
    if !has_model(&runner.line) {
        return if made.bytes < cell.original.bytes {
            wrong(format!("sealed {} bytes into {}", cell.original.bytes, made.bytes))
        } else {
            Ok(made)
        };
    }
    match gcm::open(path, &runner.line.algorithm, cell.seed).map_err(failed_at(Operation::Seal))? {
        Some(plain) if plain == cell.original => Ok(made),
        Some(plain) => wrong(format!("what it sealed opens to {} other bytes", plain.bytes)),
        None => wrong("what it sealed does not open".into()),
    }
}

/// The output is right, and gone.
fn must_be_opened(runner: &Runner, cell: &Cell) -> Outcome<()> {
    let path = opened(runner);
    let seen = fingerprint(&path, Operation::Open)?;
    if seen != cell.original {
        let why = format!("opened {} bytes that are not the {} sealed", seen.bytes, cell.original.bytes);
        return Err(Fault::new(FaultKind::WrongOutput, why).during(Operation::Open));
    }
    remove(&path)
}

fn fingerprint(path: &Path, operation: Operation) -> Outcome<Fingerprint> {
    if !path.is_file() {
        return Err(
            Fault::new(FaultKind::WrongOutput, "said it was done and left no output").during(operation)
        );
    }
    workload::fingerprint(path).map_err(failed_at(operation))
}

/// Flips a bit at the very end, where a reader that does not wait has released everything; says how much that was. At
/// the job's smallest size also at the beginning and in the middle: the larger ones cost minutes where opening is slow.
fn deceive(runner: &mut Runner, cell: &Cell, sealed: &Path, length: u64) -> Outcome<u64> {
    let is_smallest = cell.job.sizes.first().is_some_and(|size| size.bytes == cell.size.bytes);
    if is_smallest {
        for at in [0, length / 2] {
            open_altered(runner, cell, sealed, at)?;
        }
    }
    open_altered(runner, cell, sealed, length - 1)
}

/// Opens a file with one bit flipped, which must be refused; says how many bytes are in the output then.
fn open_altered(runner: &mut Runner, cell: &Cell, sealed: &Path, at: u64) -> Outcome<u64> {
    let opened = opened(runner);
    flip_a_bit(sealed, at).map_err(failed_at(Operation::Open))?;
    let verdict = runner.run(cell, Operation::Open, sealed, &opened);
    let released = std::fs::metadata(&opened).map_or(0, |data| data.len());
    let _ = std::fs::remove_file(&opened);
    must_refuse(verdict, Operation::Open)?;
    flip_a_bit(sealed, at).map_err(failed_at(Operation::Open))?;
    Ok(released.min(cell.original.bytes))
}

fn flip_a_bit(path: &Path, at: u64) -> std::io::Result<()> {
    let mut file = File::options().read(true).write(true).open(path)?;
    let mut byte = [0];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut byte)?;
    file.seek(SeekFrom::Start(at))?;
    file.write_all(&[byte[0] ^ 1])
}
