//! `sealmark log verify`: tokens authentic, under their fields' names, and all there.

mod cut;
mod order;
mod verdict;

use self::order::{Place, Rows, Run, Sign};
use self::verdict::{Finding, Session, Verdict};
use super::args_read::LogVerify;
use super::read::place::Places;
use super::read::{self, Batch, Input, Kind, keys, lanes, report};
use crate::fault::{Exit, Fault};
use crate::say::{self, many};
use crate::stdio;
use memchr::memmem;
use sealmark::record::{
    Context, Found, HeaderFacts, Outcome, Report, SessionId, SessionReport, Sessions, TokenOpener, find,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use zeroize::Zeroizing;

pub fn run(args: &LogVerify) -> Result<Exit, Fault> {
    keys::check(&args.with, &args.inputs, &[])?;
    let sources = read::sources(&args.inputs)?;
    let names = sources.iter().map(|source| source.name().to_string_lossy().into_owned()).collect();
    let input = Input { sources, follow: false, opener: keys::opener(&args.with)?, wanted: Arc::default() };
    // A side file has the sessions of other logs, too.
    let mut seen = Seen { elsewhere: input.opener.sessions(), names, ..Seen::default() };
    let checking = Checking { labels: !args.any_label, opened: Zeroizing::default() };
    let ended = lanes::run(input, &checking, |done| {
        seen.add(&done.batch, &done.found);
        Ok(ControlFlow::Continue(()))
    });
    // A log that was not read may have been closed.
    let too_long = seen.too_long;
    let all_read = matches!(ended, Ok(Exit::Done)) && too_long == 0;
    let closed = args.closed && ended.is_ok();
    let options = Options { closed, in_order: args.in_order, json: args.json, all_read };
    let told = seen.report(&options)?;
    report::end(ended, told.max(report::too_long(too_long, "were not checked")))
}

/// Faults besides those of single tokens, and how they are told.
struct Options {
    closed: bool,
    in_order: bool,
    json: bool,
    /// The input was read to its end, all lines.
    all_read: bool,
}

#[derive(Clone)]
struct Checking {
    labels: bool,
    opened: Zeroizing<Vec<u8>>,
}

/// The findings of one batch.
#[derive(Default)]
struct Checked {
    report: Report,
    lines: u64,
    wrong: Vec<Wrong>,
    mislabelled: u64,
    /// Markers in place of values that could not be sealed.
    lost: u64,
    /// Signs of sessions whose headers open, in order, each with its line.
    signs: Vec<(SessionId, HeaderFacts, Sign, u64)>,
    runs: Vec<Run>,
    /// The line of each value that opened, in order.
    values: Vec<u64>,
    /// Closing tokens of sessions that are not known yet, each with its line.
    early: Vec<(SessionId, u64, Vec<u8>)>,
    /// Lines that end within what may be the id of a session, each with the beginning of that.
    cuts: Vec<(u64, Vec<u8>)>,
}

/// A line to look at, counted from 0 in its batch.
struct Wrong {
    line: u64,
    kind: &'static str,
    what: String,
}

/// Lines that are named; the others are counted.
const NAMED: usize = 8;
/// The same for programs.
const NAMED_IN_JSON: usize = 1000;

impl lanes::Work for Checking {
    type Found = Checked;

    fn orphaned(found: &Checked) -> &BTreeSet<SessionId> {
        &found.report.orphaned
    }

    fn work(&mut self, batch: &Batch, _: &mut Vec<u8>) -> Checked {
        let text = batch.text.text();
        let mut checked = Checked { lines: feeds(text), ..Checked::default() };
        if batch.kind.is_closed() {
            return checked;
        }
        let mut pass = TokenOpener::new(Context::Detect);
        let (finder, mut done, mut line) = (memmem::Finder::new(b"~s1"), 0, 0);
        while let Some(hit) = finder.find(&text[done..]).map(|step| done + step) {
            let start = memchr::memrchr(b'\n', &text[done..hit]).map_or(done, |before| done + before + 1);
            let end = memchr::memchr(b'\n', &text[hit..]).map_or(text.len(), |feed| hit + feed + 1);
            line += feeds(&text[done..start]);
            self.line(batch, start..end, line, &mut pass, &mut checked);
            (done, line) = (end, line + 1);
        }
        checked.report = pass.into_report();
        checked.settle_cuts(&batch.sessions);
        checked
    }
}

impl Checked {
    /// Counts the cut tokens whose session is known: text that is none of them may end a line, too.
    fn settle_cuts(&mut self, sessions: &Sessions) {
        if self.cuts.is_empty() {
            return;
        }
        let ids: BTreeSet<String> = sessions.opened().map(|id| id.to_string()).collect();
        let is_known =
            |start: &str| ids.range(start.to_owned()..).next().is_some_and(|id| id.starts_with(start));
        for (line, start) in std::mem::take(&mut self.cuts) {
            if str::from_utf8(&start).is_ok_and(is_known) {
                self.report.cut_off += 1;
                self.note(line, "cut off", || CUT_OFF.to_owned());
            }
        }
        self.wrong.sort_by_key(|wrong| wrong.line);
    }

    fn note(&mut self, line: u64, kind: &'static str, what: impl FnOnce() -> String) {
        if self.wrong.len() < NAMED_IN_JSON {
            self.wrong.push(Wrong { line, kind, what: what() });
        }
    }
}

const CUT_OFF: &str = "a token is cut off";

fn feeds(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

impl Checking {
    fn line(
        &mut self,
        batch: &Batch,
        range: Range<usize>,
        line: u64,
        pass: &mut TokenOpener,
        checked: &mut Checked,
    ) {
        let text = &batch.text.text()[range];
        let before = [pass.report().tampered, pass.report().not_text, pass.report().cut_off];
        read::make_room(&mut self.opened, text.len());
        checked.lost += memmem::find_iter(text, b"~s1x~").count() as u64;
        let Checked { runs, values, .. } = checked;
        pass.open_line_by(&batch.sessions, text, &mut self.opened, |token, outcome| {
            if let Outcome::Opened { counter, repeated } = outcome {
                take(runs, token.session, counter.into(), values.len(), repeated);
                values.push(line);
            }
        });
        if let Some(start) = cut::id_at_end(text.trim_ascii_end()) {
            checked.cuts.push((line, start.to_owned()));
        }
        let after = [pass.report().tampered, pass.report().not_text, pass.report().cut_off];
        let kinds = [
            ("tampered", "a token fails authentication"),
            ("not text", "the value of a token is not text, but this place can contain only text"),
            ("cut off", CUT_OFF),
        ];
        for ((kind, what), (before, after)) in kinds.into_iter().zip(before.into_iter().zip(after)) {
            if before < after {
                checked.note(line, kind, || what.to_owned());
            }
        }
        let mut places = self.labels.then(|| Places::of(text.trim_ascii_end()));
        for found in find(text) {
            let range = found.range();
            let session = found.session();
            let (label, sign) = match found {
                Found::Token(token) => (Some(token.label), Sign::Value),
                Found::Part(_) => (None, Sign::Header),
                Found::Closing(_) => (None, Sign::Closing),
                _ => continue,
            };
            let is_new = |(last, _, of, _): &(SessionId, _, Sign, _)| (*last, *of) != (session, sign);
            if checked.signs.last().is_none_or(is_new) {
                match batch.sessions.facts(session) {
                    Some(facts) => checked.signs.push((session, facts, sign, line)),
                    None if sign == Sign::Closing => {
                        checked.early.push((session, line, text[range.clone()].to_owned()))
                    }
                    None => {}
                }
            }
            let Some((label, places)) = label.zip(places.as_mut()) else { continue };
            if let Some(name) = places.contradict(&range, label) {
                checked.note(line, "label", || {
                    format!("a token labelled {label:?} is in the field {}", shown(name))
                });
                checked.mislabelled += 1;
            }
        }
    }
}

/// Adds a value to the run that it goes on, or begins one.
fn take(runs: &mut Vec<Run>, session: SessionId, counter: u64, index: usize, repeated: bool) {
    match runs.last_mut() {
        Some(run) if run.session == session && run.end == counter && !run.repeated && !repeated => {
            run.end += 1
        }
        _ => runs.push(Run { session, start: counter, end: counter + 1, index, repeated }),
    }
}

/// So much of a name as a line of a message has room for.
fn shown(name: &str) -> String {
    const SHOWN: usize = 64;
    match name.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}…", &name[..end]),
        None => format!("{name:?}"),
    }
}

/// The findings of all batches.
#[derive(Default)]
struct Seen {
    names: Vec<String>,
    closed: report::Closed,
    too_long: u64,
    wrong: Vec<Finding>,
    left_out: u64,
    rows: Rows,
    mislabelled: u64,
    lost: u64,
    /// Lines before this batch in its input.
    lines: u64,
    input: usize,
    sessions: HashMap<SessionId, SessionReport>,
    in_order: Vec<SessionId>,
    /// Known before the first line was read, and with the last one.
    elsewhere: Sessions,
    known: Sessions,
    /// Closing tokens that came before the header of their session, and how many bytes they have.
    early: Vec<(SessionId, Place, Vec<u8>)>,
    early_bytes: usize,
    /// Stretches of counters that are kept.
    runs: usize,
    /// Values whose counters are not, for want of memory.
    untracked: u64,
    /// A session that comes behind one that began later.
    earlier: Option<(SessionId, SessionId)>,
}

/// A log of honest writers has far fewer sessions, and its values nearly in order.
const MAX_SESSIONS: usize = 1 << 16;
const MAX_RUNS: usize = 1 << 21;
const MAX_EARLY: usize = 16 << 20;

impl Seen {
    fn add(&mut self, batch: &Batch, checked: &Checked) {
        if batch.input != self.input {
            (self.input, self.lines) = (batch.input, 0);
        }
        for Wrong { line, kind, what } in &checked.wrong {
            if self.wrong.len() == NAMED_IN_JSON {
                self.left_out += 1;
                continue;
            }
            let (file, line) = (self.names[self.input].clone(), self.lines + line + 1);
            self.wrong.push(Finding {
                file,
                line,
                kind,
                session: None,
                counter: None,
                expected: None,
                text: what.clone(),
            });
        }
        let place = |line| Place { input: batch.input, line: self.lines + line + 1 };
        for (session, facts, sign, line) in &checked.signs {
            let sign = match sign {
                Sign::Header if self.elsewhere.facts(*session).is_some() => Sign::Unchecked,
                sign => *sign,
            };
            self.rows.see(*session, *facts, sign, place(*line));
        }
        for (session, line, token) in &checked.early {
            self.early_bytes += token.len() + size_of::<(SessionId, Place, Vec<u8>)>();
            if self.early_bytes <= MAX_EARLY {
                self.early.push((*session, place(*line), token.clone()));
            }
        }
        for run in &checked.runs {
            let at = |ahead: u64| place(checked.values[run.index + ahead as usize]);
            self.rows.take(run, at, self.sessions.get(&run.session));
        }
        self.known = batch.sessions.clone();
        self.lines += checked.lines;
        self.mislabelled += checked.mislabelled;
        self.lost += checked.lost;
        self.too_long += u64::from(batch.kind == Kind::LastPiece);
        self.add_report(&checked.report);
    }

    fn add_report(&mut self, report: &Report) {
        self.closed.add(report);
        report.sessions.iter().for_each(|(id, session)| self.add_session(*id, session));
    }

    /// Reads closing tokens whose headers came behind them, or it would matter where batches end.
    fn add_early(&mut self) {
        let mut pass = TokenOpener::default();
        for (session, place, token) in std::mem::take(&mut self.early) {
            if let Some(facts) = self.known.facts(session) {
                pass.open(&self.known, &token, &mut Vec::new());
                self.rows.see(session, facts, Sign::Closing, place);
            }
        }
        self.add_report(&pass.into_report());
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

    fn report(mut self, options: &Options) -> Result<Exit, Fault> {
        self.add_early();
        self.add_empty();
        self.rows.settle();
        self.in_order.sort_by_key(|id| self.rows.place(*id));
        let counted = self.rows.counted();
        let sessions: Vec<_> =
            self.in_order.iter().map(|id| self.session(*id, counted.get(id).copied(), options)).collect();
        let mut exit = Exit::Done;
        for (session, whole) in &sessions {
            let must_close = options.closed && session.counted.is_none();
            exit = exit.max(if *whole && !must_close { Exit::Done } else { Exit::Damaged });
        }
        let is_ordered = |id: &SessionId| self.rows.is_ordered(*id);
        let promised = options.in_order && !self.in_order.is_empty() && self.in_order.iter().all(is_ordered);
        let ends: HashMap<SessionId, Vec<Range<u64>>> = self
            .in_order
            .iter()
            .map(|id| (*id, self.sessions[id].missing_below(counted.get(id).copied())))
            .collect();
        let earlier = self.rows.earlier();
        let rows = std::mem::take(&mut self.rows);
        let (faults, more) = rows.finish(|id, from, to| {
            let Some(runs) = ends.get(&id) else { return false };
            let behind = runs.partition_point(|run| run.start <= from);
            behind.checked_sub(1).is_some_and(|index| to <= runs[index].end)
        });
        // Repeated values are told in any case, order only where it is options for.
        let faults: Vec<Finding> = faults
            .into_iter()
            .filter(|fault| options.in_order || matches!(fault.kind, order::Kind::Repeated { .. }))
            .map(|fault| Finding::of(fault.clone(), &self.names[fault.at.input]))
            .collect();
        let number = |kind: &str| faults.iter().filter(|fault| fault.kind == kind).count() as u64;
        let out_of_order = number("out of order") + if options.in_order { more } else { 0 };
        if out_of_order + number("missing session") + number("missing") > 0 {
            exit = Exit::Damaged;
        }
        // Faults say more than times do.
        self.earlier = earlier.filter(|_| options.in_order && out_of_order == 0);
        let mut verdict = Verdict {
            values: self.sessions.values().map(SessionReport::values).sum(),
            in_order: promised.then_some(out_of_order + number("missing session") == 0),
            missing: sessions.iter().map(|(session, _)| session.number_missing).sum(),
            repeated: self.sessions.values().map(|session| session.repeated).sum(),
            out_of_order,
            not_counted: self.sessions.values().map(SessionReport::not_counted).sum(),
            mislabelled: self.mislabelled,
            cut_off: self.closed.cut_off,
            tampered: self.closed.tampered,
            not_text: self.closed.not_text,
            lost: self.lost,
            orphans: self.closed.orphans,
            no_key: self.closed.no_key,
            not_checked: self.untracked,
            missing_sessions: number("missing session"),
            ..Verdict::default()
        };
        verdict.sessions = sessions.into_iter().map(|(session, _)| session).collect();
        verdict.faults = std::mem::take(&mut self.wrong);
        verdict.faults.extend(faults);
        exit = exit.max(self.worst());
        verdict.ok = exit == Exit::Done && options.all_read;
        let room = if options.json { NAMED_IN_JSON } else { NAMED };
        verdict.faults_left_out = self.left_out + more + verdict.faults.len().saturating_sub(room) as u64;
        verdict.faults.truncate(room);
        if options.json {
            stdio::result(&stdio::json(&verdict)?)?
        } else {
            for Finding { file, line, text, .. } in &verdict.faults {
                let file = if file == "-" { "standard input".to_owned() } else { format!("{file:?}") };
                say::note(&format!("{file}, line {line}: {text}"));
            }
            if verdict.faults_left_out > 0 {
                say::note(&format!("and {} more", verdict.faults_left_out));
            }
            let lines =
                verdict.sessions.iter().map(|session| format!("{}: {}\n", session.session, session.text));
            stdio::result(&(lines.collect::<String>() + &self.summary() + &verdict.text(options.in_order)))?;
        }
        self.warn();
        Ok(exit.max(self.closed.report()))
    }

    /// The worst fault besides sessions that are not whole.
    fn worst(&self) -> Exit {
        // A log from which every token was removed looks like this one.
        let damaged = self.mislabelled > 0 || self.has_no_session() || self.closed.cut_off > 0;
        match (damaged, self.untracked > 0) {
            (true, _) => Exit::Damaged.max(self.closed.exit()),
            (false, true) => Exit::Io.max(self.closed.exit()),
            (false, false) => self.closed.exit(),
        }
    }

    fn has_no_session(&self) -> bool {
        self.in_order.is_empty() && self.closed.is_none()
    }

    fn warn(&self) {
        if self.mislabelled > 0 {
            say::warning(
                &format!("{} in a field whose name differs from the label", tokens(self.mislabelled)),
                "a token may have been moved to another field; if the log was sealed with patterns, add --any-label",
            );
        }
        if self.lost > 0 {
            say::warning(
                &format!(
                    "{} lost when the log was written: ~s1x~ stands in place of each",
                    many(self.lost, "value")
                ),
                "look for the reason in the output of the program that wrote the log",
            );
        }
        if let Some((earlier, before)) = self.earlier {
            say::warning(
                &format!(
                    "session {earlier} comes after session {before}, but its header has an earlier time"
                ),
                "name rotated logs in the order in which they were written, the oldest first; or was the clock set back?",
            );
        }
        if self.has_no_session() {
            say::warning(
                "nothing was verified: no key opens a session of this log",
                "check that it is the right log and that its header lines are still there, or pass another key with -i or --psk",
            );
        }
        if self.untracked > 0 {
            say::warning(
                &format!(
                    "{} not checked for gaps: there are too many sessions, or values too far out of order",
                    tokens(self.untracked)
                ),
                "verify the log in smaller parts",
            );
        }
    }

    /// A session's row of the verdict, and whether it is whole.
    fn session(&self, id: SessionId, counted: Option<u64>, options: &Options) -> (Session, bool) {
        let (report, ordered, begins) = (&self.sessions[&id], self.rows.is_ordered(id), self.rows.begins(id));
        // Without a count gaps say nothing, unless order is kept: threads take counters in runs.
        let gaps = report.closing.is_some() || counted.is_some() || ordered;
        let mut missing = if gaps { report.missing_below(counted) } else { Vec::new() };
        let all = number(&missing);
        let end = missing.last().map_or(0, |run| run.end);
        missing.retain_mut(|run| {
            run.start = run.start.max(begins);
            !run.is_empty()
        });
        let number_missing = number(&missing);
        let counted = report.closing.or(counted);
        let (mut text, whole) = verdict(report, counted, &missing, all - number_missing);
        let previous = self.rows.previous(id);
        if options.in_order && !ordered {
            text += ", order not promised";
        } else if options.in_order && previous.is_none() {
            text += ", previous session unknown";
        }
        const LISTED: usize = 100;
        let session = Session {
            session: id.to_string(),
            values: report.values(),
            ordered,
            closed: report.closing.is_some(),
            counted,
            begins: begins.min(end),
            previous: previous.map(|previous| previous.to_string()),
            number_missing,
            missing: missing.iter().take(LISTED).map(|run| [run.start, run.end - 1]).collect(),
            repeated: report.repeated,
            not_counted: report.not_counted(),
            text,
        };
        (session, whole)
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

/// The words for a session, and whether it is whole.
fn verdict(
    session: &SessionReport,
    counted: Option<u64>,
    missing: &[Range<u64>],
    elsewhere: u64,
) -> (String, bool) {
    let mut wrong = Vec::new();
    let number = number(missing);
    if number > 0 {
        let of = counted.map_or(String::new(), |counted| format!(" of {}", many(counted, "value")));
        wrong.push(format!("{number}{of} missing ({})", listed(missing)));
    }
    if session.not_counted() > 0 {
        wrong.push(format!("{} more than the closing token counts", many(session.not_counted(), "value")));
    }
    if session.repeated > 0 {
        wrong.push(format!("{} repeated", tokens(session.repeated)));
    }
    if session.untracked() > 0 {
        wrong.push(format!("{} too far out of order to check", tokens(session.untracked())));
    }
    let whole = wrong.is_empty();
    let values = many(session.values(), "sealed value");
    match (whole, counted) {
        (true, Some(_)) if elsewhere == 0 && session.values() > 1 => {
            wrong.push(format!("all {values} present"))
        }
        (true, Some(_)) => wrong.push(format!("{values} present")),
        (_, None) => wrong.insert(0, format!("not closed, {values} so far")),
        (false, _) => {}
    }
    if elsewhere > 0 {
        wrong.push(format!("{} not found (in an older log, or deleted)", many(elsewhere, "earlier value")));
    }
    (wrong.join(", "), whole)
}

fn number(runs: &[Range<u64>]) -> u64 {
    runs.iter().map(|run| run.end - run.start).sum()
}

/// A handful of runs.
fn listed(runs: &[Range<u64>]) -> String {
    const SHOWN: usize = 4;
    let shown = |run: &Range<u64>| match run.end - run.start {
        1 => run.start.to_string(),
        _ => format!("{}-{}", run.start, run.end - 1),
    };
    let list: Vec<String> = runs.iter().take(SHOWN).map(shown).collect();
    let counters = if number(runs) == 1 { "value" } else { "values" };
    format!("{counters} {}{}", list.join(", "), if runs.len() > SHOWN { ", …" } else { "" })
}
