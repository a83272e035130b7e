//! Logs that the JVM opens block by block: `sealmark.log.reader.NativeOpening` declares the functions. It frees an opener
//! when no thread is in one of its calls.

use crate::call::{array_of, copy_region, exported, guarded, secret_bytes_of};
use jni_sys::{jboolean, jbyteArray, jint, jlong, jobject};
use sealmark::Identity;
use sealmark::record::{Context, LogKeys, LogOpener, PreSharedKey, Report, Sessions, TokenOpener};
use std::cell::Cell;
use std::hint::black_box;
use std::ptr::null_mut;
use std::slice::from_raw_parts_mut;
use std::str::from_utf8;
use std::sync::{Mutex, PoisonError, RwLock};

/// Key strings of pre-shared keys begin so.
const PRE_SHARED: &str = "SEALMARK-SECRET-KEY-PSK-";

/// A log that is opened.
struct Opening {
    log: RwLock<LogOpener>,
    /// One opens lines and one opens lone tokens. They are kept, because beginning a report for each line takes as long as
    /// opening a token. Each holds the key of its last session and its last value until the next token or `free`.
    lines: [Mutex<TokenOpener>; 2],
}

/// A report of lines remembers counters and sessions. With so many tokens or sessions, it is begun anew.
const MOST_TOKENS: u64 = 1 << 12;
const MOST_SESSIONS: usize = 1 << 6;

impl Opening {
    fn new(log: LogOpener) -> Self {
        let pass = |raw| Mutex::new(TokenOpener::new(context_of(raw)));
        Self { log: RwLock::new(log), lines: [pass(false), pass(true)] }
    }
}

fn context_of(raw: jboolean) -> Context {
    if raw { Context::Raw } else { Context::Detect }
}

exported! {
    /// `NativeOpening.begin(keys)`: 0 if a key is none.
    ///
    /// # Safety
    /// Called by the JVM only, with the environment of the calling thread and a byte array.
    fn Java_sealmark_log_reader_NativeOpening_begin(env, keys: jbyteArray) -> jlong {
        // SAFETY: environment and array are the caller's.
        let keys = unsafe { secret_bytes_of(env, keys) };
        let opener = guarded(|| Some(LogOpener::new(keys_of(&keys)?))).flatten();
        opener.map_or(0, |opener| Box::into_raw(Box::new(Opening::new(opener))) as jlong)
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
unsafe fn of_handle<'a>(handle: jlong) -> &'a Opening {
    // SAFETY: the caller has a handle of an opener that is not freed meanwhile.
    unsafe { &*(handle as *const Opening) }
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
        guarded(|| opener.log.write().unwrap_or_else(PoisonError::into_inner).learn(&lines));
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

exported! {
    /// `NativeOpening.address(memory)`: 0 if this JVM tells no address.
    ///
    /// # Safety
    /// Called by the JVM only, with the environment of the calling thread and a direct buffer.
    fn Java_sealmark_log_reader_NativeOpening_address(env, memory: jobject) -> jlong {
        // SAFETY: environment and buffer are the caller's.
        unsafe { ((**env).v1_4.GetDirectBufferAddress)(env, memory) as jlong }
    }
}

exported! {
    /// `NativeOpening.openLine(opener, memory, capacity, length, raw)` opens the line that the memory begins with. Returns the
    /// number of bytes that were written after the line, which are those of [`Java_sealmark_log_reader_NativeOpening_open`],
    /// or -1 if the memory has no address or does not suffice, or if opening failed.
    ///
    /// # Safety
    /// Called by the JVM only, with an opener that is not freed meanwhile, and with 0 or the address of `capacity` bytes that
    /// no other thread uses meanwhile.
    fn Java_sealmark_log_reader_NativeOpening_openLine(
        _env,
        opener: jlong,
        memory: jlong,
        capacity: jint,
        length: jint,
        raw: jboolean,
    ) -> jint {
        let (Ok(capacity), Ok(length)) = (usize::try_from(capacity), usize::try_from(length)) else { return -1 };
        if memory == 0 {
            return -1;
        }
        // SAFETY: opener and memory are the caller's.
        let (opener, memory) = unsafe { (of_handle(opener), from_raw_parts_mut(memory as *mut u8, capacity)) };
        let mut buffers = BUFFERS.take();
        let opened = guarded(|| open_line(opener, memory, length, &mut buffers.opened, raw)).flatten();
        buffers.give_back();
        opened.and_then(|length| jint::try_from(length).ok()).unwrap_or(-1)
    }
}

fn open_line(
    opener: &Opening,
    memory: &mut [u8],
    length: usize,
    opened: &mut Vec<u8>,
    raw: jboolean,
) -> Option<usize> {
    let (line, out) = memory.split_at_mut_checked(length)?;
    let sessions = opener.log.read().unwrap_or_else(PoisonError::into_inner).sessions();
    let mut pass = opener.lines[usize::from(raw)].lock().unwrap_or_else(PoisonError::into_inner);
    if pass.report().opened >= MOST_TOKENS || pass.report().sessions.len() >= MOST_SESSIONS {
        *pass = TokenOpener::new(context_of(raw));
    }
    counted(&mut pass, &sessions, line, opened);
    out.get_mut(..opened.len())?.copy_from_slice(opened);
    Some(opened.len())
}

fn open(opener: &Opening, buffers: &mut Buffers, raw: jboolean) {
    let sessions = opener.log.read().unwrap_or_else(PoisonError::into_inner).sessions();
    let mut pass = TokenOpener::new(context_of(raw));
    counted(&mut pass, &sessions, &buffers.text, &mut buffers.opened);
}

/// Opens text behind the counts of its tokens.
fn counted(pass: &mut TokenOpener, sessions: &Sessions, text: &[u8], opened: &mut Vec<u8>) {
    let before = counts_of(pass.report());
    // Growing would leave copies of values behind; opened lines are seldom longer than sealed ones.
    opened.reserve(COUNTS * size_of::<u64>() + text.len());
    opened.resize(COUNTS * size_of::<u64>(), 0);
    pass.open(sessions, text, opened);
    let counts = counts_of(pass.report());
    for ((place, count), before) in opened.chunks_exact_mut(size_of::<u64>()).zip(counts).zip(before) {
        place.copy_from_slice(&(count - before).to_be_bytes());
    }
}

fn counts_of(report: &Report) -> [u64; COUNTS] {
    [report.orphans, report.no_key, report.tampered, report.not_text, report.cut_off, report.opened]
}

exported! {
    /// `NativeOpening.free(opener)`: wipes its keys, too.
    ///
    /// # Safety
    /// Called by the JVM only, with an opener that is freed once and that nobody uses now or later.
    fn Java_sealmark_log_reader_NativeOpening_free(_env, opener: jlong) {
        // SAFETY: the JVM frees each opener once, and uses it no more.
        let opener = unsafe { Box::from_raw(opener as *mut Opening) };
        guarded(|| drop(opener));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(unsafe_code, reason = "the function is the JVM's")]
    fn memory_without_an_address_or_with_a_negative_size_is_refused() {
        let opener = Opening::new(LogOpener::new(LogKeys::identities(Vec::new())));
        let handle = &raw const opener as jlong;
        let mut memory = [b' '; 80];
        memory[..6].copy_from_slice(b"a line");
        let address = memory.as_mut_ptr() as jlong;
        // SAFETY: the opener lives as long as the test, and the memory is its own.
        let open = |memory, capacity, length| unsafe {
            use Java_sealmark_log_reader_NativeOpening_openLine as open_line;
            open_line(null_mut(), null_mut(), handle, memory, capacity, length, false)
        };
        let refused = [(0, 80, 6), (address, -1, 6), (address, 80, -1), (address, 5, 6), (address, 50, 6)];
        assert_eq!(refused.map(|(memory, capacity, length)| open(memory, capacity, length)), [-1; 5]);
        assert_eq!(open(address, 80, 6), 48 + 6);
        assert_eq!(&memory[54..60], b"a line");
    }
}
