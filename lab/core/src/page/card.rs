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
    use crate::machine::Machine;
    use crate::protocol::{Operation, Shape};
    use crate::rows::{self, Row};
    use crate::summary::made::{Made, header};

    #[test]
    fn what_the_lab_itself_costs_is_told_and_what_went_wrong_with_it() {
        let mut made = Made::default();
        made.rows.push(Row::Header(header(Machine::default())));
        made.jvm("SunJCE", "25");
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
}
