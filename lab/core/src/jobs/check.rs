//! No check, no timing: a line's output must be right, and damaged data must not open where it promises so.

use super::runner::{Outcome, Runner, bad_news};
use super::{MASK, Proved};
use crate::child::Fault;
use crate::protocol::{Answer, Ask, Operation};
use crate::rows::{self, FaultKind, Row, Sample};
use crate::workload::{self, Fingerprint};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The row of a line that passed its check.
pub fn row(runner: &Runner, Proved { output, released }: Proved) -> Row {
    let cell = &runner.cell;
    let (output_bytes, sha256) = output.map(|made| (made.bytes, made.sha256)).unwrap_or_default();
    Row::Checked(rows::Checked {
        job: cell.job_name(),
        size: cell.size.amount,
        line: runner.line.clone(),
        authenticated: runner.ready.authenticated,
        code: runner.ready.code.clone(),
        output_bytes,
        sha256,
        released_bytes: released,
    })
}

/// Two operations of each kind in the loop that would be timed: their count and the last output must be right. For those
/// who check and do not measure; the times are thrown away.
pub fn spans(runner: &mut Runner) -> Outcome<()> {
    let job = runner.cell.job;
    let operations = if job.is_side_by_side() { job.operations } else { &[] };
    operations.iter().try_for_each(|operation| runner.time(*operation, 2).map(drop))
}

/// Any number: the operations that are timed start from others.
const NUMBER: u64 = (1 << 32) + 5;

/// The engine must make the same output as all others, and must open the output of another, here of the lab's model.
pub fn in_memory(runner: &mut Runner, _: Operation) -> Outcome<Proved> {
    let [forward, backward] = *runner.cell.job.operations else {
        return Err(Fault::new(FaultKind::Unsupported, "this job has no operation that reverses it"));
    };
    promises_what_it_does(runner)?;
    let (input, path) = (runner.cell.input.clone(), sealed(runner));
    let made = make(runner, forward, &input)?;
    let sealed = runner.expected(forward, NUMBER).unwrap_or_default();
    std::fs::write(&path, &sealed)?;
    make(runner, backward, &path)?;
    if runner.ready.authenticated {
        for at in [0, sealed.len() / 2, sealed.len() - 1] {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            std::fs::write(&path, &damaged)?;
            must_refuse(ask(runner, backward, &path), backward)?;
        }
    }
    Ok(made.into())
}

/// The algorithm decides whether altered data is noticed: an engine that denied it would be spared the damage.
pub fn promises_what_it_does(runner: &Runner) -> Outcome<()> {
    if runner.ready.authenticated == (runner.cell.job.authenticates)(runner.line.algorithm()) {
        return Ok(());
    }
    let says =
        if runner.ready.authenticated { "says it authenticates" } else { "says it does not authenticate" };
    Err(Fault::new(FaultKind::WrongOutput, says))
}

fn ask(runner: &mut Runner, operation: Operation, input: &Path) -> Outcome<Fingerprint> {
    let ask = Ask::Check { operation, number: NUMBER, input: input.display().to_string() };
    match runner.ask(operation, &ask)? {
        Answer::Checked(made) => Ok(made),
        other => Err(bad_news(other).during(operation)),
    }
}

/// The output of an operation, which must be the model's.
fn make(runner: &mut Runner, operation: Operation, input: &Path) -> Outcome<Fingerprint> {
    let made = ask(runner, operation, input)?;
    let expected = runner.must_be(operation, NUMBER, &made.sha256)?;
    if made.bytes == expected {
        return Ok(made);
    }
    wrong(operation, format!("reported {} bytes, expected {expected}", made.bytes))
}

/// The output of an operation is not what it has to be.
pub fn wrong<T>(operation: Operation, why: impl Into<String>) -> Outcome<T> {
    Err(Fault::new(FaultKind::WrongOutput, why).during(operation))
}

/// Opens a file with one bit flipped, which must be refused; says how many bytes were in the output then.
pub fn open_altered(runner: &mut Runner, sealed: &Path, at: u64) -> Outcome<u64> {
    let opened = opened(runner);
    flip_a_bit(sealed, at)?;
    let verdict = runner.run(Operation::Open, sealed, &opened);
    let released = std::fs::metadata(&opened).map_or(0, |data| data.len());
    let _ = std::fs::remove_file(&opened);
    must_refuse(verdict, Operation::Open)?;
    flip_a_bit(sealed, at)?;
    Ok(released)
}

fn must_refuse<T>(verdict: Outcome<T>, operation: Operation) -> Outcome<()> {
    match verdict {
        Err(fault) if fault.kind == FaultKind::Refused => Ok(()),
        Err(fault) => Err(fault),
        Ok(_) => Err(Fault::new(FaultKind::NotRefused, "one flipped bit went unnoticed").during(operation)),
    }
}

/// Seals, and opens it again where there is a way back; then one flipped bit. The sealed file stays.
pub fn there_and_back(runner: &mut Runner) -> Outcome<Proved> {
    let made = seal(runner)?;
    if opens(runner) {
        open_and_compare(runner)?;
        if runner.ready.authenticated {
            let sealed = sealed(runner);
            open_altered(runner, &sealed, (runner.cell.job.place_of_damage)(&sealed)?)?;
        }
    }
    Ok(made.into())
}

/// Seals the input, and looks at what came out.
pub fn seal(runner: &mut Runner) -> Outcome<Fingerprint> {
    let sealed = sealed(runner);
    runner.seal(&sealed)?;
    let made = output(&sealed, Operation::Seal)?;
    (runner.cell.job.must_hide)(runner, &sealed)?;
    Ok(made)
}

/// True if the output of a line can be opened again.
pub fn opens(runner: &Runner) -> bool {
    runner.line.algorithm() != MASK
}

/// In the middle of a large file, near the end of a small one: in the payload either way.
pub fn in_the_payload(sealed: &Path) -> Outcome<u64> {
    let length = std::fs::metadata(sealed)?.len();
    Ok(if length > 1 << 16 { length / 2 } else { length.saturating_sub(20) })
}

/// Opens what was sealed, timed, and compares it with the input.
pub fn open_and_compare(runner: &mut Runner) -> Outcome<Sample> {
    let (sealed, opened) = (sealed(runner), opened(runner));
    let timed = runner.run(Operation::Open, &sealed, &opened)?;
    must_be_original(runner, &opened)?;
    remove(&opened)?;
    Ok(timed)
}

/// The opened file must be the input again.
pub fn must_be_original(runner: &Runner, opened: &Path) -> Outcome<()> {
    let (cell, seen) = (&runner.cell, output(opened, Operation::Open)?);
    if seen == cell.original {
        return Ok(());
    }
    let (opened, sealed) = (seen.bytes, cell.original.bytes);
    wrong(Operation::Open, format!("opened to {opened} bytes that differ from the {sealed} bytes sealed"))
}

/// The fingerprint of what an operation left.
pub fn output(path: &Path, operation: Operation) -> Outcome<Fingerprint> {
    if !path.is_file() {
        return wrong(operation, NO_OUTPUT);
    }
    Ok(workload::fingerprint(path)?)
}

pub fn sealed(runner: &Runner) -> PathBuf {
    runner.place.join("sealed")
}

pub fn opened(runner: &Runner) -> PathBuf {
    runner.place.join("opened")
}

const NO_OUTPUT: &str = "said it was done and left no output";

/// A missing file is an engine that said it was done and was not.
pub fn remove(path: &Path) -> Outcome<()> {
    std::fs::remove_file(path).map_err(|_| Fault::new(FaultKind::WrongOutput, NO_OUTPUT))
}

fn flip_a_bit(path: &Path, at: u64) -> std::io::Result<()> {
    let (file, mut byte) = (File::options().read(true).write(true).open(path)?, [0]);
    file.read_exact_at(&mut byte, at)?;
    file.write_all_at(&[byte[0] ^ 1], at)
}
