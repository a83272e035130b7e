//! Timing an operation inside this process.

use crate::protocol::Answer;
use crate::serve::failed;
use crate::usage;
use sealmark::Error;
use std::time::Instant;

/// Runs an operation between two looks at the clocks. Wall time is the inner pair: it is the figure that counts.
pub fn timed<T>(operation: impl FnOnce() -> Result<T, Error>) -> Answer {
    usage::reset_own_peak();
    let cpu_before = usage::own_cpu_ns();
    let start = Instant::now();
    let outcome = operation();
    let wall = start.elapsed();
    let cpu_after = usage::own_cpu_ns();
    let peak_bytes = usage::own_peak_bytes();
    match outcome {
        Ok(_) => Answer::Done {
            wall_ns: wall.as_nanos() as u64,
            cpu_ns: cpu_after.zip(cpu_before).map(|(after, before)| after.saturating_sub(before)),
            peak_bytes,
        },
        Err(error @ (Error::Tampered(_) | Error::Malformed(_) | Error::NoKey)) => {
            Answer::Refused { why: error.to_string() }
        }
        Err(error) => failed(error),
    }
}
