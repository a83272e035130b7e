//! The top of the page: a card for each answer of the document, what to avoid, and what to trust.

use super::{Ids, link, sentences, tables};
use crate::document::{Answer, Document};
use crate::table::{Mark, Table, TableRow};
use maud::{Markup, html};

pub fn section(document: &Document, ids: &Ids) -> Markup {
    html! {
        section .answers {
            h2 id="answers" { @if document.answers.is_empty() { "In short" } @else { "Answers" } }
            @for answer in &document.answers { (card(answer, ids)) }
            @for short in &document.short {
                section .answer .(short.id) {
                    h3 { (short.title) }
                    (sentences(short, ids))
                }
            }
        }
    }
}

/// The headline, the picture, the figures, and where they are proved.
fn card(answer: &Answer, ids: &Ids) -> Markup {
    html! {
        section .answer .open[!answer.is_told] {
            h3 { span .place { (answer.about) } (answer.headline) }
            (picture(&answer.picture))
            p .line { (answer.figures) " " (link(&answer.evidence, ids)) }
        }
    }
}

fn picture(picture: &Table) -> Markup {
    let (_, drawings) = tables::marks(picture, "");
    let row = |row: &TableRow, drawing: Markup| {
        let is_chosen = row.mark == Some(Mark::REFERENCE);
        html! {
            tr .chosen[is_chosen] {
                th scope="row" { @if is_chosen { "✓ " } (row.told(0)) }
                td .plotted { (drawing) }
                td { (row.told(1)) }
            }
        }
    };
    html! {
        table .bars {
            caption { (picture.title) ", log scale" }
            tbody { @for (bar, drawing) in picture.rows.iter().zip(drawings) { (row(bar, drawing)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::super::html;
    use crate::document::{self, Document};
    use crate::protocol::{Operation, Shape};
    use crate::summary::made::Made;

    /// One name, so that lines which break elsewhere are alike.
    fn words(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn text_and_page_say_the_same_of_one_document() {
        let mut made = Made::default();
        for (engine, ns) in [("simdutf", 10), ("Go", 25), ("Python", 400)] {
            made.timed("codec", 49, (engine, "base64", Shape::Tuned), Operation::Encode, ns);
        }
        made.reference("codec", 49, ("simdutf", "base64", Shape::Tuned));
        let document = Document::of_rows(&made.rows);
        let page = html("made.jsonl", &made.rows);
        let text = words(&document::text(&document));
        let trust: Vec<&String> = document.short[0].sentences.iter().map(|sentence| &sentence.text).collect();
        assert_eq!((document.answers.len(), trust.len()), (1, 2), "{document:#?}");
        let answer = &document.answers[0];
        for said in [&answer.about, &answer.headline, &answer.figures].into_iter().chain(trust) {
            // Beside the about stands the headline, line by line.
            let is_in_text = said.split(' ').all(|word| text.contains(word));
            assert!(is_in_text && page.contains(said.as_str()), "{said} is not in {text}");
        }
        assert!(page.contains("✓ simdutf") && page.matches("<svg class=\"plot row\"").count() >= 3);
    }
}
