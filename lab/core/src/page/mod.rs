//! A results file as one page for people, offline and inert: nothing here measures, and nothing runs that we did not write.
//!
//! It draws a [`Document`], chapter by chapter, and adds no words of its own.

mod plot;
mod tables;

use crate::compare;
use crate::document::{Document, Section, Sentence};
use crate::protocol;
use crate::results;
use crate::rows::Row;
use crate::table::Table;
use crate::trouble::{Result, Trouble};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{Markup, PreEscaped, html};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes the page of a results file, whole or not at all, and says where: beside it, unless told. A page that was there is
/// replaced: it can be made again. So is whatever has the name that was told.
pub fn write(run: &Path, out: Option<&Path>) -> Result<PathBuf> {
    let is_told = out.is_some();
    let out = out.map_or_else(|| run.with_extension("html"), Path::to_owned);
    results::must_not_be_results(&out, &[run.to_owned()], "report.html")?;
    if !is_told {
        must_be_free(&out, run)?;
    }
    results::replace(&out, &html(&name(run), &results::read(run)?))?;
    Ok(out)
}

/// Nobody named it, so what stands there may be dear to somebody, unless it is a page of ours.
fn must_be_free(out: &Path, run: &Path) -> Result<()> {
    let is_page = || std::fs::read(out).is_ok_and(|page| page.starts_with(BEGINNING.as_bytes()));
    if std::fs::symlink_metadata(out).is_err() || out.is_file() && is_page() {
        return Ok(());
    }
    let why = format!("\"{}\" is there already, and is no page of this lab", out.display());
    Err(Trouble::new(why).hint(format!("sealmark-lab report {} -o report.html", run.display())))
}

/// Writes the page that compares two results files.
pub fn write_comparison<'a>(base: &Path, new: &Path, out: &'a Path) -> Result<&'a Path> {
    results::must_not_be_results(out, &[base.to_owned(), new.to_owned()], "comparison.html")?;
    let (old, young) = (results::read(base)?, results::read(new)?);
    let document = compare::document([(&name(base), &old), (&name(new), &young)]);
    results::replace(out, &html_of(&document, "", &[]))?;
    Ok(out)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The page of a run, with the name of its results file.
pub fn html(name: &str, rows: &[Row]) -> String {
    html_of(&Document::of_rows(rows), name, rows)
}

/// The page of a document, with the rows that it was made from.
fn html_of(document: &Document, name: &str, rows: &[Row]) -> String {
    let body = html! {
        section .run data-rows=[(!rows.is_empty()).then_some(ROWS)] {
            header {
                h1 { (document.title) }
                @for told in &document.runs { p .when { (told) } }
                @for warning in &document.warnings { p .warning role="note" { (warning) } }
            }
            (answers(document))
            (contents(document, !rows.is_empty()))
            @for chapter in &document.chapters {
                section .chapter {
                    h2 id=(chapter.id) { (chapter.title) }
                    @for it in &chapter.sections { (section(it)) }
                }
            }
            (raw(name, rows))
        }
    };
    page(&document.title, &body).into_string()
}

/// The top of the page: a card for each answer of the document with the headline, the picture, the figures, and where they are
/// proved; what to avoid, and what to trust.
fn answers(document: &Document) -> Markup {
    html! {
        section .answers {
            h2 id="answers" { @if document.answers.is_empty() { "In short" } @else { "Answers" } }
            @for answer in &document.answers {
                section .answer .open[!answer.is_told] {
                    h3 { span .place { (answer.about) } (answer.headline) }
                    (picture(&answer.picture))
                    p .line { (answer.figures) " " (link(&answer.evidence)) }
                }
            }
            @for short in &document.short {
                section .answer .(short.id) {
                    h3 { (short.title) }
                    (sentences(short))
                }
            }
        }
    }
}

fn picture(picture: &Table) -> Markup {
    let scale = tables::scale(picture);
    html! {
        table .bars {
            caption { (picture.title) ", log scale" }
            tbody {
                @for row in &picture.rows {
                    tr .chosen[row.is_reference] {
                        th scope="row" { @if row.is_reference { "✓ " } (row.told(0)) }
                        td .plotted { @if let Some(scale) = &scale { (tables::marked(row, scale)) } }
                        td { (row.told(1)) }
                    }
                }
            }
        }
    }
}

fn section(section: &Section) -> Markup {
    html! {
        section .evidence {
            h3 id=(section.id) { (section.title) }
            @if !section.reading.is_empty() { p .remarks { (section.reading) } }
            @for (at, table) in section.tables.iter().enumerate() { (tables::table(section, at, table)) }
            (sentences(section))
        }
    }
}

/// Sentences below each other, with links to what proves them; nothing without sentences.
fn sentences(section: &Section) -> Markup {
    let linked = |Sentence { text, evidence }: &Sentence| {
        html! { li { (text) @if let Some(evidence) = evidence { " " (link(evidence)) } } }
    };
    html! {
        @if !section.sentences.is_empty() { ul .remarks { @for it in &section.sentences { (linked(it)) } } }
    }
}

/// Links that sound alike lead to the same place.
fn link(id: &str) -> Markup {
    html! { a .evidence href={ "#" (id) } aria-label={ "evidence: " (id.replace('-', " ")) } { "evidence" } }
}

fn contents(document: &Document, has_rows: bool) -> Markup {
    html! {
        nav aria-label="contents" {
            ul {
                @for chapter in &document.chapters { li { a href={ "#" (chapter.id) } { (chapter.title) } } }
                @if has_rows { li { a href={ "#" (RAW) } { "Raw rows" } } }
            }
        }
    }
}

/// The element with the rows.
const ROWS: &str = "rows";
/// The part that tells of it.
const RAW: &str = "raw";

/// Nothing without rows.
fn raw(name: &str, rows: &[Row]) -> Markup {
    // Warm-up spans are two thirds of a compressed run; with them the page of a publication passes a megabyte.
    let kept: Vec<&Row> = rows.iter().filter(|row| !matches!(row, Row::Ramp(_))).collect();
    html! {
        @if !rows.is_empty() {
            section .raw {
                h2 id=(RAW) { "Raw rows" }
                p {
                    (kept.len()) " of " (rows.len()) " rows of " code { (name) } ", all but the spans of the warm-up, are in this "
                    "file (lab/spec/run.md), in the element " code { "#" (ROWS) } ": base64 of gzip. " code { "sealmark-lab table" } " prints them as text."
                }
                // Inert: base64 has no character that could end the element.
                script type="application/gzip" id=(ROWS) { (compressed(&kept)) }
            }
        }
    }
}

fn compressed(rows: &[&Row]) -> String {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    let written = rows.iter().try_for_each(|row| gzip.write_all(protocol::line(row).as_bytes()));
    BASE64_STANDARD.encode(written.and_then(|()| gzip.finish()).expect("memory takes what is written to it"))
}

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// By its beginning a page of ours is told from others.
const BEGINNING: &str = "<!DOCTYPE html><!-- a page of sealmark-lab -->";

/// A whole page. Its policy allows our style and our script by their hashes, and nothing else, so that markup in a run file
/// would be dead even if it came through.
fn page(title: &str, body: &Markup) -> Markup {
    // Content Security Policy Level 3, section 2.3.1: the digest of the element's text in base64.
    let [style, script] = [STYLE, SCRIPT].map(|text| BASE64_STANDARD.encode(Sha256::digest(text)));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
    );
    html! {
        (PreEscaped(BEGINNING))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a .skip href="#main" { "Skip to the results" }
                (plot::marks())
                main #main { (body) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

#[cfg(test)]
mod tests;
