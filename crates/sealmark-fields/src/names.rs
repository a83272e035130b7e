//! Names of fields as they are typed, and the labels that their values get.

use crate::Refused;
use sealmark::record::Label;

/// The names of some fields, each with the place of its label.
pub struct Names(Vec<(Box<[u8]>, usize)>);

/// The most characters that a label can have (spec/record.md, "Grammar").
const MAX_LABEL: usize = 64;

impl Names {
    /// Adds a label for each name to those of the others.
    pub fn new(typed: &[String], labels: &mut Vec<Label>) -> Result<Self, Refused> {
        let name = |name: &String| Ok((name.as_bytes().into(), add_label(name, labels)?));
        Ok(Self(typed.iter().map(name).collect::<Result<_, Refused>>()?))
    }

    /// The label of a name that is written just so.
    #[inline]
    pub fn find(&self, written: &[u8]) -> Option<usize> {
        self.find_by(|name| name == written)
    }

    /// The label of the first name that is the same.
    #[inline]
    pub fn find_by(&self, same: impl Fn(&[u8]) -> bool) -> Option<usize> {
        self.0.iter().find(|(name, _)| same(name)).map(|(_, label)| *label)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A name becomes its own label; a character that no label has becomes `_`, and what is too long is cut.
pub fn add_label(name: &str, labels: &mut Vec<Label>) -> Result<usize, Refused> {
    let plain = |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
    let characters = name.chars().take(MAX_LABEL);
    let label: String = characters.map(|character| if plain(character) { character } else { '_' }).collect();
    labels.push(Label::new(&label)?);
    Ok(labels.len() - 1)
}
