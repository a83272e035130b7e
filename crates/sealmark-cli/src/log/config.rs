//! `log seal --config FILE`: the fields, the keys and the files of a log in one TOML file.
//!
//! One table has the keys that describe lines, and those that describe the run; `[[within]]` is the same table for the text of one
//! field, where keys of the run are refused. Every error names the line.

mod lists;
pub mod preset;
mod refusal;

use super::addresses::{Address, CountsTo};
use super::args_seal::{LogSeal, OnFull, Unparsed, duration};
use super::pad::Pad;
use super::selection::ONE_RULE;
use crate::fault::Fault;
use crate::say;
use preset::{Format, Preset};
use sealmark_fields::{Fields, Kind, Selection, SelectionError, Wrapper};
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
    #[serde(deserialize_with = "lists::some_names")]
    seal: Option<Names>,
    #[serde(deserialize_with = "lists::names")]
    keep: Names,
    #[serde(deserialize_with = "lists::names")]
    drop: Names,
    #[serde(deserialize_with = "lists::some_names")]
    query: Option<Names>,
    #[serde(deserialize_with = "lists::names")]
    patterns: Names,
    any_case: Option<bool>,
    unparsed: Option<Spanned<Unparsed>>,
    within: Vec<Spanned<Keys>>,
    // The run.
    #[serde(deserialize_with = "lists::whole")]
    recipients: Option<Spanned<Vec<String>>>,
    #[serde(deserialize_with = "lists::whole")]
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
            return Err(Fault::usage(format!("configuration {path:?} is larger than 1 MiB"))
                .hint("pass a TOML file; the log to seal is IN"));
        }
        let text = fs::read_to_string(path).map_err(|error| about(error.into()))?;
        Self::parse(path, text)
    }

    fn parse(path: &Path, text: String) -> Result<Self, Fault> {
        match toml::from_str(&text) {
            Ok(keys) => Ok(Self { path: path.to_owned(), text, keys }),
            Err(error) => {
                let message = error.message().lines().collect::<Vec<_>>().join(" ");
                let place = error.span().map_or(0, |span| span.start);
                let line = line_of(&text, place);
                // The line as a whole: the place of a key or a table is where it begins.
                let end = text[place..].find(['=', '\n']).map_or(text.len(), |length| place + length + 1);
                let (what, hint) = refusal::words(&message, &text[..end.min(text.len())]);
                Err(Fault::usage(format!("{path:?}, line {line}: {what}")).named().hint(hint))
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
        // Readers that are named are all that are meant.
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
        let metrics = self.parsed(&keys.metrics, str::parse::<CountsTo>)?.map(|place| match place {
            CountsTo::File(path) => CountsTo::File(here(&path)),
            address @ CountsTo::Address(_) => address,
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
                return Err(self.fault(span, "no log format given", &self.hint_at_format(keys, within)));
            }
        };
        let typed = |names: &Names| names.iter().map(|name| name.as_ref().clone()).collect::<Vec<_>>();
        let known = preset.and_then(|preset| preset.pattern).filter(|_| kind == Kind::Text);
        let known = known.map(|(_, pattern)| pattern.to_owned());
        let patterns = known.into_iter().chain(typed(&keys.patterns)).collect();
        let mut seal = keys.seal.as_ref().map(typed).unwrap_or_default();
        let (mut query, mut kept) = (keys.query.as_ref().map(typed).unwrap_or_default(), typed(&keys.keep));
        if let Some(preset) = preset {
            // Names in the file add to the preset's: one more field to seal opens no other.
            let without = |names: &[&str], other: &[String]| {
                let is_new = |name: &&&str| !other.iter().any(|other| other.eq_ignore_ascii_case(name));
                names.iter().filter(is_new).map(|name| (*name).to_owned()).collect::<Vec<_>>()
            };
            let names = [&seal[..], &kept, &typed(&keys.drop)].concat();
            kept.extend(without(preset.keep, &seal));
            seal.splice(..0, without(preset.seal, &names));
            query.splice(..0, without(preset.query, &query));
        }
        // A file that says only which names stay in the clear seals the rest.
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
            dropped: typed(&keys.drop),
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
                    "format = \"text\" has no fields with names",
                    "find values with patterns = ['…']",
                ));
            }
            Kind::Text => {}
            _ => unreachable!("a format of the configuration is one of these kinds"),
        }
        self.check_kind(keys, kind, &query)?;
        for inner in &keys.within {
            let (span, keys) = (inner.span(), inner.as_ref());
            let field = keys.field.as_ref().map(|field| field.as_ref().clone());
            let Some(field) = field else {
                return Err(self.fault(
                    span,
                    "[[within]] has no field",
                    "add field = \"…\", written like a name in seal",
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

    /// A key after the first `[[within]]` belongs to that table, whatever its author meant.
    fn hint_at_format(&self, keys: &Keys, within: Option<Range<usize>>) -> String {
        if let (Some(_), Some([name, ..])) = (&within, keys.seal.as_deref()) {
            let name = name.as_ref();
            return format!(
                "add format = \"json\", \"logfmt\" or \"ltsv\"; or, for a parameter of a URL, write query = [{name:?}] in \
                 place of seal"
            );
        }
        let format = |keys: &Keys| {
            let format = keys.format.as_ref().map(|key| ("format", key.span()));
            let log_format = keys.log_format.as_ref().map(|key| ("log_format", key.span()));
            format.or(log_format).or(keys.preset.as_ref().map(|key| ("preset", key.span())))
        };
        match keys.within.iter().find_map(|inner| format(inner.as_ref())) {
            Some((key, span)) => format!(
                "if {key} in line {} is meant for whole lines, move it above the first [[within]]",
                line_of(&self.text, span.start)
            ),
            None if keys.preset.is_some() => {
                "the preset sets only the wrapper: add format, log_format or patterns for the line inside it".into()
            }
            None => "add format = \"json\", \"logfmt\", \"ltsv\", \"access\" or \"text\", or log_format, or a preset".into(),
        }
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
                "unparsed = \"drop\" is not allowed in a [[within]], because it would drop a part of a line",
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
            ("format", other_format.map(Spanned::span), "the format of the lines"),
            ("log_format", other_log_format.map(Spanned::span), "the format of the lines"),
            ("wrapper", other_wrapper.map(Spanned::span), "the wrapper"),
        ];
        match both.into_iter().find_map(|(key, span, what)| Some((key, span?, what))) {
            Some((key, span, what)) => {
                Err(self.fault(span, &format!("preset and {key} both set {what}"), "keep one of them"))
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
                "query needs a field that contains a URL",
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
        Fault::usage(self.at(span, what)).named().hint(hint)
    }

    fn at(&self, span: Range<usize>, what: &str) -> String {
        format!("{:?}, line {}: {what}", self.path, line_of(&self.text, span.start))
    }

    /// Warns of names in `keep` that have no effect: whoever writes them beside `seal` may expect that all other fields are
    /// sealed.
    pub fn warn_of_idle_keeps(&self, fields: &Fields) {
        for name in fields.idle_keeps().iter().chain(self.idle_in_template()) {
            let span = self.keys.find(name).unwrap_or(0..0);
            let what = format!("keep {name:?} has no effect: nothing in seal covers it");
            say::warning(
                &self.at(span, &what),
                "remove seal to seal every field that is not in keep, or remove keep",
            );
        }
    }

    /// A preset with a format names what it seals, so that keeping one of those has an effect.
    fn idle_in_template(&self) -> impl Iterator<Item = &String> {
        let is_wild = |seal: &Names| seal.iter().any(|name| name.as_ref().contains('*'));
        let keys = &self.keys;
        let applies = keys.log_format.is_some() && keys.seal.as_ref().is_some_and(|seal| !is_wild(seal));
        keys.keep.iter().filter(move |_| applies).map(Spanned::as_ref)
    }

    /// The error about a name, with the line where it stands.
    pub fn refused(&self, refused: &SelectionError) -> Fault {
        use SelectionError::*;
        let what = match refused {
            NoWithin => "[[within]] needs format = \"json\", \"logfmt\" or \"ltsv\"".to_owned(),
            refused => refused.to_string(),
        };
        let (name, hint) = match refused {
            Name { name, meant, .. } if !meant.is_empty() => {
                let meant: Vec<_> = meant.iter().map(|name| format!("{name:?}")).collect();
                let hint = match &meant[..] {
                    [one] => format!("did you mean {one}?"),
                    _ => format!("use one of {}", meant.join(", ")),
                };
                (Some(name), hint)
            }
            Name { name, what, .. } => (Some(name), format!("write {what}")),
            Header { name, .. } => (Some(name), "name client, user, request, Referer, User-Agent or X-Forwarded-For, or NAME=N; or write log_format in place of format = \"access\"".into()),
            Twice { name, .. } => (Some(name), ONE_RULE.into()),
            Pattern { pattern, .. } => (Some(pattern), "the syntax is that of https://docs.rs/regex; it has no look-around and no back-references".into()),
            EmptyMatch { pattern, .. } => (Some(pattern), "write a pattern that matches at least one character, with \"+\" in place of \"*\"".into()),
            Format { .. } => (self.keys.log_format.as_ref().map(Spanned::as_ref), "copy the string from the server's configuration, between single quotes".into()),
            TooMany => (None, "use fewer names, or wildcards".into()),
            _ => (None, "see docs/logs.md".into()),
        };
        let span = name.and_then(|name| self.keys.find(name)).unwrap_or(0..0);
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
mod tests;
