#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
use crate::shown::owned;
use crate::{Fields, Form, Kind, Selection, Unparsed, Wrapper};
use std::cell::Cell;

thread_local! {
    /// How many bytes were looked at for what is asked of whole lines.
    pub static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
}

fn json(names: &[&str]) -> Selection {
    Selection { kind: Some(Kind::Json), json: owned(names), ..Selection::default() }
}

fn url() -> Selection {
    Selection { kind: Some(Kind::Url), query: owned(&["t"]), ..Selection::default() }
}

fn mail(unparsed: Unparsed) -> Selection {
    let patterns = owned(&["(?<mail>\\S+@\\S+)"]);
    Selection { kind: Some(Kind::Text), patterns, unparsed, ..Selection::default() }
}

/// Label, form and what is written of each value; nothing where the line is of another kind.
fn found(selection: &Selection, line: &str) -> Option<Vec<String>> {
    let (fields, mut spans) = (Fields::new(selection).unwrap(), Vec::new());
    let shown =
        |span: &crate::Span| format!("{} {:?} {}", fields.label(span), span.form, &line[span.range.clone()]);
    fields.find(line.as_bytes(), &mut spans).then(|| spans.iter().map(shown).collect())
}

#[test]
fn text_within_a_member_has_rules_of_its_own() {
    let within = vec![
        ("uri".to_owned(), url()),
        ("msg".to_owned(), mail(Unparsed::Pass)),
        ("in".to_owned(), json(&["a", "b"])),
    ];
    let selection = Selection { within, ..json(&["ip"]) };
    let line = r#"{"ip":"::1","uri":"/?t=1&x=2","msg":"to \"a@b\" c","in":"{\"a\":\"x\\\"y\",\"b\":1}"}"#;
    assert_eq!(
        found(&selection, line).unwrap(),
        [
            "ip Verbatim ::1",
            "uri.t Verbatim 1",
            r#"msg.mail Escaped(1) \"a@b\""#,
            r#"in.a Escaped(2) x\\\"y"#,
            "in.b JsonText(2) 1",
        ]
    );
    // No match is clear; no JSON is sealed as a whole; an object is looked into as well.
    let line = r#"{"msg":"hello","in":"{","uri":"/"}"#;
    assert_eq!(found(&selection, line).unwrap(), ["in Verbatim {"]);
    assert_eq!(
        found(&selection, r#"{"in":{"a":"x","b":1}}"#).unwrap(),
        ["in.a Verbatim x", "in.b JsonText(1) 1"]
    );
    assert_eq!(
        found(&selection, r#"{"msg":["a@b"],"uri":7,"in":null}"#).unwrap(),
        ["msg.mail Verbatim a@b", "in JsonText(1) null"]
    );
}

#[test]
fn what_a_reader_would_write_otherwise_is_sealed_with_its_string() {
    let selection = Selection { within: vec![("uri".to_owned(), url())], ..json(&[]) };
    let fine = r#"{"uri":"/?t=1\u0026x=2"}"#;
    assert_eq!(found(&selection, fine).unwrap(), ["uri.t Verbatim 1"]);
    let odd = r#"{"uri":"/?t=\u0031"}"#;
    assert_eq!(found(&selection, odd).unwrap(), [r#"uri JsonText(1) "/?t=\u0031""#]);
}

#[test]
fn text_that_cannot_be_searched_is_sealed() {
    let selection = Selection { within: vec![("msg".to_owned(), mail(Unparsed::Pass))], ..json(&[]) };
    let (fields, mut spans) = (Fields::new(&selection).unwrap(), Vec::new());
    assert!(fields.find(b"{\"msg\":\"a@b\xff\"}", &mut spans));
    assert_eq!((spans.len(), spans[0].range.clone(), spans[0].form), (1, 7..13, Form::Verbatim));
}

#[test]
fn pairs_have_text_of_their_own_too() {
    let within = vec![("uri".to_owned(), url()), ("in".to_owned(), json(&["a"]))];
    let logfmt = Selection { kind: Some(Kind::Logfmt), within: within.clone(), ..Selection::default() };
    let line = r#"uri="/?t=1" in="{\"a\":\"x\"}" n=1"#;
    assert_eq!(found(&logfmt, line).unwrap(), ["uri.t Verbatim 1", "in.a Verbatim x"]);
    let ltsv = Selection { kind: Some(Kind::Ltsv), within, ..Selection::default() };
    assert_eq!(
        found(&ltsv, "uri:/?t=1\tin:{\"a\":1}\tn:1").unwrap(),
        ["uri.t Verbatim 1", "in.a Verbatim 1"]
    );
}

#[test]
fn what_a_runtime_cut_is_sealed_in_all_its_pieces() {
    let docker = Selection { wrapper: Some(Wrapper::Docker), ..mail(Unparsed::Pass) };
    let fields = Fields::new(&docker).unwrap();
    let mut spans = Vec::new();
    let mut is_sealed = |log: &str, stream: &str| {
        let line = format!(r#"{{"log":"{log}","stream":"{stream}","time":"t"}}"#);
        // A whole line without an address passes.
        assert_eq!(fields.find(line.as_bytes(), &mut spans), log != r"hello\n");
        // Behind `{"log":"`; a string that is no text gives its quotes away, too.
        let text = 8..8 + log.len();
        spans.len() == 1 && (spans[0].range == text || spans[0].range == (text.start - 1..text.end + 1))
    };
    assert!(is_sealed("to ann@exam", "stdout"));
    // Another stream is not cut.
    assert!(!is_sealed(r"hello\n", "stderr"));
    assert!(is_sealed(r"ple.org\n", "stdout"));
    assert!(!is_sealed(r"hello\n", "stdout"));
    // A string that is no text may have been cut, too.
    assert!(is_sealed(r"\x22 to ann@exam", "stdout"));
    assert!(is_sealed(r"ple.org\n", "stdout"));
    assert!(!is_sealed(r"hello\n", "stdout"));
    let cri = Fields::new(&Selection { wrapper: Some(Wrapper::Cri), ..mail(Unparsed::Pass) }).unwrap();
    let mut shown = |text: &str| {
        let line = format!("2026-11-23T12:00:00Z {text}");
        let found = cri.find(line.as_bytes(), &mut spans);
        found.then(|| spans.iter().map(|span| line[span.range.clone()].to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(shown("stdout P to ann@exam").unwrap(), ["to ann@exam"]);
    assert_eq!(shown("stderr F hello"), None);
    assert_eq!(shown("stdout F ple.org").unwrap(), ["ple.org"]);
    assert_eq!(shown("stdout F to a@b now").unwrap(), ["a@b"]);
    assert_eq!(shown("stdout X a@b"), None);
}

#[test]
fn the_end_of_a_line_is_no_part_of_a_value() {
    let pattern = Selection { patterns: owned(&["a=(.*)"]), ..Selection::default() };
    let mut spans = Vec::new();
    let mut shown = |fields: &Fields, line: &str| {
        assert!(fields.find(line.as_bytes(), &mut spans));
        spans.iter().map(|span| line[span.range.clone()].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(shown(&Fields::new(&pattern).unwrap(), "x a=S\r"), ["S"]);
    let cri = Fields::new(&Selection { wrapper: Some(Wrapper::Cri), ..pattern }).unwrap();
    assert_eq!(shown(&cri, "2026-11-23T12:00:00Z stdout F x a=S\r"), ["S"]);
    assert_eq!(shown(&cri, "2026-11-23T12:00:00Z stdout F S\r"), ["S"]);
    for empty in ["stdout F \r", "stdout F\r", "stdout F", "stdout F "] {
        assert_eq!(shown(&cri, &format!("2026-11-23T12:00:00Z {empty}")), [""; 0], "{empty:?}");
    }
}

#[test]
fn a_line_within_a_runtimes_text_has_a_label_of_its_own() {
    let email = Selection { wrapper: Some(Wrapper::Docker), ..json(&["email"]) };
    let fields = Fields::new(&email).unwrap();
    let mut spans = Vec::new();
    // docker escapes what a reader would not: nobody could write a token's value so again.
    for (line, label) in [
        (r#"{"log":"{\"email\":\"a@b\"}\n","stream":"stdout"}"#, "email"),
        (r#"{"log":"{\"email\":\"a\u0026b\"}\n","stream":"stdout"}"#, "line"),
        (r#"{"log":"no JSON\n","stream":"stdout"}"#, "line"),
    ] {
        assert!(fields.find(line.as_bytes(), &mut spans), "{line}");
        let labels: Vec<_> = spans.iter().map(|span| fields.label(span).to_string()).collect();
        assert_eq!(labels, [label], "{line}");
    }
    assert_eq!((fields.rests(), fields.rules().next().unwrap().1), (2, 2));
}

#[test]
fn a_line_is_looked_at_once_however_many_fields_it_has() {
    let url_in = |kind| {
        let within = vec![("a".to_owned(), url())];
        Selection { kind: Some(kind), within, ..Selection::default() }
    };
    let docker = Selection { wrapper: Some(Wrapper::Docker), ..json(&["a"]) };
    for (selection, start, field, end) in [
        (url_in(Kind::Logfmt), "", "a=\"?t=1\" ", "b=x}"),
        (url_in(Kind::Ltsv), "", "a:?t=1\t", "b:x}"),
        (docker, "{", r#""log":"{\"a\":1}\n","#, "\"n\":1}"),
    ] {
        for fields in [1, 10, 1000] {
            let line = format!("{start}{}{end}", field.repeat(fields));
            LOOKED_AT.set(0);
            assert!(found(&selection, &line).is_some(), "{line}");
            assert_eq!(LOOKED_AT.get(), line.len(), "{field:?}, {fields} times");
        }
    }
}

#[test]
fn values_within_text_can_be_dropped() {
    let inner = Selection { dropped: owned(&["pw", "n"]), ..json(&[]) };
    let uri = Selection { dropped: owned(&["pw"]), ..url() };
    let within = vec![("in".to_owned(), inner), ("uri".to_owned(), uri)];
    let fields = Fields::new(&Selection { within, ..json(&["ip"]) }).unwrap();
    let (mut spans, mut kept) = (Vec::new(), Vec::new());
    let line = br#"{"in":"{\"pw\":\"a\\\"b\",\"n\":7,\"x\":1}","uri":"/?pw=1&t=\u0026","ip":"::1"}"#;
    let left = fields.without_dropped(line, &mut spans, &mut kept).unwrap();
    let expected = r#"{"in":"{\"pw\":null,\"n\":null,\"x\":1}","uri":"/?pw=&t=\u0026","ip":"::1"}"#;
    assert_eq!(str::from_utf8(left.line).unwrap(), expected);
}

#[test]
fn lines_without_names_have_no_fields_with_text() {
    let selection = Selection { within: vec![("a".to_owned(), url())], ..mail(Unparsed::Seal) };
    assert!(Fields::new(&selection).is_err());
}
