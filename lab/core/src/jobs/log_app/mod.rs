//! Job `log-app`: a web server under load, and what its access log must hold before a time counts.
//!
//! The log of every span is read: each request has its line, the lines of a connection are in order, and nothing private is
//! plain where it was to be hidden. What was sealed is opened by this project's library, in the lab's own process.

mod access_log;
mod reader;
mod recipe;

pub use reader::Reader;

use super::runner::{Cell, Outcome, Runner, Timed, bad_news};
use super::{Beside, Choice, Equipment, Job, Parameter, Proved, Question, Unit, check};
use crate::child::Fault;
use crate::protocol::{Answer, Ask, Operation, Served};
use crate::rows::{self, FaultKind};
use crate::workload;
use access_log::Expected;
use memchr::memmem;
use std::path::PathBuf;

pub static LOG_APP: Job = Job {
    name: "log-app",
    operations: &[Operation::Serve],
    parameters: &[Parameter::of("algorithm", &["none", "mask", TOKEN])],
    unit: Unit::Requests,
    wakes_a_crowd: true,
    equip: |_, _, _| Ok(Equipment { reader: Some(Reader::new()?), ..Equipment::default() }),
    authenticates: |algorithm| algorithm == TOKEN,
    check: |runner, cell, _| check(runner, cell),
    time,
    beside: Beside::SameJdk,
    about: "server's log",
    questions: &[Question::Choose(Choice {
        operations: &[(Operation::Serve, "log")],
        beside_yardstick: true,
        ..Choice::OF_ANY
    })],
    ..Job::IN_MEMORY
};

/// Where an engine leaves the log of its last span, in its own directory.
const FILE: &str = "access.log";

/// The algorithm whose log can be opened again.
const TOKEN: &str = "token";

/// Requests of each connection in a check, and one more of the first.
const EACH: u64 = 4;

/// Some requests, and what their log holds.
fn check(runner: &mut Runner, cell: &Cell) -> Outcome<Proved> {
    check::promises_what_it_does(runner, cell)?;
    runner.time(cell, Operation::Serve, EACH * cell.size.amount + 1)?;
    let log = std::fs::read(path(runner)).map_err(check::failed_at(Operation::Serve))?;
    if let Some(reader) = cell.equipment.reader.as_ref().filter(|_| runner.authenticated) {
        let verdict = reader.open(&altered(&log)).map_err(|why| Fault::new(FaultKind::Refused, why));
        check::must_refuse(verdict, Operation::Serve)?;
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
fn time(runner: &mut Runner, cell: &Cell, operation: Operation, count: u64) -> Outcome<Timed> {
    let first = runner.number(count);
    let served = match runner.ask(cell, operation, &Ask::Time { operation, first, count })? {
        Answer::Served(served) => served,
        other => return Err(bad_news(other).during(operation)),
    };
    if let Some((kind, why)) = flaw(&served, count, cell.size.amount) {
        return Err(Fault::new(kind, why).during(operation));
    }
    let expected = Expected { seed: cell.seed, first, count, connections: cell.size.amount };
    let bytes = must_be_logged(runner, cell, &expected).map_err(|fault| fault.during(operation))?;
    Ok(timed(&served, operation, bytes))
}

/// What is wrong with an answer, whatever the log says.
fn flaw(served: &Served, count: u64, connections: u64) -> Option<(FaultKind, String)> {
    let Served { count: told, wall_ns, median_ns, p99_ns, .. } = *served;
    if told != count {
        return Some((
            FaultKind::WrongCount,
            format!("was asked for {count} operations, but reported {told}"),
        ));
    }
    // Half of the requests took the median or longer, and so many at once did not fit into the span.
    let least = u128::from(median_ns) * u128::from(count / 2);
    let fits = least <= u128::from(wall_ns) * u128::from(connections);
    (median_ns == 0 || median_ns > p99_ns || p99_ns > wall_ns || !fits).then(|| {
        let times = format!("a median of {median_ns} ns and a 99th percentile of {p99_ns} ns");
        (FaultKind::WrongTime, format!("reported {times} in a span of {wall_ns} ns"))
    })
}

/// Returns the log's length.
fn must_be_logged(runner: &Runner, cell: &Cell, expected: &Expected) -> Outcome<u64> {
    let path = path(runner);
    let wrong = |why| Fault::new(FaultKind::WrongOutput, why);
    let length = std::fs::metadata(&path).map_err(|error| wrong(format!("there is no log: {error}")))?.len();
    if length > expected.most_bytes() {
        return Err(wrong(format!("a log of {length} bytes for {} requests", expected.count)));
    }
    let log = std::fs::read(&path).map_err(check::failed_at(Operation::Serve))?;
    match (runner.line.algorithm(), &cell.equipment.reader) {
        ("none", _) => expected.must_be_plain(&log).map_err(wrong)?,
        ("mask", _) => {
            expected.must_be_hidden(&log).map_err(wrong)?;
            expected.must_be_masked(&log).map_err(wrong)?;
        }
        (TOKEN, Some(reader)) => {
            expected.must_be_hidden(&log).map_err(wrong)?;
            let opened = reader.open(&log).map_err(wrong)?;
            expected.must_be_plain(&opened).map_err(|why| wrong(format!("opened, {why}")))?;
        }
        (other, _) => {
            return Err(Fault::new(FaultKind::Unsupported, format!("the lab knows no log \"{other}\"")));
        }
    }
    Ok(length)
}

fn path(runner: &Runner) -> PathBuf {
    runner.place.join("engine").join(FILE)
}

fn timed(served: &Served, operation: Operation, log_bytes: u64) -> Timed {
    let Served { count, wall_ns, median_ns, p99_ns, client_cpu_ns, .. } = *served;
    let requests = Some(rows::Requests { median_ns, p99_ns, client_cpu_ns });
    Timed { requests, ..Timed::of(operation, count, wall_ns, served.used, Some(log_bytes)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served() -> Served {
        Served {
            count: 100,
            wall_ns: 1_000,
            median_ns: 80,
            p99_ns: 400,
            used: crate::usage::Used::of(Some(1_500), None),
            client_cpu_ns: Some(300),
        }
    }

    #[test]
    fn times_must_fit_into_their_span() {
        let kind = |served: &Served| flaw(served, 100, 4).map(|(kind, _)| kind);
        assert_eq!(kind(&served()), None);
        assert_eq!(kind(&Served { count: 99, ..served() }), Some(FaultKind::WrongCount));
        let wrong = Some(FaultKind::WrongTime);
        // Fifty requests of 81 ns, four at once, take longer than the span.
        assert_eq!(kind(&Served { median_ns: 81, ..served() }), wrong);
        assert_eq!(kind(&Served { median_ns: 0, ..served() }), wrong);
        assert_eq!(kind(&Served { p99_ns: 79, ..served() }), wrong);
        assert_eq!(kind(&Served { p99_ns: 1_001, ..served() }), wrong);
        let endless = Served { median_ns: u64::MAX, p99_ns: u64::MAX, wall_ns: u64::MAX, ..served() };
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
        let timed = timed(&served(), Operation::Serve, 27_400);
        assert_eq!((timed.count, timed.wall_ns, timed.output_bytes), (100, 1_000, Some(27_400)));
        let requests = rows::Requests { median_ns: 80, p99_ns: 400, client_cpu_ns: Some(300) };
        assert_eq!((timed.requests, timed.used.cpu_ns), (Some(requests), Some(1_500)));
    }
}
