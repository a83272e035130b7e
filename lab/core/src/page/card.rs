//! On what the figures were taken, by whom, with which command, and what bends them whatever one does.

use super::{Run, markup};
use crate::machine::Machine;
use crate::report::{head, own_cost, troubles, words};
use crate::rows::{self, Header, Row};
use maud::{Markup, html};
use std::collections::BTreeMap;

pub const ID: &str = "machine";

/// The page's first lines; what disturbed the run stands with its answers.
pub fn opening(run: &Run) -> Markup {
    html! {
        header {
            h1 { (run.document.title) }
            p .when { (run.document.run) " · " (run.name) }
            @for warning in changed(run.rows) { p .warning role="note" { (warning) } }
        }
    }
}

/// What a run that was taken up again has two of: figures before and after that are no longer of one machine, or of one
/// version.
fn changed(rows: &[Row]) -> Vec<String> {
    let machines: Vec<Facts> = sittings(rows).iter().map(|sitting| facts(sitting.machine)).collect();
    let turns = (0..machines.first().map_or(0, |facts| facts.len())).filter_map(|at| {
        let in_turn = in_turn(machines.iter().map(|facts| facts[at].1.as_deref().unwrap_or("unknown")));
        (in_turn.len() > 1).then(|| format!("{} {}", machines[0][at].0, in_turn.join(", then ")))
    });
    let turns: Vec<String> = turns.collect();
    let machines = (!turns.is_empty()).then(|| {
        format!(
            "This run was taken up again on another machine, and has figures of each: {}.",
            turns.join("; ")
        )
    });
    let engines = answers(rows).into_iter().filter_map(|answers| {
        let versions = in_turn(answers.iter().map(|engine| engine.version.as_str()));
        let versions = (versions.len() > 1).then(|| versions.join(", then "))?;
        let name = &answers[0].engine;
        Some(format!(
            "Engine {name} was replaced during this run, and has figures of each version: {versions}."
        ))
    });
    machines.into_iter().chain(engines).collect()
}

/// How the run was begun, or taken up again.
struct Sitting<'a> {
    command: &'a str,
    started: &'a str,
    machine: &'a Machine,
}

/// In their order: the run's own beginning is the first.
fn sittings(rows: &[Row]) -> Vec<Sitting<'_>> {
    let sittings = rows.iter().filter_map(|row| match row {
        Row::Header(Header { command, started, machine, .. }) => Some(Sitting { command, started, machine }),
        Row::Resumed(rows::Resumed { command, started, machine }) => {
            Some(Sitting { command, started, machine })
        }
        _ => None,
    });
    sittings.collect()
}

type Facts = [(&'static str, Option<String>); 5];

/// What tells one machine from another: its load is another one each time.
fn facts(machine: &Machine) -> Facts {
    let memory = machine.memory_bytes.map(|bytes| format!("{:.1} GB", bytes as f64 / 1e9));
    [
        ("processor", Some(format!("{} ({})", machine.cpu, machine.flags))),
        ("cores", Some(machine.cores.to_string())),
        ("memory", memory),
        ("system", Some(machine.system.clone())),
        ("file system", Some(machine.filesystem.clone())),
    ]
}

/// Values without those that are equal to the one before.
fn in_turn<'a>(values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut values: Vec<&str> = values.collect();
    values.dedup();
    values
}

/// Machine, versions, command, seed, known bias.
pub fn section(run: &Run) -> Markup {
    html! {
        section .card {
            h2 id=(run.id(ID)) { "Machine, versions and command" }
            @for (at, sitting) in sittings(run.rows).iter().enumerate() { (of(run, sitting, at)) }
            (engines(run))
            (own_cost(run))
            (ended(run.rows))
            h3 id=(run.id("bias")) { "Known bias" }
            (markup::list("bias", &BIAS.map(str::to_owned)))
        }
    }
}

/// What holds for all of the run stands beside its beginning.
fn of(run: &Run, sitting: &Sitting, at: usize) -> Markup {
    let begun = if at == 0 { "begun" } else { "taken up again" };
    let now = [("load before", sitting.machine.load.clone()), (begun, Some(sitting.started.to_owned()))];
    let all_of_it = run.header().filter(|_| at == 0).into_iter().flat_map(of_all);
    let label = if at == 0 { "command".into() } else { format!("command {}", at + 1) };
    html! {
        @if at > 0 { h3 { "Taken up again " (sitting.started) } }
        (told(facts(sitting.machine).into_iter().chain(now).chain(all_of_it)))
        pre .command tabindex="0" role="region" aria-label=(run.label(&label)) { code { (sitting.command) } }
    }
}

fn of_all(header: &Header) -> [(&'static str, Option<String>); 4] {
    [
        ("lab", Some(format!("{} ({} build), commit {}", header.lab, header.build, header.commit))),
        ("plan", Some(header.plan.clone())),
        ("narrowed by", Some(header.filters.join(" ")).filter(|filters| !filters.is_empty())),
        ("seed", Some(header.seed.to_string())),
    ]
}

fn told(facts: impl Iterator<Item = (&'static str, Option<String>)>) -> Markup {
    html! {
        dl .facts {
            @for (name, fact) in facts {
                @if let Some(fact) = fact { div { dt { (name) } dd { (fact) } } }
            }
        }
    }
}

fn engines(run: &Run) -> Markup {
    let codes = head::codes(run.rows);
    let told = html! {
        table .engines {
            caption { "Engines" }
            thead { tr { @for title in ["engine", "version", "JDK", "what it is", "what ran"] { th scope="col" { (title) } } } }
            tbody { @for answers in answers(run.rows) { (engine(&answers, &codes)) } }
        }
    };
    markup::scrolled(&run.label("engines"), &told)
}

/// What engines said of themselves, those of one name together: a run that went on asked them again.
fn answers(rows: &[Row]) -> Vec<Vec<&rows::Engine>> {
    let (mut answers, mut places): (Vec<Vec<&rows::Engine>>, _) = (Vec::new(), BTreeMap::new());
    for row in rows {
        let Row::Engine(engine) = row else { continue };
        let at = *places.entry(engine.engine.as_str()).or_insert_with(|| {
            answers.push(Vec::new());
            answers.len() - 1
        });
        answers[at].push(engine);
    }
    answers
}

fn engine(answers: &[&rows::Engine], codes: &BTreeMap<&str, Vec<&str>>) -> Markup {
    let told =
        |what: fn(&rows::Engine) -> &str| in_turn(answers.iter().map(|engine| what(engine))).join(", then ");
    let name = told(|engine| &engine.engine);
    html! {
        tr {
            th scope="row" { (name) }
            td { (told(|engine| &engine.version)) }
            td { (told(|engine| engine.jdk.as_deref().unwrap_or_default())) }
            td { (told(|engine| &engine.about)) }
            td { (codes.get(name.as_str()).map(|codes| codes.join("; ")).unwrap_or_default()) }
        }
    }
}

/// What holds of the loop with nothing in it, and what went wrong with it.
fn own_cost(run: &Run) -> Markup {
    const MOST: usize = 50;
    let rows = run.by_job.get("empty");
    let failed = troubles::both(&rows.faults, &rows.overcome, &run.by_job.families);
    let mut told = own_cost::sentences(&run.cells);
    told.extend(failed.into_iter().map(|trouble| trouble.sentence));
    told.extend(troubles::notes(rows.notes.iter().copied()));
    html! {
        @if !told.is_empty() {
            h3 id=(run.id("cost")) { "What the lab costs: an empty job" }
            (markup::list("remarks", &words::at_most(told, MOST)))
        }
    }
}

fn ended(rows: &[Row]) -> Markup {
    html! { p { (head::ending(rows).trim()) } }
}

/// docs/method.md in short.
const BIAS: [&str; 8] = [
    "This project's library was written and tuned by the people who wrote the lab, on the kind of machine it runs on.",
    "Figures are true of this machine. Other processors, kernels and file systems have others: run it on yours.",
    "The same input is sealed again and again: it is in the nearest cache, and branches have been learnt. A service sees \
     other values each time.",
    "Engines are processes that wait while others run: on a machine with other work the scheduler is in every figure.",
    "Sizes are measured one after the other. Ratios within a size do not notice a machine that becomes slower meanwhile; \
     an exponent does.",
    "In-process rows of small sizes show a call in a running process, those of programs mostly the start of a process.",
    "The peak memory of a program counts that of the process that started it, about 5 MB.",
    "Nothing is said about networks, disks, energy, side channels, or the strength of what any engine does.",
];

#[cfg(test)]
mod tests {
    use super::super::html;
    use super::*;
    use crate::protocol::{Operation, Shape};
    use crate::summary::made::{Made, header};

    fn machine(cpu: &str, cores: u64) -> Machine {
        Machine { cpu: cpu.into(), cores, load: Some(format!("0.{cores} of {cpu}")), ..Machine::default() }
    }

    /// Begun on one machine, and taken up again on each of these.
    fn run(machines: &[Machine]) -> Vec<Row> {
        let mut made = Made::default();
        made.rows.push(Row::Header(header(machine("One", 2))));
        made.jvm("SunJCE", "25");
        for (at, machine) in machines.iter().enumerate() {
            made.rows.push(Row::Resumed(rows::Resumed {
                command: format!("sealmark-lab measure files --resume {at}<b>.jsonl"),
                started: format!("2026-11-2{at}T10:00:00Z"),
                machine: machine.clone(),
            }));
            made.jvm("SunJCE", "25");
        }
        made.rows
    }

    fn pages(rows: &[Row]) -> [String; 2] {
        let run = Run::of("run.jsonl", rows, 0);
        [opening(&run), section(&run)].map(Markup::into_string)
    }

    #[test]
    fn every_machine_and_command_that_a_run_has_had_is_told() {
        let [_, section] = pages(&run(&[machine("One", 2), machine("Two", 4)]));
        for told in
            ["measure files</code>", "--resume 0&lt;b&gt;.jsonl</code>", "--resume 1&lt;b&gt;.jsonl</code>"]
        {
            assert_eq!(section.matches(told).count(), 1, "{told}: {section}");
        }
        for (told, count) in [("<dd>One ()</dd>", 2), ("<dd>Two ()</dd>", 1), ("<dd>0.4 of Two</dd>", 1)] {
            assert_eq!(section.matches(told).count(), count, "{told}: {section}");
        }
        assert!(section.contains("<dt>taken up again</dt><dd>2026-11-21T10:00:00Z</dd>"), "{section}");
        let labels = super::super::tests::attributes(&section, "command", "aria-label");
        assert_eq!(labels, ["command", "command 2", "command 3"]);
    }

    /// It has no part of its own among the jobs.
    #[test]
    fn what_the_lab_itself_costs_is_told_and_what_went_wrong_with_it() {
        let mut made = Made { rows: run(&[]) };
        assert!(!pages(&made.rows)[1].contains("What the lab costs"));
        let line = ("SunJCE 25", "none", Shape::Tuned);
        made.timed("empty", 1, line, Operation::Loop, 20);
        made.timed("codec", 49, line, Operation::Encode, 1_000);
        let [_, section] = pages(&made.rows);
        let told = "<li>the loop is above 1 % of 1 in-process operation: SunJCE 25 (codec, 49 bytes, encode) 2.00 %</li>";
        assert!(section.contains("<h3 id=\"cost\">") && section.contains(told), "{section}");
        made.rows.push(Row::Note(rows::Note {
            job: "empty".into(),
            size: 1,
            note: "1 of <2> blocks".into(),
        }));
        made.rows.push(Row::Fault(rows::Fault {
            job: "empty".into(),
            size: Some(1),
            engine: "Python".into(),
            algorithm: None,
            shape: None,
            operation: None,
            kind: rows::FaultKind::Died,
            why: "of <grief>".into(),
        }));
        let [_, section] = pages(&made.rows);
        for told in ["1 of &lt;2&gt; blocks</li>", ": died: of &lt;grief&gt;</li>"] {
            assert!(section.contains(told), "{told}: {section}");
        }
        assert!(!html(&[("run.jsonl", &made.rows)]).contains("Job empty"));
    }

    #[test]
    fn another_machine_is_warned_of_and_another_load_is_not() {
        let other_load = Machine { load: None, ..machine("One", 2) };
        assert!(!pages(&run(&[other_load]))[0].contains("another machine"));
        let [opening, _] = pages(&run(&[machine("One", 4), machine("Two<b>", 4)]));
        let warning = "has figures of each: processor One (), then Two&lt;b&gt; (); cores 2, then 4.";
        assert!(opening.contains(warning), "{opening}");
    }

    #[test]
    fn engines_that_were_replaced_are_warned_of_and_told_in_both_versions() {
        let mut rows = run(&[machine("One", 2)]);
        assert!(!pages(&rows)[0].contains("was replaced"));
        if let Some(Row::Engine(engine)) = rows.last_mut() {
            engine.version = "2".into();
        }
        let [opening, section] = pages(&rows);
        let warning =
            "Engine SunJCE 25 was replaced during this run, and has figures of each version: 1, then 2.";
        assert!(opening.contains(warning), "{opening}");
        assert!(section.contains("<td>1, then 2</td><td>25</td>"), "{section}");
        assert_eq!(section.matches("<th scope=\"row\">").count(), 1, "{section}");
    }
}
