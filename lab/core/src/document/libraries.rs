//! Which lines of TLS are rivals: libraries that computed, or sent, all the time.

use crate::jobs::Unit;
use crate::summary::{Cell, Line};
use std::collections::{BTreeMap, BTreeSet};

pub const CLASSIC: &str = "X25519";
pub const HYBRID: &str = "X25519MLKEM768";

/// Lines of libraries that computed, or sent, all the time.
fn fair(cell: &Cell) -> impl Iterator<Item = &Line> {
    cell.contestants().filter(|line| line.is_library() && !line.is_waiting())
}

/// Engines with fair lines, each once, in order.
pub fn engines(cell: &Cell) -> Vec<&str> {
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
pub fn hybrid_and_classic<'a>(cell: &'a Cell, engine: &str) -> Option<(&'a Line, &'a Line)> {
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
