//! No print of a segment is left in memory that was given back. Alone in its process: the allocator is the process's.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    io::Cursor,
    ptr,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use aes_gcm::{
    Aes256Gcm, KeyInit,
    aead::{Aead, Payload},
};
use common::{
    bytes,
    payload::{IV, SEGMENT, key_bytes},
};
use sealmark::{Job, gcm};

const SEGMENTS: usize = 10;

/// What was in blocks of memory when they were given back; of larger ones their start.
struct Graveyard;

const LOTS: usize = 4096;
const LOT: usize = 1024;
static mut BURIED: [[u8; LOT]; LOTS] = [[0; LOT]; LOTS];
static LOTS_TAKEN: AtomicUsize = AtomicUsize::new(0);
static OPEN: AtomicBool = AtomicBool::new(false);

#[global_allocator]
static ALLOCATOR: Graveyard = Graveyard;

#[allow(unsafe_code, reason = "an allocator is; a block that grows moves, as the default has it")]
// SAFETY: memory is the system's; it is read before it is given back, each lot is written by one thread, once.
unsafe impl GlobalAlloc for Graveyard {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
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

#[test]
fn no_print_is_left_in_memory_that_was_given_back() {
    let raw = key_bytes(32);
    let (key, plaintext) = (gcm::Key::new(&raw).unwrap(), bytes(SEGMENTS * SEGMENT));
    let (mut sealed, mut opened) =
        (Vec::with_capacity(plaintext.len() + 28), Vec::with_capacity(plaintext.len()));
    let buried = buried_by(|| {
        gcm::seal_stream(&plaintext[..], &mut sealed, &key, &Job::default()).unwrap();
    });
    assert_none(&prints(&raw, &sealed), buried, "sealing");
    let buried = buried_by(|| {
        gcm::open_seekable(Cursor::new(&sealed), &mut opened, &key, &Job::default()).unwrap();
    });
    assert_none(&prints(&raw, &sealed), buried, "opening");
    let prints = prints(&raw, &sealed);
    let grown = buried_by(|| {
        prints
            .iter()
            .fold(Vec::new(), |mut all, print| {
                all.extend_from_slice(print);
                all
            })
            .clear()
    });
    assert!(prints.iter().any(|print| is_in(print, grown)), "nothing would have been found");
}

#[allow(unsafe_code, reason = "what the allocator buried")]
fn buried_by(work: impl FnOnce()) -> &'static [[u8; LOT]] {
    let before = LOTS_TAKEN.load(Ordering::SeqCst);
    OPEN.store(true, Ordering::SeqCst);
    work();
    OPEN.store(false, Ordering::SeqCst);
    let after = LOTS_TAKEN.load(Ordering::SeqCst);
    assert!(after > before, "nothing was given back");
    // SAFETY: lots that were taken are not written again.
    unsafe { std::slice::from_raw_parts((&raw const BURIED[before]).cast(), after - before) }
}

/// The tag of a message without text whose associated data is the segment, from an independent implementation.
fn prints(key: &[u8], sealed: &[u8]) -> Vec<Vec<u8>> {
    let cipher = Aes256Gcm::new_from_slice(key).unwrap();
    let nonce = sealed[..IV].try_into().unwrap();
    let segments = sealed[IV..sealed.len() - 16].chunks(SEGMENT);
    segments.map(|aad| cipher.encrypt(&nonce, Payload { msg: &[], aad }).unwrap()).collect()
}

fn assert_none(prints: &[Vec<u8>], buried: &[[u8; LOT]], during: &str) {
    assert_eq!(prints.len(), SEGMENTS);
    for (segment, print) in prints.iter().enumerate() {
        assert!(!is_in(print, buried), "{during}: the print of segment {segment} was left");
    }
}

fn is_in(print: &[u8], buried: &[[u8; LOT]]) -> bool {
    buried.iter().any(|lot| lot.windows(print.len()).any(|bytes| bytes == print))
}
