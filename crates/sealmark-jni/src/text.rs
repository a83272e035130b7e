//! Java's characters as UTF-8.

/// Writes UTF-16 in the machine's order as UTF-8, as `String.getBytes` has it: a surrogate without its pair becomes `?`.
/// Returns how many bytes it took; `None` where three for each character have no room.
pub fn utf8_of(utf16: &[u8], out: &mut [u8]) -> Option<usize> {
    let units = utf16.len() / 2;
    let out = out.get_mut(..3 * units)?;
    match ascii_of(utf16, &mut out[..units]) {
        true => Some(units),
        false => Some(any_of(utf16, out)),
    }
}

/// False where something is no ASCII.
#[inline]
fn ascii_of(utf16: &[u8], out: &mut [u8]) -> bool {
    let mut seen = 0;
    for (byte, unit) in out.iter_mut().zip(units_of(utf16)) {
        seen |= unit;
        *byte = unit as u8;
    }
    seen < 0x80
}

fn any_of(utf16: &[u8], out: &mut [u8]) -> usize {
    let mut written = 0;
    for character in char::decode_utf16(units_of(utf16)) {
        let character = character.unwrap_or('?');
        written += character.encode_utf8(&mut out[written..]).len();
    }
    written
}

fn units_of(utf16: &[u8]) -> impl Iterator<Item = u16> {
    utf16.as_chunks::<2>().0.iter().map(|unit| u16::from_ne_bytes(*unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf8(units: &[u16]) -> Vec<u8> {
        let utf16: Vec<u8> = units.iter().flat_map(|unit| unit.to_ne_bytes()).collect();
        let mut out = vec![0xff; 3 * units.len()];
        let length = utf8_of(&utf16, &mut out).expect("there is room");
        out.truncate(length);
        out
    }

    #[test]
    fn text_of_every_kind_is_as_rust_has_it() {
        let all = "a\u{7f}\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}\0".repeat(20);
        for text in ["", "a", "grüße", &"x".repeat(200), &all] {
            assert_eq!(utf8(&text.encode_utf16().collect::<Vec<_>>()), text.as_bytes());
        }
    }

    #[test]
    fn surrogates_without_their_pair_are_question_marks() {
        let (high, low, a) = (0xd83d, 0xde00, u16::from(b'a'));
        for (units, expected) in [
            (&[high][..], "?"),
            (&[low], "?"),
            (&[low, high], "??"),
            (&[high, high, low], "?😀"),
            (&[high, a], "?a"),
            (&[a, low, a], "a?a"),
            (&[high, low, low], "😀?"),
        ] {
            assert_eq!(utf8(units), expected.as_bytes(), "{units:x?}");
        }
    }

    #[test]
    fn nothing_is_written_where_there_is_no_room() {
        let mut out = [b'!'; 5];
        assert_eq!((utf8_of(&[0; 4], &mut out), out), (None, [b'!'; 5]));
    }
}
