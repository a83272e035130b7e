//! Records the largest allocation ever requested: no input may make the library request much (libFuzzer has `-malloc_limit_mb`
//! for the same).

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static LARGEST: AtomicUsize = AtomicUsize::new(0);

/// The size of the largest allocation so far, in any thread.
pub fn largest_allocation() -> usize {
    LARGEST.load(Ordering::Relaxed)
}

struct Noting;

#[global_allocator]
static ALLOCATOR: Noting = Noting;

// SAFETY: every request goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Noting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps GlobalAlloc's contract, which is also System's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps to the contract of `GlobalAlloc`, and the pointer came from System.
        unsafe { System.dealloc(pointer, layout) }
    }
}
