//! A document on a terminal: at most 60 lines of at most 100 columns.

use super::{Answer, Chapter, Document, Section};
use crate::format;
use crate::table::{Table, WIDEST, paragraph, whole_words};

const LINES: usize = 56;
const COLUMNS: usize = 100;
/// Where what is said begins; left of it stands what it is about.
const MARGIN: usize = 22;

/// Two lines of the most that a terminal has room for are the caller's: where the rows and the page are.
pub fn text(document: &Document) -> String {
    let mut head = vec![format::shown(&document.title)];
    head.extend(document.runs.iter().flat_map(|run| wrapped(run, COLUMNS)));
    let warnings = document.warnings.iter().map(|warning| format!("warning: {warning}"));
    head.extend(warnings.flat_map(|warning| wrapped(&warning, COLUMNS)));
    let short = document.short.iter().map(|it| beside(&it.title, it.sentences.iter().map(|it| &it.text)));
    let short: Vec<Vec<String>> = short.collect();
    let told: usize = short.iter().map(Vec::len).sum();
    let room = LINES.saturating_sub(head.len() + told + 4);
    let lines = [head, answers(&document.answers, room)].into_iter().chain(short);
    let lines = lines.filter(|part| !part.is_empty()).map(|part| part.join("\n") + "\n");
    lines.collect::<Vec<_>>().join("\n")
}

/// All of it.
pub fn long(document: &Document) -> String {
    let chapter = |Chapter { title, sections, .. }: &Chapter| {
        format!("\n{}\n{}", format::shown(title), sections.iter().map(section).collect::<String>())
    };
    text(document) + &document.chapters.iter().map(chapter).collect::<String>()
}

fn section(Section { title, reading, tables, sentences, .. }: &Section) -> String {
    let tables: String = tables.iter().map(Table::titled_text).collect();
    let reading = if reading.is_empty() { String::new() } else { paragraph(reading) };
    let sentences: String = sentences.iter().map(|sentence| paragraph(&sentence.text)).collect();
    let title = textwrap::fill(&format::shown(title), whole_words(WIDEST).break_words(false));
    format!("\n{title}\n{reading}{tables}{sentences}")
}

/// So many that there is room for them.
fn answers(all: &[Answer], room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (at, answer) in all.iter().enumerate() {
        let told = beside(&answer.about, [&answer.headline, &answer.figures].into_iter());
        let is_last = at + 1 == all.len();
        if lines.len() + told.len() + usize::from(!is_last) > room {
            lines.push(format!("and {} more answers: on the page", all.len() - at));
            break;
        }
        lines.extend(told);
    }
    lines
}

/// Sentences to the right of what they are about.
fn beside<'a>(about: &str, sentences: impl Iterator<Item = &'a String>) -> Vec<String> {
    let left = wrapped(about, MARGIN - 2);
    let right: Vec<String> = sentences.flat_map(|sentence| wrapped(sentence, COLUMNS - MARGIN)).collect();
    let line = |at: usize| {
        let [left, right] = [&left, &right].map(|side| side.get(at).map_or("", String::as_str));
        format!("{left:MARGIN$}{right}").trim_end().to_owned()
    };
    (0..left.len().max(right.len())).map(line).collect()
}

/// Lines of whole words; a sign stays with what is before it, and what is longer than a line is cut.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let text = format::shown(text).replace(" ×", "\u{a0}×").replace(" ·", "\u{a0}·");
    let words = text.split(' ').map(|word| word.chars().take(columns).collect::<String>());
    let text = words.collect::<Vec<_>>().join(" ");
    let lines = textwrap::wrap(text.trim(), whole_words(columns)).into_iter();
    lines.map(|line| line.replace('\u{a0}', " ")).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_stand_beside_what_they_are_about() {
        let long = format!("{} end", "word ".repeat(20).trim());
        let lines = beside("a question, 49 bytes", [&long].into_iter());
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].starts_with("a question, 49 bytes  word word") && lines[1].ends_with(" end"));
        assert!(lines.iter().all(|line| line.chars().count() <= COLUMNS), "{lines:?}");
    }

    #[test]
    fn what_no_line_can_hold_is_cut() {
        assert_eq!(wrapped(&"ä".repeat(300), 10), ["ä".repeat(10)]);
        assert_eq!(wrapped("  ", 10), [""; 0]);
    }
}
