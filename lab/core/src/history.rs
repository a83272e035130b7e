//! Figures that were published elsewhere (lab/history), each beside today's: one shape for all of them.

use crate::jdks::{self, major};
use crate::jobfile::Pattern;
use crate::protocol::Operation;
use crate::rows::History;
use crate::summary::growths::{self, Grown};
use crate::summary::{Cell, Line};
use crate::table::Table;
use crate::words;
use serde::{Deserialize, Serialize};

/// A file of lab/history.
#[derive(Deserialize)]
pub struct Published {
    #[serde(flatten)]
    pub source: Source,
    /// "tls-2009 as published".
    pub what: String,
    /// What a reader must know before the table, and may ask after it.
    pub reading: Vec<String>,
    pub notes: Vec<String>,
    /// Why a conclusion was put to no test, where it was not.
    pub untested: String,
    #[serde(rename = "rows")]
    pub figures: Vec<Figure>,
}

/// What was published, when, and on which machine it had been measured.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Source {
    pub id: String,
    pub title: String,
    pub year: String,
    pub machine: String,
    /// How the figures were obtained.
    pub note: String,
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
    /// From a file that comes with the program.
    ///
    /// # Panics
    /// Should it be broken, which a test would show.
    pub fn of(history: History) -> Self {
        let file = match history {
            History::LogTuning => include_str!("../../history/log-tuning.json"),
            History::Nkcryptotool => include_str!("../../history/nkcryptotool.json"),
            History::PeppolGcm => include_str!("../../history/peppol-gcm.json"),
            History::Tls2009 => include_str!("../../history/tls-2009.json"),
            #[cfg(test)]
            History::Simulated => include_str!("../tests/data/simulated.json"),
        };
        serde_json::from_str(file).expect("a file that a test reads")
    }

    /// The JDKs on which lines of it were measured, oldest first.
    pub fn jdks(&self, cells: &[Cell]) -> Vec<String> {
        let of_figure = |figure: &Figure| -> Vec<String> {
            let lines = figure.cell(cells).into_iter().flat_map(Cell::contestants_or_cold);
            lines.filter(|line| figure.is_done_by(line)).filter_map(|line| line.jdk.clone()).collect()
        };
        let mut jdks: Vec<String> = self.figures.iter().flat_map(of_figure).collect();
        jdks.sort_by_key(|version| jdks::numbers(version));
        jdks.dedup();
        jdks
    }

    /// Then and now.
    pub fn table(&self, cells: &[Cell], grown: &[Grown]) -> Table {
        let jdks = self.jdks(cells);
        let is_by_jdk = self.figures.iter().any(|figure| figure.jdk.is_some());
        let places: Vec<Option<&str>> = if is_by_jdk || jdks.is_empty() {
            vec![None]
        } else {
            jdks.iter().map(|jdk| Some(jdk.as_str())).collect()
        };
        let fixed = ["published", "on", "today", "operation", "size", "then"].map(str::to_owned);
        let of_place = |jdk: &Option<&str>| {
            let on = jdk.map(|jdk| format!(", JDK {jdk}")).unwrap_or_default();
            [format!("now{on}"), "×".to_owned(), "cold".to_owned()]
        };
        let mut table = Table::titled("", 5, fixed.into_iter().chain(places.iter().flat_map(of_place)));
        for figure in &self.figures {
            let now: Vec<Option<Now>> = places.iter().map(|jdk| figure.now(cells, grown, *jdk)).collect();
            let lack = figure.lack(cells);
            if figure.ms.is_none() && now.iter().flatten().all(|(_, [time, ..])| *time == lack) {
                continue;
            }
            let size = crate::jobs::of(&figure.job).amount(figure.size);
            let count = if figure.count == 1 { String::new() } else { format!(" × {}", figure.count) };
            let fixed = [
                figure.published.clone(),
                figure.jdk.clone().unwrap_or_default(),
                now.iter().flatten().next().map(|(line, _)| line.clone()).unwrap_or_default(),
                figure.operation.to_string(),
                size + &count,
                figure.ms.map_or(UNKNOWN.into(), |ms| words::long_time(ms * 1e6)),
            ];
            let of_place = |now: Option<Now>| {
                now.map_or_else(|| [lack.clone(), String::new(), String::new()], |(_, told)| told)
            };
            table.push(fixed.into_iter().chain(now.into_iter().flat_map(of_place)));
        }
        table.without_silent_columns()
    }
}

/// Today's line; its time for as many operations, the published one as its multiple, and its first operation, in words.
type Now = (String, [String; 3]);

const UNKNOWN: &str = "-";

impl Figure {
    fn cell<'a>(&self, cells: &'a [Cell]) -> Option<&'a Cell> {
        cells
            .iter()
            .find(|cell| (&cell.job, cell.size, cell.operation) == (&self.job, self.size, self.operation))
    }

    fn is_done_by(&self, line: &Line) -> bool {
        self.today.iter().any(|pattern| pattern.matches(&line.line, &line.family))
    }

    /// On a JDK, or else on whatever there is of the major version that it was published of.
    fn now(&self, cells: &[Cell], grown: &[Grown], jdk: Option<&str>) -> Option<Now> {
        let cell = self.cell(cells)?;
        let is_there = |line: &Line| match (jdk, &self.jdk, &line.jdk) {
            (Some(jdk), _, known) => known.as_deref() == Some(jdk),
            (None, Some(then), Some(now)) => major(then) == major(now),
            (None, then, _) => then.is_none(),
        };
        let find = |cell: &Cell, pattern: &Pattern| -> Option<crate::rows::Line> {
            let mut lines = cell.contestants_or_cold();
            let line = lines.find(|line| is_there(line) && pattern.matches(&line.line, &line.family))?;
            Some(line.line.clone())
        };
        let anywhere = |pattern: &Pattern| cells.iter().find_map(|cell| find(cell, pattern));
        let of = |pattern| Some((pattern, find(cell, pattern).or_else(|| anywhere(pattern))?));
        let (pattern, line) = self.today.iter().find_map(of)?;
        let here = cell.contestants_or_cold().find(|known| known.line == line);
        let measured = here.filter(|line| !line.wall.is_empty()).map(|line| (line.time(), ""));
        let ahead = growths::find(grown, &self.job, self.operation, &line).and_then(|it| it.ahead(self.size));
        let range = ahead.as_ref().and_then(|ahead| ahead.range()).filter(|_| measured.is_none());
        let time = measured.or(ahead.map(|ahead| (ahead.ns, "≈ ")));
        let time = time.map(|(ns, about)| (ns * self.count as f64, about));
        let timed = |(ns, about): (f64, &str)| match range
            .map(|(low, high)| [low, high].map(|ns| words::long_time(ns * self.count as f64)))
        {
            Some([low, high]) => format!("{about}{}..{high}", low.trim_end_matches(unit(&high))),
            None => format!("{about}{}", words::long_time(ns)),
        };
        let cold = here.filter(|_| self.jdk.is_some()).and_then(Line::cold);
        let told = [
            time.map_or_else(|| self.lack(cells), timed),
            time.zip(self.ms).map(|((ns, _), ms)| words::factor(ms * 1e6 / ns)).unwrap_or_default(),
            cold.map(|cold| words::long_time(cold.median)).unwrap_or_default(),
        ];
        Some((self.called(pattern), told))
    }

    /// Why nothing stands beside it, where its JDK cannot be had.
    fn lack(&self, cells: &[Cell]) -> String {
        let then = self.jdk.as_deref().map(major);
        let mut lines = cells.iter().flat_map(Cell::contestants_or_cold);
        match then {
            Some(then) if !lines.any(|line| line.jdk.as_deref().map(major) == Some(then)) => {
                format!("no JDK {then}")
            }
            _ => UNKNOWN.to_owned(),
        }
    }

    /// Without the JDK, which stands at the head of the column, and without an algorithm of many words.
    fn called(&self, pattern: &Pattern) -> String {
        let words = pattern.words();
        let is_one = crate::jobs::of(&self.job).parameters.iter().any(|it| it.name == "algorithm");
        if is_one { words } else { words.split(' ').next().unwrap_or_default().to_owned() }
    }
}

/// " min" of "1.93 min".
fn unit(time: &str) -> &str {
    time.find(' ').map_or("", |at| &time[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_tables_are_whole() {
        use History::{LogTuning, Nkcryptotool, PeppolGcm, Tls2009};
        for (history, count, sum) in [
            (LogTuning, 40, 242_718.0),
            (Nkcryptotool, 24, 76_919.78),
            (PeppolGcm, 168, 7_265_305.0),
            (Tls2009, 66, 548_358.0),
        ] {
            let published = Published::of(history);
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
            Published::of(History::PeppolGcm).figures.iter().map(|figure| figure.size).collect();
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
