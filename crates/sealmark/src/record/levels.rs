//! How deep a place in a line is inside JSON strings, where a string may hold JSON itself (spec/record.md, "Opening").

use super::escape::unescaped;
use std::ops::Range;

/// The deepest level whose values are opened.
pub(super) const DEEPEST: usize = 4;

/// Finds how deeply places of a line lie in JSON strings, from left to right. A string without a backslash contains no deeper
/// level, so it is searched for quotes only.
#[derive(Debug)]
pub struct Levels<'a> {
    line: &'a [u8],
    /// Where the object begins; the end of the line where there is none.
    object: usize,
    at: usize,
    inside: bool,
    /// Where the content of the string begins that the scan is in, and whether it has a backslash.
    string: usize,
    escaped: bool,
    /// True where the line ends inside of a string, once that was asked.
    unended: Option<bool>,
    /// Made when the first string with a backslash is asked about.
    deep: Option<Deep>,
}

/// The levels of one string of a line, up to a place in it.
#[derive(Debug, Clone, Default)]
struct Deep {
    string: usize,
    at: usize,
    levels: [Level; DEEPEST + 1],
}

/// The text at one level, which the string around it stands for.
#[derive(Debug, Clone, Default)]
struct Level {
    /// True where the first brace was met: strings begin behind it.
    brace: bool,
    inside: bool,
    escape: Escape,
    /// Where in the line the last opening quote stands, and how long it is written.
    quote: Range<usize>,
    last: u8,
}

/// An escape that was begun, and where.
#[derive(Debug, Clone, Default)]
enum Escape {
    #[default]
    None,
    Begun(usize),
    /// The value of so many hexadecimal digits.
    Unicode(usize, u8, u16),
}

impl<'a> Levels<'a> {
    /// The deepest level at which values are opened.
    pub const DEEPEST: usize = DEEPEST;

    /// Begins a line whose JSON object starts at `object`, or that has none.
    pub fn new(line: &'a [u8], object: Option<usize>) -> Self {
        let object = object.unwrap_or(line.len());
        Self { line, object, at: object, inside: false, string: 0, escaped: false, unended: None, deep: None }
    }

    /// The level of a place, not before the last one asked for: 0 outside of strings, and at most one more than
    /// [`Self::DEEPEST`].
    pub fn level(&mut self, place: usize) -> usize {
        self.go(place);
        match (self.inside, self.escaped) {
            // Where the quotes do not add up, the brace may be in front of the JSON, and outside may be inside.
            (false, _) => usize::from(place > self.object && self.is_unended()),
            (true, false) => 1,
            (true, true) => self.deep.get_or_insert_default().level(self.line, self.string, place),
        }
    }

    fn is_unended(&mut self) -> bool {
        if self.unended.is_none() {
            let mut rest = Levels { deep: None, ..*self };
            rest.go(self.line.len());
            self.unended = Some(rest.inside);
        }
        self.unended == Some(true)
    }

    fn go(&mut self, place: usize) {
        while let Some(step) = memchr::memchr2(b'"', b'\\', self.line.get(self.at..place).unwrap_or_default())
        {
            let found = self.at + step;
            self.at = found + 1;
            match self.line[found] {
                b'"' => {
                    self.inside ^= true;
                    (self.string, self.escaped) = (self.at, false);
                }
                // It takes the next byte with it.
                _ => (self.at, self.escaped) = (found + 2, true),
            }
        }
        self.at = self.at.max(place);
    }

    /// The opening quote of the innermost string around the last place, as it is written.
    pub(super) fn quote(&self, level: usize) -> Range<usize> {
        match level {
            // No quote was met where the string is none.
            0 | 1 => self.string.saturating_sub(level)..self.string,
            deeper => self.deep.as_ref().map_or(0..0, |deep| deep.levels[deeper - 1].quote.clone()),
        }
    }

    /// True where the string that ended before `end`, at this level, is the name of a member.
    pub(super) fn is_name(&self, level: usize, end: usize) -> bool {
        match level {
            1 => self.line[end..].trim_ascii_start().starts_with(b":"),
            deeper => self.deep.as_ref().and_then(|deep| deep.next(self.line, deeper, end)) == Some(b':'),
        }
    }
}

impl Deep {
    fn level(&mut self, line: &[u8], string: usize, place: usize) -> usize {
        if self.string != string {
            self.levels = Default::default();
            // The string itself, which ends behind the place.
            (self.levels[0].brace, self.levels[0].inside) = (true, true);
            (self.string, self.at) = (string, string);
        }
        while self.at < place {
            take(&mut self.levels, line[self.at], self.at..self.at + 1);
            self.at += 1;
        }
        self.levels.iter().take_while(|level| level.inside).count()
    }

    /// The byte that follows at this level, but for white space, where its string ends before `end`.
    fn next(&self, line: &[u8], level: usize, end: usize) -> Option<u8> {
        let mut levels = self.levels.clone();
        levels[level - 1].inside = false;
        for (at, byte) in line.iter().enumerate().skip(end) {
            levels[level - 1].last = b' ';
            take(&mut levels, *byte, at..at + 1);
            let next = levels[level - 1].last;
            let ended = levels[..level - 1].iter().any(|around| !around.inside);
            if ended || !next.is_ascii_whitespace() {
                return (!ended).then_some(next);
            }
        }
        None
    }
}

/// Takes the next byte of the text at the first of these levels, and hands what strings stand for to those below. `from`
/// is where the byte is written in the line.
fn take(levels: &mut [Level], byte: u8, from: Range<usize>) {
    let Some((level, below)) = levels.split_first_mut() else { return };
    level.last = byte;
    if !level.brace {
        level.brace = byte == b'{';
        return;
    }
    match level.escape {
        Escape::Begun(start) if byte == b'u' && level.inside => level.escape = Escape::Unicode(start, 0, 0),
        Escape::Begun(start) => {
            level.escape = Escape::None;
            // An escape that JSON does not have stands for nothing.
            if let Some(byte) = unescaped(byte).filter(|_| level.inside) {
                take(below, byte, start..from.end);
            }
        }
        Escape::Unicode(start, digits, value) if byte.is_ascii_hexdigit() => {
            let value = value << 4 | (byte as char).to_digit(16).unwrap_or_default() as u16;
            level.escape = Escape::Unicode(start, digits + 1, value);
            if digits == 3 {
                level.escape = Escape::None;
                // Nothing beyond ASCII changes a level.
                take(below, u8::try_from(value).unwrap_or(0xff), start..from.end);
            }
        }
        _ => {
            level.escape = Escape::None;
            match byte {
                b'\\' => level.escape = Escape::Begun(from.start),
                b'"' => {
                    level.inside ^= true;
                    if level.inside {
                        level.quote = from;
                        below.fill(Level::default());
                    }
                }
                _ if level.inside => take(below, byte, from),
                _ => {}
            }
        }
    }
}
