//! Java's byte arrays, copied in and out.

use jni_sys::{JNIEnv, jbyteArray, jsize};
use std::ffi::CStr;
use std::ptr::null_mut;

/// A copy of a Java array.
///
/// # Safety
/// `env` is the calling thread's environment, `array` a byte array of its caller.
#[allow(unsafe_code, reason = "the JVM's functions are reached through its table of pointers")]
pub unsafe fn bytes_of(env: *mut JNIEnv, array: jbyteArray) -> Vec<u8> {
    // SAFETY: the JVM writes exactly `length` bytes into a buffer that has room for them.
    unsafe {
        let length = ((**env).v1_1.GetArrayLength)(env, array);
        let mut bytes: Vec<u8> = Vec::with_capacity(length as usize);
        ((**env).v1_1.GetByteArrayRegion)(env, array, 0, length, bytes.as_mut_ptr().cast());
        bytes.set_len(length as usize);
        bytes
    }
}

/// A new Java array; null, with an exception pending, where the heap or an array's length does not suffice.
///
/// # Safety
/// `env` is the calling thread's environment.
#[allow(unsafe_code, reason = "the JVM's functions are reached through its table of pointers")]
pub unsafe fn new_array(env: *mut JNIEnv, bytes: &[u8]) -> jbyteArray {
    // SAFETY: `length` bytes are read from a slice of that length.
    unsafe {
        let Ok(length) = jsize::try_from(bytes.len()) else {
            return throw_illegal_argument(env, c"the output is too large for a Java array");
        };
        let array = ((**env).v1_1.NewByteArray)(env, length);
        if !array.is_null() {
            ((**env).v1_1.SetByteArrayRegion)(env, array, 0, length, bytes.as_ptr().cast());
        }
        array
    }
}

/// Leaves an `IllegalArgumentException` pending and returns the null that goes with it.
///
/// # Safety
/// `env` is the calling thread's environment.
#[allow(unsafe_code, reason = "the JVM's functions are reached through its table of pointers")]
pub unsafe fn throw_illegal_argument(env: *mut JNIEnv, why: &CStr) -> jbyteArray {
    // SAFETY: both texts end with a zero byte; a class that is not found leaves its own exception pending.
    unsafe {
        let class = ((**env).v1_1.FindClass)(env, c"java/lang/IllegalArgumentException".as_ptr());
        if !class.is_null() {
            ((**env).v1_1.ThrowNew)(env, class, why.as_ptr());
        }
    }
    null_mut()
}
