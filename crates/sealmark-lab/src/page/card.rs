//! On what the figures were taken, by whom, with which command, and what bends them whatever one does.

use super::{Run, markup};
use crate::report::head;
use crate::rows::{self, Header, Row};
use maud::{Markup, html};

pub const ID: &str = "machine";

/// The page's first lines.
pub fn opening(run: &Run) -> Markup {
    let Some(header) = run.header() else { return html! {} };
    html! {
        header {
            h1 { "Sealmark lab: " (header.plan) }
            p .when { (header.started) " · " (header.machine.cpu) ", " (header.machine.cores) " cores · " (run.name) }
            @if let Some(warning) = unfit(header) { p .warning role="note" { (warning) } }
            @if !is_ended(run.rows) {
                p .warning role="note" { "This run was interrupted: what it had measured until then is here." }
            }
            @let company = head::company(run.rows);
            @if !company.is_empty() { p .warning role="note" { (company.trim()) } }
        }
    }
}

fn unfit(header: &Header) -> Option<String> {
    let unfit = header.build != "release";
    unfit.then(|| format!("A {} build, not optimised: its figures mean nothing.", header.build))
}

fn is_ended(rows: &[Row]) -> bool {
    rows.iter().any(|row| matches!(row, Row::End(_)))
}

/// Machine, versions, command, seed, known bias.
pub fn section(run: &Run) -> Markup {
    html! {
        section .card {
            h2 id=(run.id(ID)) { "Machine, versions and command" }
            @if let Some(header) = run.header() { (machine(header)) (command(run, header)) }
            (engines(run))
            (ended(run.rows))
            h3 id=(run.id("bias")) { "Known bias" }
            (markup::list("bias", &BIAS.map(str::to_owned)))
        }
    }
}

fn machine(header: &Header) -> Markup {
    let machine = &header.machine;
    let memory = machine.memory_bytes.map(|bytes| format!("{:.1} GB", bytes as f64 / 1e9));
    let facts = [
        ("processor", Some(format!("{} ({})", machine.cpu, machine.flags))),
        ("cores", Some(machine.cores.to_string())),
        ("memory", memory),
        ("system", Some(machine.system.clone())),
        ("file system", Some(machine.filesystem.clone())),
        ("load before", machine.load.clone()),
        ("begun", Some(header.started.clone())),
        ("lab", Some(format!("{} ({} build), commit {}", header.lab, header.build, header.commit))),
        ("plan", Some(header.plan.clone())),
        ("narrowed by", Some(header.filters.join(" ")).filter(|filters| !filters.is_empty())),
        ("seed", Some(header.seed.to_string())),
    ];
    html! {
        dl .facts {
            @for (name, fact) in facts {
                @if let Some(fact) = fact { div { dt { (name) } dd { (fact) } } }
            }
        }
    }
}

fn command(run: &Run, header: &Header) -> Markup {
    html! { pre .command tabindex="0" role="region" aria-label=(run.label("command")) { code { (header.command) } } }
}

fn engines(run: &Run) -> Markup {
    let codes = head::codes(run.rows);
    let mut engines: Vec<&rows::Engine> = Vec::new();
    for row in run.rows {
        let Row::Engine(engine) = row else { continue };
        // A run that went on says it twice.
        if !engines.iter().any(|known| known.engine == engine.engine) {
            engines.push(engine);
        }
    }
    let told = html! {
        table .engines {
            caption { "Engines" }
            thead { tr { @for title in ["engine", "version", "JDK", "what it is", "what ran"] { th scope="col" { (title) } } } }
            tbody {
                @for engine in engines {
                    tr {
                        th scope="row" { (engine.engine) }
                        td { (engine.version) }
                        td { (engine.jdk.as_deref().unwrap_or_default()) }
                        td { (engine.about) }
                        td { (codes.get(engine.engine.as_str()).map(|codes| codes.join("; ")).unwrap_or_default()) }
                    }
                }
            }
        }
    };
    markup::scrolled(&run.label("engines"), &told)
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
