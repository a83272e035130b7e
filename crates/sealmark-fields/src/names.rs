//! Names of fields as they are typed, the labels that their values get, and how many values each name found.

use crate::{Refused, Span};
use sealmark::record::Label;
use std::sync::atomic::{AtomicU64, Ordering};

/// The labels of all values, and the rules that they belong to.
#[derive(Default)]
pub struct Labels {
    pub labels: Vec<Label>,
    /// By label, the rule that finds its values; none where several rules may have meant them.
    pub rule_of: Vec<Option<usize>>,
    pub rules: Vec<Rule>,
    /// The rule that labels are added to.
    current: Option<usize>,
}

/// A name or a pattern as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The flag that it was typed behind.
    pub flag: &'static str,
    /// The name or the pattern.
    pub name: String,
    /// True where the name may be a slip: it is none of a fixed list.
    pub is_free: bool,
}

/// The labels, and how many values each got. One thread counts.
pub struct Tally {
    pub labels: Labels,
    counts: Vec<AtomicU64>,
}

impl Tally {
    pub fn new(labels: Labels) -> Self {
        let counts = labels.labels.iter().map(|_| AtomicU64::new(0)).collect();
        Self { labels, counts }
    }

    #[inline]
    pub fn count(&self, spans: &[Span]) {
        for span in spans {
            // To add in one step costs more than to find a value.
            let count = &self.counts[span.label];
            count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
    }

    /// The rules, each with the values that it found.
    pub fn rules(&self) -> impl Iterator<Item = (&Rule, u64)> {
        self.labels.rules.iter().enumerate().map(|(rule, typed)| {
            let labels =
                self.labels.rule_of.iter().zip(&self.counts).filter(move |(of, _)| **of == Some(rule));
            (typed, labels.map(|(_, count)| count.load(Ordering::Relaxed)).sum())
        })
    }

    /// The values that got a label.
    pub fn of_label(&self, label: usize) -> u64 {
        self.counts[label].load(Ordering::Relaxed)
    }
}

/// The names of some fields, each with the place of its label.
pub struct Names(Vec<(Box<[u8]>, usize)>);

/// The most characters that a label can have (spec/record.md, "Grammar").
const MAX_LABEL: usize = 64;

impl Labels {
    /// The labels that follow are of this rule.
    pub fn begin(&mut self, flag: &'static str, name: &str, is_free: bool) {
        self.current = Some(self.rules.len());
        self.rules.push(Rule { flag, name: name.to_owned(), is_free });
    }

    /// The labels that follow are of no rule.
    pub fn end(&mut self) {
        self.current = None;
    }

    /// A name becomes its own label; a character that no label has becomes `_`, and what is too long is cut.
    pub fn add(&mut self, name: &str) -> Result<usize, Refused> {
        let plain = |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
        let characters = name.chars().take(MAX_LABEL);
        let label: String =
            characters.map(|character| if plain(character) { character } else { '_' }).collect();
        self.add_exact(&label)
    }

    /// A name that is a label already.
    pub fn add_exact(&mut self, label: &str) -> Result<usize, Refused> {
        self.labels.push(Label::new(label)?);
        self.rule_of.push(self.current);
        Ok(self.labels.len() - 1)
    }
}

impl Names {
    /// Adds a rule and a label for each name to those of the others.
    pub fn new(flag: &'static str, typed: &[String], labels: &mut Labels) -> Result<Self, Refused> {
        let name = |name: &String| {
            labels.begin(flag, name, true);
            Ok((name.as_bytes().into(), labels.add(name)?))
        };
        let names = typed.iter().map(name).collect::<Result<_, Refused>>()?;
        Ok(Self(names))
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

    /// The names in the order of their labels.
    pub fn written(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(|(name, _)| &name[..])
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
