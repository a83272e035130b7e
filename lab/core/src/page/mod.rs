//! A results file as one page for people, offline and inert: nothing here measures, and nothing runs that we did not write.
//!
//! It draws a [`Document`]: each section of its evidence is one of the page, and adds no words of its own.

mod answers;
mod card;
mod file;
mod markup;
mod plot;
mod raw;
mod sizes;
mod tables;
mod then;

pub use file::{write, write_comparison};

use crate::document::Document;
use crate::protocol::Operation;
use crate::report::said::Proof;
use crate::rows::Row;
use maud::{Markup, html};
use std::collections::BTreeSet;

/// A run on the page, or two that are compared: the document, and the names of its parts.
pub struct Run<'a> {
    /// That of the results file.
    pub name: &'a str,
    /// None of a comparison.
    pub rows: &'a [Row],
    document: Document,
    /// Where there are several runs each has ids of its own.
    prefix: String,
}

/// The page of one run, or of several, one after the other. Each run has the name of its results file.
pub fn html(runs: &[(&str, &[Row])]) -> String {
    let numbered = runs.iter().enumerate();
    page(&numbered.map(|(at, (name, rows))| Run::of(name, rows, at)).collect::<Vec<_>>())
}

/// The page of a document without rows.
pub fn html_of(document: Document) -> String {
    page(&[Run { name: "", rows: &[], document, prefix: String::new() }])
}

fn page(runs: &[Run]) -> String {
    let titles: Vec<&str> = runs.iter().map(|run| run.document.title.as_str()).collect();
    let body = html! { @for run in runs { (whole(run)) } };
    markup::page(&titles.join(", "), &body).into_string()
}

/// All of one run. What stands at the top links to what is below, so it is made last.
fn whole(run: &Run) -> Markup {
    let below = html! {
        @for chapter in &run.document.jobs {
            section .job {
                h2 id=(run.id_of(&chapter.job, Proof::Job)) { "Job " (titled(&chapter.job)) }
                @for section in &chapter.sections { (tables::section(run, &chapter.job, section)) }
            }
        }
        @let more = run.document.jobs_left_out;
        @if more > 0 { p .remarks { "and " (more) " more jobs without a figure, all of which are in the results file" } }
        (then::section(run))
        (card::section(run))
        (raw::section(run))
    };
    let ids = ids(&below);
    html! {
        section .run data-rows=[(!run.rows.is_empty()).then(|| run.id(raw::ID))] {
            (card::opening(run))
            (answers::section(run, &ids))
            (contents(run, &ids))
            (below)
        }
    }
}

/// The name of a job in headings and links.
fn titled(job: &str) -> &str {
    if job.is_empty() { "without a name" } else { job }
}

/// What can be linked.
type Ids<'a> = BTreeSet<&'a str>;

fn ids(markup: &Markup) -> Ids<'_> {
    markup.0.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

fn contents(run: &Run, ids: &Ids) -> Markup {
    let is_then = ids.contains(run.id(then::ID).as_str());
    html! {
        nav aria-label=(run.label("contents")) {
            ul {
                @for chapter in &run.document.jobs {
                    li { a href={ "#" (run.id_of(&chapter.job, Proof::Job)) } { (titled(&chapter.job)) } }
                }
                @if is_then { li { a href={ "#" (run.id(then::ID)) } { "then and now" } } }
                li { a href={ "#" (run.id(card::ID)) } { "machines and conditions" } }
                @if !run.rows.is_empty() { li { a href={ "#" (run.id(raw::ID_OF_TEXT)) } { "raw rows" } } }
            }
        }
    }
}

impl<'a> Run<'a> {
    fn of(name: &'a str, rows: &'a [Row], at: usize) -> Self {
        let document = Document::of_rows(rows);
        let prefix = if at == 0 { String::new() } else { format!("run{}-", at + 1) };
        Self { name, rows, document, prefix }
    }

    /// The id of a thing on this page: "machine"; or of one that each job has: "sizes tls-connect" is "sizes-tls_connect".
    /// Jobs have a stranger's names, and other names are other ids.
    pub fn id(&self, words: &str) -> String {
        match words.split_once(' ') {
            Some((thing, job)) => format!("{}{thing}-{}", self.prefix, escaped(job)),
            None => format!("{}{words}", self.prefix),
        }
    }

    /// The id of evidence about a job: "ratios-cipher-8404-seal".
    pub fn id_of(&self, job: &str, at: Proof) -> String {
        let of_cell = |thing: &str, size: u64, operation: Operation| {
            format!("{}-{size}-{operation}", self.id(&format!("{thing} {job}")))
        };
        match at {
            Proof::Cell(size, operation) => of_cell("ratios", size, operation),
            Proof::Warmth(size, operation) => of_cell("ramp", size, operation),
            Proof::Resumption => self.id(&format!("resumption {job}")),
            Proof::Growth => self.id(&format!("sizes {job}")),
            Proof::Outcomes => self.id(&format!("matrix {job}")),
            Proof::Job => self.id(&format!("job {job}")),
            Proof::About(thing) => self.id(thing),
            Proof::Command => self.id("command"),
        }
    }

    /// What a screen reader calls a part that each run has: "engines", "engines of run2".
    pub fn label(&self, words: &str) -> String {
        match self.prefix.strip_suffix('-') {
            Some(which) => format!("{words} of {which}"),
            None => words.to_owned(),
        }
    }
}

/// Without a dash, which ends a name within an id, and without what an id must not have.
fn escaped(name: &str) -> String {
    let letter = |letter: char| match letter {
        'a'..='z' | '0'..='9' => letter.to_string(),
        '-' => "_".into(),
        _ => format!(".{:x}.", u32::from(letter)),
    };
    name.chars().map(letter).collect()
}

#[cfg(test)]
mod tests;
