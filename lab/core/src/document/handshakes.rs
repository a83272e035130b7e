//! Two questions that every TLS library has an answer to: what resuming saves, and what a post-quantum handshake costs.

use super::contest::Contest;
use super::libraries::{self, CLASSIC, HYBRID};
use super::{Answer, Doubt, answers};
use crate::protocol::Operation;
use crate::summary::tls::across;
use crate::summary::{Cell, Line, Ratio};
use crate::words;

/// The cell of the fewest connections at once.
fn full(cells: &[Cell]) -> Option<&Cell> {
    cells.iter().filter(|cell| cell.operation == Operation::Full).min_by_key(|cell| cell.size)
}

/// An engine with the ratio that it is asked for.
type Costs<'a> = Vec<(&'a Line, Ratio)>;

pub fn post_quantum(cells: &[Cell]) -> Option<Answer> {
    let cell = full(cells)?;
    let contest = Contest::of(cell, Vec::new(), false);
    let mut costs: Costs = Vec::new();
    for engine in libraries::engines(cell) {
        let Some((hybrid, classic)) = libraries::hybrid_and_classic(cell, engine) else { continue };
        let Some(ratio) = cell.compare_cpu(hybrid, classic) else { continue };
        contest.tell(hybrid, "CPU time", words::judged(&ratio, ""), Some(classic));
        costs.push((hybrid, ratio));
    }
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
    let contest = Contest::of(full, libraries::rivals(full), false);
    let mut costs: Costs = Vec::new();
    for line in contest.rivals.iter().copied() {
        let again = resumed.contestants().find(|other| other.line == line.line && !other.has_stalled());
        let ratio = again.and_then(|again| across((full, line), (resumed, again)));
        let Some(ratio) = ratio else { continue };
        contest.tell(line, "time beside a resumed one", words::judged(&ratio, ""), None);
        costs.push((line, ratio));
    }
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
    let told = costs.iter().filter(|(_, ratio)| !answers::is_open(ratio)).map(|(_, ratio)| ratio.median);
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
    let bars = told(answers::MOST_BARS).map(|(name, ratio)| answers::held(name, ratio));
    let of_engine =
        |line: &Line| contest.cell.lines.iter().filter(|other| other.engine() == line.engine()).collect();
    let picture = answers::pictured(unit, bars);
    // What others tell does not wait for a line that does not become steady.
    let is_told = costs.iter().any(|(_, ratio)| !answers::is_open(ratio));
    let is_late = |line: &Line| is_told && line.unsteady_blocks > 0;
    let open = costs.iter().filter(|(line, ratio)| answers::is_open(ratio) && !is_late(line));
    let doubt = Doubt::of(open.map(|(line, ratio)| (of_engine(line), *ratio)));
    Answer::of(contest, about, headline, (picture, figures.join(" · ")), doubt)
}
