//! Names as text. A name may hold any byte, and must neither drive a terminal nor pass for another name.

/// A name within a message.
pub fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", name(bytes).replace('"', "\\\""))
}

/// Control characters, letters that are invisible or change the direction of text, bytes that are not UTF-8, and backslashes are
/// written out.
pub fn name(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\\' => shown.push_str("\\\\"),
                '\n' => shown.push_str("\\n"),
                '\t' => shown.push_str("\\t"),
                _ if letter.is_control() || deceives(letter) => shown.extend(letter.escape_unicode()),
                _ => shown.push(letter),
            }
        }
        chunk.invalid().iter().for_each(|byte| shown += &format!("\\x{byte:02x}"));
    }
    shown
}

/// A mark of direction can make `gpj.exe` look like `exe.jpg`, and an invisible letter one name like another: separators of
/// lines, and what Unicode calls Default_Ignorable_Code_Point.
fn deceives(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_passes_for_another() {
        assert_eq!(name("grüße 1.txt".as_bytes()), "grüße 1.txt");
        assert_eq!(name(b"a\nb\tc\\n\x1b[2J\xff"), "a\\nb\\tc\\\\n\\u{1b}[2J\\xff");
        assert_eq!(name("\u{202e}gpj.exe\u{85}".as_bytes()), "\\u{202e}gpj.exe\\u{85}");
        assert_eq!(name("u\u{308} \"❤\"".as_bytes()), "u\u{308} \"❤\"");
        for letter in ['\u{ad}', '\u{200b}', '\u{2060}', '\u{fe0f}', '\u{feff}', '\u{e0041}'] {
            assert!(name(letter.to_string().as_bytes()).starts_with("\\u{"), "{letter:?}");
        }
        assert_eq!(quoted(b"a\" was extracted: \"b\\"), r#""a\" was extracted: \"b\\""#);
    }
}
