//! The text that a syslog sender puts in front of a message (RFC 3164, RFC 5424).
//!
//! Only what looks like a header in full is taken away: the priority and the time, and behind them `host tag: ` or
//! `tag: `. A message that a sender without a tag begins like that cannot be told from those of the others.

use crate::log::lines::{Cutter, Lines, Piece};
use std::io;

/// Hands over the lines of a message, which is one or several. The last line of a message that was cut is no line of the
/// log's kind: nobody can tell what stood in it, so it is treated as one that is too long to be looked into.
pub fn lines_of(text: &[u8], is_whole: bool, cutter: &mut Cutter, lines: &mut impl Lines) -> io::Result<()> {
    let message = of(text);
    if is_whole {
        cutter.push(message.strip_suffix(b"\n").unwrap_or(message), lines)?;
        return cutter.push(b"\n", lines);
    }
    let (whole, cut) = message.split_at(memchr::memrchr(b'\n', message).map_or(0, |feed| feed + 1));
    cutter.push(whole, lines)?;
    lines.piece(Piece::LongEnd { content: cut, feed: true })
}

/// The message without it; all of it where it does not look like that.
pub fn of(datagram: &[u8]) -> &[u8] {
    let message = priority(datagram).and_then(|rest| new_style(rest).or_else(|| old_style(rest)));
    message.unwrap_or(datagram)
}

/// `<190>`
fn priority(text: &[u8]) -> Option<&[u8]> {
    let (digits, rest) = split(text.strip_prefix(b"<")?, |byte| byte.is_ascii_digit());
    let known =
        digits.len() <= 3 && str::from_utf8(digits).ok()?.parse::<u8>().is_ok_and(|number| number <= 191);
    known.then_some(rest)?.strip_prefix(b">")
}

/// RFC 3164 as nginx, Apache httpd and the C library write it: `Nov 21 12:00:01 host nginx: `, the host maybe left out,
/// the time maybe that of RFC 3339.
fn old_style(text: &[u8]) -> Option<&[u8]> {
    let rest = date(text).or_else(|| timestamp(text))?;
    Some(tag(rest).or_else(|| tag(host(rest)?)).unwrap_or(rest))
}

/// `Nov 21 12:00:01 `
fn date(text: &[u8]) -> Option<&[u8]> {
    let (month, rest) = text.split_at_checked(3)?;
    MONTHS.chunks(3).find(|known| *known == month)?;
    like(b" _0 00:00:00 ", rest)
}

const MONTHS: &[u8] = b"JanFebMarAprMayJunJulAugSepOctNovDec";

/// `2026-11-21T12:00:01.5+09:00 `
fn timestamp(text: &[u8]) -> Option<&[u8]> {
    let rest = like(b"0000-00-00T00:00:00", text)?;
    let fraction = rest.strip_prefix(b".").map(|rest| split(rest, |byte| byte.is_ascii_digit()).1);
    let rest = fraction.unwrap_or(rest);
    like(b"Z ", rest).or_else(|| like(b"+00:00 ", rest)).or_else(|| like(b"-00:00 ", rest))
}

/// The text behind one of this form: `0` is a digit, `_` a digit or a space.
fn like<'a>(form: &[u8], text: &'a [u8]) -> Option<&'a [u8]> {
    let (found, rest) = text.split_at_checked(form.len())?;
    let fits = |(form, found): (&u8, &u8)| match form {
        b'0' => found.is_ascii_digit(),
        b'_' => found.is_ascii_digit() || *found == b' ',
        _ => form == found,
    };
    form.iter().zip(found).all(fits).then_some(rest)
}

/// The text behind a name or an address of a machine.
fn host(text: &[u8]) -> Option<&[u8]> {
    let (name, rest) = split(text, |byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte));
    (1..=255).contains(&name.len()).then_some(rest)?.strip_prefix(b" ")
}

/// The text behind `nginx: ` or `sshd[12]: `. The space keeps the beginning of an address from being one.
fn tag(text: &[u8]) -> Option<&[u8]> {
    let (name, rest) = split(text, |byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte));
    let rest = (1..=48).contains(&name.len()).then_some(rest)?;
    let process = rest.strip_prefix(b"[").map(|rest| split(rest, |byte| byte.is_ascii_digit()));
    let rest = match process {
        Some((number, rest)) => (!number.is_empty()).then_some(rest)?.strip_prefix(b"]")?,
        None => rest,
    };
    let rest = rest.strip_prefix(b":")?;
    rest.strip_prefix(b" ").or(rest.is_empty().then_some(rest))
}

/// The bytes in front that belong, and the rest.
fn split(text: &[u8], belongs: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    text.split_at(text.iter().take_while(|byte| belongs(**byte)).count())
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

/// The text in front of the next space, and the text behind it.
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
            "<13>Nov 21 12:00:01 2001:db8::1 app: a: b",
            "<13>Nov 21 12:00:01 app[12]: a: b",
            "<13>2026-11-21T12:00:01Z host app: a: b",
            "<13>2026-11-21T12:00:01.123456-08:00 app: a: b",
            "<165>1 2026-11-21T12:00:01.5+09:00 host app 12 id - a: b",
            "<165>1 - - - - - - a: b",
            "<165>1 - host app - - [x@1 a=\"]\\\"[\" b=\"\"][y] \u{feff}a: b",
        ] {
            assert_eq!(message(datagram), "a: b", "{datagram}");
        }
        assert_eq!(message("<190>Nov 21 12:00:01 host nginx: "), "");
        assert_eq!(message("<165>1 - - - - - -"), "");
    }

    /// The fields of a message without host and tag are found; nothing of its text is lost.
    #[test]
    fn where_no_tag_is_only_the_time_goes() {
        for text in [
            "host with no tag",
            "{\"a\":1, b: 2}",
            "{\"a\": 1}",
            "see http://x: y",
            "bob@x failed: y",
            "who failed[x]: y",
            "who failed[]: y",
            "  a: b",
            "2001:db8::1 came",
            "",
        ] {
            for time in ["Nov 21 12:00:01", "2026-11-21T12:00:01Z"] {
                assert_eq!(message(&format!("<13>{time} {text}")), text);
            }
        }
        let long = format!("{}: x", "a".repeat(49));
        assert_eq!(message(&format!("<13>Nov 21 12:00:01 {long}")), long);
        assert_eq!(message(&format!("<13>Nov 21 12:00:01 a{}", &long[2..])), "x");
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
            "<192>Nov 21 12:00:01 host nginx: a",
            "<190>Nox 21 12:00:01 host nginx: a",
            "<190>2026-11-21 12:00:01 host nginx: a",
            "<190>2026-11-21T12:00:01.5 host nginx: a",
            "Nov 21 12:00:01 host nginx: a",
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
