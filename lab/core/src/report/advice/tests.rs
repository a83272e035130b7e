#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;
use crate::engine::Role;
use crate::protocol::Shape;
use crate::rows::{Checked, Fault, FaultKind, Phase, Sample};
use crate::summary;
use crate::summary::made::steady;

const MIB: u64 = 1 << 20;

/// One line of a made-up run: what it takes cold and steady in nanoseconds at a size, and what it releases.
struct Made {
    family: &'static str,
    jdk: Option<&'static str>,
    shape: Shape,
    cold: fn(u64) -> u64,
    steady: fn(u64) -> u64,
    released_share: u64,
    largest: u64,
}

const ONE_SHOT: Made = Made {
    family: "SunJCE",
    jdk: Some("17.0.15"),
    shape: Shape::OneShot,
    cold: |size| 10 * size,
    steady: |size| size,
    released_share: 0,
    largest: 100 * MIB,
};
/// Faster cold, slower warm.
const ACCP: Made = Made { family: "ACCP", cold: |size| 2 * size, steady: |size| 2 * size, ..ONE_SHOT };
const SQUARE: Made = Made {
    shape: Shape::Stream,
    cold: |size| size * size / 100_000,
    steady: |size| size * size / 100_000,
    largest: 10 * MIB,
    ..ONE_SHOT
};
const EARLY: Made = Made {
    family: "BouncyCastle",
    cold: |size| size / 2,
    steady: |size| size / 2,
    released_share: 100,
    ..ONE_SHOT
};
const OURS: Made = Made {
    family: "sealmark",
    jdk: None,
    shape: Shape::VerifyThenRelease,
    steady: |size| 3 * size,
    ..ONE_SHOT
};

fn run(made: &[Made], blocks: u64) -> Vec<Row> {
    let mut rows = Vec::new();
    for made in made {
        let engine = format!("{}{}", made.family, made.jdk.map(|jdk| format!(" {jdk}")).unwrap_or_default());
        let line = rows::Line {
            engine: engine.clone(),
            algorithm: "AES-128-GCM".into(),
            shape: made.shape,
            again: false,
        };
        rows.push(Row::Engine(rows::Engine {
            engine,
            family: made.family.into(),
            about: String::new(),
            role: Role::Peer,
            version: "1".into(),
            jdk: made.jdk.map(Into::into),
            in_process: true,
        }));
        for size in [MIB, 2 * MIB, 5 * MIB, 7 * MIB, 10 * MIB, 100 * MIB] {
            if size > made.largest {
                rows.push(fault(&line, size, FaultKind::NotRun));
                continue;
            }
            rows.push(checked(&line, size, size * made.released_share / 100));
            for again in [false, true] {
                let line = rows::Line { again, ..line.clone() };
                for block in 0..blocks {
                    let cold = sample(&line, size, block, Phase::Cold, (made.cold)(size));
                    rows.push(Row::Sample(Sample { peak_bytes: Some(2 * size), ..cold }));
                    rows.push(Row::Sample(sample(&line, size, block, Phase::Steady, (made.steady)(size))));
                }
            }
        }
    }
    rows
}

fn fault(line: &rows::Line, size: u64, kind: FaultKind) -> Row {
    Row::Fault(Fault {
        job: JOB.into(),
        size: Some(size),
        engine: line.engine.clone(),
        algorithm: Some(line.algorithm.clone()),
        shape: Some(line.shape),
        operation: Some(Operation::Open),
        kind,
        why: "predicted 12 min".into(),
    })
}

fn checked(line: &rows::Line, size: u64, released: u64) -> Row {
    Row::Checked(Checked {
        job: JOB.into(),
        size,
        line: line.clone(),
        authenticated: true,
        code: String::new(),
        output_bytes: size + 28,
        sha256: String::new(),
        released_bytes: Some(released),
    })
}

fn sample(line: &rows::Line, size: u64, block: u64, phase: Phase, wall_ns: u64) -> Sample {
    Sample {
        phase,
        peak_bytes: Some(3 * size),
        ..steady(JOB, size, line, Operation::Open, block, wall_ns + wall_ns * block / 1000)
    }
}

fn told(rows: &[Row]) -> Vec<String> {
    let cells = summary::cells(rows);
    let grown = growths::growths(rows, &cells);
    sentences(Evidence { rows, cells: &cells, grown: &grown })
}

#[test]
fn the_fastest_that_releases_nothing_early_is_advised_cold_and_steady() {
    assert_eq!(
        told(&run(&[ONE_SHOT, EARLY], 8)),
        [
            "JDK 17.0.15, to open 100 MiB: choose SunJCE AES-128-GCM (one-shot), 1.05 s cold, 105 ms steady, holding 210 MB cold \
          and 315 MB steady at its peak; avoid for releasing plain bytes before the tag is checked: BouncyCastle AES-128-GCM (one-shot)"
        ]
    );
    assert_eq!(
        told(&run(&[ONE_SHOT, ACCP], 8)),
        [
            "JDK 17.0.15, to open 100 MiB: choose in a fresh process ACCP AES-128-GCM (one-shot), 210 ms, holding 210 MB at its \
          peak; in a warm one SunJCE AES-128-GCM (one-shot), 105 ms, holding 315 MB at its peak"
        ]
    );
}

#[test]
fn what_grows_is_to_be_avoided_with_its_predicted_time() {
    let told = told(&run(&[ONE_SHOT, SQUARE], 8));
    let expected = "; avoid for growth or time: SunJCE AES-128-GCM (stream), to the power 2.00 (2.00..2.00), ≈ 110 s predicted \
                    at 100 MiB";
    assert!(
        told[0].contains("choose SunJCE AES-128-GCM (one-shot)") && told[0].ends_with(expected),
        "{told:?}"
    );
}

/// At 10 MiB the square is the fastest that releases nothing, and still nobody should use it.
#[test]
fn a_square_is_never_advised_and_ours_is_offered_instead() {
    let told = told(
        &run(&[SQUARE, EARLY, Made { largest: 10 * MIB, ..OURS }], 8)
            .into_iter()
            .filter(|row| !matches!(row, Row::Sample(sample) if sample.size > 10 * MIB))
            .collect::<Vec<_>>(),
    );
    let expected = "JDK 17.0.15, to open 10 MiB: all that release nothing early grow too fast: SunJCE AES-128-GCM (stream); \
                    outside the JVM, sealmark AES-128-GCM (verify-then-release), 31.6 ms, holding 31 MB at its peak; avoid";
    assert!(told.len() == 1 && told[0].starts_with(expected), "{told:?}");
}

#[test]
fn lines_that_fail_for_their_size_are_told_from_there_on() {
    let mut rows = run(&[ONE_SHOT], 8);
    let line = rows::Line {
        engine: "SunJCE 17.0.15".into(),
        algorithm: "AES-128-GCM".into(),
        shape: Shape::OneShot,
        again: false,
    };
    rows.push(fault(&line, 4 << 30, FaultKind::Limited));
    rows.push(fault(&line, (2 << 30) + 1, FaultKind::Limited));
    let elsewhere = rows::Line { engine: "pyca".into(), ..line };
    rows.push(fault(&elsewhere, 1 << 30, FaultKind::OutOfMemory));
    let told = told(&rows);
    let expected = "; avoid for what it cannot open: SunJCE AES-128-GCM (one-shot) (refused by its library at 2 GiB + 1, not \
                    at 100 MiB)";
    assert!(told[0].ends_with(expected), "{told:?}");
}

#[test]
fn few_blocks_and_unprobed_lines_choose_nothing_and_other_jobs_say_nothing() {
    let few = told(&run(&[ONE_SHOT], 5));
    assert_eq!(few, ["JDK 17.0.15, to open 100 MiB: too few blocks to choose by, fewer than 6"]);
    let mut rows = run(&[ONE_SHOT], 8);
    rows.retain(|row| !matches!(row, Row::Checked(_)));
    let unseen = "no line that gets that far in time was seen to release nothing early";
    assert!(told(&rows)[0].contains(unseen), "{:?}", told(&rows));
    for row in &mut rows {
        if let Row::Sample(sample) = row {
            sample.job = "cipher".into();
        }
    }
    assert_eq!(told(&rows), [""; 0]);
}

/// The fuller line is one that nobody should use.
#[test]
fn too_few_blocks_are_those_of_a_line_that_could_be_chosen() {
    let mut rows = run(&[ONE_SHOT, EARLY], 8);
    rows.retain(|row| {
        !matches!(row, Row::Sample(sample) if sample.block > 4 && sample.line.engine.starts_with("SunJCE"))
    });
    let too_few = "JDK 17.0.15, to open 100 MiB: too few blocks to choose by, fewer than 6;";
    assert!(told(&rows)[0].starts_with(too_few), "{:?}", told(&rows));
    let early = "JDK 17.0.15, to open 100 MiB: every line of this run releases early, or does not get that far in time;";
    let told = told(&run(&[EARLY], 8));
    assert!(told[0].starts_with(early), "{told:?}");
}

#[test]
fn what_fails_to_seal_is_not_said_to_fail_to_open() {
    let line = |shape| rows::Line {
        engine: "SunJCE 17.0.15".into(),
        algorithm: "AES-128-GCM".into(),
        shape,
        again: false,
    };
    let mut rows = run(&[ONE_SHOT, Made { shape: Shape::Update, ..ACCP }], 8);
    for (kind, size) in [
        (FaultKind::OutOfMemory, 100 * MIB),
        (FaultKind::NotRun, 100 * MIB),
        (FaultKind::TimedOut, 100 * MIB),
        (FaultKind::Limited, 4 << 30),
    ] {
        for shape in [Shape::OneShot, Shape::Update] {
            let Row::Fault(fault) = fault(&line(shape), size, kind) else { unreachable!() };
            rows.push(Row::Fault(Fault { operation: Some(Operation::Seal), ..fault }));
        }
    }
    assert!(!told(&rows)[0].contains("avoid"), "{:?}", told(&rows));
    rows.push(fault(&line(Shape::OneShot), 4 << 30, FaultKind::OutOfMemory));
    let expected = "(out of memory at 4 GiB, not at 100 MiB, with the default heap of this machine)";
    assert!(told(&rows)[0].ends_with(expected), "{:?}", told(&rows));
}

#[test]
fn a_line_with_first_operations_only_is_advised_for_fresh_processes_only() {
    let mut rows = run(&[ONE_SHOT, ACCP], 8);
    rows.retain(|row| {
        !matches!(row, Row::Sample(sample)
            if sample.phase == Phase::Steady && sample.size == 100 * MIB && sample.line.engine.starts_with("ACCP"))
    });
    let told = told(&rows);
    let expected = "choose in a fresh process ACCP AES-128-GCM (one-shot), 210 ms, holding 210 MB at its peak; in a warm one \
                    SunJCE AES-128-GCM (one-shot), 105 ms, holding 315 MB at its peak";
    assert!(told[0].ends_with(expected), "{told:?}");
}

#[test]
fn the_document_says_the_same() {
    let rows = run(&[ONE_SHOT, SQUARE, EARLY], 8);
    let cells = summary::cells(&rows);
    let grown = growths::growths(&rows, &cells);
    let document = json(Evidence { rows: &rows, cells: &cells, grown: &grown });
    let advice = &document[0];
    assert_eq!((&advice["jdk"], &advice["bytes"]), (&"17.0.15".into(), &(100 * MIB).into()));
    assert_eq!(advice["steady"]["line"]["shape"], "one-shot");
    assert_eq!(advice["steady"]["peak_bytes"], 300 * MIB);
    assert_eq!(advice["avoid"][0]["why"]["is_predicted"], true);
    assert_eq!(advice["avoid"][1]["why"]["releases_early"], true);
}

/// Fast while it is small, and linear by the clock: but it allocates with the square of the size.
#[test]
fn what_allocates_with_the_square_is_not_advised() {
    let hungry = Made { family: "Hungry", cold: |size| size / 4, steady: |size| size / 4, ..ONE_SHOT };
    let mut rows = run(&[ONE_SHOT, hungry], 8);
    let chosen = |rows: &[Row]| told(rows)[0].split(" AES").next().unwrap().to_owned();
    assert!(chosen(&rows).ends_with("choose Hungry"), "{}", chosen(&rows));
    for row in &mut rows {
        if let Row::Sample(sample) = row
            && sample.line.engine.starts_with("Hungry")
        {
            sample.allocated_bytes = Some(sample.size * sample.size / 1_000);
        }
    }
    assert!(chosen(&rows).ends_with("choose SunJCE"), "{}", chosen(&rows));
    assert!(told(&rows)[0].contains("avoid for growth or time: Hungry"), "{}", told(&rows)[0]);
}

/// More blocks are worth more than a larger size.
#[test]
fn the_size_that_is_advised_on_has_enough_blocks() {
    let mut rows = run(&[ONE_SHOT], 8);
    rows.retain(|row| !matches!(row, Row::Sample(sample) if sample.size > 10 * MIB && sample.block > 1));
    assert!(told(&rows)[0].starts_with("JDK 17.0.15, to open 10 MiB: choose SunJCE"), "{}", told(&rows)[0]);
}

#[test]
fn one_size_is_no_ground_for_advice() {
    let mut rows = run(&[ONE_SHOT], 8);
    rows.retain(|row| !matches!(row, Row::Sample(sample) if sample.size != 2 * MIB));
    assert_eq!(told(&rows), [""; 0]);
}
