//! Of TLS: what a run says of libraries, groups, suites, resumption and sockets.
//!
//! Lines over default sockets are held against nothing here: waiting is no library's speed.

mod fastest;
mod handshakes;
mod wire;

use super::{telling, too_few_blocks};
use crate::protocol::{Operation, Shape};
use crate::report::{cells, stalls, words};
use crate::summary::{Cell, Line};
use crate::tls::Way;
use crate::units::significant;
use std::collections::BTreeSet;

pub fn said(job: &str, cells: &[&Cell]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    if telling(cells).next().is_none() {
        all.push(too_few_blocks(job));
    }
    if job == "tls-connect" {
        all.extend(fastest::libraries_by_group(cells));
        all.extend(handshakes::hybrid(cells));
        all.extend(handshakes::by_group(cells));
        all.extend(handshakes::resumption(cells));
        all.extend(wire::at_once(cells));
    } else {
        all.extend(fastest::libraries_by_suite(cells));
        all.extend(fastest::suites(cells));
    }
    all.extend(wire::sockets(cells));
    all.extend(cells.iter().flat_map(|cell| stalled(cell)));
    all
}

fn stalled(cell: &Cell) -> Vec<String> {
    stalls::by_shape(cell).iter().map(|told| format!("{}: {told}", cells::name(cell))).collect()
}

/// Lines of which one is to be chosen.
pub fn rivals(cell: &Cell) -> Vec<&Line> {
    fastest::widest(cell)
}

pub use handshakes::{CLASSIC, HYBRID, hybrid_and_classic};

/// Of an operation the cell of fewest connections at once, or of most bytes.
fn simplest<'a>(cells: &[&'a Cell], operation: Operation) -> Option<&'a Cell> {
    let of = || cells.iter().copied().filter(|cell| cell.operation == operation);
    of().min_by_key(|cell| if words::is_connect(cell) { cell.size } else { u64::MAX - cell.size })
}

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

/// Those of the shape that most have; of those in memory where these are as many.
fn in_most_shapes(lines: Vec<(&Line, Way)>) -> Vec<(&Line, Way)> {
    let count = |shape| lines.iter().filter(|(line, _)| line.line.shape == shape).count();
    let shape = if count(Shape::Memory) >= count(Shape::Nodelay) { Shape::Memory } else { Shape::Nodelay };
    lines.into_iter().filter(|(line, _)| line.line.shape == shape).collect()
}

/// Those of the protocol, suite and certificate that have most groups; of several the newest protocol.
fn in_most_groups(lines: Vec<(&Line, Way)>) -> Vec<(&Line, Way)> {
    let rest = |way: &Way| (way.protocol.clone(), way.suite.clone(), way.certificate);
    let groups = |wanted: &Way| {
        let alike = lines.iter().filter(|(_, way)| rest(way) == rest(wanted));
        alike.map(|(_, way)| way.group.as_str()).collect::<BTreeSet<_>>().len()
    };
    let most = lines.iter().map(|(_, way)| way).max_by_key(|way| (groups(way), rest(way))).map(rest);
    lines.into_iter().filter(|(_, way)| Some(rest(way)) == most).collect()
}

/// "2345" connections in a second.
fn per_second(line: &Line) -> String {
    significant(1e9 / line.time())
}

#[cfg(test)]
mod tests;
