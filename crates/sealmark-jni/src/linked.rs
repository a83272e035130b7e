//! What a JVM from Java 24 on calls without JNI: its arrays are used where they lie, and its garbage collector waits
//! meanwhile, so nothing here takes longer than a few microseconds. `Linked` in Java declares the same.

use std::slice::{from_raw_parts, from_raw_parts_mut};

use jni_sys::{jint, jlong};

use crate::{
    call::guarded,
    room::{Failure, Room},
    session,
};

/// Which function a JVM asks for.
const CHARS: jint = 0;
const BYTES: jint = 1;

/// Where a function begins; 0 where there is none of that number.
pub fn entry(number: jint) -> jlong {
    match number {
        CHARS => seal_chars as *const () as jlong,
        BYTES => seal_bytes as *const () as jlong,
        _ => 0,
    }
}

/// Seals `count` characters at `chars` into `token_room` bytes at `token`; the token's length, or a negative number. The
/// characters are zero afterwards. The room has the label, and room for their UTF-8 behind it.
///
/// # Safety
/// Called by the JVM only, with no session or one that is not freed meanwhile, the address of so many bytes that are the
/// calling thread's, and two arrays of its own that are as long as it says.
#[allow(unsafe_code, reason = "the JVM passes addresses")]
unsafe extern "C" fn seal_chars(
    session: jlong,
    room: jlong,
    capacity: jint,
    label: jint,
    chars: *mut u8,
    count: jint,
    token: *mut u8,
    token_room: jint,
) -> jint {
    if session == 0 {
        return Failure::Layout.code();
    }
    // SAFETY: the caller keeps the session alive and the memory to itself.
    let (session, room, chars, token) = unsafe {
        (
            session::of_handle(session),
            Room::at(room, capacity),
            from_raw_parts_mut(chars, 2 * size(count)),
            from_raw_parts_mut(token, size(token_room)),
        )
    };
    code_of(guarded(|| room.seal_utf16(session, label, chars, token)))
}

/// Seals `length` bytes at `value[offset]` into what is there from `token[at]` on; the token's length, or a negative number.
///
/// # Safety
/// As [`seal_chars`]; the arrays are not one, and `offset + length` and `at + token_room` are within them.
#[allow(unsafe_code, reason = "the JVM passes addresses")]
unsafe extern "C" fn seal_bytes(
    session: jlong,
    room: jlong,
    capacity: jint,
    label: jint,
    value: *const u8,
    offset: jint,
    length: jint,
    token: *mut u8,
    at: jint,
    token_room: jint,
) -> jint {
    if session == 0 {
        return Failure::Layout.code();
    }
    // SAFETY: the caller keeps the session alive and the memory to itself, and its ranges lie in its arrays.
    let (session, room, value, token) = unsafe {
        (
            session::of_handle(session),
            Room::at(room, capacity),
            from_raw_parts(value.add(size(offset)), size(length)),
            from_raw_parts_mut(token.add(size(at)), size(token_room)),
        )
    };
    code_of(guarded(|| room.seal_from(session, label, value, token)))
}

/// What Java counts is never negative here.
fn size(number: jint) -> usize {
    usize::try_from(number).unwrap_or(0)
}

fn code_of(sealed: Option<Result<jint, Failure>>) -> jint {
    sealed.unwrap_or(Err(Failure::Inside)).unwrap_or_else(Failure::code)
}
