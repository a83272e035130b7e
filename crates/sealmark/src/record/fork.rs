//! Detects that this process was forked since a log session began.
//!
//! A forked child has the parent's key and counter: what both sealed would share nonces. So a word of memory becomes
//! zero in the child, and every value looks at it: one load, no system call.

use once_cell::race::OnceRef;
use std::sync::atomic::{AtomicU64, Ordering};

/// The process, by a number that no ancestor of it had.
#[derive(Debug, Clone, Copy)]
pub(super) struct Birth {
    word: &'static AtomicU64,
    generation: u64,
}

impl Birth {
    /// The mark of the calling process.
    pub fn here() -> Self {
        let word = word();
        Self { word, generation: generation(word) }
    }

    /// True if the process was not forked since [`Birth::here`].
    pub fn is_here(&self) -> bool {
        self.word.load(Ordering::Relaxed) == self.generation
    }

    pub fn generation(&self) -> u64 {
        self.generation
    }
}

/// The last number given; children inherit it, so theirs are higher.
static LAST: AtomicU64 = AtomicU64::new(0);

fn generation(word: &AtomicU64) -> u64 {
    match word.load(Ordering::Acquire) {
        0 => {
            let new = LAST.fetch_add(1, Ordering::Relaxed) + 1;
            word.compare_exchange(0, new, Ordering::AcqRel, Ordering::Acquire)
                .map_or_else(|found| found, |_| new)
        }
        found => found,
    }
}

/// The word that a fork sets to zero. Not in a `OnceLock`: a fork while it is filled would leave the child waiting.
fn word() -> &'static AtomicU64 {
    static WORD: OnceRef<'static, AtomicU64> = OnceRef::new();
    WORD.get_or_init(new_word)
}

/// A page that the kernel wipes in a child, however it was forked; it is never given back.
#[cfg(target_os = "linux")]
fn new_word() -> &'static AtomicU64 {
    const LENGTH: usize = size_of::<AtomicU64>();
    let Ok(page) = memmap2::MmapMut::map_anon(LENGTH) else { return hooked_word() };
    let start = Box::leak(Box::new(page)).as_mut_ptr();
    #[allow(
        unsafe_code,
        reason = "only the bare call knows this advice; atomics in mapped memory are from pointers"
    )]
    // SAFETY: a private page that starts here, aligned, zeroed and leaked; nothing but this word is in it.
    unsafe {
        match libc::madvise(start.cast(), LENGTH, libc::MADV_WIPEONFORK) {
            0 => AtomicU64::from_ptr(start.cast()),
            // Before Linux 4.14.
            _ => hooked_word(),
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn new_word() -> &'static AtomicU64 {
    hooked_word()
}

/// A word that a hook of the C library's `fork` sets to zero; a child by a bare system call is not seen.
fn hooked_word() -> &'static AtomicU64 {
    static HOOKED: AtomicU64 = AtomicU64::new(0);
    extern "C" fn wipe() {
        HOOKED.store(0, Ordering::Relaxed);
    }
    #[allow(unsafe_code, reason = "fork hooks are the C library's")]
    // SAFETY: the hook lives as long as the program and stores to an atomic, which is safe in any state of a child.
    let registered = unsafe { libc::pthread_atfork(None, None, Some(wipe)) };
    assert_eq!(registered, 0, "no memory for a fork hook");
    &HOOKED
}

#[cfg(test)]
#[allow(unsafe_code, clippy::unwrap_used, reason = "tests fork")]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_not_here_and_has_a_higher_number() {
        for word in [word(), hooked_word()] {
            let birth = Birth { word, generation: generation(word) };
            assert!(birth.is_here());
            let exit = in_child(|| {
                let seen = !birth.is_here();
                let child = Birth { word, generation: generation(word) };
                seen && child.is_here() && child.generation > birth.generation
            });
            assert!(exit && birth.is_here());
        }
    }

    /// True if `check` holds in a forked child.
    fn in_child(check: impl FnOnce() -> bool) -> bool {
        // SAFETY: the child calls nothing that allocates or locks, and leaves without cleaning up.
        unsafe {
            match libc::fork() {
                0 => libc::_exit(i32::from(!check())),
                child => {
                    let mut status = 0;
                    assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
                    libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
                }
            }
        }
    }
}
