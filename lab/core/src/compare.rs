//! The verb `compare`: two results files, line by line.
//!
//! A line's ratio to the cell's reference (to the yardstick where the reference is not in both runs, or is the line
//! itself) is set beside the same ratio of the other run. Their blocks are no pairs, so the two runs' own intervals are
//! combined on the scale of logarithms; `stats/between_runs.rs` says how, and how often that errs. The words are those of
//! every verdict: a change is called when its interval excludes 1, the best times show it too, and it is larger than
//! what both runs saw between a line and itself.

use crate::changes::{Against, Change, Changes, Faults, Place};
use crate::conditions;
use crate::document;
use crate::jobs;
use crate::rows::Row;
use crate::stats::verdict::Verdict;
use crate::summary::Ratio;
use crate::table::{Beside, Drawn, Figure, Mark, Table, TableRow};
use crate::words;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The version of the document.
const COMPARISON: u64 = 1;

/// What the columns mean.
pub const READING: &str = "\
Base and new are times as multiples of the time of the line that they are held against, with 95 % intervals (below 6
blocks the smallest and largest, and no verdict). The change is new over base: above 1 is slower.
";

/// For people: what changed first, then every line.
pub fn text(base: &[Row], new: &[Row]) -> String {
    let changes = &Changes::between(base, new, Against::Reference);
    let names = |places: &[Place]| places.iter().map(Place::to_string).collect::<Vec<_>>();
    [
        format!("base  {}\nnew   {}\n", conditions::opening(base), conditions::opening(new)),
        conditions::warnings(base, new).iter().map(|words| format!("warning: {words}\n")).collect(),
        document::list("Changes", &sentences(changes)),
        format!("\n{READING}"),
        tables(changes),
        document::list("Only in base", &with_reasons(&changes.only_in_base, new)),
        document::list("Only in new", &with_reasons(&changes.only_in_new, base)),
        document::list("In both, but what base held them against is not in new", &names(&changes.lost)),
        document::list("In both, and held against nothing", &names(&changes.alone)),
    ]
    .concat()
}

/// Lines that only one run has, and why the other has not.
pub fn with_reasons(places: &[Place], rows_of_the_other: &[Row]) -> Vec<String> {
    let faults = Faults::of(rows_of_the_other);
    let why = |place| faults.why_missing(place).map(|why| format!(" ({why})")).unwrap_or_default();
    places.iter().map(|place| format!("{place}{}", why(place))).collect()
}

fn sentences(changes: &Changes) -> Vec<String> {
    let Tally { slower, faster, same, undecided } = Tally::of(changes);
    let mut sentences = vec![
        format!(
            "{} in both: {slower} slower, {faster} faster, {same} the same, {undecided} undecided",
            rows(changes.of.len())
        ),
        overlaps(changes),
    ];
    sentences.extend(contradictions(changes));
    for verdict in [Verdict::Slower, Verdict::Faster] {
        let called = changes.of.iter().filter(|change| change.change.verdict == verdict);
        sentences.extend(called.map(|change| format!("{}: {}", change.change.word(), sentence(change))));
    }
    sentences
}

/// "codec, 49 bytes, encode: ours takes 1.20 (1.18..1.22) × what it took, against copy".
pub fn sentence(change: &Change) -> String {
    let Change { place, change: ratio, .. } = change;
    format!("{place} takes {} × what it took, against {}", words::narrow(ratio), change.other())
}

/// "1 row", "7 rows".
fn rows(count: usize) -> String {
    format!("{count} row{}", if count == 1 { "" } else { "s" })
}

/// How many rows there are of each verdict.
pub struct Tally {
    pub slower: usize,
    pub faster: usize,
    pub same: usize,
    pub undecided: usize,
}

impl Tally {
    pub fn of(changes: &Changes) -> Self {
        let count = |verdict| changes.of.iter().filter(|change| change.change.verdict == verdict).count();
        let (slower, faster, same) = (count(Verdict::Slower), count(Verdict::Faster), count(Verdict::Same));
        Self { slower, faster, same, undecided: changes.of.len() - slower - faster - same }
    }
}

/// How many rows' intervals overlap, of how many that have one in both runs.
fn overlapping(changes: &Changes) -> (usize, usize) {
    let judged: Vec<bool> = changes.of.iter().filter_map(Change::overlap).collect();
    (judged.iter().filter(|overlap| **overlap).count(), judged.len())
}

/// How many intervals of both runs overlap.
pub fn overlaps(changes: &Changes) -> String {
    let (overlap, of) = overlapping(changes);
    let without = match changes.of.len() - of {
        0 => String::new(),
        some => format!(" ({some} more without an interval)"),
    };
    format!("intervals overlap in {overlap} of {}{without}", rows(of))
}

/// Lines that are faster in one run and slower in the other, or that there are none.
pub fn contradictions(changes: &Changes) -> Vec<String> {
    let said: Vec<String> = changes
        .of
        .iter()
        .filter(|change| change.is_contradiction())
        .map(|change| {
            let time = format!("the time of {}", change.other());
            let (base, new) = (words::compared(&change.base, &time), words::compared(&change.new, &time));
            format!("contradiction: {}: base {base}; new {new}", change.place)
        })
        .collect();
    if said.is_empty() { vec!["no verdict contradicts itself".into()] } else { said }
}

/// One table for each cell.
fn tables(changes: &Changes) -> String {
    let numbered: Vec<(usize, &Change)> = changes.of.iter().enumerate().collect();
    let cells = numbered.chunk_by(|one, other| one.1.place.is_beside(&other.1.place));
    cells
        .map(|cell| format!("\n{}, {}", cell[0].1.place.cell(), table(cell).titled_text().trim_start()))
        .collect()
}

/// Changes of one cell, with their numbers among all.
pub fn table(cell: &[(usize, &Change)]) -> Table {
    let usual = usual_other(cell.iter().map(|(_, change)| *change));
    let titles = ["line", "against", "change", "verdict", "base", "new", "intervals"];
    let mut table = Table::new(format!("against {usual}"), 2, titles.map(|title| (title, title)));
    table.drawn = Drawn::Marks("← faster · slower →, log scale", titles.len());
    for (at, change) in cell {
        let Change { place, base, new, change: ratio, .. } = change;
        let name = words::again(words::full_name(&place.line, place.shaped), &place.line);
        let other = Some(change.other()).filter(|other| *other != usual);
        let figure = |ratio: &Ratio| Some(Figure::ratio(words::spanned(ratio), ratio));
        let apart = (change.overlap() == Some(false)).then(|| Figure::word("apart"));
        let named = [Some(Figure::word(name)), other.map(Figure::word)];
        let told = [figure(ratio), Some(Figure::verdict(ratio)), figure(base), figure(new), apart];
        let id = Some(format!("change-{at}"));
        let beside =
            Beside { mark: Some(Mark::of(ratio)), noise: change.noise_floor, id, ..Beside::default() };
        let figures = named.into_iter().chain(told).collect();
        table.rows.push(TableRow { figures, beside, ..TableRow::default() });
    }
    table.without_silent_columns()
}

/// What most lines of a cell are held against: all but the reference itself.
pub fn usual_other<'a>(cell: impl Iterator<Item = &'a Change>) -> String {
    let others: Vec<String> = cell.map(Change::other).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for other in &others {
        *counts.entry(other).or_default() += 1;
    }
    others.iter().max_by_key(|other| counts.get(other.as_str())).cloned().unwrap_or_default()
}

/// For machines.
pub fn json(base: &[Row], new: &[Row]) -> String {
    let changes = Changes::between(base, new, Against::Reference);
    let (overlap, of) = overlapping(&changes);
    let header = |rows: &[Row]| json!(rows.iter().find(|row| matches!(row, Row::Header(_))));
    let places = |places: &[Place]| places.iter().map(of_place).collect::<Vec<_>>();
    let document = json!({
        "comparison": COMPARISON,
        "base": header(base),
        "new": header(new),
        "warnings": conditions::warnings(base, new),
        "rows": changes.of.iter().map(of_change).collect::<Vec<_>>(),
        "intervals": { "overlap": overlap, "of": of },
        "contradictions": changes.of.iter().filter(|change| change.is_contradiction()).count(),
        "only_in_base": places(&changes.only_in_base),
        "only_in_new": places(&changes.only_in_new),
        "lost": places(&changes.lost),
        "alone": places(&changes.alone),
    });
    format!("{document:#}\n")
}

fn of_place(place: &Place) -> Value {
    let mut value = json!({ "job": place.job, "operation": place.operation, "line": place.line });
    value[jobs::of(&place.job).size_key()] = json!(place.size);
    value
}

fn of_change(change: &Change) -> Value {
    let ratio = |ratio: &Ratio| document::of_ratio(ratio);
    let mut value = of_place(&change.place);
    value["against"] = json!(change.against);
    value["base"] = ratio(&change.base);
    value["new"] = ratio(&change.new);
    value["change"] = ratio(&change.change);
    value["intervals_overlap"] = json!(change.overlap());
    value["contradiction"] = json!(change.is_contradiction());
    value
}
