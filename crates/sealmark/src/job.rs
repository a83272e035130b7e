//! How a whole-file operation is run, and the one loop that spreads its pieces over threads.

use crate::error::{Error, Result};
use crate::output::Existing;
use crate::sign::signed::Signed;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{fmt, thread};

/// Pieces in a row, at most: at either end a write may straddle, so the ends are few; but the thread with the last row
/// works alone, so they are not too few.
const MAX_ROW: u64 = 4;

/// More threads than this only queue for the page cache.
const MAX_THREADS: usize = 16;

/// Settings of an operation on a whole file. The default uses all cores, refuses existing outputs and reports no progress.
///
/// ```
/// use sealmark::{Existing, Job, Progress};
/// use std::num::NonZeroUsize;
///
/// let report = |progress: Progress| eprintln!("{} of {:?} bytes", progress.done, progress.total);
/// let job = Job::default().threads(NonZeroUsize::new(2)).existing(Existing::Replace).progress(&report);
/// # let _ = job;
/// ```
#[derive(Clone, Copy, Default)]
#[must_use]
pub struct Job<'a> {
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) existing: Existing,
    pub(crate) progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

impl<'a> Job<'a> {
    /// At most this many threads; `None`: one per core, at most sixteen. A stream uses one more, which mostly waits for its
    /// input or its output, unless this is 1.
    pub fn threads(self, most: impl Into<Option<NonZeroUsize>>) -> Self {
        Self { threads: most.into(), ..self }
    }

    /// The treatment of an existing output.
    pub fn existing(self, existing: Existing) -> Self {
        Self { existing, ..self }
    }

    /// Calls `report` from any thread while it works, at least a few hundred times per gibibyte.
    pub fn progress(self, report: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self { progress: Some(report), ..self }
    }
}

/// Progress of a job, in bytes of its input.
///
/// [`Job`] has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes done.
    pub done: u64,
    /// Bytes in all, if known.
    pub total: Option<u64>,
}

/// The bytes that a job has read and written. A verification counts the plaintext as written. Armor counts as the bytes
/// inside it.
///
/// [`Input`](crate::Input) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Bytes read.
    pub input: u64,
    /// Bytes written.
    pub output: u64,
    /// The signature of a sealed file that was opened.
    pub signed: Signed,
}

impl Summary {
    pub(crate) fn new(input: u64, output: u64) -> Self {
        Self { input, output, signed: Signed::No }
    }
}

impl fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("threads", &self.threads)
            .field("existing", &self.existing)
            .field("progress", &self.progress.map(|_| "called"))
            .finish()
    }
}

impl Job<'_> {
    /// Threads for `pieces` of work. One piece asks nobody how many cores there are.
    pub(crate) fn threads_for(&self, pieces: u64) -> usize {
        if pieces <= 1 {
            return 1;
        }
        let wanted =
            self.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        wanted.min(MAX_THREADS).min(usize::try_from(pieces).unwrap_or(MAX_THREADS))
    }

    /// The same job, having asked how many cores there are: that takes a dozen system calls.
    pub(crate) fn with_threads_for(&self, pieces: u64) -> Self {
        Self { threads: NonZeroUsize::new(self.threads_for(pieces)), ..*self }
    }

    /// How many of `pieces` one thread takes in a row; enough rows that no thread waits long for the last.
    pub(crate) fn pieces_in_a_row(&self, pieces: u64) -> u64 {
        (pieces / (self.threads_for(pieces) as u64 * 4)).clamp(1, MAX_ROW)
    }

    pub(crate) fn report(&self, done: u64, total: Option<u64>) {
        if let Some(progress) = self.progress {
            progress(Progress { done, total });
        }
    }

    /// Does `work` on each of `pieces`, in any order, each thread with a buffer of its own.
    ///
    /// `work` returns the input bytes it has done. The first error stops everything and is returned.
    pub(crate) fn in_parallel<B>(
        &self,
        pieces: u64,
        total: u64,
        buffer: impl Fn() -> B + Sync,
        work: impl Fn(u64, &mut B) -> Result<u64> + Sync,
    ) -> Result<()> {
        let (next, done, stop) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
        let failure: Mutex<Option<Error>> = Mutex::new(None);
        let worker = || {
            let mut buffer = buffer();
            while !stop.load(Ordering::Relaxed) {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                if piece >= pieces {
                    return;
                }
                match work(piece, &mut buffer) {
                    Ok(bytes) => {
                        self.report(done.fetch_add(bytes, Ordering::Relaxed) + bytes, Some(total));
                    }
                    Err(error) => {
                        stop.store(true, Ordering::Relaxed);
                        failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    }
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.threads_for(pieces) {
                // A thread that the system refuses to start is one less; this one goes on.
                let _started = thread::Builder::new().spawn_scoped(scope, worker);
            }
            worker();
        });
        failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}
