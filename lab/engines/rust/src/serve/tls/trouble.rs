//! Errors of one end, in words.

use std::io::{Error, ErrorKind};

/// The error of an end that failed at something.
pub fn lost(end: &'static str, doing: &'static str) -> impl Fn(Error) -> String {
    move |error| match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => in_vain(end, doing),
        _ => format!("the {end} failed while {doing}: {error}"),
    }
}

/// The error of an end that waited too long, or where nothing can come any more.
pub fn in_vain(end: &str, doing: &str) -> String {
    format!("the {end} waited in vain while {doing}")
}
