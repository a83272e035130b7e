//! The frame of a page: its head, its policy, and what sections share.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use maud::{Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// By its beginning a page of ours is told from others.
pub const BEGINNING: &str = "<!DOCTYPE html><!-- a page of sealmark-lab -->";

/// A whole page. What it may do is what its policy says: our style and our script by their hashes, and nothing else, so
/// that markup in a run file would be dead even if it came through.
pub fn page(title: &str, body: &Markup) -> Markup {
    html! {
        (PreEscaped(BEGINNING))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
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
