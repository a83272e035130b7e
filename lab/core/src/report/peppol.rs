//! Then and now of peppol-gcm: the published tables in their own shape, JDK by JDK, beside today's.

use super::publication::{self, Publication};
use crate::claims;
use crate::history::peppol_gcm::{self as published, ALGORITHM, ENGINES, Figure, JOB, SHAPE};
use crate::jdks::major;
use crate::protocol::Operation;
use crate::rows::History;
use crate::summary::growths::{self, Grown};
use crate::summary::{Cell, Line};
use crate::table::Table;
use crate::words;

const READING: &str = "\
× is the time of SunJCE over that of Bouncy Castle (BC). Then is one run without warm-up; now is the first operation of a \
fresh process (cold) and what it comes to (steady), the median of the blocks. \"≈\" and \"predicted\": not run, but what \
smaller sizes let one expect. \"-\": not measured.";

pub fn publication(cells: &[Cell], grown: &[Grown]) -> Publication {
    let (figures, today) = (published::figures(), published::jdks(cells));
    let table = |places: &Places| places.table(&figures, cells, grown);
    Publication {
        source: published::source(),
        what: format!("peppol-gcm as published, {ALGORITHM} in shape {SHAPE}"),
        reading: vec![READING.into()],
        tables: by_major(&figures, &today).iter().map(table).collect(),
        notes: Vec::new(),
        conclusions: publication::tested(
            claims::concluded(History::PeppolGcm),
            (cells, grown),
            &today,
            "no JDK that it is about took part",
        ),
    }
}

/// A published JDK and those of today with the same major version; one of the two may be missing.
struct Places<'a> {
    major: u64,
    then: Option<&'a str>,
    now: Vec<&'a str>,
}

fn by_major<'a>(figures: &'a [Figure], today: &'a [String]) -> Vec<Places<'a>> {
    let then = published::jdks_then(figures);
    let mut majors: Vec<u64> =
        then.iter().copied().chain(today.iter().map(String::as_str)).map(major).collect();
    majors.sort_unstable();
    majors.dedup();
    let is_of = |wanted: u64| move |jdk: &&str| major(jdk) == wanted;
    let places = |major: u64| Places {
        major,
        then: then.iter().copied().find(is_of(major)),
        now: today.iter().map(String::as_str).filter(is_of(major)).collect(),
    };
    majors.into_iter().map(places).collect()
}

impl Places<'_> {
    fn title(&self) -> String {
        match (self.then, self.now.is_empty()) {
            (Some(then), true) => format!("Java {then}, then only: {}", published::gone(self.major)),
            (Some(then), false) => format!("Java {then} then, {} now", self.now.join(" and ")),
            (None, _) => format!("Java {}, now only: no table was published", self.now.join(" and ")),
        }
    }

    fn table(&self, figures: &[Figure], cells: &[Cell], grown: &[Grown]) -> Table {
        let titles = ["size", "when", "seal SunJCE", "seal BC", "×", "open SunJCE", "open BC", "×"];
        let mut grid = Table::titled(self.title(), 2, titles);
        for (size, name) in published::sizes(figures) {
            let mut name = Some(name);
            let mut push = |when: String, pairs: [Pair; 2]| {
                if pairs.iter().any(Pair::is_known) {
                    let [seal, open] = pairs.map(|pair| pair.columns());
                    let first = [name.take().unwrap_or_default(), when];
                    grid.push(first.into_iter().chain(seal).chain(open));
                }
            };
            if let Some(then) = self.then {
                push("then".into(), BOTH.map(|operation| Pair::then(figures, then, size, operation)));
            }
            for jdk in &self.now {
                let version = if self.now.len() > 1 { format!(" {jdk}") } else { String::new() };
                let at = At { cells, grown, jdk, size };
                push(format!("cold{version}"), BOTH.map(|operation| at.cold(operation)));
                push(format!("steady{version}"), BOTH.map(|operation| at.steady(operation)));
            }
        }
        grid
    }
}

const BOTH: [Operation; 2] = [Operation::Seal, Operation::Open];

/// Nanoseconds that somebody waited for, or not.
#[derive(Clone, Copy)]
struct Time {
    ns: f64,
    is_predicted: bool,
}

/// SunJCE and Bouncy Castle, and the first over the second.
struct Pair {
    times: [Option<Time>; 2],
    ratio: Option<f64>,
}

impl Pair {
    fn of(times: [Option<Time>; 2], ratio: Option<f64>) -> Self {
        let quotient = || Some(times[0]?.ns / times[1]?.ns);
        Self { times, ratio: ratio.or_else(quotient) }
    }

    fn then(figures: &[Figure], jdk: &str, size: u64, operation: Operation) -> Self {
        let time = |engine: &str| {
            let is_it = |figure: &&Figure| {
                (figure.engine.as_str(), figure.jdk.as_str(), figure.operation) == (engine, jdk, operation)
                    && published::bytes(figure.size_mb) == size
            };
            let figure = figures.iter().find(is_it)?;
            Some(Time { ns: figure.ms as f64 * 1e6, is_predicted: false })
        };
        Self::of(ENGINES.map(time), None)
    }

    fn is_known(&self) -> bool {
        self.times.iter().any(Option::is_some)
    }

    fn columns(&self) -> [String; 3] {
        let time = |time: Option<Time>| match time {
            Some(Time { ns, is_predicted: true }) => format!("≈ {}, predicted", words::long_time(ns)),
            Some(Time { ns, .. }) => words::long_time(ns),
            None => "-".into(),
        };
        let about = if self.is_predicted() { "≈ " } else { "" };
        let ratio = self.ratio.map(|ratio| format!("{about}{}", words::factor(ratio)));
        [time(self.times[0]), time(self.times[1]), ratio.unwrap_or_default()]
    }

    fn is_predicted(&self) -> bool {
        self.times.iter().flatten().any(|time| time.is_predicted)
    }
}

/// One of today's JDKs at one of the published sizes.
struct At<'a> {
    cells: &'a [Cell],
    grown: &'a [Grown],
    jdk: &'a str,
    size: u64,
}

impl At<'_> {
    fn lines(&self, operation: Operation) -> [Option<&Line>; 2] {
        let cell = published::cell(self.cells, self.size, operation);
        ENGINES.map(|engine| published::line(cell?, self.jdk, engine))
    }

    fn cold(&self, operation: Operation) -> Pair {
        let measured = |ns: f64| Time { ns, is_predicted: false };
        let first = |line: Option<&Line>| line?.cold().map(|cold| measured(cold.median));
        Pair::of(self.lines(operation).map(first), None)
    }

    /// Measured, or else predicted; the ratio of two that were measured is the one within blocks.
    fn steady(&self, operation: Operation) -> Pair {
        let lines = self.lines(operation);
        let time = |at: usize| match lines[at].filter(|line| !line.wall.is_empty()) {
            Some(line) => Some(Time { ns: line.time(), is_predicted: false }),
            None => self.ahead(ENGINES[at], operation).map(|ns| Time { ns, is_predicted: true }),
        };
        let cell = published::cell(self.cells, self.size, operation);
        let paired = || Some(cell?.compare(lines[0]?, lines[1]?)?.median);
        Pair::of([time(0), time(1)], paired())
    }

    /// Only of a size that the run had.
    fn ahead(&self, engine: &str, operation: Operation) -> Option<f64> {
        published::cell(self.cells, self.size, operation)?;
        let line = self.cells.iter().find_map(|cell| published::line(cell, self.jdk, engine))?;
        let line = line.line.first();
        Some(growths::find(self.grown, JOB, operation, &line)?.ahead(self.size)?.ns)
    }
}
