//! `sealmark completions` and `sealmark man`: made from the same definition that parses the command line.

use crate::args::{Completions, Man};
use crate::cli::Cli;
use crate::fault::{Exit, Fault};
use crate::stdio;
use clap::{Command, CommandFactory};
use std::io;

pub fn completions(args: &Completions) -> Result<Exit, Fault> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "sealmark", &mut script);
    stdio::result(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

pub fn man(args: &Man) -> Result<Exit, Fault> {
    let mut program = Cli::command().disable_help_subcommand(true);
    // Gives every verb its full name.
    program.build();
    match &args.dir {
        None => stdio::result(&String::from_utf8_lossy(&page(&program)?))?,
        Some(dir) => {
            if !dir.is_dir() {
                return Err(Fault::io(format!("the directory {dir:?} does not exist"))
                    .hint(format!("mkdir -p {dir:?}")));
            }
            for command in all_of(&program) {
                let file = dir.join(format!("{}.1", full_name(command)));
                std::fs::write(&file, page(command)?).map_err(|error| Fault::from(error).about(&file))?;
            }
        }
    }
    Ok(Exit::Done)
}

/// The program, its verbs, and the verbs of those.
fn all_of(command: &Command) -> Vec<&Command> {
    let below = command.get_subcommands().filter(|below| below.get_name() != "help").flat_map(all_of);
    std::iter::once(command).chain(below).collect()
}

fn full_name(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

/// The generator would run our examples together in one paragraph, so they get sections of their own.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let generated = clap_mangen::Man::new(command.clone());
    let mut page = Vec::new();
    generated.render_title(&mut page)?;
    generated.render_name_section(&mut page)?;
    generated.render_synopsis_section(&mut page)?;
    generated.render_description_section(&mut page)?;
    generated.render_options_section(&mut page)?;
    if command.has_subcommands() {
        generated.render_subcommands_section(&mut page)?;
    }
    let extra = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    page.extend(extra.split("\n\n").filter_map(section).flat_map(String::into_bytes));
    if let Some(details) = command.get_after_long_help() {
        let paragraphs: String =
            details.to_string().split("\n\n").map(|text| format!(".PP\n\\&{}\n", escaped(text))).collect();
        page.extend(format!(".SH DETAILS\n{paragraphs}").into_bytes());
    }
    Ok(page)
}

/// `Title: text`, then lines to be shown as they are. A paragraph without a title tells readers of the help where to read
/// more, which is here.
fn section(paragraph: &str) -> Option<String> {
    let (title, text) = paragraph.split_once(':')?;
    let text = text.strip_prefix(' ').unwrap_or(text).trim_start_matches('\n');
    let lines: String = text.lines().map(|line| format!("\\&{}\n", escaped(line))).collect();
    Some(format!(".SH \"{}\"\n.nf\n{lines}.fi\n", escaped(title).to_uppercase()))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_of_help_becomes_a_section_line_by_line() {
        assert_eq!(section("See the page a(1) for details."), None);
        let section = section("Examples:\n  a -b\n  .c\n");
        assert_eq!(section.as_deref(), Some(".SH \"EXAMPLES\"\n.nf\n\\&  a \\-b\n\\&  .c\n.fi\n"));
    }
}
