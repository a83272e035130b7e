//! A results file as text for people: nothing here measures or decides.

use crate::engine::Role;
use crate::goals;
use crate::history::{self, Then};
use crate::rows::{End, Fault, Header, Row};
use crate::summary::{self, Cell, Line};
use crate::units::{self, significant};
use std::fmt::Write;

/// The whole table of a run.
pub fn table(rows: &[Row]) -> String {
    let cells = summary::cells(rows);
    let then = Then::nkcryptotool();
    let mut text = String::new();
    rows.iter().for_each(|row| head(&mut text, row));
    text.push_str(READING);
    for cell in &cells {
        text.push_str(&section(cell, &then));
    }
    list(&mut text, "Not measured, or not as planned", &troubles(rows));
    list(&mut text, "Goals", &goals::verdicts(rows, &cells));
    if rows.iter().any(|row| matches!(row, Row::Header(header) if header.plan == "files")) {
        let _ = writeln!(text, "\n{}", history::ABOUT);
    }
    tail(&mut text, rows);
    text
}

const READING: &str = "\
Times are medians in milliseconds (ms), beside them the quartiles; with fewer than 6 blocks the smallest and largest.
Rates are input bytes by time, 1 MB/s = 10^6 bytes a second; memory is the peak of the process, 1 MB = 10^6 bytes.
\"× X\" is the time as a multiple of that of X in the same block, the median of all blocks: below 1 is faster than X.
";

fn head(text: &mut String, row: &Row) {
    let _ = match row {
        Row::Header(header) => write!(text, "{}", machine(header)),
        Row::Engine(engine) => writeln!(text, "  {}: {} ({})", engine.engine, engine.version, engine.about),
        _ => Ok(()),
    };
}

fn machine(header: &Header) -> String {
    let machine = &header.machine;
    let memory = machine.memory_bytes.map(|bytes| format!(", {:.1} GB of memory", bytes as f64 / 1e9));
    let load = machine.load.as_ref().map(|load| format!(", load {load}"));
    format!(
        "{}\n{} · lab {} ({} build), commit {}, seed {}\n{} ({}), {} cores{}, {}, {}{}\n",
        header.command,
        header.started,
        header.lab,
        header.build,
        header.commit,
        header.seed,
        machine.cpu,
        machine.flags,
        machine.cores,
        memory.unwrap_or_default(),
        machine.system,
        machine.filesystem,
        load.unwrap_or_default(),
    )
}

fn section(cell: &Cell, then: &Then) -> String {
    let yardstick = cell.yardstick();
    let peers: Vec<&str> = cell
        .engines()
        .into_iter()
        .filter(|name| cell.lines.iter().any(|l| l.engine() == *name && l.role == Role::Peer))
        .collect();
    let has_then = cell.lines.iter().any(|line| figure(then, cell, line).is_some());
    let mut grid = vec![titles(yardstick, &peers, has_then)];
    for line in &cell.lines {
        let mut row = measured(line, cell.size);
        row.extend(yardstick.map(|other| ratio_with_spread(line, other)));
        row.extend(peers.iter().map(|peer| ratio_to(cell, line, peer)));
        row.extend(has_then.then(|| figure(then, cell, line).map(significant).unwrap_or_default()));
        grid.push(row);
    }
    let name = units::size(cell.size);
    let title = match cell.job.as_str() {
        "file" => format!("{} a file of {name}", cell.operation),
        job => format!("{} {name}, {job} to {job}", cell.operation),
    };
    format!("\n{title}, {} blocks\n{}", cell.blocks(), align(&grid))
}

fn titles(yardstick: Option<&Line>, peers: &[&str], has_then: bool) -> Vec<String> {
    let fixed = ["engine", "algorithm", "ms", "spread", "rate", "CPU ms", "MB"].map(str::to_owned);
    let against = yardstick.map(|line| line.engine()).into_iter().chain(peers.iter().copied());
    let ratios = against.map(|name| format!("× {name}"));
    fixed.into_iter().chain(ratios).chain(has_then.then(|| "then ms".to_owned())).collect()
}

fn measured(line: &Line, size: u64) -> Vec<String> {
    let milliseconds = |ns: f64| significant(ns / 1e6);
    let wall = line.wall();
    let key = if line.algorithm() == "none" { "-" } else { line.algorithm() };
    vec![
        line.engine().to_owned(),
        key.to_owned(),
        wall.map(|wall| milliseconds(wall.median)).unwrap_or_default(),
        wall.map(|wall| format!("{}..{}", milliseconds(wall.low), milliseconds(wall.high)))
            .unwrap_or_default(),
        wall.map(|wall| units::rate(size as f64 * 1e9 / wall.median)).unwrap_or_default(),
        line.cpu().map(milliseconds).unwrap_or_default(),
        line.peak_bytes.map(|bytes| significant(bytes as f64 / 1e6)).unwrap_or_default(),
    ]
}

fn ratio_with_spread(line: &Line, other: &Line) -> String {
    if std::ptr::eq(line, other) {
        return String::new();
    }
    let words = |ratio: crate::stats::Spread| {
        format!("{} ({}..{})", significant(ratio.median), significant(ratio.low), significant(ratio.high))
    };
    line.ratio(other).map(words).unwrap_or_default()
}

/// Only our own lines are held against the peers.
fn ratio_to(cell: &Cell, line: &Line, peer: &str) -> String {
    let ours = (line.role == Role::Ours).then(|| cell.opponent(line, peer)).flatten();
    ours.and_then(|other| line.ratio(other)).map(|ratio| significant(ratio.median)).unwrap_or_default()
}

fn figure(then: &Then, cell: &Cell, line: &Line) -> Option<f64> {
    if cell.job == "file" { then.milliseconds(line.algorithm(), cell.size, cell.operation) } else { None }
}

/// Columns of equal width: the first two to the left, numbers to the right.
fn align(grid: &[Vec<String>]) -> String {
    let columns = grid.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        grid.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (text, width))| match column {
            0 | 1 => format!("{text:<width$}"),
            _ => format!("{text:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    grid.iter().map(|row| format!("  {}\n", line(row))).collect()
}

fn list(text: &mut String, title: &str, lines: &[String]) {
    if !lines.is_empty() {
        let _ = writeln!(text, "\n{title}\n  {}", lines.join("\n  "));
    }
}

/// Notes and faults. One fault that struck several keys or sizes is one line.
fn troubles(rows: &[Row]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        match row {
            Row::End(end) => lines.extend(busy(end)),
            Row::Note(note) => lines.push(format!("{}: {}", units::size(note.size), note.note)),
            Row::Fault(fault) if !rows[..at].iter().any(|earlier| alike(earlier, fault).is_some()) => {
                lines.push(in_words(
                    &rows[at..].iter().filter_map(|later| alike(later, fault)).collect::<Vec<_>>(),
                ));
            }
            _ => {}
        }
    }
    lines
}

/// A twentieth of the machine taken by others bends ratios as much as most engines differ.
fn busy(end: &End) -> Option<String> {
    let share = end.others_permille.filter(|share| *share > 50)?;
    Some(format!(
        "other work took {} % of the CPU time during this run: repeat it on an idle machine",
        share / 10
    ))
}

/// The row's fault, if it has the same cause.
fn alike<'a>(row: &'a Row, fault: &Fault) -> Option<&'a Fault> {
    let cause = |fault: &Fault| (fault.engine.clone(), fault.operation, fault.kind, fault.why.clone());
    match row {
        Row::Fault(other) if cause(other) == cause(fault) => Some(other),
        _ => None,
    }
}

fn in_words(faults: &[&Fault]) -> String {
    let first = faults[0];
    let keys = faults.iter().filter_map(|fault| fault.algorithm.clone()).filter(|key| key != "none");
    let sizes = faults.iter().filter_map(|fault| fault.size).map(units::size);
    let operation = first.operation.map(|operation| operation.to_string());
    let mut words = vec![first.engine.clone()];
    for word in keys.chain(sizes).chain(operation) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    format!("{}: {}: {}", words.join(", "), first.kind.words(), first.why)
}

fn tail(text: &mut String, rows: &[Row]) {
    let end = rows.iter().find_map(|row| if let Row::End(end) = row { Some(end) } else { None });
    let _ = match end {
        Some(end) => {
            let share = |permille: Option<u64>, of: &str| {
                permille.map(|n| format!(", {}.{} % of CPU time {of}", n / 10, n % 10)).unwrap_or_default()
            };
            let others = share(end.others_permille, "taken by other work");
            let stolen = share(end.stolen_permille, "stolen by the host");
            writeln!(text, "\n{} s{others}{stolen}", end.seconds)
        }
        None => writeln!(text, "\nThis run was interrupted: what it had measured until then is above."),
    };
}
