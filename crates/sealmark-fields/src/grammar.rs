//! Which kind of lines a log has.

use crate::access::Access;
use crate::header::Header;
use crate::names::{Labels, Names};
use crate::{Refused, Selection, Span, json, logfmt, ltsv};

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

    /// What looks for the fields of `selection`, which are all or some of those that were `typed` behind `flag`, or behind
    /// the flags of their kind; adds their labels.
    pub fn grammar(
        self,
        selection: &Selection,
        typed: &Selection,
        flag: Option<&'static str>,
        labels: &mut Labels,
    ) -> Result<Grammar, Refused> {
        Ok(match self {
            Self::Json => {
                let flag = flag.unwrap_or("--json");
                let path = |typed: &String| {
                    json::path_of(typed).map_err(|meant| {
                        let (name, what) = (typed.clone(), json::PATH);
                        Refused::Name { flag, name, what, meant }
                    })
                };
                let paths = selection.json.iter().map(path).collect::<Result<Vec<_>, _>>()?;
                Names::new(flag, &paths, labels)?;
                Grammar::Json(paths.iter().map(|path| path.as_bytes().into()).collect())
            }
            Self::Logfmt => {
                let flag = flag.unwrap_or("--logfmt");
                check(flag, &selection.logfmt, logfmt::is_key, "a key of logfmt")?;
                Grammar::Logfmt(Names::new(flag, &selection.logfmt, labels)?)
            }
            Self::Ltsv => {
                let all = [&typed.ltsv[..], &typed.dropped[..]].concat();
                let flag = flag.unwrap_or("--ltsv");
                check(flag, &all, ltsv::is_label, "a label of LTSV")?;
                let names = Names::new(flag, &selection.ltsv, labels)?;
                Grammar::Ltsv(names, Names::new(flag, &all, &mut Labels::default())?)
            }
            Self::Access => {
                let query = flag.unwrap_or("--query");
                let is_name = |name: &[u8]| !name.trim_ascii().is_empty();
                check(query, &selection.query, is_name, "the name of a parameter")?;
                let headers = selection.headers.iter().map(|name| match Header::typed(name) {
                    Some(header) => Ok((name.clone(), header)),
                    None => Err(Refused::Header(name.clone(), parts(name))),
                });
                let headers: Vec<_> = headers.collect::<Result<_, _>>()?;
                let is_parameter = |name: &String| typed.query.contains(name) || !Header::is_quoted(name);
                let query_anywhere = selection.query.iter().any(is_parameter);
                Grammar::Access(Access::new(&selection.query, query_anywhere, &headers, flag, labels)?)
            }
        })
    }
}

impl Grammar {
    /// Adds the values of a line, from left to right, apart from each other; `false` where the line is of another kind.
    pub fn find(&self, line: &[u8], spans: &mut Vec<Span>) -> bool {
        match self {
            Self::Json(paths) => json::find(line, paths, spans).is_some(),
            Self::Logfmt(names) => logfmt::find(line, names, spans),
            Self::Ltsv(names, typed) => ltsv::find(line, names, typed, spans),
            Self::Access(access) => access.find(line, spans),
        }
    }
}

/// A name that can stand in no line would leave its values in clear, and so would one that was meant as several or as a
/// pattern.
fn check(
    flag: &'static str,
    names: &[String],
    is_one: impl Fn(&[u8]) -> bool,
    what: &'static str,
) -> Result<(), Refused> {
    let is_none = |name: &&String| name.contains([',', '*']) || !is_one(name.as_bytes());
    match names.iter().find(is_none) {
        None => Ok(()),
        Some(name) => Err(Refused::Name { flag, name: name.clone(), what, meant: parts(name) }),
    }
}

/// Names that were typed in one, with commas between them.
fn parts(name: &str) -> Vec<String> {
    let parts = name.split(',').map(|part| part.trim().to_owned());
    match name.contains(',') && !name.contains('*') {
        true => parts.filter(|part| !part.is_empty()).collect(),
        false => Vec::new(),
    }
}
