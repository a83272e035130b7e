//! The reasons why names of fields cannot be used.

/// The reason why a selection cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It names no field.
    #[error("no field to seal is named")]
    Empty,
    /// It names fields of different kinds of lines, by these flags.
    #[error("{0} and {1} are for different formats of lines")]
    Mixed(&'static str, &'static str),
    /// It drops fields, but no field tells the format of the lines.
    #[error("--drop names fields, but no flag says which format the lines have")]
    DropAlone,
    /// A name that cannot be a label.
    #[error(transparent)]
    Label(#[from] sealmark::Error),
    /// A name that is not what this kind of lines has.
    #[error("{name:?} is not {what}")]
    Name {
        /// The flag it was typed behind.
        flag: &'static str,
        /// The name.
        name: String,
        /// The names that this kind of lines has.
        what: &'static str,
        /// The names that may have been meant.
        meant: Vec<String>,
    },
    /// A name that is not a field of an access log; holds the name, and the names that may have been meant.
    #[error("{0:?} is not a field of an access log")]
    Header(String, Vec<String>),
    /// A text that is not a regular expression; holds the text and the reason.
    #[error("{0:?}: not a regular expression: {1}")]
    Pattern(String, String),
    /// A regular expression that matches an empty text.
    #[error("the pattern {0:?} matches an empty text")]
    Empties(String),
    /// A format of lines that nobody can read, and why.
    #[error("{0}")]
    Format(String),
    /// More names than can be followed.
    #[error("the field names have more than 65,534 parts in all")]
    TooMany,
    /// Two names that mean the same field, of which one would be left aside.
    #[error("{}", twice(.0, .1))]
    Twice(String, String),
    /// Rules for the text of fields in lines that have no fields with names of their own.
    #[error("[[within]] needs format = \"json\", \"logfmt\" or \"ltsv\"")]
    NoWithin,
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
        format!("{name:?} has two rules, of which only one could be followed")
    } else {
        format!("{name:?} and {other:?} mean the same field, and only one rule could be followed")
    }
}
