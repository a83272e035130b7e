//! The functions that a JVM from Java 24 on calls without JNI: its arrays are used where they lie, and its garbage collector waits
//! meanwhile, so this takes no longer than a microsecond or two. `Linked` in Java declares the same.

use crate::buffer::{Buffer, Failure};
use crate::call::guarded;
use crate::session;
use jni_sys::{jint, jlong};
use std::slice::from_raw_parts_mut;

/// Seals `count` characters at `chars` into `token_room` bytes at `token`; the token's length, or a negative number. The
/// characters are zero afterwards. The buffer holds the label, with space for their UTF-8 after it.
///
/// # Safety
/// Called by the JVM only, with no session or one that is not freed meanwhile, the address of so many bytes that are the
/// calling thread's, and two arrays of its own that are at least as long as it says.
#[allow(unsafe_code, reason = "the JVM passes addresses")]
pub unsafe extern "C" fn seal_chars(
    session: jlong,
    buffer: jlong,
    capacity: jint,
    label: jint,
    chars: *mut u8,
    count: jint,
    token: *mut u8,
    token_room: jint,
) -> jint {
    let (Ok(count), Ok(token_room)) = (usize::try_from(count), usize::try_from(token_room)) else {
        return Failure::Layout.code();
    };
    if session == 0 || chars.is_null() || token.is_null() {
        return Failure::Layout.code();
    }
    // SAFETY: the caller keeps the session alive and the memory to itself; a byte may lie anywhere.
    let (session, buffer, chars, token) = unsafe {
        (
            session::of_handle(session),
            Buffer::at(buffer, capacity),
            from_raw_parts_mut(chars, 2 * count),
            from_raw_parts_mut(token, token_room),
        )
    };
    guarded(|| buffer.seal_utf16(session, label, chars, token))
        .unwrap_or(Err(Failure::Inside))
        .unwrap_or_else(Failure::code)
}
