//! Job `log-app`: a web server under load, and what its access log must hold before a time counts.
//!
//! The log of every span is read: each request has its line, the lines of a connection are in order, and nothing private is
//! plain where it was to be hidden. This project's program opens the sealed values.

mod access_log;
mod reader;
mod recipe;

use super::runner::{Outcome, Runner, bad_news, same_count};
use super::{Beside, Choice, Job, MASK, Parameter, Proved, Unit, check};
use crate::child::Fault;
use crate::parameters::NONE;
use crate::protocol::{Answer, Operation, Requests, Served};
use crate::rows::{FaultKind, Sample};
use crate::workload;
use access_log::Expected;
use memchr::memmem;
use std::path::PathBuf;

pub static LOG_APP: Job = Job {
    name: "log-app",
    operations: &[Operation::Serve],
    parameters: &[Parameter::of("algorithm", &[NONE, MASK, TOKEN])],
    unit: Unit::Requests,
    wakes_a_crowd: true,
    equip: |input, _, _| reader::make(input),
    place: |input, _, directory| reader::place(input, directory),
    authenticates: |algorithm| algorithm == TOKEN,
    check: |runner, _| check(runner),
    time,
    beside: Beside::SameJdk,
    about: "server's log",
    choice: Choice { operations: &[(Operation::Serve, "log")], beside_yardstick: true, ..Choice::OF_ANY },
    ..Job::IN_MEMORY
};

/// Where an engine leaves the log of its last span, in its own directory.
const FILE: &str = "access.log";

/// The algorithm whose log can be opened again.
const TOKEN: &str = "token";

/// Requests of each connection in a check, and one more of the first.
const EACH: u64 = 4;

/// Some requests, and what their log holds.
fn check(runner: &mut Runner) -> Outcome<Proved> {
    check::promises_what_it_does(runner)?;
    runner.time(Operation::Serve, EACH * runner.cell.size.amount + 1)?;
    let log = std::fs::read(path(runner))?;
    if runner.ready.authenticated {
        let file = runner.place.join("altered");
        std::fs::write(&file, altered(&log))?;
        let refusal = reader::open(&runner.cell.input, &file).map_err(|why| why.what);
        // A reader that is missing has refused nothing.
        if !refusal.is_err_and(|why| why.ends_with("authentication failed")) {
            return Err(Fault::new(FaultKind::NotRefused, "no token was refused").during(Operation::Serve));
        }
    }
    Ok(workload::fingerprint_of(&log).into())
}

/// The same with another character in the last token of a card: its body begins behind a label and a session.
fn altered(log: &[u8]) -> Vec<u8> {
    const LABEL: &[u8] = b"~card~";
    const SESSION: usize = 17;
    let mut altered = log.to_vec();
    let body = memmem::rfind(log, LABEL).map_or(0, |at| at + LABEL.len() + SESSION);
    if let Some(character) = altered.get_mut(body + 10) {
        *character = if *character == b'A' { b'B' } else { b'A' };
    }
    altered
}

/// Has a span timed, and reads its log.
fn time(runner: &mut Runner, operation: Operation, count: u64) -> Outcome<Sample> {
    let (first, served) = match runner.ask_for_span(operation, count)? {
        (first, Answer::Served(served)) => (first, served),
        (_, other) => return Err(bad_news(other)),
    };
    let (seed, connections) = (runner.cell.seed, runner.cell.size.amount);
    let expected = Expected { seed, first, count, connections };
    must_be_possible(&served, count, connections)?;
    Ok(timed(runner, operation, &served, must_be_logged(runner, &expected)?))
}

/// An answer must be possible, whatever the log says.
fn must_be_possible(served: &Served, count: u64, connections: u64) -> Outcome<()> {
    let (wall_ns, Requests { median_ns, p99_ns, .. }) = (served.span.wall_ns, served.requests);
    same_count(served.count, count)?;
    // Half of the requests took the median or longer, and so many at once did not fit into the span.
    let least = u128::from(median_ns) * u128::from(count / 2);
    let fits = least <= u128::from(wall_ns) * u128::from(connections);
    if fits && median_ns > 0 && median_ns <= p99_ns && p99_ns <= wall_ns {
        return Ok(());
    }
    let times = format!("a median of {median_ns} ns and a 99th percentile of {p99_ns} ns");
    Err(Fault::new(FaultKind::WrongTime, format!("reported {times} in a span of {wall_ns} ns")))
}

fn timed(runner: &Runner, operation: Operation, served: &Served, log_bytes: u64) -> Sample {
    let timed = runner.sample(operation, served.count, served.span, Some(log_bytes));
    Sample { requests: Some(served.requests), ..timed }
}

/// Returns the log's length.
fn must_be_logged(runner: &Runner, expected: &Expected) -> Outcome<u64> {
    let path = path(runner);
    let wrong = |why| Fault::new(FaultKind::WrongOutput, why);
    let length = std::fs::metadata(&path).map_err(|error| wrong(format!("there is no log: {error}")))?.len();
    if length > expected.most_bytes() {
        return Err(wrong(format!("a log of {length} bytes for {} requests", expected.count)));
    }
    let log = std::fs::read(&path)?;
    let verdict = match runner.line.algorithm() {
        NONE => expected.must_be_plain(&log),
        MASK => expected.must_be_hidden(&log).and_then(|()| expected.must_be_masked(&log)),
        _ => expected
            .must_be_hidden(&log)
            .and_then(|()| reader::open(&runner.cell.input, &path).map_err(|why| why.what))
            .and_then(|opened| expected.must_be_plain(&opened).map_err(|why| format!("opened, {why}"))),
    };
    verdict.map(|()| length).map_err(wrong)
}

fn path(runner: &Runner) -> PathBuf {
    runner.place.join("engine").join(FILE)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::jobfile::Plan;
    use crate::protocol::Span;
    use crate::rows::Line;

    fn served() -> Served {
        let requests = Requests { median_ns: 80, p99_ns: 400, client_cpu_ns: Some(300) };
        let span = Span { wall_ns: 1_000, used: crate::usage::Used::of(Some(1_500), None) };
        Served { count: 100, span, requests }
    }

    fn with(wall_ns: u64, median_ns: u64, p99_ns: u64) -> Served {
        let Served { count, span, requests } = served();
        let requests = Requests { median_ns, p99_ns, ..requests };
        Served { count, span: Span { wall_ns, ..span }, requests }
    }

    #[test]
    fn times_must_fit_into_their_span() {
        let kind = |served: &Served| must_be_possible(served, 100, 4).err().map(|fault| fault.kind);
        assert_eq!(kind(&served()), None);
        assert_eq!(kind(&Served { count: 99, ..served() }), Some(FaultKind::WrongCount));
        let wrong = Some(FaultKind::WrongTime);
        // Fifty requests of 81 ns, four at once, take longer than the span.
        assert_eq!(kind(&with(1_000, 81, 400)), wrong);
        assert_eq!(kind(&with(1_000, 0, 400)), wrong);
        assert_eq!(kind(&with(1_000, 80, 79)), wrong);
        assert_eq!(kind(&with(1_000, 80, 1_001)), wrong);
        let endless = with(u64::MAX, u64::MAX, u64::MAX);
        assert_eq!(kind(&endless), wrong);
    }

    #[test]
    fn an_altered_log_differs_in_the_body_of_its_last_token() {
        let token = format!("~s1a~card~{}~AAAA{}~", "I".repeat(16), "b".repeat(30));
        let log = format!("{token} x\n{token} y\n");
        let other = altered(log.as_bytes());
        let changed: Vec<usize> = (0..log.len()).filter(|at| log.as_bytes()[*at] != other[*at]).collect();
        assert_eq!(changed, [token.len() + 3 + "~s1a~card~".len() + 17 + 10]);
        assert_eq!(altered(b"short"), b"short");
    }

    #[test]
    fn what_an_engine_tells_becomes_a_sample() {
        let size = "concurrency = 4\nblocks = 1\nbudget_seconds = 1\ntimeout_seconds = 1\n";
        let plan = format!(
            "name = \"x\"\nabout = \"x\"\nseed = 1\n[[job]]\njob = \"log-app\"\n[[job.size]]\n{size}"
        );
        let (plan, line) = (Plan::parse(&plan, "x").unwrap(), Line::of("e", LOG_APP.named(TOKEN, "")));
        let timed = timed(&Runner::for_tests(&plan.jobs[0], line), Operation::Serve, &served(), 27_400);
        assert_eq!((timed.count, timed.wall_ns, timed.output_bytes), (100, 1_000, Some(27_400)));
        let requests = Requests { median_ns: 80, p99_ns: 400, client_cpu_ns: Some(300) };
        assert_eq!((timed.requests, timed.used.cpu_ns), (Some(requests), Some(1_500)));
    }
}
