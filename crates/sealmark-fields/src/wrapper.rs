//! Text that container runtimes and collectors put around the lines of a program.

use std::ops::Range;

/// The text around each line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wrapper {
    /// Docker's `json-file`: `{"log":"line\n","stream":"stdout","time":"…"}`.
    Docker,
    /// The Container Runtime Interface of Kubernetes: `2026-11-23T12:00:01.5Z stdout F line`.
    Cri,
    /// Structured syslog: `@cee: {…}`.
    Cee,
}

/// The field of Docker's lines that holds the program's.
pub const DOCKER: &str = "log";

impl Wrapper {
    /// The place of the program's line, where it stands there as it was written; docker writes it as a string.
    pub fn content(self, line: &[u8]) -> Option<Range<usize>> {
        let start = match self {
            Self::Docker => return None,
            Self::Cri => cri(line)?.0,
            Self::Cee => {
                let rest = line.strip_prefix(b"@cee:")?;
                line.len() - rest.trim_ascii_start().len()
            }
        };
        let end = line.strip_suffix(b"\r").unwrap_or(line).len();
        Some(start..end.max(start))
    }

    /// Which of two streams a line is of, and whether its tag says that it goes on in the next one of that stream. Docker has no
    /// tag: a line that ends without a line feed goes on.
    pub fn stream(self, line: &[u8]) -> Option<(usize, bool)> {
        match self {
            // The name stands behind the line, where no visitor writes.
            Self::Docker => {
                let is_error = memchr::memmem::rfind(line, b"\"stream\":\"stderr\"").is_some();
                Some((usize::from(is_error), false))
            }
            Self::Cri => cri(line).map(|(_, stream, goes_on)| (stream, goes_on)),
            Self::Cee => None,
        }
    }
}

/// Where the line begins, which stream it is of, and whether it goes on.
fn cri(line: &[u8]) -> Option<(usize, usize, bool)> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let time = memchr::memchr(b' ', line)?;
    let is_time = line[..time].contains(&b'T') && line[0].is_ascii_digit();
    let rest = &line[time + 1..];
    let (stream, rest) = match (rest.strip_prefix(b"stdout "), rest.strip_prefix(b"stderr ")) {
        (Some(rest), _) => (0, rest),
        (_, Some(rest)) => (1, rest),
        _ => return None,
    };
    // Runtimes write no other tags: what else stands here may be text of the program.
    let tag = memchr::memchr(b' ', rest).unwrap_or(rest.len());
    let goes_on = match &rest[..tag] {
        b"F" => false,
        b"P" => true,
        _ => return None,
    };
    is_time.then_some((line.len() - rest.len() + (tag + 1).min(rest.len()), stream, goes_on))
}
