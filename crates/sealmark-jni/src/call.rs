//! What passes between the JVM and us besides numbers: arrays, exceptions, and no panic.

use std::{
    ffi::CString,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr::null_mut,
};

use jni_sys::{JNIEnv, jbyteArray, jsize};
use zeroize::Zeroizing;

/// What `work` returns; `None` where it panicked: unwinding into the JVM would be undefined.
#[inline]
pub fn guarded<R>(work: impl FnOnce() -> R) -> Option<R> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// A copy of a Java array, wiped when dropped.
///
/// # Safety
/// `env` is the calling thread's environment, `array` a byte array of its caller.
#[allow(unsafe_code, reason = "the JVM's functions are reached through its table of pointers")]
pub unsafe fn secret_bytes_of(env: *mut JNIEnv, array: jbyteArray) -> Zeroizing<Vec<u8>> {
    // SAFETY: the JVM writes exactly `length` bytes into a buffer that has them.
    unsafe {
        let length = ((**env).v1_1.GetArrayLength)(env, array);
        let mut bytes = Zeroizing::new(vec![0; length as usize]);
        ((**env).v1_1.GetByteArrayRegion)(env, array, 0, length, bytes.as_mut_ptr().cast());
        bytes
    }
}

/// A new Java array; null, with an exception pending, where the heap does not suffice.
///
/// # Safety
/// `env` is the calling thread's environment.
#[allow(unsafe_code, reason = "the JVM's functions are reached through its table of pointers")]
pub unsafe fn array_of(env: *mut JNIEnv, bytes: &[u8]) -> jbyteArray {
    let Ok(length) = jsize::try_from(bytes.len()) else { return null_mut() };
    // SAFETY: `length` bytes are read from a slice of that length.
    unsafe {
        let array = ((**env).v1_1.NewByteArray)(env, length);
        if !array.is_null() {
            ((**env).v1_1.SetByteArrayRegion)(env, array, 0, length, bytes.as_ptr().cast());
        }
        array
    }
}

/// Leaves a `SealException` pending.
///
/// # Safety
/// `env` is the calling thread's environment.
#[allow(unsafe_code, reason = "the JVM's functions are reached through its table of pointers")]
pub unsafe fn throw(env: *mut JNIEnv, why: &str) {
    let ascii = why.chars().map(|c| if c.is_ascii() && c != '\0' { c } else { '?' }).collect::<String>();
    let why = CString::new(ascii).unwrap_or_default();
    // SAFETY: both texts end with a zero byte; a class that is not found leaves its own exception pending.
    unsafe {
        let class = ((**env).v1_1.FindClass)(env, c"sealmark/log/engine/SealException".as_ptr());
        if !class.is_null() {
            ((**env).v1_1.ThrowNew)(env, class, why.as_ptr());
        }
    }
}
