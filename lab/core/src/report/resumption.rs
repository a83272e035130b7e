//! Full connections beside resumed ones of the same blocks: a table for each shape, but none of connections that waited.

use super::grid::{Grid, paragraph};
use super::json::of_ratio;
use super::ways::{self, Ways};
use super::words;
use crate::protocol::{Operation, Shape};
use crate::stats::bootstrap::FEWEST_BLOCKS;
use crate::summary::tls::across;
use crate::summary::{Cell, Line, Ratio};
use crate::units::significant;
use serde_json::{Value, json};

/// A line in both cells.
pub struct Pair<'a> {
    pub full: &'a Line,
    pub resumed: &'a Line,
    pub ratio: Ratio,
}

/// Every number of connections at once of which both are known.
pub fn sections(cells: &[Cell]) -> String {
    let both = beside_each_other(cells).into_iter();
    both.flat_map(|(full, resumed)| full.shapes().into_iter().map(move |shape| section(full, resumed, shape)))
        .collect()
}

/// Cells of full connections with those of resumed ones.
pub fn beside_each_other(cells: &[Cell]) -> Vec<(&Cell, &Cell)> {
    cells.iter().filter_map(|cell| Some((cell, beside(cells, cell)?))).collect()
}

fn beside<'a>(cells: &'a [Cell], full: &Cell) -> Option<&'a Cell> {
    let is_it =
        |cell: &&Cell| (&cell.job, cell.size, cell.operation) == (&full.job, full.size, Operation::Resumed);
    cells.iter().find(is_it).filter(|_| full.operation == Operation::Full)
}

fn section(full: &Cell, resumed: &Cell, shape: Shape) -> String {
    let pairs = pairs(full, resumed);
    let lines = pairs.iter().map(|pair| pair.full).filter(|line| line.line.shape == shape);
    let told = ways::parts(lines.collect()).into_iter().filter_map(|(ways, lines)| {
        let (ways, mut grid) = (ways?, Grid::new(5, titles(full)));
        for line in lines {
            grid.push(pairs.iter().find(|pair| pair.full.line == line.line)?.row(&ways));
        }
        let common = Some(ways.common()).filter(|common| !common.is_empty());
        let place = [Some(words::amount(&full.job, full.size)), common, Some(shape.to_string())];
        let place = place.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let title = paragraph(&format!("What resuming saves: {}, {place}", full.job));
        Some(format!("\n{}{}", title.trim_start(), grid.text()))
    });
    told.collect()
}

fn titles(full: &Cell) -> Vec<String> {
    let range = if full.blocks() < FEWEST_BLOCKS { "range" } else { "95 %" };
    let against = format!("full ÷ resumed ({range})");
    let words = ["engine", "protocol", "suite", "group", "certificate", "full/s", "resumed/s", &against];
    words.into_iter().chain(["wire", "resumed"]).map(str::to_owned).collect()
}

/// Lines of both, but none that waited.
pub fn pairs<'a>(full: &'a Cell, resumed: &'a Cell) -> Vec<Pair<'a>> {
    let pair = |line: &'a Line| {
        let again = resumed.contestants().find(|other| other.line == line.line && !other.is_waiting())?;
        Some(Pair { full: line, resumed: again, ratio: across((full, line), (resumed, again))? })
    };
    full.contestants().filter(|line| !line.is_waiting()).filter_map(pair).collect()
}

impl Pair<'_> {
    fn row(&self, ways: &Ways) -> Vec<String> {
        let rate = |line: &Line| significant(1e9 / line.time());
        let wire =
            |line: &Line| line.tls.and_then(|tls| tls.wire_bytes).map(words::bytes).unwrap_or_default();
        let mut row = vec![self.full.engine().to_owned()];
        row.extend(ways.columns(self.full.algorithm()));
        row.extend([rate(self.full), rate(self.resumed), words::narrow(&self.ratio)]);
        row.extend([wire(self.full), wire(self.resumed)]);
        row
    }
}

/// For machines.
pub fn json(cells: &[Cell]) -> Value {
    let told = |(full, resumed): (&Cell, &Cell)| -> Vec<Value> {
        let one = |pair: &Pair| json!({ "job": full.job, "at_once": full.size, "line": pair.full.line, "full_to_resumed": of_ratio(&pair.ratio) });
        pairs(full, resumed).iter().map(one).collect()
    };
    beside_each_other(cells).into_iter().flat_map(told).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::rows::{Stalls, Tls};
    use crate::summary::made::{CONNECT, Made};

    const WAY: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";

    #[test]
    fn full_connections_stand_beside_resumed_ones() {
        let mut made = Made::default();
        let wire = |bytes| Tls { wire_bytes: Some(bytes), ..Tls::default() };
        for (operation, ns, bytes) in [(Operation::Full, 300_000, 2_010), (Operation::Resumed, 100_000, 950)]
        {
            made.spent(CONNECT, 1, ("openssl", WAY, Shape::Memory), operation, ns, wire(bytes));
            made.timed(CONNECT, 8, ("openssl", WAY, Shape::Nodelay), Operation::Full, ns);
        }
        let cells = made.cells();
        let place = "1 at a time, TLSv1.3, TLS_AES_128_GCM_SHA256, X25519, ECDSA-P-256, memory";
        let expected = format!(
            "\nWhat resuming saves: tls-connect, {place}\n\
             \x20 engine   full/s  resumed/s  full ÷ resumed (95 %)    wire  resumed\n\
             \x20 openssl    3333      10000      3.00 (3.00..3.00)  2.0 kB    950 B\n"
        );
        assert_eq!(sections(&cells), expected);
        let told = json(&cells);
        assert_eq!((told.as_array().unwrap().len(), &told[0]["at_once"]), (1, &1.into()));
        assert_eq!(told[0]["full_to_resumed"]["median"].as_f64().map(f64::round), Some(3.0));
    }

    #[test]
    fn what_resuming_saves_is_not_told_of_waiting() {
        let mut made = Made::default();
        let stalls = Some(Stalls { seen: 9, stalled: 9, usual_ns: 44_000_000 });
        for (operation, stalls) in [(Operation::Full, None), (Operation::Resumed, stalls)] {
            let told = Tls { stalls, ..Tls::default() };
            made.spent(CONNECT, 1, ("openssl", WAY, Shape::Nodelay), operation, 44_000_000, told);
            made.timed(CONNECT, 1, ("openssl", WAY, Shape::DefaultSockets), operation, 300_000);
        }
        let cells = made.cells();
        assert_eq!((cells.len(), sections(&cells), json(&cells)), (2, String::new(), json!([])));
    }
}
