//! What lies between the ends: what a socket costs, and what more connections at once gain.

use super::{engines, fair, simplest};
use crate::protocol::{Operation, Shape};
use crate::report::{cells, words};
use crate::stats::bootstrap::{self, Interval};
use crate::stats::{ByBlock, between_runs};
use crate::summary::{Cell, Line};

const NAMED: usize = 6;

/// Sockets against memory, the same line of each engine.
pub fn sockets(cells: &[&Cell]) -> Vec<String> {
    let operations = [Operation::Full, Operation::Resumed, Operation::Upload, Operation::Download];
    let told = operations.into_iter().filter_map(|operation| simplest(cells, operation));
    told.filter_map(sockets_in).collect()
}

fn sockets_in(cell: &Cell) -> Option<String> {
    let of = |engine: &str| {
        let over =
            |shape: Shape| fair(cell).map(|(line, _)| line).filter(move |line| line.line.shape == shape);
        let is_twin = |line: &Line, other: &Line| {
            (line.engine(), line.algorithm()) == (other.engine(), other.algorithm())
        };
        let mut mine = over(Shape::Nodelay).filter(|line| line.engine() == engine);
        let pair = mine.find_map(|line| Some((line, over(Shape::Memory).find(|it| is_twin(line, it))?)));
        let (socket, memory) = pair?;
        // A transfer has a thread at each end of a socket and one for both in memory: only what they compute compares.
        let (ratio, than) = match cell.operation {
            Operation::Upload | Operation::Download => {
                (cell.compare_cpu(socket, memory)?, "its CPU time in memory")
            }
            _ => (cell.compare(socket, memory)?, "its time in memory"),
        };
        Some(format!("{engine} takes {}", words::compared(&ratio, than)))
    };
    let told: Vec<String> = engines(cell).into_iter().filter_map(of).collect();
    let told_of = words::few_by(&told, NAMED, "; ");
    (!told.is_empty()).then(|| format!("{}: over sockets (nodelay) {told_of}", cells::name(cell)))
}

/// More connections at once against one at a time. Their blocks are no pairs: one size comes after the other.
pub fn at_once(cells: &[&Cell]) -> Vec<String> {
    let told = [Operation::Full, Operation::Resumed].into_iter().filter_map(|operation| {
        let one = simplest(cells, operation).filter(|cell| cell.size == 1)?;
        let many = cells.iter().filter(|cell| cell.operation == operation).max_by_key(|cell| cell.size)?;
        (many.size > 1).then(|| gained(one, many)).flatten()
    });
    told.collect()
}

fn gained(one: &Cell, many: &Cell) -> Option<String> {
    let of = |engine: &str| {
        let mine = |cell| fair(cell).map(|(line, _)| line).filter(|line| line.engine() == engine);
        let pair = mine(many).find_map(|line| Some((line, mine(one).find(|other| other.line == line.line)?)));
        let (many, one) = pair?;
        let told = more(one, many);
        Some(format!("{engine} ({}) {told}", many.line.shape))
    };
    let told: Vec<String> = engines(many).into_iter().filter_map(of).collect();
    let told_of = words::few_by(&told, NAMED, "; ");
    (!told.is_empty()).then(|| format!("{}, against 1 at a time: {told_of}", cells::name(many)))
}

/// "opens 1.85 × as many (1.80 to 1.91): more".
fn more(one: &Line, many: &Line) -> String {
    let change =
        interval(&many.wall).zip(interval(&one.wall)).map(|(many, one)| between_runs::change(&many, &one));
    let Some(Interval { low, median, high }) = change else {
        let factor = words::factor(one.time() / many.time());
        return format!("opens {factor} × as many{}: undecided (too few blocks)", range(one, many));
    };
    let word = match (low, high) {
        (low, _) if low > 1.0 => "more",
        (_, high) if high < 1.0 => "fewer",
        _ => "undecided (too wide an interval)",
    };
    let [low, median, high] = [low, median, high].map(words::factor);
    format!("opens {median} × as many ({low} to {high}): {word}")
}

/// " (range 1.02 to 1.31)": the least and the most that two of their blocks leave.
fn range(one: &Line, many: &Line) -> String {
    let ends = |line: &Line| {
        let times = || line.wall.values().copied();
        Some([times().min_by(f64::total_cmp)?, times().max_by(f64::total_cmp)?])
    };
    let both = ends(one).zip(ends(many)).map(|(one, many)| [one[0] / many[1], one[1] / many[0]]);
    both.map(|ends| ends.map(words::factor))
        .map(|[low, high]| format!(" (range {low} to {high})"))
        .unwrap_or_default()
}

fn interval(blocks: &ByBlock) -> Option<Interval> {
    let logs: Vec<f64> = blocks.values().map(|ns| ns.ln()).collect();
    bootstrap::interval(&logs)
}
