#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::fixtures::Made;
use super::*;
use crate::stats::verdict::{Reason, Verdict};

mod tls;

fn engine(name: &str, role: Role) -> Row {
    Row::Engine(rows::Engine {
        engine: name.into(),
        family: name.into(),
        about: String::new(),
        role,
        version: "1".into(),
        jdk: None,
        in_process: true,
    })
}

fn line(engine: &str, algorithm: &str) -> rows::Line {
    rows::Line::new(engine, algorithm, "tuned")
}

fn sample(line: &rows::Line, size: u64, operation: Operation, block: u64, wall_ns: u64) -> Sample {
    fixtures::steady("file", size, line, operation, block, wall_ns)
}

fn sealed(line: &rows::Line, block: u64, wall_ns: u64) -> Row {
    Row::Sample(sample(line, 1, Operation::Seal, block, wall_ns))
}

/// Names of the engines in a cell, in order, each once.
fn engines(cell: &Cell) -> Vec<&str> {
    let mut names: Vec<&str> = cell.lines.iter().map(Line::engine).collect();
    names.dedup();
    names
}

#[test]
fn jobs_keep_their_order_and_cells_and_lines_get_one() {
    let mut rows = vec![engine("b", Role::Ours), engine("a", Role::Peer)];
    let other = Sample { job: "codec".into(), ..sample(&line("a", "none"), 1, Operation::Encode, 0, 1) };
    for (size, operation) in [(2, Operation::Seal), (1, Operation::Open), (1, Operation::Seal)] {
        for (name, key) in [("a", "none"), ("b", "ML-KEM-768"), ("b", "P-256")] {
            rows.push(Row::Sample(sample(&line(name, key), size, operation, 0, 1)));
        }
    }
    rows.push(Row::Sample(other));
    let cells = cells(&rows);
    let order: Vec<_> = cells.iter().map(|cell| (cell.job.as_str(), cell.size, cell.operation)).collect();
    let (file, codec) = ("file", ("codec", 1, Operation::Encode));
    let sizes = [(file, 1, Operation::Seal), (file, 1, Operation::Open), (file, 2, Operation::Seal)];
    assert_eq!(order, [&sizes[..], &[codec]].concat());
    let lines: Vec<_> = cells[0].lines.iter().map(|line| (line.engine(), line.algorithm())).collect();
    assert_eq!(lines, [("b", "P-256"), ("b", "ML-KEM-768"), ("a", "none")]);
    assert_eq!(engines(&cells[0]), ["b", "a"]);
}

#[test]
fn a_block_is_the_mean_of_its_passes_and_cold_samples_stand_apart() {
    let mine = line("a", "none");
    let pass = |pass, count, wall_ns, cpu| {
        let base = sample(&mine, 1, Operation::Seal, 0, wall_ns);
        let used = crate::usage::Used::of(cpu, None);
        Row::Sample(Sample { pass, count, used, ..base })
    };
    let cold = Sample { phase: Phase::Cold, start_ns: Some(7), ..sample(&mine, 1, Operation::Seal, 0, 900) };
    let rows = [Row::Sample(cold), pass(0, 10, 100, Some(90)), pass(1, 20, 400, None), sealed(&mine, 1, 12)];
    let cells = cells(&rows);
    let line = &cells[0].lines[0];
    assert_eq!(line.wall, ByBlock::from([(0, 15.0), (1, 12.0)]));
    assert_eq!((line.least, line.time(), line.cpu()), (10.0, 13.5, Some(9.0)));
    assert_eq!(line.first().unwrap(), 900.0);
}

#[test]
fn peaks_stand_apart_and_a_line_without_steady_samples_is_no_contestant() {
    let [both, cold] = [line("a", "none"), line("b", "none")];
    let peak = |line: &rows::Line, phase, peak| {
        let used = crate::usage::Used::of(None, Some(peak));
        Row::Sample(Sample { phase, used, ..sample(line, 1, Operation::Open, 0, 900) })
    };
    let rows = [peak(&both, Phase::Cold, 3), peak(&both, Phase::Steady, 2), peak(&cold, Phase::Cold, 5)];
    let cells = cells(&rows);
    let known = &cells[0].lines[0];
    assert_eq!((known.peak_bytes, known.cold_peak_bytes), (Some(2), Some(3)));
    assert_eq!((cells[0].contestants().count(), cells[0].cold.len()), (1, 1));
    let alone = cells[0].contestants_or_cold().last().unwrap();
    assert_eq!((alone.engine(), alone.first().unwrap(), alone.cold_peak_bytes), ("b", 900.0, Some(5)));
}

/// In a quiet run, processes that sent over a socket took 1.7 times as long while the cores were apart.
#[test]
fn what_was_measured_while_the_cores_were_apart_does_not_count() {
    let apart = |line: &rows::Line, block, is_apart| {
        let (core_ns, wall_ns) = if is_apart { (310, 38) } else { (55 + block, 22) };
        Row::Sample(Sample { core_ns: Some(core_ns), ..sample(line, 1, Operation::Seal, block, wall_ns) })
    };
    let [one, other] = [line("a", "none"), line("b", "none")];
    let rows: Vec<Row> =
        (0..8).flat_map(|block| [apart(&one, block, block < 3), apart(&other, block, block == 7)]).collect();
    let cell = &cells(&rows)[0];
    let counted = |at: usize| cell.lines[at].wall.iter().map(|(block, ns)| (*block, *ns)).collect::<Vec<_>>();
    assert_eq!(counted(0), (3..8).map(|block| (block, 22.0)).collect::<Vec<_>>());
    assert_eq!(counted(1), (0..7).map(|block| (block, 22.0)).collect::<Vec<_>>());
    assert_eq!((cell.apart, cell.is_partial), (Some(4), false));
    // Where they never were together, the distance is the machine's.
    let rows: Vec<Row> = (0..8).map(|block| apart(&one, block, true)).collect();
    assert_eq!((cells(&rows)[0].lines[0].wall.len(), cells(&rows)[0].apart), (8, Some(0)));
    assert_eq!(cells(&[sealed(&one, 0, 22)])[0].apart, None);
}

/// A rival without a figure is no rival that lost, and its unsteady times are those of another state.
#[test]
fn a_line_that_was_measured_only_while_the_cores_were_apart_is_missing() {
    let with = |line: &rows::Line, phase, core_ns| {
        let sample = sample(line, 1, Operation::Seal, 0, 22);
        Row::Sample(Sample { core_ns, phase, ..sample })
    };
    let [one, other] = [line("a", "none"), line("b", "none")];
    let near = || (0..4).map(|_| with(&one, Phase::Steady, Some(55)));
    let rows = |phase| {
        let apart = [with(&other, Phase::Steady, Some(300)), with(&other, phase, None)];
        near().chain(apart).collect::<Vec<Row>>()
    };
    let seen = |phase| {
        let cell = &cells(&rows(phase))[0];
        (cell.lines.len(), cell.cold.len(), cell.is_partial)
    };
    assert_eq!([Phase::Unsteady, Phase::Cold].map(seen), [(1, 0, true), (1, 1, true)]);
    assert_eq!(seen(Phase::Steady), (2, 0, false));
}

/// Eight blocks of a drifting machine: `ours`, `ours` again, and the yardstick, by factors of a block's time.
fn drifting(ours: f64, again: f64) -> Vec<Row> {
    let (mine, copy) = (line("ours", "X25519"), line("copy", "none"));
    let twice = rows::Line { again: true, ..mine.clone() };
    let size = rows::Size { job: "file".into(), size: 1, reference: Some(copy.clone()) };
    let mut rows = vec![engine("copy", Role::Yardstick), engine("ours", Role::Ours), Row::Size(size)];
    for block in 0..8 {
        let now = 1e6 * (1.0 + 0.1 * block as f64);
        rows.push(sealed(&copy, block, now as u64));
        rows.push(sealed(&mine, block, (now * ours) as u64));
        rows.push(sealed(&twice, block, (now * ours * again) as u64));
    }
    rows
}

#[test]
fn ratios_are_those_within_blocks_and_have_a_verdict() {
    let rows = drifting(1.5, 1.0);
    let cell = &cells(&rows)[0];
    let (copy, ours) = (&cell.lines[0], &cell.lines[1]);
    let seen = cell.compare(ours, cell.reference_of(&cell.lines[0]).unwrap()).unwrap();
    assert!((seen.median - 1.5).abs() < 1e-4 && seen.high - seen.low < 1e-4, "{seen:?}");
    assert_eq!((crate::format::verdict(seen.verdict).0, seen.blocks), ("slower", 8));
    assert_eq!(cell.compare(ours, cell.yardstick_of(&cell.lines[0]).unwrap()), Some(seen));
    assert_eq!(cell.compare(copy, cell.reference_of(&cell.lines[0]).unwrap()), None);
}

#[test]
fn a_difference_below_that_between_a_line_and_itself_is_not_called() {
    for (ours, again, expected) in [
        (1.1, 1.0, "slower"),
        (0.9, 1.0, "faster"),
        (1.01, 1.0, "the same"),
        (1.1, 1.2, "undecided"),
        (0.9, 1.2, "undecided"),
    ] {
        let rows = drifting(ours, again);
        let cell = &cells(&rows)[0];
        let floor = cell.floor_of(&cell.lines[0]).unwrap();
        assert!((floor - again).abs() < 1e-3, "{floor} {again}");
        let seen = cell.compare(&cell.lines[1], cell.reference_of(&cell.lines[0]).unwrap()).unwrap();
        assert_eq!(crate::format::verdict(seen.verdict).0, expected, "{ours} {again}");
    }
}

#[test]
fn one_block_has_a_range_and_no_verdict_and_few_a_wide_interval() {
    for (job, blocks, ratio, word) in [
        ("codec", 1, 1.5, "undecided"),
        ("codec", 2, 1.5, "slower"),
        ("codec", 5, 1.5, "slower"),
        ("codec", 2, 1.2, "undecided"),
        ("codec", 3, 1.2, "slower"),
        ("codec", 5, 1.1, "undecided"),
        // Two single operations may be slow alike.
        ("file", 2, 9.0, "undecided"),
        ("file", 3, 9.0, "undecided"),
        ("file", 4, 1.5, "slower"),
    ] {
        let mut rows = drifting(ratio, 1.0);
        rows.retain(|row| !matches!(row, Row::Sample(sample) if sample.block >= blocks));
        rows.iter_mut().for_each(|row| match row {
            Row::Sample(sample) => sample.job = job.into(),
            Row::Size(size) => size.job = job.into(),
            _ => {}
        });
        let cell = &cells(&rows)[0];
        let seen = cell.compare(&cell.lines[1], &cell.lines[0]).unwrap();
        assert_eq!((seen.blocks, crate::format::verdict(seen.verdict).0), (blocks as usize, word), "{job}");
        assert!((seen.median - ratio).abs() < 1e-4, "{seen:?}");
        let is_interval = blocks > if job == "file" { 3 } else { 1 };
        assert_eq!(
            (seen.interval.is_some(), cell.floor_of(&cell.lines[0]).is_some()),
            (is_interval, blocks > 1)
        );
    }
}

/// Lines of a JVM stray from themselves by a fifth, and native ones do not.
#[test]
fn what_runs_a_line_has_a_noise_of_its_own() {
    let mut made = Made::default();
    let jvm = made.jvm("SunJCE", "25");
    fn of(engine: &str) -> fixtures::Named<'_> {
        (engine, "base64", "tuned")
    }
    for (engine, ns) in [("simdutf", 1_000), ("Go", 1_100), (&jvm, 1_100)] {
        made.timed("codec", 49, of(engine), Operation::Encode, ns);
    }
    let again = |made: &mut Made, engine: &str, ns: u64, phase: Phase| {
        for block in 0..fixtures::BLOCKS {
            made.sample("codec", 49, of(engine), Operation::Encode, block, |sample| {
                (sample.line.again, sample.wall_ns, sample.phase) = (true, ns, phase);
            });
        }
    };
    again(&mut made, &jvm, 1_320, Phase::Steady);
    // Lines that did not become steady tell nothing of the noise.
    again(&mut made, "Go", 9_000, Phase::Unsteady);
    let cell = &made.cells()[0];
    let find = |engine| cell.line(&fixtures::line(of(engine))).unwrap();
    assert_eq!(
        ["simdutf", "Go", &jvm].map(|it| cell.floor_of(find(it)).map(|floor| (100.0 * floor).round())),
        [Some(100.0), Some(100.0), Some(120.0)]
    );
    let verdict = |engine| cell.compare(find(engine), find("simdutf")).unwrap().verdict;
    assert_eq!(verdict("Go"), Verdict::Slower);
    assert_eq!(verdict(&jvm), Verdict::Undecided(Reason::InsideNoise));
}

#[test]
fn without_a_line_against_itself_nothing_is_called() {
    let mut rows = drifting(1.5, 1.0);
    rows.retain(|row| !matches!(row, Row::Sample(sample) if sample.line.again));
    let cell = &cells(&rows)[0];
    let seen = cell.compare(&cell.lines[1], &cell.lines[0]).unwrap();
    assert_eq!((seen.blocks, seen.verdict), (8, Verdict::Undecided(Reason::NoNoiseKnown)));
    assert!(seen.interval.is_some());
}

#[test]
fn cpu_time_has_its_own_noise() {
    for (again, expected) in [(Some(1.0), "slower"), (Some(1.2), "undecided"), (None, "undecided")] {
        let mut rows = drifting(1.5, 1.0);
        for row in &mut rows {
            let Row::Sample(sample) = row else { continue };
            let factor = match (&*sample.line.engine, sample.line.again) {
                ("ours", true) => again.map(|again| 1.1 * again),
                ("ours", false) => Some(1.1),
                _ => Some(1.0),
            };
            sample.used.cpu_ns = factor.map(|factor| (1e6 * factor) as u64);
        }
        let cell = &cells(&rows)[0];
        assert_eq!(cell.floor_of(&cell.lines[0]), Some(1.0));
        let seen = cell.compare_cpu(&cell.lines[1], &cell.lines[0]).unwrap();
        assert_eq!(crate::format::verdict(seen.verdict).0, expected, "{again:?}");
    }
}

/// A line of which no block was steady takes twelve times as long; it may yet become the faster one.
#[test]
fn unsteady_times_are_compared_with_nothing() {
    let lines = ["theirs", "ours"].map(|engine| line(engine, "none"));
    let told = |unsteady: &[&str]| {
        let mut rows = vec![engine("ours", Role::Ours), engine("theirs", Role::Peer)];
        for block in 0..8 {
            for (line, ns) in [
                (&lines[0], 1_000),
                (&lines[1], 12_000),
                (&rows::Line { again: true, ..lines[0].clone() }, 1_000),
            ] {
                for operation in [Operation::Full, Operation::Resumed] {
                    let mut sample = fixtures::steady(fixtures::CONNECT, 1, line, operation, block, ns);
                    sample.used.cpu_ns = Some(ns);
                    let is_unsteady = operation == Operation::Full && unsteady.contains(&&*line.engine);
                    sample.phase = if is_unsteady { Phase::Unsteady } else { Phase::Steady };
                    rows.push(Row::Sample(sample));
                }
            }
        }
        let all = cells(&rows);
        let (cell, other) = (&all[0], &all[1]);
        let [theirs, ours] = [&lines[0], &lines[1]].map(|line| cell.line(line).unwrap());
        let later = other.line(&lines[1]).unwrap();
        [cell.compare(ours, theirs), cell.compare_cpu(ours, theirs), across((cell, ours), (other, later))]
            .map(Option::unwrap)
    };
    let words = |ratios: &[Ratio; 3]| ratios.map(|ratio| crate::format::verdict(ratio.verdict).0);
    let steady = told(&[]);
    assert_eq!(words(&steady), ["slower", "slower", "the same"]);
    for unsteady in [&["ours"][..], &["ours", "theirs"]] {
        let ratios = told(unsteady);
        assert_eq!(words(&ratios), [crate::format::WARMING; 3]);
        for ratio in ratios {
            assert_eq!((ratio.interval, ratio.sure_ends, ratio.sure), (None, None, ratio.verdict));
            assert!(ratio.is_open() && !ratio.is_no_faster());
        }
    }
}

#[test]
fn contention_is_told_of_a_block() {
    for (block, others, stolen) in [(0, 50, 10), (1, 51, 0), (2, 0, 11)] {
        let row = rows::Block {
            job: "file".into(),
            size: 1,
            block,
            milliseconds: 1,
            stolen_permille: Some(stolen),
            others_permille: Some(others),
        };
        assert_eq!(is_contended(&row), block > 0);
    }
}

/// Other work during one block trebles the time of one line there.
#[test]
fn a_contended_block_is_left_out_of_lines_that_have_enough_others() {
    let lines = ["theirs", "ours"].map(|engine| line(engine, "none"));
    let told = |contended: &[u64]| {
        let mut rows = vec![engine("ours", Role::Ours), engine("theirs", Role::Peer)];
        for block in 0..5 {
            rows.extend([
                sealed(&lines[0], block, 1_000),
                sealed(&lines[1], block, if block == 4 { 9_000 } else { 3_000 }),
            ]);
            let others_permille = Some(if contended.contains(&block) { 500 } else { 0 });
            let row = rows::Block {
                job: "file".into(),
                size: 1,
                block,
                milliseconds: 600,
                stolen_permille: None,
                others_permille,
            };
            rows.push(Row::Block(row));
        }
        let cell = &cells(&rows)[0];
        cell.compare(&cell.lines[1], &cell.lines[0]).unwrap().blocks
    };
    assert_eq!(told(&[4]), 4);
    // Three blocks of a job on files tell nothing, so all five stay.
    for contended in [&[][..], &[0, 4], &[0, 1, 2, 3, 4]] {
        assert_eq!(told(contended), 5, "{contended:?}");
    }
}

/// Its times are those of other work: it is neither the fastest nor a reference, and its verdicts are none.
#[test]
fn a_line_that_was_proven_wrong_has_no_figures_at_that_size() {
    let (good, bad) = (line("theirs", "none"), line("ours", "X25519"));
    let mut rows = vec![engine("ours", Role::Ours), engine("theirs", Role::Peer)];
    for block in 0..8 {
        rows.extend([sealed(&good, block, 2_000), sealed(&bad, block, 1_000)]);
        rows.push(Row::Sample(sample(&bad, 2, Operation::Seal, block, 1_000)));
    }
    let engines = |rows: &[Row]| -> Vec<(u64, Vec<String>)> {
        let told = |cell: &Cell| (cell.size, engines(cell).into_iter().map(str::to_owned).collect());
        cells(rows).iter().map(told).collect()
    };
    let fault = |kind, size, algorithm: Option<&str>, how| {
        Row::Fault(rows::Fault {
            job: "file".into(),
            size,
            engine: "ours".into(),
            parameters: crate::parameters::Parameters::for_tests(algorithm, how),
            operation: Some(Operation::Open),
            kind,
            why: "the digest is another".into(),
        })
    };
    let both = vec![(1, vec!["ours".to_owned(), "theirs".to_owned()]), (2, vec!["ours".to_owned()])];
    assert_eq!(engines(&rows), both);
    use rows::FaultKind::{Died, NotRun, TimedOut, WrongOutput};
    for (size, algorithm, how) in
        [(Some(1), Some("X25519"), Some("tuned")), (Some(1), Some("X25519"), None), (Some(1), None, None)]
    {
        let rows = [rows.clone(), vec![fault(WrongOutput, size, algorithm, how)]].concat();
        assert_eq!(engines(&rows), [(1, vec!["theirs".to_owned()]), (2, vec!["ours".to_owned()])]);
    }
    let rows_with = |fault| [rows.clone(), vec![fault]].concat();
    assert_eq!(engines(&rows_with(fault(WrongOutput, None, None, None))), [(1, vec!["theirs".to_owned()])]);
    for harmless in [
        fault(Died, Some(1), None, None),
        fault(TimedOut, Some(1), None, None),
        fault(NotRun, None, None, None),
        fault(WrongOutput, Some(1), Some("P-256"), None),
        fault(WrongOutput, Some(1), None, Some("stream")),
    ] {
        assert_eq!(engines(&rows_with(harmless)), both);
    }
}

#[test]
fn figures_are_the_middle_of_the_spans_and_lines_are_held_against_their_own_jdk() {
    let cells = fixtures::Made::served(|_| {}).cells();
    assert_eq!(cells[0].groups().len(), 2);
    let line =
        |engine: &str| cells[0].contestants_and_yardstick().find(|line| line.engine() == engine).unwrap();
    let sealed = line("tomcat-sealed 25");
    let figures = [sealed.request_median_ns, sealed.request_p99_ns, sealed.client_cpu_ns];
    assert_eq!(figures, [400_000.0, 1_500_000.0, 20_000.0].map(Some));
    for engine in ["tomcat-plain", "tomcat-mask", "tomcat-sealed"] {
        for jdk in ["17", "25"] {
            let plain = cells[0].yardstick_of(line(&format!("{engine} {jdk}"))).unwrap();
            assert_eq!(plain.engine(), format!("tomcat-plain {jdk}"));
        }
    }
    assert_eq!(cells[0].reference_of(sealed).unwrap().engine(), "tomcat-plain 25");
    assert_eq!(cells[0].yardstick_of(sealed).unwrap().engine(), "tomcat-plain 25");
}
