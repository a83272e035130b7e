//! Job `record`: what sealing values into text must give, and what must not open.
//!
//! Sealed text is random, so nothing is known of it but what it opens to. A file of many values goes there and back, on as
//! many threads as the line has: what is lost, doubled or in another place shows.

use super::runner::{Outcome, Runner};
use super::{Among, Choice, Job, Parameter, Proved, check};
use crate::model;
use crate::protocol::Operation;
use crate::workload;
use std::collections::HashSet;

const ALGORITHMS: [&str; 6] = [
    "token",
    "token-bytes",
    "AES-256-GCM-base64",
    "AES-256-GCM-base64-bytes",
    "AES-256-GCM-base64-as-written",
    "RC4-base64",
];

pub static RECORD: Job = Job {
    name: "record",
    operations: &[Operation::Seal, Operation::Open],
    parameters: &[
        Parameter::of("algorithm", &ALGORITHMS),
        Parameter::of("threads", &["1-thread", "2-threads", "16-threads", "256-threads", "4096-virtual"]),
    ],
    wakes_a_crowd: true,
    write_input: |path, seed, bytes| {
        workload::create(path, |file| file.write_all(&model::value(seed, bytes * VALUES)))
    },
    // Sealing makes another text each time, so the value that comes out of it is compared.
    expected: |algorithm, seed, bytes, _, _| {
        ALGORITHMS.contains(&algorithm).then(|| model::value(seed, bytes))
    },
    authenticates: |algorithm| ALGORITHMS.contains(&algorithm) && !algorithm.starts_with("RC4"),
    check: |runner, _| check(runner),
    tells_how: true,
    about: "log value",
    // On one thread, to a text: what more threads and buffers gain are other questions.
    choice: Choice { among: Among::With("threads", "1-thread", "-bytes"), ..Choice::OF_SEALING },
    ..Job::IN_MEMORY
};

/// So many values are sealed when a line is checked: four for each of 256 threads.
const VALUES: u64 = 1_024;

fn check(runner: &mut Runner) -> Outcome<Proved> {
    check::promises_what_it_does(runner)?;
    let sealed = check::sealed(runner);
    let made = check::seal(runner)?;
    let mut texts = HashSet::new();
    must_be_new(&std::fs::read(&sealed)?, &mut texts)?;
    check::open_and_compare(runner)?;
    if runner.ready.authenticated {
        check::remove(&sealed)?;
        check::seal(runner)?;
        let text = std::fs::read(&sealed)?;
        must_be_new(&text, &mut texts)?;
        // One bit of one line in the middle of the file: in the middle of its text, and in its tag.
        let (start, end) = middle_line(&text);
        check::open_altered(runner, &sealed, (start + (end - start) / 2) as u64)?;
        check::open_altered(runner, &sealed, (end - FROM_END) as u64)?;
    }
    check::remove(&sealed)?;
    Ok(made.into())
}

/// One line for each value, ended by a line feed, and none that was there before: texts that authenticate are never the
/// same twice, and of the others each has a value of its own.
fn must_be_new(text: &[u8], before: &mut HashSet<Vec<u8>>) -> Outcome<()> {
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let wrong = |why: String| check::wrong(Operation::Seal, why);
    if lines.len() as u64 != VALUES || !text.ends_with(b"\n") {
        return wrong(format!("sealed {VALUES} values into {} lines", lines.len()));
    }
    let Some(at) = lines.iter().position(|line| !before.insert(line.to_vec())) else { return Ok(()) };
    wrong(format!("value {at} was sealed to the same text as an earlier value"))
}

/// Behind it are padding, bits of a last character that stand for nothing, and what closes a token.
const FROM_END: usize = 8;

/// Where it starts, and where its line feed is.
fn middle_line(text: &[u8]) -> (usize, usize) {
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', text).collect();
    let middle = ends.len() / 2;
    (ends[middle - 1] + 1, ends[middle])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::rows::Line;

    #[test]
    fn one_thread_is_no_crowd_and_threads_of_any_kind_are() {
        let line = |threads| Line::of("e", RECORD.named("token", threads));
        let crowds = RECORD.how().unwrap().values.iter().map(|threads| line(threads).is_crowd());
        assert_eq!(crowds.collect::<Vec<_>>(), [false, true, true, true, true]);
        assert!(!Line::of("e", crate::jobs::CODEC.named("base64", "tuned")).is_crowd());
    }

    /// So many lines, each another.
    fn lines(count: u64) -> Vec<u8> {
        (0..count).map(|number| format!("text{number:04}\n")).collect::<String>().into_bytes()
    }

    #[test]
    fn every_value_has_a_line_of_its_own_that_was_not_there_before() {
        let wrong = |text: &[u8], before: &mut HashSet<Vec<u8>>| {
            must_be_new(text, before).err().map(|fault| fault.why)
        };
        let (whole, mut before) = (lines(VALUES), HashSet::new());
        assert_eq!(wrong(&whole, &mut before), None);
        let again = "value 0 was sealed to the same text as an earlier value";
        assert_eq!(wrong(&whole, &mut before), Some(again.into()));
        for count in [0, VALUES - 1, VALUES + 1] {
            let why = format!("sealed 1024 values into {count} lines");
            assert_eq!(wrong(&lines(count), &mut HashSet::new()), Some(why));
        }
        let open_end = &whole[..whole.len() - 1];
        assert!(wrong(open_end, &mut HashSet::new()).is_some());
        let twice = [&whole[..9], &whole[..whole.len() - 9]].concat();
        assert_eq!(wrong(&twice, &mut HashSet::new()), Some(again.replace('0', "1")));
    }

    #[test]
    fn the_middle_line_is_found_whole() {
        let text = lines(VALUES);
        let (start, end) = middle_line(&text);
        assert_eq!((&text[start..end], text[end]), (&b"text0512"[..], b'\n'));
    }
}
