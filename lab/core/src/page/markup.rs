//! The frame of a page: its head, its policy, and what sections share.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

const GENERATOR: &str = "sealmark-lab ";

/// Whether the beginning of a file is that of a page from here, of whatever version.
pub fn is_ours(beginning: &[u8]) -> bool {
    let mark = format!("<meta name=\"generator\" content=\"{GENERATOR}");
    beginning.starts_with(b"<!DOCTYPE html>")
        && beginning.windows(mark.len()).any(|part| part == mark.as_bytes())
}

/// A whole page. What it may do is what its policy says: our style and our script by their hashes, and nothing else, so
/// that markup in a run file would be dead even if it came through.
pub fn page(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ (GENERATOR) (env!("CARGO_PKG_VERSION")) };
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a .skip href="#main" { "Skip to the results" }
                (super::plot::marks())
                main #main { (body) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

fn policy() -> String {
    let (style, script) = (hash(STYLE), hash(SCRIPT));
    format!(
        "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
    )
}

/// Content Security Policy Level 3, section 2.3.1: the digest of the element's text in base64.
fn hash(text: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// What is wider than a phone scrolls within its own box, also by keyboard.
pub fn scrolled(label: &str, inner: &Markup) -> Markup {
    html! { div .scrolled tabindex="0" role="region" aria-label=(label) { (inner) } }
}

/// What most readers skip; needs no script.
pub fn folded(summary: &str, inner: &Markup) -> Markup {
    html! { details { summary { (summary) } (inner) } }
}

/// Sentences below each other; nothing without sentences.
pub fn list(class: &str, sentences: &[String]) -> Markup {
    html! {
        @if !sentences.is_empty() {
            ul class=(class) { @for sentence in sentences { li { (sentence) } } }
        }
    }
}
