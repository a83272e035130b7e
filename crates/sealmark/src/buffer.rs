//! Memory for a run of chunks.

use std::ops::{Deref, DerefMut};
use zeroize::{Zeroize, Zeroizing};

/// Zeroed bytes on the heap, or at the start of a mapping of their own, which asks for huge pages.
pub(crate) struct Buffer {
    memory: Box<dyn DerefMut<Target = [u8]> + Send + Sync>,
    bytes: usize,
}

/// A buffer that leaves nothing of what was in it.
pub(crate) type Wiped = Zeroizing<Buffer>;

#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// From here on, clearing a huge page takes less time than clearing small pages, each of which the kernel looks for on its own.
const HUGE_FROM: usize = 512 << 10;

impl Buffer {
    pub fn new(bytes: usize) -> Self {
        Self { memory: Box::new(vec![0; bytes]), bytes }
    }

    /// Makes a buffer that a job fills, in huge pages if the kernel aligns it. Spread over small pages, it falls onto the same
    /// cache lines again and again in some processes and not in others, and sealing takes a tenth longer in those.
    pub fn for_job(bytes: usize) -> Self {
        let mapped = if bytes < HUGE_FROM { None } else { Self::mapped(bytes) };
        mapped.unwrap_or_else(|| Self::new(bytes))
    }

    #[cfg(target_os = "linux")]
    fn mapped(bytes: usize) -> Option<Self> {
        let map = memmap2::MmapMut::map_anon(bytes.next_multiple_of(HUGE_PAGE)).ok()?;
        // A kernel that was built without huge pages refuses this; the next call serves it as well.
        let _huge = map.advise(memmap2::Advice::HugePage);
        // Where there are no huge pages, one system call gives all small ones. It fails before Linux 5.14, and faults give them.
        let _populated = map.advise_range(memmap2::Advice::PopulateWrite, 0, bytes);
        Some(Self { memory: Box::new(map), bytes })
    }

    #[cfg(not(target_os = "linux"))]
    fn mapped(_: usize) -> Option<Self> {
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
        &self.memory[..self.bytes]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[..self.bytes]
    }
}
