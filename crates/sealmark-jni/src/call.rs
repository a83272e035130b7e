//! The values that pass between the JVM and us besides numbers: arrays, exceptions, and no panic.

use jni_sys::{JNI_ABORT, JNIEnv, jbyteArray, jsize};
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::slice::{from_raw_parts, from_raw_parts_mut};
use zeroize::Zeroizing;

/// Defines a function that the JVM finds by its name. The JVM passes its environment and the class that declares the function
/// first.
macro_rules! exported {
    ($(#[$docs:meta])* fn $name:ident($env:ident $(, $argument:ident: $type:ty)* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$docs])*
        #[unsafe(no_mangle)]
        #[allow(unsafe_code, reason = "the JVM finds the function by its name, and passes pointers and addresses")]
        pub unsafe extern "system" fn $name(
            $env: *mut jni_sys::JNIEnv,
            _class: jni_sys::jclass,
            $($argument: $type),*
        ) $(-> $result)? $body
    };
}
pub(crate) use exported;

/// The result of `work`; `None` where it panicked: unwinding into the JVM would be undefined.
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

/// Copies the `length` bytes at `from` in a Java array into `bytes`, in place of what these were.
///
/// # Safety
/// `env` is the calling thread's environment, `array` a byte array of its caller that has them.
#[allow(unsafe_code, reason = "the JVM's functions are reached through its table of pointers")]
pub unsafe fn copy_region(
    env: *mut JNIEnv,
    array: jbyteArray,
    from: jsize,
    length: jsize,
    bytes: &mut Vec<u8>,
) {
    bytes.resize(length as usize, 0);
    // SAFETY: the JVM checks the range, and writes exactly `length` bytes into a buffer that has them.
    unsafe { ((**env).v1_1.GetByteArrayRegion)(env, array, from, length, bytes.as_mut_ptr().cast()) };
}

/// Gives `work` two Java arrays where they lie; `None` where they are one, or the JVM does not give them. The JVM may
/// hold its garbage collector back meanwhile, so `work` is short and calls nothing of it.
///
/// # Safety
/// `env` is the calling thread's environment, both are byte arrays of its caller, and nobody else uses `to` meanwhile.
#[allow(unsafe_code, reason = "the JVM's functions are reached through its table of pointers")]
pub unsafe fn with_arrays<R>(
    env: *mut JNIEnv,
    from: jbyteArray,
    to: jbyteArray,
    work: impl FnOnce(&[u8], &mut [u8]) -> R,
) -> Option<R> {
    // SAFETY: between get and release an array stays where it is; each is as long as it says, and they do not overlap.
    unsafe {
        let (from_length, to_length) =
            (((**env).v1_1.GetArrayLength)(env, from), ((**env).v1_1.GetArrayLength)(env, to));
        let from_start = ((**env).v1_2.GetPrimitiveArrayCritical)(env, from, null_mut()).cast::<u8>();
        let to_start = ((**env).v1_2.GetPrimitiveArrayCritical)(env, to, null_mut()).cast::<u8>();
        let done = (!from_start.is_null() && !to_start.is_null() && from_start != to_start).then(|| {
            let from = from_raw_parts(from_start, from_length as usize);
            let to = from_raw_parts_mut(to_start, to_length as usize);
            guarded(|| work(from, to))
        });
        if !to_start.is_null() {
            ((**env).v1_2.ReleasePrimitiveArrayCritical)(env, to, to_start.cast(), 0);
        }
        if !from_start.is_null() {
            ((**env).v1_2.ReleasePrimitiveArrayCritical)(env, from, from_start.cast(), JNI_ABORT);
        }
        done.flatten()
    }
}

/// Gives `work` a Java array where it lies; `None` if the JVM does not give it. The JVM may hold its garbage collector back
/// meanwhile, so `work` is short and calls nothing of it.
///
/// # Safety
/// `env` is the calling thread's environment, and `array` a byte array of its caller that nobody else uses meanwhile.
#[allow(unsafe_code, reason = "the JVM's functions are reached through its table of pointers")]
pub unsafe fn with_array<R>(
    env: *mut JNIEnv,
    array: jbyteArray,
    work: impl FnOnce(&mut [u8]) -> R,
) -> Option<R> {
    // SAFETY: between get and release an array stays where it is, and is as long as it says.
    unsafe {
        let length = ((**env).v1_1.GetArrayLength)(env, array);
        let start = ((**env).v1_2.GetPrimitiveArrayCritical)(env, array, null_mut()).cast::<u8>();
        if start.is_null() {
            return None;
        }
        let done = guarded(|| work(from_raw_parts_mut(start, length as usize)));
        ((**env).v1_2.ReleasePrimitiveArrayCritical)(env, array, start.cast(), 0);
        done
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
