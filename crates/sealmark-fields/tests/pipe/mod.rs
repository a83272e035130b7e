//! Seals and opens lines as the program does.
#![allow(dead_code, reason = "not every test uses all of it")]

use sealmark::record::{
    Context, Label, LogKeys, LogOpener, LogSession, PreSharedKey, Readers, SessionId, SessionSettings, Shape,
    TokenOpener, Value,
};
use sealmark_fields::{Fields, Form, Kept, Selection};
use std::sync::LazyLock;

/// One session for all cases, because its key does not matter.
static SEALED: LazyLock<(LogSession, LogOpener)> = LazyLock::new(|| {
    let key = PreSharedKey::generate().unwrap();
    let session = LogSession::begin(&Readers::pre_shared(key.clone()), SessionSettings::default()).unwrap();
    let mut opener = LogOpener::new(LogKeys::pre_shared(vec![key]));
    opener.learn(session.header_lines(Shape::Plain).as_bytes());
    (session, opener)
});

pub fn none() -> Selection {
    Selection::default()
}

pub fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The line as the program writes it: a line of another kind is sealed as a whole.
pub fn sealed(fields: &Fields, line: &[u8]) -> Vec<u8> {
    sealed_of(fields, Kept { line, rest: None })
}

/// Seals the part of the line that is left.
pub fn sealed_of(fields: &Fields, kept: Kept<'_>) -> Vec<u8> {
    let line = kept.line;
    let (session, whole) = (&SEALED.0, Label::new("line").unwrap());
    let (mut spans, mut out, mut copied) = (Vec::new(), Vec::new(), 0);
    if fields.find_in(kept, &mut spans).is_err() {
        return session.seal(&whole, line).unwrap().into_bytes();
    }
    for span in &spans {
        out.extend_from_slice(&line[copied..span.range.start]);
        let (label, value) = (fields.label(span), span.value(line));
        match span.form {
            Form::JsonText(_) => {
                out.extend_from_slice(span.form.quote());
                session.seal_into(label, Value::Json(str::from_utf8(&value).unwrap()), &mut out).unwrap();
                out.extend_from_slice(span.form.quote());
            }
            Form::Verbatim | Form::Escaped(_) => session.seal_into(label, &value, &mut out).unwrap(),
        }
        copied = span.range.end;
    }
    out.extend_from_slice(&line[copied..]);
    out
}

pub fn opened(line: &[u8]) -> Vec<u8> {
    let (mut pass, mut out) = (TokenOpener::new(Context::Raw), Vec::new());
    pass.open(&SEALED.1.sessions(), line, &mut out);
    out
}

/// Escapes a value as servers do between quotes.
pub fn quoted(value: &[u8]) -> Vec<u8> {
    let written = |byte: &u8| match byte {
        b'"' | b'\\' => vec![b'\\', *byte],
        0x20..0x7f => vec![*byte],
        _ => format!("\\x{byte:02x}").into_bytes(),
    };
    value.iter().flat_map(written).collect()
}

/// The session of all cases.
pub fn session() -> SessionId {
    SEALED.0.id()
}
