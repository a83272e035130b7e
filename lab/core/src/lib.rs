#![allow(missing_docs, reason = "not a public library: only sealmark-lab and the engines of the lab use it")]
//! `sealmark-lab`: measures real encryption jobs side by side in one run, checked before timed. It links none of those that it
//! measures: they are programs that it talks to.
//!
//! job × engine → samples → statistics → table: `run` follows the arrows, one file each.

// Each module uses modules of the groups above its own, and of its own group in no ring (tests/modules.rs).

// Modules that every group uses.
mod core_latency;
mod jdks;
mod machine;
mod programs;
mod progress;
mod stats;
pub mod trouble;
mod units;
pub mod usage;
pub mod workload;

// The messages on the wire, and the rows that are kept of them.
mod child;
pub mod model;
pub mod parameters;
mod plan;
pub mod protocol;
mod rows;

// The kinds of work that are measured.
pub mod jobs;

// Engines, the order of blocks, and earlier results.
mod engine;
mod jobfile;
mod results;
pub mod serve;

// Conclusions from the rows, and their form in tables and sentences.
mod claims;
mod document;
mod format;
mod history;
mod metrics;
mod summary;
mod table;

// How it is measured: as the open questions ask for.
mod afford;
mod checkerboard;
mod measure;
mod prediction;
mod rounds;
mod select;
#[cfg(test)]
mod simulate;

// Commands.
mod compare;
mod doctor;
mod export;
mod page;
mod run;

use clap::{Parser, Subcommand};
use document::Document;
use engine::Places;
use std::io::{Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use trouble::{Result, because};

/// Measures real encryption jobs side by side in one run, checked before timed.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Run a plan with every available engine, and print the answers.
    Measure {
        #[command(flatten)]
        options: run::Options,
        #[command(flatten)]
        form: Form,
    },
    /// Print the answers of a results file again, or all of its tables.
    Table {
        /// A results file.
        file: PathBuf,
        #[command(flatten)]
        form: Form,
    },
    /// Write a results file as a page to look at: no network, no other file.
    Report {
        /// A results file.
        #[arg(value_name = "RUN")]
        file: PathBuf,
        /// The page [default: beside the results file, as .html].
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Write the samples of a results file as CSV.
    Export {
        /// A results file.
        file: PathBuf,
        /// The CSV file [default: standard output].
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Compare two results files, line by line.
    Compare {
        /// The results file of the earlier run.
        base: PathBuf,
        /// The results file of the later run.
        new: PathBuf,
        /// Print one JSON document, for machines.
        #[arg(long)]
        json: bool,
        /// Write a page to this file.
        #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
        output: Option<PathBuf>,
    },
    /// Show which of this project's promises a results file confirms.
    Goals {
        /// A results file.
        results: PathBuf,
    },
    /// Exit with code 1 if a line has become slower than allowed, relative to its yardstick or reference.
    Gate {
        /// The results file to judge.
        results: PathBuf,
        /// The results file of the earlier run.
        #[arg(long, value_name = "FILE")]
        baseline: PathBuf,
        /// How much the ratio of a line may grow ("5%"). A line fails only if the whole interval of its change is above that.
        #[arg(long, value_name = "PERCENT", value_parser = units::parse_percent)]
        max_slower: f64,
    },
    /// Check every line of a plan and time nothing; exit code 1 if something is not right.
    Check(run::Selection),
    /// Show which engines can run on this machine, and how to install the others.
    Doctor {
        #[command(flatten)]
        places: Places,
    },
    /// Show the plans; `doctor` tells of the engines.
    List,
    /// Hold memory until standard input ends, against machines that give free memory back to their hosts.
    #[command(hide = true)]
    HoldMemory {
        /// MiB to take; all but single pages of them are free again.
        mib: u64,
    },
    /// Be the engine that runs a program of engines.toml: answer spec/engine.md on standard input and output.
    #[command(hide = true)]
    Serve {
        /// The stanza's name.
        name: String,
        #[arg(long, value_name = "FILE")]
        engines: Option<PathBuf>,
    },
}

/// How a run is told.
#[derive(clap::Args)]
struct Form {
    /// Print one JSON document, for machines.
    #[arg(long)]
    json: bool,
    /// Print every table, too.
    #[arg(long, conflicts_with = "json")]
    long: bool,
}

impl Form {
    fn of(&self, rows: &[rows::Row]) -> String {
        match self {
            Self { json: true, .. } => document::json(rows),
            Self { long: true, .. } => document::long(&Document::of_rows(rows)),
            _ => document::text(&Document::of_rows(rows)),
        }
    }
}

/// By what the programs of this workspace were compiled, and how: "rustc 1.95.0, release build, opt-level 3, x86_64-…".
pub const COMPILED: &str = env!("SEALMARK_LAB_COMPILED");

/// The version of all engines that are ours: commit, compiler and build.
pub fn version() -> String {
    format!("{}, commit {}, {COMPILED}", env!("CARGO_PKG_VERSION"), machine::COMMIT)
}

/// The program.
pub fn main() -> ExitCode {
    dispatch(Arguments::parse().verb).unwrap_or_else(|trouble| {
        let told: Vec<String> = trouble.to_string().lines().map(format::shown).collect();
        let _ = writeln!(stderr(), "error: {}", told.join("\n"));
        ExitCode::from(2)
    })
}

fn dispatch(verb: Verb) -> Result<ExitCode> {
    let done = match verb {
        Verb::Measure { options, form } => {
            let results = run::run(&options)?;
            print(&form.of(&results::read(&results)?))?;
            let place = results.display().to_string();
            if !form.json && !form.long {
                print(&format!("\nevery table: sealmark-lab table {place} --long\n"))?;
            }
            // Machines read the document alone.
            let beside =
                |text: &str| if form.json { write!(stderr(), "{text}").or(Ok(())) } else { print(text) };
            beside(&format!("raw samples: {place}\n"))?;
            // Last: whatever becomes of the page, the figures have been told.
            beside(&written(&results, None)?)
        }
        Verb::Table { file, form } => print(&form.of(&results::read(&file)?)),
        Verb::Report { file, output } => print(&written(&file, output.as_deref())?),
        Verb::Export { file, output } => export(&file, output.as_deref()),
        Verb::Compare { base, new, output: Some(output), .. } => {
            print(&format!("page: {}\n", page::write_comparison(&base, &new, &output)?.display()))
        }
        Verb::Compare { base, new, json, output: None } => {
            let (base, new) = (results::read(&base)?, results::read(&new)?);
            let runs = [("base", &*base), ("new", &*new)];
            print(&if json { compare::json(runs) } else { document::long(&compare::document(runs)) })
        }
        Verb::Gate { results, baseline, max_slower } => {
            let (baseline, results) = (results::read(&baseline)?, results::read(&results)?);
            return judged(compare::gate(&baseline, &results, max_slower)?);
        }
        Verb::Goals { results } => print(&document::goals(&results::read(&results)?)),
        Verb::Check(selection) => return judged(doctor::check(&selection)?),
        Verb::Doctor { places } => print(&doctor::doctor(&places.load(false)?)?),
        Verb::List => print(&jobfile::list()?),
        Verb::HoldMemory { mib } => checkerboard::hold(mib),
        Verb::Serve { name, engines } => {
            serve::converse(&mut serve::Adapter::new(&name, engines.as_deref())?)
        }
    };
    done.map(|()| ExitCode::SUCCESS)
}

fn written(results: &Path, output: Option<&Path>) -> Result<String> {
    Ok(format!("page: {}\n", page::write(results, output)?.display()))
}

fn export(file: &Path, output: Option<&Path>) -> Result<()> {
    let text = export::csv(&results::read(file)?)?;
    let Some(output) = output else { return print(&text) };
    results::must_not_be_results(output, &[file.to_owned()], "export.csv")?;
    results::replace(output, &text)
}

/// Exit code 1 for what was found; 2, elsewhere, for what kept the lab from looking.
fn judged((text, all_well): (String, bool)) -> Result<ExitCode> {
    print(&text)?;
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A reader who closes the pipe early has read enough.
fn print(text: &str) -> Result<()> {
    match stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(because("cannot print", error)),
        _ => Ok(()),
    }
}
