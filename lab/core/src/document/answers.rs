//! One recommendation for each question: which line to choose at a size of a job, and what the others cost beside it.

use super::contest::{Contest, NATIVE, Pair};
use super::{Answer, Doubt, id_of_cell, tls};
use crate::format;
use crate::jobs::{Among, Choice, HYBRID};
use crate::rows::{self, Role};
use crate::stats::bootstrap::FEWEST_BLOCKS;
use crate::stats::verdict::Verdict;
use crate::summary::{Cell, Line, Ratio};
use crate::table::{Bar, Figure, MOST_BARS, Table, bar, pictured};
use indexmap::IndexMap;
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
    let is_hybrid = |line: &Line| line.role == Role::Ours && line.mode() == Some(HYBRID);
    let programs = cell.contestants().filter(|line| !line.in_process && is_a_cipher(line));
    let programs: Vec<&Line> = programs.collect();
    let of_each = programs.chunk_by(|one, two| one.engine() == two.engine());
    of_each.map(|lines| *lines.iter().find(|line| is_hybrid(line)).unwrap_or(&lines[0])).collect()
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
    let kind = cells[0].kind;
    let choices = sizes(cells).into_iter().filter_map(|size| answer(&kind.choice, cells, size));
    let mut answers: Vec<Answer> = choices.collect();
    // One chooses first.
    let is_chosen = answers.iter().all(|answer| answer.is_told);
    let mut costs: Vec<Answer> = kind.costs.iter().filter_map(|cost| tls::cost(cost, cells)).collect();
    costs.iter_mut().flat_map(|cost| &mut cost.doubt).for_each(|doubt| doubt.is_open &= is_chosen);
    answers.extend(costs);
    answers
}

/// The smallest and the largest size that were measured in blocks: there different things cost time. The largest of all has a
/// question, too, which waits for more blocks.
fn sizes(cells: &[Cell]) -> BTreeSet<u64> {
    let telling = |cell: &&Cell| cell.contestants().any(|line| cell.has_intervals(line.wall.len()));
    let sizes: BTreeSet<u64> = cells.iter().filter(telling).map(|cell| cell.size).collect();
    let largest = cells.iter().map(|cell| cell.size).max();
    [sizes.first().copied(), sizes.last().copied(), largest].into_iter().flatten().collect()
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
    let Some(best) = main.best() else {
        return Some(untold(about, main, "it was too short to tell", Doubt::of_all(FEWEST_BLOCKS)));
    };
    if let Some(names) = absent(main, best, cells, asked.among) {
        let why = format!("it has no figures of {names}");
        let because = "the rivals were not measured";
        let doubt = Doubt { blocks: f64::INFINITY, because, ..Doubt::of_all(0) };
        return Some(untold(about, main, &why, doubt));
    }
    let yardstick = asked.beside_yardstick.then(|| yardstick(cell, best)).flatten();
    let cost = yardstick.and_then(|line| main.pair(best, line));
    let jvm = main.best_in_a_jvm().and_then(|line| main.pair(line, best));
    let slowest = main.slowest(best);
    let next = main.rivals.iter().find(|line| line.line != best.line);
    let next = next.and_then(|line| main.pair(line, best));
    let told: Vec<Pair> = [cost, jvm, slowest, next].into_iter().flatten().collect();
    let (late, ties): (Vec<&Line>, Vec<&Line>) =
        main.ties(best).into_iter().partition(|line| line.is_late_beside(best));
    let ties: Vec<Pair> = ties.into_iter().filter_map(|line| main.pair(line, best)).collect();
    let (name, chosen) = (main.called(best), choice(&contests, best, &ties));
    let subject = if chosen == format!("Use {name}.") { "It".into() } else { capital(&name) };
    let headline = [
        Some(chosen),
        cost.map(|(_, line, ratio)| costs(&subject, &main.called(line), &ratio)),
        if best.jdk.is_none() { in_a_jvm(main) } else { None },
        slowest.map(|pair| slow(main, best, pair)),
    ];
    let headline = headline.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let figures = figures(main, best, &told);
    let others = main.rivals.iter().copied().filter(|line| line.line != best.line);
    let others = yardstick.into_iter().chain(others).take(MOST_BARS - 1);
    let others = others.filter_map(|line| main.pair(line, best));
    let others: Vec<Pair> = others.filter(|(.., ratio)| !ratio.is_unsteady()).collect();
    let proof = |(line, other, ratio): &Pair| {
        let other = format::name(cell, other);
        main.figure(line, &format::judged(ratio, &format!(" × the time of {other}")))
    };
    let time = main.figure(best, &format::time(best.time()));
    let comparisons = told.iter().chain(&others).map(proof).chain([time]).collect();
    let picture = picture(main, best, &others);
    let both = |(line, other, ratio)| (vec![line, other], ratio);
    // One that is told faster than the choice is a doubt, too.
    let ties = ties.into_iter().filter(|(.., ratio)| !ratio.is_no_faster());
    let cost = cost.filter(|(.., ratio)| ratio.is_open());
    let wide = jvm.into_iter().chain(slowest).filter(|(.., ratio)| ratio.high / ratio.low > TOO_WIDE);
    let doubts = [
        Doubt::of(ties.map(both), Ratio::blocks_to_choose),
        Doubt::of(cost.into_iter().map(both), Ratio::blocks_needed),
        unseen(main, best),
        Doubt::of(wide.map(both), Ratio::blocks_needed).map(Doubt::closed),
        // An answer that other lines give does not wait for lines which did not become steady.
        Doubt::of_unseen(late.into_iter(), cell.blocks()).map(Doubt::closed),
    ];
    let doubt = doubts.into_iter().flatten().reduce(Doubt::and);
    Some(Answer { about, headline, picture, figures, comparisons, ..Answer::of(cell, doubt) })
}

/// An interval from half of a figure to its double tells little.
const TOO_WIDE: f64 = 4.0;

impl Answer {
    /// The members that do not depend on its words.
    pub fn of(cell: &Cell, mut doubt: Option<Doubt>) -> Self {
        doubt.iter_mut().for_each(|doubt| doubt.operations.extend([cell.operation]));
        let is_told = doubt.as_ref().is_none_or(|doubt| !doubt.is_open);
        let (evidence, job, size) = (id_of_cell(cell.place()), cell.job.clone(), cell.size);
        Self { is_told, evidence, job, size, doubt, ..Self::default() }
    }
}

/// The yardstick of the same kind: beside a program another program.
fn yardstick<'a>(cell: &'a Cell, best: &Line) -> Option<&'a Line> {
    let group = cell.group(best);
    let is_alike =
        |line: &&Line| line.in_process == best.in_process && !is_a_cipher(line) && cell.group(line) == group;
    cell.contestants_and_yardstick().find(is_alike).or(cell.yardstick_of(best))
}

/// The rivals that have no figure at this size, because of the budget or the machine, but for those that are slower than the
/// choice wherever both were measured.
fn absent<'a>(contest: &Contest<'a>, best: &Line, cells: &'a [Cell], among: Among) -> Option<String> {
    let here = contest.cell;
    let others = || cells.iter().filter(|cell| cell.operation == here.operation && cell.size != here.size);
    let is_slow = |line: &&Line| {
        let ratio = |cell: &Cell| cell.compare(cell.line(&line.line)?, cell.line(&best.line)?);
        let ratios: Vec<Ratio> = others().filter_map(ratio).collect();
        !ratios.is_empty() && ratios.iter().all(Ratio::is_slower)
    };
    let is_missing =
        |line: &&Line| here.line(&line.line).is_none() && here.kind.is_possible(&line.line, here.size);
    let known = others().flat_map(|cell| rivals(cell, among)).filter(is_missing);
    let known: IndexMap<&rows::Line, &Line> = known.map(|line| (&line.line, line)).collect();
    let missing = contest.all(known.values().copied().filter(|line| !is_slow(line)), " and ");
    // Nobody knows of any rival.
    let is_alone = known.is_empty() && contest.rivals.len() == 1;
    missing.or(is_alone.then(|| "any other line".into())).filter(|_| here.is_partial)
}

/// Nothing is chosen, and why.
fn untold(about: String, contest: &Contest, why: &str, doubt: Doubt) -> Answer {
    let first = contest.rivals[0];
    let time = format::time(first.time()) + if first.is_steady { "" } else { ", still warming up" };
    let blocks = format::count(contest.cell.blocks(), "block");
    let comparisons = [&blocks, &time].map(|told| contest.figure(first, told)).to_vec();
    let figures = format!("in {blocks} {} took least, {time}", contest.called(first));
    let headline = format!("Choose nothing by this run: {why}.");
    let picture = picture(contest, first, &[]);
    let untold = Answer::of(contest.cell, Some(doubt));
    Answer { about, headline, picture, figures, comparisons, ..untold }
}

/// "Use simdutf.", or both where two operations have two winners, or where two are told alike.
fn choice(contests: &[(&str, Contest)], best: &Line, ties: &[Pair]) -> String {
    let (verb, main) = &contests[0];
    let name = main.called(best);
    let other = contests[1..].iter().find_map(|(verb, contest)| {
        let other = contest.best().filter(|other| other.line != best.line)?;
        // Where the first one is not told slower there is no reason to use two.
        let is_needless = contest.ties(other).iter().any(|line| line.line == best.line);
        let all = contest.all([other].into_iter().chain(contest.ties(other)), " or ");
        (!is_needless).then(|| format!("{verb} with {}", all.unwrap_or_default()))
    });
    let of = |is_so: fn(&Ratio) -> bool| {
        main.all(ties.iter().filter(|(.., ratio)| is_so(ratio)).map(|(line, ..)| *line), " or ")
    };
    let (same, open) = (of(|ratio| ratio.sure == Verdict::Same), of(|ratio| !ratio.is_no_faster()));
    match (other, same, open) {
        (Some(other), _, None) => format!("{} with {name}, {other}.", capital(verb)),
        (_, None, None) => format!("Use {name}."),
        (_, Some(same), None) => format!("Use {name} or {same}: they take the same time."),
        (.., Some(open)) => format!("Use {name}; {open} may be as fast: this run cannot tell."),
    }
}

/// The library to use in a JVM, where the choice is none, and those that this run cannot tell from it.
fn in_a_jvm(contest: &Contest) -> Option<String> {
    let Some(line) = contest.best_in_a_jvm() else {
        let warming = contest.rivals.iter().filter(|line| line.jdk.is_some() && !line.is_steady);
        let names = contest.all(warming.copied(), " and ")?;
        return Some(format!("In a JVM this run cannot tell: {names} had not become steady."));
    };
    let is_rival = |tie: &&Line| tie.jdk.is_some() && tie.family != NATIVE && !tie.is_late_beside(line);
    let all = [line].into_iter().chain(contest.ties(line).into_iter().filter(is_rival));
    Some(format!("In a JVM use {}.", contest.all(all, " or ")?))
}

pub fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn costs(subject: &str, yardstick: &str, ratio: &Ratio) -> String {
    let factor = format::factor(ratio.median);
    match ratio.sure {
        Verdict::Same => format!("{subject} costs no more than {yardstick}."),
        _ if ratio.is_open() => format!("This run cannot tell the cost beside {yardstick}."),
        _ => format!("{subject} takes {factor} × the time of {yardstick}."),
    }
}

fn slow(contest: &Contest, best: &Line, (slow, base, ratio): Pair) -> String {
    let there = if base.line == best.line { "" } else { " there" };
    format!("{} takes {} × as long{there}.", capital(&contest.called(slow)), format::factor(ratio.median))
}

/// The time of the choice, and ratios: its own, those of lines that the headline names and of the runner-up.
fn figures(contest: &Contest, best: &Line, pairs: &[Pair]) -> String {
    let mut told = vec![format!("{} {}", contest.called(best), format::time(best.time()))];
    let mut seen = BTreeSet::new();
    for (line, base, ratio) in pairs {
        if told.len() <= MOST_FIGURES && seen.insert(&line.line) {
            let [name, other] =
                [line, base].map(|it| if it.line == best.line { String::new() } else { contest.called(it) });
            // A cost is told by its interval, a rival by what it is at least.
            let is_open = if base.line == best.line { !ratio.is_no_faster() } else { ratio.is_open() };
            told.push(format!("{name} {}", format::beside(ratio, &other, is_open)).trim_start().to_owned());
        }
    }
    told.join(" · ")
}

/// Ratios beside the time of the choice.
const MOST_FIGURES: usize = 3;

/// The doubt about rivals that have too few steady blocks for an interval, or none in which the choice was steady, too.
fn unseen(contest: &Contest, best: &Line) -> Option<Doubt> {
    let shared = |line: &Line| line.wall.keys().filter(|block| best.wall.contains_key(block)).count();
    let is_seen = |line: &&&Line| contest.cell.has_intervals(shared(line)) || line.is_late_beside(best);
    let unseen = contest.rivals.iter().filter(|line| !is_seen(line)).copied();
    Doubt::of_unseen(unseen, contest.cell.blocks())
}

fn picture(contest: &Contest, best: &Line, others: &[Pair]) -> Table {
    let name = contest.called(best);
    let mut bars = vec![(name.clone(), Figure::with_ends(format::time(best.time()), 1.0, [1.0; 2]))];
    bars.extend(others.iter().map(|(line, _, ratio)| bar(contest.called(line), ratio)));
    let at = |bar: &Bar| bar.1.value.unwrap_or(1.0);
    bars.sort_by(|one, other| at(one).total_cmp(&at(other)));
    pictured(&format!("the time of {name}"), bars)
}

#[cfg(test)]
mod tests;
