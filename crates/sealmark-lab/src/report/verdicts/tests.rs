#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::protocol::Shape;
use crate::rows::{self, Phase, Row, Sample};
use crate::summary;

/// Engines with their nanoseconds and the number of blocks they have at a size; the first also against itself.
fn timed(job: &str, size: u64, engines: &[(&str, u64, u64)]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, (engine, wall_ns, blocks)) in engines.iter().enumerate() {
        for again in [false, true].into_iter().filter(|again| !again || at == 0) {
            let line = rows::Line {
                engine: (*engine).into(),
                algorithm: "AES-256-GCM".into(),
                shape: Shape::Tuned,
                again,
            };
            rows.push(Row::Checked(rows::Checked {
                job: job.into(),
                size,
                line: line.clone(),
                authenticated: true,
                code: String::new(),
                output_bytes: size,
                sha256: String::new(),
                released_bytes: None,
            }));
            rows.extend((0..*blocks).map(|block| sample(job, size, &line, block, *wall_ns)));
        }
    }
    rows
}

/// Every block a thousandth slower than the one before.
fn sample(job: &str, size: u64, line: &rows::Line, block: u64, wall_ns: u64) -> Row {
    Row::Sample(Sample {
        job: job.into(),
        size,
        block,
        pass: 0,
        place: 0,
        line: line.clone(),
        operation: Operation::Seal,
        phase: Phase::Steady,
        count: 1,
        wall_ns: wall_ns + wall_ns * block / 1000,
        cpu_ns: None,
        allocated_bytes: None,
        gc_ns: None,
        peak_bytes: None,
        output_bytes: None,
        start_ns: None,
    })
}

fn told(rows: &[Row]) -> Vec<String> {
    sentences(&summary::cells(rows), &[], &[])
}

#[test]
fn a_size_with_too_few_blocks_names_no_winner() {
    let mut rows = timed("cipher", 64, &[("one", 10_000, 8), ("other", 20_000, 8)]);
    rows.extend(timed("cipher", 16_384, &[("one", 30_000, 8), ("other", 20_000, 8)]));
    rows.extend(timed("cipher", 262_144, &[("one", 90_000, 1), ("other", 40_000, 5)]));
    let told = told(&rows).join("\n");
    let winners =
        ["64 bytes, seal: fastest authenticated is one", "16 KiB, seal: fastest authenticated is other"];
    assert!(winners.iter().all(|winner| told.contains(winner)) && !told.contains("256 KiB"), "{told}");
}

#[test]
fn a_job_without_any_interval_says_so_once() {
    for job in ["cipher", "codec", "file", "digest"] {
        let mut rows = timed(job, 64, &[("one", 10_000, 5), ("other", 20_000, 5)]);
        rows.extend(timed(job, 1024, &[("one", 10_000, 1), ("other", 20_000, 1)]));
        let said = format!("{job}: too few blocks for a verdict: no size has the 6 that an interval needs");
        assert_eq!(told(&rows), [said]);
    }
}

#[test]
fn a_line_without_an_interval_neither_wins_nor_loses() {
    for short in [(5_000, 5), (40_000, 5), (40_000, 1)] {
        let rows =
            timed("cipher", 64, &[("one", 10_000, 8), ("short", short.0, short.1), ("last", 20_000, 8)]);
        let told = told(&rows);
        let expected = "cipher, 64 bytes, seal: fastest authenticated is one AES-256-GCM, 10.0 µs (not told from it: \
                        short AES-256-GCM)";
        assert_eq!(told[0], expected, "{short:?}");
    }
}
