//! Which kind of lines a log has.

use crate::access::Access;
use crate::header::Header;
use crate::names::{Names, add_label};
use crate::{Refused, Selection, Span, json, logfmt, ltsv};
use sealmark::record::Label;

/// A kind of lines, and the fields that are looked for in them.
pub enum Grammar {
    Json(Vec<json::Path>),
    Logfmt(Names),
    /// Those that are looked for, and all that were typed.
    Ltsv(Names, Names),
    Access(Access),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Json,
    Logfmt,
    Ltsv,
    Access,
}

impl Kind {
    /// That of which fields are named, if any are.
    pub fn of(selection: &Selection) -> Result<Option<Self>, Refused> {
        let all = [Self::Json, Self::Logfmt, Self::Ltsv, Self::Access];
        let mut named = all.into_iter().filter(|kind| kind.is_named(selection));
        match (named.next(), named.next()) {
            (Some(one), Some(other)) => Err(Refused::Mixed(one.flags(), other.flags())),
            (kind, _) => Ok(kind),
        }
    }

    fn is_named(self, selection: &Selection) -> bool {
        match self {
            Self::Json => !selection.json.is_empty(),
            Self::Logfmt => !selection.logfmt.is_empty(),
            Self::Ltsv => !selection.ltsv.is_empty(),
            Self::Access => !selection.query.is_empty() || !selection.headers.is_empty(),
        }
    }

    fn flags(self) -> &'static str {
        match self {
            Self::Json => "--json",
            Self::Logfmt => "--logfmt",
            Self::Ltsv => "--ltsv",
            Self::Access => "--query or --header",
        }
    }

    /// Fields of the same kind by these names. In an access log, a name can be a parameter's and a header's.
    pub fn selection(self, names: &[String]) -> Selection {
        let (names, none) = (names.to_vec(), Selection::default());
        match self {
            Self::Json => Selection { json: names, ..none },
            Self::Logfmt => Selection { logfmt: names, ..none },
            Self::Ltsv => Selection { ltsv: names, ..none },
            Self::Access => {
                let headers = names.iter().filter(|name| Header::typed(name).is_some()).cloned().collect();
                Selection { query: names, headers, ..none }
            }
        }
    }

    /// What looks for the fields of `selection`, which are all or some of those that were `typed`; adds their labels.
    pub fn grammar(
        self,
        selection: &Selection,
        typed: &Selection,
        labels: &mut Vec<Label>,
    ) -> Result<Grammar, Refused> {
        Ok(match self {
            Self::Json => {
                check(&selection.json, json::is_path, "a path of names joined by dots")?;
                selection.json.iter().try_for_each(|path| add_label(path, labels).map(drop))?;
                Grammar::Json(selection.json.iter().map(|path| path.as_bytes().into()).collect())
            }
            Self::Logfmt => {
                check(&selection.logfmt, logfmt::is_key, "a key of logfmt")?;
                Grammar::Logfmt(Names::new(&selection.logfmt, labels)?)
            }
            Self::Ltsv => {
                let all = [&typed.ltsv[..], &typed.dropped[..]].concat();
                check(&all, ltsv::is_label, "a label of LTSV")?;
                Grammar::Ltsv(Names::new(&selection.ltsv, labels)?, Names::new(&all, &mut Vec::new())?)
            }
            Self::Access => {
                check(&selection.query, |name| !name.trim_ascii().is_empty(), "the name of a parameter")?;
                let header = |name| Header::typed(name).ok_or_else(|| Refused::Header(String::from(name)));
                let headers = selection.headers.iter().map(|name| header(name));
                let headers: Vec<_> = headers.collect::<Result<_, _>>()?;
                let is_parameter = |name: &String| typed.query.contains(name) || !Header::is_quoted(name);
                let query_anywhere = selection.query.iter().any(is_parameter);
                Grammar::Access(Access::new(&selection.query, query_anywhere, &headers, labels)?)
            }
        })
    }
}

impl Grammar {
    /// Adds the values of a line, from left to right, apart from each other; `false` where the line is of another kind.
    pub fn find(&self, line: &[u8], spans: &mut Vec<Span>) -> bool {
        match self {
            Self::Json(paths) => json::find(line, paths, spans),
            Self::Logfmt(names) => logfmt::find(line, names, spans),
            Self::Ltsv(names, typed) => ltsv::find(line, names, typed, spans),
            Self::Access(access) => access.find(line, spans),
        }
    }
}

/// A name that can stand in no line would leave its values in clear.
fn check(names: &[String], is_one: impl Fn(&[u8]) -> bool, what: &'static str) -> Result<(), Refused> {
    match names.iter().find(|name| !is_one(name.as_bytes())) {
        None => Ok(()),
        Some(name) => Err(Refused::Name(name.clone(), what)),
    }
}
