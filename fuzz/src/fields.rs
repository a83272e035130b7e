//! Lines of each kind, as the program takes them: dropped values are gone after one pass; values found in the rest are separate
//! and in order, and open to themselves when they are sealed.

use sealmark::record::{
    Context, Label, LogKeys, LogOpener, LogSession, PreSharedKey, Readers, SessionSettings, Sessions, Shape,
    TokenOpener, Value,
};
use sealmark_fields::{Fields, Form, Kind, Selection, Span, Unparsed, Wrapper};
use std::sync::LazyLock;

/// Takes lines; returns true if all of them are JSON.
pub fn json(data: &[u8]) -> bool {
    static FIELDS: LazyLock<Fields> =
        LazyLock::new(|| fields(Selection { json: names("a b.c b"), dropped: names("d b.d"), ..none() }));
    all_lines(&FIELDS, data)
}

/// Takes lines; returns true if all of them are logfmt.
pub fn logfmt(data: &[u8]) -> bool {
    static FIELDS: LazyLock<Fields> =
        LazyLock::new(|| fields(Selection { logfmt: names("a b"), dropped: names("d"), ..none() }));
    all_lines(&FIELDS, data)
}

/// Takes lines; returns true if all of them are LTSV.
pub fn ltsv(data: &[u8]) -> bool {
    static FIELDS: LazyLock<Fields> =
        LazyLock::new(|| fields(Selection { ltsv: names("a b"), dropped: names("d"), ..none() }));
    all_lines(&FIELDS, data)
}

/// Takes lines; returns true if all of them are of an access log.
pub fn access(data: &[u8]) -> bool {
    static FIELDS: LazyLock<[Fields; 2]> = LazyLock::new(|| {
        let named = Selection { query: names("a b"), headers: names("client Referer"), ..none() };
        let all = Selection { query: names("all a"), headers: names("user User-Agent"), ..none() };
        [
            fields(Selection { dropped: names("d request"), ..named }),
            fields(Selection { dropped: names("d Cookie=3"), ..all }),
        ]
    });
    let [named, all] = &*FIELDS;
    let is_access = all_lines(named, data);
    assert_eq!(all_lines(all, data), is_access, "of a kind for some fields only");
    is_access
}

/// Takes lines of text; returns true if a pattern finds something in all of them.
pub fn patterns(data: &[u8]) -> bool {
    static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
        let texts = [
            r"ip=([^; ]*)",
            r"user=(?<u>\S+)(?: .*pw=(?<p>\S+))?",
            r"\b\d{4,}\b",
            r"e\d*",
            r"(?-u:[\x80-\xff])+",
        ];
        fields(Selection { patterns: texts.map(str::to_owned).to_vec(), ..none() })
    });
    all_lines(&FIELDS, data)
}

/// Takes lines; returns true if all of them fit one of the format strings of servers.
pub fn formats(data: &[u8]) -> bool {
    static FIELDS: LazyLock<[Fields; 3]> = LazyLock::new(|| {
        let nginx =
            r#"$remote_addr - $remote_user [$time_local] "$request" $status ua="$http_user_agent" $http_x"#;
        let raw = format!("escape=none {nginx}");
        let json = r#"{"uri":"$request_uri","ua":"$http_user_agent","n":$status}"#;
        // A dropped value takes along text that may belong to it, and hides that from other rules, so only one format drops.
        let all = [(nginx, "client user ua", ""), (&raw, "client user ua", "d"), (json, "ua", "")];
        all.map(|(format, seal, drop)| {
            let (log_format, headers) = (Some(format.to_owned()), names(seal));
            let dropped = drop.split_whitespace().map(str::to_owned).collect();
            let query = names("a b");
            fields(Selection { kind: Some(Kind::Template), log_format, headers, query, dropped, ..none() })
        })
    });
    FIELDS.iter().filter(|fields| all_lines_by(fields, data, Again::Otherwise)).count() > 0
}

/// Takes lines in wrappers of container runtimes; returns true if all of them have the same wrapper.
pub fn wrapped(data: &[u8]) -> bool {
    let all = [Wrapper::Docker, Wrapper::Cri, Wrapper::Cee].map(|wrapper| {
        // Each input has fields of its own, because fields remember which lines were cut.
        let json =
            Selection { json: names("a b.c b"), dropped: names("d"), unparsed: Unparsed::Line, ..none() };
        let fields = fields(Selection { wrapper: Some(wrapper), ..json });
        all_lines_by(&fields, data, Again::Otherwise)
    });
    all.contains(&true)
}

/// Takes lines with text of another kind in their fields; returns true if all of them are JSON, logfmt or LTSV.
pub fn within(data: &[u8]) -> bool {
    static FIELDS: LazyLock<[Fields; 3]> = LazyLock::new(|| {
        let url = Selection { kind: Some(Kind::Url), query: names("a b"), dropped: names("d"), ..none() };
        let patterns = names(r"ip=([^;]*) (?<a>\b\d{4,}\b)");
        let text = Selection { kind: Some(Kind::Text), patterns, unparsed: Unparsed::Pass, ..none() };
        let line = ("u".to_owned(), url.clone());
        let json = Selection { json: names("a b.c"), dropped: names("d"), within: vec![line], ..none() };
        let within = [("u", url), ("m", text), ("p", json)].map(|(field, rules)| (field.to_owned(), rules));
        [Kind::Json, Kind::Logfmt, Kind::Ltsv].map(|kind| {
            fields(Selection { kind: Some(kind), within: within.to_vec(), dropped: names("d"), ..none() })
        })
    });
    FIELDS.iter().filter(|fields| all_lines(fields, data)).count() > 0
}

fn fields(selection: Selection) -> Fields {
    Fields::new(&selection).expect("a fixed selection of fields")
}

fn names(names: &str) -> Vec<String> {
    names.split(' ').map(str::to_owned).collect()
}

fn none() -> Selection {
    Selection::default()
}

/// The result of dropping values from a line a second time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Again {
    /// The line stays the same.
    Same,
    /// The line may change: a value of a format takes along all text that may belong to it, and a runtime's line may go on in the
    /// next.
    Otherwise,
}

fn all_lines(fields: &Fields, data: &[u8]) -> bool {
    all_lines_by(fields, data, Again::Same)
}

fn all_lines_by(fields: &Fields, data: &[u8], again: Again) -> bool {
    let others = data.split(|byte| *byte == b'\n').filter(|line| !one_line(fields, line, again));
    others.count() == 0
}

/// Returns true if the line without dropped values is of the fields' kind.
fn one_line(fields: &Fields, line: &[u8], again: Again) -> bool {
    let (mut spans, mut kept, mut second) = (Vec::new(), Vec::new(), Vec::new());
    let Some(kept) = fields.without_dropped(line, &mut spans, &mut kept) else { return false };
    let line = kept.line;
    let twice = fields.without_dropped(line, &mut spans, &mut second);
    let is_done = twice.is_some_and(|twice| twice.line == line);
    assert!(is_done || again == Again::Otherwise, "something was left to drop");
    let found = fields.find_in(kept, &mut spans).is_ok();
    if found {
        let sealed = sealed(fields, line, &spans);
        let (mut pass, mut opened) = (TokenOpener::new(Context::Raw), Vec::new());
        pass.open(&SESSION.1, &sealed, &mut opened);
        assert!(opened == line, "{}", String::from_utf8_lossy(&sealed));
    }
    found
}

/// A session and a reader of it.
static SESSION: LazyLock<(LogSession, Sessions)> = LazyLock::new(|| {
    let key: PreSharedKey = include_str!("log_key").trim().parse().expect("the fixed key is a key");
    let session =
        LogSession::begin(&Readers::pre_shared(key.clone()), SessionSettings::default()).expect("a session");
    let mut opener = LogOpener::new(LogKeys::pre_shared(vec![key]));
    opener.learn(session.header_lines(Shape::Plain).as_bytes());
    (session, opener.sessions())
});

fn sealed(fields: &Fields, line: &[u8], spans: &[Span]) -> Vec<u8> {
    let (mut out, mut copied) = (Vec::new(), 0);
    for span in spans {
        assert!(copied <= span.range.start && span.range.start <= span.range.end, "values overlap");
        out.extend_from_slice(&line[copied..span.range.start]);
        put(fields.label(span), span.form, &span.value(line), &mut out);
        copied = span.range.end;
    }
    out.extend_from_slice(&line[copied..]);
    out
}

fn put(label: &Label, form: Form, value: &[u8], out: &mut Vec<u8>) {
    match form {
        Form::Verbatim | Form::Escaped(_) => SESSION.0.seal_into(label, value, out).expect("a value"),
        Form::JsonText(_) => {
            let text = std::str::from_utf8(value).expect("JSON text is text");
            out.extend_from_slice(form.quote());
            SESSION.0.seal_into(label, Value::Json(text), out).expect("JSON text");
            out.extend_from_slice(form.quote());
        }
    }
}
