//! What a syslog sender puts in front of a message (RFC 3164, RFC 5424).

/// The message without it; all of it where it does not look like that.
pub fn of(datagram: &[u8]) -> &[u8] {
    let message = priority(datagram).and_then(|rest| new_style(rest).or_else(|| old_style(rest)));
    message.unwrap_or(datagram)
}

/// `<190>`
fn priority(text: &[u8]) -> Option<&[u8]> {
    let rest = text.strip_prefix(b"<")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (1..=3).contains(&digits).then_some(&rest[digits..])?.strip_prefix(b">")
}

/// RFC 3164 as nginx, Apache httpd and the C library write it: `Nov 21 12:00:01 host nginx: `, the host maybe left out.
fn old_style(text: &[u8]) -> Option<&[u8]> {
    let (date, rest) = text.split_at_checked(DATE.len())?;
    let fits = |(form, found): (&u8, &u8)| match form {
        b'a' => found.is_ascii_alphabetic(),
        b'0' => found.is_ascii_digit() || *found == b' ',
        _ => form == found,
    };
    if !DATE.iter().zip(date).all(fits) {
        return None;
    }
    tag(rest).or_else(|| tag(word(rest)?.1))
}

const DATE: &[u8] = b"aaa 00 00:00:00 ";

/// What stands behind `nginx: ` or `sshd[12]: `.
fn tag(text: &[u8]) -> Option<&[u8]> {
    let is_tag = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./[]".contains(byte);
    let length = text.iter().take_while(|byte| is_tag(byte)).count();
    let rest = text[length..].strip_prefix(b":")?;
    (length > 0).then(|| rest.strip_prefix(b" ").unwrap_or(rest))
}

/// RFC 5424: `1 2026-11-21T12:00:01Z host app 12 id - `, or `[data name="value"]` in place of the last hyphen.
fn new_style(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text.strip_prefix(b"1 ")?;
    let (time, behind) = word(rest)?;
    if !(time == b"-" || time.contains(&b'T')) {
        return None;
    }
    rest = behind;
    for _ in ["host", "app", "process", "message id"] {
        rest = word(rest)?.1;
    }
    let rest = structured_data(rest)?;
    let message = rest.strip_prefix(b" ").or(rest.is_empty().then_some(rest))?;
    Some(message.strip_prefix(b"\xef\xbb\xbf").unwrap_or(message))
}

fn structured_data(text: &[u8]) -> Option<&[u8]> {
    if let Some(rest) = text.strip_prefix(b"-") {
        return Some(rest);
    }
    let (mut quoted, mut escaped, mut open) = (false, false, false);
    for (index, byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' if open => quoted = !quoted,
            b'[' if !open => open = true,
            b']' if open && !quoted => {
                open = false;
                if text.get(index + 1) != Some(&b'[') {
                    return Some(&text[index + 1..]);
                }
            }
            _ if !open => return None,
            _ => {}
        }
    }
    None
}

/// What is in front of the next space, and what is behind it.
fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = memchr::memchr(b' ', text).filter(|space| *space > 0)?;
    Some((&text[..space], &text[space + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(datagram: &str) -> &str {
        str::from_utf8(of(datagram.as_bytes())).expect("cut at ASCII")
    }

    #[test]
    fn the_message_alone_is_the_line() {
        for datagram in [
            "<190>Nov 21 12:00:01 host nginx: a: b",
            "<190>Nov  1 12:00:01 nginx: a: b",
            "<13>Nov 21 12:00:01 host app/x[12]: a: b",
            "<13>Nov 21 12:00:01 ::1 app:a: b",
            "<165>1 2026-11-21T12:00:01.5+09:00 host app 12 id - a: b",
            "<165>1 - - - - - - a: b",
            "<165>1 - host app - - [x@1 a=\"]\\\"[\" b=\"\"][y] \u{feff}a: b",
        ] {
            assert_eq!(message(datagram), "a: b", "{datagram}");
        }
        assert_eq!(message("<190>Nov 21 12:00:01 host nginx: "), "");
        assert_eq!(message("<165>1 - - - - - -"), "");
    }

    #[test]
    fn what_looks_otherwise_stays_whole() {
        for datagram in [
            "",
            "a: b",
            "<190>",
            "<1900>Nov 21 12:00:01 host nginx: a",
            "<>Nov 21 12:00:01 host nginx: a",
            "<190>Nov 21 12-00-01 host nginx: a",
            "<190>Nov 21 12:00:01 host with no tag",
            "<190>2 - - - - - - a",
            "<190>1 yesterday - - - - - a",
            "<190>1 - - - - - [x a",
            "<190>1 - - - - - x a",
            "{\"a\":\"<190>Nov 21 12:00:01 host nginx: a\"}",
        ] {
            assert_eq!(message(datagram), datagram);
        }
    }
}
