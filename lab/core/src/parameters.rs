//! Parameters tell the lines of an engine apart: named values, each under its own key on the wire and in results.

use serde::de::{Error, IntoDeserializer, value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The parameters that say what is done, in order; a value of any other one is a [`Shape`].
const WHAT: [&str; 5] = ["algorithm", "protocol", "suite", "group", "certificate"];

/// True if a parameter says what is done, and not how.
pub fn is_what(name: &str) -> bool {
    WHAT.contains(&name)
}

/// True if a text is of a form in which each `*` stands for any characters.
pub fn like(form: &str, text: &str) -> bool {
    let Some((before, after)) = form.split_once('*') else { return form == text };
    let Some(rest) = text.strip_prefix(before) else { return false };
    rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| like(after, &rest[at..]))
}

/// The value of a parameter of which there is nothing, as in what copies.
pub const NONE: &str = "none";

/// How a library is used: what each operation makes anew, how bytes meet the library, what lies between two ends, or how
/// many threads share the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    AsWritten,
    Tuned,
    OneShot,
    Update,
    Stream,
    Wss4j,
    Chunked,
    VerifyThenRelease,
    Memory,
    Nodelay,
    DefaultSockets,
    #[serde(rename = "1-thread")]
    OneThread,
    #[serde(rename = "2-threads")]
    TwoThreads,
    #[serde(rename = "16-threads")]
    SixteenThreads,
    #[serde(rename = "256-threads")]
    ManyThreads,
    /// Threads of a language's own, which cost the system none.
    #[serde(rename = "4096-virtual")]
    VirtualThreads,
}

/// The parameters that say how a library is used.
const HOW: [&str; 4] = ["reuse", "mode", "transport", "threads"];

impl Shape {
    /// The shape of that name.
    pub fn named(name: &str) -> Result<Self, value::Error> {
        Self::deserialize(name.into_deserializer())
    }

    /// The parameter that it is a value of.
    pub fn parameter(self) -> &'static str {
        let [reuse, mode, transport, threads] = HOW;
        match self {
            Self::AsWritten | Self::Tuned => reuse,
            Self::Memory | Self::Nodelay | Self::DefaultSockets => transport,
            shape if shape < Self::Memory => mode,
            _ => threads,
        }
    }

    /// How many threads of the system share the work; only some shapes say.
    pub fn threads(self) -> Option<usize> {
        match self {
            Self::OneThread => Some(1),
            Self::TwoThreads => Some(2),
            Self::SixteenThreads => Some(16),
            Self::ManyThreads => Some(256),
            _ => None,
        }
    }

    /// True if an ask wakes more than one thread, of whatever kind.
    pub fn is_crowd(self) -> bool {
        self == Self::VirtualThreads || self.threads().is_some_and(|threads| threads > 1)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The parameters of a line, or those that a fault names: what is not named holds for all values. Rows and tables have
/// many copies.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Parameters(Arc<Named>);

#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Named {
    /// The values that say what is done, with spaces between.
    algorithm: Option<String>,
    shape: Option<Shape>,
    named: Vec<(String, String)>,
}

impl Parameters {
    /// Makes them from names and values; the error says which value is none of its parameter's.
    pub fn new(named: impl IntoIterator<Item = (String, String)>) -> Result<Self, String> {
        let rank = |name: &str| WHAT.iter().position(|what| *what == name).unwrap_or(WHAT.len());
        let (mut named, mut what, mut shape): (Vec<_>, Vec<String>, _) =
            (named.into_iter().collect(), Vec::new(), None);
        named.sort_by(|(one, _): &(String, String), (two, _)| (rank(one), one).cmp(&(rank(two), two)));
        for (name, value) in &named {
            if rank(name) < WHAT.len() {
                what.push(value.clone());
            } else {
                shape = Some(Shape::named(value).map_err(|why| format!("{name}: {why}"))?);
            }
        }
        if what.iter().all(|value| value == NONE) {
            what.truncate(1);
        }
        let algorithm = (!what.is_empty()).then(|| what.join(" "));
        Ok(Self(Arc::new(Named { algorithm, shape, named })))
    }

    /// Makes the parameters of a job of which no more is known than these.
    #[cfg(test)]
    pub fn for_tests(algorithm: Option<&str>, shape: Option<Shape>) -> Self {
        let of_tls = ["protocol", "suite", "group", "certificate"];
        let is_of_tls = algorithm.is_some_and(|text| text.split(' ').count() == of_tls.len());
        let names = if is_of_tls { &of_tls[..] } else { &WHAT[..1] };
        let words = algorithm.into_iter().flat_map(|text| text.split(' '));
        let what = names.iter().map(|name| name.to_string()).zip(words.map(str::to_owned));
        let how = shape.map(|shape| (shape.parameter().to_owned(), shape.to_string()));
        Self::new(what.chain(how)).unwrap_or_default()
    }

    /// The algorithm, or protocol, suite, group and certificate with spaces between.
    pub fn algorithm(&self) -> Option<&str> {
        self.0.algorithm.as_deref()
    }

    pub fn shape(&self) -> Option<Shape> {
        self.0.shape
    }

    pub fn is_empty(&self) -> bool {
        self.0.named.is_empty()
    }

    /// The value of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.named.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl Serialize for Parameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Takes the parameters from all members of an object: a reader passes over names that it does not know.
impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut all = BTreeMap::<String, Value>::deserialize(deserializer)?;
        all.retain(|name, _| is_what(name) || HOW.contains(&name.as_str()));
        let text = |(name, value): (String, Value)| match value {
            Value::String(value) => Ok((name, value)),
            _ => Err(D::Error::custom(format!("\"{name}\" is not a string"))),
        };
        let named: Vec<_> = all.into_iter().map(text).collect::<Result<_, _>>()?;
        Self::new(named).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::jobs;

    #[test]
    fn one_thread_is_no_crowd_and_threads_of_any_kind_are() {
        let crowds = jobs::RECORD.shapes().into_iter().map(Shape::is_crowd);
        assert_eq!(crowds.collect::<Vec<_>>(), [false, true, true, true, true]);
        assert!(!Shape::Tuned.is_crowd());
    }

    #[test]
    fn every_shape_is_a_value_of_its_parameter() {
        for (job, how) in [
            (&jobs::CODEC, "reuse"),
            (&jobs::PAYLOAD, "mode"),
            (&jobs::TLS_CONNECT, "transport"),
            (&jobs::RECORD, "threads"),
        ] {
            let values = job.parameters.iter().find(|parameter| parameter.name == how).unwrap().values;
            for name in values {
                let shape = Shape::named(name).unwrap();
                assert_eq!((shape.to_string().as_str(), shape.parameter()), (*name, how));
            }
        }
        let why = Shape::named("tailored").unwrap_err().to_string();
        assert!(why.contains("`tailored`, expected one of `as-written`,"), "{why}");
    }

    #[test]
    fn values_stand_under_their_names_in_one_order() {
        let text = r#"{"transport":"memory","suite":"TLS_X","protocol":"TLSv1.3","group":"X25519","certificate":"Ed25519"}"#;
        let parameters: Parameters = serde_json::from_str(text).unwrap();
        assert_eq!(parameters.algorithm(), Some("TLSv1.3 TLS_X X25519 Ed25519"));
        assert_eq!((parameters.shape(), parameters.get("group")), (Some(Shape::Memory), Some("X25519")));
        let names: Vec<&str> = parameters.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["protocol", "suite", "group", "certificate", "transport"]);
        let again: Parameters = serde_json::from_str(&serde_json::to_string(&parameters).unwrap()).unwrap();
        assert_eq!(again, parameters);
        let none =
            ["protocol", "suite", "group", "certificate"].map(|name| (name.to_owned(), NONE.to_owned()));
        assert_eq!(Parameters::new(none).unwrap().algorithm(), Some(NONE));
        assert_eq!(serde_json::from_str::<Parameters>("{}").unwrap(), Parameters::default());
        let other = r#"{"colour":"blue","weight":3,"reuse":"tuned"}"#;
        assert_eq!(
            serde_json::from_str::<Parameters>(other).unwrap().iter().collect::<Vec<_>>(),
            [("reuse", "tuned")]
        );
        assert!(serde_json::from_str::<Parameters>(r#"{"reuse":3}"#).is_err());
        let error = serde_json::from_str::<Parameters>(r#"{"reuse":"tailored"}"#).unwrap_err().to_string();
        assert!(error.starts_with("reuse: unknown variant `tailored`"), "{error}");
    }
}
