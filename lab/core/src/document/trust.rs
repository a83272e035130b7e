//! The circumstances of a run, those that disturbed its figures, and lines to keep away from.

use super::answers::capital;
use super::contest::spoken_name;
use super::{Answer, Run, Sentence, id, id_of_cell, sizes};
use crate::format;
use crate::jdks::major;
use crate::jobs;
use crate::rows::{self, FaultKind, Row, Unmeasured};
use crate::stats;
use crate::summary::growths::Grown;
use crate::summary::warmth::WarmUp;
use crate::summary::{self, Cell, Line};
use crate::units;
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::time::Duration;

/// The title of a run, and a line about it.
pub fn title(rows: &[Row]) -> (String, String) {
    let Some(header) = rows::header(rows) else { return ("Sealmark lab".into(), String::new()) };
    let seconds = end(rows).map(|end| format!("{} s", end.seconds));
    let machine = format!("{}, {} cores", header.machine.cpu, header.machine.cores);
    let jdks = rows::engines(rows).filter_map(|engine| Some(major(engine.jdk.as_deref()?)));
    let jdks = jdks.collect::<BTreeSet<_>>().into_iter().map(|jdk| jdk.to_string());
    let jdks = format::few(jdks, 6, ", ").map(|jdks| format!("JDK {jdks}"));
    let parts = [Some(machine), jdks, Some(header.started.clone()), seconds];
    let about: Vec<String> = parts.into_iter().flatten().collect();
    (format!("Sealmark lab: {}", header.plan), about.join(" · "))
}

fn end(rows: &[Row]) -> Option<&rows::End> {
    rows.iter().rev().find_map(|row| if let Row::End(end) = row { Some(end) } else { None })
}

/// The disturbances of the run and their effect in one sentence; nothing where nobody looked.
pub fn disturbed(rows: &[Row], cells: &[Cell]) -> Option<String> {
    let is_long_enough = |block: &&rows::Block| block.others_permille.or(block.stolen_permille).is_some();
    let blocks: Vec<&rows::Block> = rows::blocks(rows).filter(is_long_enough).collect();
    let busy = blocks.iter().filter(|block| summary::is_contended(block)).count();
    let apart: usize = cells.iter().filter_map(|cell| cell.apart).sum();
    let lines = cells.iter().flat_map(|cell| &cell.lines).filter(|line| line.is_steady);
    let unsteady: usize = lines.map(|line| line.unsteady_blocks).sum();
    let held = rows::header(rows).and_then(|header| header.held_mib);
    let end = end(rows);
    let others = end.and_then(|end| end.others_permille);
    let stolen = end.and_then(|end| end.stolen_permille.filter(|share| *share > summary::BUSY_HOST));
    // Giving back less than a heap of a JVM costs no more than a warm-up of one.
    let reported = end.and_then(|end| end.reported_mib.filter(|mib| held.is_some() && *mib >= 512));
    let slower = end.and_then(|end| end.megahertz.filter(|(then, now)| now * 20 < then * 19));
    let causes = [
        others.map(|share| format!("other work took {} of the CPU time", percent(share))),
        stolen.map(|share| format!("the host took {} of it for others", percent(share))),
        held.map(|mib| format!("the lab held {mib} MiB so that free memory did not go back to the host")),
        reported.map(|mib| format!("{mib} MiB of it went back all the same")),
        slower.map(|(then, now)| format!("the clock fell from {then} to {now} MHz")),
        (apart > 0).then(|| format::count(apart, "measurement") + " while cores were apart do not count"),
        (busy > 0).then(|| format!("{busy} of {} were disturbed", format::count(blocks.len(), "block"))),
        (unsteady > 0).then(|| format::count(unsteady, "warm-up") + " did not end in time"),
    ];
    let effect = match others {
        Some(share) if share > summary::BUSY_OTHERS => "repeat the run on an idle machine",
        _ if busy + unsteady > 0 => "lines that have enough other blocks are judged without those",
        _ if apart > 0 => "all others count",
        _ => "all blocks count",
    };
    let causes = format::few(causes.into_iter().flatten(), usize::MAX, ", ")?;
    Some(format!("{}: {effect}.", capital(&causes)))
}

/// The questions without an answer, and the lines without a figure.
pub fn missing(rows: &[Row], answers: &[Answer]) -> Vec<String> {
    let unpaid = unpaid(rows).map(|((job, size), it)| format!("{job} {}: {it}", jobs::of(job).amount(size)));
    let open = answers.iter().filter(|answer| !answer.is_told).map(|answer| answer.about.clone());
    let open: Vec<String> = open.collect();
    let (all, many) = (format::count(answers.len(), "question"), open.len());
    let told = [
        format::few(open, 6, "; ").map(|open| format!("{many} of {all} without an answer: {open}.")),
        format::list("Engines that failed", failed(rows), ", "),
        format::list("Not measured, because the budget is too small", unpaid, "; "),
    ];
    told.into_iter().flatten().collect()
}

fn percent(permille: u64) -> String {
    format!("{}.{} %", permille / 10, permille % 10)
}

/// Sizes with lines that were left out before the run began, and what was said of those.
fn unpaid(rows: &[Row]) -> impl Iterator<Item = ((&str, u64), &str)> {
    let notes = rows.iter().filter_map(|row| if let Row::Note(note) = row { Some(note) } else { None });
    let notes = notes.filter(|note| note.unmeasured == Some(Unmeasured::Lines));
    notes.map(|note| ((&*note.job, note.size), note.note.split(':').next().unwrap_or_default()))
}

/// Engines that failed as a whole: nothing is told of their lines, or by them.
fn failed(rows: &[Row]) -> BTreeSet<String> {
    let is_it = |fault: &&rows::Fault| {
        let is_planned = matches!(fault.kind, FaultKind::NotRun | FaultKind::Absent | FaultKind::Unsupported);
        fault.parameters.algorithm().is_none() && fault.size.is_none() && !is_planned
    };
    let told = |fault: &rows::Fault| format!("{} ({})", fault.engine, fault.kind.words());
    rows::faults(rows).filter(is_it).map(told).collect()
}

/// The time that a missing answer would take, and the reason why it is missing: a sentence to follow a headline.
pub fn more(rows: &[Row], answer: &Answer) -> Option<String> {
    let doubt = answer.doubt.as_ref().filter(|_| !answer.is_told)?;
    let about = (answer.job.as_str(), answer.size);
    let blocks = rows::blocks(rows).filter(|block| (block.job.as_str(), block.size) == about);
    let blocks: Vec<f64> = blocks.map(|block| block.milliseconds as f64).collect();
    let done = blocks.len() as f64;
    let seconds = stats::median(&blocks).map(|block| (doubt.blocks - done).max(1.0) * block / 1e3);
    // The note on lines that were left out has the time of all of them.
    let unpaid = unpaid(rows).find(|(size, _)| *size == about && doubt.blocks.is_infinite());
    let unpaid = unpaid.and_then(|(_, told)| told.split_once("about ")?.1.strip_suffix(" more"));
    let time = |seconds: f64| units::duration(Duration::from_secs_f64(seconds.max(1.0)));
    let short = seconds.filter(|seconds| *seconds < LONGEST_SECONDS).map(time);
    let told = match unpaid.map(str::to_owned).or(short) {
        Some(time) => format!("would take about {time} more"),
        None if seconds.is_some() => "would take more than an hour".into(),
        None => "is missing".into(),
    };
    Some(format!(" An answer {told}, because {}.", doubt.because))
}

/// Nobody waits longer for one question.
const LONGEST_SECONDS: f64 = 3_600.0;

/// Lines to keep away from, however fast they are: the gravest first.
pub fn warnings(run: &Run) -> Vec<Sentence> {
    let all = wrong(run.rows).into_iter().chain(releasing(&run.cells));
    all.chain(growing(&run.grown)).chain(slow_to_start(&run.cells)).collect()
}

/// Lines that were seen to err, by job.
fn wrong(rows: &[Row]) -> Vec<Sentence> {
    let mut jobs: IndexMap<&str, BTreeSet<String>> = IndexMap::new();
    let is_it = |kind| matches!(kind, FaultKind::WrongOutput | FaultKind::NotRefused | FaultKind::Refused);
    for fault in rows::faults(rows).filter(|fault| is_it(fault.kind)) {
        let algorithm = fault.parameters.algorithm().filter(|algorithm| *algorithm != "none");
        let parts = [fault.engine.clone(), algorithm.unwrap_or_default().into(), fault.kind.words()];
        jobs.entry(&fault.job).or_default().insert(parts.join(" ").replace("  ", " "));
    }
    let warning = |(job, told): (&str, BTreeSet<String>)| {
        let told = format::list(&format!("{}, not to be trusted", capital(job)), told, ", ")?;
        Some(Sentence::proved(told, id("job", job)))
    };
    jobs.into_iter().filter_map(warning).collect()
}

/// Lines that hand out what nobody has authenticated yet, at the largest size of each job.
fn releasing(cells: &[Cell]) -> Vec<Sentence> {
    let told = |cell: &Cell| {
        let early = |line: &&Line| line.released_bytes.is_some_and(|bytes| bytes > 0);
        let early = cell.contestants_or_cold().filter(early).map(|line| spoken_name(&line.line));
        let told = format::list("Plaintext before its tag is checked", early.collect::<BTreeSet<_>>(), "; ")?;
        Some(Sentence::proved(told, id_of_cell(cell.place())))
    };
    cells.chunk_by(|a, b| a.job == b.job).filter_map(|job| job.iter().rev().find_map(told)).collect()
}

/// The lines of each job that grow faster than their input.
fn growing(all: &[Grown]) -> Vec<Sentence> {
    let told = |all: &[Grown]| {
        let steep = all.iter().filter(|it| sizes::is_telling(it) && sizes::is_steep(it));
        let names: BTreeSet<String> = steep.map(|it| spoken_name(&it.line)).collect();
        let what = format!("{} that grows faster than its input", capital(&all[0].job));
        Some(Sentence::proved(format::list(&what, names, "; ")?, id("sizes", &all[0].job)))
    };
    all.chunk_by(|a, b| a.job == b.job).filter_map(told).collect()
}

/// Lines that a short-lived process should not use, the steepest first, in one sentence.
fn slow_to_start(cells: &[Cell]) -> Option<Sentence> {
    let told = |cell| move |line: &'_ Line| Some((cell, line.line.clone(), line.late_warm_up()?));
    let of_cell = |cell| Cell::contestants(cell).filter_map(told(cell));
    // Nobody chooses by what the loop of a measurement itself takes.
    let of_jobs = cells.iter().filter(|cell| !cell.kind.is_own_cost);
    let mut late: Vec<(&Cell, rows::Line, WarmUp)> = of_jobs.flat_map(of_cell).collect();
    late.sort_by(|a, b| b.2.factor.total_cmp(&a.2.factor));
    let mut seen = BTreeSet::new();
    late.retain(|(_, line, _)| seen.insert(line.clone()));
    let (first, ..) = late.first()?;
    let told = |(_, line, warm_up): &(&Cell, rows::Line, WarmUp)| {
        let factor = format::factor(warm_up.factor);
        format!("{}, {factor} × slower for {} operations", spoken_name(line), warm_up.operations)
    };
    let told = format::list("In processes that end soon", late.iter().map(told), "; ")?;
    Some(Sentence::proved(told, id_of_cell(first.place())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::summary::fixtures;

    fn ended(others_permille: Option<u64>) -> Row {
        Row::End(rows::End { seconds: 9, others_permille, ..Default::default() })
    }

    fn block(block: u64, others_permille: u64) -> Row {
        Row::Block(rows::Block {
            job: "codec".into(),
            size: 49,
            block,
            milliseconds: 2_000,
            stolen_permille: None,
            others_permille: Some(others_permille),
        })
    }

    #[test]
    fn what_disturbed_the_run_is_one_sentence_with_its_effect() {
        let told = |held_mib, rows: &[Row], cells: &[Cell]| {
            let header = rows::Header { held_mib, ..fixtures::header(Machine::default()) };
            let rows: Vec<Row> = [Row::Header(header)].into_iter().chain(rows.iter().cloned()).collect();
            disturbed(&rows, cells)
        };
        assert_eq!(told(None, &[ended(None)], &[]), None);
        let quiet = "Other work took 0.3 % of the CPU time: all blocks count.";
        assert_eq!(told(None, &[block(0, 3), block(1, 0), ended(Some(3))], &[]).as_deref(), Some(quiet));
        let busy = "Other work took 40.7 % of the CPU time, 1 of 2 blocks were disturbed: repeat the run on an idle \
                    machine.";
        assert_eq!(told(None, &[block(0, 3), block(1, 800), ended(Some(407))], &[]).as_deref(), Some(busy));
        let mut made = fixtures::Made::default();
        for block in 0..4 {
            made.sample(
                "codec",
                49,
                ("one", "base64", "tuned"),
                crate::protocol::Operation::Encode,
                block,
                |it| {
                    it.phase = if block == 0 { rows::Phase::Unsteady } else { rows::Phase::Steady };
                },
            );
        }
        let rows = [block(0, 3), block(1, 90), ended(Some(20))];
        let all = "Other work took 2.0 % of the CPU time, the lab held 600 MiB so that free \
                   memory did not go back to the host, 1 of 2 blocks were disturbed, 1 warm-up did not end in \
                   time: lines that have enough other blocks are judged without those.";
        assert_eq!(told(Some(600), &rows, &made.cells()).as_deref(), Some(all));
    }

    #[test]
    fn measurements_while_the_cores_were_apart_are_told() {
        let mut made = fixtures::Made::default();
        for block in 0..6 {
            let operation = crate::protocol::Operation::Encode;
            made.sample("codec", 49, ("one", "base64", "tuned"), operation, block, |it| {
                it.core_ns = Some(if block < 2 { 300 } else { 55 });
            });
        }
        let told = "2 measurements while cores were apart do not count: all others count.";
        assert_eq!(disturbed(&made.rows, &made.cells()).as_deref(), Some(told));
    }

    #[test]
    fn memory_that_went_back_and_a_slower_clock_are_told() {
        let told = |reported, clock| {
            let header = rows::Header { held_mib: Some(600), ..fixtures::header(Machine::default()) };
            let end =
                rows::End { reported_mib: Some(reported), megahertz: Some(clock), ..Default::default() };
            disturbed(&[Row::Header(header), Row::End(end)], &[]).unwrap()
        };
        let held = "The lab held 600 MiB so that free memory did not go back to the host";
        assert_eq!(told(100, (3_000, 2_900)), format!("{held}: all blocks count."));
        let both = "1024 MiB of it went back all the same, the clock fell from 3000 to 2400 MHz";
        assert_eq!(told(1_024, (3_000, 2_400)), format!("{held}, {both}: all blocks count."));
    }

    /// Each question ends with an answer, or with what one would take and why.
    #[test]
    fn an_open_question_tells_its_price_and_its_reason() {
        let answer = |blocks: f64| Answer {
            job: "codec".into(),
            size: 49,
            doubt: Some(super::super::Doubt {
                blocks,
                because: "it rains",
                ..super::super::Doubt::of_all(0)
            }),
            ..Answer::default()
        };
        let blocks = [block(0, 0), block(1, 0)];
        let told =
            |rows: &[Row], needed| more(rows, &answer(needed)).unwrap_or_default().trim_start().to_owned();
        assert_eq!(told(&blocks, 12.0), "An answer would take about 20 s more, because it rains.");
        assert_eq!(told(&blocks, 1e6), "An answer would take more than an hour, because it rains.");
        assert_eq!(told(&[], 12.0), "An answer is missing, because it rains.");
        let note = rows::Note::new("codec", 49, "5 of 6 measurements, about 13 min more: one, seal".into());
        let left_out =
            [&blocks[..], &[Row::Note(rows::Note { unmeasured: Some(Unmeasured::Lines), ..note })]].concat();
        assert_eq!(
            told(&left_out, f64::INFINITY),
            "An answer would take about 13 min more, because it rains."
        );
        assert_eq!(more(&blocks, &Answer::default()), None);
    }
}
