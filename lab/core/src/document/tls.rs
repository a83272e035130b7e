//! Which lines of TLS are rivals, and what one way of connecting costs beside another, which every library has an answer to.

use super::contest::Contest;
use super::{Answer, Doubt};
use crate::format;
use crate::jobs::Cost;
use crate::protocol::Operation;
use crate::summary::{Cell, Line, Ratio, across};
use crate::table;

/// Lines of engines with the ratio that they are asked for.
type Costs<'a> = Vec<(&'a Line, Ratio)>;

pub fn cost(asked: &Cost, cells: &[Cell]) -> Option<Answer> {
    // The fewest connections at once.
    let full = cells.iter().filter(|cell| cell.operation == Operation::Full).min_by_key(|cell| cell.size)?;
    let contest = Contest::of(full, if asked.groups.is_some() { Vec::new() } else { rivals(full) }, false);
    let costs = match asked.groups {
        Some(groups) => of_groups(full, groups),
        None => of_full_connections(full, &contest.rivals, cells)?,
    };
    let headline =
        range(&costs).map_or_else(|| asked.untold.into(), |told| asked.headline.replace("{}", &told));
    (!costs.is_empty()).then(|| answer(asked, headline, &costs, &contest))
}

/// The CPU time of the first of two groups beside that of the second, in each library.
fn of_groups<'a>(full: &'a Cell, groups: [&'static str; 2]) -> Costs<'a> {
    let lines: Vec<&Line> = fair(full).collect();
    let costs = lines.chunk_by(|a, b| a.engine() == b.engine()).filter_map(|lines| {
        let (of_both, of_one) = hybrid_and_classic(lines, groups)?;
        Some((of_both, full.compare_cpu(of_both, of_one)?))
    });
    costs.collect()
}

fn of_full_connections<'a>(full: &Cell, rivals: &[&'a Line], cells: &[Cell]) -> Option<Costs<'a>> {
    let resumed = cells.iter().find(|cell| (cell.size, cell.operation) == (full.size, Operation::Resumed))?;
    let cost = |line: &Line| {
        let again = resumed.line(&line.line).filter(|again| !again.has_stalled())?;
        across((full, line), (resumed, again))
    };
    Some(rivals.iter().filter_map(|line| Some((*line, cost(line)?))).collect())
}

/// From the least to the most that was told of any engine: "1.28 to 1.54".
fn range(costs: &Costs) -> Option<String> {
    let told = costs.iter().filter(|(_, ratio)| !ratio.is_open()).map(|(_, ratio)| ratio.median);
    let least = format::factor(told.clone().min_by(f64::total_cmp)?);
    let most = format::factor(told.max_by(f64::total_cmp)?);
    Some(if least == most { least } else { format!("{least} to {most}") })
}

fn answer(asked: &Cost, headline: String, costs: &Costs, contest: &Contest) -> Answer {
    let mut sorted: Vec<&(&Line, Ratio)> = costs.iter().collect();
    sorted.sort_by(|a, b| a.1.median.total_cmp(&b.1.median));
    // Where there are many suites, the ends tell most.
    let told = |most: usize| {
        let left_out = sorted.len().saturating_sub(most);
        let told =
            sorted.iter().enumerate().filter(move |(at, _)| *at + 1 < most || *at >= most - 1 + left_out);
        told.map(|(_, (line, ratio))| (contest.called(line), ratio))
    };
    let figure = |(name, ratio)| format!("{name} {}", format::beside(ratio, "", ratio.is_open()));
    let figures: Vec<String> = told(4).map(figure).collect();
    let bars = told(table::MOST_BARS).filter(|(_, ratio)| !ratio.is_unsteady());
    let bars = bars.map(|(name, ratio)| table::bar(name, ratio));
    let of_engine =
        |line: &Line| contest.cell.lines.iter().filter(|other| other.engine() == line.engine()).collect();
    let picture = table::pictured(asked.unit, bars);
    // An answer that other lines give does not wait for a line that does not become steady.
    let is_told = costs.iter().any(|(_, ratio)| !ratio.is_open());
    let is_late = |line: &Line, ratio: &Ratio| is_told && (line.unsteady_blocks > 0 || ratio.is_unsteady());
    let open = costs.iter().filter(|(line, ratio)| ratio.is_open() && !is_late(line, ratio));
    let open = open.map(|(line, ratio)| (of_engine(line), *ratio));
    let operations = asked.groups.is_none().then_some(Operation::Resumed).into_iter().collect();
    let doubt = Doubt::of(open, Ratio::blocks_needed).map(|doubt| Doubt { operations, ..doubt });
    let unit = format!(" × {}", asked.unit);
    let told = |(line, ratio): &(&Line, Ratio)| contest.figure(line, &format::judged(ratio, &unit));
    let comparisons = costs.iter().map(told).collect();
    let (about, figures) = (asked.about.to_owned(), figures.join(" · "));
    Answer { about, headline, picture, figures, comparisons, ..Answer::of(contest.cell, doubt) }
}

/// Lines of libraries, as people use them, that computed, or sent, all the time.
fn fair(cell: &Cell) -> impl Iterator<Item = &Line> {
    cell.contestants().filter(|line| !line.family.ends_with("-loop") && !line.is_waiting())
}

/// All that two lines must have in common to be twins but for their group.
fn but_the_group(line: &Line) -> [&str; 3] {
    ["protocol", "suite", "certificate"].map(|name| line.parameter(name))
}

/// Libraries that do what the reference does, over its transport; where there is one library, all that the reference's engine does.
pub fn rivals(cell: &Cell) -> Vec<&Line> {
    let twin = || cell.groups().iter().find_map(|group| cell.reference_in(group));
    let reference = cell.beside().filter(|line| !line.is_yardstick()).or_else(twin);
    let Some(reference) = reference else { return Vec::new() };
    let lines: Vec<&Line> = fair(cell).filter(|line| line.line.how() == reference.line.how()).collect();
    let does_the_same = |line: &&Line| line.algorithm() == reference.algorithm();
    let alike: Vec<&Line> = lines.iter().copied().filter(does_the_same).collect();
    // One library alone, on whatever JDKs, is no contest.
    if alike.iter().any(|line| line.family != alike[0].family) {
        return alike;
    }
    let is_broken = |line: &Line| cell.kind.broken.iter().any(|word| line.algorithm().contains(word));
    lines.into_iter().filter(|line| line.engine() == reference.engine() && !is_broken(line)).collect()
}

/// An engine's handshake with both groups, in memory where it was measured there.
fn hybrid_and_classic<'a>(lines: &[&'a Line], groups: [&'static str; 2]) -> Option<(&'a Line, &'a Line)> {
    ["memory", "nodelay"].into_iter().find_map(|transport| {
        let of = |group: &'static str| {
            let (wanted, lines) = ([transport, group], lines.iter().copied());
            lines.filter(move |line| ["transport", "group"].map(|name| line.parameter(name)) == wanted)
        };
        let twin = |hybrid: &Line| of(groups[1]).find(|line| but_the_group(line) == but_the_group(hybrid));
        of(groups[0]).find_map(|hybrid| Some((hybrid, twin(hybrid)?)))
    })
}
