//! Job `payload`: what an operation reads and writes, and what must have come out of it.

use super::check::{
    must_be_original, open_altered, opened, output, promises_what_it_does, remove, sealed, wrong,
};
use super::runner::{Outcome, Runner};
use super::{Among, Choice, Job, Parameter, Proved, gcm};
use crate::child::Fault;
use crate::model::Secrets;
use crate::protocol::Operation;
use crate::rows::{FaultKind, Line, Sample};
use crate::trouble::because;
use crate::usage::Used;
use crate::workload::Fingerprint;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub static PAYLOAD: Job = Job {
    name: "payload",
    operations: &[Operation::Seal, Operation::Open],
    parameters: &[
        Parameter::of("algorithm", &["AES-128-GCM", "AES-256-GCM"]),
        Parameter::of("mode", &["one-shot", "update", "stream", "wss4j", "chunked", "verify-then-release"]),
    ],
    has_threads: |line| !["one-shot", "update", "stream", "wss4j"].contains(&line.how()),
    own_process: true,
    on_files: true,
    // Files: what the lab sealed in each algorithm and compares with an output, an altered copy, and what a format of an
    // engine's own made.
    kept: |_, algorithms| algorithms + 3,
    equip: |input, seed, lines| {
        let modelled = lines.iter().filter(|line| has_model(line)).map(|line| line.algorithm());
        modelled.collect::<BTreeSet<_>>().into_iter().try_for_each(|algorithm| {
            let secrets = Secrets::derive(seed);
            // Nothing here has to be secret.
            let iv = secrets.nonce(0);
            let sealed = gcm::seal(input, algorithm, &secrets, &iv, &sealed_by_model(input, algorithm));
            sealed.map_err(|error| because("cannot seal the input", error))
        })
    },
    authenticates: |algorithm| algorithm != "none",
    check: |runner, operation| match operation {
        Operation::Seal => check_sealing(runner).map(Proved::from),
        _ => Ok(Proved { output: None, released: check_opening(runner)? }),
    },
    time,
    tells_how: true,
    about: "attachment",
    choice: Choice {
        operations: &[(Operation::Open, "open")],
        among: Among::ReleasingNothing,
        ..Choice::OF_ANY
    },
    ..Job::IN_MEMORY
};

/// The file that lines open, where the lab itself can seal it.
fn sealed_by_model(input: &Path, algorithm: &str) -> PathBuf {
    input.with_file_name(format!("sealed-{algorithm}"))
}

/// The lab must be able to open a sealed file of the line.
fn check_sealing(runner: &mut Runner) -> Outcome<Fingerprint> {
    promises_what_it_does(runner)?;
    let sealed = sealed(runner);
    runner.seal(&sealed)?;
    must_be_sealed(runner, &sealed)
}

/// A payload that the lab sealed must open, or one that the line did where the lab has no model of it; and what was altered
/// must not. Says how many plain bytes were in the output when a payload altered at its very end was refused: a reader that
/// does not wait has released everything there.
fn check_opening(runner: &mut Runner) -> Outcome<Option<u64>> {
    promises_what_it_does(runner)?;
    let (source, altered) = (source(runner, Operation::Open), runner.place.join("altered"));
    let timed = runner.run(Operation::Open, &source, &opened(runner))?;
    must_be_original(runner, &opened(runner))?;
    remove(&opened(runner))?;
    if !runner.ready.authenticated {
        return Ok(None);
    }
    let length = std::fs::copy(&source, &altered)?;
    let (end, others) = (length - 1, [0, length / 2]);
    let before = if timed.wall_ns < QUICK_NS { &others[..] } else { &[] };
    let released = before.iter().chain([&end]).try_fold(0, |_, at| open_altered(runner, &altered, *at));
    std::fs::remove_file(&altered)?;
    Ok(Some(released?.min(runner.cell.original.bytes)))
}

/// A line that opens faster than this gets three altered files, a slower one only the last, because three would cost minutes.
const QUICK_NS: u64 = 1_000_000_000;

/// Does an operation again and again, each timed by the engine; the last output must be right.
fn time(runner: &mut Runner, operation: Operation, count: u64) -> Outcome<Sample> {
    let input = source(runner, operation);
    let output = if operation == Operation::Seal { runner.place.join("again") } else { opened(runner) };
    let mut all: Option<Sample> = None;
    for number in 1..=count {
        let timed = runner.run(operation, &input, &output)?;
        all = all.into_iter().chain([timed]).reduce(both);
        match operation {
            _ if number < count => {}
            Operation::Seal => drop(must_be_sealed(runner, &output)?),
            _ => must_be_original(runner, &output)?,
        }
        remove(&output)?;
    }
    all.ok_or_else(|| Fault::new(FaultKind::WrongCount, "no operation was asked for"))
}

/// Two spans as one; what is not known of either is not known of both.
fn both(one: Sample, other: Sample) -> Sample {
    let sum = |of: fn(&Used) -> Option<u64>| Some(of(&one.used)? + of(&other.used)?);
    let used = Used {
        cpu_ns: sum(|used| used.cpu_ns),
        allocated_bytes: sum(|used| used.allocated_bytes),
        gc_ns: sum(|used| used.gc_ns),
        peak_bytes: one.used.peak_bytes.max(other.used.peak_bytes),
    };
    Sample { count: one.count + other.count, wall_ns: one.wall_ns + other.wall_ns, used, ..other }
}

/// The input of an operation. Opening reads the model's sealed file, where there is a model.
fn source(runner: &Runner, operation: Operation) -> PathBuf {
    let cell = &runner.cell;
    match operation {
        Operation::Seal => cell.input.clone(),
        _ if runner.line.algorithm() == "none" => cell.input.clone(),
        _ if has_model(&runner.line) => sealed_by_model(&cell.input, runner.line.algorithm()),
        _ => sealed(runner),
    }
}

/// True if the lab can make and open the line's sealed files.
fn has_model(line: &Line) -> bool {
    line.how() != "chunked" && gcm::algorithm(line.algorithm()).is_some()
}

fn must_be_sealed(runner: &Runner, path: &Path) -> Outcome<Fingerprint> {
    let (cell, made) = (&runner.cell, output(path, Operation::Seal)?);
    let (is_right, fault) = match runner.line.algorithm() {
        "none" => (made == cell.original, "copied other bytes"),
        _ if !has_model(&runner.line) => {
            let hides = hides(&cell.input, path)? && made.bytes > cell.original.bytes;
            (hides, "the output has plaintext in it, or is not longer than the plaintext")
        }
        algorithm => {
            // Too short for a vector is wrong with any.
            let iv = beginning(path, gcm::IV as u64)?.try_into().unwrap_or_default();
            let model = path.with_extension("model");
            gcm::seal(&cell.input, algorithm, &Secrets::derive(cell.seed), &iv, &model)?;
            let expected = output(&model, Operation::Seal)?;
            remove(&model)?;
            (expected == made, "what it sealed does not open to the input")
        }
    };
    if is_right { Ok(made) } else { wrong(Operation::Seal, fault) }
}

/// Where there is no model to open a file, its beginning must at least not hold that of the input.
fn hides(input: &Path, sealed: &Path) -> std::io::Result<bool> {
    let plain = beginning(input, 32)?;
    Ok(!beginning(sealed, 1 << 16)?.windows(plain.len().max(1)).any(|window| window == plain))
}

fn beginning(path: &Path, bytes: u64) -> io::Result<Vec<u8>> {
    let mut buffer = Vec::new();
    File::open(path)?.take(bytes).read_to_end(&mut buffer).map(|_| buffer)
}
