//! The next quote, backslash or tilde of a line, sixty-four bytes at a look: the strings of a log line are so short that a
//! search begun anew for each of them takes longer than all of the rest. With a tilde begins all that looks like a token.

/// Follows a line from left to right.
pub struct Specials<'a> {
    line: &'a [u8],
    /// Where the block begins that `mask` is of.
    start: usize,
    /// A bit for each of them.
    mask: u64,
}

const BLOCK: usize = 64;

impl<'a> Specials<'a> {
    pub fn new(line: &'a [u8]) -> Self {
        Self { line, start: 0, mask: mask_at(line, 0) }
    }

    /// Where the first one is from `from` on, which is never before that of the last call.
    #[inline]
    pub fn next(&mut self, from: usize) -> Option<usize> {
        let step = from - self.start;
        if step < BLOCK {
            let mask = self.mask >> step;
            if mask != 0 {
                return Some(from + mask.trailing_zeros() as usize);
            }
        }
        self.next_block(from)
    }

    #[inline(never)]
    fn next_block(&mut self, from: usize) -> Option<usize> {
        let start = from.max(self.start + BLOCK);
        let mut block = start / BLOCK * BLOCK;
        let mut mask = mask_at(self.line, block) & (u64::MAX << (start - block));
        while mask == 0 {
            block += BLOCK;
            if block >= self.line.len() {
                return None;
            }
            mask = mask_at(self.line, block);
        }
        (self.start, self.mask) = (block, mask);
        Some(block + mask.trailing_zeros() as usize)
    }
}

#[inline]
fn mask_at(line: &[u8], start: usize) -> u64 {
    let rest = line.get(start..).unwrap_or_default();
    match rest.first_chunk() {
        Some(whole) => mask_of(whole),
        None => {
            let mut last = [0; BLOCK];
            last[..rest.len()].copy_from_slice(rest);
            mask_of(&last)
        }
    }
}

/// A bit for each byte that is a quote, a backslash or a tilde.
#[cfg(target_arch = "x86_64")]
#[inline]
fn mask_of(block: &[u8; BLOCK]) -> u64 {
    #[allow(unsafe_code, reason = "the compiler does not know by itself that this processor can")]
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        mask_by_sse2(block)
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
fn mask_by_sse2(block: &[u8; BLOCK]) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8};
    let [quote, backslash, tilde] = [b'"', b'\\', b'~'].map(|byte| _mm_set1_epi8(byte as i8));
    let (lanes, _) = block.as_chunks::<16>();
    lanes.iter().rev().fold(0, |mask, lane| {
        let lane = u128::from_le_bytes(*lane);
        let lane = _mm_set_epi64x((lane >> 64) as i64, lane as i64);
        let found = _mm_or_si128(_mm_cmpeq_epi8(lane, quote), _mm_cmpeq_epi8(lane, backslash));
        let found = _mm_or_si128(found, _mm_cmpeq_epi8(lane, tilde));
        mask << 16 | u64::from(_mm_movemask_epi8(found).cast_unsigned())
    })
}

/// The same, written so that compilers compare many bytes at a time.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn mask_of(block: &[u8; BLOCK]) -> u64 {
    let flags = block.map(|byte| u8::from(byte == b'"') | u8::from(byte == b'\\') | u8::from(byte == b'~'));
    let (words, _) = flags.as_chunks::<8>();
    let bits = words.iter().map(|word| {
        // The multiplication moves bit 0 of byte n to bit 56 + n.
        u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56
    });
    bits.rev().fold(0, |mask, bits| mask << 8 | bits)
}

/// The first quote from `start` on. A backslash takes the next byte with it.
#[inline]
pub fn closing_quote(line: &[u8], mut start: usize) -> Option<usize> {
    loop {
        let found = start + memchr::memchr2(b'"', b'\\', line.get(start..)?)?;
        if line[found] == b'"' {
            return Some(found);
        }
        start = found + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_one_is_found_wherever_it_is() {
        for length in [0, 1, 63, 64, 65, 130] {
            for (first, second) in
                (0..length).flat_map(|first| (first..length).map(move |second| (first, second)))
            {
                let mut line = vec![b'x'; length];
                (line[first], line[second]) = (b'"', if second % 2 == 0 { b'\\' } else { b'~' });
                let all: Vec<_> = (0..length).filter(|at| b"\"\\~".contains(&line[*at])).collect();
                for skipped in [0, 1, 62, 63, 64, 65] {
                    let mut specials = Specials::new(&line);
                    let naive = all.iter().copied().find(|at| *at >= skipped);
                    assert_eq!(specials.next(skipped), naive);
                    let Some(found) = naive else { continue };
                    assert_eq!(specials.next(found + 1), all.iter().copied().find(|at| *at > found));
                    assert!(specials.next(length + 1).is_none());
                }
            }
        }
    }
}
