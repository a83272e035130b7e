//! Which lines of TLS are rivals, and two questions that every library has an answer to: what resuming saves, and what a
//! post-quantum handshake costs.

use super::contest::Contest;
use super::{Answer, Doubt, answers};
use crate::jobs::Unit;
use crate::protocol::Operation;
use crate::summary::tls::across;
use crate::summary::{Cell, Line, Ratio};
use crate::words;
use std::collections::{BTreeMap, BTreeSet};

const CLASSIC: &str = "X25519";
const HYBRID: &str = "X25519MLKEM768";

/// The cell of the fewest connections at once.
fn full(cells: &[Cell]) -> Option<&Cell> {
    cells.iter().filter(|cell| cell.operation == Operation::Full).min_by_key(|cell| cell.size)
}

/// An engine with the ratio that it is asked for.
type Costs<'a> = Vec<(&'a Line, Ratio)>;

pub fn post_quantum(cells: &[Cell]) -> Option<Answer> {
    let cell = full(cells)?;
    let contest = Contest::of(cell, Vec::new(), false);
    let cost = |engine| {
        let (hybrid, classic) = hybrid_and_classic(cell, engine)?;
        let ratio = cell.compare_cpu(hybrid, classic)?;
        contest.tell(hybrid, "CPU time", words::judged(&ratio, ""), Some(classic));
        Some((hybrid, ratio))
    };
    let costs: Costs = engines(cell).into_iter().filter_map(cost).collect();
    let headline = match range(&costs) {
        Some(range) => format!(
            "Turn on {HYBRID} if recorded traffic must stay secret: a handshake takes {range} × the CPU time."
        ),
        None => format!("This run cannot tell what a handshake with {HYBRID} costs."),
    };
    let unit = format!("the CPU time of an {CLASSIC} handshake");
    (!costs.is_empty()).then(|| answer("post-quantum TLS", headline, &unit, &costs, &contest))
}

pub fn resuming(cells: &[Cell]) -> Option<Answer> {
    let full = full(cells)?;
    let resumed = cells.iter().find(|cell| (cell.size, cell.operation) == (full.size, Operation::Resumed))?;
    let contest = Contest::of(full, rivals(full), false);
    let cost = |line: &Line| {
        let again = resumed.line(&line.line).filter(|again| !again.has_stalled())?;
        let ratio = across((full, line), (resumed, again))?;
        contest.tell(line, "time beside a resumed one", words::judged(&ratio, ""), None);
        Some(ratio)
    };
    let costs: Costs = contest.rivals.iter().filter_map(|line| Some((*line, cost(line)?))).collect();
    let headline = match range(&costs) {
        Some(range) => {
            format!("Resume sessions: a full connection takes {range} × the time of a resumed one.")
        }
        None => "This run cannot tell what resuming saves.".into(),
    };
    let unit = "the time of a resumed connection";
    (!costs.is_empty()).then(|| answer("resumed TLS", headline, unit, &costs, &contest))
}

/// From the least to the most that was told of any engine: "1.28 to 1.54".
fn range(costs: &Costs) -> Option<String> {
    let told = costs.iter().filter(|(_, ratio)| !ratio.is_open()).map(|(_, ratio)| ratio.median);
    let mut told: Vec<f64> = told.collect();
    told.sort_by(f64::total_cmp);
    let [least, most] = [told.first()?, told.last()?].map(|factor| words::factor(*factor));
    Some(if least == most { least } else { format!("{least} to {most}") })
}

fn answer(about: &str, headline: String, unit: &str, costs: &Costs, contest: &Contest) -> Answer {
    let mut sorted: Vec<&(&Line, Ratio)> = costs.iter().collect();
    sorted.sort_by(|a, b| a.1.median.total_cmp(&b.1.median));
    // Where there are many suites, the ends tell most.
    let told = |most: usize| {
        let left_out = sorted.len().saturating_sub(most);
        let told =
            sorted.iter().enumerate().filter(move |(at, _)| *at + 1 < most || *at >= most - 1 + left_out);
        told.map(|(_, (line, ratio))| (contest.called(line), ratio))
    };
    let figures: Vec<String> =
        told(4).map(|(name, ratio)| format!("{name} {}", answers::beside(ratio, ""))).collect();
    let bars = told(answers::MOST_BARS).map(|(name, ratio)| answers::bar(name, ratio));
    let of_engine =
        |line: &Line| contest.cell.lines.iter().filter(|other| other.engine() == line.engine()).collect();
    let picture = answers::pictured(unit, bars);
    // An answer that other lines give does not wait for a line that does not become steady.
    let is_told = costs.iter().any(|(_, ratio)| !ratio.is_open());
    let is_late = |line: &Line| is_told && line.unsteady_blocks > 0;
    let open = costs.iter().filter(|(line, ratio)| ratio.is_open() && !is_late(line));
    let open = open.map(|(line, ratio)| (of_engine(line), *ratio));
    let doubt = Doubt::of(open, Ratio::blocks_needed);
    Answer::of(contest, [about.to_owned(), headline, figures.join(" · ")], picture, doubt)
}

/// Lines of libraries that computed, or sent, all the time.
fn fair(cell: &Cell) -> impl Iterator<Item = &Line> {
    cell.contestants().filter(|line| line.is_library() && !line.is_waiting())
}

/// Engines with fair lines, each once, in order.
fn engines(cell: &Cell) -> Vec<&str> {
    let mut names: Vec<&str> = fair(cell).map(Line::engine).collect();
    names.dedup();
    names
}

/// The lines of an engine over the transport that it has most of.
fn of_engine<'a>(cell: &'a Cell, engine: &str) -> Vec<&'a Line> {
    of_usual_transport(fair(cell).filter(|line| line.engine() == engine).collect())
}

/// The lines over the transport that most have; of those in memory where these are as many.
fn of_usual_transport(lines: Vec<&Line>) -> Vec<&Line> {
    let over = |transport: &str| -> Vec<&Line> {
        lines.iter().copied().filter(|line| line.parameter("transport") == transport).collect()
    };
    let (memory, sockets) = (over("memory"), over("nodelay"));
    if memory.len() >= sockets.len() { memory } else { sockets }
}

/// All that two lines must have in common to be twins but for their group.
fn but_the_group(line: &Line) -> [&str; 3] {
    ["protocol", "suite", "certificate"].map(|name| line.parameter(name))
}

/// The lines of the protocol, suite and certificate that have most groups; of several the newest protocol.
fn in_most_groups(lines: Vec<&Line>) -> Vec<&Line> {
    let groups = |wanted: &Line| {
        let alike = lines.iter().filter(|line| but_the_group(line) == but_the_group(wanted));
        alike.map(|line| line.parameter("group")).collect::<BTreeSet<_>>().len()
    };
    let most = lines.iter().copied().max_by_key(|line| (groups(line), but_the_group(line)));
    let most = most.map(but_the_group);
    lines.into_iter().filter(|line| Some(but_the_group(line)) == most).collect()
}

/// Lines that do the same with the most libraries; of equal ones the quickest. Without rivals one chooses among the suites of
/// one library.
pub fn rivals(cell: &Cell) -> Vec<&Line> {
    let lines = of_usual_transport(fair(cell).collect());
    let lines = if cell.kind.unit == Unit::Connections { in_most_groups(lines) } else { lines };
    let mut alike: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for line in lines {
        alike.entry(line.algorithm()).or_default().push(line);
    }
    // One library alone, on whatever JDKs, is no contest.
    alike.retain(|_, lines| lines.iter().any(|line| line.family != lines[0].family));
    let least = |lines: &[&Line]| lines.iter().map(|line| line.time()).fold(f64::INFINITY, f64::min);
    let engines_of = |lines: &[&Line]| lines.iter().map(|line| line.engine()).collect::<BTreeSet<_>>().len();
    let widest = alike
        .into_values()
        .max_by(|a, b| engines_of(a).cmp(&engines_of(b)).then(least(b).total_cmp(&least(a))));
    widest.unwrap_or_else(|| {
        let engine = engines(cell).into_iter().max_by_key(|engine| of_engine(cell, engine).len());
        let lines = engine.map(|engine| of_engine(cell, engine)).unwrap_or_default().into_iter();
        let is_broken = |line: &Line| BROKEN.iter().any(|name| line.parameter("suite").contains(name));
        lines.filter(|line| !is_broken(line)).collect()
    })
}

/// Nobody is advised to use a suite with one of these, however fast it is.
const BROKEN: [&str; 6] = ["NULL", "EXPORT", "anon", "RC4", "DES", "MD5"];

/// An engine's handshake with both groups, in memory where it was measured there.
fn hybrid_and_classic<'a>(cell: &'a Cell, engine: &str) -> Option<(&'a Line, &'a Line)> {
    ["memory", "nodelay"].into_iter().find_map(|transport| {
        let of = |group: &'static str| {
            let wanted = [transport, group];
            let lines = fair(cell).filter(move |line| line.engine() == engine);
            lines.filter(move |line| ["transport", "group"].map(|name| line.parameter(name)) == wanted)
        };
        let twin = |hybrid: &Line| of(CLASSIC).find(|line| but_the_group(line) == but_the_group(hybrid));
        of(HYBRID).find_map(|hybrid| Some((hybrid, twin(hybrid)?)))
    })
}
