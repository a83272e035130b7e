//! The text header, in the grammar of age v1: a version line, stanzas, a MAC.

use crate::aead;
use crate::error::{Error, Malformed, Part, Result};
use crate::format::{Content, FileKey, Format};
use crate::run::retry;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use std::io::{BufRead, Read};
use std::{fmt, mem};
use zeroize::{Zeroize, Zeroizing};

/// The most bytes of a header. A thousand of the largest stanzas fit.
const MAX_HEADER: usize = 3 << 20;
/// The longest line; the largest encapsulated key takes 2,220 characters.
const MAX_LINE: usize = 8 << 10;
/// The most stanzas, and so the most recipients of one file.
pub(crate) const MAX_STANZAS: usize = 1000;
/// The most arguments of a stanza; no known one has more than four. A million short ones would take thirty times the
/// memory of their header.
const MAX_ARGUMENTS: usize = 64;
/// The type of a stanza around one of an age file (spec/file.md, "Stanzas of age").
pub(crate) const AGE: &str = "age";
/// The last stanza if anything follows the content, which wraps no file key (spec/file.md, "Archives", "Signatures").
const CONTENT: &str = "content";
const TAR: &str = "tar";
/// The word after it if a signature follows the content; alone, the content is a file.
const SIGNED: &str = "signed";
/// Columns of a full line of a stanza's body, and the bytes it holds.
const COLUMNS: usize = 64;
const LINE_BYTES: usize = COLUMNS / 4 * 3;

/// A part of a header: one wrapped copy of a key. Plugins of age speak in stanzas, too.
///
/// Its text, which `Display` writes, is `-> kind args`, and the body in base64 on the lines after it.
///
/// [`StanzaReader`] has an example.
#[derive(Clone, PartialEq, Eq)]
pub struct Stanza {
    /// Its type: printable ASCII characters.
    pub kind: String,
    /// Its arguments: printable ASCII characters, at least one in each.
    pub args: Vec<String>,
    /// The bytes after them. If a plugin sends a key, they are that key: they are not wiped on drop, and `Debug` shows only their
    /// number.
    pub body: Vec<u8>,
}

impl fmt::Debug for Stanza {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stanza")
            .field("kind", &self.kind)
            .field("args", &self.args)
            .field("body_bytes", &self.body.len())
            .finish()
    }
}

/// Reads stanzas one after the other, within the bounds of a header.
///
/// ```
/// use sealmark::{Stanza, StanzaReader};
///
/// # fn main() -> sealmark::Result<()> {
/// let mut reader = StanzaReader::new(&b"-> msg\naGVsbG8\n-> done\n\n"[..]);
/// let stanza = |kind: &str, body: &[u8]| Stanza { kind: kind.into(), args: vec![], body: body.into() };
/// assert_eq!(reader.read()?, Some(stanza("msg", b"hello")));
/// assert_eq!(reader.read()?, Some(stanza("done", b"")));
/// assert_eq!(reader.read()?, None);
/// # Ok(())
/// # }
/// ```
pub struct StanzaReader<R> {
    input: R,
    /// Bytes of the stanzas that were read.
    taken: usize,
}

impl<R> fmt::Debug for StanzaReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StanzaReader").field("taken", &self.taken).finish_non_exhaustive()
    }
}

impl<R: BufRead> StanzaReader<R> {
    /// Reads from `input`.
    pub fn new(input: R) -> Self {
        Self { input, taken: 0 }
    }

    /// The next stanza, or `None` if the input ends before it.
    ///
    /// # Errors
    /// [`Malformed::Header`] for anything else, and when all stanzas together are longer than a header may be.
    pub fn read(&mut self) -> Result<Option<Stanza>> {
        if retry(|| self.input.fill_buf().map(<[u8]>::is_empty))? {
            return Ok(None);
        }
        // Its text may hold a key; reserved at once, because growing would leave copies behind.
        let text = Vec::with_capacity(MAX_LINE);
        let mut lines = Lines { input: &mut self.input, text, start: 0 };
        let stanza = lines
            .next()
            .and_then(parse_arguments)
            .and_then(|(kind, args)| Ok(Stanza { kind, args, body: lines.body()? }));
        self.taken += lines.text.len();
        lines.text.zeroize();
        if self.taken > MAX_HEADER { Err(malformed("it is too long")) } else { stanza.map(Some) }
    }
}

/// A header as it was read; not believed until [`Header::verify`] has passed.
#[derive(Debug)]
pub(crate) struct Header {
    pub format: Format,
    pub stanzas: Vec<Stanza>,
    pub content: Content,
    /// True if a signature follows the content.
    pub signed: bool,
    /// Everything up to and including the three dashes.
    authenticated: Vec<u8>,
    mac: [u8; 32],
}

impl Header {
    /// Reads exactly the header and not one byte of the payload.
    pub fn read(input: &mut impl BufRead) -> Result<Self> {
        let mut lines = Lines { input, text: Vec::new(), start: 0 };
        let format = lines.version()?;
        let (mut stanzas, mut content, mut signed) = (Vec::new(), Content::File, false);
        loop {
            let line = lines.next()?;
            if let Some(mac) = line.strip_prefix(b"--- ") {
                let mac = decode(mac)?.try_into().map_err(|_| malformed("the MAC has the wrong length"))?;
                let mut authenticated = lines.text;
                authenticated.truncate(lines.start + 3);
                return Self { format, stanzas, content, signed, authenticated, mac }.checked();
            }
            if content != Content::File || signed {
                return Err(malformed("a stanza follows the content stanza"));
            }
            let (kind, args) = parse_arguments(line)?;
            let stanza = Stanza { kind, args, body: lines.body()? };
            if format == Format::Sealmark && stanza.kind == CONTENT {
                (content, signed) = stanza.content()?;
            } else if stanzas.len() == MAX_STANZAS {
                return Err(malformed("too many stanzas"));
            } else {
                stanzas.push(stanza);
            }
        }
    }

    /// The bytes of a header that wraps `file_key` in `stanzas`.
    pub fn write(file_key: &FileKey, stanzas: &[Stanza], content: Content, signed: bool) -> Vec<u8> {
        let mut text = format!("{}\n", file_key.format());
        stanzas.iter().for_each(|stanza| text += &stanza.to_string());
        Stanza::of_content(content, signed).inspect(|stanza| text += &stanza.to_string());
        text.push_str("---");
        let mac = file_key.mac(text.as_bytes());
        text.push(' ');
        STANDARD_NO_PAD.encode_string(mac, &mut text);
        text.push('\n');
        text.into_bytes()
    }

    /// Checks the MAC: these stanzas, in this order, belong to this file key.
    pub fn verify(&self, file_key: &FileKey) -> Result<()> {
        if aead::equal(&file_key.mac(&self.authenticated), &self.mac) {
            Ok(())
        } else {
            Err(Error::Tampered(Part::Header))
        }
    }

    /// Length in the file, up to the first byte of the payload.
    pub fn len(&self) -> u64 {
        const MAC_LINE_REST: usize = 1 + 43 + 1;
        (self.authenticated.len() + MAC_LINE_REST) as u64
    }

    /// True if a passphrase opens this file, which then has one stanza.
    pub fn has_passphrase(&self) -> bool {
        self.stanzas.iter().any(|stanza| stanza.kind == self.format.facts().passphrase_stanza)
    }

    fn checked(self) -> Result<Self> {
        if self.stanzas.is_empty() {
            return Err(malformed("no stanza"));
        }
        if self.has_passphrase() && self.stanzas.len() > 1 {
            return Err(malformed(
                "a file with a passphrase has other recipients, too, which the format does not allow",
            ));
        }
        Ok(self)
    }
}

impl Stanza {
    /// A body of another length could hold keys for several guesses (partitioning oracle), so it is never opened.
    pub(crate) fn check_body(&self, format: Format) -> Result<()> {
        if self.body.len() == format.facts().file_key_len + aead::TAG {
            Ok(())
        } else {
            Err(malformed("a stanza's body has the wrong length"))
        }
    }

    /// Another word may come to mean content that a reader of today would take for an archive.
    fn content(&self) -> Result<(Content, bool)> {
        let words: Vec<&str> = self.args.iter().map(String::as_str).collect();
        match words[..] {
            [TAR] if self.body.is_empty() => Ok((Content::Archive, false)),
            [TAR, SIGNED] if self.body.is_empty() => Ok((Content::Archive, true)),
            [SIGNED] if self.body.is_empty() => Ok((Content::File, true)),
            _ => Err(malformed("its content stanza names an unknown kind of content")),
        }
    }

    /// The stanza that says what follows the content, if anything does.
    fn of_content(content: Content, signed: bool) -> Option<Self> {
        let kind = (content == Content::Archive).then_some(TAR);
        let args: Vec<String> = kind.into_iter().chain(signed.then_some(SIGNED)).map(Into::into).collect();
        (!args.is_empty()).then(|| Self { kind: CONTENT.into(), args, body: Vec::new() })
    }
}

/// The text in a header, with the line feed at its end.
impl fmt::Display for Stanza {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "-> {}", self.kind)?;
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))?;
        writeln!(f)?;
        // The body of a plugin's stanza may be a key.
        let mut text = Zeroizing::new([0; COLUMNS]);
        for line in self.body.chunks(LINE_BYTES) {
            let length = STANDARD_NO_PAD.encode_slice(line, &mut text[..]).map_err(|_| fmt::Error)?;
            writeln!(f, "{}", str::from_utf8(&text[..length]).map_err(|_| fmt::Error)?)?;
        }
        // The last line is always short, so a full one is followed by an empty one.
        if self.body.len().is_multiple_of(LINE_BYTES) { writeln!(f) } else { Ok(()) }
    }
}

/// Canonical unpadded base64; anything else is refused.
pub(crate) fn decode(text: &[u8]) -> Result<Vec<u8>> {
    STANDARD_NO_PAD.decode(text).map_err(|_| malformed("not canonical base64"))
}

pub(crate) fn encode(bytes: &[u8]) -> String {
    STANDARD_NO_PAD.encode(bytes)
}

pub(crate) fn malformed(why: &'static str) -> Error {
    Malformed::Header(why).into()
}

fn parse_arguments(line: &[u8]) -> Result<(String, Vec<String>)> {
    let rest = line.strip_prefix(b"-> ").ok_or_else(|| malformed("a line is neither stanza nor MAC"))?;
    let mut words = rest.split(|&byte| byte == b' ').map(|word| {
        if !word.is_empty() && word.iter().all(|byte| (0x21..=0x7e).contains(byte)) {
            Ok(String::from_utf8_lossy(word).into_owned())
        } else {
            Err(malformed("a stanza's arguments are not printable words"))
        }
    });
    let kind = words.next().expect("split yields at least one piece")?;
    let args = words.by_ref().take(MAX_ARGUMENTS).collect::<Result<_>>()?;
    match words.next() {
        None => Ok((kind, args)),
        Some(_) => Err(malformed("a stanza has too many arguments")),
    }
}

/// Reads a header line by line and keeps what it has read.
struct Lines<'a, R> {
    input: &'a mut R,
    text: Vec<u8>,
    /// Where the latest line starts.
    start: usize,
}

impl<R: BufRead> Lines<'_, R> {
    fn version(&mut self) -> Result<Format> {
        const LONGEST: u64 = 64;
        self.input.by_ref().take(LONGEST).read_until(b'\n', &mut self.text)?;
        let Some(line) = self.text.strip_suffix(b"\n").and_then(|line| str::from_utf8(line).ok()) else {
            return Err(Malformed::NotSealed.into());
        };
        if let Some(format) = Format::ALL.into_iter().find(|format| line == format.facts().version_line) {
            return Ok(format);
        }
        if Format::ALL.iter().any(|format| line.starts_with(format.facts().family)) {
            Err(Malformed::Version(line.into()).into())
        } else {
            Err(Malformed::NotSealed.into())
        }
    }

    /// The next line without its line feed.
    fn next(&mut self) -> Result<&[u8]> {
        self.start = self.text.len();
        self.input.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut self.text)?;
        if self.text.len() > MAX_HEADER {
            return Err(malformed("it is too long"));
        }
        match self.text[self.start..].strip_suffix(b"\n") {
            Some(line) => Ok(line),
            None if self.text.len() - self.start == MAX_LINE => Err(malformed("a line is too long")),
            None => Err(malformed("it is truncated")),
        }
    }

    fn body(&mut self) -> Result<Vec<u8>> {
        // Wiped if a later line is malformed: a plugin may send a key before that.
        let mut body = Zeroizing::new(Vec::new());
        loop {
            let line = self.next()?;
            if line.len() > COLUMNS {
                return Err(malformed("a stanza's body is not wrapped at 64 columns"));
            }
            let short = line.len() < COLUMNS;
            body.extend_from_slice(&Zeroizing::new(decode(line)?));
            if short {
                return Ok(mem::take(&mut *body));
            }
        }
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
pub(crate) mod vectors;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_before_memory_is_spent() {
        let endless_line = [b"sealmark/1\n-> ".to_vec(), vec![b'a'; 1 << 20]].concat();
        assert!(matches!(Header::read(&mut &endless_line[..]), Err(Error::Malformed(_))));
        let many = [b"sealmark/1\n".to_vec(), b"-> a\n\n".repeat(MAX_STANZAS + 1)].concat();
        assert!(matches!(
            Header::read(&mut &many[..]),
            Err(Error::Malformed(Malformed::Header("too many stanzas")))
        ));
        let full = [b'A'; 64];
        let body = [b"sealmark/1\n-> a\n".to_vec(), [&full[..], b"\n"].concat().repeat(1 << 17)].concat();
        assert!(matches!(
            Header::read(&mut &body[..]),
            Err(Error::Malformed(Malformed::Header("it is too long")))
        ));
    }
}
