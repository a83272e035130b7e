//! Errors of the TOML parser in the words of docs/logs.md.

use super::lists::LIST;

/// The fault of a file and the hint about it. `before` is its text up to the place of the error.
pub fn words(message: &str, before: &str) -> (String, String) {
    let (key, value) = last_entry(before);
    let is_list = value.trim_start().starts_with('[');
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if let ("unknown field", Some((name, known))) = (start(message, 2), quoted.split_first()) {
        let hint = match nearest(name, known) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("the keys are {}; docs/logs.md explains them", known.join(", ")),
        };
        return (format!("unknown key {name:?}"), hint);
    }
    if let ("unknown variant", Some((name, known))) = (start(message, 2), quoted.split_first()) {
        let hint = match nearest(name, known) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("use one of {}", known.join(", ")),
        };
        return (format!("{key} cannot be {name:?}"), hint);
    }
    if let Some((found, expected)) =
        message.strip_prefix("invalid type: ").and_then(|rest| rest.split_once(", expected "))
    {
        return match (key, found) {
            ("within", "map") => {
                ("[within] is one table, but there can be several".into(), "write [[within]]".into())
            }
            _ => {
                let is_list = is_list || expected == LIST;
                (
                    format!("{key} must be {}, not {}", named(expected, key, is_list), seen(found)),
                    hint_at(key, is_list),
                )
            }
        };
    }
    let (what, hint) = match message {
        "wanted string or table" => (format!("{key} must be a string between quotes"), hint_at(key, is_list)),
        "duplicate key" => {
            ("this key or table is defined twice".into(), "keep one; a list can have several strings".into())
        }
        _ if message.starts_with("missing escaped value") => (
            format!("{key} has a backslash in a string between double quotes"),
            format!(
                "use single quotes, in which a backslash needs no escape: {key} = {}",
                if is_list { "['…']" } else { "'…'" }
            ),
        ),
        _ if message.starts_with("string values must be quoted") => {
            (format!("{key} must be a string between quotes"), hint_at(key, is_list))
        }
        _ if message.starts_with("unclosed table") || message.starts_with("unclosed array table") => {
            ("the heading of a table is not closed".into(), "write [[within]]".into())
        }
        _ if message.starts_with("unclosed array") => {
            (format!("the list {key} is not closed"), "end it with ]".into())
        }
        _ if message.starts_with("unclosed inline table") => {
            (format!("the table {key} is not closed"), "end it with }".into())
        }
        _ if message.starts_with("missing comma between array elements") => {
            (format!("a comma is missing in the list {key}"), format!("write {key} = [\"…\", \"…\"]"))
        }
        "invalid basic string, expected `\"`" | "invalid literal string, expected `'`" => (
            format!("{key} has a string that is not closed"),
            "end it on its line, with the quote that it begins with".into(),
        ),
        _ if message.starts_with("key with no value") => {
            ("there is no = after the key".into(), "write KEY = VALUE".into())
        }
        _ if message.starts_with("unexpected key or value") => {
            ("there is more than one key in this line".into(), "write each key in a line of its own".into())
        }
        _ => (
            message.to_owned(),
            "write strings between quotes and lists between brackets; docs/logs.md has every key".into(),
        ),
    };
    (what, hint)
}

/// The first words of a message.
fn start(message: &str, words: usize) -> &str {
    let end = message.match_indices(' ').nth(words - 1).map_or(message.len(), |(end, _)| end);
    &message[..end]
}

/// The table that begins in the last line of a text, or else the last key before its end and what follows its sign.
fn last_entry(before: &str) -> (&str, &str) {
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    let last = before.lines().next_back().unwrap_or_default().trim();
    if let Some(table) =
        last.strip_prefix('[').map(|table| table.trim_matches(['[', ']'])).filter(|name| is_name(name))
    {
        return (table, "");
    }
    let starts = before.match_indices('\n').map(|(feed, _)| feed + 1);
    let entry = |start: usize| {
        let (key, value) = before[start..].split_once('=')?;
        is_name(key.trim()).then_some((key.trim(), value))
    };
    starts.rev().chain([0]).find_map(entry).unwrap_or(("the value", ""))
}

fn named(expected: &str, key: &str, is_list: bool) -> String {
    match expected {
        "a sequence" if key == "within" => "tables that begin with [[within]]".into(),
        "a string" if is_list => LIST.into(),
        "a string" => "a string between quotes".into(),
        "path string" => "the name of a file between quotes".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => LIST.into(),
        other => other.into(),
    }
}

fn seen(found: &str) -> String {
    let (kind, value) = found.split_once(' ').unwrap_or((found, ""));
    match kind {
        "string" => format!("the string {value}"),
        "integer" | "floating" => "a number".into(),
        "boolean" => value.trim_matches('`').into(),
        "map" => "a table".into(),
        "sequence" => "a list".into(),
        _ => found.into(),
    }
}

fn hint_at(key: &str, is_list: bool) -> String {
    match key {
        "within" => "write [[within]]".into(),
        "patterns" => "write patterns = ['…']".into(),
        key if is_list => format!("write {key} = [\"…\"]"),
        "any_case" | "allow_mixed" | "line_buffered" => format!("write {key} = true"),
        key => format!("write {key} = \"…\""),
    }
}

/// The word that may have been meant: it differs in a letter of three at most.
fn nearest<'a>(typed: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = known.iter().map(|word| (strsim::osa_distance(typed, word), *word)).min()?;
    (near.0 * 3 <= typed.len().max(near.1.len())).then_some(near.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_near_word_is_suggested() {
        assert_eq!(nearest("recipient_files", &["recipients", "recipients_files"]), Some("recipients_files"));
        assert_eq!(nearest("sael", &["seal", "keep"]), Some("seal"));
        assert_eq!(nearest("jsno", &["logfmt", "json"]), Some("json"));
        assert_eq!(nearest("none", &["seal", "json", "user"]), None);
    }

    #[test]
    fn the_key_of_a_value_is_named() {
        let key = |before| last_entry(before).0;
        assert_eq!(last_entry("format = \"json\"\nseal = [\n  \"a=b\",\n  "), ("seal", " [\n  \"a=b\",\n  "));
        assert_eq!(key("  pad = { a = "), "pad");
        assert_eq!(key("seal = [\"a\"]\n[within]\n"), "within");
        assert_eq!(key(""), "the value");
    }
}
