//! `sealmark completions` and `sealmark man`: made from the same definition that parses the command line.

use crate::args::{Cli, Completions, Man};
use crate::fault::{Exit, Fault};
use crate::say;
use clap::CommandFactory;

pub fn completions(args: &Completions) -> Result<Exit, Fault> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "sealmark", &mut script);
    say::result(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

pub fn man(args: &Man) -> Result<Exit, Fault> {
    match &args.dir {
        Some(dir) => {
            clap_mangen::generate_to(Cli::command(), dir).map_err(|error| Fault::from(error).about(dir))?
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            say::result(&String::from_utf8_lossy(&page))?;
        }
    }
    Ok(Exit::Done)
}
