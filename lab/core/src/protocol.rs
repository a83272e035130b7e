//! The wire between the lab and an engine: flat JSON lines (spec/engine.md is their truth).

use crate::parameters::{NONE, Parameters};
use crate::usage::Used;
use crate::workload::Fingerprint;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, Read};

pub const PROTOCOL: u64 = 3;

/// The longest line either side accepts, its line feed included: an engine gone mad must not fill our memory.
pub const LONGEST_LINE: usize = 65_536;

/// A message from the lab to an engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
pub enum Ask {
    Hello { protocol: u64 },
    Prepare(Task),
    Check { operation: Operation, number: u64, input: String },
    Time { operation: Operation, first: u64, count: u64 },
    Run { operation: Operation, input: String, output: String },
}

/// The job of an engine process until it ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub job: String,
    /// Each under its own name.
    #[serde(flatten)]
    pub parameters: Parameters,
    /// The length of the plain input; jobs that have one.
    pub bytes: Option<u64>,
    /// How many connections are open at once; jobs of connections only.
    pub concurrency: Option<u64>,
    pub seed: u64,
    pub directory: String,
    /// How a TLS engine's server is to misbehave: for tests of the engine.
    pub peer: Option<Peer>,
}

impl Task {
    /// The work to do: an algorithm, or the parts of a TLS connection.
    pub fn algorithm(&self) -> &str {
        self.parameters.algorithm().unwrap_or(NONE)
    }

    /// The length of the plain input; nothing where connections are what is asked for.
    pub fn bytes(&self) -> u64 {
        self.bytes.unwrap_or(0)
    }

    /// The value of a parameter; nothing where the job has no such one.
    pub fn parameter(&self, name: &str) -> &str {
        self.parameters.get(name).unwrap_or_default()
    }
}

/// The behaviour of a server in place of TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Peer {
    Stalls,
    Resets,
    Plain,
}

/// A message from an engine to the lab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "lowercase")]
pub enum Answer {
    Hello { protocol: u64, engine: String, version: String },
    Ready(Ready),
    Checked(Fingerprint),
    Timed(Timed),
    Done(Span),
    Connected(Box<Connected>),
    Served(Box<Served>),
    Unsupported { why: String },
    Refused { why: String },
    Exhausted { why: String },
    Limited { why: String },
    Failed { why: String },
}

/// The promises of an engine about the task it took on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    pub authenticated: bool,
    pub code: String,
}

/// The time that operations took, and all else that they used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub wall_ns: u64,
    #[serde(flatten)]
    pub used: Used,
}

/// Operations in memory, and the digest of the last output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timed {
    pub count: u64,
    pub sha256: String,
    #[serde(flatten)]
    pub span: Span,
}

/// A span of TLS as its own engine saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connected {
    pub count: u64,
    #[serde(flatten)]
    pub span: Span,
    pub bytes: u64,
    pub sha256: String,
    pub protocol: String,
    pub suite: String,
    pub group: String,
    /// Connections whose handshake was a full one, and those that went on with a session.
    pub full: u64,
    pub resumed: u64,
    #[serde(flatten)]
    pub tls: Tls,
    /// The times of the first connections, with spaces between.
    pub each_ns: Option<String>,
}

/// A span of requests as the engine's clients saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Served {
    pub count: u64,
    #[serde(flatten)]
    pub span: Span,
    #[serde(flatten)]
    pub requests: Requests,
}

/// Members that only a span of TLS connections has; times and bytes are of all of them together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tls {
    pub client_cpu_ns: Option<u64>,
    pub server_cpu_ns: Option<u64>,
    /// Over the wire, both directions, without TCP and IP.
    pub wire_bytes: Option<u64>,
    /// Only where connections were timed one by one; the lab finds them.
    pub stalls: Option<Stalls>,
}

/// Connections that waited for a delayed acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stalls {
    /// How many connections were looked at one by one.
    pub seen: u64,
    /// How many of them took about 40, 80 or 120 ms longer than they computed.
    pub stalled: u64,
    /// The median time of those that stalled; 0 where none did.
    pub usual_ns: u64,
}

/// How long single requests of a span took, from the first byte written to the last one read, and what the clients had of
/// its CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requests {
    pub median_ns: u64,
    pub p99_ns: u64,
    pub client_cpu_ns: Option<u64>,
}

/// The directions of the jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    Seal,
    Open,
    Encode,
    Decode,
    Loop,
    Upload,
    Download,
    Full,
    Resumed,
    Serve,
}

/// The word on the wire.
impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// One message as one line, with its line feed; nothing is said of what is not known.
pub fn message(message: &impl Serialize) -> String {
    line(&known(message))
}

fn known(message: &impl Serialize) -> Map<String, Value> {
    let Ok(Value::Object(mut object)) = serde_json::to_value(message) else { return Map::new() };
    object.retain(|_, value| !value.is_null());
    object
}

/// Anything as one line, with its line feed.
pub fn line(message: &impl Serialize) -> String {
    let mut text =
        serde_json::to_string(message).unwrap_or_else(|error| format!("{{\"unwritable\":\"{error}\"}}"));
    text.push('\n');
    text
}

/// One line as one message; the error says what is wrong with it.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(flat(text)?).map_err(|error| error.to_string())
}

/// The same of an answer, which has no key that the specification does not name.
pub fn parse_answer(text: &str) -> Result<Answer, String> {
    let object = flat(text)?;
    let answer = parse(text)?;
    let known = known(&answer);
    let unknown = object.as_object().into_iter().flatten().find(|(name, _)| !known.contains_key(*name));
    unknown.map_or(Ok(answer), |(name, _)| Err(format!("unknown field \"{name}\"")))
}

fn flat(text: &str) -> Result<Value, String> {
    let flat = serde_json::from_str::<Flat>(text);
    flat.and_then(serde_json::to_value).map_err(|error| error.to_string())
}

/// Input from the wire where a line was expected.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    Text(String),
    Broken(&'static str),
    End,
}

/// Reads one line, never more than the longest allowed.
pub fn read_line(input: &mut impl BufRead) -> Line {
    let mut bytes = Vec::new();
    match input.by_ref().take(LONGEST_LINE as u64).read_until(b'\n', &mut bytes) {
        Err(_) | Ok(0) => Line::End,
        Ok(_) if bytes.last() == Some(&b'\n') => {
            String::from_utf8(bytes).map_or(Line::Broken("a line that is not UTF-8"), Line::Text)
        }
        Ok(LONGEST_LINE) => Line::Broken("a line longer than 65536 bytes"),
        Ok(_) => Line::Broken("a line without an end"),
    }
}

/// A JSON object of strings, integers and booleans, no key twice.
#[derive(Deserialize, Serialize)]
#[serde(transparent)]
struct Flat(
    #[serde(deserialize_with = "serde_with::rust::maps_duplicate_key_is_error::deserialize")]
    BTreeMap<String, Scalar>,
);

/// An integer is at most 2^63 - 1.
#[derive(Deserialize, Serialize)]
#[serde(untagged, expecting = "a value is not a string, integer or boolean")]
enum Scalar {
    Flag(bool),
    Integer(i64),
    Text(String),
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn every_message_survives_the_wire() {
        let path = "/a \"quoted\"\nname".to_owned();
        for ask in [
            Ask::Hello { protocol: PROTOCOL },
            Ask::Prepare(Task {
                job: "file".into(),
                parameters: Parameters::for_tests(Some("X25519"), Some("as-written")),
                bytes: Some(49),
                concurrency: None,
                seed: 7,
                directory: path.clone(),
                peer: Some(Peer::Stalls),
            }),
            Ask::Check { operation: Operation::Decode, number: 5, input: path.clone() },
            Ask::Time { operation: Operation::Loop, first: 6, count: 7 },
            Ask::Run { operation: Operation::Open, input: path.clone(), output: path.clone() },
        ] {
            assert_eq!(parse::<Ask>(&message(&ask)).unwrap(), ask);
        }
        for answer in [
            Answer::Hello { protocol: 3, engine: "e".into(), version: "1".into() },
            Answer::Ready(Ready { authenticated: true, code: "c".into() }),
            Answer::Checked(Fingerprint { bytes: 65, sha256: "00".into() }),
            Answer::Timed(Timed {
                count: 3,
                sha256: "00".into(),
                span: Span { wall_ns: 1, used: Used { cpu_ns: Some(2), gc_ns: Some(0), ..Used::default() } },
            }),
            Answer::Exhausted { why: "heap".into() },
            Answer::Limited { why: "2 GiB".into() },
            Answer::Done(Span {
                wall_ns: 1,
                used: Used { cpu_ns: Some(2), allocated_bytes: Some(3), ..Used::default() },
            }),
            Answer::Refused { why: path.clone() },
        ] {
            let text = message(&answer);
            assert_eq!(text.matches('\n').count(), 1, "{text}");
            assert_eq!(parse_answer(&text).unwrap(), answer);
        }
    }

    #[test]
    fn the_examples_of_the_specification_are_messages() {
        let specification = include_str!("../../spec/engine.md");
        let asks: Vec<_> = specification.lines().filter_map(|text| text.strip_prefix("> {")).collect();
        let answers: Vec<_> = specification.lines().filter_map(|text| text.strip_prefix("< {")).collect();
        assert_eq!((asks.len(), answers.len()), (11, 11));
        asks.iter().for_each(|text| drop(parse::<Ask>(&format!("{{{text}")).unwrap()));
        answers.iter().for_each(|text| drop(parse_answer(&format!("{{{text}")).unwrap()));
    }

    #[test]
    fn what_is_not_flat_is_refused() {
        parse_answer(r#"{"answer":"done","wall_ns":9223372036854775807}"#).unwrap();
        for (text, part) in [
            (r#"{"answer":"done","wall_ns":[1]}"#, "not a string, integer or boolean"),
            (r#"{"answer":"done","wall_ns":{"ns":1}}"#, "not a string, integer or boolean"),
            (r#"{"answer":"done","wall_ns":1,"cpu_ns":null}"#, "not a string, integer or boolean"),
            (r#"{"answer":"done","wall_ns":1.5}"#, "not a string, integer or boolean"),
            (r#"{"answer":"done","wall_ns":1e3}"#, "not a string, integer or boolean"),
            (r#"{"answer":"done","wall_ns":-1}"#, "invalid value: integer `-1`"),
            (r#"{"answer":"done","wall_ns":9223372036854775808}"#, "not a string, integer or boolean"),
            (r#"{"answer":"done","wall_ns":1,"wall_ns":2}"#, "found duplicate key"),
            (r#"{"answer":"done","wall_ns":1,"mood":"good"}"#, "unknown field"),
            (r#"{"answer":"perhaps"}"#, "unknown variant"),
            (r#"["done"]"#, "expected a map"),
            (r#"{"answer":"done","wall_ns":1} {}"#, "trailing"),
            ("hello there", "expected"),
        ] {
            let error = parse_answer(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn lines_are_bounded() {
        let mut long = vec![b'x'; LONGEST_LINE - 1];
        long.push(b'\n');
        assert!(matches!(read_line(&mut long.as_slice()), Line::Text(_)));
        long.insert(0, b'x');
        assert_eq!(read_line(&mut long.as_slice()), Line::Broken("a line longer than 65536 bytes"));
        assert_eq!(read_line(&mut &b"half"[..]), Line::Broken("a line without an end"));
        assert_eq!(read_line(&mut &b"\xff\n"[..]), Line::Broken("a line that is not UTF-8"));
        assert_eq!(read_line(&mut &b""[..]), Line::End);
    }
}
