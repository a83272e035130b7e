//! The `sealmark` program: parse, dispatch, exit code.
//!
//! One file per verb; `cli` and `args` say what can be typed, `fault` what can go wrong and which exit code that is, `say` writes
//! messages and `stdio` results, `target` knows which file is read and which is written, `deadly` what a signal ends. `gcm` is
//! `--gcm` of two verbs, `ranges` the input of three, `plugin` runs plugins of age, and `sign` are signatures.

mod args;
mod cli;
mod deadly;
mod fault;
mod folder;
mod gcm;
mod generate;
mod inspect;
mod keygen;
mod keys;
mod list;
mod log;
mod memory;
mod open;
mod plugin;
mod progress;
mod ranges;
mod rekey;
mod say;
mod screen;
mod seal;
mod secret;
mod sign;
mod stdio;
mod target;
mod tty;
mod verify;

use clap::Parser;
use cli::{Cli, Verb};
use fault::{Exit, Fault};

fn main() {
    deadly::leave_nothing();
    // A write beyond a limit of file size is an error like others, and not the end without a word.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Default::default());
    let exit = match Cli::try_parse() {
        Ok(cli) => run(cli.verb).unwrap_or_else(|fault| say::fault(&fault)),
        Err(refusal) => cli::refusal(&refusal),
    };
    // No unwinding of large buffers: whatever had to be flushed has been.
    std::process::exit(exit.code());
}

fn run(verb: Verb) -> Result<Exit, Fault> {
    match verb {
        Verb::Keygen(args) => keygen::run(&args),
        Verb::Seal(args) => seal::run(&args),
        Verb::Open(args) => open::run(&args),
        Verb::List(args) => list::run(&args),
        Verb::Inspect(args) => inspect::run(&args),
        Verb::Verify(args) => verify::run(&args),
        Verb::Rekey(args) => rekey::run(&args),
        Verb::Log(args) => {
            memory::give_back_at_once();
            log::run(&args)
        }
        Verb::Completions(args) => generate::completions(&args),
        Verb::Man(args) => generate::man(&args),
    }
}
