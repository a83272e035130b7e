//! Paths as they are typed, and those that may have been meant.

use serde_json::Value;

/// The form of a typed path.
pub const PATH: &str = "a path of names joined by dots";

/// A path that was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// Names joined by dots.
    pub path: String,
    /// True where a `*` in it stands for other names.
    pub is_wild: bool,
}

/// The path that was typed: names joined by dots; or a JSON Pointer (RFC 6901) or JSONPath (RFC 9535) without indices; or a path
/// between double quotes, where it looks like something else. Fails with the paths that may have been meant.
pub fn path_of(typed: &str) -> Result<Typed, Vec<String>> {
    let literal = typed.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let is_path = |path: &&str| !path.contains('"') && path.split('.').all(|name| !name.is_empty());
    if let Some(path) = literal.filter(is_path) {
        return Ok(Typed { path: path.to_owned(), is_wild: false });
    }
    match understood(typed) {
        Some(path) => Ok(Typed { is_wild: path.contains('*'), path }),
        None => Err(meant(typed).unwrap_or_default()),
    }
}

/// The path that is written in one of the known ways. An index is in none of them: all items of an array are looked through.
fn understood(text: &str) -> Option<String> {
    let is_index = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(pointer) = text.strip_prefix('/') {
        let names = pointer.split('/').map(|name| name.replace("~1", "/").replace("~0", "~"));
        let names: Vec<_> = names.collect();
        let is_plain = |name: &String| !is_index(name) && !name.contains(['*', '.', ',', '"', '[', ']']);
        return names.iter().all(is_plain).then(|| names.join("."));
    }
    let rooted = text.strip_prefix('$').filter(|rest| rest.starts_with(['.', '[']));
    let path = match rooted {
        Some(rest) => rest.replace("..", ".**.").trim_start_matches('.').to_owned(),
        None => text.to_owned(),
    };
    let path = path.replace("[]", "").replace("[*]", "").replace("['", ".").replace("']", "");
    let path = if rooted.is_some() { path.trim_start_matches('.') } else { &path };
    let is_plain = !path.contains(['[', ']', '"', ',']) && path.split('.').all(|name| !name.is_empty());
    (is_plain && !is_index(path)).then(|| path.to_owned())
}

/// A path as it is to be typed.
pub fn typed(path: &str) -> String {
    let same = Typed { path: path.to_owned(), is_wild: false };
    if path_of(path).is_ok_and(|typed| typed == same) { same.path } else { format!("\"{path}\"") }
}

/// The paths that were meant by one that is written in the manner of other tools: JSONPath, JSON Pointer, jq, or several
/// between commas. Nothing where that cannot be told, and the path itself where it is one.
fn meant(text: &str) -> Option<Vec<String>> {
    let path = |text: &str| {
        let pointer = text.starts_with('/');
        let text = text
            .strip_prefix('$')
            .filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            .unwrap_or(text);
        let mut path = String::new();
        for piece in text.split(['[', ']']) {
            // An index says which item of an array, and all of them are looked through.
            let name = piece.trim_matches(['.', '"', '\'']);
            let name = if pointer { name.trim_matches('/').replace('/', ".") } else { name.to_owned() };
            if !name.is_empty() && !name.bytes().all(|byte| byte.is_ascii_digit() || b"*:-".contains(&byte)) {
                path += if path.is_empty() { "" } else { "." };
                path += &name;
            }
        }
        (!path.is_empty() && !path.contains('*') && path.split('.').all(|name| !name.is_empty()))
            .then_some(path)
    };
    text.split(',').map(|part| path(if part.len() == text.len() { part } else { part.trim() })).collect()
}

/// A path in the line that is the typed one but for upper and lower case, or for the signs between its words. Nothing else is
/// repeated, since a name in a line may be chosen by a stranger.
pub fn near_miss(line: &[u8], sought: &str) -> Option<String> {
    let whole = serde_json::from_slice(line).ok()?;
    let mut found = None;
    look_around(&whole, &mut String::new(), &mut |path| {
        let same = |a: u8, b: u8| a.eq_ignore_ascii_case(&b) || b"._-".contains(&a) && b"._-".contains(&b);
        let is_near = path.len() == sought.len() && path.bytes().zip(sought.bytes()).all(|(a, b)| same(a, b));
        (is_near && path != sought).then(|| found = Some(typed(path)))
    });
    found
}

/// Tells all paths of a value, until one is taken.
fn look_around(value: &Value, path: &mut String, take: &mut impl FnMut(&str) -> Option<()>) -> Option<()> {
    match value {
        Value::Array(items) => items.iter().find_map(|item| look_around(item, path, take)),
        Value::Object(members) => members.iter().find_map(|(name, value)| {
            let outer = path.len();
            if outer > 0 {
                path.push('.');
            }
            path.push_str(name);
            let taken = take(path).or_else(|| look_around(value, path, take));
            path.truncate(outer);
            taken
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    #[test]
    fn paths_in_the_manner_of_other_tools_are_told_in_ours() {
        let known = |text: &str| path_of(text).map(|typed| typed.path);
        let meant = |text| known(text).unwrap_or_else(|meant| meant.join(" "));
        for typed in [
            "user.email",
            "$.user.email",
            "/user/email",
            "$['user']['email']",
            "user[].email",
            "user[*].email",
            "$.user[*]['email']",
        ] {
            assert_eq!(known(typed).unwrap(), "user.email", "{typed}");
        }
        for typed in [".user.email", "user[0].email", "user.email.", "$.user[0]['email']", "user[email]"] {
            assert_eq!(known(typed).unwrap_err(), ["user.email"], "{typed}");
        }
        for (typed, path) in [
            ("*.email", "*.email"),
            ("$..email", "**.email"),
            ("$.user.*", "user.*"),
            ("/a~1b/c~0", "a/b.c~"),
            ("*_token", "*_token"),
        ] {
            let typed = path_of(typed).unwrap();
            assert_eq!((typed.path.as_str(), typed.is_wild), (path, path.contains('*')));
        }
        assert_eq!(meant("user.email, ip"), "user.email ip");
        for same in ["user.email", "@m", "$type", "a/b", "é/\n", "user id", "$schema.x", "a-b", "1.2"] {
            assert_eq!(known(same).unwrap(), same);
        }
        for unclear in ["", ",", "[0]", "0", "\"\"", "\"a..b\"", "\"a\".\"b\"", "a..b", "//", "/a/0"] {
            assert!(path_of(unclear).is_err(), "{unclear}");
        }
    }

    #[test]
    fn between_quotes_a_path_is_taken_at_its_word() {
        for odd in ["0", "a[b]", "*", "$.a", "/a/b", "a,b", "users.0.a[b]"] {
            assert_eq!(path_of(&typed(odd)).unwrap(), Typed { path: odd.to_owned(), is_wild: false });
            assert_eq!(typed(odd), format!("\"{odd}\""));
        }
        assert_eq!(typed("user.email"), "user.email");
        assert_eq!(near_miss(br#"{"A[b]":1}"#, "a[b]").unwrap(), "\"A[b]\"");
    }

    #[test]
    fn near_misses_are_seen() {
        let near = |typed| {
            near_miss(br#"{"id":1,"User":{"Email":"a"},"m":{"a@b":{"ip":1}},"list":[{"Ip":1}]}"#, typed)
        };
        assert_eq!(near("user.email").unwrap(), "User.Email");
        assert_eq!(near("user_email").unwrap(), "User.Email");
        assert_eq!(near("LIST.ip").unwrap(), "list.Ip");
        for of_others in ["email", "ip", "mail", "user.emails"] {
            assert_eq!(near(of_others), None);
        }
        assert_eq!(near_miss(br#"{"u7":{"ip":1}}"#, "ip"), None);
    }
}
