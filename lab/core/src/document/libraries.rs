//! Which lines of TLS are rivals: libraries that computed, or sent, all the time.

use crate::jobs::Unit;
use crate::protocol::Shape;
use crate::summary::{Cell, Line};
use crate::tls::Way;
use std::collections::{BTreeMap, BTreeSet};

pub const CLASSIC: &str = "X25519";
pub const HYBRID: &str = "X25519MLKEM768";

/// Lines of libraries that computed, or sent, all the time.
fn fair(cell: &Cell) -> impl Iterator<Item = (&Line, Way)> {
    let lines = cell.contestants().filter(|line| line.is_library() && !line.is_waiting());
    lines.filter_map(|line| Some((line, line.way()?)))
}

/// Engines with fair lines, each once, in order.
pub fn engines(cell: &Cell) -> Vec<&str> {
    let mut names: Vec<&str> = fair(cell).map(|(line, _)| line.engine()).collect();
    names.dedup();
    names
}

/// The lines of an engine in the shape that it has most of.
fn of_engine<'a>(cell: &'a Cell, engine: &str) -> Vec<(&'a Line, Way)> {
    in_most_shapes(fair(cell).filter(|(line, _)| line.engine() == engine).collect())
}

/// The lines of the shape that most have; of those in memory where these are as many.
fn in_most_shapes(lines: Vec<(&Line, Way)>) -> Vec<(&Line, Way)> {
    let count = |shape| lines.iter().filter(|(line, _)| line.line.shape() == shape).count();
    let shape = if count(Shape::Memory) >= count(Shape::Nodelay) { Shape::Memory } else { Shape::Nodelay };
    lines.into_iter().filter(|(line, _)| line.line.shape() == shape).collect()
}

/// The lines of the protocol, suite and certificate that have most groups; of several the newest protocol.
fn in_most_groups(lines: Vec<(&Line, Way)>) -> Vec<(&Line, Way)> {
    let rest = |way: &Way| (way.protocol.clone(), way.suite.clone(), way.certificate);
    let groups = |wanted: &Way| {
        let alike = lines.iter().filter(|(_, way)| rest(way) == rest(wanted));
        alike.map(|(_, way)| way.group.as_str()).collect::<BTreeSet<_>>().len()
    };
    let most = lines.iter().map(|(_, way)| way).max_by_key(|way| (groups(way), rest(way))).map(rest);
    lines.into_iter().filter(|(_, way)| Some(rest(way)) == most).collect()
}

/// Lines that do the same with the most libraries; of equal ones the quickest. Without rivals one chooses among the suites of
/// one library.
pub fn rivals(cell: &Cell) -> Vec<&Line> {
    let lines = in_most_shapes(fair(cell).collect());
    let lines = if cell.kind.unit == Unit::Connections { in_most_groups(lines) } else { lines };
    let mut alike: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for (line, _) in lines {
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
        let is_broken = |way: &Way| BROKEN.iter().any(|name| way.suite.contains(name));
        lines.filter(|(_, way)| !is_broken(way)).map(|(line, _)| line).collect()
    })
}

/// Nobody is advised to use a suite with one of these, however fast it is.
const BROKEN: [&str; 6] = ["NULL", "EXPORT", "anon", "RC4", "DES", "MD5"];

/// An engine's handshake with both groups, in memory where it was measured there.
pub fn hybrid_and_classic<'a>(cell: &'a Cell, engine: &str) -> Option<(&'a Line, &'a Line)> {
    [Shape::Memory, Shape::Nodelay].into_iter().find_map(|shape| {
        let of = |group: &'static str| {
            fair(cell).filter(move |(line, way)| {
                line.engine() == engine && line.line.shape() == shape && way.group == group
            })
        };
        let is_twin = |one: &Way, other: &Way| {
            (&one.protocol, &one.suite, one.certificate) == (&other.protocol, &other.suite, other.certificate)
        };
        of(HYBRID)
            .find_map(|(hybrid, way)| Some((hybrid, of(CLASSIC).find(|(_, other)| is_twin(&way, other))?.0)))
    })
}
