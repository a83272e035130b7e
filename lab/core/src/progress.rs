//! How far the run is, on standard error: one moving line on a terminal, one line a size elsewhere.

use std::io::{IsTerminal, Write, stderr};

/// Where progress goes.
pub struct Progress {
    out: Box<dyn Write>,
    terminal: bool,
}

/// Wipes the line that a terminal shows (ECMA-48, "erase in line").
const WIPED: &str = "\r\x1b[K";

impl Progress {
    pub fn new() -> Self {
        Self { out: Box::new(stderr()), terminal: stderr().is_terminal() }
    }

    /// Something worth a line of its own.
    pub fn say(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", if self.terminal { WIPED } else { "" });
    }

    /// The moment's doing: shown on a terminal only, and wiped by what comes next.
    pub fn now(&mut self, text: &str) {
        if self.terminal {
            let _ = write!(self.out, "{WIPED}{text}").and_then(|()| self.out.flush());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.now("");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Progress {
        /// Says nothing at all, for simulations.
        pub fn silent() -> Self {
            Self { out: Box::new(std::io::sink()), terminal: false }
        }
    }
}
