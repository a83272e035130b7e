//! Readers and writers ("ends") that fail once: call number `at` of all their calls gets a fault, and every other call
//! works.

use std::io::{self, ErrorKind, IoSliceMut, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Error(ErrorKind),
    /// A write that takes nothing, or a read that looks like the end.
    Zero,
    /// One byte, though the caller asked for more.
    Short,
    Panic,
}

pub const ERRORS: [Fault; 7] = [
    Fault::Error(ErrorKind::Interrupted),
    Fault::Error(ErrorKind::WouldBlock),
    Fault::Error(ErrorKind::TimedOut),
    Fault::Error(ErrorKind::StorageFull),
    Fault::Error(ErrorKind::BrokenPipe),
    // EIO has no kind of its own.
    Fault::Error(ErrorKind::Other),
    Fault::Short,
];

/// Counts the calls of all ends of one run.
#[derive(Clone)]
pub struct Faults(Arc<Mutex<State>>);

struct State {
    fault: Fault,
    at: usize,
    calls: usize,
    /// The number of bytes that the writer had taken when it failed.
    taken_at_fault: Option<usize>,
    hurt: bool,
    taken: Vec<u8>,
    /// The most bytes of one call, small enough for many calls.
    most: usize,
}

impl Faults {
    pub fn new(fault: Fault, at: usize, most: usize) -> Self {
        let taken = Vec::new();
        Self(Arc::new(Mutex::new(State {
            fault,
            at,
            calls: 0,
            hurt: false,
            taken_at_fault: None,
            taken,
            most,
        })))
    }

    pub fn writer(&self) -> Faulty<io::Sink> {
        Faulty { faults: self.clone(), inner: io::sink() }
    }

    pub fn around<R>(&self, inner: R) -> Faulty<R> {
        Faulty { faults: self.clone(), inner }
    }

    pub fn happened(&self) -> bool {
        self.with(|state| state.calls > state.at)
    }

    /// True after a fault that another call does not mend.
    pub fn hurt(&self) -> bool {
        self.with(|state| state.hurt)
    }

    /// The bytes that writers took, and the number of those before the fault.
    pub fn taken(&self) -> (Vec<u8>, Option<usize>) {
        self.with(|state| (state.taken.clone(), state.taken_at_fault))
    }

    fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The number of bytes that this call may move, if it does not fail.
    fn call(&self, asked: usize) -> io::Result<usize> {
        self.with(|state| {
            state.calls += 1;
            if state.calls != state.at + 1 {
                return Ok(asked.min(state.most));
            }
            let harmless = match state.fault {
                Fault::Short | Fault::Error(ErrorKind::Interrupted) => true,
                // A flush moves nothing.
                Fault::Zero => asked == 0,
                Fault::Error(_) | Fault::Panic => false,
            };
            state.hurt = !harmless;
            state.taken_at_fault = Some(state.taken.len());
            match state.fault {
                Fault::Error(kind) => Err(kind.into()),
                Fault::Zero => Ok(0),
                Fault::Short => Ok(asked.min(1)),
                Fault::Panic => panic!("a writer that panics"),
            }
        })
    }
}

pub struct Faulty<T> {
    faults: Faults,
    inner: T,
}

impl Write for Faulty<io::Sink> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let moved = self.faults.call(bytes.len())?;
        self.faults.with(|state| state.taken.extend_from_slice(&bytes[..moved]));
        Ok(moved)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.faults.call(0).map(drop)
    }
}

impl<R: Read> Read for Faulty<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let moved = self.faults.call(out.len())?;
        self.inner.read(&mut out[..moved])
    }

    fn read_vectored(&mut self, parts: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let mut left = self.faults.call(parts.iter().map(|part| part.len()).sum())?;
        let mut read = 0;
        for part in parts {
            let asked = part.len().min(left);
            let got = self.inner.read(&mut part[..asked])?;
            (read, left) = (read + got, left - got);
        }
        Ok(read)
    }
}

impl<R: Seek> Seek for Faulty<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.faults.call(0)?;
        self.inner.seek(to)
    }
}
