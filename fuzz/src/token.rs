//! The grammar of records: a match is written in the only way, matches are in order, and all text around them is left alone.

use sealmark::record::{Context, Found, LogKeys, LogOpener, TokenOpener, find};

/// Takes any text; returns true if it contained something of the grammar. Nothing of it opens.
pub fn token(data: &[u8]) -> bool {
    let mut end = 0;
    for found in find(data) {
        let range = found.range();
        assert!(end <= range.start && range.end <= data.len(), "matches overlap");
        end = range.end;
        check(&data[range.clone()], &found);
        assert_eq!(find(&data[range]).count(), 1, "a match is none by itself");
    }
    leaves_alone(data);
    end > 0
}

/// Checks the pieces between the tildes against the grammar.
fn check(text: &[u8], found: &Found<'_>) {
    let text = std::str::from_utf8(text).expect("a match is ASCII");
    let pieces: Vec<&str> = text.split('~').collect();
    let (session, body) = match (found, &pieces[..]) {
        (Found::Token(token), ["", "s1a" | "s1p" | "s1j" | "s1q", label, session, body, ""]) => {
            assert!((1..=64).contains(&label.len()) && *label == token.label);
            assert!((27..=1_398_128).contains(&body.len()));
            (session, body)
        }
        (Found::Part(part), ["", "s1h", session, digest, numbers, body, ""]) => {
            assert!(part.number >= 1 && part.number <= part.of && text.len() <= 900);
            assert_eq!(digest.len(), 12);
            assert_eq!(*numbers, format!("{}.{}", part.number, part.of), "a number written in another way");
            (session, body)
        }
        (Found::Closing(_), ["", "s1z", session, body, ""]) => {
            assert!((32..=715).contains(&body.len()));
            (session, body)
        }
        _ => panic!("{text:?} is not {found:?}"),
    };
    assert_eq!(session.len(), 16);
    assert!(
        (session.bytes().chain(body.bytes())).all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    );
}

/// Without a key, nothing changes, except that the log's own lines are removed.
fn leaves_alone(data: &[u8]) {
    let mut opener = LogOpener::new(LogKeys::default());
    opener.learn(data);
    let (mut pass, mut out) = (TokenOpener::new(Context::Detect), Vec::new());
    pass.open(&opener.sessions(), data, &mut out);
    let kept: Vec<u8> =
        data.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_own(line)).flatten().copied().collect();
    assert!(out == kept, "something was altered");
    let report = pass.into_report();
    assert_eq!((report.opened, report.tampered, report.not_text), (0, 0, 0));
}

/// True for a line that is only a part or a closing token, which is found in another way than in the library.
fn is_own(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    [(&b""[..], &b""[..]), (b"{\"sealmark\":\"", b"\"}")].iter().any(|(before, behind)| {
        let inner = line.strip_prefix(*before).and_then(|rest| rest.strip_suffix(*behind));
        inner.is_some_and(|inner| {
            let first = find(inner).next();
            first.is_some_and(|found| !matches!(found, Found::Token(_)) && found.range() == (0..inner.len()))
        })
    })
}
