//! An allocator that counts requests, and keeps the content of memory when it is freed. A test that installs it is
//! alone in its process, because a process has one allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Keeps the content of freed blocks, and of larger blocks the first `LOT` bytes.
pub struct Graveyard;

const LOTS: usize = 4096;
const LOT: usize = 1024;
static mut BURIED: [[u8; LOT]; LOTS] = [[0; LOT]; LOTS];
static LOTS_TAKEN: AtomicUsize = AtomicUsize::new(0);
static OPEN: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Counts for this thread alone, because the thread that runs the tests goes on meanwhile.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

#[allow(unsafe_code, reason = "an allocator is; a block that grows moves, as the default has it")]
// SAFETY: memory comes from the system's allocator; it is read before it is freed, and one thread writes each lot once.
unsafe impl GlobalAlloc for Graveyard {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if OPEN.load(Ordering::SeqCst) {
            let lot = LOTS_TAKEN.fetch_add(1, Ordering::SeqCst);
            assert!(lot < LOTS, "no room for what is given back");
            unsafe {
                ptr::copy_nonoverlapping(block, (&raw mut BURIED[lot]).cast(), layout.size().min(LOT));
            }
        }
        unsafe { System.dealloc(block, layout) }
    }
}

/// The content of the blocks that `work` freed.
#[allow(unsafe_code, reason = "what the allocator buried")]
pub fn buried_by(work: impl FnOnce()) -> &'static [[u8; LOT]] {
    let before = LOTS_TAKEN.load(Ordering::SeqCst);
    OPEN.store(true, Ordering::SeqCst);
    work();
    OPEN.store(false, Ordering::SeqCst);
    let after = LOTS_TAKEN.load(Ordering::SeqCst);
    assert!(after > before, "nothing was given back");
    // SAFETY: lots that are taken are not written again.
    unsafe { std::slice::from_raw_parts((&raw const BURIED[before]).cast(), after - before) }
}

/// The number of blocks that `work` requested in this thread.
pub fn asked_by(work: impl FnOnce()) -> usize {
    let before = ASKED.get();
    work();
    ASKED.get() - before
}

pub fn is_in(bytes: &[u8], buried: &[[u8; LOT]]) -> bool {
    buried.iter().any(|lot| lot.windows(bytes.len()).any(|found| found == bytes))
}
