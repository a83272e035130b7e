//! What handshakes cost, engine by engine: hybrid ones, full ones, resumed ones.

use super::{engines, fair, in_most_groups, of_engine, per_second, simplest};
use crate::protocol::{Operation, Shape};
use crate::report::{cells, words};
use crate::stats::verdict::Verdict;
use crate::summary::tls::across;
use crate::summary::{Cell, Line, Ratio};
use crate::tls::Way;

pub const CLASSIC: &str = "X25519";
pub const HYBRID: &str = "X25519MLKEM768";

/// "a hybrid handshake costs 34 % more CPU than X25519 (31 % to 38 %) and 2252 bytes more", engine by engine.
pub fn hybrid(cells: &[&Cell]) -> Vec<String> {
    let Some(cell) = simplest(cells, Operation::Full) else { return Vec::new() };
    engines(cell).into_iter().filter_map(|engine| hybrid_of(cell, engine)).collect()
}

fn hybrid_of(cell: &Cell, engine: &str) -> Option<String> {
    let (hybrid, classic) = hybrid_and_classic(cell, engine)?;
    let cpu = cell.compare_cpu(hybrid, classic).map(|ratio| costs(&ratio));
    let wire = |line: &Line| line.tls?.wire_bytes;
    let bytes = wire(hybrid).zip(wire(classic)).map(|(more, less)| in_bytes(more - less));
    let told: Vec<String> = cpu.into_iter().chain(bytes).collect();
    (!told.is_empty()).then(|| {
        format!(
            "{}: with {engine} ({}) a hybrid handshake ({HYBRID}) costs both ends together, against {CLASSIC}, {}",
            cells::name(cell),
            hybrid.line.shape,
            told.join(" and ")
        )
    })
}

/// An engine's handshake with both groups, in memory where it was measured there.
pub fn hybrid_and_classic<'a>(cell: &'a Cell, engine: &str) -> Option<(&'a Line, &'a Line)> {
    [Shape::Memory, Shape::Nodelay].into_iter().find_map(|shape| {
        let of = |group: &'static str| {
            fair(cell).filter(move |(line, way)| {
                line.engine() == engine && line.line.shape == shape && way.group == group
            })
        };
        let is_twin = |one: &Way, other: &Way| {
            (&one.protocol, &one.suite, one.certificate) == (&other.protocol, &other.suite, other.certificate)
        };
        of(HYBRID)
            .find_map(|(hybrid, way)| Some((hybrid, of(CLASSIC).find(|(_, other)| is_twin(&way, other))?.0)))
    })
}

fn in_bytes(more: f64) -> String {
    format!("{:.0} bytes {}", more.abs(), if more < 0.0 { "fewer" } else { "more" })
}

/// "34 % more CPU (31 % to 38 %)", with the verdict where it is none of more or less.
fn costs(ratio: &Ratio) -> String {
    let percent = |ratio: f64| (ratio - 1.0) * 100.0;
    let way = if ratio.median < 1.0 { "less" } else { "more" };
    let sign = if ratio.median < 1.0 { -1.0 } else { 1.0 };
    let mut ends = [ratio.low, ratio.high].map(|end| sign * percent(end));
    ends.sort_by(f64::total_cmp);
    let range = if ratio.interval.is_some() { "" } else { "range " };
    let open = match ratio.verdict {
        Verdict::Slower | Verdict::Faster => String::new(),
        Verdict::Same => format!(": {}", ratio.word()),
        Verdict::Undecided(_) => format!("; {}", words::verdict(ratio)),
    };
    let [low, high] = ends;
    format!("{:.0} % {way} CPU ({range}{low:.0} % to {high:.0} %{open})", percent(ratio.median).abs())
}

/// Full and resumed connections in a second for each group, engine by engine.
pub fn by_group(cells: &[&Cell]) -> Vec<String> {
    let Some(full) = simplest(cells, Operation::Full) else { return Vec::new() };
    let resumed = resumed_beside(cells, full);
    engines(full).into_iter().filter_map(|engine| groups_of(full, resumed, engine)).collect()
}

/// The resumed connections of the same blocks.
fn resumed_beside<'a>(cells: &[&'a Cell], full: &Cell) -> Option<&'a Cell> {
    cells.iter().copied().find(|cell| (cell.operation, cell.size) == (Operation::Resumed, full.size))
}

/// With the protocol, suite and certificate that it has most groups of.
fn groups_of(full: &Cell, resumed: Option<&Cell>, engine: &str) -> Option<String> {
    let lines = in_most_groups(of_engine(full, engine));
    let (first, Way { protocol, suite, certificate, .. }) = lines.first()?;
    let told = lines.iter().map(|(line, way)| {
        let again = resumed.and_then(|cell| twin(cell, line)).map(per_second);
        let again = again.map(|rate| format!(" and {rate} resumed")).unwrap_or_default();
        format!("{} full{again} with {}", per_second(line), way.group)
    });
    (lines.len() > 1).then(|| {
        format!(
            "{}: {engine} ({}) opens, in a second, {} ({protocol}, {suite}, {})",
            place(full),
            first.line.shape,
            told.collect::<Vec<_>>().join("; "),
            certificate.name()
        )
    })
}

/// "tls-connect, 1 at a time".
fn place(cell: &Cell) -> String {
    format!("{}, {}", cell.job, words::amount(&cell.job, cell.size))
}

fn twin<'a>(cell: &'a Cell, line: &Line) -> Option<&'a Line> {
    cell.contestants().find(|other| other.line == line.line && !other.has_stalled())
}

/// What resumption saves, engine by engine: where most, and where least.
pub fn resumption(cells: &[&Cell]) -> Vec<String> {
    let Some(full) = simplest(cells, Operation::Full) else { return Vec::new() };
    let Some(resumed) = resumed_beside(cells, full) else { return Vec::new() };
    engines(full).into_iter().filter_map(|engine| saved(full, resumed, engine)).collect()
}

fn saved(full: &Cell, resumed: &Cell, engine: &str) -> Option<String> {
    let lines = of_engine(full, engine);
    let pairs = lines.iter().filter_map(|(line, _)| {
        let twin = twin(resumed, line)?;
        Some((*line, across((full, line), (resumed, twin))?))
    });
    let mut pairs: Vec<(&Line, Ratio)> = pairs.collect();
    pairs.sort_by(|a, b| b.1.median.total_cmp(&a.1.median));
    let told = |(line, ratio): &(&Line, Ratio)| {
        let short =
            words::ways(full).map(|ways| ways.short(line.algorithm())).filter(|text| !text.is_empty());
        let with = short.map(|short| format!(" with {short}")).unwrap_or_default();
        format!("{with}: a full one takes {}", words::compared(ratio, "the time of a resumed one"))
    };
    let (most, least) = (pairs.first()?, pairs.last()?);
    let shape = most.0.line.shape;
    let (most, least) = match pairs.len() {
        1 => (told(most), String::new()),
        _ => (format!(" most{}", told(most)), format!("; least{}", told(least))),
    };
    Some(format!("{}: what resuming saves {engine} ({shape}),{most}{least}", place(full)))
}
