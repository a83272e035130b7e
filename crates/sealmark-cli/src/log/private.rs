//! Text that looks private: a hint for whoever chooses the fields, and no promise.

use regex::Regex;
use std::net::IpAddr;
use std::ops::Range;
use std::sync::LazyLock;

/// Kinds of private text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Email,
    Address,
    Card,
    Phone,
    Key,
}

impl Kind {
    pub fn name(self) -> &'static str {
        self.look().name
    }

    /// A pattern for `log seal` that finds it.
    pub fn pattern(self) -> String {
        let Look { label, pattern, sealed, .. } = self.look();
        sealed.map_or_else(|| format!("(?<{label}>{pattern})"), str::to_owned)
    }

    fn look(self) -> &'static Look {
        LOOKS.iter().find(|look| look.kind == self).expect("each kind has a look")
    }
}

/// How a kind is recognised.
struct Look {
    kind: Kind,
    name: &'static str,
    /// The label of its values.
    label: &'static str,
    pattern: &'static str,
    /// The pattern that finds the value to seal, where that is not all that is looked for.
    sealed: Option<&'static str>,
    /// Tells apart what only looks alike.
    is_one: fn(&str) -> bool,
}

const ADDRESS: Look = Look {
    kind: Kind::Address,
    name: "IP address",
    label: "address",
    pattern: r"\b\d{1,3}(?:\.\d{1,3}){3}\b",
    sealed: None,
    is_one: is_address,
};

const LOOKS: [Look; 6] = [
    Look {
        kind: Kind::Email,
        name: "e-mail address",
        label: "email",
        pattern: r"[\w.%+-]+(?:@|%40)[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}",
        sealed: None,
        is_one: |_| true,
    },
    Look {
        kind: Kind::Key,
        name: "token or key",
        label: "key",
        pattern: r#"(?i)(?:bearer |[?&;" ](?:access_token|id_token|refresh_token|token|api_?key|key|secret|password|passwd|pwd|auth|session|sid|signature|sig|code)=)[^&\s"~]{4,}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*"#,
        sealed: Some(r"(?i)(?:bearer |(?:token|secret|password|passwd|api_?key)[=:]\s?)(?<key>[^\s&,;]+)"),
        is_one: |_| true,
    },
    ADDRESS,
    Look { pattern: r"[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}", ..ADDRESS },
    Look {
        kind: Kind::Card,
        name: "card number",
        label: "card",
        pattern: r"\b[3-6]\d{3}(?:[ -]?\d){9,15}\b",
        sealed: None,
        is_one: is_card,
    },
    Look {
        kind: Kind::Phone,
        name: "phone number",
        label: "phone",
        pattern: r"\+\d[\d ().-]{6,18}\d",
        sealed: None,
        is_one: |text| (8..=15).contains(&digits(text).count()),
    },
];

static REGEXES: LazyLock<[Regex; LOOKS.len()]> =
    LazyLock::new(|| LOOKS.map(|look| Regex::new(look.pattern).expect("a fixed pattern")));

/// Finds text that looks private, from left to right for each kind.
pub fn find(text: &str) -> Vec<(Kind, Range<usize>)> {
    let mut found: Vec<(Kind, Range<usize>)> = Vec::new();
    for (look, regex) in LOOKS.iter().zip(&*REGEXES) {
        for matched in regex.find_iter(text).filter(|matched| (look.is_one)(matched.as_str())) {
            let range = matched.range();
            if !found.iter().any(|(_, known)| known.start < range.end && range.start < known.end) {
                found.push((look.kind, range));
            }
        }
    }
    found
}

/// Addresses of this machine, and of none, are nobody's.
fn is_address(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok_and(|address| !address.is_loopback() && !address.is_unspecified())
}

/// ISO/IEC 7812-1, annex B.
fn is_card(text: &str) -> bool {
    let sum: u32 = digits(text)
        .rev()
        .enumerate()
        .map(|(index, digit)| match (index % 2, digit) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => 2 * digit - 9,
            (_, digit) => 2 * digit,
        })
        .sum();
    (13..=19).contains(&digits(text).count()) && sum.is_multiple_of(10)
}

fn digits(text: &str) -> impl DoubleEndedIterator<Item = u32> {
    text.chars().filter_map(|letter| letter.to_digit(10)).collect::<Vec<_>>().into_iter()
}

/// The longest example that is shown.
const LONGEST: usize = 40;

/// The shape of a value, without what it says: letters become x, digits 9.
pub fn masked(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    let mask = |letter: char| match letter {
        letter if letter.is_alphabetic() => 'x',
        letter if letter.is_numeric() => '9',
        letter if letter.is_control() => '?',
        letter => letter,
    };
    let mut shown: String = text.chars().take(LONGEST).map(mask).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        find(text).into_iter().map(|(kind, range)| (kind, &text[range])).collect()
    }

    #[test]
    fn what_looks_private_is_found() {
        assert_eq!(kinds("from a.b+c@mail.example.org today"), [(Kind::Email, "a.b+c@mail.example.org")]);
        assert_eq!(kinds("/?mail=a%40b.example&x=1"), [(Kind::Email, "a%40b.example")]);
        assert_eq!(
            kinds("203.0.113.9 - 2001:db8::7"),
            [(Kind::Address, "203.0.113.9"), (Kind::Address, "2001:db8::7")]
        );
        assert_eq!(kinds("card 4111 1111 1111 1111 ok"), [(Kind::Card, "4111 1111 1111 1111")]);
        assert_eq!(kinds("call +49 30 1234-5678"), [(Kind::Phone, "+49 30 1234-5678")]);
        assert_eq!(kinds("GET /cb?code=abcd1234&x=1")[0].0, Kind::Key);
        assert_eq!(kinds("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig")[0].0, Kind::Key);
        assert_eq!(kinds("Authorization: Bearer abc.def")[0].0, Kind::Key);
    }

    #[test]
    fn what_only_looks_alike_is_not() {
        for text in [
            "127.0.0.1 ::1 0.0.0.0 999.1.1.1",
            "12:00:01 10:20",
            "4111 1111 1111 1112",
            "1732345678901",
            "2026-11-23T12:00:00.000+0100",
            "user=7 code=200",
            "~s1a~email~AAAA~BBBB~",
        ] {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    #[test]
    fn an_example_tells_its_shape_and_nothing_else() {
        assert_eq!(masked("Ann.Ü7@b.org\u{1b}".as_bytes()), "xxx.x9@x.xxx?");
        assert_eq!(masked(&[b'a'; 50]), format!("{}…", "x".repeat(40)));
    }
}
