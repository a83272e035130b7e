//! Returns unused memory to the system.

/// Has large buffers given back as soon as they are free. By itself glibc learns from the first of them that is freed to keep
/// such memory for the next, in a heap for each thread: of lines of 30 MiB, half as much again as is in use.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "mallopt(3) has no safe name")]
pub fn give_back_at_once() {
    const LARGE: libc::c_int = 8 << 20;
    // SAFETY: sets a number; there are no other threads yet.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}

/// Other allocators do so, or cannot be told.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back_at_once() {}
