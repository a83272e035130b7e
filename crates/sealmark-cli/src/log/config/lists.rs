//! Lists of a configuration: one string stands for a list of one.

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use toml::Spanned;

/// The error about something else, as `refusal` knows it.
pub const LIST: &str = "a list of strings";

/// Names, each with its place in the file.
pub fn names<'de, D: Deserializer<'de>>(key: D) -> Result<Vec<Spanned<String>>, D::Error> {
    let key = Spanned::<List>::deserialize(key)?;
    let place = key.span();
    Ok(match key.into_inner() {
        List::One(name) => vec![Spanned::new(place, name)],
        List::Many(names) => names,
    })
}

/// [`names`] for a key whose absence has a meaning of its own.
pub fn some_names<'de, D: Deserializer<'de>>(key: D) -> Result<Option<Vec<Spanned<String>>>, D::Error> {
    names(key).map(Some)
}

/// A list of strings or paths as a whole.
pub fn whole<'de, D: Deserializer<'de>, T: From<String>>(
    key: D,
) -> Result<Option<Spanned<Vec<T>>>, D::Error> {
    let key = Spanned::<List>::deserialize(key)?;
    let place = key.span();
    let all = match key.into_inner() {
        List::One(text) => vec![text.into()],
        List::Many(texts) => texts.into_iter().map(|text| text.into_inner().into()).collect(),
    };
    Ok(Some(Spanned::new(place, all)))
}

enum List {
    One(String),
    Many(Vec<Spanned<String>>),
}

impl<'de> Deserialize<'de> for List {
    fn deserialize<D: Deserializer<'de>>(key: D) -> Result<Self, D::Error> {
        key.deserialize_any(OneOrMany)
    }
}

struct OneOrMany;

impl<'de> Visitor<'de> for OneOrMany {
    type Value = List;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(LIST)
    }

    fn visit_str<E>(self, text: &str) -> Result<List, E> {
        Ok(List::One(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut texts: A) -> Result<List, A::Error> {
        let mut all = Vec::new();
        while let Some(text) = texts.next_element()? {
            all.push(text);
        }
        Ok(List::Many(all))
    }
}
