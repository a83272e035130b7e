#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::super::peppol_gcm::{ENGINES, Figure, family};
use super::*;
use crate::engine::Role;
use crate::rows::{Phase, Row, Sample};
use crate::summary;
use crate::summary::made::steady;

/// The published tables as eight blocks without any noise, cold and steady alike, so that every interval is the figure
/// itself. What `change` refuses is not there.
fn published(mut change: impl FnMut(&mut Figure) -> bool) -> Vec<Row> {
    let mut rows = Vec::new();
    for mut figure in figures() {
        if !change(&mut figure) {
            continue;
        }
        let name = format!("{} {}", family(&figure.engine), figure.jdk);
        rows.push(Row::Engine(rows::Engine {
            engine: name.clone(),
            family: family(&figure.engine).into(),
            about: String::new(),
            role: Role::Peer,
            version: "1".into(),
            jdk: Some(figure.jdk.clone()),
            in_process: true,
        }));
        for phase in [Phase::Cold, Phase::Steady] {
            rows.extend((0..8).map(|block| sample(&figure, &name, phase, block)));
        }
    }
    rows
}

fn sample(figure: &Figure, engine: &str, phase: Phase, block: u64) -> Row {
    let line = rows::Line { engine: engine.into(), algorithm: ALGORITHM.into(), shape: SHAPE, again: false };
    Row::Sample(Sample {
        phase,
        ..steady(JOB, bytes(figure.size_mb), &line, figure.operation, block, figure.ms * 1_000_000)
    })
}

fn decided(rows: &[Row], jdk: &str) -> Vec<Option<Conclusion>> {
    let cells = summary::cells(rows);
    on(&cells, &growths::growths(rows, &cells), jdk)
}

fn fates(rows: &[Row], jdk: &str) -> Vec<Option<Fate>> {
    decided(rows, jdk).iter().map(|one| one.as_ref().map(|one| one.fate)).collect()
}

const YES: Option<Fate> = Some(Fate::Confirmed);
const NO: Option<Fate> = Some(Fate::Refuted);
const OPEN: Option<Fate> = Some(Fate::Undecided);

/// Only on Java 12 did opening 5 MB take longer than was said.
#[test]
fn the_published_tables_bear_out_what_was_concluded_from_them() {
    let rows = published(|_| true);
    for jdk in ["1.8.0_372", "17", "20.0.1"] {
        assert_eq!(fates(&rows, jdk), [YES, YES, YES, YES, None, None], "{jdk}");
    }
    assert_eq!(fates(&rows, "12"), [YES, YES, NO, YES, None, None]);
    assert_eq!(fates(&rows, "21"), [YES, None, None, None, YES, YES]);
    assert_eq!(fates(&rows, "25"), [OPEN, None, None, None, OPEN, OPEN]);
}

#[test]
fn what_was_said_of_1_mb_is_not_borne_out() {
    let rows = published(|_| true);
    let cells = summary::cells(&rows);
    let grown = growths::growths(&rows, &cells);
    let at_1_mb =
        |jdk| Today { cells: &cells, grown: &grown, jdk }.against(bytes(1.0), Seal, Claim::at_most(1.0)).fate;
    use Fate::{Confirmed, Refuted};
    assert_eq!(
        ["1.8.0_372", "12", "17", "20.0.1", "21"].map(at_1_mb),
        [Confirmed, Refuted, Refuted, Refuted, Refuted]
    );
}

#[test]
fn each_of_them_can_be_refuted() {
    for (at, jdk, operation, size, share) in [
        (0, "17", Seal, 5.0, 3.0),
        (0, "21", Seal, 100.0, 6.0),
        (1, "17", Open, 5.0, 0.1),
        (1, "17", Open, 100.0, 0.1),
        (2, "17", Open, 1.0, 20.0),
        (3, "17", Open, 10.0, 0.5),
        (3, "17", Open, 100.0, 0.3),
        (4, "21", Open, 100.0, 2.0),
        (5, "21", Seal, 100.0, 6.0),
        (5, "21", Open, 100.0, 2.0),
    ] {
        let rows = published(|figure| {
            if (figure.operation, figure.size_mb) == (operation, size) && figure.engine == ENGINES[0] {
                figure.ms = (figure.ms as f64 * share) as u64;
            }
            true
        });
        assert_eq!(fates(&rows, jdk)[at], NO, "{at} {jdk} {operation} {size} {share}");
    }
}

/// A linear Java 17 refutes the second by its exponent, a quadratic 21 the fifth.
#[test]
fn exponents_decide_too() {
    let rows = published(|figure| {
        if (figure.operation, figure.engine.as_str()) == (Open, SUN) {
            let power: f64 = if major(&figure.jdk) < 21 { 1.0 } else { 1.5 };
            figure.ms = (2e6 * (bytes(figure.size_mb) as f64 / bytes(5.0) as f64).powf(power)) as u64;
        }
        true
    });
    let failed = |jdk: &str, at: usize| {
        let all = decided(&rows, jdk);
        let parts = &all[at].as_ref().unwrap().parts;
        let part = parts.iter().find(|part| part.what.contains("exponent")).unwrap();
        (part.fate, part.seen.unwrap().median)
    };
    let ((old, linear), (new, steep)) = (failed("17", 1), failed("21", 4));
    assert_eq!((old, new), (Fate::Refuted, Fate::Refuted));
    assert!((linear - 1.0).abs() < 1e-3 && (steep - 1.5).abs() < 1e-3, "{linear} {steep}");
}

/// Minutes that nobody waits for are predicted, and decide where the curve has an interval: on Java 17 too few sizes are
/// left for one.
#[test]
fn what_was_not_run_is_predicted_from_smaller_sizes() {
    let left_out = (100.0, SUN, Open);
    let rows = published(|figure| (figure.size_mb, figure.engine.as_str(), figure.operation) != left_out);
    let all = decided(&rows, "12");
    for (at, measured) in [(1, 1250.3), (3, 2179.3e9)] {
        let seen = all[at].as_ref().unwrap().parts.last().unwrap().seen.unwrap();
        assert!(seen.is_predicted && seen.is_interval, "{seen:?}");
        assert!(seen.low < 1.1 * measured && measured < seen.high, "{measured} {seen:?}");
    }
    assert_eq!(fates(&rows, "12")[..4], [YES, YES, NO, YES]);
    assert_eq!(fates(&rows, "17")[..4], [YES, OPEN, YES, OPEN]);
}

/// The twelve minutes were waited for, twice: the curve through what was measured in full decides as if they had not been.
#[test]
fn what_was_measured_too_seldom_is_judged_by_its_prediction() {
    let rows_with = |share: f64| {
        let mut rows = published(|_| true);
        let is_it = |sample: &Sample| {
            (sample.size, sample.operation) == (bytes(100.0), Open) && sample.line.engine.starts_with(SUN)
        };
        rows.retain(|row| !matches!(row, Row::Sample(sample) if is_it(sample) && sample.block > 1));
        for row in &mut rows {
            if let Row::Sample(sample) = row
                && is_it(sample)
            {
                sample.wall_ns = (sample.wall_ns as f64 * share) as u64;
            }
        }
        rows
    };
    let rows = rows_with(1.0);
    assert_eq!(fates(&rows, "12")[..4], [YES, YES, NO, YES]);
    let all = decided(&rows, "12");
    for (at, measured) in [(1, 1250.3), (3, 2179.3e9)] {
        let seen = all[at].as_ref().unwrap().parts.last().unwrap().seen.unwrap();
        assert!(seen.is_predicted && seen.is_interval, "{seen:?}");
        let beside = seen.beside.unwrap();
        assert!(beside.blocks == 2 && (beside.median / measured - 1.0).abs() < 1e-3, "{beside:?}");
    }
    let contradicted = decided(&rows_with(0.01), "12");
    for at in [1, 3] {
        let part = contradicted[at].as_ref().unwrap().parts.last().unwrap();
        assert_eq!(part.fate, Fate::Undecided, "{}", part.what);
    }
}

#[test]
fn the_first_is_not_confirmed_without_the_size_it_names() {
    let rows = published(|figure| (figure.size_mb, figure.operation) != (100.0, Seal));
    assert_eq!(fates(&rows, "17")[0], OPEN);
    let parts = &decided(&rows, "17")[0];
    let last = parts.as_ref().unwrap().parts.last().unwrap();
    assert!(last.what.contains("100 MB") && last.seen.is_none(), "{}", last.what);
}

/// A machine five times as fast opens 10 MB in time, and takes as many times what Bouncy Castle takes.
#[test]
fn a_faster_machine_does_not_refute_the_fourth() {
    let rows = published(|figure| {
        figure.ms = figure.ms.div_ceil(5);
        true
    });
    assert_eq!(fates(&rows, "17")[..4], [YES, YES, YES, OPEN]);
    let parts = &decided(&rows, "17")[3];
    let refuted = parts.as_ref().unwrap().parts.iter().filter(|part| part.fate == Fate::Refuted);
    assert!(refuted.map(|part| part.what.contains("on this machine")).eq([true, true]));
}

#[test]
fn the_rules_are_those_of_the_document() {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let document = words(include_str!("../../../../../lab/history/peppol-gcm.md"));
    for (at, rule) in RULES.iter().enumerate() {
        assert!(document.contains(&format!("Confirmed if {rule}.")), "{}. {rule}", at + 1);
    }
}

#[test]
fn fewer_than_six_blocks_decide_nothing() {
    let mut rows = published(|_| true);
    rows.retain(|row| !matches!(row, Row::Sample(sample) if sample.block > 4));
    for jdk in ["17", "21"] {
        let all = decided(&rows, jdk);
        assert!(all.iter().flatten().all(|one| one.fate == Fate::Undecided));
        assert!(all.iter().flatten().flat_map(|one| &one.parts).all(|part| part.seen.is_some()));
    }
}
