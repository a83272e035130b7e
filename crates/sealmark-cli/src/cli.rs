//! The command line as a whole, and what it refuses.

use crate::args::{
    Completions, IGNORE_CASE, Inspect, Keygen, List, Man, Open, Rekey, Seal, TEMPLATE, Verify,
};
use crate::fault::{Exit, Fault};
use crate::log::args::Log;
use crate::{say, target};
use clap::{CommandFactory, Parser, Subcommand};
use std::ffi::OsString;
use std::io;

/// Encrypt files, and values inside the lines of logs, with public keys
///
/// To seal is to encrypt and authenticate; to open is to verify and decrypt. `sealmark keygen` makes a key
/// pair: keep the secret key (which age calls the identity), and give the public key (the recipient) to
/// people who encrypt files to you. Keys and files of age (age-encryption.org) work, too.
#[derive(Parser)]
#[command(name = "sealmark", version, max_term_width = 100, help_template = TEMPLATE, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  sealmark keygen -o key.txt                   make a key pair
  sealmark keygen -y key.txt > friends.txt     print its public key
  sealmark seal -R friends.txt report.pdf      encrypt: write report.pdf.sealed
  sealmark open -i key.txt report.pdf.sealed   decrypt: write report.pdf
  tar c src | sealmark seal -p -o src.sealed   encrypt a stream with a passphrase
  sealmark open src.sealed -o - | tar x        decrypt it again

Exit codes:
  0 done, 1 usage, 2 input or output, 3 no key fits, 4 damaged, tampered, or by no known sender,
  5 a rule of `log seal --check` found nothing; `log grep` has exit codes like those of grep";

#[derive(Subcommand)]
pub enum Verb {
    Keygen(Keygen),
    #[command(visible_alias = "encrypt")]
    Seal(Seal),
    #[command(visible_alias = "decrypt")]
    Open(Open),
    List(List),
    Inspect(Inspect),
    Verify(Verify),
    Rekey(Rekey),
    Log(Log),
    Completions(Completions),
    Man(Man),
}

/// The parser's refusals in our style and with our exit code; its help and version as they are.
pub fn refusal(refusal: &clap::Error) -> Exit {
    if !refusal.use_stderr() {
        return match refusal.print() {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => say::fault(&error.into()),
            _ => Exit::Done,
        };
    }
    // The parser's own verb `help` has no help.
    let mut typed = std::env::args_os().skip(1);
    if typed.next().is_some_and(|verb| verb == "help")
        && typed.next().is_some_and(|flag| flag == "--help" || flag == "-h")
    {
        let _ = Cli::command().print_help();
        return Exit::Done;
    }
    if refusal.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = refusal.print();
        return Exit::Usage;
    }
    // The first paragraph is the message; usage follows, and lines with tips, which are hints.
    let rendered = refusal.render().to_string();
    let message = rendered.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
    let message: Vec<&str> = message.lines().map(str::trim).collect();
    let tips = rendered.lines().filter_map(|line| line.trim().strip_prefix("tip: "));
    // Nobody means the flag of another verb as the name of a file.
    let tips = tips.filter(|tip| !tip.starts_with("to pass '-"));
    let message = message.join(" ");
    let repeats = |word: OsString| {
        let word = word.to_string_lossy();
        !word.starts_with('-') && message.contains(&format!("'{word}'"))
    };
    let refused = if target::typed_passphrases().into_iter().any(repeats) {
        Fault::usage("-p takes no passphrase").hint("leave it out, and type the passphrase at the prompt")
    } else {
        tips.fold(Fault::usage(message), Fault::hint)
    };
    let verb = verb_in_words(std::env::args_os().skip(1));
    let takes_i_for_case = verb == "sealmark log grep" && std::env::args_os().any(|word| word == "-i");
    let refused = match refusal.kind() {
        clap::error::ErrorKind::MissingRequiredArgument if takes_i_for_case => refused.hint(IGNORE_CASE),
        _ => refused,
    };
    say::fault(&refused.hint(format!("see `{verb} --help`")))
}

/// `sealmark log seal` when that verb was typed, or as much of it as there is.
fn verb_in_words(typed: impl Iterator<Item = OsString>) -> String {
    let program = Cli::command();
    let (mut verb, mut words) = (&program, "sealmark".to_owned());
    for word in typed {
        let Some(found) = verb.find_subcommand(&word) else { break };
        words += &format!(" {}", found.get_name());
        verb = found;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_verb_is_named_with_the_verbs_before_it() {
        let words = |typed: &str| verb_in_words(typed.split(' ').map(OsString::from));
        assert_eq!(words("log grep --nope"), "sealmark log grep");
        assert_eq!(words("encrypt -x seal"), "sealmark seal");
        assert_eq!(words("log --nope"), "sealmark log");
        assert_eq!(words("nope log"), "sealmark");
    }
}
