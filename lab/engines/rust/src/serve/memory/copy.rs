//! The yardstick in memory: the input copied into an output.

use super::{Library, Use, Work, work};
use crate::model::Secrets;
use crate::protocol::Answer;

pub struct Copy;

impl Library for Copy {
    fn name(&self) -> &'static str {
        "copy"
    }

    fn version(&self) -> String {
        sealmark_lab::version()
    }

    fn work(&mut self, algorithm: &str, reuse: Use, _: &Secrets) -> Result<Option<Box<dyn Work>>, Answer> {
        Ok((algorithm == "none").then(|| match reuse {
            Use::AsWritten => work(into_new, into_new),
            Use::Tuned => work(into_old, into_old),
        }))
    }

    fn code(&self, _algorithm: &str) -> String {
        "the standard library's copy of a slice".into()
    }
}

fn into_new(_number: u64, input: &[u8], output: &mut Vec<u8>) -> super::work::Outcome {
    *output = input.to_vec();
    Ok(())
}

fn into_old(_number: u64, input: &[u8], output: &mut Vec<u8>) -> super::work::Outcome {
    output.clear();
    output.extend_from_slice(input);
    Ok(())
}
