//! The names of fields as they were typed.

use crate::wrapper::Wrapper;

/// The kinds of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// An object on each line (RFC 8259).
    Json,
    /// `key=value` pairs.
    Logfmt,
    /// `label:value` pairs, separated by tabs.
    Ltsv,
    /// The common and combined access-log formats.
    Access,
    /// The format is a string of variables.
    Template,
    /// A URL, or the query of one: for text within a field.
    Url,
    /// Anything: patterns alone tell what is sealed.
    Text,
}

/// The choices for the text of a field that is not of the format of its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Unparsed {
    /// It is sealed as a whole.
    #[default]
    Seal,
    /// It stays in the clear.
    Pass,
    /// The whole line counts as unparsed, too.
    Line,
}

/// The list of a [`Selection`] that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum List {
    /// [`Selection::json`].
    Json,
    /// [`Selection::logfmt`].
    Logfmt,
    /// [`Selection::ltsv`].
    Ltsv,
    /// [`Selection::query`].
    Query,
    /// [`Selection::headers`].
    Headers,
    /// [`Selection::patterns`].
    Patterns,
    /// [`Selection::dropped`].
    Dropped,
    /// [`Selection::within`].
    Within,
}

/// The names of fields as they were typed. They are names of one format; patterns are allowed unless lines are JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// The format of the lines, if the names do not determine it.
    pub kind: Option<Kind>,
    /// The text that a container's runtime puts around each line.
    pub wrapper: Option<Wrapper>,
    /// nginx's `log_format` or Apache httpd's `LogFormat`; its variables are named in `headers`.
    pub log_format: Option<String>,
    /// Names that stay in the clear, where wildcards seal all others.
    pub kept: Vec<String>,
    /// Upper and lower case are the same in names of JSON, logfmt and LTSV.
    pub any_case: bool,
    /// Rules for the text of a field of JSON, logfmt or LTSV, by its name.
    pub within: Vec<(String, Selection)>,
    /// The treatment of a field's text that is not of the format.
    pub unparsed: Unparsed,
    /// Paths in JSON lines.
    pub json: Vec<String>,
    /// Keys in lines of logfmt.
    pub logfmt: Vec<String>,
    /// Labels in lines of LTSV.
    pub ltsv: Vec<String>,
    /// Parameters in the URLs of an access log, or `all`. Upper and lower case are the same.
    pub query: Vec<String>,
    /// Fields of an access log: `client`, `user`, `request`, `Referer`, `User-Agent`, `X-Forwarded-For`, or `NAME=N` for
    /// the N-th field in quotes after the size.
    pub headers: Vec<String>,
    /// Regular expressions.
    pub patterns: Vec<String>,
    /// Fields whose values are deleted, and not even kept sealed; of the same kind of lines.
    pub dropped: Vec<String>,
}
