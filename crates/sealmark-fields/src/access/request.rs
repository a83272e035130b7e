//! The request of an access-log line, and the target in it.

use crate::query::is_url;
use std::ops::Range;

/// Where in a request line the target is, which may have blanks in it; nothing where it is no request.
///
/// A request that nobody sent, and a server writes as `-`, has no target, and nothing to hide.
pub fn target(request: &[u8]) -> Option<Range<usize>> {
    if is_nothing(request) {
        return Some(0..0);
    }
    let (method, end) = (memchr::memchr(b' ', request)?, version_start(request));
    // HTTP/0.9 had no version, and no other method.
    let is_method = match &request[..method] {
        b"GET" => true,
        name => !name.is_empty() && end.is_some() && name.iter().all(is_part_of_method),
    };
    let target = method + 1..end.unwrap_or(request.len()).max(method + 1);
    (is_method && is_target(&request[target.clone()])).then_some(target)
}

fn is_part_of_method(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'-' || *byte == b'_'
}

/// Where ` HTTP/1.1` begins.
fn version_start(request: &[u8]) -> Option<usize> {
    let blank = memchr::memrchr(b' ', request)?;
    let version = request[blank + 1..].strip_prefix(b"HTTP/")?;
    version.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.').then_some(blank)
}

/// RFC 9112, section 3.2: a path, `*`, a whole URL, or for CONNECT a name and a port.
fn is_target(target: &[u8]) -> bool {
    target == b"*" || is_url(target)
}

/// The sign that a server writes where there is nothing.
pub fn is_nothing(field: &[u8]) -> bool {
    matches!(field, b"" | b"-" | b"\"\"")
}
