//! simdutf's base64, by the crate simdutf.

use super::work::Outcome;
use super::{Failure, Library, Use, Work, unsupported, versions, work};
use crate::model::Secrets;
use crate::protocol::Answer;
use ::simdutf::{
    Base64Options, ErrorCode, LastChunkHandlingOptions, base64_to_binary, binary_to_base64,
    maximal_binary_length_from_base64,
};

pub struct Simdutf;

impl Library for Simdutf {
    fn name(&self) -> &'static str {
        "simdutf"
    }

    fn version(&self) -> String {
        versions::locked("simdutf").into()
    }

    fn work(&mut self, algorithm: &str, reuse: Use, _: &Secrets) -> Result<Option<Box<dyn Work>>, Answer> {
        let alphabet = match algorithm {
            "base64" => Alphabet { padded: true },
            "base64url" => Alphabet { padded: false },
            "base64-mime" => return Err(unsupported("simdutf breaks lines with LF, MIME with CR LF")),
            _ => return Ok(None),
        };
        Ok(Some(match reuse {
            Use::AsWritten => as_written(alphabet),
            Use::Tuned => tuned(alphabet),
        }))
    }

    fn code(&self, _algorithm: &str) -> String {
        format!("{}, {}", versions::named("simdutf"), versions::processor())
    }
}

#[derive(Clone, Copy)]
struct Alphabet {
    padded: bool,
}

impl Alphabet {
    fn options(self) -> Base64Options {
        if self.padded { Base64Options::Default } else { Base64Options::Url }
    }

    /// Strict wants padding, which base64url here has not.
    fn last_chunk(self) -> LastChunkHandlingOptions {
        if self.padded { LastChunkHandlingOptions::Strict } else { LastChunkHandlingOptions::Loose }
    }

    fn encoded_length(self, plain: usize) -> usize {
        if self.padded { plain.div_ceil(3) * 4 } else { (plain * 4).div_ceil(3) }
    }
}

fn as_written(alphabet: Alphabet) -> Box<dyn Work> {
    work(
        move |_, input, output| {
            *output = Vec::new();
            encode(alphabet, input, output)
        },
        move |_, input, output| {
            *output = Vec::new();
            decode(alphabet, input, output)
        },
    )
}

fn tuned(alphabet: Alphabet) -> Box<dyn Work> {
    work(
        move |_, input, output| encode(alphabet, input, output),
        move |_, input, output| decode(alphabet, input, output),
    )
}

#[inline]
#[allow(unsafe_code, reason = "the crate has no safe functions for base64")]
fn encode(alphabet: Alphabet, input: &[u8], output: &mut Vec<u8>) -> Outcome {
    output.resize(alphabet.encoded_length(input.len()), 0);
    // SAFETY: the input is readable for its length, and the output writable for the length of its encoding.
    let length =
        unsafe { binary_to_base64(input.as_ptr(), input.len(), output.as_mut_ptr(), alphabet.options()) };
    if length == output.len() { Ok(()) } else { Err(Failure::Failed) }
}

#[inline]
#[allow(unsafe_code, reason = "the crate has no safe functions for base64")]
fn decode(alphabet: Alphabet, input: &[u8], output: &mut Vec<u8>) -> Outcome {
    // SAFETY: the input is readable for its length.
    output.resize(unsafe { maximal_binary_length_from_base64(input.as_ptr(), input.len()) }, 0);
    let (options, last_chunk) = (alphabet.options(), alphabet.last_chunk());
    // SAFETY: the output is writable for the length that the library itself asked for.
    let result =
        unsafe { base64_to_binary(input.as_ptr(), input.len(), output.as_mut_ptr(), options, last_chunk) };
    if result.error != ErrorCode::Success {
        return Err(Failure::Refused);
    }
    output.truncate(result.count);
    Ok(())
}
