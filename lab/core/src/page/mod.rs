//! A results file as one page for people, offline and inert: nothing here measures, and nothing runs that we did not write.
//!
//! It draws a [`Document`], chapter by chapter, and adds no words of its own.

mod answers;
mod file;
mod markup;
mod plot;
mod raw;
mod sizes;
mod tables;

pub use file::{write, write_comparison};

use crate::document::{Chapter, Document, Section, Sentence};
use crate::rows::Row;
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The ids of all parts that can be linked.
type Ids<'a> = BTreeSet<&'a str>;

/// The page of a run, with the name of its results file.
pub fn html(name: &str, rows: &[Row]) -> String {
    html_of(&Document::of_rows(rows), name, rows)
}

/// The page of a document, with the rows that it was made from.
fn html_of(document: &Document, name: &str, rows: &[Row]) -> String {
    let parts = document
        .chapters
        .iter()
        .flat_map(|it| it.sections.iter().map(|section| &*section.id).chain([&*it.id]));
    let ids: Ids = parts.collect();
    let body = html! {
        section .run data-rows=[(!rows.is_empty()).then_some(raw::ID)] {
            header {
                h1 { (document.title) }
                @for told in &document.runs { p .when { (told) } }
                @for warning in &document.warnings { p .warning role="note" { (warning) } }
            }
            (answers::section(document, &ids))
            (contents(document, !rows.is_empty()))
            @for chapter in &document.chapters { (whole(chapter, &ids)) }
            (raw::section(name, rows))
        }
    };
    markup::page(&document.title, &body).into_string()
}

fn whole(chapter: &Chapter, ids: &Ids) -> Markup {
    html! {
        section .chapter {
            h2 id=(chapter.id) { (chapter.title) }
            @for it in &chapter.sections { (section(it, ids)) }
        }
    }
}

fn section(section: &Section, ids: &Ids) -> Markup {
    html! {
        section .evidence {
            h3 id=(section.id) { (section.title) }
            @if !section.reading.is_empty() { p .remarks { (section.reading) } }
            @for (at, table) in section.tables.iter().enumerate() { (tables::table(section, at, table)) }
            (sentences(section, ids))
        }
    }
}

/// Sentences below each other, with links to what proves them; nothing without sentences.
fn sentences(section: &Section, ids: &Ids) -> Markup {
    let linked = |Sentence { text, evidence }: &Sentence| {
        html! { li { (text) @if let Some(evidence) = evidence { " " (link(evidence, ids)) } } }
    };
    html! {
        @if !section.sentences.is_empty() { ul .remarks { @for it in &section.sentences { (linked(it)) } } }
    }
}

/// Links that sound alike lead to the same place.
fn link(id: &str, ids: &Ids) -> Markup {
    html! {
        @if ids.contains(id) {
            a .evidence href={ "#" (id) } aria-label={ "evidence: " (id.replace('-', " ")) } { "evidence" }
        }
    }
}

fn contents(document: &Document, has_rows: bool) -> Markup {
    html! {
        nav aria-label="contents" {
            ul {
                @for chapter in &document.chapters { li { a href={ "#" (chapter.id) } { (chapter.title) } } }
                @if has_rows { li { a href={ "#" (raw::ID_OF_TEXT) } { "Raw rows" } } }
            }
        }
    }
}

#[cfg(test)]
mod tests;
