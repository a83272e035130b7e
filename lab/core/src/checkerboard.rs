//! Memory against free page reporting. A machine that gives free memory back to its host at once (Linux reports free blocks
//! of 2 MiB and more, or as the host sets it) waits for the host when a program touches such memory again: about a
//! second a GiB, inside whatever is being measured. A process that holds one page in every few of a range leaves free
//! blocks between them which the host has backed and which are too small to be reported, and the kernel prefers small
//! blocks.

use crate::machine;
use crate::trouble::{Result, because};
use memmap2::{Advice, UncheckedAdvice};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

/// A page, and the distance from one that is held to the next.
const PAGE: usize = 4 << 10;
const BETWEEN: usize = 2 << 20;

/// Enough for the heap of a JVM.
const LEAST_MIB: u64 = 512;

/// The part of the available memory that it may take.
const PART: u64 = 4;

/// A process that holds memory for as long as this lives.
pub struct Checkerboard(Child);

impl Checkerboard {
    /// Makes room for files of at most so many bytes: input, sealed, opened and altered file. Returns the MiB, too, and
    /// nothing where the machine keeps its memory.
    pub fn lay_out(largest_file: u64) -> Option<(Option<Self>, u64)> {
        let mib = wanted_mib(machine::reported_mib(), largest_file, machine::memory()?.mem_available?)?;
        Some(Self::start(mib).map_or((None, 0), |board| (Some(board), mib)))
    }

    fn start(mib: u64) -> std::io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["hold-memory", &mib.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut board = Self(command.stderr(Stdio::null()).spawn()?);
        let mut ready = String::new();
        let said = board.0.stdout.take().map(|out| BufReader::new(out).read_line(&mut ready)).transpose()?;
        said.filter(|bytes| *bytes > 0).map(|_| board).ok_or(std::io::ErrorKind::OutOfMemory.into())
    }
}

/// Nothing where the machine has given no memory back.
fn wanted_mib(reported_mib: Option<u64>, largest_file: u64, available: u64) -> Option<u64> {
    let wanted = LEAST_MIB + 5 * (largest_file >> 20);
    reported_mib.filter(|mib| *mib > 0).map(|_| wanted.min((available / PART) >> 20))
}

impl Drop for Checkerboard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Takes so many MiB and leaves them free but for single pages, until standard input ends.
pub fn hold(mib: u64) -> Result<()> {
    let failed = |error| because("cannot allocate memory", error);
    let length = usize::try_from(mib << 20).unwrap_or(usize::MAX);
    let mut memory = memmap2::MmapOptions::new().len(length).map_anon().map_err(failed)?;
    // In huge pages, so that what is given back lies together.
    memory.advise(Advice::HugePage).map_err(failed)?;
    // The host hands memory out faster to two than to one.
    std::thread::scope(|threads| {
        for half in memory.chunks_mut(length.div_ceil(2).max(1)) {
            threads.spawn(|| half.iter_mut().step_by(PAGE).for_each(|byte| *byte = 1));
        }
    });
    // And not again, once they are torn.
    memory.advise(Advice::NoHugePage).map_err(failed)?;
    for at in (0..length).step_by(BETWEEN) {
        let (from, length) = (at + PAGE, BETWEEN - PAGE);
        #[allow(unsafe_code, reason = "giving pages back is a word of the kernel's")]
        // SAFETY: the pages are private and anonymous, nothing borrows them, and zeros are as good there.
        unsafe {
            // This tears a huge page at once: of what is only given back nothing is free until memory is short.
            memory.unchecked_advise_range(UncheckedAdvice::Free, from, length).map_err(failed)?;
            memory.unchecked_advise_range(UncheckedAdvice::DontNeed, from, length).map_err(failed)?;
        }
    }
    writeln!(std::io::stdout(), "holding pages of {mib} MiB").map_err(failed)?;
    std::io::stdin().read_to_end(&mut Vec::new()).map(drop).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn only_a_machine_that_gives_memory_back_is_held_and_by_a_quarter_at_most() {
        let wanted = |reported_mib| wanted_mib(reported_mib, GIB, 64 * GIB);
        assert_eq!([None, Some(0), Some(7)].map(wanted), [None, None, Some(LEAST_MIB + 5 * 1024)]);
        // Five files of 1 GiB do not fit into a quarter of what is free.
        assert_eq!(wanted_mib(Some(7), GIB, 8 * GIB), Some(2 * 1024));
        assert_eq!(wanted_mib(Some(7), 0, GIB), Some(256));
        assert_eq!(wanted_mib(Some(7), 0, 0), Some(0));
    }
}
