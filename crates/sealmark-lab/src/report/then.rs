//! Then and now: published figures in their own shape beside today's, and what becomes of their conclusions.

use super::grid::{Grid, paragraph};
use super::{peppol, resumption, tls_2009, words};
use crate::history::conclusions::{self, Conclusion};
use crate::history::fate::{Fate, Measure, Part};
use crate::history::{log_tuning, nkcryptotool};
use crate::jobfile::History;
use crate::rows::Row;
use crate::summary::Cell;
use crate::summary::growths::Grown;
use crate::units::significant;

/// What the run repeats, if it repeats anything.
pub fn section(rows: &[Row], cells: &[Cell], grown: &[Grown]) -> String {
    let header = rows.iter().find_map(|row| if let Row::Header(header) = row { Some(header) } else { None });
    match header {
        Some(header) if header.history == Some(History::LogTuning) => log_tuning(cells),
        Some(header) if header.history == Some(History::Nkcryptotool) => {
            format!("\n{}{}", nkcryptotool::ABOUT, nkcryptotool(cells))
        }
        Some(header) if header.history == Some(History::PeppolGcm) => peppol::section(cells, grown),
        Some(header) if header.history == Some(History::Tls2009) => tls_2009::section(cells),
        Some(header) if header.plan == "files" => format!("\n{}", nkcryptotool::ABOUT),
        _ => String::new(),
    }
}

/// What resuming saves stands in the tables of tls-2009 already.
pub fn resumption(rows: &[Row], cells: &[Cell]) -> String {
    let is_told = |row: &Row| matches!(row, Row::Header(header) if header.history == Some(History::Tls2009));
    if rows.iter().any(is_told) { String::new() } else { resumption::sections(cells) }
}

fn log_tuning(cells: &[Cell]) -> String {
    let jdks = log_tuning::jdks(cells);
    let mut text = String::from("\nThen and now: log-tuning as published (lab/history/log-tuning.md)\n");
    text.push_str(&table(cells, &jdks).text());
    text.push_str(&paragraph(
        "ms are for the whole count, as published; × is then over now. sun.misc.BASE64Encoder left the JDK in version 9: \
         where a JDK has none its line is that of the stand-in, which breaks lines as it did.",
    ));
    let decided: Vec<Vec<Conclusion>> = jdks.iter().map(|jdk| conclusions::on(cells, jdk)).collect();
    for (at, sentence) in log_tuning::conclusions().iter().enumerate() {
        text.push_str(&format!("\n{}. {sentence}\n", at + 1));
        let of_jdks: Vec<(&String, &Conclusion)> =
            jdks.iter().zip(&decided).filter_map(|(jdk, all)| Some((jdk, all.get(at)?))).collect();
        if let Some((_, first)) = of_jdks.first() {
            text.push_str(&paragraph(&format!("confirmed if {}", first.rule)));
        }
        of_jdks.iter().for_each(|(jdk, conclusion)| text.push_str(&fate(&format!("JDK {jdk}"), conclusion)));
    }
    text
}

fn table(cells: &[Cell], jdks: &[String]) -> Grid {
    let titles = ["published", "today", "operation", "size × count", "then ms"].map(str::to_owned);
    let today = jdks.iter().flat_map(|jdk| [format!("{jdk} ms"), "×".to_owned()]);
    let mut grid = Grid::new(3, titles.into_iter().chain(today));
    for figure in log_tuning::figures() {
        let lines: Vec<_> = jdks.iter().map(|jdk| figure.today(cells, jdk)).collect();
        let (families, algorithm) = log_tuning::today(&figure.engine);
        let family =
            lines.iter().flatten().next().map_or(families.first().copied(), |line| Some(&line.family));
        let mut row = vec![
            figure.engine.clone(),
            format!("{} {algorithm}", family.unwrap_or_default()),
            figure.operation.to_string(),
            format!("{} × {}", figure.size_bytes, figure.count),
            figure.total_ms.to_string(),
        ];
        for line in lines {
            let now = line.map(|line| line.time() * figure.count as f64 / 1e6);
            row.push(now.map_or("-".into(), significant));
            row.push(now.map(|now| words::factor(figure.total_ms as f64 / now)).unwrap_or_default());
        }
        grid.push(row);
    }
    grid
}

pub fn fate(place: &str, conclusion: &Conclusion) -> String {
    paragraph(&format!("{place}: {}: {}", conclusion.fate.word(), evidence(&conclusion.parts)))
}

/// What decided it, or did not.
fn evidence(parts: &[Part]) -> String {
    if parts.iter().all(|part| part.seen.is_none()) {
        return "not measured".into();
    }
    if parts.len() > MOST_PARTS { counted(parts) } else { listed(parts) }
}

/// More of them are counted; the table shows each.
const MOST_PARTS: usize = 8;

fn listed<'a>(parts: impl IntoIterator<Item = &'a Part>) -> String {
    parts.into_iter().map(tested).collect::<Vec<_>>().join("; ")
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

fn tested(part: &Part) -> String {
    let Some(seen) = &part.seen else { return format!("{} not measured", part.what) };
    let mark = match part.fate {
        Fate::Confirmed => "holds",
        Fate::Refuted => "does not hold",
        Fate::Undecided => "open",
    };
    let range = if seen.is_interval { "" } else { "range " };
    let (low, high) = (figure(seen.of, seen.low), figure(seen.of, seen.high));
    let about = if seen.is_predicted { "≈ " } else { "" };
    let times = if seen.of == Measure::Ratio { " ×" } else { "" };
    let mut predicted = String::from(if seen.is_predicted { ", predicted" } else { "" });
    if let Some(beside) = seen.beside {
        let measured = figure(seen.of, beside.median);
        predicted.push_str(&format!("; measured in {} blocks: {measured}{times}", beside.blocks));
    }
    let median = figure(seen.of, seen.median);
    format!("{} {about}{median}{times} ({range}{low} to {high}{predicted}) {mark}", part.what)
}

fn figure(of: Measure, value: f64) -> String {
    match of {
        Measure::Ratio => words::factor(value),
        Measure::Exponent => format!("{value:.2}"),
        Measure::Nanoseconds => words::long_time(value),
    }
}

fn nkcryptotool(cells: &[Cell]) -> String {
    let mut text = String::from(
        "\n\nNothing can be concluded from the published figures (lab/history/nkcryptotool.md). Of their conclusions this \
         run says:\n",
    );
    for (at, conclusion) in nkcryptotool::conclusions(cells).iter().enumerate() {
        text.push_str(&format!("{}. {}\n", at + 1, conclusion.sentence));
        text.push_str(&paragraph(&format!("confirmed if {}", conclusion.rule)));
        text.push_str(&fate("today", conclusion));
    }
    text
}
