//! The lines of a batch: which ones match, and what is to be printed of them.

use super::patterns::Patterns;
use crate::fault::Fault;
use crate::log::args_read::LogGrep;
use crate::log::read::{self, Batch, Kept, Wanted, lanes};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sealmark::record::internal::{escape_breaks, string_in};
use sealmark::record::{Context, Found, Outcome, Report, SessionId, Sessions, Token, TokenOpener, find};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use zeroize::Zeroizing;

/// The part of a selected line that is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    Opened,
    Sealed,
    /// The matches, each on a line of its own.
    Matches,
    /// All but the beginning of an object.
    Json,
    Nothing,
}

#[derive(Clone)]
pub struct Search {
    patterns: Patterns,
    invert: bool,
    show: Show,
    around: (usize, usize),
    /// True where it matters which line is which.
    rows: bool,
    wanted: Arc<Wanted>,
    /// How many of the inputs need no more searching.
    finished: Arc<AtomicUsize>,
    /// The line as it is searched.
    opened: Zeroizing<Vec<u8>>,
    value: Zeroizing<Vec<u8>>,
}

/// The lines that were found in a batch.
pub struct Searched {
    pub report: Report,
    pub kept: Kept,
    /// Lines of the file.
    pub lines: u64,
    /// Lines without the log's own, nor those that were left out.
    pub looked_at: u64,
    pub selected: u64,
    pub rows: Vec<Row>,
}

/// A line that is selected, or may be printed because it is near one.
pub struct Row {
    /// Its number in the batch, counted like [`Searched::lines`].
    pub line: u64,
    /// Counted like [`Searched::looked_at`].
    pub place: u64,
    pub selected: bool,
    /// Where its text ends in what the batch gave.
    pub end: usize,
}

impl Search {
    pub fn new(
        args: &LogGrep,
        patterns: Patterns,
        wanted: Arc<Wanted>,
        rows: bool,
        finished: Arc<AtomicUsize>,
    ) -> Self {
        let (show, around) = (args.show(), args.around().unwrap_or_default());
        let around = if show == Show::Nothing { (0, 0) } else { around };
        Self {
            patterns,
            invert: args.invert_match,
            show,
            around,
            rows,
            wanted,
            finished,
            opened: Zeroizing::default(),
            value: Zeroizing::default(),
        }
    }

    /// True where a line with its line feed is selected; `None` for the log's own lines, of which nothing is left.
    fn selects(
        &mut self,
        sessions: &Sessions,
        line: &[u8],
        pass: &mut TokenOpener,
        kept: &mut Kept,
    ) -> Option<bool> {
        read::make_room(&mut self.opened, line.len());
        if !self.wanted.names_labels() {
            pass.open(sessions, line, &mut self.opened);
            return Some(self.patterns.is_match(content(&self.opened)?) != self.invert);
        }
        TokenOpener::default().open_where(sessions, line, &mut self.opened, |_| false);
        content(&self.opened)?;
        let mut matches = false;
        for_each_value(&self.wanted, sessions, line, pass, kept, &mut self.value, |_, value| {
            matches = matches || self.patterns.is_match(value);
        });
        Some(matches != self.invert)
    }

    /// Appends what is printed of a line, which was the last one that was asked about.
    fn show(
        &mut self,
        sessions: &Sessions,
        line: &[u8],
        selected: bool,
        pass: &mut TokenOpener,
        out: &mut Vec<u8>,
    ) {
        if self.wanted.names_labels() && matches!(self.show, Show::Opened | Show::Json) {
            // Values of all labels are printed, so those that stay closed are told.
            read::make_room(&mut self.value, line.len());
            let is_new = |token: &Token<'_>| !self.wanted.names(token.label);
            pass.open_where(sessions, line, &mut self.value, is_new);
        }
        match self.show {
            Show::Nothing => {}
            Show::Sealed => out.extend_from_slice(line),
            Show::Opened => TokenOpener::new(Context::Detect).open(sessions, line, out),
            Show::Matches => {
                if selected && !self.invert {
                    self.each_match(sessions, line, |_, found, _| {
                        escape_breaks(found, out);
                        out.push(b'\n');
                    });
                }
            }
            Show::Json => self.json(sessions, line, out),
        }
    }

    /// Hands over what matches and is not empty, with its label if those are searched, and where it begins.
    fn each_match(
        &mut self,
        sessions: &Sessions,
        line: &[u8],
        mut hand: impl FnMut(Option<&str>, &[u8], usize),
    ) {
        let mut each = |label: Option<&str>, text: &[u8]| {
            self.patterns.each_match(text, |found| hand(label, &text[found.clone()], found.start));
        };
        if !self.wanted.names_labels() {
            content(&self.opened).into_iter().for_each(|content| each(None, content))
        } else {
            let (mut pass, mut kept) = (TokenOpener::new(Context::Search), self.wanted.kept());
            for_each_value(
                &self.wanted,
                sessions,
                line,
                &mut pass,
                &mut kept,
                &mut self.value,
                |label, value| {
                    each(Some(label), value);
                },
            );
        }
    }

    /// All but what the printer knows, written into `out` alone: it is wiped.
    fn json(&mut self, sessions: &Sessions, line: &[u8], out: &mut Vec<u8>) {
        let (mut opened, mut labels) = (Zeroizing::new(Vec::with_capacity(line.len())), Vec::new());
        TokenOpener::new(Context::Detect).open_line_by(sessions, line, &mut opened, |token, outcome| {
            if matches!(outcome, Outcome::Opened { .. }) {
                labels.push(token.label.to_owned());
            }
        });
        let (text, searched) =
            (content(&opened).unwrap_or_default(), content(&self.opened).unwrap_or_default());
        json_text(text, out);
        if text != searched && !self.wanted.names_labels() {
            out.extend_from_slice(b",\"searched\":{");
            json_text(searched, out);
            out.push(b'}');
        }
        out.extend_from_slice(b",\"matches\":[");
        let mut separator = "";
        if !self.invert {
            self.each_match(sessions, line, |label, found, start| {
                out.extend_from_slice(separator.as_bytes());
                separator = ",";
                out.push(b'{');
                // A label has no character that JSON escapes.
                label
                    .iter()
                    .for_each(|label| out.extend_from_slice(format!("\"label\":\"{label}\",").as_bytes()));
                json_text(found, out);
                out.extend_from_slice(
                    format!(",\"start\":{start},\"end\":{}}}", start + found.len()).as_bytes(),
                );
            });
        }
        let labels: Vec<String> = labels.iter().map(|label| format!("\"{label}\"")).collect();
        out.extend_from_slice(format!("],\"labels\":[{}]}}\n", labels.join(",")).as_bytes());
    }

    fn row(
        &mut self,
        mut row: Row,
        sessions: &Sessions,
        line: &[u8],
        found: (&mut TokenOpener, &mut Vec<Row>),
        out: &mut Vec<u8>,
    ) {
        self.show(sessions, line, row.selected, found.0, out);
        row.end = out.len();
        found.1.push(row);
    }
}

/// A member of an object: text, or what is none.
pub fn json_text(bytes: &[u8], out: &mut Vec<u8>) {
    let written = match str::from_utf8(bytes) {
        Ok(text) => {
            out.extend_from_slice(b"\"text\":");
            serde_json::to_writer(out, text)
        }
        Err(_) => {
            out.extend_from_slice(b"\"base64\":");
            serde_json::to_writer(out, &*Zeroizing::new(STANDARD.encode(bytes)))
        }
    };
    written.expect("a vector takes all");
}

/// A line without its end; `None` where it has none, so that it is one of the log's own.
fn content(opened: &[u8]) -> Option<&[u8]> {
    opened.strip_suffix(b"\n").map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// Hands over the values of a line that have one of the labels: as they were before they were sealed, and a JSON string
/// without its quotes and escapes.
fn for_each_value(
    wanted: &Wanted,
    sessions: &Sessions,
    line: &[u8],
    pass: &mut TokenOpener,
    kept: &mut Kept,
    value: &mut Zeroizing<Vec<u8>>,
    mut hand: impl FnMut(&str, &[u8]),
) {
    let tokens = find(line).filter_map(|found| match found {
        Found::Token(token) => Some(token),
        _ => None,
    });
    let mut is_wanted = |token: &Token<'_>| kept.token(wanted, token);
    for token in tokens.filter(|token| is_wanted(token)) {
        read::make_room(value, token.range.len());
        if !matches!(pass.open_token(sessions, &token, value), Outcome::Opened { .. }) {
            continue;
        }
        let json = str::from_utf8(value).ok().filter(|_| token.is_json());
        hand(token.label, json.and_then(string_in).as_deref().unwrap_or(value));
    }
}

/// True where a line that is not searched would stand between two others: the log's own lines do not.
fn stands_between(line: &[u8]) -> bool {
    find(line).last().is_none_or(|found| matches!(found, Found::Token(_)))
}

impl lanes::Work for Search {
    type Found = Searched;

    fn orphaned(found: &Searched) -> &BTreeSet<SessionId> {
        &found.report.orphaned
    }

    fn work(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Searched {
        let (mut pass, mut kept, mut rows) =
            (TokenOpener::new(Context::Search), self.wanted.kept(), Vec::new());
        let (mut number, mut looked_at, mut selected, mut counted) = (0, 0, 0, 0);
        let (text, sessions) = (batch.text.text(), &batch.sessions);
        let (before, after) = self.around;
        // Lines that are printed if one is selected soon, and how many are printed if one was selected before, maybe in the
        // batch before.
        let (mut held, mut near) = (VecDeque::<(Row, &[u8])>::new(), after);
        let ranges = match batch.input < self.finished.load(Ordering::Relaxed) {
            true => {
                return Searched { report: pass.into_report(), kept, lines: 0, looked_at, selected, rows };
            }
            false if batch.kind.is_piece() => Vec::new(),
            false => kept.lines(&self.wanted, batch),
        };
        for range in ranges.into_iter().chain(std::iter::once(text.len()..text.len())) {
            let left_out = &text[counted..range.start];
            if self.rows {
                number += memchr::memchr_iter(b'\n', left_out).count() as u64;
                // It is one place, however many lines it has.
                let mut left_out = left_out.split_inclusive(|byte| *byte == b'\n');
                looked_at += u64::from(batch.kind.is_piece() || left_out.any(stands_between));
            }
            counted = range.end;
            for raw in text[range].split_inclusive(|byte| *byte == b'\n') {
                // Only the last line of a log has no line feed.
                let ended = if raw.ends_with(b"\n") { Vec::new() } else { [raw, b"\n"].concat() };
                let line = if ended.is_empty() { raw } else { &ended };
                number += 1;
                let Some(is_selected) = self.selects(sessions, line, &mut pass, &mut kept) else { continue };
                let row = Row { line: number - 1, place: looked_at, selected: is_selected, end: 0 };
                looked_at += 1;
                selected += u64::from(is_selected);
                match (is_selected, near) {
                    (true, _) if !self.rows => self.show(sessions, line, true, &mut pass, out),
                    (true, _) => {
                        for (row, line) in held.drain(..) {
                            self.row(row, sessions, line, (&mut pass, &mut rows), out);
                        }
                        self.row(row, sessions, line, (&mut pass, &mut rows), out);
                        near = after;
                    }
                    (false, 1..) => {
                        self.row(row, sessions, line, (&mut pass, &mut rows), out);
                        near -= 1;
                    }
                    (false, 0) if before > 0 => {
                        held.push_back((row, raw));
                        if held.len() > before {
                            held.pop_front();
                        }
                    }
                    (false, 0) => {}
                }
            }
        }
        // The next batch may begin with one that is selected.
        for (row, line) in held {
            self.row(row, sessions, line, (&mut pass, &mut rows), out);
        }
        Searched { report: pass.into_report(), kept, lines: number, looked_at, selected, rows }
    }

    /// So does grep, whatever failed.
    fn goes_on(_: &Fault) -> bool {
        true
    }
}
