//! The one loop that every library's operations run in, compiled anew for each of them.

use std::hint::black_box;

/// The outcome of one operation. It is one byte, so that it travels in a register.
pub type Outcome = Result<(), Failure>;

/// Why an operation made no output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The data is not to be trusted.
    Refused,
    /// The library takes nothing this long.
    #[cfg_attr(not(feature = "openssl"), allow(dead_code, reason = "only OpenSSL counts bytes in C's int"))]
    Limited,
    /// Anything else.
    Failed,
}

/// Both directions of an algorithm, many times over. The last output stays in `output`.
pub trait Work {
    /// Seals or encodes as the operations numbered from `first`.
    fn forward(&mut self, first: u64, count: u64, input: &[u8], output: &mut Vec<u8>) -> Outcome;
    /// Opens or decodes what operation number `first` made.
    fn back(&mut self, first: u64, count: u64, input: &[u8], output: &mut Vec<u8>) -> Outcome;
}

/// Puts the loop around one operation forward and one back; each is given its number, its input and the output that
/// the operation before left.
pub fn work<F, B>(forward: F, back: B) -> Box<dyn Work>
where
    F: FnMut(u64, &[u8], &mut Vec<u8>) -> Outcome + 'static,
    B: FnMut(u64, &[u8], &mut Vec<u8>) -> Outcome + 'static,
{
    Box::new(Pair { forward, back })
}

struct Pair<F, B> {
    forward: F,
    back: B,
}

impl<F, B> Work for Pair<F, B>
where
    F: FnMut(u64, &[u8], &mut Vec<u8>) -> Outcome,
    B: FnMut(u64, &[u8], &mut Vec<u8>) -> Outcome,
{
    fn forward(&mut self, first: u64, count: u64, input: &[u8], output: &mut Vec<u8>) -> Outcome {
        repeat(first, 1, count, input, output, &mut self.forward)
    }

    fn back(&mut self, first: u64, count: u64, input: &[u8], output: &mut Vec<u8>) -> Outcome {
        repeat(first, 0, count, input, output, &mut self.back)
    }
}

/// Sixteen at a time, or counting would show beside the shortest operations.
#[inline(always)]
fn repeat(
    first: u64,
    step: u64,
    count: u64,
    input: &[u8],
    output: &mut Vec<u8>,
    operation: &mut impl FnMut(u64, &[u8], &mut Vec<u8>) -> Outcome,
) -> Outcome {
    let mut number = first;
    // Out of the compiler's sight from here on, so that after each operation it must think that somebody has looked
    // at the output and changed the input: an empty black box says so, and costs no instruction.
    let (input, output) = (black_box(input), black_box(output));
    let mut once = || {
        operation(number, input, output)?;
        black_box(());
        number = number.wrapping_add(step);
        Ok(())
    };
    let mut four = || {
        once()?;
        once()?;
        once()?;
        once()
    };
    for _ in 0..count / 16 {
        four()?;
        four()?;
        four()?;
        four()?;
    }
    (0..count % 16).try_for_each(|_| once())
}
