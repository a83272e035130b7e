//! `--pad`: how much of a value's length its token tells, for all values or by label.

use sealmark::record::{Label, MAX_PLAINTEXT, Padding};
use sealmark_fields::Fields;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::str::FromStr;

/// The label of lines that are sealed as a whole.
pub const LINE: &str = "line";

/// A padding as it was typed: `16`, or `consent=64`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pad {
    /// None: all values whose label has no padding of its own.
    label: Option<String>,
    padding: Padding,
}

impl Pad {
    /// `*` stands for all labels, and 0 for no padding.
    pub fn new(label: Option<&str>, bytes: usize) -> Result<Self, String> {
        let padding = NonZeroUsize::new(bytes).map_or(Ok(Padding::NONE), Padding::multiple_of);
        let padding = padding.map_err(|_| format!("values are padded to at most {MAX_PLAINTEXT} bytes"))?;
        Ok(Self { label: label.filter(|label| *label != "*").map(str::to_owned), padding })
    }
}

impl FromStr for Pad {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (label, bytes) =
            text.rsplit_once('=').map_or((None, text), |(label, bytes)| (Some(label), bytes));
        let bytes =
            bytes.parse().map_err(|_| "write a number of bytes such as 16, or consent=64".to_owned())?;
        Self::new(label, bytes)
    }
}

/// The padding of every value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pads {
    all: Padding,
    labels: Vec<(String, Padding)>,
}

impl Pads {
    /// # Errors
    /// The message about a padding that was typed twice.
    pub fn new(typed: &[Pad]) -> Result<Self, String> {
        for (index, pad) in typed.iter().enumerate() {
            if typed[..index].iter().any(|other| other.label == pad.label) {
                let label = pad.label.as_deref().unwrap_or("all values");
                return Err(format!("two paddings are given for {label}"));
            }
        }
        let all = typed.iter().find(|pad| pad.label.is_none()).map_or(Padding::NONE, |pad| pad.padding);
        let labels = typed.iter().filter_map(|pad| Some((pad.label.clone()?, pad.padding))).collect();
        Ok(Self { all, labels })
    }

    /// # Errors
    /// The message about a label that no rule gives to a value, and the labels that there are.
    pub fn check(&self, fields: &Fields) -> Result<(), (String, String)> {
        let known: BTreeSet<_> = fields.labels().map(Label::as_str).chain([LINE]).collect();
        match self.labels.iter().find(|(label, _)| !known.contains(label.as_str())) {
            None => Ok(()),
            Some((label, _)) => {
                let known = known.into_iter().collect::<Vec<_>>().join(", ");
                Err((format!("the padding names the label {label:?}, which no rule gives to a value"), known))
            }
        }
    }

    /// The padding of a value.
    pub fn of(&self, label: &Label, length: usize) -> Padding {
        let own = self.labels.iter().find(|(own, _)| own == label.as_str());
        let padding = own.map_or(self.all, |(_, padding)| *padding);
        // A value that is longer than the last multiple that a token can hold tells that, and no more.
        match padding {
            _ if length <= padding.max_value() => padding,
            _ if length < MAX_PLAINTEXT => NonZeroUsize::new(MAX_PLAINTEXT)
                .and_then(|most| Padding::multiple_of(most).ok())
                .unwrap_or(padding),
            _ => Padding::NONE,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use sealmark_fields::Selection;

    fn multiple(bytes: usize) -> Padding {
        Padding::multiple_of(NonZeroUsize::new(bytes).unwrap()).unwrap()
    }

    fn pads(typed: &[&str]) -> Result<Pads, String> {
        Pads::new(&typed.iter().map(|pad| pad.parse()).collect::<Result<Vec<_>, _>>()?)
    }

    #[test]
    fn a_label_has_a_padding_of_its_own() {
        let pads = pads(&["16", "consent=64", "email=0"]).unwrap();
        let of = |label: &str, length| pads.of(&Label::new(label).unwrap(), length);
        assert_eq!(
            (of("consent", 4), of("email", 4), of("ip", 4)),
            (multiple(64), Padding::NONE, multiple(16))
        );
        // A value of any length is sealed.
        assert_eq!(of("ip", MAX_PLAINTEXT - 1), multiple(16));
        assert_eq!(of("ip", MAX_PLAINTEXT), Padding::NONE);
        let odd = super::Pads { all: multiple(1000), labels: Vec::new() };
        assert_eq!(odd.of(&Label::new("ip").unwrap(), MAX_PLAINTEXT - 1), multiple(MAX_PLAINTEXT));
    }

    #[test]
    fn nothing_that_is_typed_is_left_aside() {
        assert_eq!(pads(&["*=8"]).unwrap(), pads(&["8"]).unwrap());
        for twice in [&["8", "16"][..], &["*=8", "16"], &["a=1", "b=2", "a=1"]] {
            assert!(pads(twice).unwrap_err().starts_with("two paddings"), "{twice:?}");
        }
        for odd in ["", "x", "a=", "a=-1", "1048577"] {
            assert!(odd.parse::<Pad>().is_err(), "{odd}");
        }
        let fields =
            Fields::new(&Selection { json: vec!["consent".into(), "a b".into()], ..Selection::default() });
        let check = |typed: &str| pads(&[typed]).unwrap().check(fields.as_ref().unwrap());
        for known in ["8", "consent=8", "a_b=8", "line=8", "lookalike=8"] {
            assert_eq!(check(known), Ok(()), "{known}");
        }
        assert_eq!(check("conset=8").unwrap_err().1, "a_b, consent, line, lookalike");
    }
}
