//! Payloads of AES-GCM for the JVM, piece by piece: the functions that `sealmark.wss.NativeCalls` declares. `NativeGcm` calls
//! them, one at a time for each payload.

use crate::call::{array_of, exported, guarded, secret_bytes_of, with_array};
use jni_sys::{jboolean, jbyteArray, jint, jlong, jstring};
use sealmark::gcm::{Key, PieceSealer, Verified, Verifier};
use std::ffi::CStr;
use std::mem;
use std::ptr::null_mut;

/// The version that the class demands of the library that it loads: a number that rises when a function here changes.
const VERSION: &CStr = c"sealmark-wss 1";

/// A payload at its stage.
enum Payload {
    Sealing(PieceSealer),
    Verifying(Verifier),
    Verified(Verified),
    /// Its tag was made, or did not match.
    Ended,
}

impl Payload {
    fn opening(key: &[u8], iv: &[u8]) -> Option<Self> {
        Some(Self::Verifying(Verifier::new(Key::new(key).ok()?, iv.try_into().ok()?)))
    }

    fn sealing(key: &[u8]) -> Option<Self> {
        Some(Self::Sealing(PieceSealer::new(Key::new(key).ok()?).ok()?))
    }

    /// The work of this stage on the next piece; false if it is refused.
    fn piece(&mut self, text: &mut [u8]) -> bool {
        match self {
            Self::Sealing(sealer) => sealer.seal(text).is_ok(),
            Self::Verifying(verifier) => verifier.authenticate(text).is_ok(),
            Self::Verified(verified) => verified.release(text).is_ok(),
            Self::Ended => false,
        }
    }

    fn verify(&mut self, tag: &[u8]) -> bool {
        let Ok(tag) = tag.try_into() else { return false };
        if let Self::Verifying(verifier) = mem::replace(self, Self::Ended)
            && let Ok(verified) = verifier.verify(tag)
        {
            *self = Self::Verified(verified);
            return true;
        }
        false
    }

    fn iv(&self) -> Option<[u8; 12]> {
        if let Self::Sealing(sealer) = self { Some(*sealer.iv()) } else { None }
    }

    fn tag(&mut self) -> Option<[u8; 16]> {
        if let Self::Sealing(sealer) = mem::replace(self, Self::Ended) { Some(sealer.finish()) } else { None }
    }
}

/// A number for the JVM; 0 for none.
fn handle_of(payload: Option<Option<Payload>>) -> jlong {
    payload.flatten().map_or(0, |payload| Box::into_raw(Box::new(payload)) as jlong)
}

exported! {
    /// `NativeCalls.version()`
    ///
    /// # Safety
    /// Called by the JVM only, with the environment of the calling thread.
    fn Java_sealmark_wss_NativeCalls_version(env) -> jstring {
        // SAFETY: the JVM passes a valid environment, and the text ends with a zero byte.
        unsafe { ((**env).v1_1.NewStringUTF)(env, VERSION.as_ptr()) }
    }
}

exported! {
    /// `NativeCalls.open(key, iv)`
    ///
    /// # Safety
    /// Called by the JVM only, with the environment of the calling thread and two byte arrays.
    fn Java_sealmark_wss_NativeCalls_open(env, key: jbyteArray, iv: jbyteArray) -> jlong {
        // SAFETY: environment and arrays are the caller's.
        let (key, iv) = unsafe { (secret_bytes_of(env, key), secret_bytes_of(env, iv)) };
        handle_of(guarded(|| Payload::opening(&key, &iv)))
    }
}

exported! {
    /// `NativeCalls.seal(key)`
    ///
    /// # Safety
    /// Called by the JVM only, with the environment of the calling thread and a byte array.
    fn Java_sealmark_wss_NativeCalls_seal(env, key: jbyteArray) -> jlong {
        // SAFETY: environment and array are the caller's.
        let key = unsafe { secret_bytes_of(env, key) };
        handle_of(guarded(|| Payload::sealing(&key)))
    }
}

exported! {
    /// `NativeCalls.piece(payload, text, length)`
    ///
    /// # Safety
    /// Called by the JVM only, with the environment of the calling thread, a payload that no other thread uses meanwhile, and a
    /// byte array of the caller's.
    fn Java_sealmark_wss_NativeCalls_piece(env, payload: jlong, text: jbyteArray, length: jint) -> jboolean {
        // SAFETY: the caller has payload and array for itself.
        unsafe {
            let payload = &mut *(payload as *mut Payload);
            with_array(env, text, |text| {
                usize::try_from(length)
                    .ok()
                    .and_then(|length| text.get_mut(..length))
                    .is_some_and(|text| payload.piece(text))
            })
            .unwrap_or(false)
        }
    }
}

exported! {
    /// `NativeCalls.verify(payload, tag)`
    ///
    /// # Safety
    /// Called by the JVM only, with the environment of the calling thread and a payload that no other thread uses.
    fn Java_sealmark_wss_NativeCalls_verify(env, payload: jlong, tag: jbyteArray) -> jboolean {
        // SAFETY: the caller has payload and array for itself.
        unsafe {
            let (payload, tag) = (&mut *(payload as *mut Payload), secret_bytes_of(env, tag));
            guarded(|| payload.verify(&tag)).unwrap_or(false)
        }
    }
}

exported! {
    /// `NativeCalls.iv(payload)`
    ///
    /// # Safety
    /// Called by the JVM only, with the environment of the calling thread and a payload that no other thread uses.
    fn Java_sealmark_wss_NativeCalls_iv(env, payload: jlong) -> jbyteArray {
        // SAFETY: the caller has the payload for itself.
        unsafe {
            let payload = &*(payload as *const Payload);
            guarded(|| payload.iv()).flatten().map_or(null_mut(), |iv| array_of(env, &iv))
        }
    }
}

exported! {
    /// `NativeCalls.tag(payload)`
    ///
    /// # Safety
    /// Called by the JVM only, with the environment of the calling thread and a payload that no other thread uses.
    fn Java_sealmark_wss_NativeCalls_tag(env, payload: jlong) -> jbyteArray {
        // SAFETY: the caller has the payload for itself.
        unsafe {
            let payload = &mut *(payload as *mut Payload);
            guarded(|| payload.tag()).flatten().map_or(null_mut(), |tag| array_of(env, &tag))
        }
    }
}

exported! {
    /// `NativeCalls.free(payload)`
    ///
    /// # Safety
    /// Called by the JVM only, once for each payload, which nobody uses meanwhile or afterwards. Its keys are wiped.
    fn Java_sealmark_wss_NativeCalls_free(_env, payload: jlong) {
        // SAFETY: the JVM frees each payload once, and uses it no more.
        guarded(|| drop(unsafe { Box::from_raw(payload as *mut Payload) }));
    }
}
