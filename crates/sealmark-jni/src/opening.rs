//! Logs that the JVM opens block by block: `sealmark.log.reader.NativeOpening` declares the functions. It frees an opener
//! when no thread is in one of its calls.

use crate::call::{array_of, copy_region, exported, guarded, secret_bytes_of};
use jni_sys::{jboolean, jbyteArray, jint, jlong};
use sealmark::Identity;
use sealmark::record::{Context, LogKeys, LogOpener, PreSharedKey, TokenOpener};
use std::cell::Cell;
use std::hint::black_box;
use std::ptr::null_mut;
use std::str::from_utf8;
use std::sync::{PoisonError, RwLock};

/// Key strings of pre-shared keys begin so.
const PRE_SHARED: &str = "SEALMARK-SECRET-KEY-PSK-";

exported! {
    /// `NativeOpening.begin(keys)`: 0 if a key is none.
    ///
    /// # Safety
    /// Called by the JVM only, with the environment of the calling thread and a byte array.
    fn Java_sealmark_log_reader_NativeOpening_begin(env, keys: jbyteArray) -> jlong {
        // SAFETY: environment and array are the caller's.
        let keys = unsafe { secret_bytes_of(env, keys) };
        let opener = guarded(|| Some(LogOpener::new(keys_of(&keys)?))).flatten();
        opener.map_or(0, |opener| Box::into_raw(Box::new(RwLock::new(opener))) as jlong)
    }
}

/// Secret keys and pre-shared keys, one a line.
fn keys_of(text: &[u8]) -> Option<LogKeys> {
    let (mut identities, mut pre_shared) = (Vec::new(), Vec::new());
    for line in from_utf8(text).ok()?.lines() {
        if line.starts_with(PRE_SHARED) {
            pre_shared.push(line.parse::<PreSharedKey>().ok()?);
        } else {
            identities.push(line.parse::<Identity>().ok()?);
        }
    }
    Some(LogKeys::identities(identities).and_pre_shared(pre_shared))
}

/// # Safety
/// `handle` is one of `begin` and not freed while the reference is used.
#[allow(unsafe_code, reason = "the JVM keeps an opener by its address")]
unsafe fn of_handle<'a>(handle: jlong) -> &'a RwLock<LogOpener> {
    // SAFETY: the caller has a handle of an opener that is not freed meanwhile.
    unsafe { &*(handle as *const RwLock<LogOpener>) }
}

exported! {
    /// `NativeOpening.learn(opener, text, from, length)`
    ///
    /// # Safety
    /// Called by the JVM only, with the environment of the calling thread, an opener that is not freed meanwhile, and a byte
    /// array that has `length` bytes at `from`.
    fn Java_sealmark_log_reader_NativeOpening_learn(env, opener: jlong, text: jbyteArray, from: jint, length: jint) {
        let mut lines = Vec::new();
        // SAFETY: opener and array are the caller's.
        let opener = unsafe {
            copy_region(env, text, from, length, &mut lines);
            of_handle(opener)
        };
        guarded(|| opener.write().unwrap_or_else(PoisonError::into_inner).learn(&lines));
    }
}

exported! {
    /// `NativeOpening.open(opener, text, from, length, raw)`: the counts of tokens that stayed closed, each as eight bytes
    /// (orphans, no key, tampered, not text, cut off), that of tokens that were opened, and the opened lines; null if that failed.
    ///
    /// # Safety
    /// The rules are those of [`Java_sealmark_log_reader_NativeOpening_learn`].
    fn Java_sealmark_log_reader_NativeOpening_open(
        env,
        opener: jlong,
        text: jbyteArray,
        from: jint,
        length: jint,
        raw: jboolean,
    ) -> jbyteArray {
        // A panic may have left the buffers of this thread unusable, and new ones do as well.
        let mut buffers = BUFFERS.take();
        // SAFETY: opener and array are the caller's.
        let opener = unsafe {
            copy_region(env, text, from, length, &mut buffers.text);
            of_handle(opener)
        };
        let opened = guarded(|| open(opener, &mut buffers, raw));
        // SAFETY: the environment is the calling thread's.
        let array = opened.map_or(null_mut(), |()| unsafe { array_of(env, &buffers.opened) });
        buffers.give_back();
        array
    }
}

const COUNTS: usize = 6;

/// Memory that a thread keeps: allocating it for each block, and wiping it byte by byte, would take as long as opening.
#[derive(Default)]
struct Buffers {
    text: Vec<u8>,
    opened: Vec<u8>,
}

thread_local! {
    static BUFFERS: Cell<Buffers> = Cell::default();
}

impl Buffers {
    fn give_back(mut self) {
        const KEPT: usize = 4 << 20;
        self.opened.fill(0);
        // Somebody may look: the compiler must not leave the wiping out.
        black_box(&self.opened[..]);
        self.opened.clear();
        if self.text.capacity().max(self.opened.capacity()) <= KEPT {
            BUFFERS.set(self);
        }
    }
}

fn open(opener: &RwLock<LogOpener>, buffers: &mut Buffers, raw: bool) {
    let sessions = opener.read().unwrap_or_else(PoisonError::into_inner).sessions();
    let mut pass = TokenOpener::new(if raw { Context::Raw } else { Context::Detect });
    let Buffers { text, opened } = buffers;
    // Growing would leave copies of values behind; opened lines are seldom longer than sealed ones.
    opened.reserve(COUNTS * size_of::<u64>() + text.len());
    opened.resize(COUNTS * size_of::<u64>(), 0);
    pass.open(&sessions, text, opened);
    let report = pass.into_report();
    let counts: [u64; COUNTS] =
        [report.orphans, report.no_key, report.tampered, report.not_text, report.cut_off, report.opened];
    for (place, count) in opened.chunks_exact_mut(size_of::<u64>()).zip(counts) {
        place.copy_from_slice(&count.to_be_bytes());
    }
}

exported! {
    /// `NativeOpening.free(opener)`: wipes its keys, too.
    ///
    /// # Safety
    /// Called by the JVM only, with an opener that is freed once and that nobody uses now or later.
    fn Java_sealmark_log_reader_NativeOpening_free(_env, opener: jlong) {
        // SAFETY: the JVM frees each opener once, and uses it no more.
        let opener = unsafe { Box::from_raw(opener as *mut RwLock<LogOpener>) };
        guarded(|| drop(opener));
    }
}
