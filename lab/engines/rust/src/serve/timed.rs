//! Timing an operation inside this process.

use crate::protocol::{Answer, Span};
use crate::serve::{failed, peak};
use crate::usage::{self, Used};
use sealmark::{Error, FileMisuse};
use std::time::Instant;

/// Runs an operation between two looks at the clocks. Wall time is the inner pair: it is the figure that counts.
pub fn span<T>(operation: impl FnOnce() -> T) -> (T, Span) {
    peak::reset();
    let cpu_before = usage::own_cpu_ns();
    let start = Instant::now();
    let outcome = operation();
    let wall = start.elapsed();
    let cpu_after = usage::own_cpu_ns();
    let span = Span {
        wall_ns: wall.as_nanos() as u64,
        used: Used::of(
            cpu_after.zip(cpu_before).map(|(after, before)| after.saturating_sub(before)),
            peak::bytes(),
        ),
    };
    (outcome, span)
}

/// The answer to an operation of the library on files.
pub fn timed<T>(operation: impl FnOnce() -> Result<T, Error>) -> Answer {
    match span(operation) {
        (Ok(_), span) => Answer::Done(span),
        (
            Err(
                error @ (Error::Tampered(_)
                | Error::Malformed(_)
                | Error::NoKey
                | Error::PassphraseNeeded
                | Error::WrongPassphrase),
            ),
            _,
        ) => Answer::Refused { why: error.to_string() },
        (Err(error @ Error::File(FileMisuse::TooLong(_))), _) => Answer::Limited { why: error.to_string() },
        (Err(error), _) => failed(error),
    }
}
