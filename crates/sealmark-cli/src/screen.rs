//! Opened lines at a terminal: what a value holds must not drive it, so control characters are written out.

use std::io::{self, Write};
use zeroize::Zeroizing;

/// Passes text on, with escapes in place of what a terminal takes for orders and of bytes that are no UTF-8.
pub struct Screen<W: Write> {
    terminal: W,
    /// The end that the next bytes may change: a character that is not whole, or a carriage return.
    held: Zeroizing<Vec<u8>>,
}

impl<W: Write> Screen<W> {
    pub fn new(terminal: W) -> Self {
        Self { terminal, held: Zeroizing::default() }
    }

    /// Call at the end, when nothing follows what is held.
    pub fn finish(mut self) -> io::Result<()> {
        self.end()
    }

    /// Shows what is held as if nothing followed.
    pub fn end(&mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.held);
        self.show(&held)?;
        self.terminal.flush()
    }

    fn show(&mut self, text: &[u8]) -> io::Result<()> {
        let mut shown = Zeroizing::new(String::with_capacity(text.len()));
        for chunk in text.utf8_chunks() {
            let mut letters = chunk.valid().chars().peekable();
            while let Some(letter) = letters.next() {
                match letter {
                    '\r' if letters.peek() == Some(&'\n') => shown.push(letter),
                    '\t' | '\n' => shown.push(letter),
                    _ if letter.is_control() => *shown += &format!("\\x{:02x}", u32::from(letter)),
                    _ => shown.push(letter),
                }
            }
            chunk.invalid().iter().for_each(|byte| *shown += &format!("\\x{byte:02x}"));
        }
        self.terminal.write_all(shown.as_bytes())
    }
}

impl<W: Write> Write for Screen<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = std::mem::take(&mut self.held);
        text.extend_from_slice(bytes);
        let (sure, unsure) = text.split_at(decided(&text));
        self.held.extend_from_slice(unsure);
        self.show(sure)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.terminal.flush()
    }
}

/// How much of a text does not depend on what follows.
fn decided(text: &[u8]) -> usize {
    let last = text.utf8_chunks().last();
    let cut = last.map_or(&[][..], |chunk| chunk.invalid());
    match str::from_utf8(cut) {
        Err(error) if error.error_len().is_none() => text.len() - cut.len(),
        _ => text.len() - usize::from(text.ends_with(b"\r")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    fn shown(text: &[u8], piece: usize) -> String {
        let mut terminal = Vec::new();
        let mut screen = Screen::new(&mut terminal);
        for piece in text.chunks(piece) {
            screen.write_all(piece).unwrap();
            screen.flush().unwrap();
        }
        screen.finish().unwrap();
        String::from_utf8(terminal).unwrap()
    }

    #[test]
    fn controls_are_written_out_however_the_text_comes() {
        let text = "grüße\t\u{1f511} \x1b[31m\x07\0\x7f \u{9b}2J a\rb\r\nc\r\r\n\u{80}end\r".as_bytes();
        let bytes = [text, b"\n\xff\x9b\xc3(\xe2\x82", b"\r\n\xf0\x9f"].concat();
        let expected = "grüße\t\u{1f511} \\x1b[31m\\x07\\x00\\x7f \\x9b2J a\\x0db\r\nc\\x0d\r\n\\x80end\r\n\
                        \\xff\\x9b\\xc3(\\xe2\\x82\r\n\\xf0\\x9f";
        (1..=bytes.len()).for_each(|piece| assert_eq!(shown(&bytes, piece), expected, "by {piece}"));
    }

    #[test]
    fn text_goes_on_at_once() {
        let mut terminal = Vec::new();
        let mut screen = Screen::new(&mut terminal);
        screen.write_all(b"line").unwrap();
        assert_eq!(screen.terminal, b"line");
    }
}
