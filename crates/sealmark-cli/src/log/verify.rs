//! `sealmark log verify`: tokens authentic, under their fields' names, and all there.

use super::args_read::LogVerify;
use super::read::{self, Batch, Input, Kind, keys, lanes, place::Places, tell, tell::many};
use crate::fault::{Exit, Fault};
use crate::{say, target::Source};
use memchr::memmem;
use sealmark::record::{Context, Found, Pass, Report, SessionId, SessionReport, Sessions, find};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use zeroize::Zeroizing;

pub fn run(args: &LogVerify) -> Result<Exit, Fault> {
    keys::check(&args.with, &args.inputs, &[])?;
    let sources = read::sources(&args.inputs)?;
    let names: Vec<String> = sources.iter().map(name).collect();
    let input = Input { sources, follow: false, opener: keys::opener(&args.with)? };
    // A side file has the sessions of other logs, too.
    let mut seen = Seen { elsewhere: input.opener.sessions(), ..Seen::default() };
    let checking = Checking { labels: !args.any_label, opened: Zeroizing::default() };
    let ended = lanes::run(input, &checking, |done| {
        seen.add(&done.batch, &done.found, &names);
        Ok(())
    });
    // What was not read may have been closed.
    let told = seen.tell(args.closed && ended.is_ok())?;
    tell::end(ended, told.max(tell::too_long(seen.too_long, "were not checked")))
}

fn name(source: &Source) -> String {
    match source {
        Source::Stdin => "standard input".to_owned(),
        Source::Path(path) => format!("{path:?}"),
    }
}

#[derive(Clone)]
struct Checking {
    labels: bool,
    opened: Zeroizing<Vec<u8>>,
}

/// What one batch has.
#[derive(Default)]
struct Checked {
    report: Report,
    lines: u64,
    wrong: Vec<Wrong>,
    mislabelled: u64,
}

/// A line to look at, counted from 0 in its batch.
struct Wrong {
    line: u64,
    what: String,
}

/// Lines that are named; the others are counted.
const NAMED: usize = 8;

impl lanes::Work for Checking {
    type Found = Checked;

    fn work(&mut self, batch: &Batch, _: &mut Vec<u8>) -> Checked {
        let text = batch.text.text();
        let mut checked = Checked { lines: feeds(text), ..Checked::default() };
        if batch.kind.is_closed() {
            return checked;
        }
        let mut pass = Pass::new(Context::Detect);
        let (finder, mut done, mut line) = (memmem::Finder::new(b"~s1"), 0, 0);
        while let Some(hit) = finder.find(&text[done..]).map(|step| done + step) {
            let start = memchr::memrchr(b'\n', &text[done..hit]).map_or(done, |before| done + before + 1);
            let end = memchr::memchr(b'\n', &text[hit..]).map_or(text.len(), |feed| hit + feed + 1);
            line += feeds(&text[done..start]);
            self.line(batch, start..end, line, &mut pass, &mut checked);
            (done, line) = (end, line + 1);
        }
        checked.report = pass.into_report();
        checked
    }
}

fn feeds(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

impl Checking {
    fn line(
        &mut self,
        batch: &Batch,
        range: Range<usize>,
        line: u64,
        pass: &mut Pass,
        checked: &mut Checked,
    ) {
        let text = &batch.text.text()[range];
        let before = (pass.report().tampered, pass.report().not_text);
        read::make_room(&mut self.opened, text.len());
        pass.open(&batch.sessions, text, &mut self.opened);
        let mut note = |what: &dyn Fn() -> String| {
            if checked.wrong.len() < NAMED {
                checked.wrong.push(Wrong { line, what: what() });
            }
        };
        if pass.report().tampered > before.0 {
            note(&|| "a token is not as sealed".to_owned());
        }
        if pass.report().not_text > before.1 {
            note(&|| "a token holds no text, where only text can stand".to_owned());
        }
        if self.labels {
            let mut places = Places::of(text.trim_ascii_end());
            for found in find(text) {
                let Found::Token(token) = found else { continue };
                if let Some(name) = places.contradict(&token.range, token.label) {
                    note(&|| {
                        format!("a token labelled {:?} stands in the field {}", token.label, shown(name))
                    });
                    checked.mislabelled += 1;
                }
            }
        }
    }
}

/// As much of a name as a line of a message has room for.
fn shown(name: &str) -> String {
    const SHOWN: usize = 64;
    match name.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}…", &name[..end]),
        None => format!("{name:?}"),
    }
}

/// What all batches have.
#[derive(Default)]
struct Seen {
    closed: tell::Closed,
    too_long: u64,
    named: usize,
    mislabelled: u64,
    /// Lines before this batch in its input.
    lines: u64,
    input: usize,
    sessions: HashMap<SessionId, SessionReport>,
    in_order: Vec<SessionId>,
    /// Known before the first line was read, and with the last one.
    elsewhere: Sessions,
    known: Sessions,
    /// Stretches of counters that are kept.
    runs: usize,
    /// Values whose counters are not, for want of memory.
    untracked: u64,
}

/// A log of honest writers has far fewer sessions, and its values nearly in order.
const MAX_SESSIONS: usize = 1 << 16;
const MAX_RUNS: usize = 1 << 21;

impl Seen {
    fn add(&mut self, batch: &Batch, checked: &Checked, names: &[String]) {
        if batch.input != self.input {
            (self.input, self.lines) = (batch.input, 0);
        }
        for wrong in checked.wrong.iter().take(NAMED - self.named) {
            say::note(&format!(
                "{}, line {}: {}",
                names[self.input],
                self.lines + wrong.line + 1,
                wrong.what
            ));
            self.named += 1;
        }
        self.known = batch.sessions.clone();
        self.lines += checked.lines;
        self.mislabelled += checked.mislabelled;
        self.too_long += u64::from(batch.kind == Kind::LastPiece);
        self.closed.add(&checked.report);
        checked.report.sessions.iter().for_each(|(id, session)| self.add_session(*id, session));
    }

    fn add_session(&mut self, id: SessionId, session: &SessionReport) {
        let known = self.sessions.contains_key(&id);
        if self.runs > MAX_RUNS || !known && self.sessions.len() == MAX_SESSIONS {
            self.untracked += session.values() + session.repeated;
            return;
        }
        if !known {
            self.in_order.push(id);
        }
        let all = self.sessions.entry(id).or_default();
        self.runs -= all.runs();
        *all += session.clone();
        self.runs += all.runs();
    }

    fn tell(&mut self, closed: bool) -> Result<Exit, Fault> {
        self.add_empty();
        let (mut exit, mut text) = (Exit::Done, String::new());
        for id in &self.in_order {
            let (verdict, whole) = verdict(&self.sessions[id], closed);
            text += &format!("{id}: {verdict}\n");
            exit = exit.max(if whole { Exit::Done } else { Exit::Damaged });
        }
        text += &self.summary();
        say::result(&text)?;
        if self.mislabelled > 0 {
            say::warning(
                &format!("{} under a label that is not the field's", tokens(self.mislabelled)),
                "were they moved? for a log that was sealed by patterns, add --any-label",
            );
            exit = Exit::Damaged;
        }
        if closed && self.in_order.is_empty() && self.closed.is_none() {
            say::warning(
                "the log has no session that the keys open, so none was closed",
                "is it the right log? its lines may have been cut away",
            );
            exit = Exit::Damaged;
        }
        if self.untracked > 0 {
            say::warning(
                &format!(
                    "{} in too many sessions, or in too much disorder to tell what is missing",
                    tokens(self.untracked)
                ),
                "verify parts of the log by themselves",
            );
            exit = exit.max(Exit::Io);
        }
        Ok(exit.max(self.closed.tell()))
    }

    /// Sessions of which the log has the header and nothing else: the rest may have been cut away.
    fn add_empty(&mut self) {
        let elsewhere: HashSet<SessionId> = self.elsewhere.opened().collect();
        let here = self.known.opened().filter(|id| !elsewhere.contains(id));
        let mut empty: Vec<SessionId> = here.filter(|id| !self.sessions.contains_key(id)).collect();
        empty.sort();
        empty.iter().for_each(|id| self.add_session(*id, &SessionReport::default()));
    }

    fn summary(&self) -> String {
        let values: u64 = self.sessions.values().map(SessionReport::values).sum();
        let open = self.sessions.values().filter(|session| session.closing.is_none()).count();
        let open = if open > 0 { format!(", {open} of them not closed") } else { String::new() };
        format!("{}{open}, {}\n", many(self.sessions.len() as u64, "session"), many(values, "value"))
    }
}

fn tokens(number: u64) -> String {
    many(number, "token")
}

/// What is to be said of a session, and whether it is whole. Without a closing token gaps say nothing: threads take
/// counters in runs.
fn verdict(session: &SessionReport, must_close: bool) -> (String, bool) {
    let mut wrong = Vec::new();
    if let Some(sealed) = session.closing {
        let missing = session.missing();
        let number: u64 = missing.iter().map(|run| run.end - run.start).sum();
        if number > 0 {
            wrong.push(format!(
                "{number} of {} missing (counters {})",
                many(sealed, "value"),
                listed(&missing)
            ));
        }
    }
    if session.beyond() > 0 {
        wrong.push(format!("{} that the closing token does not count", many(session.beyond(), "value")));
    }
    if session.repeated > 0 {
        wrong.push(format!("{} repeated", tokens(session.repeated)));
    }
    if session.untracked() > 0 {
        wrong.push(format!("{} in too much disorder to tell", tokens(session.untracked())));
    }
    let values = many(session.values(), "value");
    match (wrong.is_empty(), session.closing) {
        (true, Some(_)) => (format!("whole and unaltered, {values}"), true),
        (true, None) => (format!("not closed, {values} so far"), !must_close),
        (false, Some(_)) => (wrong.join(", "), false),
        (false, None) => (format!("not closed, {values} so far, {}", wrong.join(", ")), false),
    }
}

/// A handful of runs.
fn listed(runs: &[Range<u64>]) -> String {
    const SHOWN: usize = 4;
    let shown = |run: &Range<u64>| match run.end - run.start {
        1 => run.start.to_string(),
        _ => format!("{}-{}", run.start, run.end - 1),
    };
    let list: Vec<String> = runs.iter().take(SHOWN).map(shown).collect();
    list.join(", ") + if runs.len() > SHOWN { ", …" } else { "" }
}
