//! Memory for a run of chunks.

use std::ops::{Deref, DerefMut};
use zeroize::{Zeroize, Zeroizing};

/// Zeroed bytes on the heap, or in a huge page of their own.
pub(crate) struct Buffer(Box<dyn DerefMut<Target = [u8]> + Send + Sync>);

/// A buffer that leaves nothing of what was in it.
pub(crate) type Wiped = Zeroizing<Buffer>;

#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// A job of fewer bytes is done before the clearing of a huge page has paid.
const LONG_JOB: u64 = 64 << 20;

/// Below this, the page faults of a buffer take no longer than a system call that maps it.
const MAPPED: usize = 256 << 10;

impl Buffer {
    pub fn new(bytes: usize) -> Self {
        Self(Box::new(vec![0; bytes]))
    }

    /// For a job of so many bytes; may be larger than asked for. Spread over small pages, a buffer falls onto the same
    /// cache lines again and again in some processes and not in others, and sealing takes a tenth longer in those.
    pub fn for_job(job: u64, bytes: usize) -> Self {
        let mapped = match (job, bytes) {
            (LONG_JOB.., _) => Self::in_huge_pages(bytes),
            (_, MAPPED..) => Self::populated(bytes),
            _ => None,
        };
        mapped.unwrap_or_else(|| Self::new(bytes))
    }

    #[cfg(target_os = "linux")]
    fn in_huge_pages(bytes: usize) -> Option<Self> {
        let map = memmap2::MmapMut::map_anon(bytes.next_multiple_of(HUGE_PAGE)).ok()?;
        map.advise(memmap2::Advice::HugePage).ok()?;
        Some(Self(Box::new(map)))
    }

    /// One system call gives all pages. A file of a mebibyte would otherwise wait longer for page faults than for AES.
    #[cfg(target_os = "linux")]
    fn populated(bytes: usize) -> Option<Self> {
        let map = memmap2::MmapOptions::new().len(bytes).populate().map_anon().ok()?;
        Some(Self(Box::new(map)))
    }

    #[cfg(not(target_os = "linux"))]
    fn in_huge_pages(_: usize) -> Option<Self> {
        None
    }

    #[cfg(not(target_os = "linux"))]
    fn populated(_: usize) -> Option<Self> {
        None
    }
}

impl Buffer {
    /// Wipes the first `bytes`. `zeroize` stores byte after byte, which takes as long as decrypting; this is as fast as
    /// memory, and the barrier keeps the compiler from leaving it out.
    pub fn wipe(&mut self, bytes: usize) {
        self[..bytes].fill(0);
        zeroize::optimization_barrier(&self[..bytes]);
    }
}

impl Zeroize for Buffer {
    fn zeroize(&mut self) {
        self.wipe(self.len());
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}
