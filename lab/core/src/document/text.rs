//! A document on a terminal: at most 60 lines of at most 100 columns.

use super::{Answer, Chapter, Document, Section, Short};
use crate::rows::Row;
use crate::table::{Table, paragraph};
use crate::words;

const LINES: usize = 56;
const COLUMNS: usize = 100;
/// Where what is said begins; left of it stands what it is about.
const MARGIN: usize = 22;

/// Two lines of the most that a terminal has room for are the caller's: where the rows and the page are.
pub fn text(document: &Document) -> String {
    let mut head = vec![document.title.clone()];
    head.extend(document.runs.iter().flat_map(|run| wrapped(run, COLUMNS)));
    let short: Vec<Vec<String>> = document.short.iter().map(listed).collect();
    let told: usize = short.iter().map(Vec::len).sum();
    let room = LINES.saturating_sub(head.len() + told + 4);
    let lines = [head, answers(&document.answers, room)].into_iter().chain(short);
    let lines = lines.filter(|part| !part.is_empty()).map(|part| part.join("\n") + "\n");
    lines.collect::<Vec<_>>().join("\n")
}

/// All of it, and what it was measured with.
pub fn long(rows: &[Row]) -> String {
    let document = Document::of_rows(rows);
    [
        text(&document),
        document.publication.as_ref().map(|publication| publication.text()).unwrap_or_default(),
        chapters(&document.jobs),
        document.about.iter().map(section).collect(),
    ]
    .concat()
}

pub fn chapters(all: &[Chapter]) -> String {
    all.iter().flat_map(|chapter| &chapter.sections).map(section).collect()
}

pub fn section(section: &Section) -> String {
    let tables: String = section.tables.iter().map(Table::titled_text).collect();
    let remarks: String = section.remarks.iter().map(|remark| paragraph(remark)).collect();
    format!("\n{}\n{tables}{remarks}", section.title)
}

/// More sentences nobody reads.
const MOST_SENTENCES: usize = 200;

/// Sentences under a title; nothing without sentences.
pub fn list(title: &str, sentences: &[String]) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let sentences = words::at_most(sentences.to_vec(), MOST_SENTENCES);
    format!("\n{title}\n{}", sentences.iter().map(|sentence| paragraph(sentence)).collect::<String>())
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

fn listed(short: &Short) -> Vec<String> {
    beside(short.heading, short.sentences.iter().map(|sentence| &sentence.text))
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

/// Lines of whole words; what is longer than a line is cut.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    // A factor and its sign stay together.
    let text = text.replace(" ×", "\u{a0}×");
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let word: String = word.chars().take(columns).collect::<String>().replace('\u{a0}', " ");
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= columns => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
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
