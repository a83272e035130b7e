//! The verb `compare`: two results files, line by line; what a line's ratio was, what it is now, and whether that is a change.
//!
//! Runs are compared by ratios and never by times: a machine that was slower today was slower for both lines of a ratio.
//! A line's ratio to the cell's reference (to the yardstick where the reference is not in both runs, or is the line
//! itself) is set beside the same ratio of the other run. Their blocks are no pairs, so the two runs' own intervals are
//! combined on the scale of logarithms; `stats/between_runs.rs` says how, and how often that errs. The words are those of
//! every verdict: a change is called when its interval excludes 1, the best times show it too, and it is larger than
//! what both runs saw between a line and itself.
//!
//! The verb `gate`: whether any line has become slower than is allowed, for continuous integration. A line's ratio to the
//! yardstick (to the reference where the yardstick is not in both runs, or is the line itself) is compared with the same
//! ratio of the baseline. It fails when the whole interval of that change lies above the limit: a noisy day is no failure,
//! and neither is it a pass in silence, for what may be slower is named. A gate that could judge nothing at all has not
//! passed anything: that fails. Yardsticks themselves are not judged.

use crate::document::conditions::{self, Named};
use crate::document::{self, Chapter, Document, Section, Sentence};
use crate::format;
use crate::rows::{self, Row};
use crate::stats::between_runs;
use crate::stats::bootstrap::Interval;
use crate::stats::verdict::{Terms, Verdict, verdict};
use crate::summary::{self, Cell, Here, Line, Place, Ratio};
use crate::table::{Drawn, Figure, Table, TableRow};
use crate::trouble::{Result, Trouble};
use serde_json::json;
use std::collections::BTreeMap;

/// The line to compare with first; the other one if that is not the same line in both runs, or is the line itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Against {
    Reference,
    Yardstick,
}

/// A line that both runs have.
struct Change<'a> {
    /// In the new run.
    pub of: Here<'a>,
    /// The line whose time divides theirs, in both runs the same.
    pub against: &'a Line,
    pub base: Ratio,
    pub new: Ratio,
    /// The new ratio over that of the base.
    pub change: Ratio,
}

/// Why a line has no change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lack {
    OnlyInBase,
    OnlyInNew,
    /// Both runs have it, but the new one lacks the line that the base compares it with.
    Lost,
    /// Both runs have it, and even the base compares it with nothing: there is no reference and no yardstick, or it waited.
    Alone,
}

/// The cells of two runs compared.
#[derive(Default)]
struct Changes<'a> {
    /// In the order of the new run.
    pub of: Vec<Change<'a>>,
    pub lacks: Vec<(Lack, Here<'a>)>,
}

impl<'a> Changes<'a> {
    /// Changes of every line of two runs. Lines that run a second time show noise, and the empty job shows the lab's own cost:
    /// neither is anything that engines did.
    pub fn between(base: &'a [Cell], new: &'a [Cell], first: Against) -> Self {
        let mut changes = Self::default();
        let of = |cells: &'a [Cell]| cells.iter().map(|cell| (cell.place(), cell)).collect::<ByPlace>();
        let (before, after) = (of(base), of(new));
        for here in lines(new) {
            match find(&before, here) {
                None => changes.lacks.push((Lack::OnlyInNew, here)),
                Some(base) => changes.add(base, here, first),
            }
        }
        let gone = lines(base).filter(|here| find(&after, *here).is_none());
        changes.lacks.extend(gone.map(|here| (Lack::OnlyInBase, here)));
        changes
    }

    pub fn lacking(&self, lack: Lack) -> impl Iterator<Item = Here<'a>> {
        self.lacks.iter().filter(move |(known, _)| *known == lack).map(|(_, here)| *here)
    }

    fn add(&mut self, base: Here<'a>, of: Here<'a>, first: Against) {
        let candidates = opponents(base, first);
        let change = |against: &&'a Line| {
            let (base, new) = (compared(base, against)?, compared(of, against)?);
            Some(Change { of, against, base, new, change: change(&base, &new) })
        };
        match candidates.iter().find_map(change) {
            Some(change) => self.of.push(change),
            None if !candidates.is_empty() => self.lacks.push((Lack::Lost, of)),
            None if base.0.reference_of(base.1).is_none() => self.lacks.push((Lack::Alone, of)),
            // It is itself what the others are compared with.
            None => {}
        }
    }
}

fn lines(cells: &[Cell]) -> impl Iterator<Item = Here<'_>> {
    let cells = cells.iter().filter(|cell| !cell.kind.is_own_cost);
    cells.flat_map(|cell| cell.contestants_and_yardstick().map(move |line| (cell, line)))
}

/// Job, size and operation of each cell.
type ByPlace<'a> = BTreeMap<Place<'a>, &'a Cell>;

/// A line in the other run.
fn find<'a>(cells: &ByPlace<'a>, (cell, line): Here) -> Option<Here<'a>> {
    let cell = *cells.get(&cell.place())?;
    Some((cell, cell.line(&line.line)?))
}

/// Reference and yardstick of a cell, as far as they are another line than this one.
fn opponents<'a>((cell, line): Here<'a>, first: Against) -> Vec<&'a Line> {
    let (reference, yardstick) = (cell.reference_of(line), cell.yardstick_of(line));
    let order = if first == Against::Reference { [reference, yardstick] } else { [yardstick, reference] };
    order.into_iter().flatten().filter(|other| other.line != line.line).collect()
}

/// A line over another in one run; none if the run lacks the other line, or a block with both. A gate judges every line, each
/// of which may be wrong by chance: what few blocks show is not enough.
fn compared((cell, line): Here, other: &Line) -> Option<Ratio> {
    cell.compare_by(line, cell.line(&other.line)?, None)
}

/// Without an interval in both runs there is only the range that both ranges leave.
fn change(base: &Ratio, new: &Ratio) -> Ratio {
    let interval = base.interval.zip(new.interval);
    let interval = interval.map(|(base, new)| between_runs::change(&base, &new));
    let floors = base.noise_floor.zip(new.noise_floor);
    let noise_floor = floors.map(|(base, new)| between_runs::noise_floor(base, new));
    let of_minima = new.of_minima / base.of_minima;
    let unsteady = [base, new].into_iter().find(|ratio| ratio.is_unsteady());
    let verdict = verdict(interval.as_ref(), of_minima, Terms { noise_floor, ..Terms::default() });
    let verdict = unsteady.map_or(verdict, |ratio| ratio.verdict);
    let (median, blocks) = (new.median / base.median, base.blocks.min(new.blocks));
    let low = interval.map_or(new.low / base.high, |interval| interval.low);
    let high = interval.map_or(new.high / base.low, |interval| interval.high);
    // Two runs are compared once.
    let (sure, sure_ends) = (verdict, None);
    Ratio { median, low, high, blocks, interval, of_minima, noise_floor, verdict, sure, sure_ends }
}

/// "copy": the line that a change is compared with.
fn other(change: &Change) -> String {
    format::name(change.of.0, change.against)
}

/// Why a run with these faults may have no figure for a line: the last one that says so. A fault holds for all that it does
/// not name.
pub fn why_missing(faults: &[&rows::Fault], (cell, line): Here) -> Option<String> {
    let is_it = |fault: &&&rows::Fault| {
        // An engine that did not answer at all is named with one job only.
        let is_of_job = fault.size.is_none() || fault.job == cell.job;
        is_of_job && fault.is_about(&line.line, cell.size)
    };
    let fault = faults.iter().rev().find(is_it)?;
    Some(format!("{}: {}", fault.kind.words(), fault.why))
}

/// The version of the document.
const COMPARISON: u64 = 3;

/// The meaning of the columns.
const READING: &str = "\
Base and new: the time of a line divided by the time of the line that it is compared with, and the 95 % interval of this ratio \
(with fewer than 6 blocks the range, and no verdict). Change: new divided by base; above 1 is slower.";

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
        let why = |here| why_missing(&faults, here).map(|why| format!(" ({why})")).unwrap_or_default();
        Section::list(id, title, changes.lacking(lack).map(|it| format::here(it) + &why(it)))
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
    let rows = format::count(all.len(), "row");
    let mut sentences = vec![Sentence::from(format!("{rows} in both: {counts}"))];
    let is_contradiction = |change: &&Change| {
        let verdicts = [change.base.verdict, change.new.verdict];
        verdicts.contains(&Verdict::Faster) && verdicts.contains(&Verdict::Slower)
    };
    sentences.extend(all.iter().filter(is_contradiction).map(contradiction));
    if sentences.len() == 1 {
        sentences.push("no line is faster in one run and slower in the other".to_owned().into());
    }
    sentences.extend(of(Verdict::Slower).chain(of(Verdict::Faster)).map(sentence));
    sentences
}

/// "slower: codec, 49 bytes, encode: ours takes 1.20 (1.18..1.22) × its time before, relative to copy".
fn sentence(change: &Change) -> Sentence {
    let Change { of, change: ratio, .. } = change;
    let (word, told, other) = (format::verdict(ratio.verdict).0, format::ratio(ratio, " ×"), other(change));
    let told = format!("{word}: {} takes {told} its time before, relative to {other}", format::here(*of));
    Sentence::proved(told, document::id_of_cell(of.0.place()))
}

/// Faster than another line in one run, and slower in the other.
fn contradiction(change: &Change) -> Sentence {
    let time = format!(" × the time of {}", other(change));
    let [base, new] = [&change.base, &change.new].map(|ratio| format::judged(ratio, &time));
    format!("contradiction: {}: base {base}; new {new}", format::here(change.of)).into()
}

/// The changes of one cell.
fn cell(changes: &[Change]) -> Section {
    let titles = ["line", "against", "change", "verdict", "base", "new"];
    let mut table = Table::titled("", 2, titles);
    table.drawn = Drawn::Marks("← faster · slower →, log scale", titles.len());
    for change in changes {
        let Change { of: (cell, line), base, new, change: ratio, .. } = change;
        let [name, other] = [format::name(cell, line), other(change)].map(|name| Some(Figure::word(name)));
        let [ratios, base, new] = [ratio, base, new].map(|ratio| Some(Figure::ratio(ratio)));
        let figures = vec![name, other, ratios, Some(Figure::verdict(ratio)), base, new];
        let (line, noise) = (Some(line.line.clone()), ratio.noise_floor);
        table.push_row(TableRow { line, figures, noise, ..TableRow::default() });
    }
    let place = changes[0].of.0.place();
    Section::of_tables(&document::id_of_cell(place), &format::place(place), vec![table])
}

/// For machines.
pub fn json(runs: [Named; 2]) -> String {
    let [base, new] = runs.map(|(_, rows)| rows.iter().find(|row| matches!(row, Row::Header(_))));
    let document = json!({ "comparison": COMPARISON, "base": base, "new": new, "document": document(runs) });
    format!("{document:#}\n")
}

/// The words, and whether all is well: no line may have become slower by more than this share.
pub fn gate(baseline: &[Row], results: &[Row], max_slower: f64) -> Result<(String, bool)> {
    let cells = [baseline, results].map(summary::cells);
    let mut changes = Changes::between(&cells[0], &cells[1], Against::Yardstick);
    changes.of.retain(|change| !change.of.1.is_yardstick());
    let missing = changes.lacking(Lack::OnlyInBase).chain(changes.lacking(Lack::Lost));
    let missing: Vec<Here> = missing.filter(|(_, line)| !line.is_yardstick()).collect();
    if changes.of.is_empty() && missing.is_empty() {
        let trouble = Trouble::new("the baseline has no line that can be compared with another");
        return Err(trouble.hint("sealmark-lab measure quick --out BASELINE"));
    }
    let of = |is_it: &dyn Fn(&Interval) -> bool| -> Vec<&Change> {
        changes.of.iter().filter(|change| change.change.interval.as_ref().is_some_and(is_it)).collect()
    };
    let limit = 1.0 + max_slower;
    let slower = of(&|interval| interval.low > limit);
    let within = of(&|interval| interval.high <= limit);
    let undecided = of(&|interval| interval.low <= limit && interval.high > limit);
    let without = changes.of.len() - slower.len() - within.len() - undecided.len();
    let judged = slower.len() + within.len();
    let all_well = judged > 0 && slower.is_empty() && missing.is_empty();
    let warnings = conditions::warnings(baseline, results).into_iter();
    let mut lines: Vec<String> = warnings.map(|warning| format!("warning: {warning}")).collect();
    lines.extend(slower.iter().map(|change| in_words("slower", change)));
    let faults: Vec<_> = rows::faults(results).collect();
    let why = |here| why_missing(&faults, here).unwrap_or_else(|| "not in the results".into());
    lines.extend(missing.iter().map(|it| format!("missing: {}: {}", format::here(*it), why(*it))));
    lines.extend(undecided.iter().map(|change| in_words("undecided", change)));
    if without > 0 {
        // One line for all of them: a run too short to judge by would fill the screen.
        let many = format::count(without, "line");
        lines.push(format!("undecided: {many} without an interval, which takes six blocks in both runs"));
        lines.push("hint: measure both with --full, which gives each line all blocks of its plan".into());
    }
    if judged == 0 {
        lines.push("no line could be judged: each has no interval, or one that contains the limit".into());
    }
    let (verdict, undecided) = (if all_well { "passed" } else { "failed" }, undecided.len() + without);
    let [slower, missing, within] = [slower.len(), missing.len(), within.len()];
    // No more decimals than the limit was given with, and no traces of binary fractions.
    let percent = (max_slower * 100_000.0).round() / 1_000.0;
    lines.push(format!(
        "{verdict}: {slower} slower by more than {percent} %, {missing} missing, {undecided} undecided, {within} within the limit"
    ));
    Ok((lines.iter().map(|line| format::shown(line) + "\n").collect(), all_well))
}

fn in_words(finding: &str, change: &Change) -> String {
    let [new, base, ratio] = [&change.new, &change.base, &change.change].map(|it| format::ratio(it, ""));
    let (here, other) = (format::here(change.of), other(change));
    format!("{finding}: {here}: {ratio} × its ratio before: now {new} × the time of {other}, before {base} ×")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Operation;
    use crate::rows::Role;
    use crate::summary::fixtures::{CONNECT, Made};

    const WAY: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";

    /// Sockets cost so many times what they did, for everybody.
    fn run(sockets: u64) -> Made {
        let mut made = Made::default();
        made.role("copy", Role::Yardstick);
        for (how, times) in [("memory", 1), ("nodelay", sockets), ("default-sockets", sockets)] {
            for (engine, way, ns) in [("openssl", WAY, 1_000), ("rustls", WAY, 800), ("copy", "none", 100)] {
                made.timed(CONNECT, 1, (engine, way, how), Operation::Full, ns * times);
            }
        }
        made.reference(CONNECT, 1, ("openssl", WAY, "memory"));
        made
    }

    #[test]
    fn dearer_sockets_are_no_change_of_a_library() {
        for first in [Against::Reference, Against::Yardstick] {
            let (base, new) = (run(2).cells(), run(3).cells());
            let changes = Changes::between(&base, &new, first);
            let words: Vec<_> = changes
                .of
                .iter()
                .map(|change| (crate::format::verdict(change.change.verdict).0, change.of.1.line.how()))
                .collect();
            let expected = ["memory", "nodelay"].map(|how| ("the same", how));
            assert_eq!(words, [expected; 3].concat(), "{first:?}");
            assert!(changes.of.iter().all(|change| change.against.line.how() == change.of.1.line.how()));
            let alone = changes.lacking(Lack::Alone).map(|(_, line)| line.line.how()).collect::<Vec<_>>();
            assert_eq!((alone, changes.lacking(Lack::Lost).count()), (vec!["default-sockets"; 3], 0));
        }
    }
}
