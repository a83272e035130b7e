//! One recommendation for each question: which line to choose at a size of a job, and what the others cost beside it.

use super::contest::{Contest, NATIVE};
use super::{Answer, Doubt, id_of_cell, tls};
use crate::jobs::{Among, Choice, Question};
use crate::rows::Role;
use crate::stats::bootstrap::FEWEST_BLOCKS;
use crate::stats::verdict::Verdict;
use crate::summary::{Cell, Line, Ratio};
use crate::table::{Drawn, Figure, Mark, Table, TableRow};
use crate::words;
use indexmap::IndexMap;
use sealmark::Mode;
use std::collections::BTreeSet;

/// The lines among which one can choose.
fn rivals(cell: &Cell, among: Among) -> Vec<&Line> {
    let those = |is_meant: &dyn Fn(&Line) -> bool| -> Vec<&Line> {
        cell.contestants().filter(|line| is_meant(line)).collect()
    };
    let or_all = |those: Vec<_>| if those.is_empty() { cell.contestants().collect() } else { those };
    match among {
        Among::All => those(&|_| true),
        Among::Algorithm(name) => or_all(those(&|line| line.algorithm() == name)),
        Among::Authenticated => those(&|line| line.authenticated),
        Among::With(name, value, but) => {
            let is_meant = |line: &Line| line.authenticated && line.line.parameters.get(name) == Some(value);
            or_all(those(&|line| is_meant(line) && !line.algorithm().ends_with(but)))
        }
        Among::ReleasingNothing => those(&|line| line.authenticated && line.released_bytes == Some(0)),
        Among::Programs => or_all(programs(cell)),
        Among::Libraries => tls::rivals(cell),
    }
}

/// Each program once, ours with a hybrid key. A library in a process that runs is no rival of a program, and a program
/// without a cipher none of one with it.
fn programs(cell: &Cell) -> Vec<&Line> {
    let is_hybrid = |line: &Line| line.role == Role::Ours && line.mode() == Some(Mode::Hybrid);
    let programs = cell.contestants().filter(|line| !line.in_process && is_a_cipher(line));
    let mut chosen: IndexMap<&str, &Line> = IndexMap::new();
    for line in programs {
        let known = chosen.entry(line.engine()).or_insert(line);
        if is_hybrid(line) && !is_hybrid(known) {
            *known = line;
        }
    }
    chosen.into_values().collect()
}

fn is_a_cipher(line: &Line) -> bool {
    line.algorithm() != "none"
}

/// All answers of a run, in the order in which its jobs were measured.
pub fn all(cells: &[Cell]) -> Vec<Answer> {
    let jobs = cells.chunk_by(|a, b| a.job == b.job).filter(|cells| !cells[0].kind.is_own_cost);
    jobs.flat_map(of_job).collect()
}

fn of_job(cells: &[Cell]) -> Vec<Answer> {
    let of = |question: &Question| match question {
        Question::Choose(choice) => {
            sizes(cells).into_iter().filter_map(|size| answer(choice, cells, size)).collect()
        }
        Question::PostQuantum => tls::post_quantum(cells).into_iter().collect(),
        Question::Resuming => tls::resuming(cells).into_iter().collect::<Vec<_>>(),
    };
    cells[0].kind.questions.iter().flat_map(of).collect()
}

/// The smallest and the largest size that were measured in blocks: there different things cost time. Of a job without
/// one, the largest.
fn sizes(cells: &[Cell]) -> BTreeSet<u64> {
    let telling = |cell: &&Cell| cell.contestants().any(|line| cell.has_intervals(line.wall.len()));
    let sizes: BTreeSet<u64> = cells.iter().filter(telling).map(|cell| cell.size).collect();
    let ends = [sizes.first(), sizes.last()].into_iter().flatten().copied();
    let largest = cells.iter().map(|cell| cell.size).max().filter(|_| sizes.is_empty());
    ends.chain(largest).collect()
}

fn answer(asked: &Choice, cells: &[Cell], size: u64) -> Option<Answer> {
    let kind = cells[0].kind;
    let of_any = [(cells[0].operation, "")];
    let operations = if asked.operations.is_empty() { &of_any } else { asked.operations };
    let contests = operations.iter().filter_map(|(operation, verb)| {
        let cell = cells.iter().find(|cell| (cell.size, cell.operation) == (size, *operation))?;
        Some((*verb, Contest::of(cell, rivals(cell, asked.among), asked.by_algorithm)))
    });
    let contests: Vec<(&str, Contest)> = contests.filter(|(_, contest)| !contest.rivals.is_empty()).collect();
    let (_, main) = contests.first()?;
    let cell = main.cell;
    let mut about = if kind.about.is_empty() { cell.job.clone() } else { kind.about.to_owned() };
    if kind.is_in_bytes() || size > 1 {
        about.push_str(&format!(", {}", kind.amount(size)));
    }
    let Some(best) = main.best() else { return Some(untold(about, main)) };
    let yardstick = asked.beside_yardstick.then(|| yardstick(cell, best)).flatten();
    let cost = yardstick.and_then(|line| Some((line, main.compare(best, line)?)));
    let (late, ties): (Vec<&Line>, Vec<&Line>) =
        main.ties(best).into_iter().partition(|line| line.is_late_beside(best));
    let headline = [
        Some(choice(&contests, best, &ties)),
        cost.as_ref().map(|(line, ratio)| costs(&main.called(line), ratio)),
        near(main, best, &ties),
        in_a_jvm(main, best),
        slow(main, best),
    ];
    let headline = headline.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let figures = figures(main, best, cost.as_ref());
    let picture = picture(main, best, yardstick);
    let ties = ties.iter().filter_map(|line| Some((vec![*line, best], main.cell.compare(line, best)?)));
    // One that is told faster than the choice is a doubt, too.
    let ties = ties.filter(|(_, ratio)| !ratio.is_no_faster());
    let cost = cost.map(|(line, ratio)| (vec![line, best], ratio)).filter(|(_, ratio)| ratio.is_open());
    let doubts =
        [Doubt::of(ties, Ratio::blocks_to_choose), Doubt::of(cost.into_iter(), Ratio::blocks_needed)];
    let doubt = doubts.into_iter().chain([unseen(main, best)]).flatten().reduce(Doubt::and);
    let named =
        named(main, best).filter_map(|(line, base)| Some((vec![line, base], cell.compare(line, base)?)));
    // An answer that other lines give does not wait for lines which did not become steady.
    let late = Doubt::of_unseen(late.into_iter(), cell.blocks()).map(Doubt::closed);
    let doubt = [doubt, Doubt::of_wide(named), late].into_iter().flatten().reduce(Doubt::and);
    Some(Answer::of(main, [about, headline, figures], picture, doubt))
}

impl Answer {
    /// With what a contest has told for it: its subject, the headline, the figures below it.
    pub fn of(contest: &Contest, told: [String; 3], picture: Table, doubt: Option<Doubt>) -> Self {
        let [about, headline, figures] = told;
        let cell = contest.cell;
        Self {
            about,
            headline,
            picture,
            figures,
            is_told: doubt.as_ref().is_none_or(|doubt| !doubt.is_open),
            evidence: id_of_cell(cell.place()),
            job: cell.job.clone(),
            size: cell.size,
            doubt,
            comparisons: contest.comparisons(),
        }
    }
}

/// The yardstick of the same kind: beside a program another program.
fn yardstick<'a>(cell: &'a Cell, best: &Line) -> Option<&'a Line> {
    let group = cell.group(best);
    let is_alike =
        |line: &&Line| line.in_process == best.in_process && !is_a_cipher(line) && cell.group(line) == group;
    cell.contestants_and_yardstick().find(is_alike).or(cell.yardstick_of(best))
}

/// Nothing was measured often enough.
fn untold(about: String, contest: &Contest) -> Answer {
    let (first, blocks) = (contest.rivals[0], contest.cell.blocks());
    contest.tell(first, "blocks", blocks.to_string(), None);
    let were = if blocks == 1 { "was" } else { "were" };
    let least = format!("{} took least, {}", contest.called(first), contest.time(first));
    let figures = format!("{} {were} measured; {least}", words::count(blocks, "block"));
    let headline = "Choose nothing by this run: it was too short to tell.".into();
    let doubt = Some(Doubt::of_all(FEWEST_BLOCKS));
    Answer::of(contest, [about, headline, figures], picture(contest, first, None), doubt)
}

/// "Use simdutf.", or both where two operations have two winners, or where two are told alike.
fn choice(contests: &[(&str, Contest)], best: &Line, ties: &[&Line]) -> String {
    let (verb, main) = &contests[0];
    let name = main.called(best);
    let other = contests[1..].iter().find_map(|(verb, contest)| {
        let other = contest.best().filter(|other| other.line != best.line)?;
        // Where the first one is not told slower there is no reason to use two.
        let is_needless = contest.ties(other).iter().any(|line| line.line == best.line);
        let all = [other].into_iter().chain(contest.ties(other)).map(|line| contest.called(line));
        (!is_needless).then(|| format!("{verb} with {}", words::few(all, 2, " or ").unwrap_or_default()))
    });
    let of = |verdict: fn(&Ratio) -> bool| {
        let is_so = |line: &&&Line| main.cell.compare(line, best).is_some_and(|ratio| verdict(&ratio));
        words::few(ties.iter().filter(is_so).map(|line| main.called(line)), 2, " or ")
    };
    let (same, open) = (of(|ratio| ratio.sure == Verdict::Same), of(|ratio| !ratio.is_no_faster()));
    match (other, same, open) {
        (Some(other), _, None) => format!("{} with {name}, {other}.", capital(verb)),
        (_, None, None) => format!("Use {name}."),
        (_, Some(same), None) => format!("Use {name} or {same}: they take the same time."),
        (.., Some(open)) => format!("Use {name}; {open} may be as fast: this run cannot tell."),
    }
}

/// The rivals that take as long as the choice or a little longer.
fn near(contest: &Contest, best: &Line, ties: &[&Line]) -> Option<String> {
    let most = |line: &Line| {
        let ratio = contest.cell.compare(line, best).filter(|ratio| ratio.sure != Verdict::Same)?;
        let most = ratio.sure_ends.filter(|_| ratio.is_no_faster()).map(|[_, most]| most);
        most.filter(|most| *most < LITTLE)
    };
    let near: Vec<(&Line, f64)> = ties.iter().filter_map(|line| Some((*line, most(line)?))).collect();
    let most = near.iter().map(|(_, most)| *most).reduce(f64::max)?;
    let names = words::few(near.iter().map(|(line, _)| contest.called(line)), 2, " and ")?;
    let (takes, percent) = (if near.len() == 1 { "takes" } else { "take" }, (100.0 * (most - 1.0)).ceil());
    Some(format!("{} {takes} at most {percent:.0} % more.", capital(&names)))
}

/// A line that may take twice the time is no alternative.
const LITTLE: f64 = 2.0;

/// The library to use in a JVM, where the choice is none, and those that this run cannot tell from it.
fn in_a_jvm(contest: &Contest, best: &Line) -> Option<String> {
    let line = contest.best_in_a_jvm().filter(|_| best.jdk.is_none())?;
    let is_rival = |tie: &&Line| tie.jdk.is_some() && tie.family != NATIVE && !tie.is_late_beside(line);
    let all = [line].into_iter().chain(contest.ties(line).into_iter().filter(is_rival));
    let names = words::few(all.map(|line| contest.called(line)), 2, " or ")?;
    Some(format!("In a JVM use {names}."))
}

pub fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn costs(yardstick: &str, ratio: &Ratio) -> String {
    let factor = words::factor(ratio.median);
    match ratio.sure {
        Verdict::Same => format!("It costs no more than {yardstick}."),
        _ if ratio.is_open() => format!("This run cannot tell its cost beside {yardstick}."),
        _ => format!("It takes {factor} × the time of {yardstick}."),
    }
}

fn slow<'a>(contest: &Contest<'a>, best: &'a Line) -> Option<String> {
    let (slow, base) = contest.slowest(best)?;
    let factor = words::factor(contest.compare(slow, base)?.median);
    let there = if base.line == best.line { "" } else { " there" };
    Some(format!("{} takes {factor} × as long{there}.", capital(&contest.called(slow))))
}

/// The time of the choice, and the ratios of those that the headline names and of the runner-up.
fn figures<'a>(contest: &Contest<'a>, best: &'a Line, cost: Option<&(&Line, Ratio)>) -> String {
    let mut told = vec![format!("{} {}", contest.called(best), contest.time(best))];
    told.extend(cost.map(|(line, ratio)| beside(ratio, &contest.called(line))));
    let next = contest.rivals.iter().find(|line| line.line != best.line).map(|line| (*line, best));
    let mut seen = BTreeSet::from([&best.line]);
    for (line, base) in named(contest, best).chain(next) {
        if told.len() <= MOST_FIGURES && seen.insert(&line.line) {
            let other = if base.line == best.line { String::new() } else { contest.called(base) };
            let ratio = contest.compare(line, base);
            told.extend(ratio.map(|ratio| format!("{} {}", contest.called(line), beside(&ratio, &other))));
        }
    }
    told.join(" · ")
}

/// Lines that the headline names beside the choice, each with the line that it is compared with.
fn named<'a>(contest: &Contest<'a>, best: &'a Line) -> impl Iterator<Item = (&'a Line, &'a Line)> {
    let jvm = contest.best_in_a_jvm().map(|line| (line, best));
    jvm.into_iter().chain(contest.slowest(best))
}

/// Ratios beside the time of the choice.
const MOST_FIGURES: usize = 3;

/// The doubt about rivals that have too few steady blocks for an interval.
fn unseen(contest: &Contest, best: &Line) -> Option<Doubt> {
    let is_seen = |line: &&&Line| contest.cell.has_intervals(line.wall.len()) || line.is_late_beside(best);
    let unseen = contest.rivals.iter().filter(|line| !is_seen(line)).copied();
    Doubt::of_unseen(unseen, contest.cell.blocks())
}

/// "3.55 × cp (2.94–4.42)"; where it is beside the choice, "3.55 × (2.94–4.42)".
pub fn beside(ratio: &Ratio, other: &str) -> String {
    let told = words::ratio(ratio, format!(" × {other}").trim_end());
    if ratio.is_open() { told + ", undecided" } else { told }
}

/// More bars than these are a table, which the evidence has.
pub const MOST_BARS: usize = 8;

fn picture(contest: &Contest, best: &Line, yardstick: Option<&Line>) -> Table {
    let name = contest.called(best);
    let mut bars = vec![(name.clone(), contest.time(best), Mark::REFERENCE)];
    let others = contest.rivals.iter().copied().filter(|line| line.line != best.line);
    let others = yardstick.into_iter().chain(others).take(MOST_BARS - 1);
    bars.extend(others.filter_map(|line| Some(bar(contest.called(line), &contest.compare(line, best)?))));
    bars.sort_by(|(.., one), (.., other)| one.at.total_cmp(&other.at));
    pictured(&format!("the time of {name}"), bars)
}

/// A name, the figure beside it, and what is drawn.
type Bar = (String, String, Mark);

/// "3.55 ×".
pub fn bar(name: String, ratio: &Ratio) -> Bar {
    (name, format!("{} ×", words::factor(ratio.median)), Mark::of(ratio))
}

/// Marks stand for multiples of a unit.
pub fn pictured(unit: &str, bars: impl IntoIterator<Item = Bar>) -> Table {
    let mut table = Table::titled(format!("× {unit}"), 1, ["line", "told"]);
    table.drawn = Drawn::Marks("", 1);
    for (name, told, mark) in bars {
        let figures = vec![Some(Figure::word(name)), Some(Figure::with_ends(told, mark.at, mark.ends))];
        table.push_row(TableRow { figures, mark: Some(mark), ..TableRow::default() });
    }
    table
}

#[cfg(test)]
mod tests;
