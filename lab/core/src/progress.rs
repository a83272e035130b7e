//! How far the run is, on standard error: one moving line on a terminal, one line a size elsewhere.

use std::io::{IsTerminal, Write, stderr};

/// Where progress goes.
pub struct Progress {
    silent: bool,
    terminal: bool,
    shown: usize,
}

impl Progress {
    pub fn new() -> Self {
        Self { silent: false, terminal: stderr().is_terminal(), shown: 0 }
    }

    /// Says nothing at all, for simulations.
    #[cfg(test)]
    pub fn silent() -> Self {
        Self { silent: true, terminal: false, shown: 0 }
    }

    /// Something worth a line of its own.
    pub fn say(&mut self, text: &str) {
        if self.silent {
            return;
        }
        self.clear();
        let _ = writeln!(stderr(), "{text}");
    }

    /// The moment's doing: shown on a terminal only, and wiped by what comes next.
    pub fn now(&mut self, text: &str) {
        if self.terminal {
            self.clear();
            self.shown = text.chars().count();
            let _ = write!(stderr(), "{text}");
            let _ = stderr().flush();
        }
    }

    fn clear(&mut self) {
        if self.shown > 0 {
            let _ = write!(stderr(), "\r{:width$}\r", "", width = self.shown);
            self.shown = 0;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
