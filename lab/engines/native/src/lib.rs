//! The lab's subject "native code over JNI": base64 and RC4, byte arrays in and out, as a published measurement once did it in
//! C. It is no part of the product.

mod array;

use array::{bytes_of, new_array, throw_illegal_argument};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jni_sys::{JNIEnv, jbyteArray, jclass, jstring};
use rc4::{KeyInit, Rc4, StreamCipher};

const VERSION: &std::ffi::CStr = match std::ffi::CStr::from_bytes_with_nul(
    concat!("sealmark-lab-jni ", env!("CARGO_PKG_VERSION"), " (crates base64 and rc4)\0").as_bytes(),
) {
    Ok(version) => version,
    Err(_) => c"",
};

/// `NativeBytes.version()`
///
/// # Safety
/// Called by the JVM only, with the environment of the calling thread.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "the JVM finds the function by its name and passes its table as a pointer")]
pub unsafe extern "system" fn Java_sealmark_lab_engine_NativeBytes_version(
    env: *mut JNIEnv,
    _class: jclass,
) -> jstring {
    // SAFETY: the JVM passes a valid environment, and the text ends with a zero byte.
    unsafe { ((**env).v1_1.NewStringUTF)(env, VERSION.as_ptr()) }
}

/// `NativeBytes.encode(plain)`
///
/// # Safety
/// Called by the JVM only, with the environment of the calling thread and a byte array.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "the JVM finds the function by its name and passes its table as a pointer")]
pub unsafe extern "system" fn Java_sealmark_lab_engine_NativeBytes_encode(
    env: *mut JNIEnv,
    _class: jclass,
    plain: jbyteArray,
) -> jbyteArray {
    // SAFETY: environment and array are the caller's.
    unsafe { new_array(env, BASE64_STANDARD.encode(bytes_of(env, plain)).as_bytes()) }
}

/// `NativeBytes.decode(encoded)`
///
/// # Safety
/// Called by the JVM only, with the environment of the calling thread and a byte array.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "the JVM finds the function by its name and passes its table as a pointer")]
pub unsafe extern "system" fn Java_sealmark_lab_engine_NativeBytes_decode(
    env: *mut JNIEnv,
    _class: jclass,
    encoded: jbyteArray,
) -> jbyteArray {
    // SAFETY: environment and array are the caller's.
    unsafe {
        match BASE64_STANDARD.decode(bytes_of(env, encoded)) {
            Ok(plain) => new_array(env, &plain),
            Err(_) => throw_illegal_argument(env, c"not base64"),
        }
    }
}

/// `NativeBytes.rc4(key, input)`
///
/// # Safety
/// Called by the JVM only, with the environment of the calling thread and two byte arrays.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "the JVM finds the function by its name and passes its table as a pointer")]
pub unsafe extern "system" fn Java_sealmark_lab_engine_NativeBytes_rc4(
    env: *mut JNIEnv,
    _class: jclass,
    key: jbyteArray,
    input: jbyteArray,
) -> jbyteArray {
    // SAFETY: environment and arrays are the caller's.
    unsafe {
        let Ok(mut cipher) = Rc4::new_from_slice(&bytes_of(env, key)) else {
            return throw_illegal_argument(env, c"an RC4 key has 1 to 256 bytes");
        };
        let mut bytes = bytes_of(env, input);
        cipher.apply_keystream(&mut bytes);
        new_array(env, &bytes)
    }
}
