//! `sealmark log inspect`: what a log says about itself, for people and for programs.

use super::args_read::LogInspect;
use super::read::{self, Buffer, Input, Kind, report, times};
use crate::fault::{Exit, Fault};
use crate::say::{self, many};
use crate::{stdio, target};
use sealmark::record::{
    HeaderInspection, KeyKind, LogInspector, LogKeys, LogOpener, Order, Previous, SessionId,
    SessionInspection,
};
use serde::Serialize;

pub fn run(args: &LogInspect) -> Result<Exit, Fault> {
    target::one_reader_of_stdin(&args.inputs, &[], &[])?;
    let input = Input {
        sources: read::sources(&args.inputs)?,
        follow: false,
        opener: LogOpener::new(LogKeys::default()),
        wanted: Default::default(),
    };
    let (mut log, mut exit, mut failed) = (Log::default(), Exit::Done, None);
    input.read(Buffer::default, |item| match item {
        Ok(batch) => {
            log.add(batch.kind, batch.text.text());
            true
        }
        Err(fault) if fault.exit == Exit::Damaged => {
            exit = say::fault(&fault);
            true
        }
        Err(fault) => {
            failed = Some(fault);
            false
        }
    });
    if let Some(fault) = failed {
        return report::end(Err(fault), exit);
    }
    stdio::result(&if args.json { log.json()? } else { log.text() })?;
    Ok(exit.max(report::too_long(log.too_long, "were not inspected")))
}

#[derive(Default)]
struct Log {
    inspector: LogInspector,
    lines: u64,
    too_long: u64,
}

impl Log {
    fn add(&mut self, kind: Kind, text: &[u8]) {
        self.lines += memchr::memchr_iter(b'\n', text).count() as u64;
        match kind {
            Kind::Lines | Kind::Text | Kind::LastText => self.inspector.inspect(text),
            Kind::Piece => {}
            Kind::LastPiece => self.too_long += 1,
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let (mut sessions, mut headers) = (0, 0);
        for (id, session) in self.inspector.sessions() {
            text += &session_text(id, session);
            sessions += 1;
            headers += u64::from(session.header.is_some());
        }
        let (tokens, lines) = (many(self.inspector.tokens(), "token"), many(self.lines, "line"));
        text += &format!(
            "{}, {}, {tokens} in {lines}\n",
            many(sessions, "session"),
            many(headers, "whole header")
        );
        for (label, tokens) in self.inspector.labels() {
            text += &format!("  {label:<12}  {}\n", many(*tokens, "token"));
        }
        text
    }

    fn json(&self) -> Result<String, Fault> {
        let mut text = String::new();
        let mut all = All { tokens: self.inspector.tokens(), lines: self.lines, ..All::default() };
        for (id, session) in self.inspector.sessions() {
            text += &stdio::json(&Line::of(id, session))?;
            all.sessions += 1;
            all.headers += u64::from(session.header.is_some());
        }
        let labels = self.inspector.labels().iter();
        all.labels = labels.map(|(label, tokens)| format!("{label}={tokens}")).collect::<Vec<_>>().join(" ");
        Ok(text + &stdio::json(&all)?)
    }
}

fn session_text(id: SessionId, session: &SessionInspection) -> String {
    let mut text = format!("{id}\n");
    match &session.header {
        None => {
            text +=
                &format!("  header        {} of {}\n", session.parts, many(session.parts_of.into(), "part"))
        }
        Some(header) => {
            text += &format!(
                "  header        {} bytes in {}\n",
                header.bytes,
                many(session.parts_of.into(), "part")
            );
            for (index, (kind, number)) in header.keys.iter().enumerate() {
                let label = if index == 0 { "opens with" } else { "or with" };
                let number = if *number > 1 { format!(" ({number})") } else { String::new() };
                text += &format!("  {label:<12}  {}{number}\n", name_of(*kind));
            }
            text += &format!("  post-quantum  {}\n", if header.post_quantum { "yes" } else { "no" });
            if let Some(began) = header.facts.began {
                text += &format!("  began         {}\n", times::shown(began));
            }
            text += &format!(
                "  order         {}\n",
                if is_ordered(header) { "promised" } else { "not promised" }
            );
            text += &match header.facts.previous {
                None => "  previous      unknown\n".to_owned(),
                Some(Previous { session, count: None, .. }) => format!("  previous      {session}\n"),
                Some(Previous { session, count: Some(count), .. }) => {
                    format!("  previous      {session}, {}\n", many(count, "value"))
                }
            };
        }
    }
    text += &format!("  tokens        {}\n", session.tokens);
    text += &match session.closing {
        Some(end) => format!("  closed        yes; counters used or skipped: {end}\n"),
        None => "  closed        no\n".to_owned(),
    };
    text
}

fn is_ordered(header: &HeaderInspection) -> bool {
    header.facts.order == Order::Kept
}

fn name_of(kind: KeyKind) -> String {
    match kind {
        KeyKind::Key(kem) => format!("a key of type {kem}"),
        KeyKind::PreShared => "a pre-shared key".to_owned(),
        _ => "an unknown key".to_owned(),
    }
}

/// Flat on purpose, as `sealmark inspect --json`. The keys are a promise; `sealmark log inspect --help` lists them.
#[derive(Serialize)]
struct Line {
    session: String,
    parts: u32,
    parts_of: u16,
    post_quantum: Option<bool>,
    recipients: Option<u64>,
    kems: Option<String>,
    header_bytes: Option<u64>,
    began: Option<String>,
    ordered: Option<bool>,
    previous: Option<String>,
    previous_values: Option<u64>,
    tokens: u64,
    closed: bool,
    counters: Option<u64>,
}

#[derive(Default, Serialize)]
struct All {
    sessions: u64,
    headers: u64,
    tokens: u64,
    lines: u64,
    labels: String,
}

impl Line {
    fn of(id: SessionId, session: &SessionInspection) -> Self {
        let header = session.header.as_ref();
        let previous = header.and_then(|header| header.facts.previous);
        Self {
            session: id.to_string(),
            parts: session.parts,
            parts_of: session.parts_of,
            post_quantum: header.map(|header| header.post_quantum),
            recipients: header.map(|header| header.keys.iter().map(|(_, number)| number).sum()),
            kems: header.map(kems),
            header_bytes: header.map(|header| header.bytes),
            began: header.and_then(|header| header.facts.began).map(times::shown),
            ordered: header.map(is_ordered),
            previous: previous.map(|previous| previous.session.to_string()),
            previous_values: previous.and_then(|previous| previous.count),
            tokens: session.tokens,
            closed: session.closing.is_some(),
            counters: session.closing,
        }
    }
}

fn kems(header: &HeaderInspection) -> String {
    let name = |kind: &KeyKind| match kind {
        KeyKind::Key(kem) => kem.to_string(),
        KeyKind::PreShared => "psk".to_owned(),
        _ => "?".to_owned(),
    };
    header.keys.iter().map(|(kind, _)| name(kind)).collect::<Vec<_>>().join(" ")
}
