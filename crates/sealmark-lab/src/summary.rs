//! Rows grouped into cells: what was measured at one size and operation, engine by engine.

use crate::engine::Role;
use crate::protocol::Operation;
use crate::rows::{self, Row, Sample};
use crate::stats::{self, ByBlock, Spread};
use sealmark::{Kem, Mode};

/// One job, size and operation.
pub struct Cell {
    pub job: String,
    pub size: u64,
    pub operation: Operation,
    pub lines: Vec<Line>,
}

/// One line in a cell. Times are nanoseconds of one operation.
pub struct Line {
    pub line: rows::Line,
    pub role: Role,
    pub wall: ByBlock,
    cpu: Vec<f64>,
    pub peak_bytes: Option<u64>,
}

impl Line {
    pub fn engine(&self) -> &str {
        &self.line.engine
    }

    pub fn algorithm(&self) -> &str {
        &self.line.algorithm
    }

    pub fn wall(&self) -> Option<Spread> {
        stats::spread(&self.wall.values().copied().collect::<Vec<_>>())
    }

    pub fn cpu(&self) -> Option<f64> {
        stats::median(&self.cpu)
    }

    /// Time of this line over that of another, block by block.
    pub fn ratio(&self, other: &Self) -> Option<Spread> {
        stats::spread(&stats::paired_ratios(&self.wall, &other.wall))
    }

    pub fn mode(&self) -> Option<Mode> {
        mode_of(self.algorithm())
    }
}

/// The key mode of a key's name; two names joined by "+" are a hybrid of somebody's own.
fn mode_of(key: &str) -> Option<Mode> {
    if key.contains('+') { Some(Mode::Hybrid) } else { key.parse::<Kem>().ok().map(Kem::mode) }
}

impl Cell {
    /// The blocks its fullest line has.
    pub fn blocks(&self) -> usize {
        self.lines.iter().map(|line| line.wall.len()).max().unwrap_or(0)
    }

    /// Names of the engines in it, in order, each once.
    pub fn engines(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.lines.iter().map(|line| line.engine()).collect();
        names.dedup();
        names
    }

    pub fn yardstick(&self) -> Option<&Line> {
        self.lines.iter().find(|line| line.role == Role::Yardstick)
    }

    /// The line of an engine to compare with: the same key, else the same key mode, else its first.
    pub fn opponent(&self, line: &Line, engine: &str) -> Option<&Line> {
        let theirs: Vec<&Line> = self.lines.iter().filter(|other| other.engine() == engine).collect();
        let same_key = theirs.iter().find(|other| other.algorithm() == line.algorithm());
        let same_mode = || theirs.iter().find(|other| other.mode().is_some() && other.mode() == line.mode());
        same_key.or_else(same_mode).or(theirs.first()).copied()
    }
}

/// The cells of a results file, in the order they were measured; lines in the order of the engines.
pub fn cells(rows: &[Row]) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    for row in rows {
        if let Row::Sample(sample) = row {
            add(cell_of(&mut cells, sample), sample, role_of(rows, &sample.line.engine));
        }
    }
    let rank =
        |name: &str| rows.iter().position(|row| matches!(row, Row::Engine(engine) if engine.engine == name));
    for cell in &mut cells {
        cell.lines.sort_by_key(|line| (rank(line.engine()), key_rank(line.algorithm()), line.line.clone()));
    }
    // Seals before opens at each size, though their samples alternate.
    cells.sort_by_key(|cell| (cell.size, cell.operation));
    cells
}

fn cell_of<'a>(cells: &'a mut Vec<Cell>, sample: &Sample) -> &'a mut Cell {
    let same =
        |cell: &Cell| (&cell.job, cell.size, cell.operation) == (&sample.job, sample.size, sample.operation);
    let at = cells.iter().position(same).unwrap_or_else(|| {
        let (job, size, operation) = (sample.job.clone(), sample.size, sample.operation);
        cells.push(Cell { job, size, operation, lines: Vec::new() });
        cells.len() - 1
    });
    &mut cells[at]
}

fn add(cell: &mut Cell, sample: &Sample, role: Role) {
    let at = cell.lines.iter().position(|line| line.line == sample.line).unwrap_or_else(|| {
        let line = sample.line.clone();
        cell.lines.push(Line { line, role, wall: ByBlock::new(), cpu: Vec::new(), peak_bytes: None });
        cell.lines.len() - 1
    });
    let line = &mut cell.lines[at];
    line.wall.insert(sample.block, sample.wall_ns as f64 / sample.count as f64);
    line.cpu.extend(sample.cpu_ns.map(|ns| ns as f64 / sample.count as f64));
    line.peak_bytes = line.peak_bytes.max(sample.peak_bytes);
}

fn role_of(rows: &[Row], name: &str) -> Role {
    let found = rows.iter().find_map(|row| match row {
        Row::Engine(engine) if engine.engine == name => Some(engine.role),
        _ => None,
    });
    found.unwrap_or(Role::Peer)
}

fn key_rank(key: &str) -> usize {
    Kem::ALL.iter().position(|kem| kem.name() == key).unwrap_or(Kem::ALL.len())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    fn engine(name: &str, role: Role) -> Row {
        let (engine, about, version) = (name.into(), String::new(), "1".into());
        Row::Engine(crate::rows::Engine { engine, about, role, version })
    }

    fn sample(engine: &str, key: &str, size: u64, operation: Operation) -> Row {
        Row::Sample(Sample {
            job: "file".into(),
            size,
            block: 0,
            place: 0,
            engine: engine.into(),
            key: key.into(),
            operation,
            wall_ns: 1,
            cpu_ns: None,
            peak_bytes: None,
            output_bytes: None,
        })
    }

    /// A cell in which `theirs` has these keys and `ours` has one.
    fn cell(ours: &str, theirs: &[&str]) -> Cell {
        let mut rows = vec![engine("ours", Role::Ours), engine("theirs", Role::Peer)];
        rows.extend(theirs.iter().map(|key| sample("theirs", key, 1, Operation::Seal)));
        rows.push(sample("ours", ours, 1, Operation::Seal));
        cells(&rows).remove(0)
    }

    #[test]
    fn an_opponent_has_the_same_key_or_mode_or_comes_first() {
        for (ours, theirs, expected) in [
            ("ML-KEM-1024", &["X25519", "ML-KEM-768", "ML-KEM-1024"][..], Some("ML-KEM-1024")),
            ("ML-KEM-768", &["X25519", "ML-KEM-1024"], Some("ML-KEM-1024")),
            ("MLKEM768-P256", &["P-256", "P-256+ML-KEM-768"], Some("P-256+ML-KEM-768")),
            ("ML-KEM-768", &["none"], Some("none")),
            ("ML-KEM-768", &[], None),
        ] {
            let cell = cell(ours, theirs);
            let line = cell.lines.iter().find(|line| line.engine == "ours").unwrap();
            let opponent = cell.opponent(line, "theirs").map(|line| line.key.as_str());
            assert_eq!(opponent, expected, "{ours} against {theirs:?}");
        }
    }

    #[test]
    fn cells_and_lines_are_in_order() {
        let mut rows = vec![engine("b", Role::Ours), engine("a", Role::Peer)];
        for (size, operation) in [(2, Operation::Seal), (1, Operation::Open), (1, Operation::Seal)] {
            for (name, key) in [("a", "none"), ("b", "ML-KEM-768"), ("b", "P-256")] {
                rows.push(sample(name, key, size, operation));
            }
        }
        let cells = cells(&rows);
        let order: Vec<_> = cells.iter().map(|cell| (cell.size, cell.operation)).collect();
        assert_eq!(order, [(1, Operation::Seal), (1, Operation::Open), (2, Operation::Seal)]);
        let lines: Vec<_> = cells[0].lines.iter().map(|line| (line.engine(), line.key.as_str())).collect();
        assert_eq!(lines, [("b", "P-256"), ("b", "ML-KEM-768"), ("a", "none")]);
        assert_eq!(cells[0].engines(), ["b", "a"]);
    }
}
