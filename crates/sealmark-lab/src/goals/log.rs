//! How fast a log's field is sealed and opened, for each core that works on it and against what people write.

use super::{Limit, judged, met_or_missed};
use crate::log_lines::SHORT_LINE;
use crate::protocol::{Operation, Shape};
use crate::summary::{Cell, Line};
use crate::units::{self, significant};

const OURS: &str = "sealmark-cli";
const BY_HAND: &str = "python-filter";

/// Bytes in a second: sealed by a core, opened by two.
const RATE: f64 = 1e9;

const TIMES_AS_FAST: f64 = 20.0;

/// A short line beside the sealing of its value alone.
const SHORT_AGAINST_BARE: f64 = 2.0;

/// One line for each promise that a cell can test.
pub fn verdicts(cell: &Cell, cells: &[Cell]) -> Vec<String> {
    let told = match (cell.job.as_str(), cell.operation) {
        ("log-json", Operation::Seal) => vec![by_core(cell), against_python(cell)],
        ("log-json", Operation::Open) => vec![by_all(cell)],
        ("log-short", Operation::Seal) => vec![against_bare(cell, cells)],
        _ => Vec::new(),
    };
    told.into_iter().flatten().collect()
}

/// By CPU time, so that cores that help do not count.
fn by_core(cell: &Cell) -> Option<String> {
    let rate = cell.size as f64 * 1e9 / ours(cell)?.cpu()?;
    Some(at_least(cell, "a core", rate))
}

/// By the clock.
fn by_all(cell: &Cell) -> Option<String> {
    let rate = cell.size as f64 * 1e9 / ours(cell)?.time();
    Some(at_least(cell, "all cores", rate))
}

fn at_least(cell: &Cell, cores: &str, rate: f64) -> String {
    let what = begin(cell);
    let (rate, goal) = (units::rate(rate), (units::rate(RATE), met_or_missed(rate >= RATE)));
    format!("{what}: {rate} on {cores} (goal at least {}): {}", goal.0, goal.1)
}

fn against_python(cell: &Cell) -> Option<String> {
    let python = cell.contestants().find(|line| line.engine() == BY_HAND)?;
    let ratio = ours(cell)?.ratio(python)?;
    Some(format!("{}: {}", begin(cell), judged(ratio, Limit::Faster(TIMES_AS_FAST), BY_HAND)))
}

/// CPU time of a line, over the CPU time that its value alone would take: a busy machine bends both alike.
fn against_bare(cell: &Cell, cells: &[Cell]) -> Option<String> {
    let bare = cells
        .iter()
        .filter(|cell| (cell.job.as_str(), cell.size, cell.operation) == ("record", 49, Operation::Seal));
    let bare = bare.filter_map(|cell| cell.yardstick()).find(|line| line.line.shape == Shape::OneThread)?;
    let line = ours(cell)?.cpu()? * SHORT_LINE as f64 / cell.size as f64;
    let bare = bare.cpu()?;
    let ratio = line / bare;
    Some(format!(
        "{}: a line takes {} ns of CPU time, {} × the {} ns of bare for its value (goal at most {SHORT_AGAINST_BARE}): {}",
        begin(cell),
        significant(line),
        significant(ratio),
        significant(bare),
        met_or_missed(ratio <= SHORT_AGAINST_BARE),
    ))
}

fn ours(cell: &Cell) -> Option<&Line> {
    cell.contestants().find(|line| line.engine() == OURS)
}

fn begin(cell: &Cell) -> String {
    format!("{} {} of {} with {OURS}", cell.operation, units::size(cell.size), cell.job)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::made::Made;

    const SIZE: u64 = 1_000_000;

    fn made(job: &str, operation: Operation, [ours, python]: [u64; 2], cpu_ns: u64) -> Made {
        let mut made = Made::default();
        made.timed(job, SIZE, (OURS, "MLKEM768-X25519", Shape::Tuned), operation, ours);
        made.timed(job, SIZE, (BY_HAND, "AES-256-GCM-base64", Shape::Tuned), operation, python);
        made.samples().for_each(|sample| sample.cpu_ns = Some(cpu_ns));
        made
    }

    fn all(made: &Made) -> Vec<String> {
        let cells = made.cells();
        cells.iter().flat_map(|cell| verdicts(cell, &cells)).collect()
    }

    #[test]
    fn sealing_is_judged_by_core_and_against_python() {
        let told = |ours, cpu_ns| all(&made("log-json", Operation::Seal, [ours, 20_000_000], cpu_ns));
        let place = "seal 1.00 MB of log-json with sealmark-cli";
        let expected = [
            format!("{place}: 1.00 GB/s on a core (goal at least 1.00 GB/s): met"),
            format!("{place}: 20.2 × as fast as python-filter (goal at least 20): met"),
        ];
        assert_eq!(told(990_000, 1_000_000), expected);
        assert!(told(1_000_000, 1_000_000)[1].ends_with("(goal at least 20): undecided (median met)"));
        let missed = told(1_010_000, 1_010_000);
        assert!(missed.len() == 2 && missed.iter().all(|line| line.ends_with("missed")), "{missed:?}");
    }

    #[test]
    fn opening_is_judged_by_the_clock() {
        for (ns, met) in
            [(990_000, "1.01 GB/s on all cores (goal at least 1.00 GB/s): met"), (1_020_000, "missed")]
        {
            let told = all(&made("log-json", Operation::Open, [ns, 1], 9_000_000));
            assert!(told.len() == 1 && told[0].ends_with(met), "{told:?}");
        }
    }

    #[test]
    fn a_short_line_is_held_against_its_value_alone() {
        let told = |cpu_ns, with_bare: bool| {
            let mut made = made("log-short", Operation::Seal, [1, 1], cpu_ns);
            if with_bare {
                made.role("bare", crate::engine::Role::Yardstick);
                let bare = ("bare", "AES-256-GCM-base64", Shape::OneThread);
                made.timed("record", 49, bare, Operation::Seal, 300);
                let bare = made.samples().filter(|sample| sample.line.engine == "bare");
                bare.for_each(|sample| sample.cpu_ns = Some(100));
            }
            all(&made)
        };
        let met =
            "a line takes 200 ns of CPU time, 2.00 × the 100 ns of bare for its value (goal at most 2): met";
        assert!(told(2_000_000, true)[0].ends_with(met), "{:?}", told(2_000_000, true));
        assert!(told(2_100_000, true)[0].ends_with("missed"));
        assert_eq!(told(2_000_000, false), [""; 0]);
    }
}
