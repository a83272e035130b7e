//! The verb `compare`: two results files, line by line.
//!
//! A line's ratio to the cell's reference (to the yardstick where the reference is not in both runs, or is the line
//! itself) is set beside the same ratio of the other run. Their blocks are no pairs, so the two runs' own intervals are
//! combined on the scale of logarithms; `stats/between_runs.rs` says how, and how often that errs. The words are those of
//! every verdict: a change is called when its interval excludes 1, the best times show it too, and it is larger than
//! what both runs saw between a line and itself.

use crate::changes::{self, Against, Change, Changes, Lack};
use crate::document::{self, Chapter, Document, Section, Sentence, conditions};
use crate::rows::{self, Row};
use crate::stats::verdict::Verdict;
use crate::summary;
use crate::table::{Drawn, Figure, Mark, Table, TableRow};
use crate::words;
use serde_json::json;

/// The version of the document.
const COMPARISON: u64 = 3;

/// The meaning of the columns.
const READING: &str = "\
Base and new: the time of a line as a multiple of the time of the line that it is compared with, with its 95 % interval (with \
fewer than 6 blocks the range, and no verdict). Change: new divided by base; above 1 is slower.";

/// A run, and the name of its results file.
type Named<'a> = (&'a str, &'a [Row]);

/// The document of an earlier run and a later one: changes first, then every line.
pub fn document([base, new]: [Named; 2]) -> Document {
    let cells = [base.1, new.1].map(summary::cells);
    let changes = &Changes::between(&cells[0], &cells[1], Against::Reference);
    let run = |kind: &str, (name, rows): Named| format!("{kind}: {name}, {}", document::title(rows).1);
    let chapter = |job: &[Change]| Chapter {
        id: document::id("job", &job[0].of.0.job),
        title: format!("Job {}", job[0].of.0.job),
        sections: job.chunk_by(|one, two| one.of.0.place() == two.of.0.place()).map(cell).collect(),
    };
    let mut chapters: Vec<Chapter> =
        changes.of.chunk_by(|one, two| one.of.0.job == two.of.0.job).map(chapter).collect();
    let facts = conditions::section(&[("base", base.1), ("new", new.1)]);
    let sections = missing(changes, base.1, new.1).into_iter().chain([facts]).collect();
    chapters.push(Chapter { id: "machine".into(), title: "Machines and conditions".into(), sections });
    Document {
        title: format!("Sealmark lab: {} and {} compared", base.0, new.0),
        runs: vec![run("base", base), run("new", new), READING.into()],
        warnings: conditions::warnings(base.1, new.1),
        answers: Vec::new(),
        short: vec![Section::list("changes", "Changes", sentences(changes))],
        chapters,
    }
}

/// Lines without a change, and why the run that lacks them does.
fn missing(changes: &Changes, base: &[Row], new: &[Row]) -> Vec<Section> {
    let lists: [(Lack, &str, &str, &[Row]); 4] = [
        (Lack::OnlyInBase, "only-in-base", "Only in base", new),
        (Lack::OnlyInNew, "only-in-new", "Only in new", base),
        (Lack::Lost, "lost", "In both, but the line that base compares them with is not in new", &[]),
        (Lack::Alone, "alone", "In both, but compared with nothing", &[]),
    ];
    let told = lists.into_iter().map(|(lack, id, title, rows)| {
        let faults: Vec<_> = rows::faults(rows).collect();
        let why =
            |here| changes::why_missing(&faults, here).map(|why| format!(" ({why})")).unwrap_or_default();
        Section::list(id, title, changes.lacking(lack).map(|it| words::here(it) + &why(it)))
    });
    told.filter(|section| !section.is_empty()).collect()
}

/// The number of rows, then verdicts of one run that contradict the other's, then changes.
fn sentences(changes: &Changes) -> Vec<Sentence> {
    let all = &changes.of;
    let of = |verdict| all.iter().filter(move |change| change.change.verdict == verdict);
    let [slower, faster, same] =
        [Verdict::Slower, Verdict::Faster, Verdict::Same].map(|verdict| of(verdict).count());
    let undecided = all.len() - slower - faster - same;
    let counts = format!("{slower} slower, {faster} faster, {same} the same, {undecided} undecided");
    let mut sentences = vec![Sentence::from(format!("{} in both: {counts}", words::count(all.len(), "row")))];
    sentences.extend(all.iter().filter(|change| change.is_contradiction()).map(contradiction));
    if sentences.len() == 1 {
        sentences.push("no line is faster in one run and slower in the other".to_owned().into());
    }
    sentences.extend(of(Verdict::Slower).chain(of(Verdict::Faster)).map(sentence));
    sentences
}

/// "slower: codec, 49 bytes, encode: ours takes 1.20 (1.18..1.22) × its time before, relative to copy".
fn sentence(change: &Change) -> Sentence {
    let Change { of, change: ratio, .. } = change;
    let (word, told, other) = (words::verdict(ratio.verdict).0, words::ratio(ratio, " ×"), change.other());
    let told = format!("{word}: {} takes {told} its time before, relative to {other}", words::here(*of));
    Sentence::proved(told, document::id_of_cell(of.0.place()))
}

/// Faster than another line in one run, and slower in the other.
fn contradiction(change: &Change) -> Sentence {
    let time = format!(" × the time of {}", change.other());
    let [base, new] = [&change.base, &change.new].map(|ratio| words::judged(ratio, &time));
    format!("contradiction: {}: base {base}; new {new}", words::here(change.of)).into()
}

/// The changes of one cell.
fn cell(changes: &[Change]) -> Section {
    let titles = ["line", "against", "change", "verdict", "base", "new"];
    let mut table = Table::titled("", 2, titles);
    table.drawn = Drawn::Marks("← faster · slower →, log scale", titles.len());
    for change in changes {
        let Change { of: (cell, line), base, new, change: ratio, .. } = change;
        let [name, other] = [words::name(cell, line), change.other()].map(|name| Some(Figure::word(name)));
        let [ratios, base, new] = [ratio, base, new].map(|ratio| Some(Figure::ratio(ratio)));
        let figures = vec![name, other, ratios, Some(Figure::verdict(ratio)), base, new];
        let (line, mark) = (Some(line.line.clone()), Some(Mark::of(ratio)));
        table.push_row(TableRow { line, figures, mark, noise: ratio.noise_floor, ..TableRow::default() });
    }
    let place = changes[0].of.0.place();
    Section::of_tables(document::id_of_cell(place), words::place(place), vec![table])
}

/// For machines.
pub fn json(runs: [Named; 2]) -> String {
    let [base, new] = runs.map(|(_, rows)| rows.iter().find(|row| matches!(row, Row::Header(_))));
    let document = json!({ "comparison": COMPARISON, "base": base, "new": new, "document": document(runs) });
    format!("{document:#}\n")
}
