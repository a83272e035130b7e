//! `sealmark inspect`: what a file says about itself, for people and for programs.

use crate::args::Inspect;
use crate::fault::{Exit, Fault};
use crate::say::many;
use crate::stdio;
use crate::target::{self, Source, Verb};
use sealmark::{Content, Inspection, StanzaInfo};
use serde::Serialize;
use std::path::Path;

pub fn run(args: &Inspect) -> Result<Exit, Fault> {
    target::round(
        target::sources(&args.inputs, Source::new),
        Verb::Inspect,
        || Ok(()),
        |(), source| {
            let inspection = match source {
                Source::Path(path) => sealmark::inspect_file(path)?,
                _ => sealmark::inspect(source.open()?)?,
            };
            stdio::result(&if args.json {
                json(source.name(), &inspection)?
            } else {
                text(source.name(), &inspection)
            })
        },
    )
}

fn text(name: &Path, file: &Inspection) -> String {
    let armored = if file.armored { ", armored" } else { "" };
    let signed = if file.signed { ", signed" } else { "" };
    let folder = if file.content == Content::Archive { ", a folder" } else { "" };
    let mut text = format!("{name:?}\n  format        {}{folder}{signed}{armored}\n", file.format);
    for (index, stanza) in file.stanzas.iter().enumerate() {
        let label = if index == 0 { "opens with" } else { "or with" };
        text += &format!("  {label:<12}  {}\n", way_in(stanza));
    }
    text += &format!("  post-quantum  {}\n", if file.post_quantum { "yes" } else { "no" });
    text += &format!("  header        {} bytes\n", file.header_bytes);
    text += &format!("  payload       {} bytes\n", file.payload_bytes);
    text += &match (file.plaintext_bytes, file.chunks) {
        (Some(bytes), Some(chunks)) => {
            let full = file.chunk_bytes;
            format!(
                "  content       {bytes} bytes in {} ({full} bytes per full chunk)\n",
                many(chunks, "chunk")
            )
        }
        _ => "  content       unknown: the payload has an impossible length (truncated?)\n".to_owned(),
    };
    text
}

fn way_in(stanza: &StanzaInfo) -> String {
    let what = match (stanza.passphrase, stanza.kem) {
        (true, _) => format!("a passphrase: {}", stanza.name),
        (_, Some(kem)) => format!("a key of type {kem}"),
        _ => match stanza.name.trim_start_matches("age:") {
            "ssh-ed25519" => format!("an SSH key: {}", stanza.name),
            "p256tag" | "mlkem768p256tag" => format!("a key in a device: {}", stanza.name),
            _ => format!("an unknown key: {}", stanza.name),
        },
    };
    stanza.detail.iter().fold(what, |what, detail| format!("{what} {detail}"))
}

/// Flat on purpose: one line a file, no nesting, so that `grep` and spreadsheets can read it too.
/// The keys are a promise; `sealmark inspect --help` lists them.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    format: String,
    armored: bool,
    content: &'a str,
    signed: bool,
    passphrase: bool,
    post_quantum: bool,
    recipients: usize,
    stanzas: String,
    kems: String,
    header_bytes: u64,
    payload_bytes: u64,
    plaintext_bytes: Option<u64>,
    chunks: Option<u64>,
    chunk_bytes: u32,
}

fn json(name: &Path, file: &Inspection) -> Result<String, Fault> {
    let words =
        |word: &dyn Fn(&StanzaInfo) -> String| file.stanzas.iter().map(word).collect::<Vec<_>>().join(" ");
    let line = Line {
        file: &name.to_string_lossy(),
        format: file.format.to_string(),
        armored: file.armored,
        content: if file.content == Content::Archive { "tar" } else { "file" },
        signed: file.signed,
        passphrase: file.stanzas.iter().any(|stanza| stanza.passphrase),
        post_quantum: file.post_quantum,
        recipients: file.stanzas.len(),
        stanzas: words(&|stanza| stanza.name.clone()),
        kems: words(&|stanza| stanza.kem.map_or("?".to_owned(), |kem| kem.to_string())),
        header_bytes: file.header_bytes,
        payload_bytes: file.payload_bytes,
        plaintext_bytes: file.plaintext_bytes,
        chunks: file.chunks,
        chunk_bytes: file.chunk_bytes,
    };
    stdio::json(&line)
}
