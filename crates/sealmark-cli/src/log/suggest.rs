//! `log seal --suggest SAMPLE`: a configuration to start from.

use super::check::{docker_line, read};
use super::lines::{self, Lines, Piece};
use super::private::{self, Kind};
use crate::fault::{Exit, Fault};
use crate::{say, stdio};
use sealmark_fields::{Fields, Selection, Wrapper};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

/// So many lines tell what a log is.
const ENOUGH: usize = 10_000;

pub fn run(sample: &Path) -> Result<Exit, Fault> {
    let mut first = First(Vec::new());
    read(sample, &mut first)?;
    if first.0.is_empty() {
        return Err(Fault::usage(format!("{} has no lines", name_of(sample)))
            .named()
            .hint("name a sample with a few hundred lines"));
    }
    let suggestion = suggestion(&first.0);
    if seals_nothing(&suggestion) {
        return Err(Fault::usage(format!("nothing in {} looks private", name_of(sample)))
            .named()
            .hint("write the configuration by hand: docs/logs.md shows one for each format"));
    }
    stdio::result(&suggestion)?;
    say::note(&format!(
        "save it as log.toml and try it out: `sealmark log seal --config log.toml --check {}`",
        if sample.metadata().is_ok_and(|meta| meta.is_file()) { sample } else { Path::new("SAMPLE") }
            .display()
    ));
    Ok(Exit::Done)
}

fn name_of(sample: &Path) -> String {
    if stdio::is_dash(sample) { "standard input".to_owned() } else { format!("{sample:?}") }
}

/// True for a configuration that `log seal` would refuse.
fn seals_nothing(suggestion: &str) -> bool {
    let is_empty = |line: &str| matches!(line, "seal = []" | "patterns = []");
    suggestion.lines().any(is_empty) && !suggestion.contains("\n[[within]]\n")
}

struct First(Vec<Vec<u8>>);

impl Lines for First {
    fn piece(&mut self, piece: Piece<'_>) -> io::Result<()> {
        if let Piece::Line { content, .. } = piece
            && self.0.len() < ENOUGH
            && !lines::is_blank(content)
        {
            self.0.push(content.to_vec());
        }
        Ok(())
    }
}

fn suggestion(lines: &[Vec<u8>]) -> String {
    let mut text =
        "# Files with the public keys of those who can open the log, one key per line.\nrecipients_files = [\"ops.pub\"]\n\n".to_owned();
    let (wrapper, lines) = unwrapped(lines);
    text += wrapper.unwrap_or_default();
    text += &of_lines(&lines);
    text
}

/// The lines without what container runtimes put around them, where most have that.
fn unwrapped(lines: &[Vec<u8>]) -> (Option<&'static str>, Vec<Vec<u8>>) {
    let cri = |line: &Vec<u8>| Some(line[Wrapper::Cri.content(line)?].to_vec());
    let docker = |line: &Vec<u8>| docker_line(line);
    let inner: Vec<_> = lines.iter().filter_map(cri).collect();
    if is_most(inner.len(), lines.len()) {
        return (Some("preset = \"cri\"\n"), inner);
    }
    let inner: Vec<_> = lines.iter().filter_map(docker).collect();
    if is_most(inner.len(), lines.len()) {
        (Some("preset = \"docker\"\n"), inner)
    } else {
        (None, lines.to_vec())
    }
}

/// Two lines of three: others are told by `--check`.
fn is_most(some: usize, all: usize) -> bool {
    some * 3 >= all * 2
}

fn of_lines(lines: &[Vec<u8>]) -> String {
    let objects: Vec<Value> = lines.iter().filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let objects: Vec<_> = objects.into_iter().filter(Value::is_object).collect();
    if is_most(objects.len(), lines.len()) {
        return of_json(&objects);
    }
    let parsed = |selection: Selection| {
        let fields = Fields::new(&selection).expect("a fixed selection");
        let known = lines.iter().filter(|line| fields.find(line, &mut Vec::new())).count();
        is_most(known, lines.len())
    };
    let one = || vec!["x".to_owned()];
    if parsed(Selection { headers: vec!["client".to_owned()], ..Selection::default() }) {
        return of_access(lines);
    }
    let pairs = |separator: &'static str, sign: char| {
        move |line: &str| {
            let pairs = line.split(separator).filter_map(|pair| pair.split_once(sign));
            pairs
                .map(|(name, value)| (name.to_owned(), value.trim_matches('"').to_owned()))
                .collect::<Vec<_>>()
        }
    };
    if parsed(Selection { ltsv: one(), ..Selection::default() }) {
        return of_pairs("ltsv", lines, pairs("\t", ':'));
    }
    if parsed(Selection { logfmt: one(), ..Selection::default() }) {
        return of_pairs("logfmt", lines, pairs(" ", '='));
    }
    let patterns = patterns_of(lines.iter().map(|line| String::from_utf8_lossy(line)));
    format!(
        "format = \"text\"\n# Lines in which no pattern matches stay in the clear; without this they are sealed as a whole.\nunparsed = \"pass\"\npatterns = {}\n",
        list(&patterns, '\'')
    )
}

/// The names of values that are private by their name.
fn is_private_name(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
    let words = [
        "email",
        "mail",
        "user",
        "username",
        "login",
        "phone",
        "address",
        "ip",
        "client",
        "token",
        "password",
        "passwd",
        "secret",
        "cookie",
        "authorization",
        "session",
        "iban",
        "card",
        "name",
        "ssn",
        "birth",
    ];
    last.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| words.contains(&word))
        || ["remote_addr", "remote_user", "client_ip", "remoteaddr", "clientip", "forwarded"]
            .contains(&last.as_str())
        || last.replace('-', "_").ends_with("forwarded_for")
}

#[derive(Default)]
struct Members {
    sealed: BTreeSet<String>,
    /// Parameters by the member that has the URL.
    urls: BTreeMap<String, BTreeSet<String>>,
    texts: BTreeMap<String, BTreeSet<Kind>>,
    /// Members that hold JSON themselves.
    inner: BTreeMap<String, Members>,
}

fn of_json(objects: &[Value]) -> String {
    let mut members = Members::default();
    objects.iter().for_each(|object| members.look(object, &mut String::new()));
    let mut text = format!("format = \"json\"\nseal = {}\n", list(&members.sealed, '"'));
    for (field, parameters) in members.urls.iter().filter(|(field, _)| !members.sealed.contains(*field)) {
        text += &format!("\n[[within]]\nfield = \"{field}\"\nquery = {}\n", list(parameters, '"'));
    }
    let inner = members.inner.iter().filter(|(field, inner)| {
        !members.sealed.contains(*field) && !members.urls.contains_key(*field) && !inner.sealed.is_empty()
    });
    for (field, inner) in inner {
        text += &format!(
            "\n[[within]]\nfield = \"{field}\"\nformat = \"json\"\nseal = {}\n",
            list(&inner.sealed, '"')
        );
    }
    let is_known = |field: &String| {
        members.sealed.contains(field)
            || members.urls.contains_key(field)
            || members.inner.contains_key(field)
    };
    let only_texts = members.texts.iter().filter(|(field, _)| !is_known(field));
    for (field, kinds) in only_texts {
        let patterns: Vec<_> = kinds.iter().map(|kind| kind.pattern()).collect();
        text += &format!("\n[[within]]\nfield = \"{field}\"\npatterns = {}\n", list(&patterns, '\''));
    }
    text
}

impl Members {
    fn look(&mut self, value: &Value, path: &mut String) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    let outer = path.len();
                    if outer > 0 {
                        path.push('.');
                    }
                    path.push_str(name);
                    self.look(value, path);
                    path.truncate(outer);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.look(item, path)),
            Value::String(text) => self.text(text, path),
            _ => {
                if is_private_name(path) {
                    self.sealed.insert(path.clone());
                }
            }
        }
    }

    fn text(&mut self, text: &str, path: &str) {
        let found = private::find(text);
        let is_whole = found.iter().any(|(_, range)| range.len() + 2 >= text.trim().len());
        let inner = || serde_json::from_str(text).ok().filter(Value::is_object);
        if let (true, Some(inner)) = (text.starts_with('{'), inner()) {
            self.inner.entry(path.to_owned()).or_default().look(&inner, &mut String::new());
        } else if is_private_name(path) || is_whole {
            self.sealed.insert(path.to_owned());
        } else if text.starts_with('/') || text.starts_with("http") {
            let names = private_parameters(text);
            if !names.is_empty() {
                self.urls.entry(path.to_owned()).or_default().extend(names);
            }
        } else if !found.is_empty() {
            self.texts.entry(path.to_owned()).or_default().extend(found.into_iter().map(|(kind, _)| kind));
        }
    }
}

/// The parameters of a URL that are private by name or by value.
fn private_parameters(url: &str) -> BTreeSet<String> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let query = query.split([' ', '"']).next().unwrap_or_default();
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let keys =
        ["token", "key", "code", "sig", "signature", "auth", "secret", "session", "sid", "password", "q"];
    let is_key = |name: &str| {
        keys.iter().any(|key| name.to_ascii_lowercase().contains(key) && (key.len() > 1 || name == *key))
    };
    let private = pairs
        .filter(|(name, value)| is_private_name(name) || is_key(name) || !private::find(value).is_empty());
    let plain =
        |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter));
    private.map(|(name, _)| name.to_owned()).filter(|name| plain(name)).collect()
}

fn of_access(lines: &[Vec<u8>]) -> String {
    let mut parameters = BTreeSet::new();
    for line in lines {
        let line = String::from_utf8_lossy(line);
        line.split('"')
            .filter(|part| part.contains('?'))
            .for_each(|part| parameters.extend(private_parameters(part)));
    }
    let query: Vec<_> =
        if parameters.is_empty() { vec!["all".to_owned()] } else { parameters.into_iter().collect() };
    let mut fields = ["client", "user", "Referer", "User-Agent"].map(str::to_owned).to_vec();
    fields.extend(private_quoted(lines));
    format!(
        "# If the server has a log_format or LogFormat of its own, copy it here:\n# log_format = '…'\nformat = \"access\"\nseal = {}\nquery = {}\n",
        list(&fields, '"'),
        list(&query, '"')
    )
}

/// Fields in quotes behind those of the combined format that hold private text, as `seal` names them.
fn private_quoted(lines: &[Vec<u8>]) -> impl Iterator<Item = String> {
    const LAST: usize = 9;
    (3..=LAST).filter_map(|number| {
        let name = format!("field{number}={number}");
        let selection = Selection { headers: vec![name.clone()], ..Selection::default() };
        let (fields, mut spans) = (Fields::new(&selection).expect("a fixed selection"), Vec::new());
        let is_private = |line: &Vec<u8>| {
            let found = fields.find(line, &mut spans);
            let of_field = spans.iter().filter(|span| fields.rule_of(span).is_some());
            found
                && of_field
                    .into_iter()
                    .any(|span| !private::find(&String::from_utf8_lossy(&span.value(line))).is_empty())
        };
        let name = if number == 3 { "X-Forwarded-For".to_owned() } else { name };
        lines.iter().any(is_private).then_some(name)
    })
}

fn of_pairs(format: &str, lines: &[Vec<u8>], pairs: impl Fn(&str) -> Vec<(String, String)>) -> String {
    let mut sealed = BTreeSet::new();
    for line in lines {
        for (name, value) in pairs(&String::from_utf8_lossy(line)) {
            if is_private_name(&name) || !private::find(&value).is_empty() {
                sealed.insert(name);
            }
        }
    }
    format!("format = \"{format}\"\nseal = {}\n", list(&sealed, '"'))
}

fn patterns_of(lines: impl Iterator<Item = impl AsRef<str>>) -> Vec<String> {
    let kinds: BTreeSet<Kind> = lines
        .flat_map(|line| private::find(line.as_ref()).into_iter().map(|(kind, _)| kind).collect::<Vec<_>>())
        .collect();
    kinds.into_iter().map(Kind::pattern).collect()
}

/// A list of TOML.
fn list(names: impl IntoIterator<Item = impl AsRef<str>>, quote: char) -> String {
    let names = names.into_iter().map(|name| match quote {
        '\'' => format!("'{}'", name.as_ref()),
        _ => format!("{:?}", name.as_ref()),
    });
    format!("[{}]", names.collect::<Vec<_>>().join(", "))
}
