//! A publication beside a run: its tables and the fate of its conclusions, for a text and for a page.

use crate::claims::{self, Claim, Fate, Judged, Measured, Part};
use crate::history::{Published, Source};
use crate::jdks::major;
use crate::rows::{self, History, Row};
use crate::summary::Cell;
use crate::summary::growths::Grown;
use crate::table::{Table, WIDEST, paragraph};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct Publication {
    pub source: Source,
    /// "tls-2009 as published".
    pub what: String,
    /// What a reader must know before the tables.
    pub reading: Vec<String>,
    pub table: Table,
    /// What a reader of the tables may ask.
    pub notes: Vec<String>,
    pub conclusions: Vec<Tested>,
}

/// A published conclusion, and what became of it in each place where it was put to the test.
#[derive(Debug, Serialize)]
pub struct Tested {
    pub sentence: String,
    /// What has to be seen for it to be confirmed.
    pub rule: String,
    pub held: Vec<Held>,
}

/// What became of a conclusion in one place.
#[derive(Debug, Serialize)]
pub struct Held {
    /// "JDK 17.0.15".
    pub place: String,
    pub fate: Fate,
    /// What decided it, or did not.
    pub evidence: String,
}

impl Publication {
    /// All of it, the conclusions last.
    pub fn text(&self) -> String {
        let mut text = format!("\nThen and now: {} ({})\n", self.what, self.file());
        text.extend(self.reading.iter().map(|sentence| paragraph(sentence)));
        text.push_str(&self.table.text());
        text.extend(self.notes.iter().map(|sentence| paragraph(sentence)));
        for (at, tested) in self.conclusions.iter().enumerate() {
            text.push_str(&format!("\n{}", tested.text(at + 1)));
        }
        text
    }

    /// Where in this project the publication is told of, with its mistakes of method.
    pub fn file(&self) -> String {
        format!("lab/history/{}.md", self.source.id)
    }
}

impl Tested {
    /// Numbered as they were published, beginning with 1.
    pub fn text(&self, number: usize) -> String {
        let mut text = headline(&format!("{number}. {}", self.sentence));
        text.push_str(&paragraph(&format!("confirmed if {}", self.rule)));
        for Held { place, fate, evidence } in &self.held {
            text.push_str(&paragraph(&format!("{place}: {}: {evidence}", fate.word())));
        }
        text
    }
}

/// One line where it fits.
fn headline(sentence: &str) -> String {
    if sentence.chars().count() <= WIDEST {
        return format!("{sentence}\n");
    }
    paragraph(sentence).trim_start().to_owned()
}

/// What the run repeats, if it repeats anything. Beside a run of files that was no repetition stands what was published,
/// and nothing follows.
pub fn publication(rows: &[Row], cells: &[Cell], grown: &[Grown]) -> Option<Publication> {
    let header = rows::header(rows)?;
    let files = (header.plan == "files").then_some(History::Nkcryptotool);
    let published = Published::of(header.history.or(files)?);
    let jdks = published.jdks(cells);
    let claims = header.history.map(claims::concluded).unwrap_or_default();
    let tested = |claim: Claim| {
        let held = |jdk: Option<&str>| {
            let Judged { fate, parts } = claim.judge(&Measured { cells, grown, jdk });
            let place = jdk.map_or_else(|| "today".to_owned(), |jdk| format!("JDK {jdk}"));
            let is_seen = parts.iter().any(|part| part.seen.is_some());
            (is_seen || jdk.is_some()).then(|| Held { place, fate, evidence: evidence(&parts) })
        };
        let about = jdks.iter().filter(|jdk| claim.is_about(major(jdk))).map(|jdk| Some(jdk.as_str()));
        let about: Vec<Option<&str>> = if jdks.is_empty() { vec![None] } else { about.collect() };
        let mut held: Vec<Held> = about.into_iter().filter_map(held).collect();
        if held.is_empty() {
            let evidence = published.untested.clone();
            held.push(Held { place: "today".into(), fate: Fate::Undecided, evidence });
        }
        Tested { held, sentence: claim.says, rule: claim.confirmed_if }
    };
    Some(Publication {
        table: published.table(cells, grown),
        conclusions: claims.into_iter().map(tested).collect(),
        source: published.source,
        what: published.what,
        reading: published.reading,
        notes: published.notes,
    })
}

/// What decided it, or did not.
pub fn evidence(parts: &[Part]) -> String {
    if parts.iter().all(|part| part.seen.is_none()) {
        return "not measured".into();
    }
    if parts.len() > MOST_PARTS { counted(parts) } else { listed(parts) }
}

/// More of them are counted; the table shows each.
const MOST_PARTS: usize = 8;

fn listed<'a>(parts: impl IntoIterator<Item = &'a Part>) -> String {
    parts.into_iter().map(told).collect::<Vec<_>>().join("; ")
}

/// "20 of 22 hold, 2 do not": and the two that lie farthest apart.
fn counted(parts: &[Part]) -> String {
    let count = |fate: Fate| parts.iter().filter(|part| part.seen.is_some() && part.fate == fate).count();
    let of = parts.len();
    let told = [
        (count(Fate::Confirmed), "hold"),
        (count(Fate::Refuted), "do not hold"),
        (count(Fate::Undecided), "are open"),
        (parts.iter().filter(|part| part.seen.is_none()).count(), "were not measured"),
    ];
    let told: Vec<String> = told
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} of {of} {what}"))
        .collect();
    let mut seen: Vec<(f64, &Part)> =
        parts.iter().filter_map(|part| Some((part.seen?.median, part))).collect();
    seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ends = seen.first().into_iter().chain(seen.last()).map(|(_, part)| *part);
    format!("{}: from {}", told.join(", "), listed(ends).replacen("; ", " to ", 1))
}

fn told(part: &Part) -> String {
    let Some(seen) = &part.seen else { return format!("{} not measured", part.what) };
    let mark = match part.fate {
        Fate::Confirmed => "holds",
        Fate::Refuted => "does not hold",
        Fate::Undecided => "open",
    };
    let range = if seen.is_interval { "" } else { "range " };
    let [low, high] = [seen.low, seen.high].map(|end| seen.unit.told(end).trim_end_matches(" ×").to_owned());
    let about = if seen.is_predicted { "≈ " } else { "" };
    let mut more = String::from(if seen.is_predicted { ", predicted" } else { "" });
    if let Some((median, blocks)) = seen.beside {
        more.push_str(&format!("; measured in {blocks} blocks: {}", seen.unit.told(median)));
    }
    let ends = if low == high && more.is_empty() {
        String::new()
    } else {
        format!(" ({range}{low} to {high}{more})")
    };
    let spoilt = part.spoilt.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
    format!("{} {about}{}{ends} {mark}{spoilt}", part.what, seen.unit.told(seen.median))
}
