//! The lines that a fault is about: it may leave open algorithm, how, size and operation, and then holds for each of them.

use crate::protocol::Operation;
use crate::rows::{Fault, Line};

/// Lines of an engine at places of a job, as far as they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct About<'a> {
    pub engine: &'a str,
    pub algorithm: Option<&'a str>,
    pub how: Option<&'a str>,
    pub job: &'a str,
    pub size: Option<u64>,
    pub operation: Option<Operation>,
}

impl<'a> About<'a> {
    pub fn fault(fault: &'a Fault) -> Self {
        Self {
            engine: &fault.engine,
            algorithm: fault.algorithm(),
            how: fault.how(),
            job: &fault.job,
            size: fault.size,
            operation: fault.operation,
        }
    }

    pub fn line(job: &'a str, size: u64, operation: Operation, line: &'a Line) -> Self {
        let (algorithm, how) = (Some(line.algorithm()), Some(line.how()));
        Self { engine: &line.engine, algorithm, how, job, size: Some(size), operation: Some(operation) }
    }

    /// Itself, and all that leave more of it open.
    pub fn broader(self) -> impl Iterator<Item = Self> {
        let is_told = |open: u8, part: u8| open & (1 << part) == 0;
        (0..16).map(move |open| Self {
            algorithm: self.algorithm.filter(|_| is_told(open, 0)),
            how: self.how.filter(|_| is_told(open, 1)),
            size: self.size.filter(|_| is_told(open, 2)),
            operation: self.operation.filter(|_| is_told(open, 3)),
            ..self
        })
    }
}
