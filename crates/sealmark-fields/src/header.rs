//! The fields of an access log that can be named.

/// A field as it was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    /// The name of its values.
    pub name: &'a str,
    pub place: Place,
}

/// Where in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// An address or a name, or several.
    Client,
    User,
    Request,
    /// By its number among the fields in quotes behind the size, from 0.
    Quoted(usize),
}

/// The last is where nginx's own configuration file has it.
const KNOWN: [(&str, Place); 6] = [
    ("client", Place::Client),
    ("user", Place::User),
    ("request", Place::Request),
    ("Referer", Place::Quoted(0)),
    ("User-Agent", Place::Quoted(1)),
    ("X-Forwarded-For", Place::Quoted(2)),
];
/// No server writes so many.
const MOST: usize = 64;

impl<'a> Header<'a> {
    /// True where the text is the name of a header, and so hardly that of a parameter.
    pub fn is_quoted(text: &str) -> bool {
        Header::typed(text).is_some_and(|header| matches!(header.place, Place::Quoted(_)))
    }

    /// One of the known names, in any case, or `NAME=N` for the N-th field in quotes behind the size, from 1.
    pub fn typed(text: &'a str) -> Option<Self> {
        let known = KNOWN.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        known.map(|(name, place)| Self { name, place }).or_else(|| {
            let (name, number) = text.rsplit_once('=')?;
            let number: usize = number.parse().ok().filter(|number| (1..=MOST).contains(number))?;
            (!name.is_empty()).then_some(Self { name, place: Place::Quoted(number - 1) })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_in_any_case_or_have_a_number() {
        let typed = |text| Header::typed(text).map(|header| (header.name, header.place));
        assert_eq!(typed("referer"), Some(("Referer", Place::Quoted(0))));
        assert_eq!(typed("USER-AGENT"), Some(("User-Agent", Place::Quoted(1))));
        assert_eq!(typed("X-Forwarded-For=1"), Some(("X-Forwarded-For", Place::Quoted(0))));
        assert_eq!(typed("Cookie=3"), Some(("Cookie", Place::Quoted(2))));
        assert_eq!(typed("Client"), Some(("client", Place::Client)));
        for none in ["host", "Cookie", "Cookie=0", "Cookie=65", "Cookie=x", "=1", ""] {
            assert_eq!(typed(none), None, "{none}");
        }
    }
}
