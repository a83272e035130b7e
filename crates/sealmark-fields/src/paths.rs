//! Paths with wildcards, and names that stay in the clear: which members of a JSON object they lead to.
//!
//! A path is a list of segments. `*` in a segment stands for any characters of one name, `**` for any number of names. All
//! paths are followed at once: a state is the list of segments that may come next, so that a line costs its length times the
//! number of paths, whatever the names in it are.

use std::ops::Range;

/// The most segments of all paths together.
const MOST: usize = u16::MAX as usize;

/// Where in the list of states those of one object stand.
pub type State = Range<usize>;

/// The end of a name's way; the first of these wins, and of two fields the one with the narrower name, or the one that was named
/// first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Found {
    /// A value that stays in the clear.
    Kept,
    /// A value that has text of a kind of its own, whatever is sealed around it.
    Within(usize),
    /// A value that is sealed. `width` is less where a name means less.
    Field {
        width: usize,
        label: usize,
    },
    Nothing,
}

/// All paths, one segment after another.
pub struct Paths {
    segments: Vec<Segment>,
    /// Where each path begins.
    starts: Vec<u16>,
    any_case: bool,
}

struct Segment {
    name: Name,
    /// The end of the path's way, where this is its last segment.
    end: Option<Found>,
}

enum Name {
    /// Any number of names.
    Any,
    /// One name: the pieces between the stars.
    Glob(Vec<Box<[u8]>>),
}

impl Paths {
    /// Paths, each with what it leads to. False where there are too many.
    pub fn new<'a>(paths: impl Iterator<Item = (&'a str, bool, Found)>, any_case: bool) -> Option<Self> {
        let mut all = Self { segments: Vec::new(), starts: Vec::new(), any_case };
        for (path, is_wild, found) in paths {
            all.starts.push(u16::try_from(all.segments.len()).ok()?);
            for name in path.split('.') {
                all.segments.push(Segment { name: Name::new(name, is_wild, any_case), end: None });
            }
            // `a.**` is all that is below a.
            if is_wild && path.ends_with("**") {
                all.segments.push(Segment { name: Name::new("*", true, any_case), end: None });
            }
            all.segments.last_mut()?.end = Some(found);
        }
        (all.segments.len() < MOST).then_some(all)
    }

    /// The state in front of the first name.
    pub fn begin(&self, states: &mut Vec<u16>) -> State {
        states.clear();
        self.starts.iter().for_each(|start| self.push(*start, 0, states));
        0..states.len()
    }

    /// Follows a member's name, and adds the state behind it. A name with dots in it is as many names, and belongs to what
    /// its first ones lead to.
    pub fn step(&self, from: State, name: &[u8], states: &mut Vec<u16>) -> (Found, State) {
        let (mut from, mut best) = (from, Found::Nothing);
        for piece in name.split(|byte| *byte == b'.') {
            let start = states.len();
            for index in from {
                let at = states[index];
                let segment = &self.segments[usize::from(at)];
                match &segment.name {
                    Name::Any => self.push(at, start, states),
                    Name::Glob(pieces) if matches(pieces, piece, self.any_case) => match segment.end {
                        Some(found) => best = best.min(found),
                        None => self.push(at + 1, start, states),
                    },
                    Name::Glob(_) => {}
                }
            }
            from = start..states.len();
        }
        (best, from)
    }

    /// True where a path may go on from here to a value that is not sealed with what is around it: one that stays in the clear, has
    /// rules for its text, or has a narrower name.
    pub fn may_spare(&self, state: State, states: &[u16], around: Found) -> bool {
        states[state].iter().any(|at| {
            let end = self.segments[usize::from(*at)..].iter().find_map(|segment| segment.end);
            match (end, around) {
                (Some(Found::Field { width, .. }), Found::Field { width: wide, .. }) => width < wide,
                (Some(end), _) => matches!(end, Found::Kept | Found::Within(_)),
                (None, _) => false,
            }
        })
    }

    /// Adds a segment to the states from `start` on, once, and what follows where it may stand for no name.
    fn push(&self, at: u16, start: usize, states: &mut Vec<u16>) {
        if !states[start..].contains(&at) {
            states.push(at);
            if let Name::Any = self.segments[usize::from(at)].name {
                self.push(at + 1, start, states);
            }
        }
    }
}

impl Name {
    fn new(typed: &str, is_wild: bool, any_case: bool) -> Self {
        let piece = |piece: &str| {
            if any_case { piece.to_ascii_lowercase().into_bytes().into() } else { piece.as_bytes().into() }
        };
        match typed {
            "**" if is_wild => Self::Any,
            _ if is_wild => Self::Glob(typed.split('*').map(piece).collect()),
            _ => Self::Glob(vec![piece(typed)]),
        }
    }
}

/// A name or a path as it was typed, to compare it with another. `None` stands for any characters, or for any names.
pub struct Shape(Vec<Option<Vec<Option<u8>>>>);

impl Shape {
    pub fn path(typed: &str, is_wild: bool, any_case: bool) -> Self {
        let mut names: Vec<_> = typed.split('.').map(|name| Self::name_of(name, is_wild, any_case)).collect();
        if is_wild && typed.ends_with("**") {
            names.push(Some(vec![None]));
        }
        Self(names)
    }

    /// A name that is no path.
    pub fn name(typed: &str, any_case: bool) -> Self {
        Self(vec![Self::name_of(&typed.replace("**", "*"), true, any_case)])
    }

    fn name_of(typed: &str, is_wild: bool, any_case: bool) -> Option<Vec<Option<u8>>> {
        let byte = |byte: u8| match byte {
            b'*' if is_wild => None,
            _ if any_case => Some(byte.to_ascii_lowercase()),
            _ => Some(byte),
        };
        (!is_wild || typed != "**").then(|| typed.bytes().map(byte).collect())
    }

    /// All that is below the path, and what it leads to.
    pub fn with_members(&self) -> Self {
        Self(self.0.iter().cloned().chain([None]).collect())
    }

    /// True where some name is meant by both.
    pub fn meets(&self, other: &Self) -> bool {
        let same = |one: &Vec<_>, other: &Vec<_>| fit(one, other, true, |one, other| one == other);
        fit(&self.0, &other.0, true, same)
    }

    /// True where each name that the other one means is meant by this one, too.
    pub fn covers(&self, other: &Self) -> bool {
        let covers = |one: &Vec<_>, other: &Vec<_>| fit(one, other, false, |one, other| one == other);
        fit(&self.0, &other.0, false, covers)
    }
}

/// True where some list is of both kinds, or `both` is false and each list of the other kind is of this one, too. `None` stands for
/// any part of a list.
fn fit<T>(one: &[Option<T>], other: &[Option<T>], both: bool, same: impl Fn(&T, &T) -> bool) -> bool {
    // For each rest of the other: whether the rest of this one that is looked at fits it.
    let mut behind = vec![false; other.len() + 1];
    for part in std::iter::once(None).chain(one.iter().rev().map(Some)) {
        let mut fits = vec![false; other.len() + 1];
        for at in (0..=other.len()).rev() {
            let next = other.get(at);
            let skips_other = |fits: &[bool]| next.is_some() && fits[at + 1];
            fits[at] = match (part, next) {
                (None, None) => true,
                (Some(None), _) => behind[at] || skips_other(&fits),
                (_, Some(None)) if both => fits[at + 1] || part.is_some() && behind[at],
                (Some(Some(one)), Some(Some(other))) => same(one, other) && behind[at + 1],
                _ => false,
            };
        }
        behind = fits;
    }
    behind[0]
}

/// A name with `*` in it, for lines whose names are no paths.
pub struct Glob {
    pieces: Vec<Box<[u8]>>,
    any_case: bool,
}

impl Glob {
    pub fn new(typed: &str, any_case: bool) -> Self {
        let Name::Glob(pieces) = Name::new(&typed.replace("**", "*"), true, any_case) else {
            unreachable!("two stars were made one")
        };
        Self { pieces, any_case }
    }

    pub fn is_match(&self, name: &[u8]) -> bool {
        matches(&self.pieces, name, self.any_case)
    }
}

/// True where the name has the pieces in their order, the first at its start and the last at its end.
fn matches(pieces: &[Box<[u8]>], name: &[u8], any_case: bool) -> bool {
    let same = |piece: &[u8], text: &[u8]| {
        if any_case {
            piece.eq_ignore_ascii_case(text)
        } else {
            // Names are shorter than what a call of memcmp costs.
            piece.len() == text.len() && piece.iter().eq(text)
        }
    };
    let [first, middle @ .., last] = pieces else {
        return pieces.first().is_some_and(|only| same(only, name));
    };
    if name.len() < first.len() + last.len() || !same(first, &name[..first.len()]) {
        return false;
    }
    let (mut rest, end) = name[first.len()..].split_at(name.len() - first.len() - last.len());
    same(last, end)
        && middle.iter().all(|piece| {
            // The first place where a piece fits leaves the most for those behind it.
            piece.is_empty()
                || rest.windows(piece.len()).position(|text| same(piece, text)).is_some_and(|at| {
                    rest = &rest[at + piece.len()..];
                    true
                })
        })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    const FIRST: Found = Found::Field { width: 0, label: 0 };
    const SECOND: Found = Found::Field { width: 1, label: 1 };

    /// Follows the names on the way, one after another.
    fn follow(paths: &[&str], way: &[&str]) -> Vec<Found> {
        let found = |(index, path): (usize, &&'static str)| match path.strip_prefix('-') {
            Some(path) => (path, true, Found::Kept),
            None => (*path, true, Found::Field { width: index, label: index }),
        };
        let paths: Vec<&'static str> =
            paths.iter().map(|path| &*Box::leak(path.to_string().into_boxed_str())).collect();
        let paths = Paths::new(paths.iter().enumerate().map(found), false).unwrap();
        let mut states = Vec::new();
        let mut state = paths.begin(&mut states);
        way.iter()
            .map(|name| {
                let (found, next) = paths.step(state.clone(), name.as_bytes(), &mut states);
                state = next;
                found
            })
            .collect()
    }

    #[test]
    fn stars_stand_for_one_name_or_for_any_number() {
        use Found::Nothing;
        assert_eq!(follow(&["*.email"], &["user", "email"]), [Nothing, FIRST]);
        assert_eq!(follow(&["*.email"], &["email"]), [Nothing]);
        assert_eq!(follow(&["*.email"], &["a", "b", "email"]), [Nothing; 3]);
        assert_eq!(follow(&["**.email"], &["email"]), [FIRST]);
        assert_eq!(follow(&["**.email"], &["a", "b", "email"]), [Nothing, Nothing, FIRST]);
        assert_eq!(follow(&["a.**.b.*"], &["a", "b", "b", "c"]), [Nothing, Nothing, FIRST, FIRST]);
        assert_eq!(follow(&["user.*"], &["user", "name"]), [Nothing, FIRST]);
        assert_eq!(follow(&["**"], &["user"]), [FIRST]);
        assert_eq!(follow(&["a.**"], &["a", "b"]), [Nothing, FIRST]);
        assert_eq!(follow(&["*_token"], &["api_token"]), [FIRST]);
        // A flat name is a path.
        assert_eq!(follow(&["*.email"], &["user.email"]), [FIRST]);
        assert_eq!(follow(&["user.*"], &["user.a.b"]), [FIRST]);
    }

    #[test]
    fn what_is_kept_wins() {
        use Found::Kept;
        assert_eq!(follow(&["**", "-time"], &["time"]), [Kept]);
        assert_eq!(follow(&["**", "-time"], &["user", "time"]), [FIRST, FIRST]);
        assert_eq!(follow(&["-**.id", "**"], &["user", "id"]), [SECOND, Kept]);
    }

    #[test]
    fn globs_are_matched_in_linear_time() {
        let glob = |typed: &str, name: &str| Glob::new(typed, false).is_match(name.as_bytes());
        for (typed, name, expected) in [
            ("a*", "a", true),
            ("a*", "ba", false),
            ("*a", "ba", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*b*c", "a-c-b-c", true),
            ("a*b*c", "a-c-c", false),
            ("*b*", "abc", true),
            ("*", "", true),
            ("a", "A", false),
        ] {
            assert_eq!(glob(typed, name), expected, "{typed} {name}");
        }
        assert!(Glob::new("User*ID", true).is_match(b"uSER-id"));
    }

    #[test]
    fn paths_are_compared_by_what_they_mean() {
        let shape = |typed: &str| Shape::path(typed, true, false);
        let names = ["a", "b", "ab", "ba", "aab"];
        let ways: Vec<Vec<&str>> = (1..4)
            .flat_map(|length| {
                (0..names.len().pow(length)).map(move |n| {
                    (0..length).map(|at| names[n / names.len().pow(at) % names.len()]).collect()
                })
            })
            .collect();
        let typed = [
            "a", "*", "a*", "*b", "*a*", "a.b", "*.b", "a.*", "**", "a.**", "**.b", "a.**.b", "**.a.**",
            "*.*",
        ];
        let meant = |typed: &str| -> Vec<bool> {
            ways.iter().map(|way| follow(&[typed], way).last() == Some(&FIRST)).collect()
        };
        for one in typed {
            for other in typed {
                let pairs = || meant(one).into_iter().zip(meant(other));
                assert_eq!(
                    shape(one).meets(&shape(other)),
                    pairs().any(|(one, other)| one && other),
                    "{one} {other}"
                );
                let covers = pairs().all(|(one, other)| one || !other);
                // Where names are longer than those above, it may be otherwise.
                assert!(covers || !shape(one).covers(&shape(other)), "{one} {other}");
            }
        }
        assert!(
            shape("**").covers(&shape("a.b*"))
                && shape("*").covers(&shape("a*"))
                && !shape("a").covers(&shape("a*"))
        );
        assert!(
            shape("a").with_members().covers(&shape("a.b.*"))
                && shape("a").with_members().covers(&shape("a"))
        );
        assert!(!shape("a.b").with_members().covers(&shape("a.*")));
        assert!(Shape::path("A", false, true).meets(&Shape::path("a", false, true)));
        assert!(!Shape::path("*", false, false).meets(&Shape::path("a", false, false)));
        assert!(Shape::name("a.**", false).covers(&Shape::name("a.b", false)));
    }

    /// Each `**` could double the states.
    #[test]
    fn states_do_not_grow_with_the_depth() {
        let path = ["**"; 40].join(".a.");
        let paths = Paths::new([(path.as_str(), true, FIRST)].into_iter(), false).unwrap();
        let mut states = Vec::new();
        let mut state = paths.begin(&mut states);
        for _ in 0..1000 {
            states.drain(..state.start);
            let from = 0..state.end - state.start;
            state = paths.step(from, b"a", &mut states).1;
            assert!(state.len() <= 81);
        }
    }
}
