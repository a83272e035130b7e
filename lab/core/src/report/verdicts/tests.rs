#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::protocol::Shape;
use crate::rows::{self, Row};
use crate::summary;
use crate::summary::made::steady;

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
    Row::Sample(steady(job, size, line, Operation::Seal, block, wall_ns + wall_ns * block / 1000))
}

fn told(rows: &[Row]) -> Vec<String> {
    sentences(&summary::cells(rows), &[], &[])
}

#[test]
fn a_size_with_too_few_blocks_names_no_winner() {
    let mut rows = timed("cipher", 64, &[("one", 10_000, 8), ("other", 20_000, 8)]);
    rows.extend(timed("cipher", 16_384, &[("one", 30_000, 8), ("other", 20_000, 8)]));
    rows.extend(timed("cipher", 262_144, &[("one", 90_000, 1), ("other", 40_000, 1)]));
    let told = told(&rows).join("\n");
    let winners =
        ["64 bytes, seal: fastest authenticated is one", "16 KiB, seal: fastest authenticated is other"];
    assert!(winners.iter().all(|winner| told.contains(winner)), "{told}");
    let unanswered = "cipher, 256 KiB: not answered: fewer than the two blocks that an interval needs";
    assert!(told.contains(unanswered) && told.matches("256 KiB").count() == 1, "{told}");
}

#[test]
fn a_job_without_any_interval_says_so_once() {
    for job in ["cipher", "codec", "file", "digest"] {
        let mut rows = timed(job, 64, &[("one", 10_000, 1), ("other", 20_000, 1)]);
        rows.extend(timed(job, 1024, &[("one", 10_000, 1), ("other", 20_000, 1)]));
        let said = format!("{job}: too few blocks for a verdict: no size has the two that an interval needs");
        assert_eq!(told(&rows), [said]);
    }
}

#[test]
fn a_line_without_an_interval_neither_wins_nor_loses() {
    for short in [5_000, 11_000] {
        let rows = timed("cipher", 64, &[("one", 10_000, 8), ("short", short, 1), ("last", 20_000, 8)]);
        let told = told(&rows);
        let expected = "cipher, 64 bytes, seal: fastest authenticated is one AES-256-GCM, 10.0 µs (not told from it: \
                        short AES-256-GCM)";
        assert_eq!(told[0], expected, "{short}");
    }
}

/// Two blocks decide what is far beyond all unrest, and nothing less.
#[test]
fn few_blocks_tell_an_effect_that_is_large() {
    for (other, word) in [(40_000, ""), (11_000, " (not told from it: other AES-256-GCM)")] {
        let mut rows = timed("cipher", 64, &[("one", 10_000, 2), ("other", other, 2)]);
        let again = |row: &Row| match row {
            Row::Sample(sample) if sample.line.engine == "one" => {
                let mut twin = sample.clone();
                twin.line.again = true;
                Some(Row::Sample(twin))
            }
            _ => None,
        };
        let twins: Vec<Row> = rows.iter().filter_map(again).collect();
        rows.extend(twins);
        let expected =
            format!("cipher, 64 bytes, seal: fastest authenticated is one AES-256-GCM, 10.0 µs{word}");
        assert!(told(&rows)[0].starts_with(&expected), "{other}: {:?}", told(&rows));
    }
}

/// Three lines on payloads, opening: one releases early.
fn payloads(early_ns: u64) -> Vec<Row> {
    let mut rows = timed(
        "payload",
        1 << 20,
        &[("early", early_ns, 8), ("SunJCE 17.0.15", 20_000, 8), ("ours", 15_000, 8)],
    );
    for row in &mut rows {
        match row {
            Row::Sample(sample) => sample.operation = Operation::Open,
            Row::Checked(checked) => {
                checked.released_bytes = Some(if checked.line.engine == "early" { 1 << 20 } else { 0 });
            }
            _ => {}
        }
        let line = match row {
            Row::Sample(sample) => &mut sample.line,
            Row::Checked(checked) => &mut checked.line,
            _ => continue,
        };
        line.shape = if line.engine == "ours" { Shape::VerifyThenRelease } else { Shape::Update };
    }
    rows.push(Row::Engine(rows::Engine {
        engine: "SunJCE 17.0.15".into(),
        family: "SunJCE".into(),
        about: String::new(),
        role: Role::Peer,
        version: "1".into(),
        jdk: Some("17.0.15".into()),
        in_process: true,
    }));
    rows
}

#[test]
fn of_payloads_the_fastest_is_told_from_the_fastest_that_releases_nothing_early() {
    assert_eq!(
        told(&payloads(10_000)),
        [
            "payload, 1 MiB, open, AES-256-GCM: fastest is early (update), 10.0 µs, which releases early; fastest that \
          releases nothing early, ours (verify-then-release) takes 1.50 × its time (1.50 to 1.50): slower; best within a JVM \
          that releases nothing early: on JDK 17.0.15 SunJCE (update), 20.1 µs"
        ]
    );
}

#[test]
fn reading_twice_is_held_against_the_fastest_that_releases_early() {
    let told = told(&payloads(18_000));
    assert!(told[0].starts_with("payload, 1 MiB, open, AES-256-GCM: fastest is ours"), "{told:?}");
    let expected = "payload, 1 MiB, open, AES-256-GCM: ours (verify-then-release) takes 0.83 × the time of early (update), the fastest that releases early (0.83 to 0.83): faster";
    assert_eq!(told[1], expected);
}

/// At 100 MiB two of three lines were measured, at 1 GiB one.
#[test]
fn of_payloads_the_largest_size_that_most_lines_have_is_told() {
    let mut rows = timed("payload", 1 << 20, &[("one", 10_000, 8), ("two", 20_000, 8), ("three", 30_000, 8)]);
    rows.extend(timed("payload", 100 << 20, &[("one", 40_000, 8), ("two", 20_000, 8), ("three", 30_000, 5)]));
    rows.extend(timed("payload", 1 << 30, &[("one", 90_000, 8)]));
    let told = told(&rows);
    let expected = "payload, 100 MiB, seal, AES-256-GCM: fastest is two (tuned), 20.1 µs";
    assert!(told.len() == 1 && told[0].starts_with(expected), "{told:?}");
}

#[test]
fn a_program_is_held_against_programs_and_not_against_what_starts_none() {
    let mut made = summary::made::Made::default();
    for (engine, role, ns) in
        [("sealmark-cli", Role::Ours, 2_000), ("copy", Role::Yardstick, 100), ("cp", Role::Peer, 1_000)]
    {
        made.role(engine, role);
        made.timed("file", 1_024, (engine, "X25519", Shape::Tuned), Operation::Seal, ns);
    }
    made.engines().for_each(|engine| engine.in_process = engine.engine == "copy");
    let told = told(&made.rows).join("\n");
    assert!(told.contains("sealmark-cli X25519 takes 2.00 × the time of cp X25519"), "{told}");
    assert!(!told.contains("the time of copy"), "{told}");
}
