//! The crate base64: its portable engine, which is what a caller gets without asking for another.

use super::work::Outcome;
use super::{Failure, Library, Use, Work, versions, work};
use crate::model::{MIME_LINE, MIME_LINE_PLAIN, Secrets};
use crate::protocol::Answer;
use ::base64::Engine;
use ::base64::engine::GeneralPurpose;
use ::base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};

pub struct Base64;

impl Library for Base64 {
    fn name(&self) -> &'static str {
        "base64"
    }

    fn version(&self) -> String {
        versions::locked("base64").into()
    }

    fn work(&mut self, algorithm: &str, reuse: Use, _: &Secrets) -> Result<Option<Box<dyn Work>>, Answer> {
        Ok(match (algorithm, reuse) {
            ("base64", Use::AsWritten) => Some(as_written(&BASE64_STANDARD)),
            ("base64", Use::Tuned) => Some(tuned(&BASE64_STANDARD)),
            ("base64url", Use::AsWritten) => Some(as_written(&BASE64_URL_SAFE_NO_PAD)),
            ("base64url", Use::Tuned) => Some(tuned(&BASE64_URL_SAFE_NO_PAD)),
            ("base64-mime", Use::AsWritten) => Some(mime_as_written()),
            ("base64-mime", Use::Tuned) => Some(mime_tuned()),
            _ => None,
        })
    }

    fn code(&self, algorithm: &str) -> String {
        let lines = if algorithm == "base64-mime" { ", broken into lines by this engine" } else { "" };
        format!("{}, GeneralPurpose engine (portable){lines}", versions::named("base64"))
    }
}

fn as_written(engine: &'static GeneralPurpose) -> Box<dyn Work> {
    work(
        |_, input, output| {
            *output = engine.encode(input).into_bytes();
            Ok(())
        },
        |_, input, output| {
            *output = engine.decode(input).map_err(|_| Failure::Refused)?;
            Ok(())
        },
    )
}

fn tuned(engine: &'static GeneralPurpose) -> Box<dyn Work> {
    work(
        |_, input, output| {
            output.resize(input.len().div_ceil(3) * 4, 0);
            let length = engine.encode_slice(input, output).map_err(|_| Failure::Failed)?;
            output.truncate(length);
            Ok(())
        },
        |_, input, output| {
            output.resize(input.len().div_ceil(4) * 3, 0);
            let length = engine.decode_slice(input, output).map_err(|_| Failure::Refused)?;
            output.truncate(length);
            Ok(())
        },
    )
}

/// The crate has no lines; this is how its users make them.
fn mime_as_written() -> Box<dyn Work> {
    work(
        |_, input, output| {
            *output = Vec::new();
            encode_lines(input, output)
        },
        |_, input, output| {
            let joined: Vec<u8> = input.iter().copied().filter(|byte| !b"\r\n".contains(byte)).collect();
            *output = BASE64_STANDARD.decode(joined).map_err(|_| Failure::Refused)?;
            Ok(())
        },
    )
}

fn mime_tuned() -> Box<dyn Work> {
    work(
        |_, input, output| {
            output.clear();
            encode_lines(input, output)
        },
        |_, input, output| {
            output.clear();
            input.split_inclusive(|byte| *byte == b'\n').try_for_each(|line| decode_line(line, output))
        },
    )
}

fn encode_lines(input: &[u8], output: &mut Vec<u8>) -> Outcome {
    for part in input.chunks(MIME_LINE_PLAIN) {
        if !output.is_empty() {
            output.extend_from_slice(b"\r\n");
        }
        let (start, length) = (output.len(), part.len().div_ceil(3) * 4);
        output.resize(start + length, 0);
        BASE64_STANDARD.encode_slice(part, &mut output[start..]).map_err(|_| Failure::Failed)?;
    }
    Ok(())
}

/// Whole lines hold whole groups of four, so each can be decoded by itself.
fn decode_line(line: &[u8], output: &mut Vec<u8>) -> Outcome {
    let text = line.strip_suffix(b"\r\n").unwrap_or(line);
    if text.len() > MIME_LINE {
        return Err(Failure::Refused);
    }
    BASE64_STANDARD.decode_vec(text, output).map_err(|_| Failure::Refused)
}
