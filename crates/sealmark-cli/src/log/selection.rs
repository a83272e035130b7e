//! Which fields of a line are to be sealed, as they were typed.

use super::args_seal::LogSeal;
use crate::fault::Fault;
use crate::say;
use sealmark_fields::{Refused, Selection};

/// Fields that have no name in a line.
const BY_PLACE: [&str; 3] = ["Referer", "User-Agent", "X-Forwarded-For"];

/// The hint about a name that has two rules.
pub const ONE_RULE: &str = "name each field once; in a configuration, only a name in seal may be wider than one in keep or [[within]]";

/// The fields that flags name.
pub fn typed_fields(args: &LogSeal) -> Selection {
    Selection {
        json: args.json.clone(),
        logfmt: args.logfmt.clone(),
        ltsv: args.ltsv.clone(),
        query: args.query.clone(),
        headers: args.headers.clone(),
        patterns: args.patterns.clone(),
        dropped: args.dropped.clone(),
        ..Selection::default()
    }
}

/// Says what names may not mean what was meant.
pub fn note(selection: &Selection) {
    if let Some(name) =
        selection.headers.iter().find(|name| BY_PLACE.iter().any(|known| known.eq_ignore_ascii_case(name)))
    {
        say::note(&format!(
            "--header {name} is found by its position in the combined log format; if a line differs from that format, its remainder is sealed as one value"
        ));
    }
    for name in selection.dropped_as_parameters() {
        say::note(&format!(
            "--drop {name} deletes query parameters of that name; to delete the N-th quoted field after the size, write --drop NAME=N"
        ));
    }
}

/// Names as they are to be typed.
pub fn typed(flag: &str, names: &[String]) -> String {
    let word = |name: &String| {
        let plain = |letter: char| letter.is_alphanumeric() || "._-@/=".contains(letter);
        if name.chars().all(plain) {
            format!("{flag} {name}")
        } else {
            format!("{flag} '{}'", name.replace('\'', r"'\''"))
        }
    };
    names.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// True where a path that looks like another tool's may be that of a key such as `a[b]` or `0`.
fn may_be_written_so(name: &str) -> bool {
    let is_index = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    !name.contains(['"', '*', '$', ',']) && (name.contains('[') && !name.contains("[]") || is_index(name))
}

/// The error about a name that was typed.
pub fn fault(refused: Refused) -> Fault {
    let fault = Fault::usage(refused.to_string());
    match refused {
        Refused::Label(error) => error.into(),
        Refused::TooMany => fault.hint("use fewer names, or wildcards"),
        Refused::Format(_) | Refused::NoWithin => fault,
        Refused::Twice(..) => fault.hint(ONE_RULE),
        Refused::Empty => {
            fault.hint("name one with --json, --logfmt, --ltsv, --query, --header or --regex, or try --help")
        }
        Refused::Mixed(..) => fault.hint("use the flags of one format; all of them but --json can be combined with --regex"),
        Refused::DropAlone => {
            fault.hint("name a field to seal as well, with --json, --logfmt, --ltsv, --query or --header")
        }
        Refused::Name { flag, name, what: sealmark_fields::PATH, meant } if may_be_written_so(&name) => {
            let fault = if meant.is_empty() { fault } else { fault.hint(typed(flag, &meant)) };
            fault.hint(format!("or, if the whole text is one name in the log: {}", typed(flag, &[format!("\"{name}\"")])))
        }
        Refused::Name { flag, meant, .. } if !meant.is_empty() => fault.hint(typed(flag, &meant)),
        Refused::Name { flag: "--query", name, .. } if name.contains('*') => fault.hint("--query all"),
        Refused::Name { flag: "--json", .. } => fault.hint(
            "join names with dots, such as --json user.email; * matches any characters within one name, ** any number of names",
        ),
        Refused::Name { .. } => fault.hint("name each field with a flag of its own"),
        Refused::Header(_, meant) if !meant.is_empty() => fault.hint(typed("--header", &meant)),
        Refused::Header(..) => fault.hint(
            "name client, user, request, Referer, User-Agent or X-Forwarded-For, or NAME=N for the N-th quoted \
             field after the size",
        ),
        Refused::Empties(_) => {
            fault.hint("write a pattern that matches at least one character, with \"+\" in place of \"*\"")
        }
        Refused::Pattern(..) => fault.hint(
            "the syntax is that of https://docs.rs/regex; it has no look-around and no back-references",
        ),
    }
}
