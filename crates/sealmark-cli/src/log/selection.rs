//! Which fields of a line are to be sealed, as they were typed.

use super::args::LogSeal;
use crate::fault::Fault;
use sealmark_fields::{Fields, Refused, Selection};

pub fn fields(args: &LogSeal) -> Result<Fields, Fault> {
    let selection = Selection { json: args.json.clone(), patterns: args.patterns.clone() };
    Fields::new(&selection).map_err(|refused| match refused {
        Refused::Label(error) => error.into(),
        Refused::Empty => {
            Fault::usage(refused.to_string()).hint("name one with --json PATH or --regex PATTERN")
        }
        Refused::Pattern(_) => Fault::usage(refused.to_string()).hint(
            "the syntax is that of https://docs.rs/regex; it has no look-around and no back-references",
        ),
    })
}
