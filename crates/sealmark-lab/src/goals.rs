//! What this project promises about speed and memory, and whether a run keeps it.

mod app;
mod jvm;
mod log;
mod record;
mod tls;

use crate::engine::Role;
use crate::protocol::{Operation, Shape};
use crate::report::said::{self, Evidence, Question, Said};
use crate::rows::Row;
use crate::stats::{self, Spread};
use crate::summary::{Cell, Line};
use crate::units::{self, significant};
use sealmark::Mode;

/// One promise about time against another engine of the same run.
struct Goal {
    job: &'static str,
    sizes: std::ops::RangeInclusive<u64>,
    engine: &'static str,
    against: &'static str,
    limit: Limit,
}

/// What a run says about a goal, better ones first. A goal within the spread is decided by neither side of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Met,
    UndecidedMedianMet,
    UndecidedMedianMissed,
    Missed,
}

#[derive(Clone, Copy)]
enum Limit {
    /// At most so many times the other's time.
    Times(f64),
    /// At least so many times as fast.
    Faster(f64),
}

const LARGE: u64 = 256 << 20;
const SMALL: u64 = 1 << 10;

const GOALS: [Goal; 7] = [
    Goal {
        job: "file",
        sizes: LARGE..=u64::MAX,
        engine: "sealmark",
        against: "copy",
        limit: Limit::Times(1.25),
    },
    Goal {
        job: "file",
        sizes: LARGE..=u64::MAX,
        engine: "sealmark-cli",
        against: "cp",
        limit: Limit::Times(0.6),
    },
    Goal {
        job: "file",
        sizes: LARGE..=u64::MAX,
        engine: "sealmark-cli",
        against: "age",
        limit: Limit::Faster(5.0),
    },
    Goal {
        job: "file",
        sizes: LARGE..=u64::MAX,
        engine: "sealmark-cli",
        against: "nkCryptoTool",
        limit: Limit::Faster(1.8),
    },
    Goal {
        job: "file",
        sizes: LARGE..=u64::MAX,
        engine: "sealmark-cli --age",
        against: "age",
        limit: Limit::Faster(2.2),
    },
    Goal {
        job: "file",
        sizes: SMALL..=SMALL,
        engine: "sealmark-cli",
        against: "rage",
        limit: Limit::Times(1.2),
    },
    Goal {
        job: "pipe",
        sizes: 0..=u64::MAX,
        engine: "sealmark-cli",
        against: "cat",
        limit: Limit::Times(1.3),
    },
];

/// Memory at any size.
const MOST_MEMORY: u64 = 64_000_000;

/// From here on time must grow in proportion to size; below it, fixed costs show.
const PROPORTIONAL_FROM: u64 = 10 << 20;

/// An exponent of 1 is proportion; the rest is for caches that larger files no longer fit.
const LARGEST_EXPONENT: f64 = 1.05;

/// One line a promise that this run could test, and one for each it could not.
pub fn verdicts(rows: &[Row], cells: &[Cell]) -> Vec<String> {
    said(rows, cells).into_iter().map(|said| said.text).collect()
}

/// The same with their evidence.
pub fn said(rows: &[Row], cells: &[Cell]) -> Vec<Said> {
    let mut all: Vec<Said> = GOALS.iter().flat_map(|goal| goal.verdicts(rows, cells)).collect();
    all.extend(each(cells, early));
    for of_cell in [record::verdicts, jvm::verdicts] {
        all.extend(each(cells, |cell| of_cell(std::slice::from_ref(cell))));
    }
    all.extend(each(cells, |cell| log::verdicts(cell, cells)));
    for of_cell in [app::verdicts, tls::verdicts] {
        all.extend(each(cells, |cell| of_cell(std::slice::from_ref(cell))));
    }
    all.extend(memory(cells));
    let growth = |operation| {
        let evidence = Evidence::Growth;
        Some(Said { evidence, ..Said::of_job(Question::Goal, "file", growth(cells, "sealmark", operation)?) })
    };
    all.extend([Operation::Seal, Operation::Open].into_iter().filter_map(growth));
    all
}

/// What each cell says of goals, with the cell as its evidence.
fn each(cells: &[Cell], texts: impl Fn(&Cell) -> Vec<String>) -> Vec<Said> {
    cells.iter().flat_map(|cell| said::all(Question::Goal, cell, texts(cell))).collect()
}

impl Goal {
    fn verdicts(&self, rows: &[Row], cells: &[Cell]) -> Vec<Said> {
        let tested: Vec<&Cell> =
            cells.iter().filter(|cell| cell.job == self.job && self.sizes.contains(&cell.size)).collect();
        let said = |cell: &&Cell| Some(Said::of_cell(Question::Goal, cell, self.verdict(cell)?));
        let all: Vec<Said> = tested.iter().filter_map(said).collect();
        if all.is_empty() && !tested.is_empty() {
            let missing = if tested[0].engines().contains(&self.engine) { self.against } else { self.engine };
            let why = why_not(rows, missing);
            let text = format!("{} against {}: not tested: {why}", self.engine, self.against);
            return vec![Said::of_job(Question::Goal, self.job, text)];
        }
        all
    }

    fn verdict(&self, cell: &Cell) -> Option<String> {
        let worst: Vec<(Mode, Spread)> = [Mode::Ecc, Mode::Pqc, Mode::Hybrid]
            .into_iter()
            .filter_map(|mode| Some((mode, self.worst(cell, mode)?)))
            .collect();
        let outcome = worst.iter().map(|(_, ratio)| self.limit.outcome(*ratio)).max()?;
        let shown = |ratio: &Spread| significant(self.limit.shown(*ratio));
        let values: Vec<String> =
            worst.iter().map(|(mode, ratio)| format!("{mode} {}", shown(ratio))).collect();
        Some(format!(
            "{} {} with {}: {} {}: {outcome}",
            cell.operation,
            units::size(cell.size),
            self.engine,
            values.join(", "),
            self.limit.words(self.against),
        ))
    }

    /// That of the worst key of a mode.
    fn worst(&self, cell: &Cell, mode: Mode) -> Option<Spread> {
        let ours = cell.lines.iter().filter(|line| line.engine() == self.engine && line.mode() == Some(mode));
        let ratios = ours.filter_map(|line| line.ratio(cell.opponent(line, self.against)?));
        ratios.max_by(|a, b| a.median.total_cmp(&b.median))
    }
}

/// "1.34 × the time of bare (goal at most 1.35): met".
fn judged(ratio: Spread, limit: Limit, against: &str) -> String {
    format!("{} {}: {}", significant(limit.shown(ratio)), limit.words(against), limit.outcome(ratio))
}

/// A goal without a spread: a count, or one reading of the whole run.
fn met_or_missed(is_met: bool) -> Outcome {
    if is_met { Outcome::Met } else { Outcome::Missed }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Self::Met => "met",
            Self::UndecidedMedianMet => "undecided (median met)",
            Self::UndecidedMedianMissed => "undecided (median missed)",
            Self::Missed => "missed",
        })
    }
}

impl Limit {
    fn outcome(self, ratio: Spread) -> Outcome {
        let bound = self.as_ratio();
        match (ratio.low <= bound && bound <= ratio.high, self.holds(self.shown(ratio))) {
            (true, true) => Outcome::UndecidedMedianMet,
            (true, false) => Outcome::UndecidedMedianMissed,
            (false, is_met) => met_or_missed(is_met),
        }
    }

    fn as_ratio(self) -> f64 {
        match self {
            Self::Times(most) => most,
            Self::Faster(least) => 1.0 / least,
        }
    }

    fn shown(self, ratio: Spread) -> f64 {
        match self {
            Self::Times(_) => ratio.median,
            Self::Faster(_) => 1.0 / ratio.median,
        }
    }

    fn holds(self, shown: f64) -> bool {
        match self {
            Self::Times(most) => shown <= most,
            Self::Faster(least) => shown >= least,
        }
    }

    fn words(self, against: &str) -> String {
        match self {
            Self::Times(most) => format!("× the time of {against} (goal at most {most})"),
            Self::Faster(least) => format!("× as fast as {against} (goal at least {least})"),
        }
    }
}

/// Reading twice before anything is released, against the fastest that releases as it reads: at most so many times.
const TWICE: f64 = 2.2;
/// Below it, a file's opening and a process's luck outweigh the cipher.
const PAYLOADS_FROM: u64 = 1 << 20;

/// A payload opened by verifying first, under each algorithm.
fn early(cell: &Cell) -> Vec<String> {
    if (cell.job.as_str(), cell.operation) != ("payload", Operation::Open) || cell.size < PAYLOADS_FROM {
        return Vec::new();
    }
    let releases = |line: &&Line| line.released_bytes.is_some_and(|bytes| bytes > 0);
    let ours = cell.contestants().filter(|line| line.line.shape == Shape::VerifyThenRelease);
    let verdict = |ours: &Line| {
        let others = cell.contestants().filter(|other| other.algorithm() == ours.algorithm());
        let fastest = others.filter(releases).min_by(|a, b| a.time().total_cmp(&b.time()))?;
        let ratio = ours.ratio(fastest)?;
        Some(format!(
            "open {} of {} by verifying first, on all cores: {} × the time{} of {} ({}) on one, the fastest that releases \
             early (goal at most {TWICE}): {}",
            units::size(cell.size),
            ours.algorithm(),
            significant(ratio.median),
            cpu_time(ours, fastest),
            fastest.engine(),
            fastest.line.shape,
            Limit::Times(TWICE).outcome(ratio),
        ))
    };
    ours.filter_map(verdict).collect()
}

/// " (0.53 × the CPU time)": what all cores together spent.
fn cpu_time(ours: &Line, fastest: &Line) -> String {
    let ratio = stats::median(&stats::paired_ratios(&ours.cpu, &fastest.cpu));
    ratio.map(|ratio| format!(" ({} × the CPU time)", significant(ratio))).unwrap_or_default()
}

fn why_not(rows: &[Row], engine: &str) -> String {
    let fault = rows.iter().find_map(|row| match row {
        Row::Fault(fault) if fault.engine == engine => Some(fault.kind.words()),
        _ => None,
    });
    format!("{engine} {}", fault.unwrap_or("was not run"))
}

/// The highest peak of all that is ours, of fresh processes and of warm ones. A JVM takes what its heap may have, whatever
/// runs on it.
fn memory(cells: &[Cell]) -> Option<Said> {
    let lines = cells
        .iter()
        .enumerate()
        .flat_map(|(at, cell)| cell.lines.iter().chain(&cell.cold_only).map(move |line| (at, line)));
    let ours = lines.filter(|(_, line)| line.role == Role::Ours && line.jdk.is_none());
    let highest = |line: &Line| line.peak_bytes.max(line.cold_peak_bytes);
    let highest = ours.filter_map(|(at, line)| Some((highest(line)?, cells[at].size, line.engine(), at)));
    let (peak, size, engine, at) = highest.max()?;
    let text = format!(
        "peak memory: {} MB at most, by {engine} at {} (goal at most {} at any size): {}",
        significant(peak as f64 / 1e6),
        units::size(size),
        MOST_MEMORY / 1_000_000,
        met_or_missed(peak <= MOST_MEMORY),
    );
    let evidence = Evidence::Memory(size, cells[at].operation);
    Some(Said { evidence, ..Said::of_cell(Question::Goal, &cells[at], text) })
}

/// The worst key's exponent between the smallest and the largest size that should be in proportion.
fn growth(cells: &[Cell], engine: &str, operation: Operation) -> Option<String> {
    let proportional =
        |cell: &&Cell| cell.job == "file" && cell.operation == operation && cell.size >= PROPORTIONAL_FROM;
    let small = cells.iter().filter(proportional).min_by_key(|cell| cell.size)?;
    let large = cells.iter().filter(proportional).max_by_key(|cell| cell.size)?;
    let exponent_of = |line: &Line| {
        let later = large.lines.iter().find(|other| other.line == line.line)?;
        let point = |cell: &Cell, line: &Line| Some((cell.size as f64, line.wall()?.median));
        stats::growth_exponent(point(small, line)?, point(large, later)?)
    };
    let ours = small.lines.iter().filter(|line| line.engine() == engine);
    let worst = ours.filter_map(exponent_of).max_by(f64::total_cmp)?;
    let copied =
        small.yardstick().and_then(exponent_of).map(|k| format!("; copy: {k:.2}")).unwrap_or_default();
    Some(format!(
        "{operation} from {} to {} with {engine}: time grows as size to the power {worst:.2} (goal at most \
         {LARGEST_EXPONENT}{copied}): {}",
        units::size(small.size),
        units::size(large.size),
        met_or_missed(worst <= LARGEST_EXPONENT),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;
    use crate::summary;
    use crate::summary::made::steady;

    /// Two lines that open a payload in so many nanoseconds; the second releases early, or not.
    fn opened(ours_ns: u64, theirs_ns: u64, released: u64) -> Vec<Row> {
        let line = |engine: &str, shape| rows::Line {
            engine: engine.into(),
            algorithm: "AES-128-GCM".into(),
            shape,
            again: false,
        };
        let ours = line("sealmark", Shape::VerifyThenRelease);
        let theirs = line("openssl", Shape::Update);
        let both = [(ours, ours_ns, 0), (theirs, theirs_ns, released)];
        both.into_iter().flat_map(|(line, wall_ns, released)| rows_of(line, wall_ns, released)).collect()
    }

    fn rows_of(line: rows::Line, wall_ns: u64, released: u64) -> [Row; 2] {
        let (job, size) = (String::from("payload"), PAYLOADS_FROM);
        [
            Row::Checked(rows::Checked {
                job: job.clone(),
                size,
                line: line.clone(),
                authenticated: true,
                code: String::new(),
                output_bytes: size + 28,
                sha256: String::new(),
                released_bytes: Some(released),
            }),
            Row::Sample(rows::Sample {
                cpu_ns: Some(2 * wall_ns - 1_000),
                ..steady(&job, size, &line, Operation::Open, 0, wall_ns)
            }),
        ]
    }

    #[test]
    fn the_highest_peak_may_be_that_of_a_fresh_process() {
        for phase in [rows::Phase::Cold, rows::Phase::Steady] {
            let mut rows = opened(2_000, 1_000, 0);
            rows.push(Row::Engine(rows::Engine {
                engine: "sealmark".into(),
                family: "sealmark".into(),
                about: String::new(),
                role: Role::Ours,
                version: "1".into(),
                jdk: None,
                in_process: true,
            }));
            let high = rows.iter().find_map(|row| match row {
                Row::Sample(sample) => {
                    Some(rows::Sample { phase, peak_bytes: Some(70_000_000), ..sample.clone() })
                }
                _ => None,
            });
            rows.extend(high.map(Row::Sample));
            let said = verdicts(&rows, &summary::cells(&rows)).join("\n");
            assert!(said.contains("70.0 MB at most") && said.ends_with(": missed"), "{said}");
        }
    }

    #[test]
    fn what_a_jvm_takes_is_not_our_peak() {
        let mut made = summary::made::Made::served(|sample| sample.peak_bytes = Some(300_000_000));
        assert_eq!(memory(&made.cells()), None);
        made.role("sealmark", Role::Ours);
        made.sample("record", 49, ("sealmark", "token", Shape::OneThread), Operation::Seal, 0, |sample| {
            sample.peak_bytes = Some(60_000_000);
        });
        assert!(memory(&made.cells()).is_some_and(|told| told.text.contains("60.0 MB at most, by sealmark")));
    }

    #[test]
    fn verifying_first_is_held_against_who_releases_early() {
        let said = |rows: Vec<Row>| verdicts(&rows, &summary::cells(&rows)).join("\n");
        let met = said(opened(2_190, 1_000, PAYLOADS_FROM));
        let expected =
            "on all cores: 2.19 × the time (3.38 × the CPU time) of openssl (update) on one, the fastest";
        assert!(met.contains(expected) && met.ends_with(": met"), "{met}");
        let missed = said(opened(2_210, 1_000, PAYLOADS_FROM));
        assert!(missed.ends_with(": missed"), "{missed}");
        let undecided = said(opened(2_200, 1_000, PAYLOADS_FROM));
        assert!(undecided.ends_with(": undecided (median met)"), "{undecided}");
        assert_eq!(said(opened(2_200, 1_000, 0)), "");
    }
}
