//! Which fields of a line are to be sealed, as they were typed.

use super::args_seal::LogSeal;
use super::config::preset;
use crate::fault::Fault;
use crate::say;
use sealmark_fields::{Kind, List, Rule, Selection, SelectionError};

/// Fields that have no name in a line.
const BY_PLACE: [&str; 3] = ["Referer", "User-Agent", "X-Forwarded-For"];

/// The hint about a name that has two rules.
pub const ONE_RULE: &str = "name each field once; in a configuration, only a name in seal may be wider than one in keep or [[within]]";

/// Where names of fields were written, and so what messages call the list that has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Naming {
    /// On the command line, with a flag.
    #[default]
    Flags,
    /// In a configuration, in a key.
    Keys,
}

impl Naming {
    /// The flag or the key.
    pub fn list(self, list: List) -> &'static str {
        match (self, list) {
            (Self::Flags, List::Json) => "--json",
            (Self::Flags, List::Logfmt) => "--logfmt",
            (Self::Flags, List::Ltsv) => "--ltsv",
            (Self::Flags, List::Query) => "--query",
            (Self::Flags, List::Headers) => "--header",
            (Self::Flags, List::Patterns) => "--regex",
            (Self::Flags, List::Dropped) => "--drop",
            (Self::Keys, List::Query) => "query",
            (Self::Keys, List::Patterns) => "patterns",
            (Self::Keys, List::Dropped) => "drop",
            (_, List::Within) => "within",
            (_, _) => "seal",
        }
    }

    /// A rule as it was typed, or as the configuration has it.
    pub fn rule(self, rule: &Rule) -> String {
        let list = self.list(rule.list);
        if self == Self::Flags {
            return typed(list, std::slice::from_ref(&rule.name));
        }
        let field = rule.field.as_ref().map(|field| format!("{field}: ")).unwrap_or_default();
        match preset::of_rule(rule) {
            Some(preset) => format!("{field}preset {preset:?}"),
            None if rule.list == List::Patterns => format!("{field}{list} '{}'", rule.name),
            None => format!("{field}{list} {:?}", rule.name),
        }
    }
}

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

/// The flags that name fields of a kind of lines.
fn flags(kind: Kind) -> &'static str {
    match kind {
        Kind::Json => "--json",
        Kind::Logfmt => "--logfmt",
        Kind::Ltsv => "--ltsv",
        Kind::Text => "--regex",
        _ => "--query or --header",
    }
}

/// The error about a name that was typed.
pub fn fault(refused: SelectionError) -> Fault {
    use SelectionError::*;
    let fault = Fault::usage(refused.to_string());
    let typed = |list, names: &[String]| typed(Naming::Flags.list(list), names);
    match refused {
        Label(error) => error.into(),
        TooMany => fault.hint("use fewer names, or wildcards"),
        Twice { .. } => fault.hint(ONE_RULE),
        Empty => {
            fault.hint("name one with --json, --logfmt, --ltsv, --query, --header or --regex, or try --help")
        }
        Mixed { kinds: [one, other], .. } => {
            Fault::usage(format!("{} and {} are for different formats of lines", flags(one), flags(other)))
                .hint("use the flags of one format; all except --json can be combined with --regex")
        }
        DropAlone => Fault::usage("--drop names fields, but no flag says which format the lines have")
            .hint("name a field to seal as well, with --json, --logfmt, --ltsv, --query or --header"),
        Name { list, kind: Kind::Json, name, meant, .. } if may_be_written_so(&name) => {
            let fault = if meant.is_empty() { fault } else { fault.hint(typed(list, &meant)) };
            fault.hint(format!("or, if the whole text is one name in the log: {}", typed(list, &[format!("\"{name}\"")])))
        }
        Name { list, meant, .. } if !meant.is_empty() => fault.hint(typed(list, &meant)),
        Name { list: List::Query, name, .. } if name.contains('*') => fault.hint("--query all"),
        Name { list: List::Json, .. } => fault.hint(
            "join names with dots, such as --json user.email; * matches any characters within one name, ** any number of names",
        ),
        Name { .. } => fault.hint("name each field with a flag of its own"),
        Header { meant, .. } if !meant.is_empty() => fault.hint(typed(List::Headers, &meant)),
        Header { .. } => fault.hint(
            "name client, user, request, Referer, User-Agent or X-Forwarded-For, or NAME=N for the N-th quoted \
             field after the size",
        ),
        EmptyMatch { .. } => {
            fault.hint("write a pattern that matches at least one character, with \"+\" in place of \"*\"")
        }
        Pattern { .. } => fault.hint(
            "the syntax is that of https://docs.rs/regex; it has no look-around and no back-references",
        ),
        _ => fault,
    }
}
