//! The reasons why names of fields cannot be used.

use crate::selection::{Kind, List};

/// The reason why a [`Selection`](crate::Selection) cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// It names no field.
    #[error("no field to seal is named")]
    Empty,
    /// It names fields of lines of two kinds; [`Kind::Text`] stands for patterns.
    #[error("{} and {} are for different formats of lines", names(.kinds[0]), names(.kinds[1]))]
    #[non_exhaustive]
    Mixed {
        /// The two kinds.
        kinds: [Kind; 2],
    },
    /// It only drops fields, so that the kind of the lines is unknown.
    #[error("fields to drop are named, but not the format of the lines")]
    DropAlone,
    /// A name that is not a label.
    #[error(transparent)]
    Label(#[from] sealmark::Error),
    /// A name that this kind of lines cannot have.
    #[error("{name:?} is not {what}")]
    #[non_exhaustive]
    Name {
        /// The list that has the name.
        list: List,
        /// The kind of lines; [`Kind::Url`] for the parameters of a URL.
        kind: Kind,
        /// The name.
        name: String,
        /// The names that this kind of lines has.
        what: &'static str,
        /// The names that may have been meant.
        meant: Vec<String>,
    },
    /// A name in [`Selection::headers`](crate::Selection::headers) that is not a field of an access log.
    #[error("{name:?} is not a field of an access log")]
    #[non_exhaustive]
    Header {
        /// The name.
        name: String,
        /// The names that may have been meant.
        meant: Vec<String>,
    },
    /// A text that is not a regular expression.
    #[error("{pattern:?}: not a regular expression: {why}")]
    #[non_exhaustive]
    Pattern {
        /// The text.
        pattern: String,
        /// The cause.
        why: String,
    },
    /// A regular expression that matches an empty text.
    #[error("the pattern {pattern:?} matches an empty text")]
    #[non_exhaustive]
    EmptyMatch {
        /// The regular expression.
        pattern: String,
    },
    /// An invalid format of lines.
    #[error("{why}")]
    #[non_exhaustive]
    Format {
        /// The cause.
        why: String,
    },
    /// More names than can be followed.
    #[error("the field names have more than 65,534 parts in all")]
    TooMany,
    /// Two names that mean the same field, so that one would be ignored.
    #[error("{}", twice(name, other))]
    #[non_exhaustive]
    Twice {
        /// One name.
        name: String,
        /// The other one, which may be written like the first.
        other: String,
    },
    /// Rules for the text of fields in lines that have no fields with names of their own.
    #[error("rules for the text of a field need lines of JSON, logfmt or LTSV")]
    NoWithin,
}

/// The names that make lines be of a kind.
fn names(kind: Kind) -> &'static str {
    match kind {
        Kind::Json => "paths in JSON",
        Kind::Logfmt => "keys of logfmt",
        Kind::Ltsv => "labels of LTSV",
        Kind::Access | Kind::Template | Kind::Url => "fields of an access log",
        Kind::Text => "patterns",
    }
}

/// The first of some things that is the same as one before it, and that one.
pub fn twin<T>(all: &[T], same: impl Fn(&T, &T) -> bool) -> Option<(&T, &T)> {
    let earlier = |(index, one): (usize, _)| {
        let earlier = all[..index].iter().find(|other| same(one, other));
        earlier.map(|earlier| (one, earlier))
    };
    all.iter().enumerate().find_map(earlier)
}

fn twice(name: &str, other: &str) -> String {
    if name == other {
        format!("there are two rules for {name:?}, but only one can apply")
    } else {
        format!("{name:?} and {other:?} mean the same field, but only one rule can apply")
    }
}
