//! Then and now: published figures in their own shape beside today's, and what becomes of their conclusions.

use super::publication::{Held, Publication, Tested, tested};
use super::{peppol, tls_2009};
use crate::claims::{self, Claim, Evidence};
use crate::history::{log_tuning, nkcryptotool};
use crate::rows::History;
use crate::rows::{self, Row};
use crate::summary::Cell;
use crate::summary::growths::Grown;
use crate::table::Table;
use crate::units::{self, significant};
use crate::words;

/// What the run repeats, if it repeats anything.
pub fn publication(rows: &[Row], cells: &[Cell], grown: &[Grown]) -> Option<Publication> {
    let header = rows::header(rows)?;
    match header.history {
        Some(History::LogTuning) => Some(log_tuning(cells, grown)),
        Some(History::Nkcryptotool) => Some(nkcryptotool(cells, claims::concluded(History::Nkcryptotool))),
        Some(History::PeppolGcm) => Some(peppol::publication(cells, grown)),
        Some(History::Tls2009) => Some(tls_2009::publication(cells)),
        None => (header.plan == "files").then(|| nkcryptotool(cells, Vec::new())),
    }
}

fn log_tuning(cells: &[Cell], grown: &[Grown]) -> Publication {
    let jdks = log_tuning::jdks(cells);
    let last = last_rows(cells, &jdks);
    Publication {
        source: log_tuning::source(),
        what: "log-tuning as published".into(),
        reading: Vec::new(),
        tables: vec![table(cells, &jdks, &last)],
        notes: notes(!last.is_empty()),
        conclusions: tested(claims::concluded(History::LogTuning), (cells, grown), &jdks, "no JDK took part"),
    }
}

fn notes(has_last: bool) -> Vec<String> {
    let published = "ms are for the whole count, as published; × is then over now. sun.misc.BASE64Encoder left the JDK in \
                     version 9: where a JDK has none its line is that of the stand-in, which breaks lines as it did.";
    let last = "The last rows nobody published: a value into the text of a line, cipher and base64 in one, and back.";
    [Some(published), has_last.then_some(last)].into_iter().flatten().map(str::to_owned).collect()
}

fn table(cells: &[Cell], jdks: &[String], last: &[Vec<String>]) -> Table {
    let titles = ["published", "today", "operation", "size × count", "then ms"].map(str::to_owned);
    let today = jdks.iter().flat_map(|jdk| [format!("{jdk} ms"), "×".to_owned()]);
    let mut grid = Table::titled("", 3, titles.into_iter().chain(today));
    for figure in log_tuning::figures() {
        let lines: Vec<_> = jdks.iter().map(|jdk| figure.today(cells, jdk)).collect();
        let (families, algorithm) = log_tuning::today(&figure.engine);
        let family =
            lines.iter().flatten().next().map_or(families.first().copied(), |line| Some(&line.family));
        let mut row = vec![
            figure.engine.clone(),
            format!("{} {algorithm}", family.unwrap_or_default()),
            figure.operation.to_string(),
            format!("{} × {}", figure.size_bytes, figure.count),
            figure.total_ms.to_string(),
        ];
        for line in lines {
            let now = line.map(|line| line.time() * figure.count as f64 / 1e6);
            row.push(now.map_or("-".into(), significant));
            row.push(now.map(|now| words::factor(figure.total_ms as f64 / now)).unwrap_or_default());
        }
        grid.push(row);
    }
    last.iter().for_each(|row| grid.push(row.clone()));
    grid
}

/// The rows that the table lacks, as often as it has those of ciphers.
fn last_rows(cells: &[Cell], jdks: &[String]) -> Vec<Vec<String>> {
    let figures = log_tuning::figures();
    let counted = |size| figures.iter().find(|figure| figure.size_bytes == size).map(|figure| figure.count);
    let mut rows = Vec::new();
    for cell in cells.iter().filter(|cell| cell.job == "record") {
        let Some(count) = counted(cell.size) else { continue };
        for (family, algorithm) in log_tuning::LAST {
            let lines: Vec<_> =
                jdks.iter().map(|jdk| log_tuning::last(cell, jdk, (family, algorithm))).collect();
            if lines.iter().all(Option::is_none) {
                continue;
            }
            let mut row = vec!["-".to_owned(), format!("{family} {algorithm}"), cell.operation.to_string()];
            row.extend([format!("{} × {count}", cell.size), "-".to_owned()]);
            for line in lines {
                let now = line.map(|line| line.time() * count as f64 / 1e6);
                row.extend([now.map_or("-".into(), significant), String::new()]);
            }
            rows.push(row);
        }
    }
    rows
}

/// Where a run of files was no repetition, what was published stands beside it, and nothing follows.
fn nkcryptotool(cells: &[Cell], claims: Vec<Claim>) -> Publication {
    let about: Vec<&str> = nkcryptotool::ABOUT.split_whitespace().collect();
    let today = |claim: Claim| {
        let judged = claim.judge(&Evidence { cells, grown: &[], jdk: None });
        let mut held = Held::of("today".into(), &judged);
        if judged.parts.iter().all(|part| part.seen.is_none()) {
            held.evidence = NO_TOOL.into();
        }
        Tested { sentence: claim.says, rule: claim.confirmed_if, held: vec![held], untested: NO_TOOL }
    };
    Publication {
        source: nkcryptotool::source(),
        what: "nkCryptoTool as published".into(),
        reading: vec![about.join(" "), NO_BASELINE.into()],
        tables: vec![files(cells)],
        notes: Vec::new(),
        conclusions: claims.into_iter().map(today).collect(),
    }
}

/// One tool's cost says nothing of another's.
const NO_TOOL: &str = "not testable in this run, which has no such line of nkCryptoTool";

const NO_BASELINE: &str =
    "Nothing can be concluded from the published figures (lab/history/nkcryptotool.md).";

fn files(cells: &[Cell]) -> Table {
    let mut grid = Table::titled("", 3, ["size", "operation", "key today", "then ms", "now ms", "×"]);
    for figure in nkcryptotool::figures() {
        let now = figure.today(cells).map(|line| line.time() / 1e6);
        grid.push(vec![
            units::size(figure.size_bytes),
            figure.operation.to_string(),
            figure.key().to_owned(),
            significant(figure.wall_ms),
            now.map_or("-".into(), significant),
            now.map(|now| words::factor(figure.wall_ms / now)).unwrap_or_default(),
        ]);
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Operation, Shape};
    use crate::summary::made::Made;

    #[test]
    fn log_tuning_ends_with_the_rows_that_nobody_published() {
        let mut made = Made::default();
        let (rc4, tokens) = (made.jvm("SunJCE", "17"), made.jvm("sealmark-java", "17"));
        for operation in [Operation::Seal, Operation::Open] {
            made.timed("cipher", 49, (&rc4, "RC4", Shape::AsWritten), operation, 100);
            made.timed("record", 49, (&rc4, "RC4-base64", Shape::OneThread), operation, 2_000);
            made.timed("record", 49, (&tokens, "token", Shape::OneThread), operation, 200);
            made.timed("record", 49, (&tokens, "token", Shape::ManyThreads), operation, 90);
            made.timed("record", 50, (&tokens, "token", Shape::OneThread), operation, 90);
        }
        let (cells, jdks) = (made.cells(), ["17".to_owned()]);
        let text = table(&cells, &jdks, &last_rows(&cells, &jdks)).text();
        let last: Vec<Vec<&str>> =
            text.lines().rev().take(4).map(|line| line.split_whitespace().collect()).collect();
        for (row, expected) in last.iter().rev().zip([
            ["-", "SunJCE", "RC4-base64", "seal", "49", "×", "100000", "-", "200"],
            ["-", "sealmark-java", "token", "seal", "49", "×", "100000", "-", "20.0"],
            ["-", "SunJCE", "RC4-base64", "open", "49", "×", "100000", "-", "200"],
            ["-", "sealmark-java", "token", "open", "49", "×", "100000", "-", "20.0"],
        ]) {
            assert_eq!(row, &expected, "{text}");
        }
    }
}
