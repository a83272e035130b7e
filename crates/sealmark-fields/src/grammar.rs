//! Which kind of lines a log has, and what finds the fields in them.

use crate::access::Access;
use crate::error::{SelectionError, twin};
use crate::header::Header;
use crate::names::{Labels, Names};
use crate::paths::{Found, Paths, Shape};
use crate::query::{Query, Text, is_all};
use crate::selection::{Kind, List, Selection};
use crate::span::{Form, Span};
use crate::template::Template;
use crate::wrapper::Wrapper;
use crate::{json, logfmt, ltsv};

/// A kind of lines, and the fields that are looked for in them.
pub enum Grammar {
    Json(json::Sought),
    Logfmt(Names),
    /// The names that are looked for, and all that were typed.
    Ltsv(Names, Names),
    Access(Access),
    Template(Template),
    /// All of the text is a URL, or the query of one.
    Url(Query),
    /// A line within the text of a container's runtime, and the label of the line.
    Wrapped(Wrapper, usize),
}

/// The names that are looked for in one pass over a line.
pub struct Pass<'a> {
    /// The fields that are found.
    pub names: &'a Selection,
    /// The names of the fields with text of a kind of its own.
    pub within: &'a [String],
    /// All that was typed.
    pub typed: &'a Selection,
    /// True where values are taken out.
    pub drops: bool,
}

impl Pass<'_> {
    /// The list that names of this pass stand in.
    pub fn list(&self, list: List) -> List {
        if self.drops { List::Dropped } else { list }
    }
}

impl Kind {
    /// That which was told, or of which fields are named, if any are.
    pub fn of(selection: &Selection) -> Result<Option<Self>, SelectionError> {
        if selection.kind.is_some() {
            return Ok(selection.kind);
        }
        let all = [Self::Json, Self::Logfmt, Self::Ltsv, Self::Access];
        let mut named = all.into_iter().filter(|kind| kind.is_named(selection));
        match (named.next(), named.next()) {
            (Some(one), Some(other)) => Err(SelectionError::Mixed { kinds: [one, other] }),
            (kind, _) => Ok(kind),
        }
    }

    fn is_named(self, selection: &Selection) -> bool {
        match self {
            Self::Json => !selection.json.is_empty(),
            Self::Logfmt => !selection.logfmt.is_empty(),
            Self::Ltsv => !selection.ltsv.is_empty(),
            Self::Access => !selection.query.is_empty() || !selection.headers.is_empty(),
            Self::Template | Self::Url | Self::Text => false,
        }
    }

    /// Fields of the same kind by these names. In an access log, a name can be a parameter's and a header's.
    pub fn selection(self, names: &[String], typed: &Selection) -> Selection {
        let names = names.to_vec();
        let (any_case, log_format) = (typed.any_case, typed.log_format.clone());
        let none = Selection { any_case, log_format, ..Selection::default() };
        match self {
            Self::Json => Selection { json: names, ..none },
            Self::Logfmt => Selection { logfmt: names, ..none },
            Self::Ltsv => Selection { ltsv: names, ..none },
            Self::Access => {
                let headers = names.iter().filter(|name| Header::typed(name).is_some()).cloned().collect();
                Selection { query: names, headers, ..none }
            }
            Self::Url => Selection { query: names, ..none },
            // A name that is no variable's is a parameter's.
            Self::Template => {
                let format = typed.log_format.as_deref().unwrap_or_default();
                let (headers, query) =
                    names.into_iter().partition(|name| Template::has_variable(format, name));
                Selection { headers, query, ..none }
            }
            Self::Text => none,
        }
    }

    /// Makes the grammar of a pass; adds the labels of its fields, and returns those of the fields with text of their own.
    pub fn grammar(
        self,
        pass: &Pass<'_>,
        labels: &mut Labels,
    ) -> Result<Option<(Grammar, Vec<usize>)>, SelectionError> {
        let (names, typed) = (pass.names, pass.typed);
        let no_within = |grammar| Ok(Some((grammar, Vec::new())));
        match self {
            Self::Json => {
                let (sought, within) = json_paths(pass, labels)?;
                Ok(Some((Grammar::Json(sought), within)))
            }
            Self::Logfmt => {
                let (list, all) = (pass.list(List::Logfmt), [&names.logfmt[..], pass.within].concat());
                check((list, self), &all, true, logfmt::is_key, "a key of logfmt")?;
                let (found, within) = pair_names(list, &names.logfmt, pass, labels)?;
                Ok(Some((Grammar::Logfmt(found), within)))
            }
            Self::Ltsv => {
                let all = [&typed.ltsv[..], &typed.dropped[..], pass.within].concat();
                let list = pass.list(List::Ltsv);
                check((list, self), &all, true, ltsv::is_label, "a label of LTSV")?;
                let (found, within) = pair_names(list, &names.ltsv, pass, labels)?;
                let all = Names::new(list, &all, &[], typed.any_case, &mut Labels::default())?;
                Ok(Some((Grammar::Ltsv(found, all), within)))
            }
            Self::Access => {
                check_query(pass)?;
                let headers = names.headers.iter().map(|name| match Header::typed(name) {
                    Some(header) => Ok((name.clone(), header)),
                    None => Err(SelectionError::Header { name: name.clone(), meant: parts(name) }),
                });
                let headers: Vec<_> = headers.collect::<Result<_, _>>()?;
                if let Some(((name, _), (other, _))) =
                    twin(&headers, |one, other| one.1.place == other.1.place)
                {
                    return Err(SelectionError::Twice { name: name.clone(), other: other.clone() });
                }
                let is_parameter = |name: &String| typed.query.contains(name) || !Header::is_quoted(name);
                let query_anywhere = names.query.iter().any(is_parameter);
                let lists = (pass.list(List::Query), pass.list(List::Headers));
                no_within(Grammar::Access(Access::new(
                    &names.query,
                    query_anywhere,
                    &headers,
                    lists,
                    labels,
                )?))
            }
            Self::Template => {
                check_query(pass)?;
                let format = names.log_format.as_deref().unwrap_or_default();
                let kept = if pass.drops { &[] } else { &typed.kept[..] };
                let (seal, query) = (
                    (pass.list(List::Headers), &names.headers[..]),
                    (pass.list(List::Query), &names.query[..]),
                );
                no_within(Grammar::Template(Template::new(format, seal, kept, query, labels)?))
            }
            Self::Url => {
                check_query(pass)?;
                no_within(Grammar::Url(Query::new(pass.list(List::Query), &names.query, labels)?))
            }
            Self::Text => Ok(None),
        }
    }
}

fn json_paths(pass: &Pass<'_>, labels: &mut Labels) -> Result<(json::Sought, Vec<usize>), SelectionError> {
    let list = pass.list(List::Json);
    let path = |typed: &String| {
        json::path_of(typed).map_err(|meant| {
            let (name, what) = (typed.clone(), json::PATH);
            SelectionError::Name { list, kind: Kind::Json, name, what, meant }
        })
    };
    let paths = |names: &[String]| names.iter().map(path).collect::<Result<Vec<_>, _>>();
    let (sealed, within) = (paths(&pass.names.json)?, paths(pass.within)?);
    let kept = if pass.drops { Vec::new() } else { paths(&pass.typed.kept)? };
    let shapes = [(&sealed, &pass.names.json[..]), (&within, pass.within), (&kept, &pass.typed.kept)];
    let shape = |path: &json::Typed| Shape::path(&path.path, path.is_wild, pass.typed.any_case);
    let shapes = shapes.map(|(paths, typed)| paths.iter().map(shape).zip(typed).collect::<Vec<_>>());
    let widths = widths(pass, &shapes[0], true);
    check_twice(pass, shapes, true, labels)?;
    let first = labels.len();
    for (list, path) in
        sealed.iter().map(|path| (list, path)).chain(within.iter().map(|path| (List::Within, path)))
    {
        labels.begin(list, &path.path, true);
        labels.add_path(&path.path, path.is_wild)?;
    }
    labels.end();
    let within_from = first + sealed.len();
    let within_labels: Vec<usize> = (within_from..labels.len()).collect();
    let all = || sealed.iter().chain(&within);
    let is_exact = |path: &json::Typed| !path.is_wild;
    // A field has its own rule, though all around it is sealed.
    let is_around = |sealed: &json::Typed, field: &json::Typed| {
        field.path.strip_prefix(&sealed.path).is_some_and(|rest| rest.starts_with('.'))
    };
    let is_apart = |field| !sealed.iter().any(|sealed| is_around(sealed, field));
    if all().all(is_exact) && all().all(is_apart) && kept.is_empty() && !pass.typed.any_case {
        let paths = all().map(|path| path.path.as_bytes().into()).collect();
        return Ok((
            json::Sought { paths: json::Ways::Exact(paths), first, within: within_from },
            within_labels,
        ));
    }
    let within = within.iter().zip(&within_labels).map(|(path, label)| (path, Found::Within(*label)));
    let field = |(label, (path, width))| (path, Found::Field { width, label });
    let sealed = (first..).zip(sealed.iter().zip(widths)).map(field);
    let kept = kept.iter().map(|path| (path, Found::Kept));
    let all = kept.chain(within).chain(sealed);
    let all = all.map(|(path, found)| (path.path.as_str(), path.is_wild, found));
    let paths = Paths::new(all, pass.typed.any_case).ok_or(SelectionError::TooMany)?;
    Ok((json::Sought { paths: json::Ways::Wild(paths), first, within: within_from }, within_labels))
}

/// Fields with rules for their text come first: they have them, though a wildcard stands for their names too.
fn pair_names(
    list: List,
    names: &[String],
    pass: &Pass<'_>,
    labels: &mut Labels,
) -> Result<(Names, Vec<usize>), SelectionError> {
    let kept = if pass.drops { &[] } else { &pass.typed.kept[..] };
    let shape = |name: &String| Shape::name(name, pass.typed.any_case);
    let shapes =
        [names, pass.within, kept].map(|names| names.iter().map(shape).zip(names).collect::<Vec<_>>());
    // The first name that fits is found.
    let mut by_width: Vec<_> = widths(pass, &shapes[0], false).into_iter().zip(names).collect();
    by_width.sort_by_key(|(width, _)| *width);
    let names: Vec<_> = by_width.into_iter().map(|(_, name)| name.clone()).collect();
    check_twice(pass, shapes, false, labels)?;
    let first = labels.len();
    let mut found = Names::new(List::Within, pass.within, kept, pass.typed.any_case, labels)?;
    let within = (first..labels.len()).collect();
    found.add(list, &names, pass.typed.any_case, labels)?;
    labels.end();
    Ok((found, within))
}

/// For each name, how many of all names it covers: a wider one covers all that a narrower one does, and that one itself. Names of
/// what is taken out are not told apart, so that a member goes with all that is in it.
fn widths(pass: &Pass<'_>, names: &[(Shape, &String)], members: bool) -> Vec<usize> {
    let width = |wide: &Shape| {
        names.iter().filter(|(narrow, _)| !pass.drops && covers(wide, narrow, members)).count()
    };
    names.iter().map(|(wide, _)| width(wide)).collect()
}

/// True where a name means all that the other one does; with `members`, a field has others below it.
fn covers(wide: &Shape, narrow: &Shape, members: bool) -> bool {
    wide.covers(narrow) || members && wide.with_members().covers(narrow)
}

/// A rule that is wider than another leaves to it what that is about; of two that are not so, one would be left aside for some
/// fields without a word. Names come as they are compared and as they were typed; with `members`, a field has others below it.
fn check_twice(
    pass: &Pass<'_>,
    [sealed, within, kept]: [Vec<(Shape, &String)>; 3],
    members: bool,
    labels: &mut Labels,
) -> Result<(), SelectionError> {
    let below = |one: &Shape, other: &Shape| {
        members && (one.with_members().meets(other) || other.with_members().meets(one))
    };
    let leaves = |wide: &Shape, narrow: &Shape| covers(wide, narrow, members) && !narrow.covers(wide);
    let twice =
        |name: &str, other: &str| Err(SelectionError::Twice { name: name.into(), other: other.into() });
    let is_same = |(one, _): &(Shape, _), (other, _): &(Shape, _)| other.covers(one) && one.covers(other);
    if let Some(((_, typed), (_, other))) = twin(&sealed, is_same).or_else(|| twin(&within, is_same)) {
        return twice(typed, other);
    }
    for (field, typed) in &within {
        // A field that is taken out is gone with all that is in it; in what is sealed, a field has the rules for its text.
        let clash = |(sealed, other): &&(Shape, &String)| {
            let is_below = (pass.drops || !other.contains('*')) && below(sealed, field);
            (sealed.meets(field) || is_below) && (pass.drops || !leaves(sealed, field))
        };
        if let Some((_, other)) = sealed.iter().find(clash) {
            return twice(typed, other);
        }
    }
    for (name, typed) in kept.iter().filter(|_| !pass.drops) {
        let clash = |(other, _): &&(Shape, &String)| {
            (other.meets(name) || below(name, other)) && !leaves(other, name)
        };
        if let Some((_, other)) = sealed.iter().chain(&within).find(clash) {
            return twice(typed, other);
        }
        let is_sealed_by = |(other, _): &(Shape, _)| other.meets(name) || below(name, other);
        if !sealed.iter().chain(&within).any(is_sealed_by) {
            labels.add_idle((*typed).clone());
        }
    }
    Ok(())
}

fn check_query(pass: &Pass<'_>) -> Result<(), SelectionError> {
    let is_name = |name: &[u8]| !name.trim_ascii().is_empty();
    if let Some((name, other)) = twin(&pass.names.query, |one, other| one == other) {
        return Err(SelectionError::Twice { name: name.clone(), other: other.clone() });
    }
    check((pass.list(List::Query), Kind::Url), &pass.names.query, false, is_name, "the name of a parameter")
}

impl Selection {
    /// Names that were typed to drop fields of an access log, and are none, so that they stand for parameters only; where
    /// no parameters are sealed, that may not be what was meant.
    pub fn dropped_as_parameters(&self) -> impl Iterator<Item = &str> {
        let may_be_meant_otherwise = self.query.is_empty() && !self.headers.is_empty();
        let is_parameter =
            move |name: &&str| may_be_meant_otherwise && !is_all(name) && Header::typed(name).is_none();
        self.dropped.iter().map(String::as_str).filter(is_parameter)
    }
}

impl Grammar {
    /// Adds the values of a line, from left to right; says whether it may hold what looks like a token. Nothing where the line is
    /// of another kind.
    pub fn find(&self, line: &[u8], spans: &mut Vec<Span>) -> Option<bool> {
        let is_one = match self {
            Self::Json(sought) => return json::find(line, sought, spans),
            Self::Logfmt(names) => logfmt::find(line, names, spans),
            Self::Ltsv(names, typed) => ltsv::find(line, names, typed, spans),
            Self::Access(access) => access.find(line, spans),
            Self::Template(template) => template.find(line, spans),
            Self::Url(query) => {
                query.find(line, 0..line.len(), Text::Field, spans);
                true
            }
            Self::Wrapped(wrapper, label) => match wrapper.content(line) {
                Some(range) => {
                    spans.push(Span { range, label: *label, form: Form::Verbatim });
                    true
                }
                None => false,
            },
        };
        is_one.then_some(true)
    }
}

/// A name that can stand in no line would leave its values in the clear, and so would one that was meant as several or as a
/// pattern.
fn check(
    (list, kind): (List, Kind),
    names: &[String],
    wild: bool,
    is_one: impl Fn(&[u8]) -> bool,
    what: &'static str,
) -> Result<(), SelectionError> {
    let is_none = |name: &&String| {
        let plain = if wild { name.replace('*', "x") } else { name.to_string() };
        plain.contains([',', '*']) || !is_one(plain.as_bytes())
    };
    match names.iter().find(is_none) {
        None => Ok(()),
        Some(name) => Err(SelectionError::Name { list, kind, name: name.clone(), what, meant: parts(name) }),
    }
}

/// Names that were typed in one, with commas between them.
fn parts(name: &str) -> Vec<String> {
    let parts = name.split(',').map(|part| part.trim().to_owned());
    if name.contains(',') && !name.contains('*') {
        parts.filter(|part| !part.is_empty()).collect()
    } else {
        Vec::new()
    }
}
