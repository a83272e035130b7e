//! Names of fields as they are typed, the labels that their values get, and how many values each name found.

use crate::error::SelectionError;
use crate::paths::Glob;
use crate::selection::List;
use crate::span::Span;
use sealmark::record::Label;
use std::sync::atomic::{AtomicU64, Ordering};

/// The labels of all values, the rules that they belong to, and how many values each got. One thread counts.
#[derive(Default)]
pub struct Labels {
    labels: Vec<Counted>,
    rules: Vec<Rule>,
    /// The rule that labels are added to.
    current: Option<usize>,
    /// Names that stay in the clear, and that no rule seals.
    idle: Vec<String>,
    /// The field that rules are about, and its label, which labels begin with.
    field: Option<(String, String)>,
}

struct Counted {
    label: Label,
    /// The rule that finds its values; none where several rules may have meant them.
    rule: Option<usize>,
    values: AtomicU64,
}

/// A name or a pattern as it was typed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Rule {
    /// The list that has it.
    pub list: List,
    /// The field whose text the rule is for; `None` if it is for whole lines.
    pub field: Option<String>,
    /// The name or the pattern.
    pub name: String,
    /// True if the name may be mistyped, because it does not come from a fixed list.
    pub is_free: bool,
}

/// The names of some fields, each with the place of its label.
pub struct Names {
    exact: Vec<(Box<[u8]>, usize)>,
    /// Names that stay in the clear have no label, and come first.
    globs: Vec<(Glob, Option<usize>)>,
}

/// The label of values whose name nobody typed.
pub const UNNAMED: &str = "match";
/// The label of parameters in a query that have no label of their own.
pub const PARAMETER: &str = "query";
/// The most characters that a label can have (spec/record.md, "Grammar").
const MAX_LABEL: usize = 64;

impl Labels {
    /// The labels that follow are of this rule.
    pub fn begin(&mut self, list: List, name: &str, is_free: bool) {
        // One name can be a parameter's and a field's.
        let known = self.rules.iter().position(|rule| {
            rule.list == list
                && rule.name == name
                && rule.field.as_ref() == self.field.as_ref().map(|field| &field.0)
        });
        self.current = Some(known.unwrap_or(self.rules.len()));
        match known {
            Some(rule) => self.rules[rule].is_free |= is_free,
            None => {
                let field = self.field.as_ref().map(|field| field.0.clone());
                let name = name.to_owned();
                self.rules.push(Rule { list, field, name, is_free });
            }
        }
    }

    /// The rules that follow are about the field with this label, and their labels begin with it; returns what they were about
    /// before.
    pub fn enter(&mut self, field: &str, label: usize) -> Option<(String, String)> {
        let label = self.labels[label].label.to_string();
        self.field.replace((field.to_owned(), label))
    }

    /// The rules that follow are about what they were about before.
    pub fn leave(&mut self, outer: Option<(String, String)>) {
        self.field = outer;
    }

    /// A name that stays in the clear, though no rule seals it.
    pub fn add_idle(&mut self, name: String) {
        self.idle.push(name);
    }

    pub fn idle(&self) -> &[String] {
        &self.idle
    }

    /// The labels that follow are of no rule.
    pub fn end(&mut self) {
        self.current = None;
    }

    /// A name becomes its own label; a character that no label has becomes `_`, and what is too long is cut.
    pub fn add(&mut self, name: &str) -> Result<usize, SelectionError> {
        let plain = |character: char| character.is_ascii_alphanumeric() || "._-".contains(character);
        let characters = name.chars().take(MAX_LABEL);
        let label: String =
            characters.map(|character| if plain(character) { character } else { '_' }).collect();
        self.add_exact(&label)
    }

    /// The label of a path. Where it has wildcards, it is the path's last name, or the names before the first wildcard; a reader
    /// compares it with the name that stands before a token, and with `match` it does not.
    pub fn add_path(&mut self, path: &str, is_wild: bool) -> Result<usize, SelectionError> {
        let last = path.rsplit('.').next().unwrap_or(path);
        let before = path.split('*').next().unwrap_or_default();
        match is_wild {
            false => self.add(path),
            true if !last.contains('*') => self.add(last),
            true => match before.strip_suffix('.') {
                Some(before) => self.add(before),
                None => self.add(UNNAMED),
            },
        }
    }

    /// Another label of the same name, whose values no rule counts.
    pub fn add_again(&mut self, label: usize) -> usize {
        self.push(self.labels[label].label.clone(), None)
    }

    /// A name that is a label already.
    pub fn add_exact(&mut self, label: &str) -> Result<usize, SelectionError> {
        // Values without a name have none of the field's either: a reader compares labels with what stands before a token.
        let field = self.field.as_ref().filter(|_| ![UNNAMED, PARAMETER].contains(&label));
        let label = match field {
            Some((_, field)) => format!("{field}.{label}").chars().take(MAX_LABEL).collect(),
            None => label.to_owned(),
        };
        Ok(self.push(Label::new(&label)?, self.current))
    }

    /// Another label of the same name, whose values the same rule counts.
    pub fn add_for_rule_of(&mut self, label: usize) -> usize {
        let Counted { label, rule, .. } = &self.labels[label];
        self.push(label.clone(), *rule)
    }

    fn push(&mut self, label: Label, rule: Option<usize>) -> usize {
        self.labels.push(Counted { label, rule, values: AtomicU64::new(0) });
        self.labels.len() - 1
    }

    /// The rule that values with this label belong to.
    pub fn rule_of(&self, label: usize) -> Option<&Rule> {
        self.labels[label].rule.map(|rule| &self.rules[rule])
    }

    /// The name of values with this label.
    pub fn label(&self, label: usize) -> &Label {
        &self.labels[label].label
    }

    /// All names of values.
    pub fn all(&self) -> impl Iterator<Item = &Label> {
        self.labels.iter().map(|counted| &counted.label)
    }

    /// How many labels there are, and so which is the next.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// The values of a line are counted by their labels.
    #[inline]
    pub fn count(&self, spans: &[Span]) {
        for span in spans {
            // To add in one step costs more than to find a value.
            let values = &self.labels[span.label].values;
            values.store(values.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
    }

    /// The rules, each with the values that it found.
    pub fn rules(&self) -> impl Iterator<Item = (&Rule, u64)> {
        self.rules.iter().enumerate().map(|(rule, typed)| {
            let labels = self.labels.iter().filter(move |label| label.rule == Some(rule));
            (typed, labels.map(|label| label.values.load(Ordering::Relaxed)).sum())
        })
    }

    /// How many values got a label.
    pub fn values(&self, label: usize) -> u64 {
        self.labels[label].values.load(Ordering::Relaxed)
    }
}

impl Names {
    /// Adds a rule and a label for each name to those of the others. `*` in a name stands for any characters; names that are
    /// `kept` are never found.
    pub fn new(
        list: List,
        typed: &[String],
        kept: &[String],
        any_case: bool,
        labels: &mut Labels,
    ) -> Result<Self, SelectionError> {
        let globs = kept.iter().map(|name| (Glob::new(name, any_case), None)).collect();
        let mut names = Self { exact: Vec::new(), globs };
        names.add(list, typed, any_case, labels)?;
        Ok(names)
    }

    /// Adds names behind the others.
    pub fn add(
        &mut self,
        list: List,
        typed: &[String],
        any_case: bool,
        labels: &mut Labels,
    ) -> Result<(), SelectionError> {
        for name in typed {
            labels.begin(list, name, true);
            let label = labels.add_path(name, name.contains('*'))?;
            if any_case || name.contains('*') {
                self.globs.push((Glob::new(name, any_case), Some(label)))
            } else {
                self.exact.push((name.as_bytes().into(), label))
            }
        }
        Ok(())
    }

    /// The label of a name that is written just so, or that a wildcard stands for.
    #[inline]
    pub fn find(&self, written: &[u8]) -> Option<usize> {
        if !self.globs.is_empty() {
            return self.find_wild(written);
        }
        self.find_by(|name| name == written)
    }

    fn find_wild(&self, written: &[u8]) -> Option<usize> {
        match self.globs.iter().find(|(glob, _)| glob.is_match(written)) {
            Some((_, None)) => None,
            glob => self.find_by(|name| name == written).or_else(|| glob.and_then(|(_, label)| *label)),
        }
    }

    /// The label of the first name that is the same.
    #[inline]
    pub fn find_by(&self, same: impl Fn(&[u8]) -> bool) -> Option<usize> {
        self.exact.iter().find(|(name, _)| same(name)).map(|(_, label)| *label)
    }

    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.globs.is_empty()
    }
}
/// Values that overlap become one.
pub fn join(spans: &mut Vec<Span>, labels: &Labels) {
    spans.sort_by_key(|span| span.range.start);
    join_where(spans, labels, |last, next| next.range.start < last.range.end);
}

/// Neighbours become one, under the label of the first; the others are counted, too.
pub fn join_where(spans: &mut Vec<Span>, labels: &Labels, joins: impl Fn(&Span, &Span) -> bool) {
    spans.dedup_by(|next, last| {
        let are_one = joins(last, next);
        if are_one {
            labels.count(std::slice::from_ref(next));
            last.range.end = last.range.end.max(next.range.end);
        }
        are_one
    });
}
