//! How far the run is, on standard error: one moving line on a terminal, one line a size elsewhere.

use std::io::{IsTerminal, Write, stderr};

/// Where progress goes.
pub struct Progress {
    silent: bool,
    terminal: bool,
}

/// Wipes the line that a terminal shows (ECMA-48, "erase in line").
const WIPED: &str = "\r\x1b[K";

impl Progress {
    pub fn new() -> Self {
        Self { silent: false, terminal: stderr().is_terminal() }
    }

    /// Something worth a line of its own.
    pub fn say(&mut self, text: &str) {
        if !self.silent {
            let _ = writeln!(stderr(), "{}{text}", if self.terminal { WIPED } else { "" });
        }
    }

    /// The moment's doing: shown on a terminal only, and wiped by what comes next.
    pub fn now(&mut self, text: &str) {
        if self.terminal {
            let _ = write!(stderr(), "{WIPED}{text}").and_then(|()| stderr().flush());
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
            Self { silent: true, terminal: false }
        }
    }
}
