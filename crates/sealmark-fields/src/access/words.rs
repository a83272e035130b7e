//! The words of an access-log line: who sent the request, numbers, and addresses.

use crate::quotes::closing_quote;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;

/// The first quote but for those of an empty user's name, which Apache httpd writes as `""`.
pub fn request_quote(line: &[u8]) -> Option<usize> {
    let quote = closing_quote(line, 0)?;
    if line[quote..].starts_with(b"\"\" [") { closing_quote(line, quote + 2) } else { Some(quote) }
}

/// True where there is one word more than client, ident and user, and it is a name and a port: no IPv6 address. A client is
/// always there, so what has `-` in its place is not in front of it.
pub fn has_port_in_front(who: &[u8]) -> bool {
    let mut words = who.splitn(4, |byte| *byte == b' ');
    let (Some(first), Some(second), Some(_), Some(_)) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return false;
    };
    let Some(colon) = memchr::memrchr(b':', first) else { return false };
    let (name, port) = (&first[..colon], &first[colon + 1..]);
    let one_colon = !name.contains(&b':') || name.starts_with(b"[") && name.ends_with(b"]");
    one_colon && !port.is_empty() && port.iter().all(u8::is_ascii_digit) && second != b"-"
}

/// True where another of the words may be the client or the user: hardly any server asks who its user is, so that a word in
/// place of `-` is in front of that place; no other word is an address; and lists of addresses are the client's.
pub fn is_unclear(who: &[u8], client: Range<usize>, ident: &[u8], user: &[u8]) -> bool {
    let others = [&who[..client.start], &who[client.end..]];
    ident != b"-"
        || memchr::memmem::find(user, b", ").is_some()
        || others.into_iter().any(|words| has_address(words, b" ,=;"))
}

/// True where a field has an address between such signs.
pub fn has_address(field: &[u8], signs: &[u8]) -> bool {
    field.split(|byte| signs.contains(byte)).any(is_address)
}

/// An IP address, maybe with a port or in brackets or quotes.
fn is_address(word: &[u8]) -> bool {
    let plain = |byte: &u8| byte.is_ascii_hexdigit() || b".:[]%".contains(byte);
    let start = word.iter().position(plain).unwrap_or(word.len());
    let end = word.iter().rposition(plain).map_or(start, |last| last + 1);
    // The longest is an IPv6 address with a port.
    let Ok(word) = str::from_utf8(&word[start..end.max(start)]) else { return false };
    let bare = word.trim_matches(['[', ']', '.', ':']);
    word.len() <= 64
        && (word.parse::<IpAddr>().is_ok()
            || word.parse::<SocketAddr>().is_ok()
            || bare.parse::<IpAddr>().is_ok())
}

/// The end of a client: the addresses of proxies on the way stand in one place.
pub fn client_end(who: &[u8], start: usize) -> Option<usize> {
    let mut end = word_end(who, start)?;
    while who[..end].ends_with(b",") {
        end = word_end(who, end + 1)?;
    }
    Some(end)
}

pub fn word_end(text: &[u8], start: usize) -> Option<usize> {
    Some(start + memchr::memchr(b' ', text.get(start..)?)?)
}

/// A blank and then digits or `-`, up to another blank or the end; returns that.
pub fn number(line: &[u8], start: usize) -> Option<usize> {
    (line.get(start) == Some(&b' ')).then_some(())?;
    let end = memchr::memchr(b' ', &line[start + 1..]).map_or(line.len(), |length| start + 1 + length);
    let word = &line[start + 1..end];
    (word == b"-" || !word.is_empty() && word.iter().all(u8::is_ascii_digit)).then_some(end)
}
