//! The verb `compare`: two results files, line by line.
//!
//! A line's ratio to the cell's reference (to the yardstick where the reference is not in both runs, or is the line
//! itself) is set beside the same ratio of the other run. Their blocks are no pairs, so the two runs' own intervals are
//! combined on the scale of logarithms; `stats/between_runs.rs` says how, and how often that errs. The words are those of
//! every verdict: a change is called when its interval excludes 1, the best times show it too, and it is larger than
//! what both runs saw between a line and itself.

use crate::changes::{Against, Change, Changes, Faults, Place};
use crate::document::{self, Chapter, Document, Section, Sentence, conditions};
use crate::rows::Row;
use crate::stats::verdict::Verdict;
use crate::summary::Ratio;
use crate::table::{Beside, Drawn, Figure, Mark, Table, TableRow};
use crate::words;
use serde_json::json;
use std::collections::BTreeMap;

/// The version of the document.
const COMPARISON: u64 = 3;

/// What the columns mean.
const READING: &str = "\
Base and new are times as multiples of the time of the line that they are held against, with 95 % intervals (below 6 \
blocks the smallest and largest, and no verdict). The change is new over base: above 1 is slower.";

/// Sentences of a kind.
const MOST_SAID: usize = 100;

/// A run, and the name of its results file.
type Named<'a> = (&'a str, &'a [Row]);

/// The document of an earlier run and a later one: changes first, then every line.
pub fn document([base, new]: [Named; 2]) -> Document {
    let changes = &Changes::between(base.1, new.1, Against::Reference);
    let run = |kind: &str, (name, rows): Named| format!("{kind}: {name}, {}", document::title(rows).1);
    let chapter = |job: &[Change]| Chapter {
        id: document::id("job", &job[0].place.job),
        title: format!("Job {}", job[0].place.job),
        sections: job.chunk_by(|one, other| one.place.is_beside(&other.place)).map(cell).collect(),
    };
    let mut chapters: Vec<Chapter> =
        changes.of.chunk_by(|a, b| a.place.job == b.place.job).map(chapter).collect();
    let facts = conditions::section(&[("base", base.1), ("new", new.1)]);
    let sections = missing(changes, base.1, new.1).into_iter().chain([facts]).collect();
    chapters.push(Chapter { id: "machine".into(), title: "Machines and conditions".into(), sections });
    let short = Section { sentences: sentences(changes), ..Section::list("changes", "Changes", Vec::new()) };
    Document {
        title: format!("Sealmark lab: {} and {} compared", base.0, new.0),
        runs: vec![run("base", base), run("new", new), READING.into()],
        warnings: conditions::warnings(base.1, new.1),
        answers: Vec::new(),
        short: vec![short],
        chapters,
    }
}

/// Lines that cannot be held against anything.
fn missing(changes: &Changes, base: &[Row], new: &[Row]) -> Vec<Section> {
    let names = |places: &[Place]| places.iter().map(Place::to_string).collect();
    let lists: [(&str, &str, Vec<String>); 4] = [
        ("only-in-base", "Only in base", with_reasons(&changes.only_in_base, new)),
        ("only-in-new", "Only in new", with_reasons(&changes.only_in_new, base)),
        ("lost", "In both, but what base held them against is not in new", names(&changes.lost)),
        ("alone", "In both, and held against nothing", names(&changes.alone)),
    ];
    let told = lists.into_iter().filter(|(_, _, lines)| !lines.is_empty());
    told.map(|(id, title, lines)| Section::list(id, title, lines)).collect()
}

/// Lines that only one run has, and why the other has not.
fn with_reasons(places: &[Place], rows_of_the_other: &[Row]) -> Vec<String> {
    let faults = Faults::of(rows_of_the_other);
    let why = |place| faults.why_missing(place).map(|why| format!(" ({why})")).unwrap_or_default();
    places.iter().map(|place| format!("{place}{}", why(place))).collect()
}

fn sentences(changes: &Changes) -> Vec<Sentence> {
    let of = |verdict| changes.of.iter().filter(move |change| change.change.verdict == verdict);
    let [slower, faster, same] =
        [Verdict::Slower, Verdict::Faster, Verdict::Same].map(|verdict| of(verdict).count());
    let undecided = changes.of.len() - slower - faster - same;
    let counts = format!("{slower} slower, {faster} faster, {same} the same, {undecided} undecided");
    let mut sentences = vec![format!("{} in both: {counts}", rows(changes.of.len())), overlaps(changes)];
    sentences.extend(words::at_most(contradictions(changes), MOST_SAID));
    let mut sentences: Vec<Sentence> = sentences.into_iter().map(Sentence::from).collect();
    for (verdict, count) in [(Verdict::Slower, slower), (Verdict::Faster, faster)] {
        sentences.extend(of(verdict).take(MOST_SAID).map(sentence));
        let more = (count > MOST_SAID).then(|| format!("and {} more", count - MOST_SAID));
        sentences.extend(more.map(Sentence::from));
    }
    sentences
}

/// "slower: codec, 49 bytes, encode: ours takes 1.20 (1.18..1.22) × what it took, against copy".
fn sentence(change: &Change) -> Sentence {
    let Change { place, change: ratio, .. } = change;
    let (word, ratio, other) = (words::verdict(ratio.verdict).0, words::ratio(ratio, " ×"), change.other());
    let told = format!("{word}: {place} takes {ratio} what it took, against {other}");
    Sentence::proved(told, document::id_of_cell(&place.job, place.size, place.operation))
}

/// "1 row", "7 rows".
fn rows(count: usize) -> String {
    format!("{count} row{}", if count == 1 { "" } else { "s" })
}

/// How many rows' intervals overlap, of how many that have one in both runs.
fn overlapping(changes: &Changes) -> (usize, usize) {
    let judged: Vec<bool> = changes.of.iter().filter_map(Change::overlap).collect();
    (judged.iter().filter(|overlap| **overlap).count(), judged.len())
}

/// How many intervals of both runs overlap.
fn overlaps(changes: &Changes) -> String {
    let (overlap, of) = overlapping(changes);
    let without = match changes.of.len() - of {
        0 => String::new(),
        some => format!(" ({some} more without an interval)"),
    };
    format!("intervals overlap in {overlap} of {}{without}", rows(of))
}

/// Lines that are faster in one run and slower in the other, or that there are none.
fn contradictions(changes: &Changes) -> Vec<String> {
    let said: Vec<String> = changes
        .of
        .iter()
        .filter(|change| change.is_contradiction())
        .map(|change| {
            let time = format!(" × the time of {}", change.other());
            let [base, new] = [&change.base, &change.new].map(|ratio| words::judged(ratio, &time));
            format!("contradiction: {}: base {base}; new {new}", change.place)
        })
        .collect();
    if said.is_empty() { vec!["no verdict contradicts itself".into()] } else { said }
}

/// The changes of one cell.
fn cell(changes: &[Change]) -> Section {
    let usual = usual_other(changes);
    let titles = ["line", "against", "change", "verdict", "base", "new", "intervals"];
    let mut table = Table::titled("", 2, titles);
    table.drawn = Drawn::Marks("← faster · slower →, log scale", titles.len());
    for change in changes {
        let Change { place, base, new, change: ratio, .. } = change;
        let name = words::again(words::full_name(&place.line, place.shaped), &place.line);
        let other = Some(change.other()).filter(|other| *other != usual);
        let figure = |ratio: &Ratio| Some(Figure::ratio(ratio));
        let apart = (change.overlap() == Some(false)).then(|| Figure::word("apart"));
        let named = [Some(Figure::word(name)), other.map(Figure::word)];
        let told = [figure(ratio), Some(Figure::verdict(ratio)), figure(base), figure(new), apart];
        let beside = Beside { mark: Some(Mark::of(ratio)), noise: ratio.noise_floor, ..Beside::default() };
        let figures = named.into_iter().chain(told).collect();
        table.push_row(TableRow { line: Some(place.line.clone()), figures, beside, ..TableRow::default() });
    }
    let place = &changes[0].place;
    let id = document::id_of_cell(&place.job, place.size, place.operation);
    let list = Section::list(id, format!("{}, against {usual}", place.cell()), Vec::new());
    Section { tables: vec![table.without_silent_columns()], ..list }
}

/// What most lines of a cell are held against: all but the reference itself.
fn usual_other(cell: &[Change]) -> String {
    let others: Vec<String> = cell.iter().map(Change::other).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for other in &others {
        *counts.entry(other).or_default() += 1;
    }
    others.iter().max_by_key(|other| counts.get(other.as_str())).cloned().unwrap_or_default()
}

/// For machines.
pub fn json(runs: [Named; 2]) -> String {
    let [base, new] = runs.map(|(_, rows)| rows.iter().find(|row| matches!(row, Row::Header(_))));
    let document = json!({ "comparison": COMPARISON, "base": base, "new": new, "document": document(runs) });
    format!("{document:#}\n")
}
