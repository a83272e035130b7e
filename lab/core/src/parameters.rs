//! Parameters tell the lines of an engine apart: named values, each under its own key on the wire and in results.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The names, in order: the first say what is done, the others how a library is used for it.
const NAMES: [&str; 9] =
    ["algorithm", "protocol", "suite", "group", "certificate", "reuse", "mode", "transport", "threads"];

fn rank(name: &str) -> usize {
    NAMES.iter().position(|known| *known == name).unwrap_or(NAMES.len())
}

/// True if a parameter says what is done, and not how.
pub fn is_what(name: &str) -> bool {
    rank(name) < rank("reuse")
}

/// True if a text is of a form in which each `*` stands for any characters.
pub fn like(form: &str, text: &str) -> bool {
    let Some((before, after)) = form.split_once('*') else { return form == text };
    let Some(rest) = text.strip_prefix(before) else { return false };
    rest.char_indices().map(|(at, _)| at).chain([rest.len()]).any(|at| like(after, &rest[at..]))
}

/// The value of a parameter of which there is nothing, as in what copies.
pub const NONE: &str = "none";

/// The parameters of a line, or those that a fault names: what is not named holds for all values. Rows and tables have
/// many copies.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Parameters(Arc<Named>);

#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Named {
    /// The values that say what is done, with spaces between.
    algorithm: Option<String>,
    values: Vec<(String, String)>,
}

impl Parameters {
    pub fn new(named: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut values: Vec<(String, String)> = named.into_iter().collect();
        values.sort_by_key(|(name, _)| rank(name));
        let what = values.iter().filter(|(name, _)| is_what(name)).map(|(_, value)| value.as_str());
        let mut what: Vec<&str> = what.collect();
        if what.iter().all(|value| *value == NONE) {
            what.truncate(1);
        }
        let algorithm = (!what.is_empty()).then(|| what.join(" "));
        Self(Arc::new(Named { algorithm, values }))
    }

    /// The algorithm, or protocol, suite, group and certificate with spaces between.
    pub fn algorithm(&self) -> Option<&str> {
        self.0.algorithm.as_deref()
    }

    /// The value that says how a library is used, where there is a choice.
    pub fn how(&self) -> Option<&str> {
        self.iter().find(|(name, _)| !is_what(name)).map(|(_, value)| value)
    }

    pub fn is_empty(&self) -> bool {
        self.0.values.is_empty()
    }

    /// The value of that name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.values.iter().map(|(name, value)| (name.as_str(), value.as_str()))
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
        let all = BTreeMap::<String, Value>::deserialize(deserializer)?;
        let known = all.into_iter().filter(|(name, _)| NAMES.contains(&name.as_str()));
        let text = |(name, value): (String, Value)| match value {
            Value::String(value) => Ok((name, value)),
            _ => Err(D::Error::custom(format!("\"{name}\" is not a string"))),
        };
        known.map(text).collect::<Result<Vec<_>, _>>().map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    impl Parameters {
        /// Makes the parameters of a job of which no more is known than these.
        pub fn for_tests(algorithm: Option<&str>, how: Option<&str>) -> Self {
            let of_tls = &NAMES[1..rank("reuse")];
            let is_of_tls = algorithm.is_some_and(|text| text.split(' ').count() == of_tls.len());
            let names = if is_of_tls { of_tls } else { &NAMES[..1] };
            let words = algorithm.into_iter().flat_map(|text| text.split(' '));
            let what = names.iter().copied().zip(words);
            let how = how.map(|value| match value {
                "as-written" | "tuned" => ("reuse", value),
                "memory" | "nodelay" | "default-sockets" => ("transport", value),
                _ if value.starts_with(|c: char| c.is_ascii_digit()) => ("threads", value),
                _ => ("mode", value),
            });
            Self::new(what.chain(how).map(|(name, value)| (name.to_owned(), value.to_owned())))
        }
    }

    #[test]
    fn values_stand_under_their_names_in_one_order() {
        let text = r#"{"transport":"memory","suite":"TLS_X","protocol":"TLSv1.3","group":"X25519","certificate":"Ed25519"}"#;
        let parameters: Parameters = serde_json::from_str(text).unwrap();
        assert_eq!(parameters.algorithm(), Some("TLSv1.3 TLS_X X25519 Ed25519"));
        assert_eq!((parameters.how(), parameters.get("group")), (Some("memory"), Some("X25519")));
        let names: Vec<&str> = parameters.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["protocol", "suite", "group", "certificate", "transport"]);
        let again: Parameters = serde_json::from_str(&serde_json::to_string(&parameters).unwrap()).unwrap();
        assert_eq!(again, parameters);
        let none =
            ["protocol", "suite", "group", "certificate"].map(|name| (name.to_owned(), NONE.to_owned()));
        assert_eq!(Parameters::new(none).algorithm(), Some(NONE));
        assert_eq!(serde_json::from_str::<Parameters>("{}").unwrap(), Parameters::default());
        let other = r#"{"colour":"blue","weight":3,"reuse":"tuned"}"#;
        assert_eq!(
            serde_json::from_str::<Parameters>(other).unwrap().iter().collect::<Vec<_>>(),
            [("reuse", "tuned")]
        );
        assert!(serde_json::from_str::<Parameters>(r#"{"reuse":3}"#).is_err());
    }
}
