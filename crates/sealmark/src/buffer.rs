//! Memory for a run of chunks.

use std::ops::{Deref, DerefMut};

#[cfg(target_os = "linux")]
use memmap2::MmapMut;
use zeroize::Zeroize;

/// Zeroed bytes on the heap, or in a huge page of their own.
pub(crate) enum Buffer {
    Heap(Vec<u8>),
    #[cfg(target_os = "linux")]
    Mapped(MmapMut),
}

#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// A job of fewer bytes is done before the clearing of a huge page has paid.
const LONG_JOB: u64 = 64 << 20;

impl Buffer {
    pub fn new(bytes: usize) -> Self {
        Self::Heap(vec![0; bytes])
    }

    /// For a job of so many bytes. Spread over small pages, a buffer falls onto the same cache lines again and again
    /// in some processes and not in others, and sealing takes a tenth longer in those.
    pub fn for_job(job: u64, bytes: usize) -> Self {
        match job < LONG_JOB {
            true => Self::new(bytes),
            false => Self::mapped(bytes).unwrap_or_else(|| Self::new(bytes)),
        }
    }

    #[cfg(target_os = "linux")]
    fn mapped(bytes: usize) -> Option<Self> {
        let map = MmapMut::map_anon(bytes.next_multiple_of(HUGE_PAGE)).ok()?;
        map.advise(memmap2::Advice::HugePage).ok()?;
        Some(Self::Mapped(map))
    }

    #[cfg(not(target_os = "linux"))]
    fn mapped(_: usize) -> Option<Self> {
        None
    }
}

/// A buffer that leaves nothing of what was in it.
pub(crate) struct Wiped(Buffer);

impl Wiped {
    pub fn new(bytes: usize) -> Self {
        Self(Buffer::new(bytes))
    }

    /// As [`Buffer::for_job`]: may be larger than asked for.
    pub fn for_job(job: u64, bytes: usize) -> Self {
        Self(Buffer::for_job(job, bytes))
    }
}

impl Drop for Wiped {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Deref for Wiped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for Wiped {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Heap(bytes) => bytes,
            #[cfg(target_os = "linux")]
            Self::Mapped(bytes) => bytes,
        }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Heap(bytes) => bytes,
            #[cfg(target_os = "linux")]
            Self::Mapped(bytes) => bytes,
        }
    }
}
