//! Where the evidence of a sentence stands.

use crate::protocol::Operation;
use serde::Serialize;

/// The part of a report that proves a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// The ratios of a cell: its size and operation.
    Cell(u64, Operation),
    /// How lines of the job came to be as fast as they are, at a size.
    Warmth(u64, Operation),
    /// Full connections beside resumed ones.
    Resumption,
    /// How lines of the job grow with size.
    Growth,
    /// Who of the job can do what.
    Outcomes,
    /// All of the job.
    Job,
    /// Nothing of a job: the circumstances of the run.
    About(&'static str),
    /// The command that began the run.
    Command,
}
