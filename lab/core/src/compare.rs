//! The verb `compare`: two results files, line by line.
//!
//! A line's ratio to the cell's reference (to the yardstick where the reference is not in both runs, or is the line
//! itself) is set beside the same ratio of the other run. Their blocks are no pairs, so the two runs' own intervals are
//! combined on the scale of logarithms; `stats/between_runs.rs` says how, and how often that errs. The words are those of
//! every verdict: a change is called when its interval excludes 1, the best times show it too, and it is larger than
//! what both runs saw between a line and itself.

use crate::changes::{Against, Change, Changes, Faults, Place};
use crate::document::conditions::{self, Fact};
use crate::document::{self, Chapter, Document, Section, Sentence, Short};
use crate::report::said::Proof;
use crate::rows::Row;
use crate::stats::verdict::Verdict;
use crate::summary::Ratio;
use crate::table::{Beside, Drawn, Figure, Mark, Table, TableRow};
use crate::words;
use serde_json::json;
use std::collections::BTreeMap;

/// The version of the document.
const COMPARISON: u64 = 2;

/// What the columns mean.
const READING: &str = "\
Base and new: the time of a line as a multiple of the time of the line that it is compared with, with its 95 % interval (with
fewer than 6 blocks the range, and no verdict). Change: new divided by base; above 1 is slower.
";

/// Sentences of a kind, and lines of a list.
const MOST_SAID: usize = 100;
const MOST_LINES: usize = 500;

/// A run, and the name of its results file.
type Named<'a> = (&'a str, &'a [Row]);

/// The document of an earlier run and a later one: changes first, then every line.
pub fn document([base, new]: [Named; 2]) -> Document {
    let changes = &Changes::between(base.1, new.1, Against::Reference);
    let run = |kind: &str, (name, rows): Named| format!("{kind}: {name}, {}", conditions::opening(rows));
    let chapter = |job: &[Change]| Chapter {
        job: job[0].place.job.clone(),
        sections: job.chunk_by(|one, other| one.place.is_beside(&other.place)).map(cell).collect(),
    };
    Document {
        title: format!("Sealmark lab: {} and {} compared", base.0, new.0),
        runs: vec![run("base", base), run("new", new)],
        warnings: conditions::warnings(base.1, new.1),
        answers: Vec::new(),
        short: vec![Short { heading: "Changes", sentences: sentences(changes) }],
        jobs: changes.of.chunk_by(|a, b| a.place.job == b.place.job).map(chapter).collect(),
        jobs_left_out: 0,
        publication: None,
        about: missing(changes, base.1, new.1).into_iter().chain([facts(base.1, new.1)]).collect(),
    }
}

/// For people.
pub fn text(base: &[Row], new: &[Row]) -> String {
    let Document { warnings, short, jobs, about, .. } = document([("", base), ("", new)]);
    let sentences = short.into_iter().flat_map(|short| short.sentences).map(|sentence| sentence.text);
    let missing = about.iter().filter(|section| section.tables.is_empty());
    [
        format!("base  {}\nnew   {}\n", conditions::opening(base), conditions::opening(new)),
        warnings.iter().map(|words| format!("warning: {words}\n")).collect(),
        document::list("Changes", &sentences.collect::<Vec<_>>()),
        format!("\n{READING}"),
        document::chapters(&jobs),
        missing.map(document::section).collect(),
    ]
    .concat()
}

/// Lines that cannot be held against anything.
fn missing(changes: &Changes, base: &[Row], new: &[Row]) -> Vec<Section> {
    let names = |places: &[Place]| places.iter().map(Place::to_string).collect();
    let lists: [(&str, &str, Vec<String>); 4] = [
        ("only-in-base", "Only in base", with_reasons(&changes.only_in_base, new)),
        ("only-in-new", "Only in new", with_reasons(&changes.only_in_new, base)),
        ("lost", "In both, but the line that base compares them with is not in new", names(&changes.lost)),
        ("alone", "In both, but compared with nothing", names(&changes.alone)),
    ];
    let told = lists.into_iter().filter(|(_, _, lines)| !lines.is_empty());
    told.map(|(name, title, lines)| Section::list(name, title, words::at_most(lines, MOST_LINES))).collect()
}

fn facts(base: &[Row], new: &[Row]) -> Section {
    let titles = ["condition", "base", "new", "differs"];
    let mut table = Table::titled("", titles.len(), titles);
    for fact in conditions::facts(base, new) {
        let differs = if fact.differs() { "differs" } else { "same" };
        let Fact { name, base, new } = fact;
        table.push([name.to_owned(), base, new, differs.to_owned()]);
    }
    let list = Section::list("conditions", "Conditions of both runs", Vec::new());
    Section { reading: READING, tables: vec![table], ..list }
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

/// "slower: codec, 49 bytes, encode: ours takes 1.20 (1.18..1.22) × its time before, relative to copy".
fn sentence(change: &Change) -> Sentence {
    let Change { place, change: ratio, .. } = change;
    let (word, ratio, other) = (ratio.word(), words::narrow(ratio), change.other());
    let told = format!("{word}: {place} takes {ratio} × its time before, relative to {other}");
    Sentence::proved(told, &place.job, Proof::Cell(place.size, place.operation))
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
            let time = format!("the time of {}", change.other());
            let (base, new) = (words::compared(&change.base, &time), words::compared(&change.new, &time));
            format!("contradiction: {}: base {base}; new {new}", change.place)
        })
        .collect();
    if said.is_empty() { vec!["no line is faster in one run and slower in the other".into()] } else { said }
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
        let figure = |ratio: &Ratio| Some(Figure::ratio(words::spanned(ratio), ratio));
        let apart = (change.overlap() == Some(false)).then(|| Figure::word("apart"));
        let named = [Some(Figure::word(name)), other.map(Figure::word)];
        let told = [figure(ratio), Some(Figure::verdict(ratio)), figure(base), figure(new), apart];
        let beside = Beside { mark: Some(Mark::of(ratio)), noise: ratio.noise_floor, ..Beside::default() };
        let figures = named.into_iter().chain(told).collect();
        let parameters = place.line.parameters.clone();
        table.push_row(TableRow { line: Some(place.line.clone()), parameters, figures, beside });
    }
    let place = &changes[0].place;
    Section {
        at: Proof::Cell(place.size, place.operation),
        title: format!("{}, against {usual}", place.cell()),
        reading: "",
        tables: vec![table.without_silent_columns()],
        remarks: Vec::new(),
    }
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
pub fn json(base: &[Row], new: &[Row]) -> String {
    let header = |rows: &[Row]| json!(rows.iter().find(|row| matches!(row, Row::Header(_))));
    let [base_header, new_header] = [base, new].map(header);
    let document = document([("base", base), ("new", new)]);
    let document = json!({
        "comparison": COMPARISON, "base": base_header, "new": new_header, "document": document,
    });
    format!("{document:#}\n")
}
