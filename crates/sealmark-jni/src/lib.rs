//! For the JVM: log sessions, which `sealmark.log.engine.NativeCalls` declares, logs that are opened ([`opening`]), and payloads of
//! AES-GCM ([`payload`]).
//! Everything here is called from `NativeSession`, which sees to it that no session is freed while a thread is in one of its
//! calls.
//!
//! A panic never reaches the JVM, and what is read or written lies within what the caller said is there.

mod buffer;
mod call;
mod linked;
mod opening;
mod payload;
mod session;
mod text;

use buffer::{Buffer, Failure, Kind};
use call::{array_of, exported, guarded, throw};
use jni_sys::{jboolean, jbyteArray, jint, jlong, jobject, jstring};
use sealmark::record::Shape;
use std::ffi::CStr;
use std::ptr::null_mut;

/// The version that the class demands of the library that it loads: a number that rises when a function here changes.
const VERSION: &CStr = c"sealmark-jni 6";

exported! {
    /// `NativeCalls.version()`
    ///
    /// # Safety
    /// Called by the JVM only, with the environment of the calling thread.
    fn Java_sealmark_log_engine_NativeCalls_version(env) -> jstring {
        // SAFETY: the JVM passes a valid environment, and the text ends with a zero byte.
        unsafe { ((**env).v1_1.NewStringUTF)(env, VERSION.as_ptr()) }
    }
}

exported! {
    /// `NativeCalls.begin(keys, preShared, padding, limit, previous, previousCount)`
    ///
    /// # Safety
    /// Called by the JVM only, with the environment of the calling thread, a byte array, and another one or null.
    fn Java_sealmark_log_engine_NativeCalls_begin(
        env,
        keys: jbyteArray,
        pre_shared: jboolean,
        padding: jint,
        limit: jlong,
        previous: jbyteArray,
        previous_count: jlong,
    ) -> jlong {
        // SAFETY: environment and arrays are the caller's.
        let (keys, previous) = unsafe {
            let previous = (!previous.is_null()).then(|| call::secret_bytes_of(env, previous));
            (call::secret_bytes_of(env, keys), previous)
        };
        let begun = guarded(|| {
            let previous = previous.map(|id| session::previous(&id, previous_count)).transpose()?;
            session::begin(&keys, pre_shared, padding, limit, previous)
        });
        match begun {
            Some(Ok(session)) => session::handle_of(session),
            Some(Err(why)) => {
                // SAFETY: the environment is the calling thread's.
                unsafe { throw(env, &why) };
                0
            }
            None => {
                // SAFETY: the environment is the calling thread's.
                unsafe { throw(env, "the native library failed to begin a log session") };
                0
            }
        }
    }
}

exported! {
    /// `NativeCalls.id(session)`
    ///
    /// # Safety
    /// Called by the JVM only, with the environment of the calling thread and a session that is not freed meanwhile.
    fn Java_sealmark_log_engine_NativeCalls_id(env, session: jlong) -> jbyteArray {
        // SAFETY: the caller keeps the session alive; the environment is the calling thread's.
        unsafe {
            let session = session::of_handle(session);
            guarded(|| session.id().to_string()).map_or(null_mut(), |id| array_of(env, id.as_bytes()))
        }
    }
}

exported! {
    /// `NativeCalls.headerLines(session, json)`
    ///
    /// # Safety
    /// The rules are those of [`Java_sealmark_log_engine_NativeCalls_id`].
    fn Java_sealmark_log_engine_NativeCalls_headerLines(env, session: jlong, json: jboolean) -> jbyteArray {
        let shape = if json { Shape::Json } else { Shape::Plain };
        // SAFETY: the caller keeps the session alive; the environment is the calling thread's.
        unsafe {
            let session = session::of_handle(session);
            guarded(|| session.header_lines(shape)).map_or(null_mut(), |lines| array_of(env, lines.as_bytes()))
        }
    }
}

exported! {
    /// `NativeCalls.close(session)`
    ///
    /// # Safety
    /// The rules are those of [`Java_sealmark_log_engine_NativeCalls_id`].
    fn Java_sealmark_log_engine_NativeCalls_close(env, session: jlong) -> jbyteArray {
        // SAFETY: the caller keeps the session alive; the environment is the calling thread's.
        unsafe {
            let session = session::of_handle(session);
            match guarded(|| session.close(Shape::Plain)) {
                Some(Ok(line)) => array_of(env, line.trim_end_matches('\n').as_bytes()),
                _ => null_mut(),
            }
        }
    }
}

exported! {
    /// `NativeCalls.count(session)`
    ///
    /// # Safety
    /// The rules are those of [`Java_sealmark_log_engine_NativeCalls_id`].
    fn Java_sealmark_log_engine_NativeCalls_count(_env, session: jlong) -> jlong {
        // SAFETY: the caller keeps the session alive.
        let session = unsafe { session::of_handle(session) };
        guarded(|| session.count() as jlong).unwrap_or_default()
    }
}

exported! {
    /// `NativeCalls.free(session)`
    ///
    /// # Safety
    /// Called by the JVM only, once for each session, while nobody is in another call with it, nor ever will be.
    fn Java_sealmark_log_engine_NativeCalls_free(_env, session: jlong) {
        // SAFETY: the caller has the session for itself.
        guarded(|| unsafe { session::free(session) });
    }
}

exported! {
    /// `NativeCalls.address(buffer)`
    ///
    /// # Safety
    /// Called by the JVM only, with the environment of the calling thread and a direct buffer.
    fn Java_sealmark_log_engine_NativeCalls_address(env, buffer: jobject) -> jlong {
        // SAFETY: environment and buffer are the caller's.
        unsafe { ((**env).v1_4.GetDirectBufferAddress)(env, buffer) as jlong }
    }
}

exported! {
    /// `NativeCalls.linkedSealChars()`
    ///
    /// # Safety
    /// Called by the JVM only.
    fn Java_sealmark_log_engine_NativeCalls_linkedSealChars(_env) -> jlong {
        linked::seal_chars as *const () as jlong
    }
}

exported! {
    /// `NativeCalls.sealChars(session, buffer, capacity, label, chars, json)`
    ///
    /// # Safety
    /// Called by the JVM only, with a session that is not freed meanwhile and the address of a direct buffer of so many bytes
    /// that is the calling thread's meanwhile.
    fn Java_sealmark_log_engine_NativeCalls_sealChars(
        _env,
        session: jlong,
        buffer: jlong,
        capacity: jint,
        label: jint,
        chars: jint,
        json: jboolean,
    ) -> jint {
        // SAFETY: the caller keeps the session alive and the memory to itself.
        let (session, buffer) = unsafe { (session::of_handle(session), Buffer::at(buffer, capacity)) };
        guarded(|| buffer.seal_chars(session, Kind::of(json), label, chars))
            .unwrap_or(Err(Failure::Inside))
            .unwrap_or_else(Failure::code)
    }
}

exported! {
    /// `NativeCalls.sealBytes(session, buffer, capacity, label, bytes, json)`
    ///
    /// # Safety
    /// The rules are those of [`Java_sealmark_log_engine_NativeCalls_sealChars`].
    fn Java_sealmark_log_engine_NativeCalls_sealBytes(
        _env,
        session: jlong,
        buffer: jlong,
        capacity: jint,
        label: jint,
        bytes: jint,
        json: jboolean,
    ) -> jint {
        // SAFETY: the caller keeps the session alive and the memory to itself.
        let (session, buffer) = unsafe { (session::of_handle(session), Buffer::at(buffer, capacity)) };
        guarded(|| buffer.seal_bytes(session, Kind::of(json), label, bytes))
            .unwrap_or(Err(Failure::Inside))
            .unwrap_or_else(Failure::code)
    }
}

exported! {
    /// `NativeCalls.sealInArrays(session, buffer, capacity, label, value, offset, length, out, at)`
    ///
    /// # Safety
    /// The rules are those of [`Java_sealmark_log_engine_NativeCalls_sealChars`]; the second array is the calling thread's.
    fn Java_sealmark_log_engine_NativeCalls_sealInArrays(
        env,
        session: jlong,
        buffer: jlong,
        capacity: jint,
        label: jint,
        value: jbyteArray,
        offset: jint,
        length: jint,
        out: jbyteArray,
        at: jint,
    ) -> jint {
        // SAFETY: the caller keeps the session alive and the memory to itself; environment and arrays are its own.
        unsafe {
            let (session, buffer) = (session::of_handle(session), Buffer::at(buffer, capacity));
            call::with_arrays(env, value, out, |value, out| {
                buffer.seal_from(session, label, buffer::part(value, offset, length)?, buffer::rest(out, at)?)
            })
            .unwrap_or(Err(Failure::Inside))
            .unwrap_or_else(Failure::code)
        }
    }
}

exported! {
    /// `NativeCalls.sealArray(session, label, value, json)`
    ///
    /// # Safety
    /// The rules are those of [`Java_sealmark_log_engine_NativeCalls_id`], and both arrays are the caller's.
    fn Java_sealmark_log_engine_NativeCalls_sealArray(
        env,
        session: jlong,
        label: jbyteArray,
        value: jbyteArray,
        json: jboolean,
    ) -> jbyteArray {
        // SAFETY: the caller keeps the session alive; environment and arrays are its own.
        unsafe {
            let session = session::of_handle(session);
            let (label, value) = (call::secret_bytes_of(env, label), call::secret_bytes_of(env, value));
            let sealed = guarded(|| buffer::seal_apart(session, Kind::of(json), &label, &value));
            match sealed.unwrap_or(Err(Failure::Inside)) {
                Ok(token) => array_of(env, &token),
                Err(Failure::Ended) => null_mut(),
                Err(failure) => {
                    throw(env, failure.text());
                    null_mut()
                }
            }
        }
    }
}
