//! Names as text. A name may hold any byte, and must neither drive a terminal nor pass for another name.

/// Control characters, marks that change the direction of text, bytes that are not UTF-8, and backslashes are written out.
pub fn name(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\\' => shown.push_str("\\\\"),
                '\n' => shown.push_str("\\n"),
                '\t' => shown.push_str("\\t"),
                _ if letter.is_control() || turns_text(letter) => shown.extend(letter.escape_unicode()),
                _ => shown.push(letter),
            }
        }
        chunk.invalid().iter().for_each(|byte| shown += &format!("\\x{byte:02x}"));
    }
    shown
}

/// Such a mark can make `gpj.exe` look like `exe.jpg`.
fn turns_text(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_passes_for_another() {
        assert_eq!(name("grüße 1.txt".as_bytes()), "grüße 1.txt");
        assert_eq!(name(b"a\nb\tc\\n\x1b[2J\xff"), "a\\nb\\tc\\\\n\\u{1b}[2J\\xff");
        assert_eq!(name("\u{202e}gpj.exe\u{85}".as_bytes()), "\\u{202e}gpj.exe\\u{85}");
    }
}
