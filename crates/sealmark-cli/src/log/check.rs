//! `log seal --check SAMPLE`: what each rule finds, what is unparsed, and what looks private and stays in the clear. Nothing is
//! sealed, and no key is needed.

use super::args_seal::{LogSeal, Unparsed};
use super::lines::{self, LONGEST, Lines, Piece};
use super::private::{self, Kind};
use super::read::place::Places;
use super::seal::input::{Input, Stream};
use super::selection::Naming;
use super::settings::Settings;
use crate::fault::{Exit, Fault};
use crate::say::{self, many};
use crate::stdio;
use crate::target::Source;
use sealmark_fields::{Fields, Span, Unknown};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Hints of one kind and place, counted; the others are told as so many more.
const MOST_HINTS: usize = 20;

pub fn run(sample: &Path, args: &LogSeal) -> Result<Exit, Fault> {
    let settings = Settings::read(args)?;
    let fields = &settings.fields()?;
    let naming = settings.naming();
    let mut seen = Seen::new(fields, naming, settings.args.unparsed(fields.drops()));
    read(sample, &mut seen)?;
    stdio::result(&seen.table())?;
    let silent: Vec<_> =
        fields.rules().filter(|(_, values)| *values == 0).map(|(rule, _)| naming.rule(rule)).collect();
    if silent.is_empty() {
        Ok(Exit::Done)
    } else {
        say::warning(
            &format!(
                "{} found nothing: {}",
                if silent.len() == 1 { "this rule" } else { "these rules" },
                silent.join(", ")
            ),
            "compare the names with those in the log, or remove the rules",
        );
        Ok(Exit::NothingFound)
    }
}

/// Hands over the lines of a sample.
pub fn read(sample: &Path, lines: &mut impl Lines) -> Result<(), Fault> {
    let named = |fault: Fault| if stdio::is_dash(sample) { fault } else { fault.about(sample) };
    let source = Source::new(sample).map_err(named)?;
    let mut read = || {
        let mut input = Stream::open(&source, LONGEST)?;
        while input.read(lines)? {}
        input.end(lines)
    };
    read().map_err(|error: io::Error| named(error.into()))
}

/// The program's line in one of docker's.
pub fn docker_line(line: &[u8]) -> Option<Vec<u8>> {
    match serde_json::from_slice::<serde_json::Value>(line).ok()? {
        serde_json::Value::Object(members) if members.contains_key("stream") => {
            Some(members.get("log")?.as_str()?.trim_end_matches('\n').as_bytes().to_vec())
        }
        _ => None,
    }
}

struct Seen<'a> {
    fields: &'a Fields,
    naming: Naming,
    manner: Unparsed,
    lines: u64,
    /// By rule, as it is shown: the first value, masked.
    examples: BTreeMap<String, String>,
    unparsed: u64,
    /// The lines of these that could not be searched.
    unsearched: u64,
    /// The first line that was unparsed, and why.
    first: Option<(u64, String)>,
    /// By kind and place: how many, the first line, and a masked example.
    clear: BTreeMap<(Kind, String), (u64, u64, String)>,
    spans: Vec<Span>,
    kept: Vec<u8>,
}

impl Lines for Seen<'_> {
    fn piece(&mut self, piece: Piece<'_>) -> io::Result<()> {
        match piece {
            Piece::Line { content, .. } => {
                self.lines += 1;
                self.line(content);
            }
            Piece::Long(_) => {}
            Piece::LongEnd { .. } => {
                self.lines += 1;
                self.not_parsed("it is longer than 1 MiB".into());
                self.unsearched += 1;
            }
        }
        Ok(())
    }
}

impl<'a> Seen<'a> {
    fn new(fields: &'a Fields, naming: Naming, manner: Unparsed) -> Self {
        Self {
            fields,
            naming,
            manner,
            lines: 0,
            examples: BTreeMap::default(),
            unparsed: 0,
            unsearched: 0,
            first: None,
            clear: BTreeMap::default(),
            spans: Vec::new(),
            kept: Vec::new(),
        }
    }

    fn line(&mut self, line: &[u8]) {
        let (mut spans, mut kept) = (std::mem::take(&mut self.spans), std::mem::take(&mut self.kept));
        let left = self.fields.without_dropped(line, &mut spans, &mut kept);
        match left.map(|left| (left, self.fields.find_in(left, &mut spans))) {
            Some((left, Ok(()))) => self.parsed(left.line, &spans),
            found => {
                if !lines::is_blank(line) {
                    self.not_parsed(self.fields.why_not(line));
                }
                match found {
                    Some((_, Err(Unknown::NotSearched))) => self.unsearched += 1,
                    _ if self.manner == Unparsed::Pass => self.parsed(line, &[]),
                    _ => {}
                }
            }
        }
        (self.spans, self.kept) = (spans, kept);
    }

    fn not_parsed(&mut self, why: String) {
        self.unparsed += 1;
        self.first.get_or_insert((self.lines, why));
    }

    fn parsed(&mut self, line: &[u8], spans: &[Span]) {
        let mut clear = line.to_vec();
        for span in spans {
            if let Some(rule) = self.fields.rule_of(span) {
                let example = || private::masked(&span.value(line));
                self.examples.entry(self.naming.rule(rule)).or_insert_with(example);
            }
            // It keeps its length, so that places stay; a blank is part of nothing that looks private.
            clear[span.range.clone()].fill(b' ');
        }
        match docker_line(&clear) {
            Some(inner) => {
                self.look(&clear, Some("log"));
                self.look(&inner, None);
            }
            None => self.look(&clear, None),
        }
    }

    /// Looks for what seems private anywhere but in one member, which is looked at by itself.
    fn look(&mut self, clear: &[u8], but_in: Option<&str>) {
        let clear = String::from_utf8_lossy(clear);
        let mut places = Places::of(clear.as_bytes());
        let mut found = private::find(&clear);
        found.sort_by_key(|(_, range)| range.start);
        for (kind, range) in found {
            let place = places.around(range.start).unwrap_or_default();
            if but_in.is_some_and(|member| member == place) {
                continue;
            }
            let example = || (0, self.lines, private::masked(&clear.as_bytes()[range.clone()]));
            self.clear.entry((kind, place)).or_insert_with(example).0 += 1;
        }
    }

    fn table(&self) -> String {
        let rules: Vec<_> =
            self.fields.rules().map(|(rule, values)| (self.naming.rule(rule), values)).collect();
        let width =
            rules.iter().map(|(rule, _)| rule.chars().count()).max().unwrap_or_default().max("rule".len());
        let mut text = format!("{:width$}  {:>8}  example, masked\n", "rule", "values");
        for (rule, values) in &rules {
            let example = self.examples.get(rule).map_or("-", String::as_str);
            text += &format!("{rule:width$}  {values:>8}  {example}\n");
        }
        text += &format!("\n{} read", many(self.lines, "line"));
        let became = match self.manner {
            Unparsed::Seal => "would be sealed as a whole",
            Unparsed::Pass if self.unsearched > 0 => &format!(
                "would stay in the clear, except {} that cannot be searched and would be sealed as a whole",
                self.unsearched
            ),
            Unparsed::Pass => "would stay in the clear",
            Unparsed::Drop => "would be dropped",
        };
        if let Some((line, why)) = &self.first {
            let lines = many(self.unparsed, "line");
            let (do_not, first) =
                if self.unparsed == 1 { ("does not", "line") } else { ("do not", "first line") };
            text += &format!(". {lines} {do_not} match the format and {became}: {first} {line} ({why})");
        }
        text += "\n";
        if self.fields.rests() > 0 {
            text += &format!(
                "{} would be recognised only in part: the remainder would be sealed as one value\n",
                many(self.fields.rests(), "line")
            );
        }
        if self.clear.is_empty() {
            text += "\nNo text that stays in the clear looks private. This check can miss private text.\n"
        } else {
            text += "\nLooks private but stays in the clear (this check can miss private text):\n";
            for ((kind, place), (count, line, example)) in self.clear.iter().take(MOST_HINTS) {
                let place = if place.is_empty() { String::new() } else { format!(" in {place:?}") };
                text += &format!("  {}{place}: {count}, first in line {line}: {example}\n", kind.name());
            }
            if self.clear.len() > MOST_HINTS {
                text += &format!("  and in {} more places\n", self.clear.len() - MOST_HINTS);
            }
        }
        text
    }
}
