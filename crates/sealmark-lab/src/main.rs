//! `sealmark-lab`: measures real encryption jobs side by side in one run, checked before timed.
//!
//! job × engine → samples → statistics → table: `run` follows the arrows, one file each.

mod child;
mod engine;
mod goals;
mod history;
mod list;
mod machine;
mod measure;
mod plan;
mod progress;
mod protocol;
mod report;
mod rows;
mod run;
mod serve;
mod stats;
mod summary;
mod trouble;
mod units;
mod usage;
mod workload;

use clap::{Parser, Subcommand};
use serve::Which;
use std::io::{Write, stderr, stdout};
use std::path::PathBuf;
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
    /// Run a job with every engine that is here, and print the table.
    Run {
        /// A job that `list` shows, or a job file.
        #[arg(long, default_value = "files")]
        job: String,
        /// Also the sizes marked full: gigabytes, and many minutes.
        #[arg(long)]
        full: bool,
        /// Only these engines, by name; the yardstick always runs.
        #[arg(long, value_name = "ENGINE", value_delimiter = ',')]
        only: Vec<String>,
        /// A quarter of the blocks: a first look.
        #[arg(long)]
        quick: bool,
        /// The results file [default: a new one in DIR].
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Where the files to be sealed are: the disk that is measured.
        #[arg(long, value_name = "DIR", default_value = "target/lab")]
        dir: PathBuf,
        /// Other engines than the built-in ones.
        #[arg(long, value_name = "FILE")]
        engines: Option<PathBuf>,
    },
    /// Print the table of a results file again.
    Table {
        /// A results file.
        file: PathBuf,
    },
    /// Show the jobs, the engines, and which of them are here.
    List {
        /// Other engines than the built-in ones.
        #[arg(long, value_name = "FILE")]
        engines: Option<PathBuf>,
    },
    /// Be an engine: answer spec/engine.md on standard input and output.
    Serve {
        #[command(subcommand)]
        engine: Served,
    },
}

#[derive(Subcommand)]
enum Served {
    /// This project's library.
    Sealmark,
    /// The library's way to read and write files, without a cipher.
    Copy,
    /// A program of engines.toml, timed as a whole.
    Program {
        /// The stanza's name.
        name: String,
        #[arg(long, value_name = "FILE")]
        engines: Option<PathBuf>,
    },
    /// Scripted times and faults, for tests.
    #[command(hide = true)]
    Fake {
        #[arg(long, default_value = "1")]
        times: serve::Times,
        #[arg(long, value_enum, default_value = "none")]
        misdeed: serve::Misdeed,
        #[arg(long, default_value_t = 0)]
        from_run: usize,
    },
}

fn main() -> ExitCode {
    match dispatch(Arguments::parse().verb) {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            let _ = writeln!(stderr(), "error: {trouble}");
            ExitCode::from(2)
        }
    }
}

fn dispatch(verb: Verb) -> Result<()> {
    match verb {
        Verb::Run { job, full, only, quick, out, dir, engines } => {
            let results = run::run(&run::Options { job, engines, only, full, quick, out, directory: dir })?;
            print(&report::table(&rows::read(&results)?))?;
            print(&format!("raw samples: {}\n", results.display()))
        }
        Verb::Table { file } => print(&report::table(&rows::read(&file)?)),
        Verb::List { engines } => print(&list::list(&engine::load(engines.as_deref())?)?),
        Verb::Serve { engine } => serve::serve(match engine {
            Served::Sealmark => Which::Sealmark,
            Served::Copy => Which::Copy,
            Served::Program { name, engines } => Which::Program { name, engines },
            Served::Fake { times, misdeed, from_run } => {
                Which::Fake(serve::Script { times, misdeed, from_run })
            }
        }),
    }
}

/// A reader who closes the pipe early has read enough.
fn print(text: &str) -> Result<()> {
    match stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(because("cannot print", error)),
        _ => Ok(()),
    }
}
