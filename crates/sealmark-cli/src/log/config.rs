//! `log seal --config FILE`: the fields, the keys and the files of a log in one TOML file.
//!
//! One table has the keys that describe lines, and those that describe the run; `[[within]]` is the same table for the text of one
//! field, where keys of the run are refused. Every error names the line.

mod preset;

use super::args_seal::{LogSeal, OnFull, Unparsed, duration};
use super::pad::Pad;
use super::seal::metrics::Place;
use super::seal::syslog::Address;
use super::selection::ONE_RULE;
use crate::fault::Fault;
use preset::Preset;
use sealmark_fields::{Kind, Refused, Selection, Wrapper};
use serde::Deserialize;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A configuration that was read.
pub struct Config {
    path: PathBuf,
    text: String,
    keys: Keys,
}

type Names = Vec<Spanned<String>>;

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Keys {
    field: Option<Spanned<String>>,
    preset: Option<Spanned<Preset>>,
    format: Option<Spanned<Format>>,
    log_format: Option<Spanned<String>>,
    wrapper: Option<Spanned<WrapperKey>>,
    seal: Option<Names>,
    keep: Names,
    drop: Names,
    query: Option<Names>,
    patterns: Names,
    any_case: Option<bool>,
    unparsed: Option<Spanned<Unparsed>>,
    within: Vec<Spanned<Keys>>,
    // The run.
    recipients: Option<Spanned<Vec<String>>>,
    recipients_files: Option<Spanned<Vec<PathBuf>>>,
    allow_mixed: Option<Spanned<bool>>,
    psk: Option<Spanned<PathBuf>>,
    pad: Option<Spanned<toml::Value>>,
    rotate_after: Option<Spanned<String>>,
    side_file: Option<Spanned<PathBuf>>,
    append: Option<Spanned<PathBuf>>,
    line_buffered: Option<Spanned<bool>>,
    on_full: Option<Spanned<OnFull>>,
    syslog: Option<Spanned<String>>,
    user: Option<Spanned<String>>,
    metrics: Option<Spanned<String>>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
enum Format {
    Json,
    Logfmt,
    Ltsv,
    Access,
    Text,
    Query,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum WrapperKey {
    Docker,
    Cri,
    Cee,
}

impl From<WrapperKey> for Wrapper {
    fn from(key: WrapperKey) -> Self {
        match key {
            WrapperKey::Docker => Self::Docker,
            WrapperKey::Cri => Self::Cri,
            WrapperKey::Cee => Self::Cee,
        }
    }
}

/// A file is not read beyond this: a configuration is written by hand.
const LONGEST: u64 = 1 << 20;

impl Config {
    pub fn read(path: &Path) -> Result<Self, Fault> {
        let about = |fault: Fault| fault.within(&format!("configuration {path:?}"));
        let length = fs::metadata(path).map_err(|error| about(error.into()))?.len();
        if length > LONGEST {
            return Err(about(
                Fault::usage("is longer than 1 MiB").hint("name a TOML file that says what to seal"),
            ));
        }
        let text = fs::read_to_string(path).map_err(|error| about(error.into()))?;
        Self::parse(path, text)
    }

    fn parse(path: &Path, text: String) -> Result<Self, Fault> {
        match toml::from_str(&text) {
            Ok(keys) => Ok(Self { path: path.to_owned(), text, keys }),
            Err(error) => {
                let message = error.message().lines().collect::<Vec<_>>().join(" ");
                let line = error.span().map_or(1, |span| line_of(&text, span.start));
                Err(Fault::usage(format!("{path:?}, line {line}: {message}")).hint(
                    "docs/logs.md has every key; a string stands between quotes, a list between brackets",
                ))
            }
        }
    }

    /// The fields that it names.
    pub fn selection(&self) -> Result<Selection, Fault> {
        self.selection_of(&self.keys, None)
    }

    /// The flags, and the file's keys where no flag was typed. Its paths start where it stands.
    pub fn complete(&self, mut args: LogSeal) -> Result<LogSeal, Fault> {
        let keys = &self.keys;
        let here = |path: &PathBuf| self.path.parent().unwrap_or(Path::new("")).join(path);
        let path = |typed: &mut Option<PathBuf>, key: &Option<Spanned<PathBuf>>| {
            *typed = typed.take().or_else(|| key.as_ref().map(|key| here(key.as_ref())));
        };
        // Whoever names readers means those and no others.
        if !args.to.names_someone() && args.psk.is_none() {
            args.to.recipients = keys.recipients.as_ref().map(|key| key.as_ref().clone()).unwrap_or_default();
            let files = keys.recipients_files.iter().flat_map(|key| key.as_ref());
            args.to.recipients_files = files.map(here).collect();
            path(&mut args.psk, &keys.psk);
            if let (Some(psk), true) = (&keys.psk, args.to.names_someone()) {
                return Err(self.fault(
                    psk.span(),
                    "psk and recipients cannot be used together",
                    "keep one of them",
                ));
            }
        }
        args.to.allow_mixed |= keys.allow_mixed.as_ref().is_some_and(|key| *key.as_ref());
        args.line_buffered |= keys.line_buffered.as_ref().is_some_and(|key| *key.as_ref());
        path(&mut args.side_file, &keys.side_file);
        if args.out.output.is_none() {
            path(&mut args.append, &keys.append);
        }
        if args.input.is_none() && args.syslog.is_none() {
            args.syslog = self.parsed(&keys.syslog, str::parse::<Address>)?.map(|address| match address {
                Address::Unix(path) => Address::Unix(here(&path)),
                other => other,
            });
        }
        args.user = args.user.take().or_else(|| keys.user.as_ref().map(|key| key.as_ref().clone()));
        args.rotate_after = args.rotate_after.or(self.parsed(&keys.rotate_after, duration)?);
        let metrics = self.parsed(&keys.metrics, str::parse::<Place>)?.map(|place| match place {
            Place::File(path) => Place::File(here(&path)),
            address @ Place::Address(_) => address,
        });
        args.metrics = args.metrics.take().or(metrics);
        if args.pad.is_empty() {
            args.pad = keys.pad.as_ref().map(|key| self.pads(key)).transpose()?.unwrap_or_default();
        }
        args.on_full = args.on_full.or(keys.on_full.as_ref().map(|key| *key.as_ref()));
        args.unparsed = args.unparsed.or(keys.unparsed.as_ref().map(|key| *key.as_ref()));
        Ok(args)
    }

    /// A number, or a table of one for each label.
    fn pads(&self, key: &Spanned<toml::Value>) -> Result<Vec<Pad>, Fault> {
        let pad = |label: Option<&str>, bytes: &toml::Value| {
            let bytes = bytes.as_integer().and_then(|bytes| usize::try_from(bytes).ok());
            Pad::new(label, bytes.ok_or("pad takes a number of bytes, or a table of numbers by label")?)
        };
        let pads = match key.as_ref() {
            toml::Value::Table(labels) => {
                labels.iter().map(|(label, bytes)| pad(Some(label), bytes)).collect::<Result<_, _>>()
            }
            bytes => pad(None, bytes).map(|pad| vec![pad]),
        };
        let hint = r#"write pad = 16, or pad = { "*" = 16, consent = 64, email = 0 }"#;
        pads.map_err(|what| self.fault(key.span(), &what, hint))
    }

    /// The error about paddings, where those of the file are in force.
    pub fn about_pad(&self, used: &[Pad], what: &str) -> Option<Fault> {
        let key = self.keys.pad.as_ref()?;
        (self.pads(key).ok()? == used).then(|| Fault::usage(self.at(key.span(), what)))
    }

    fn parsed<T>(
        &self,
        key: &Option<Spanned<String>>,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Fault> {
        let Some(key) = key else { return Ok(None) };
        match parse(key.as_ref()) {
            Ok(value) => Ok(Some(value)),
            Err(why) => Err(self.fault(
                key.span(),
                &format!("{:?}: {why}", key.as_ref()),
                "see `sealmark log seal --help`",
            )),
        }
    }

    fn selection_of(&self, keys: &Keys, within: Option<Range<usize>>) -> Result<Selection, Fault> {
        self.check_place(keys, within.clone())?;
        let preset = keys.preset.as_ref().map(|preset| preset.as_ref().default());
        let preset = preset.as_ref();
        self.check_preset(keys, preset)?;
        let log_format = keys.log_format.as_ref().map(|format| format.as_ref().clone());
        let log_format = log_format.or(preset.and_then(|preset| preset.log_format.map(str::to_owned)));
        let format =
            keys.format.as_ref().map(|format| *format.as_ref()).or(preset.and_then(|preset| preset.format));
        let wrapper = keys.wrapper.as_ref().map(|wrapper| (*wrapper.as_ref()).into());
        let wrapper = wrapper.or(preset.and_then(|preset| preset.wrapper));
        let kind = match (format, &log_format) {
            (None, Some(_)) => Kind::Template,
            (Some(_), Some(_)) => {
                let span = keys.format.as_ref().map_or(0..0, Spanned::span);
                return Err(self.fault(
                    span,
                    "format and log_format cannot be used together",
                    "keep one of them",
                ));
            }
            (Some(Format::Json), None) => Kind::Json,
            (Some(Format::Logfmt), None) => Kind::Logfmt,
            (Some(Format::Ltsv), None) => Kind::Ltsv,
            (Some(Format::Access), None) => Kind::Access,
            (Some(Format::Text), None) => Kind::Text,
            (Some(Format::Query), None) => Kind::Url,
            (None, None) if keys.seal.is_none() && keys.query.is_some() && within.is_some() => Kind::Url,
            (None, None) if keys.seal.is_none() && keys.query.is_none() && !keys.patterns.is_empty() => {
                Kind::Text
            }
            (None, None) => {
                let span = self.first_of(keys, within.clone());
                return Err(self.fault(span, "no log format given", "add format = \"json\", \"logfmt\", \"ltsv\", \"access\" or \"text\", or log_format, or a preset"));
            }
        };
        let words = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let typed = |names: &Names| names.iter().map(|name| name.as_ref().clone()).collect::<Vec<_>>();
        // A file that drops a field, or has rules for the text of one, still wants the others sealed.
        let names_none = keys.seal.is_none() && keys.query.is_none() && keys.patterns.is_empty();
        let defaults = preset.filter(|_| names_none);
        let mut seal = keys.seal.as_ref().map(typed).unwrap_or_default();
        let known_lines = preset.and_then(|preset| preset.pattern).filter(|_| kind == Kind::Text);
        let known = known_lines.map(|(_, pattern)| pattern.to_owned());
        let patterns = known.into_iter().chain(typed(&keys.patterns)).collect();
        let (mut query, mut kept) = (keys.query.as_ref().map(typed).unwrap_or_default(), typed(&keys.keep));
        if let Some(defaults) = defaults {
            (seal, query) = (words(defaults.seal), words(defaults.query));
            seal.retain(|name| !kept.iter().any(|kept| kept.eq_ignore_ascii_case(name)));
            kept.extend(words(defaults.keep));
        }
        // A file that says only which names stay in clear seals the rest.
        if seal.is_empty() && keys.seal.is_none() && !keys.keep.is_empty() {
            seal.push(if kind == Kind::Json { "**" } else { "*" }.to_owned());
        }
        let mut selection = Selection {
            kind: Some(kind),
            wrapper,
            log_format,
            kept,
            any_case: keys.any_case.unwrap_or(false),
            patterns,
            preset: known_lines.map(|(name, _)| name),
            dropped: typed(&keys.drop),
            from_file: true,
            unparsed: self.unparsed_within(keys, kind, within.is_some())?,
            ..Selection::default()
        };
        match kind {
            Kind::Json => selection.json = seal,
            Kind::Logfmt => selection.logfmt = seal,
            Kind::Ltsv => selection.ltsv = seal,
            Kind::Access | Kind::Template => {
                (selection.headers, selection.query) = (seal, std::mem::take(&mut query))
            }
            Kind::Url => selection.query = [std::mem::take(&mut query), seal].concat(),
            Kind::Text if !seal.is_empty() => {
                let span = keys.seal.iter().flatten().next().map_or(0..0, Spanned::span);
                return Err(self.fault(
                    span,
                    "lines of text have no fields with names",
                    "find values with patterns = ['…']",
                ));
            }
            Kind::Text => {}
        }
        self.check_kind(keys, kind, &query)?;
        for inner in &keys.within {
            let (span, keys) = (inner.span(), inner.as_ref());
            let field = keys.field.as_ref().map(|field| field.as_ref().clone());
            let Some(field) = field else {
                return Err(self.fault(
                    span,
                    "[[within]] has no field",
                    "add field = \"…\", as it would be sealed",
                ));
            };
            selection.within.push((field, self.selection_of(keys, Some(span))?));
        }
        let none =
            [&selection.json, &selection.logfmt, &selection.ltsv, &selection.query, &selection.headers]
                .into_iter()
                .chain([&selection.patterns, &selection.dropped])
                .all(Vec::is_empty);
        if none && selection.within.is_empty() {
            let span = self.first_of(keys, within);
            return Err(self.fault(
                span,
                "no field to seal is given",
                "add seal = [\"…\"], or see `sealmark log seal --suggest SAMPLE`",
            ));
        }
        Ok(selection)
    }

    /// The choice for a field's text that is of another kind. Most messages have nothing that a pattern looks for.
    fn unparsed_within(
        &self,
        keys: &Keys,
        kind: Kind,
        within: bool,
    ) -> Result<sealmark_fields::Unparsed, Fault> {
        match keys.unparsed.as_ref().map(|key| (key.span(), *key.as_ref())) {
            Some((span, Unparsed::Drop)) if within => Err(self.fault(
                span,
                "the text of a field is sealed or passed on, not dropped",
                "name the field in drop, or write unparsed = \"seal\"",
            )),
            // Under a wrapper, it is the line that is dropped.
            Some((_, Unparsed::Drop)) => Ok(sealmark_fields::Unparsed::Line),
            Some((_, Unparsed::Pass)) => Ok(sealmark_fields::Unparsed::Pass),
            None if within && kind == Kind::Text => Ok(sealmark_fields::Unparsed::Pass),
            _ => Ok(sealmark_fields::Unparsed::Seal),
        }
    }

    /// Keys of the run stand at the top, and `field` does not.
    fn check_place(&self, keys: &Keys, within: Option<Range<usize>>) -> Result<(), Fault> {
        let run = [
            ("recipients", keys.recipients.as_ref().map(Spanned::span)),
            ("recipients_files", keys.recipients_files.as_ref().map(Spanned::span)),
            ("allow_mixed", keys.allow_mixed.as_ref().map(Spanned::span)),
            ("psk", keys.psk.as_ref().map(Spanned::span)),
            ("pad", keys.pad.as_ref().map(Spanned::span)),
            ("rotate_after", keys.rotate_after.as_ref().map(Spanned::span)),
            ("side_file", keys.side_file.as_ref().map(Spanned::span)),
            ("append", keys.append.as_ref().map(Spanned::span)),
            ("line_buffered", keys.line_buffered.as_ref().map(Spanned::span)),
            ("on_full", keys.on_full.as_ref().map(Spanned::span)),
            ("syslog", keys.syslog.as_ref().map(Spanned::span)),
            ("user", keys.user.as_ref().map(Spanned::span)),
            ("metrics", keys.metrics.as_ref().map(Spanned::span)),
            ("wrapper", keys.wrapper.as_ref().map(Spanned::span)),
        ];
        let misplaced = run.into_iter().find_map(|(key, span)| Some((key, span?)));
        match (within, misplaced, &keys.field) {
            (Some(_), Some((key, span)), _) => Err(self.fault(
                span,
                &format!("{key} is not allowed in a [[within]]"),
                "move it above the first [[within]]",
            )),
            (None, _, Some(field)) => Err(self.fault(
                field.span(),
                "field is allowed only in a [[within]]",
                "name fields to seal in seal = [\"…\"]",
            )),
            _ => Ok(()),
        }
    }

    /// Nothing takes the place of what a preset says about lines: its pattern, or its names, would be lost without a word.
    fn check_preset(&self, keys: &Keys, preset: Option<&preset::Default>) -> Result<(), Fault> {
        let Some(preset::Default { format, log_format, wrapper, seal: _, keep: _, query: _, pattern: _ }) =
            preset
        else {
            return Ok(());
        };
        let says_lines = format.is_some() || log_format.is_some();
        let same_format = |key: &&Spanned<Format>| Some(*key.as_ref()) == *format;
        let same_wrapper = |key: &&Spanned<WrapperKey>| Some((*key.as_ref()).into()) == *wrapper;
        let other_format = keys.format.as_ref().filter(|key| says_lines && !same_format(key));
        let other_log_format = keys.log_format.as_ref().filter(|_| says_lines);
        let other_wrapper = keys.wrapper.as_ref().filter(|key| wrapper.is_some() && !same_wrapper(key));
        let both = [
            ("format", other_format.map(Spanned::span), "what lines are"),
            ("log_format", other_log_format.map(Spanned::span), "what lines are"),
            ("wrapper", other_wrapper.map(Spanned::span), "what stands around each line"),
        ];
        match both.into_iter().find_map(|(key, span, what)| Some((key, span?, what))) {
            Some((key, span, what)) => {
                Err(self.fault(span, &format!("preset and {key} both say {what}"), "keep one of them"))
            }
            None => Ok(()),
        }
    }

    /// Names that lines of this kind do not have are not left aside.
    fn check_kind(&self, keys: &Keys, kind: Kind, unused_query: &[String]) -> Result<(), Fault> {
        let first = |names: &Names| names.first().map_or(0..0, Spanned::span);
        if let (false, Some(query)) = (unused_query.is_empty(), &keys.query) {
            return Err(self.fault(
                first(query),
                "query needs a field that holds a URL",
                "move it into a [[within]], and name the field with the URL there",
            ));
        }
        if kind == Kind::Json && !keys.patterns.is_empty() {
            return Err(self.fault(
                first(&keys.patterns),
                "patterns cannot be used on whole JSON lines",
                "move them into a [[within]], and name the field with the text there",
            ));
        }
        if !keys.keep.is_empty() && !matches!(kind, Kind::Json | Kind::Logfmt | Kind::Ltsv | Kind::Template) {
            return Err(self.fault(
                first(&keys.keep),
                "keep needs a format whose fields have names",
                "use keep with format = \"json\", \"logfmt\" or \"ltsv\", or with log_format",
            ));
        }
        Ok(())
    }

    fn first_of(&self, keys: &Keys, within: Option<Range<usize>>) -> Range<usize> {
        let first = keys.seal.iter().flatten().chain(&keys.patterns).next().map(Spanned::span);
        first.or(within).unwrap_or(0..0)
    }

    fn fault(&self, span: Range<usize>, what: &str, hint: &str) -> Fault {
        Fault::usage(self.at(span, what)).hint(hint)
    }

    fn at(&self, span: Range<usize>, what: &str) -> String {
        format!("{:?}, line {}: {what}", self.path, line_of(&self.text, span.start))
    }

    /// The error about a name, with the line where it stands.
    pub fn refused(&self, refused: &Refused) -> Fault {
        let what = refused.to_string();
        let (name, hint) = match refused {
            Refused::Name { name, meant, .. } if !meant.is_empty() => {
                let meant: Vec<_> = meant.iter().map(|name| format!("{name:?}")).collect();
                (Some(name.clone()), format!("did you mean {}?", meant.join(", ")))
            }
            Refused::Name { name, what, .. } => (Some(name.clone()), format!("write {what}")),
            Refused::Header(name, _) => (Some(name.clone()), "name client, user, request, Referer, User-Agent or X-Forwarded-For, or NAME=N; or say log_format in place of format = \"access\"".into()),
            Refused::Twice(name) => (Some(name.clone()), ONE_RULE.into()),
            Refused::Pattern(text, _) => (Some(text.clone()), "the syntax is that of https://docs.rs/regex; it has no look-around and no back-references".into()),
            Refused::Empties(text) => (Some(text.clone()), "write a pattern that matches at least one character, with \"+\" in place of \"*\"".into()),
            Refused::Format(_) => (self.keys.log_format.as_ref().map(|format| format.as_ref().clone()), "copy the string from the server's configuration, between single quotes".into()),
            _ => (None, "see docs/logs.md".into()),
        };
        let span = name.and_then(|name| self.keys.find(&name)).unwrap_or(0..0);
        self.fault(span, &what, &hint)
    }
}

impl Keys {
    /// Where a name stands in the file.
    fn find(&self, name: &str) -> Option<Range<usize>> {
        let lists = self.seal.iter().chain([&self.keep, &self.drop, &self.patterns]).chain(&self.query);
        let mut all = lists.flatten().chain(&self.field).chain(&self.log_format);
        let here = all.find(|known| known.as_ref() == name).map(Spanned::span);
        here.or_else(|| self.within.iter().find_map(|inner| inner.as_ref().find(name)))
    }
}

fn line_of(text: &str, place: usize) -> usize {
    text.as_bytes().iter().take(place).filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use sealmark_fields::{Fields, Form};

    fn config(text: &str) -> Config {
        Config::parse(Path::new("log.toml"), text.to_owned()).unwrap()
    }

    fn fields(text: &str) -> Fields {
        Fields::new(&config(text).selection().unwrap()).unwrap()
    }

    /// The place, label and form of each value; nothing where the line is of another kind.
    fn found(fields: &Fields, line: &str) -> Option<Vec<(Range<usize>, String, Form)>> {
        let (mut spans, mut kept) = (Vec::new(), Vec::new());
        let left = fields.without_dropped(line.as_bytes(), &mut spans, &mut kept)?;
        let shown =
            |span: &sealmark_fields::Span| (span.range.clone(), fields.label(span).to_string(), span.form);
        fields.find_in(left, &mut spans).then(|| spans.iter().map(shown).collect())
    }

    #[test]
    fn a_file_and_flags_that_say_the_same_seal_the_same() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let none = Selection::default;
        for (flags, file) in [
            (
                Selection { json: names(&["user.email", "ip"]), dropped: names(&["n"]), ..none() },
                "format = \"json\"\nseal = [\"user.email\", \"ip\"]\ndrop = [\"n\"]",
            ),
            (
                Selection { json: names(&["*.email", "**.ip"]), ..none() },
                "format = \"json\"\nseal = [\"*.email\", \"**.ip\"]",
            ),
            (
                Selection { logfmt: names(&["ip", "user"]), patterns: names(&["m=(.)"]), ..none() },
                "format = \"logfmt\"\nseal = [\"ip\", \"user\"]\npatterns = ['m=(.)']",
            ),
            (Selection { ltsv: names(&["ip"]), ..none() }, "format = \"ltsv\"\nseal = [\"ip\"]"),
            (
                Selection { headers: names(&["client", "User-Agent"]), query: names(&["t"]), ..none() },
                "format = \"access\"\nseal = [\"client\", \"User-Agent\"]\nquery = [\"t\"]",
            ),
            (
                Selection { patterns: names(&["ip=(\\S+)"]), ..none() },
                "format = \"text\"\npatterns = ['ip=(\\S+)']",
            ),
        ] {
            let (flags, file) = (Fields::new(&flags).unwrap(), fields(file));
            for line in [
                r#"{"user":{"email":"a\"b","ip":"::2"},"ip":"::1","n":1}"#,
                "ip=::1 user=\"a b\" m=7",
                "ip:::1\tn:2",
                r#"::1 - bob [t] "GET /?t=1 HTTP/1.1" 200 5 "/?t=2" "curl""#,
                "prose with ip=::1 in it",
                "~s1a~x",
                "",
            ] {
                assert_eq!(found(&flags, line), found(&file, line), "{line}");
            }
            assert_eq!(flags.shape(), file.shape());
        }
    }

    #[test]
    fn presets_say_what_lines_are_and_what_is_sealed() {
        let sealed = |text: &str, line: &str| {
            let found = found(&fields(text), line).unwrap_or_else(|| panic!("not of its kind: {line}"));
            found.into_iter().map(|(range, ..)| line[range].to_owned()).collect::<Vec<_>>()
        };
        let combined = r#"::1 - bob [t] "GET /?t=1 HTTP/1.1" 200 5 "-" "curl""#;
        for preset in ["nginx", "apache"] {
            assert_eq!(sealed(&format!("preset = \"{preset}\""), combined), ["::1", "bob", "1", "curl"]);
        }
        assert_eq!(
            sealed("preset = \"apache-vhost\"", &format!("x.example:443 {combined}")),
            ["::1", "bob", "1", "curl"]
        );
        for (preset, line) in [
            (
                "ecs",
                r#"{"@timestamp":"t","log.level":"INFO","ecs.version":"1","service":{"name":"s"},"user.email":"S","message":"S"}"#,
            ),
            (
                "logstash",
                r#"{"@timestamp":"t","level":"INFO","logger_name":"l","thread_name":"m","user":"S","message":"S"}"#,
            ),
            (
                "gelf",
                r#"{"version":"1.1","host":"h","timestamp":1.5,"level":6,"_logger_name":"l","_user":"S","short_message":"S"}"#,
            ),
        ] {
            assert_eq!(sealed(&format!("preset = \"{preset}\""), line), ["S", "S"], "{preset}");
        }
        assert_eq!(
            sealed(
                "preset = \"ecs\"",
                r#"{"event":{"original":"S","kind":"k"},"process":{"pid":7,"command_line":"S"},"log":{"level":"i","original":"S"}}"#
            ),
            ["S", "S", "S"]
        );
        assert_eq!(
            sealed("preset = \"gelf\"", r#"{"_thread_owner":"S","_thread_name":"t","full_message":"S"}"#),
            ["S", "S"]
        );
        assert_eq!(
            sealed(
                "preset = \"logstash\"\ndrop = [\"password\"]\n[[within]]\nfield = \"uri\"\nquery = [\"t\"]",
                r#"{"message":"S","uri":"/?t=S&x=1","level":"i"}"#
            ),
            ["S", "S"]
        );
        // Names in the file go before those of the preset.
        assert_eq!(sealed("preset = \"nginx\"\nkeep = [\"user\"]", combined), ["::1", "1", "curl"]);
        assert_eq!(sealed("preset = \"nginx\"\nseal = [\"user\"]", combined), ["bob"]);
        assert_eq!(
            sealed("preset = \"cri\"\nformat = \"json\"\nseal = [\"a\"]", "2026T stdout F {\"a\":\"S\"}"),
            ["S"]
        );
    }

    #[test]
    fn lines_of_applications_are_known_by_their_presets() {
        // Nothing where a line is of another kind, which is sealed as a whole.
        for (preset, line, values) in [
            ("rails", r#"Started GET "/a?q=S" for S at 2026-11-25 12:00:00 +0000"#, Some(&["q=S", "S"][..])),
            (
                "rails",
                r#"[id] [::1] Started GET "/a" for S at 2026-11-25 12:00:00 +0000"#,
                Some(&["[id] [::1]", "S"]),
            ),
            (
                "rails",
                r#"Started GET "/a?" for x at 7" for S at 2026-11-25 12:00:00 +0000"#,
                Some(&["\" for x at 7", "S"]),
            ),
            ("rails", r#"Started GET "/a" for S T at 2026-11-25 12:00:00 +0000"#, None),
            ("rails", "[id] Processing by UsersController#show as HTML", Some(&["[id]"])),
            ("rails", "Processing by Admin::UsersController#show as S", Some(&["S"])),
            ("rails", r#"  Parameters: {"q"=>"S}\"", "b"=>{}}"#, Some(&[r#"{"q"=>"S}\"", "b"=>{}}"#])),
            ("rails", "Redirected to https://shop.example/?S", Some(&["https://shop.example/?S"])),
            (
                "rails",
                "  Rendered users/show.html.erb within layouts/application (Duration: 0.4ms | Allocations: 8)",
                Some(&[]),
            ),
            (
                "rails",
                "Completed 200 OK in 2ms (Views: 1.5ms | ActiveRecord: 0.0ms | Allocations: 1509)",
                Some(&[]),
            ),
            ("rails", "Completed 500 Internal Server Error in 1ms", Some(&[])),
            (
                "rails",
                "Completed 200 OK in 9ms (Views: 1.5ms | ActiveRecord: 0.2ms (2 queries, 1 cached) | GC: 0.0ms)",
                Some(&[]),
            ),
            (
                "rails",
                "I, [2026-11-25T12:00:00.123456 #7]  INFO -- : [S] Completed 204 No Content in 1ms",
                Some(&["[S]"]),
            ),
            ("rails", "F, [2026-11-25T12:00:00.123456 #7] FATAL -- : ArgumentError (S):", None),
            ("rails", "paid by S", None),
            ("rails\"\npatterns = ['^paid by (.*)$']\n#\"", "paid by S", Some(&["S"])),
            ("rails\"\npatterns = ['^paid by (.*)$']\n#\"", "[S] Processing by A#b as HTML", Some(&["[S]"])),
            ("rails", "ArgumentError (S):", None),
            (
                "spring",
                "2026-11-25T12:00:00.123Z  INFO 7 --- [shop] [main] o.a.c.c.C.[Tomcat].[localhost].[/]       : S : S",
                Some(&["S : S"]),
            ),
            (
                "spring",
                "2026-11-25 12:00:00.123  WARN 7 --- [http-nio-8080-exec-1] a.b.C$D : S",
                Some(&["S"]),
            ),
            ("spring", "2026-11-25T12:00:00.123+01:00 ERROR --- [           main] a.B    : ", Some(&[])),
            ("spring", "2026-11-25T12:00:00.123Z  INFO 7 --- [main] a S : S", None),
            ("spring", "\tat a.B.c(B.java:7)", None),
            ("spring", "Caused by: java.lang.IllegalStateException: S", None),
        ] {
            let found = found(&fields(&format!("preset = \"{preset}\"")), line);
            let found = found.map(|all| all.into_iter().map(|(range, ..)| &line[range]).collect::<Vec<_>>());
            assert_eq!(found.as_deref(), values, "{line}");
        }
    }

    /// The words that a refusal of `text` lists.
    fn expected(text: &str) -> Vec<String> {
        let refused = Config::parse(Path::new("log.toml"), text.to_owned()).err().unwrap();
        let (_, list) = refused.message.split_once("expected one of").unwrap();
        list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    /// Some values of a key.
    fn values(key: &str) -> &'static [&'static str] {
        match key {
            "format" => &["'json'", "'logfmt'", "'ltsv'", "'access'", "'text'", "'query'"],
            "log_format" => &["'$remote_addr $status'"],
            "wrapper" => &["'docker'", "'cri'", "'cee'"],
            "seal" | "keep" | "drop" => &["['user']"],
            "query" => &["['user']", "['all']"],
            "patterns" => &["['^x=(.*)$']"],
            "any_case" | "allow_mixed" | "line_buffered" => &["true"],
            "unparsed" => &["'seal'", "'pass'", "'drop'"],
            "within" => &["[{ field = 'm', patterns = ['x=(.*)'] }]"],
            "recipients" | "recipients_files" => &["['x']"],
            "field" | "psk" | "side_file" | "append" | "user" | "metrics" => &["'x'"],
            "pad" => &["16"],
            "rotate_after" => &["'1h'"],
            "on_full" => &["'wait'"],
            "syslog" => &["'systemd'"],
            _ => panic!("a key that nobody put beside a preset: {key}"),
        }
    }

    /// Keys beside a preset, each alone and with another about the lines, either leave what the preset says in force or are
    /// refused. Only names in the file replace those of the preset, as docs/logs.md says.
    #[test]
    fn no_key_takes_away_what_a_preset_says() {
        const ABOUT_LINES: [&str; 8] =
            ["format", "log_format", "wrapper", "seal", "keep", "drop", "query", "patterns"];
        let (presets, keys) = (expected("preset = 'none'"), expected("none = 1"));
        assert!(presets.len() > 9 && keys.len() > 20);
        let lines = |key| values(key).iter().map(move |value| (key, format!("{key} = {value}\n")));
        let alone = || [("", String::new())].into_iter();
        let (mut faults, mut accepted) = (Vec::new(), 0);
        for (preset, key) in presets.iter().flat_map(|preset| keys.iter().map(move |key| (preset, &key[..])))
        {
            if key == "preset" {
                continue;
            }
            for (_, line) in lines(key) {
                for (other, more) in alone().chain(ABOUT_LINES.into_iter().flat_map(lines)) {
                    let text = format!("preset = '{preset}'\n{more}{line}");
                    let within = format!("format = 'json'\n[[within]]\nfield = 'outer'\n{text}");
                    for text in [text, within] {
                        let Some(selection) = accepted_selection(&text) else { continue };
                        let found = selection.within.iter().find(|(field, _)| field == "outer");
                        let found = found.map_or(&selection, |(_, inner)| inner);
                        let names =
                            ["seal", "query", "patterns"].iter().any(|name| [key, other].contains(name));
                        if let Some(what) = taken_away(preset, found, names) {
                            faults.push(format!("{what}: {text:?}"));
                        }
                        accepted += 1;
                    }
                }
            }
        }
        assert!(accepted > 1000, "{accepted}");
        assert!(faults.is_empty(), "{} of {accepted}\n{}", faults.len(), faults.join("\n"));
    }

    fn accepted_selection(text: &str) -> Option<Selection> {
        let config = Config::parse(Path::new("log.toml"), text.to_owned()).ok()?;
        config.selection().ok().filter(|selection| Fields::new(selection).is_ok())
    }

    /// What is missing of a preset where the file names fields, or none.
    fn taken_away(preset: &str, found: &Selection, names: bool) -> Option<&'static str> {
        let preset = config(&format!("preset = '{preset}'")).keys.preset?.into_inner().default();
        let kind = format!("{:?}", found.kind);
        let sealed = [&found.json[..], &found.logfmt, &found.ltsv, &found.headers, &found.query].concat();
        let has = |all: &[String], names: &[&str]| names.iter().all(|name| all.iter().any(|one| one == name));
        let mut named = preset.seal.iter().chain(preset.query);
        // A name in keep is not sealed.
        let is_sealed = |name: &&str| has(&sealed, &[*name]) || has(&found.kept, &[*name]);
        [
            ("log_format", preset.log_format.is_some() && found.log_format.as_deref() != preset.log_format),
            ("format", preset.format.is_some_and(|format| kind != format!("Some({format:?})"))),
            ("wrapper", preset.wrapper.is_some() && found.wrapper != preset.wrapper),
            ("pattern", preset.pattern.is_some_and(|(_, text)| !has(&found.patterns, &[text]))),
            ("seal and query", !names && !named.all(is_sealed)),
            ("keep", !names && !has(&found.kept, preset.keep)),
        ]
        .into_iter()
        .find_map(|(key, is_missing)| is_missing.then_some(key))
    }

    #[test]
    fn the_file_completes_what_was_typed() {
        use crate::args::{Cli, Verb};
        use crate::log::args::LogVerb;
        use clap::Parser;
        let typed = |more: &[&str]| {
            let cli = Cli::parse_from([&["sealmark", "log", "seal", "--config", "x"], more].concat());
            match cli.verb {
                Verb::Log(log) => match log.verb {
                    LogVerb::Seal(args) => *args,
                    _ => unreachable!(),
                },
                _ => unreachable!(),
            }
        };
        let text = "recipients_files = [\"ops.txt\"]\nappend = \"out.log\"\npad = 16\nrotate_after = \"5m\"\nsyslog = \"udp:127.0.0.1:5140\"\nunparsed = \"pass\"\nmetrics = \"127.0.0.1:9000\"\nformat = \"json\"\nseal = [\"a\"]";
        let config = Config::parse(Path::new("etc/log.toml"), text.to_owned()).unwrap();
        let args = config.complete(typed(&[])).unwrap();
        assert_eq!(args.to.recipients_files, [Path::new("etc/ops.txt")]);
        assert_eq!(
            (args.append.as_deref(), args.pad.clone()),
            (Some(Path::new("etc/out.log")), vec![Pad::new(None, 16).unwrap()])
        );
        assert_eq!(args.rotate_after.unwrap().as_secs(), 300);
        assert!(args.syslog.is_some() && args.metrics.is_some());
        assert!(args.unparsed(true) == Unparsed::Pass);
        let args = config.complete(typed(&["--psk", "key", "--pad", "8", "-o", "-", "in.log"])).unwrap();
        assert_eq!((args.to.recipients_files.len(), args.pad.clone()), (0, vec![Pad::new(None, 8).unwrap()]));
        assert!(args.append.is_none() && args.syslog.is_none());
        let text = "syslog = \"unix:log.sock\"\nmetrics = \"log.prom\"";
        let args =
            Config::parse(Path::new("etc/log.toml"), text.to_owned()).unwrap().complete(typed(&[])).unwrap();
        assert_eq!(args.syslog, Some(Address::Unix("etc/log.sock".into())));
        assert_eq!(args.metrics, Some(Place::File("etc/log.prom".into())));
    }
}
