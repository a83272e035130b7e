//! Figures that were published elsewhere (lab/history), each beside today's: one shape for all of them.

use crate::claims::{self, Claim};
use crate::format;
use crate::jdks::{self, major};
use crate::jobfile::{PUBLISHED, Pattern};
use crate::protocol::Operation;
use crate::summary::growths::{self, Ahead, Grown};
use crate::summary::{Cell, Line};
use crate::table::Table;
use serde::Deserialize;

/// A file of lab/history.
#[derive(Deserialize)]
pub struct Published {
    pub id: String,
    pub title: String,
    pub year: String,
    /// The machine of the figures, if it was named.
    pub machine: String,
    /// How the figures were obtained.
    pub note: String,
    /// "tls-2009 as published".
    pub what: String,
    /// Sentences that a reader needs before the table, and answers to questions after it.
    pub reading: Vec<String>,
    pub notes: Vec<String>,
    /// Why a conclusion was put to no test, where it was not.
    pub untested: String,
    #[serde(rename = "rows")]
    pub figures: Vec<Figure>,
    /// The conclusions from them.
    #[serde(skip)]
    pub claims: Vec<Claim>,
}

/// A published figure and the lines that do the same work today.
#[derive(Deserialize)]
pub struct Figure {
    /// The name that it was published by.
    pub published: String,
    /// The JDK that it was measured on, where there were several: today's of the same major version stands beside it.
    pub jdk: Option<String>,
    pub job: String,
    pub operation: Operation,
    pub size: u64,
    /// Operations that it is of.
    #[serde(default = "one")]
    pub count: u64,
    /// None of what belongs beside the others and nobody published.
    pub ms: Option<f64>,
    /// In the order of preference.
    pub today: Vec<Pattern>,
}

fn one() -> u64 {
    1
}

impl Published {
    /// That of a name, from files that come with the program; None where there is none.
    ///
    /// # Panics
    /// Should its file be broken, which a test would show.
    pub fn of(name: &str) -> Option<Self> {
        let (_, figures, conclusions) = PUBLISHED.iter().find(|(known, ..)| *known == name)?;
        let published: Self = serde_json::from_str(figures).expect("a file that a test reads");
        Some(Self { claims: claims::read(conclusions), ..published })
    }

    /// The JDKs on which lines of it were measured, oldest first; None alone where no line has one.
    pub fn jdks(&self, cells: &[Cell]) -> Vec<Option<String>> {
        let of_figure = |figure: &Figure| -> Vec<String> {
            let lines = figure.cell(cells).into_iter().flat_map(Cell::contestants_or_cold);
            let is_it = |line: &&Line| figure.today.iter().any(|it| it.matches(&line.line, &line.family));
            lines.filter(is_it).filter_map(|line| line.jdk.clone()).collect()
        };
        let mut jdks: Vec<String> = self.figures.iter().flat_map(of_figure).collect();
        jdks.sort_by_key(|version| jdks::numbers(version));
        jdks.dedup();
        if jdks.is_empty() { vec![None] } else { jdks.into_iter().map(Some).collect() }
    }

    /// Then and now.
    pub fn table(&self, cells: &[Cell], grown: &[Grown]) -> Table {
        // A figure of a JDK stands beside today's of the same; one of no JDK beside that of each.
        let is_by_jdk = self.figures.iter().any(|figure| figure.jdk.is_some());
        let jdks = if is_by_jdk { vec![None] } else { self.jdks(cells) };
        let fixed = ["published", "on", "today", "operation", "size", "then"].map(str::to_owned);
        let of_jdk = |jdk: &Option<String>| {
            let on = jdk.as_ref().map(|jdk| format!(", JDK {jdk}")).unwrap_or_default();
            [format!("now{on}"), "×".to_owned(), "cold".to_owned()]
        };
        let mut table = Table::titled("", 5, fixed.into_iter().chain(jdks.iter().flat_map(of_jdk)));
        for figure in &self.figures {
            let lack = figure.lack(cells);
            let nothing = || [String::new(), lack.clone(), String::new(), String::new()];
            let now = jdks.iter().map(|jdk| figure.now(cells, grown, jdk.as_deref()));
            let now: Vec<Now> = now.map(|now| now.unwrap_or_else(nothing)).collect();
            if figure.ms.is_none() && now.iter().all(|[_, time, ..]| *time == lack) {
                continue;
            }
            let size = crate::jobs::of(&figure.job).amount(figure.size);
            let count = if figure.count == 1 { String::new() } else { format!(" × {}", figure.count) };
            let fixed = [
                figure.published.clone(),
                figure.jdk.clone().unwrap_or_default(),
                now.iter().map(|[line, ..]| line).find(|line| !line.is_empty()).cloned().unwrap_or_default(),
                figure.operation.to_string(),
                size + &count,
                figure.ms.map_or(UNKNOWN.into(), |ms| format::time(ms * 1e6)),
            ];
            table.push(fixed.into_iter().chain(now.into_iter().flat_map(|[_, rest @ ..]| rest)));
        }
        table
    }
}

/// Today's line; its time for as many operations, the published one as its multiple, and its first operation, in words.
type Now = [String; 4];

const UNKNOWN: &str = "-";

impl Figure {
    fn cell<'a>(&self, cells: &'a [Cell]) -> Option<&'a Cell> {
        cells.iter().find(|cell| cell.place() == (&self.job, self.size, self.operation))
    }

    /// On a JDK, or else on whatever there is of the major version that it was published of.
    fn now(&self, cells: &[Cell], grown: &[Grown], jdk: Option<&str>) -> Option<Now> {
        let cell = self.cell(cells);
        let is_there = |line: &Line| match (jdk, &self.jdk, &line.jdk) {
            (Some(jdk), _, known) => known.as_deref() == Some(jdk),
            (None, Some(then), Some(now)) => major(then) == major(now),
            (None, then, _) => then.is_none(),
        };
        let of = |pattern: &'_ Pattern| {
            let is_it = |line: &&Line| is_there(line) && pattern.matches(&line.line, &line.family);
            // Another size may tell what this one would take.
            let same = |it: &&Cell| (&it.job, it.operation) == (&self.job, self.operation);
            let mut lines = cell.into_iter().chain(cells).filter(same).flat_map(Cell::contestants_or_cold);
            Some((self.called(pattern), &lines.find(is_it)?.line))
        };
        let (name, line) = self.today.iter().find_map(of)?;
        let here = cell.and_then(|cell| cell.contestants_or_cold().find(|known| known.line == *line));
        let measured = here.map(Line::time).filter(|ns| ns.is_finite());
        let ahead = || growths::find(grown, &self.job, self.operation, line)?.ahead(self.size);
        let told = |ns: f64| format::time(ns * self.count as f64);
        let (now, ns) = match (measured, measured.map_or_else(ahead, |_| None)) {
            (Some(ns), _) if here.is_some_and(|line| !line.is_steady) => {
                (format!("{}, {}", told(ns), format::WARMING), None)
            }
            (Some(ns), _) => (told(ns), Some(ns)),
            (None, Some(Ahead { ns, range: Some((low, high)), .. })) => {
                (format!("≈ {}–{}", told(low), told(high)), Some(ns))
            }
            (None, Some(Ahead { ns, .. })) => (format!("≈ {}", told(ns)), Some(ns)),
            (None, None) => (self.lack(cells), None),
        };
        let times = ns.zip(self.ms).map(|(ns, ms)| format::factor(ms * 1e6 / (ns * self.count as f64)));
        let cold = here.filter(|_| self.jdk.is_some()).and_then(Line::first).map(format::time);
        Some([name, now, times.unwrap_or_default(), cold.unwrap_or_default()])
    }

    /// Why nothing stands beside it, where its JDK cannot be had.
    fn lack(&self, cells: &[Cell]) -> String {
        let lines = || cells.iter().flat_map(Cell::contestants_or_cold);
        let is_there = |then: u64| lines().any(|line| line.jdk.as_deref().map(major) == Some(then));
        let missing = self.jdk.as_deref().map(major).filter(|then| !is_there(*then));
        missing.map_or(UNKNOWN.to_owned(), |then| format!("no JDK {then}"))
    }

    /// Without the JDK, which stands at the head of the column, and without an algorithm of many words.
    fn called(&self, pattern: &Pattern) -> String {
        let words = pattern.words();
        let is_one = crate::jobs::of(&self.job).parameters.iter().any(|it| it.name == "algorithm");
        if is_one { words } else { words.split(' ').next().unwrap_or_default().to_owned() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn the_published_tables_are_whole() {
        for (history, count, sum) in [
            ("log-tuning", 40, 242_718.0),
            ("nkcryptotool", 24, 76_919.78),
            ("peppol-gcm", 168, 7_265_305.0),
            ("tls-2009", 66, 548_358.0),
        ] {
            let published = Published::of(history).unwrap();
            let ms: Vec<f64> = published.figures.iter().filter_map(|figure| figure.ms).collect();
            assert_eq!((ms.len(), ms.iter().sum::<f64>().round()), (count, f64::round(sum)), "{history:?}");
            assert!(published.figures.iter().all(|figure| !figure.today.is_empty()), "{history:?}");
            assert!(published.figures.iter().all(|it| crate::jobs::named(&it.job).is_some()), "{history:?}");
        }
    }

    /// Published sizes are MiB, rounded up to whole buffers of the program that wrote the files.
    #[test]
    fn published_sizes_are_those_of_the_files_that_were_written() {
        let mut sizes: Vec<u64> =
            Published::of("peppol-gcm").unwrap().figures.iter().map(|figure| figure.size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let expected = [
            112_640,
            532_480,
            1_054_720,
            5_242_880,
            10_485_760,
            20_971_520,
            31_457_280,
            41_943_040,
            52_428_800,
            104_857_600,
        ];
        assert_eq!(sizes, expected);
    }
}
