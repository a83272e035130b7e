//! ASCII armor: strict PEM (RFC 7468) around a binary file, as in age, and its absence.

use crate::error::{Malformed, Result};
use crate::format::Format;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::io::{self, BufRead, BufReader, IoSlice, IoSliceMut, Read, Write};

const COLUMNS: usize = 64;
const LINE_BYTES: usize = 48;
/// White space tolerated around the armor, so that an endless run of it is not read for ever.
const MAX_SPACE: usize = 1024;
/// Longer than any line that is allowed.
const MAX_LINE: usize = 128;
/// Bytes decoded at a time.
const BATCH: usize = LINE_BYTES * 1024;

/// Writes binary data as it is, or wrapped in the armor of a format where one is given.
pub(crate) struct ArmorWriter<W: Write> {
    output: W,
    format: Option<Format>,
    /// Bytes that do not fill a line yet, and whether the first line was written.
    pending: Vec<u8>,
    begun: bool,
}

impl<W: Write> ArmorWriter<W> {
    pub fn new(output: W, format: Option<Format>) -> Self {
        Self { output, format, pending: Vec::new(), begun: false }
    }

    /// Writes the last line, flushes, and gives the writer back.
    pub fn finish(mut self) -> io::Result<W> {
        if let Some(format) = self.format {
            let rest = std::mem::take(&mut self.pending);
            self.write_lines(&rest)?;
            writeln!(self.output, "-----END {}-----", format.facts().armor_label)?;
        }
        crate::run::retry(|| self.output.flush())?;
        Ok(self.output)
    }

    fn write_lines(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut text = String::with_capacity(bytes.len() * 3 / 2 + MAX_LINE);
        if let (Some(format), false) = (self.format, self.begun) {
            text = format!("-----BEGIN {}-----\n", format.facts().armor_label);
            self.begun = true;
        }
        for line in bytes.chunks(LINE_BYTES) {
            STANDARD.encode_string(line, &mut text);
            text.push('\n');
        }
        self.output.write_all(text.as_bytes())
    }
}

impl<W: Write> Write for ArmorWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.format.is_none() {
            return self.output.write(bytes);
        }
        self.pending.extend_from_slice(bytes);
        let rest = self.pending.split_off(self.pending.len() / LINE_BYTES * LINE_BYTES);
        let full = std::mem::replace(&mut self.pending, rest);
        self.write_lines(&full)?;
        Ok(bytes.len())
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        match self.format {
            None => self.output.write_vectored(parts),
            Some(_) => self.write(parts.iter().find(|part| !part.is_empty()).map_or(&[], |part| part)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Reads binary data, having taken armor off if there is any.
pub(crate) struct Dearmored<R> {
    input: BufReader<R>,
    armor: Option<Armor>,
}

struct Armor {
    format: Format,
    decoded: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read> Dearmored<R> {
    /// Looks at the first bytes; no sealed file starts with a dash or white space.
    pub fn detect(input: R) -> Result<Self> {
        let mut input = BufReader::new(input);
        let armored = crate::run::retry(|| input.fill_buf().map(starts_as_armor))??;
        let armor = if armored {
            Some(Armor { format: begin_line(&mut input)?, decoded: Vec::new(), given: 0, ended: false })
        } else {
            None
        };
        Ok(Self { input, armor })
    }

    pub fn is_armored(&self) -> bool {
        self.armor.is_some()
    }

    /// Armor says what it holds; it must hold that.
    pub fn expect(&self, format: Format) -> Result<()> {
        match &self.armor {
            Some(armor) if armor.format != format => Err(malformed("its label names another format")),
            _ => Ok(()),
        }
    }

    fn decode_batch(&mut self) -> io::Result<()> {
        let Some(armor) = &mut self.armor else { return Ok(()) };
        armor.decoded.clear();
        armor.given = 0;
        while !armor.ended && armor.decoded.len() < BATCH {
            let line = next_line(&mut self.input, armor.format)?;
            if is_end(&line, armor.format) {
                armor.ended = true;
            } else {
                let bytes = decode_line(&line)?;
                armor.decoded.extend_from_slice(&bytes);
                if bytes.len() < LINE_BYTES {
                    armor.ended = is_end(&next_line(&mut self.input, armor.format)?, armor.format);
                    if !armor.ended {
                        return Err(
                            malformed("a line is shorter than 64 columns, but is not the last").into()
                        );
                    }
                }
            }
        }
        if armor.ended { Ok(only_space_follows(&mut self.input)?) } else { Ok(()) }
    }
}

impl<R: Read> BufRead for Dearmored<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.armor.as_ref().is_some_and(|armor| armor.given == armor.decoded.len() && !armor.ended) {
            self.decode_batch()?;
        }
        match &self.armor {
            Some(armor) => Ok(&armor.decoded[armor.given..]),
            None => self.input.fill_buf(),
        }
    }

    fn consume(&mut self, bytes: usize) {
        match &mut self.armor {
            Some(armor) => armor.given += bytes,
            None => self.input.consume(bytes),
        }
    }
}

impl<R: Read> Read for Dearmored<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.armor.is_none() {
            return self.input.read(out);
        }
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }

    fn read_vectored(&mut self, parts: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        if self.armor.is_none() {
            return self.input.read_vectored(parts);
        }
        let read = self.fill_buf()?.read_vectored(parts)?;
        self.consume(read);
        Ok(read)
    }
}

fn malformed(why: &'static str) -> crate::error::Error {
    Malformed::Armor(why).into()
}

/// True if armor comes first. Armor that comes later, as in a mail that was saved with its headers, is an error that
/// says so.
fn starts_as_armor(start: &[u8]) -> Result<bool> {
    if start.first().is_some_and(|byte| *byte == b'-' || byte.is_ascii_whitespace()) {
        return Ok(true);
    }
    let sealed = Format::ALL.iter().any(|format| start.starts_with(format.facts().family.as_bytes()));
    let begins_here =
        |line: &[u8]| line.starts_with(b"-----BEGIN ") && format_of(line.trim_ascii_end()).is_ok();
    if !sealed && start.split(|byte| *byte == b'\n').any(begins_here) {
        Err(malformed("there is text before the BEGIN line"))
    } else {
        Ok(false)
    }
}

/// The format that the line names which opens the armor; blank lines before it are skipped.
fn begin_line(input: &mut impl BufRead) -> Result<Format> {
    let mut space = 0;
    loop {
        // A blank line may be as long as all the white space together.
        let line = whole_line(input, MAX_SPACE + 1).map_err(|error| match error.kind() {
            // A blank file, or any text that starts with a dash: not damaged armor but no sealed file at all.
            io::ErrorKind::UnexpectedEof => Malformed::NotSealed.into(),
            _ => crate::error::Error::from(error),
        })?;
        if !line.trim_ascii().is_empty() {
            return format_of(&without_end(line));
        }
        space += line.len();
        if space > MAX_SPACE {
            return Err(malformed("too much white space"));
        }
    }
}

fn format_of(line: &[u8]) -> Result<Format> {
    let Some(label) = line.strip_prefix(b"-----BEGIN ").and_then(|rest| rest.strip_suffix(b"-----")) else {
        return Err(malformed("it does not begin with a BEGIN line"));
    };
    let known = Format::ALL.into_iter().find(|format| format.facts().armor_label.as_bytes() == label);
    known.ok_or_else(|| malformed("its label is unknown"))
}

fn is_end(line: &[u8], format: Format) -> bool {
    let label = line.strip_prefix(b"-----END ").and_then(|rest| rest.strip_suffix(b"-----"));
    label == Some(format.facts().armor_label.as_bytes())
}

/// Only the END line may lack its line end. Any other line that does was cut.
fn next_line(input: &mut impl BufRead, format: Format) -> io::Result<Vec<u8>> {
    let line = whole_line(input, MAX_LINE)?;
    if line.ends_with(b"\n") || is_end(&line, format) { Ok(without_end(line)) } else { Err(ends_early()) }
}

fn ends_early() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, malformed("it is truncated"))
}

/// A line with its end, which is LF, CRLF or the end of the file.
fn whole_line(input: &mut impl BufRead, longest: usize) -> io::Result<Vec<u8>> {
    let mut line = Vec::with_capacity(MAX_LINE);
    input.take(longest as u64).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Err(ends_early());
    }
    if line.len() == longest && !line.ends_with(b"\n") {
        Err(malformed("a line is too long").into())
    } else {
        Ok(line)
    }
}

fn without_end(mut line: Vec<u8>) -> Vec<u8> {
    if line.pop_if(|byte| *byte == b'\n').is_some() {
        line.pop_if(|byte| *byte == b'\r');
    }
    line
}

fn decode_line(line: &[u8]) -> Result<Vec<u8>> {
    match line.len() {
        0 => Err(malformed("an empty line")),
        length if length > COLUMNS => Err(malformed("a line is longer than 64 columns")),
        _ => STANDARD.decode(line).map_err(|_| malformed("not canonical base64")),
    }
}

fn only_space_follows(input: &mut impl BufRead) -> Result<()> {
    let mut rest = Vec::new();
    input.take(MAX_SPACE as u64 + 1).read_to_end(&mut rest)?;
    if rest.len() <= MAX_SPACE && rest.trim_ascii().is_empty() {
        Ok(())
    } else {
        Err(malformed("there is text after the END line"))
    }
}
