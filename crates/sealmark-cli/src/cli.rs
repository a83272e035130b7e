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

// Only the flags of the typed verb are built: those of all verbs would take a tenth of the time that a small file takes.
#[derive(Subcommand)]
#[command(defer = true)]
pub enum Verb {
    /// Make a key pair, or print the public key of one
    ///
    /// Anybody who has the secret key can decrypt your files. With -o, the key file is readable by you only,
    /// and an existing file is never replaced. Without -o, the key goes to standard output.
    Keygen(Keygen),
    /// Encrypt files and folders to recipients, or with a passphrase
    ///
    /// Any one of the recipients can decrypt the file. Named files become IN.sealed (IN.age with --age), and folders
    /// IN.tar.sealed: an archive with an index. Without a file, standard input is encrypted to standard output. The
    /// input is not changed.
    #[command(visible_alias = "encrypt")]
    Seal(Seal),
    /// Decrypt sealed files and age files
    ///
    /// X.sealed (or X.age) becomes X; without a file, standard input is decrypted to standard output. A file gets
    /// its name only when all of it has been authenticated. A stream receives each chunk as soon as that chunk is
    /// authenticated: discard the output if the exit code is not 0. A truncated file produces no output, unless it
    /// is armored or read from a stream. A sealed folder becomes a tar archive, unless --into extracts it.
    #[command(visible_alias = "decrypt")]
    Open(Open),
    /// List what is in sealed folders
    ///
    /// Only the index is decrypted, however large the archive is. Control characters and backslashes in names are
    /// written as escapes, such as \n, \u{202e} or \xff.
    List(List),
    /// Show what a sealed file reveals without a key
    ///
    /// This information is not authenticated; `sealmark verify` authenticates it.
    Inspect(Inspect),
    /// Check that sealed files are complete and unaltered, without writing anything
    Verify(Verify),
    /// Change who can decrypt sealed files, without decrypting their content
    ///
    /// Only the header is rewritten, in place unless -o is given. The recipients named here replace all previous
    /// ones. This does not revoke access from anyone who opened the file or kept a copy of it. --reencrypt generates a new
    /// file key and encrypts the content again; a change from classic to post-quantum keys requires it.
    Rekey(Rekey),
    /// Encrypt values inside the lines of a log, and decrypt them again
    Log(Log),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print the manual page, or write all manual pages into a directory
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
    let mut program = Cli::command().disable_help_subcommand(true);
    // Builds the verbs that are within `log`, too.
    program.build();
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
