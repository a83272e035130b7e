//! Java's characters as UTF-8.

/// Writes UTF-16 in the machine's order as UTF-8, as `String.getBytes` has it: a surrogate without its pair becomes `?`.
/// Returns how many bytes it took; `None` where three for each character have no room.
pub fn utf8_of(utf16: &[u8], out: &mut [u8]) -> Option<usize> {
    let units = utf16.len() / 2;
    let out = out.get_mut(..3 * units)?;
    if ascii_of(utf16, &mut out[..units]) { Some(units) } else { Some(any_of(utf16, out)) }
}

/// False where something is no ASCII: `out`, which is as long, then holds nothing of use.
#[inline]
fn ascii_of(utf16: &[u8], out: &mut [u8]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if out.len() >= avx512::WORTHWHILE && avx512::is_here() {
        return avx512::ascii_of(utf16, out);
    }
    ascii_of_anywhere(utf16, out)
}

fn ascii_of_anywhere(utf16: &[u8], out: &mut [u8]) -> bool {
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

/// Thirty-two characters at a time: without this, a long text takes longer to be narrowed than to be encrypted.
#[cfg(target_arch = "x86_64")]
#[allow(
    unsafe_code,
    reason = "instructions that not every processor has, on memory that was measured before"
)]
mod avx512 {
    use std::arch::x86_64::{
        _mm256_mask_storeu_epi8, _mm512_cvtepi16_epi8, _mm512_maskz_loadu_epi16, _mm512_or_si512,
        _mm512_set1_epi16, _mm512_setzero_si512, _mm512_test_epi16_mask,
    };

    /// A short text was written by the JVM an instant ago, in smaller pieces: to be read in larger ones, it would have to
    /// reach the cache first.
    pub const WORTHWHILE: usize = 256;

    const STEP: usize = 32;

    pub fn is_here() -> bool {
        is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512f")
    }

    pub fn ascii_of(utf16: &[u8], out: &mut [u8]) -> bool {
        let length = out.len().min(utf16.len() / 2);
        // SAFETY: the processor has the instructions, and both are as long as is said.
        unsafe { narrow(utf16.as_ptr(), out.as_mut_ptr(), length) }
    }

    /// # Safety
    /// `from` is good for `length` characters of two bytes to be read, `to` for as many bytes.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    unsafe fn narrow(mut from: *const u8, mut to: *mut u8, mut length: usize) -> bool {
        let mut seen = _mm512_setzero_si512();
        while length > 0 {
            let taken = length.min(STEP);
            let mask = u32::MAX >> (STEP - taken);
            // SAFETY: the caller promises `length` units and as many bytes; the mask keeps the last step within both.
            unsafe {
                let units = _mm512_maskz_loadu_epi16(mask, from.cast());
                seen = _mm512_or_si512(seen, units);
                _mm256_mask_storeu_epi8(to.cast(), mask, _mm512_cvtepi16_epi8(units));
                (from, to, length) = (from.add(2 * taken), to.add(taken), length - taken);
            }
        }
        _mm512_test_epi16_mask(seen, _mm512_set1_epi16(!0x7f)) == 0
    }
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
    fn ascii_of_every_length_is_told_from_the_rest_and_nothing_is_written_beside() {
        for length in (0..70).chain([255, 256, 300]) {
            let units: Vec<u16> = (0..length).map(|at| at as u16 % 127 + 1).collect();
            for no_ascii in (0..length).map(Some).chain([None]) {
                let mut units = units.clone();
                no_ascii.into_iter().for_each(|at| units[at] |= 0x80 << (at % 9));
                let utf16: Vec<u8> = units.iter().flat_map(|unit| unit.to_ne_bytes()).collect();
                for ascii_of in [ascii_of, ascii_of_anywhere] {
                    let mut out = vec![b'!'; length + 64];
                    assert_eq!(ascii_of(&utf16, &mut out[32..32 + length]), no_ascii.is_none(), "{units:?}");
                    assert!(out[..32].iter().chain(&out[32 + length..]).all(|byte| *byte == b'!'));
                    if no_ascii.is_none() {
                        assert!(out[32..].iter().zip(&units).all(|(byte, unit)| u16::from(*byte) == *unit));
                    }
                }
            }
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
