//! Values that may not be kept, sealed or not.

use crate::error::SelectionError;
use crate::header::Header;
use crate::names::Labels;
use crate::rules::{Rules, Search};
use crate::selection::{Kind, Selection};
use crate::span::Span;

/// A line without the values that may not be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept<'a> {
    /// The line.
    pub line: &'a [u8],
    /// Where the rest of an access-log line begins in which nobody can tell where a field is: it is sealed as one, since
    /// strangers could otherwise have their own lines deleted, or a dropped field kept in clear. Where lines of access logs
    /// stand in other lines, it is the first such place, and those behind it are sealed to their ends, too.
    pub rest: Option<usize>,
}

/// The fields whose values are taken out of a line before anything of it is sealed.
pub struct Dropping {
    found: Rules,
    pub rules: Labels,
}

impl Dropping {
    /// The rules of the fields that were typed to be dropped.
    pub fn new(typed: &Selection) -> Result<Self, SelectionError> {
        // It was meant as a field by its number, and would be a parameter.
        let is_number =
            |name: &str| name.rsplit_once('=').is_some_and(|(_, number)| number.parse::<u64>().is_ok());
        let is_none = |name: &&String| is_number(name) && Header::typed(name).is_none();
        if let (Some(Kind::Access), Some(name)) = (Kind::of(typed)?, typed.dropped.iter().find(is_none)) {
            return Err(SelectionError::Header { name: name.clone(), meant: Vec::new() });
        }
        let mut rules = Labels::default();
        let found = Rules::new(typed, true, &mut rules)?;
        Ok(Self { found, rules })
    }

    /// Like [`crate::Fields::go_on_from`].
    pub fn go_on_from(&self, before: &Self) {
        self.found.go_on_from(&before.found);
    }

    /// The line as it may be kept; nothing where it is of another kind, so that nobody can tell what is in it.
    pub fn keep<'a>(&self, line: &'a [u8], spans: &mut Vec<Span>, kept: &'a mut Vec<u8>) -> Option<Kept<'a>> {
        spans.clear();
        let mut search = Search::new(&self.rules, true);
        self.found.find(line, &mut search, spans).ok()?;
        let rest = search.rest;
        self.rules.count(spans);
        if spans.is_empty() {
            return Some(Kept { line, rest });
        }
        kept.clear();
        let (mut copied, mut moved) = (0, rest);
        for span in &*spans {
            let (range, nothing) = self.found.nothing(line, span);
            kept.extend_from_slice(&line[copied..range.start]);
            kept.extend_from_slice(nothing);
            copied = range.end;
            if rest.is_some_and(|rest| range.end <= rest) {
                moved = rest.map(|rest| kept.len() + (rest - copied));
            }
        }
        kept.extend_from_slice(&line[copied..]);
        Some(Kept { line: kept, rest: moved })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use crate::shown::owned;

    fn kept(kind: Kind, names: &[&str], line: &str) -> Option<String> {
        let typed = Selection { kind: Some(kind), dropped: owned(names), ..Selection::default() };
        let (mut spans, mut kept) = (Vec::new(), b"of another line".to_vec());
        let dropping = Dropping::new(&typed).unwrap();
        let kept = dropping.keep(line.as_bytes(), &mut spans, &mut kept)?;
        let (line, rest) = kept.line.split_at(kept.rest.unwrap_or(kept.line.len()));
        let text = |part: &[u8]| String::from_utf8(part.to_vec()).unwrap();
        Some(if kept.rest.is_some() { format!("{}~{}", text(line), text(rest)) } else { text(line) })
    }

    #[test]
    fn each_kind_has_its_nothing() {
        let json = r#"{"a":1,"c":{"a":"x\"","b":[1,{"b":"y"}]},"d":"é"}"#;
        assert_eq!(
            kept(Kind::Json, &["a", "c.a", "c.b.b", "d"], json).unwrap(),
            r#"{"a":null,"c":{"a":null,"b":[1,{"b":null}]},"d":null}"#
        );
        assert_eq!(kept(Kind::Logfmt, &["a"], r#"a=1 b=1 a="x y""#).unwrap(), r#"a= b=1 a="""#);
        assert_eq!(kept(Kind::Ltsv, &["a"], "a:1\tb:1\ta:").unwrap(), "a:-\tb:1\ta:");
        let access = r#"h:80 ::1 - a b [t] "GET /?user=1&cvv=2 HTTP/1.1" 200 - "/?%63vv=3" "cvv""#;
        assert_eq!(
            kept(Kind::Access, &["user", "cvv", "user-agent"], access).unwrap(),
            r#"h:80 ::1 - - [t] "GET /?user=&cvv= HTTP/1.1" 200 - "/?%63vv=" "-""#
        );
        assert_eq!(
            kept(Kind::Access, &["cvv"], r#"::1 - - [t] "cvv=1" 400 -"#).unwrap(),
            r#"::1 - - [t] "-" 400 -"#
        );
    }

    #[test]
    fn all_words_that_may_be_the_client_go_together() {
        let line = r#"shop.example ::1 - bob [t] "GET / HTTP/1.1" 200 -"#;
        let gone = r#"- - - [t] "GET / HTTP/1.1" 200 -"#;
        for names in [&["client"][..], &["client", "user"], &["user", "client"]] {
            assert_eq!(kept(Kind::Access, names, line).unwrap(), gone);
            assert_eq!(kept(Kind::Access, names, gone).unwrap(), gone);
        }
        assert_eq!(kept(Kind::Access, &["a"], line).unwrap(), line);
    }

    #[test]
    fn words_that_are_no_user_stay_where_only_that_goes() {
        for (who, left) in [
            ("shop.example ::1 - bob", "shop.example ::1 - -"),
            ("203.0.113.9 ident bob", "203.0.113.9 - -"),
            ("shop 1.1.1.1, 2.2.2.2 - bob", "shop 1.1.1.1, 2.2.2.2 - -"),
            ("1.1.1.1, 2.2.2.2 ident bob", "1.1.1.1, 2.2.2.2 - -"),
            ("shop.example host - bob", "shop.example - -"),
            ("evil - x, 203.0.113.9 - bob", "evil - -"),
            ("x, - 1.2.3.4", "x, - - -"),
            ("host ident 1.2.3.4", "host - -"),
            ("host - 1.2.3.4", "host - -"),
            (" - bob", "- - -"),
        ] {
            let line = |who: &str| format!(r#"{who} [t] "GET / HTTP/1.1" 200 -"#);
            assert_eq!(kept(Kind::Access, &["user"], &line(who)).unwrap(), line(left));
            assert_eq!(kept(Kind::Access, &["user"], &line(left)).unwrap(), line(left));
        }
    }

    #[test]
    fn only_what_can_be_in_a_request_takes_an_odd_one_along() {
        let line = r#"::1 - - [t] "\x16" 400 - "-" "curl""#;
        for names in [&["Referer"][..], &["X-Forwarded-For", "Cookie=4"]] {
            assert_eq!(kept(Kind::Access, names, line).unwrap(), line);
        }
        for names in [["user"], ["cvv"], ["all"]] {
            assert_eq!(kept(Kind::Access, &names, line).unwrap(), line.replace(r"\x16", "-"));
        }
        let url = r#"::1 - - [t] "GET /?referer=1 HTTP/1.1" 200 -"#;
        assert_eq!(kept(Kind::Access, &["Referer"], url).unwrap(), url.replace("=1", "="));
        let query = vec!["referer".to_owned(), "Referer".to_owned()];
        let typed = Selection { dropped: owned(&["Referer"]), query, ..Selection::default() };
        let (mut spans, mut kept) = (Vec::new(), Vec::new());
        let both = Dropping::new(&typed).unwrap();
        assert_ne!(both.keep(line.as_bytes(), &mut spans, &mut kept).unwrap().line, line.as_bytes());
    }

    /// The text behind the `~` is to be sealed.
    #[test]
    fn where_nobody_can_tell_the_fields_only_parameters_go() {
        let kept = |names: &[&str], line: &str| kept(Kind::Access, names, line).unwrap();
        let no_sizes = r#"::1 - bob [t] "GET /?x=1&cvv=2 HTTP/1.1" 200 0.5 1234 "/?CVV=3" "UA""#;
        let without = r#"::1 - - [t] ~"GET /?x=1&cvv= HTTP/1.1" 200 0.5 1234 "/?CVV=" "UA""#;
        assert_eq!(kept(&["cvv", "user"], no_sizes), without);
        assert_eq!(kept(&["zz"], no_sizes), no_sizes.replace("[t] ", "[t] ~"));
        let odd = r#"::1 - - [t] "GET /?cvv=1 HTTP/1.1" 200 1 "foo" "evil UA" "203.0.113.9" rt=5"#;
        assert_eq!(kept(&["Referer", "cvv"], odd), odd.replace("cvv=1", "cvv=").replace("\"foo", "~\"foo"));
        let open = r#"::1 - - [t] "GET /" x?cvv=1 HTTP/1.1" 200 1 "-" "curl""#;
        assert_eq!(kept(&["cvv"], open), open.replace("cvv=1 HTTP/1.1", "cvv=").replace("[t] ", "[t] ~"));
        let torn = r#"::1 - - [t] "GET / HTTP/1.1" 200 1 "-" "a"b" cvv=1 2" "UA""#;
        assert_eq!(kept(&["cvv"], torn), torn.replace("cvv=1 2", "cvv=").replace("\"a", "~\"a"));
    }

    /// A sender of many values deletes nothing else.
    #[test]
    fn however_many_parameters_go_the_others_stay() {
        let line = |value: &str| {
            let cvv = format!("cvv={value}&").repeat(100);
            format!(r#"::1 - - [t] "GET /?{cvv}attack=1 HTTP/1.1" 200 -"#)
        };
        assert_eq!(kept(Kind::Access, &["cvv"], &line("1")).unwrap(), line(""));
    }

    #[test]
    fn a_number_that_no_field_has_is_no_parameter() {
        let kind = Some(Kind::Access);
        let typed = |name| Selection { kind, dropped: owned(&[name]), ..Selection::default() };
        for (name, is_one) in
            [("Cookie=0", false), ("Cookie=65", false), ("Cookie=64", true), ("Cookie", true)]
        {
            assert_eq!(Dropping::new(&typed(name)).is_ok(), is_one, "{name}");
        }
    }

    #[test]
    fn a_line_without_the_field_stays() {
        assert_eq!(kept(Kind::Ltsv, &["a"], "b:1\tc:1").unwrap(), "b:1\tc:1");
    }

    #[test]
    fn of_a_line_of_another_kind_nothing_is_kept() {
        for kind in [Kind::Json, Kind::Logfmt, Kind::Ltsv, Kind::Access] {
            assert_eq!(kept(kind, &["a"], "a 1"), None, "{kind:?}");
        }
    }
}
