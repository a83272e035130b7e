//! On what the figures were taken, by whom, with which command, and what bends them whatever one does.

use super::{Run, tables};
use maud::{Markup, html};

pub const ID: &str = "machine";

/// The page's first lines; what disturbed the run stands with its answers.
pub fn opening(run: &Run) -> Markup {
    html! {
        header {
            h1 { (run.document.title) }
            @for told in &run.document.runs { p .when { (told) @if !run.name.is_empty() { " · " (run.name) } } }
            @for warning in &run.document.warnings { p .warning role="note" { (warning) } }
        }
    }
}

/// Machine, versions, command, seed, known bias.
pub fn section(run: &Run) -> Markup {
    html! {
        section .card {
            h2 id=(run.id(ID)) { "Machines and conditions" }
            @for section in &run.document.about { (tables::section(run, "", section)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::html;
    use super::*;
    use crate::machine::Machine;
    use crate::protocol::{Operation, Shape};
    use crate::rows::{self, Row};
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
        for (told, count) in
            [("<li>CPU: One</li>", 2), ("<li>CPU: Two</li>", 1), ("<li>load before: 0.4 of Two</li>", 1)]
        {
            assert_eq!(section.matches(told).count(), count, "{told}: {section}");
        }
        assert!(section.contains("<li>begun: 2026-11-21T10:00:00Z</li>"), "{section}");
        let labels = super::super::tests::attributes(&section, "command", "aria-label");
        assert_eq!(labels, ["command 1", "command 2", "command 3"]);
    }

    #[test]
    fn what_the_lab_itself_costs_is_told_and_what_went_wrong_with_it() {
        let mut made = Made { rows: run(&[]) };
        let line = ("SunJCE 25", "none", Shape::Tuned);
        made.timed("empty", 1, line, Operation::Loop, 20);
        made.timed("codec", 49, line, Operation::Encode, 1_000);
        made.rows.push(Row::Note(rows::Note::new("empty", 1, "1 of <2> blocks".into())));
        made.rows.push(Row::Fault(rows::Fault {
            job: "empty".into(),
            size: Some(1),
            engine: "Python".into(),
            parameters: Default::default(),
            operation: None,
            kind: rows::FaultKind::Died,
            why: "of <grief>".into(),
        }));
        let page = html(&[("run.jsonl", &made.rows)]);
        for told in [
            "data-label=\"lab\" data-value=\"0.02\">2 %</td>",
            "Job empty</h2>",
            "1 of &lt;2&gt; blocks</li>",
            ": died: of &lt;grief&gt;</li>",
        ] {
            assert!(page.contains(told), "{told}: {page}");
        }
        made.samples()
            .for_each(|sample| sample.wall_ns = sample.wall_ns.max(10_000 * u64::from(sample.size > 1)));
        assert!(!html(&[("run.jsonl", &made.rows)]).contains("data-label=\"lab\""));
    }

    #[test]
    fn another_machine_is_warned_of_and_another_load_is_not() {
        let other_load = Machine { load: None, ..machine("One", 2) };
        assert!(!pages(&run(&[other_load]))[0].contains("another machine"));
        let [opening, _] = pages(&run(&[machine("One", 4), machine("Two<b>", 4)]));
        let warning = "has figures of each: CPU One, then Two&lt;b&gt;; number of cores 2, then 4.";
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
