//! Headers: there is only one way to write an accepted header, so that nobody can alter a file unnoticed.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use sealmark::{Error, inspect};

/// Accepts encodings that a careless reader accepts, unlike the library.
pub(crate) const CARELESS: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Takes a header and a payload that nobody opens; a header that parses prints as the same bytes.
pub fn header(data: &[u8]) -> bool {
    let inspection = match inspect(data) {
        Ok(inspection) if !inspection.armored => inspection,
        Ok(_) => return true,
        Err(error) => return refuse(&error),
    };
    let header = &data[..inspection.header_bytes as usize];
    let text = std::str::from_utf8(header).expect("an accepted header is text");
    assert_eq!(print(text), text, "a header that can be written in two ways");
    assert_eq!(inspection.stanzas.len(), text.lines().filter(|line| line.starts_with("-> ")).count());
    true
}

/// Bytes from memory never cause an I/O error, nor one that blames the caller.
pub(crate) fn refuse(error: &Error) -> bool {
    assert!(
        matches!(
            error,
            Error::Malformed(_)
                | Error::Tampered(_)
                | Error::NoKey
                | Error::PassphraseNeeded
                | Error::WrongPassphrase
        ),
        "{error:?}"
    );
    false
}

/// Reads a header as carelessly as possible and writes it as the specification says.
fn print(text: &str) -> String {
    let (stanzas, mac) = text.rsplit_once("\n--- ").expect("a MAC line");
    let mut stanzas = stanzas.split("\n-> ");
    let version = stanzas.next().expect("a version line").trim();
    let stanzas: String = stanzas.map(print_stanza).collect();
    format!("{version}\n{stanzas}--- {}\n", print_base64(mac))
}

fn print_stanza(stanza: &str) -> String {
    let (arguments, body) = stanza.split_once('\n').expect("a line of arguments");
    let arguments = arguments.split_whitespace().collect::<Vec<_>>().join(" ");
    let body = print_base64(body);
    let mut lines: Vec<&str> =
        body.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    if body.len().is_multiple_of(64) {
        lines.push("");
    }
    format!("-> {arguments}\n{}\n", lines.join("\n"))
}

fn print_base64(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    STANDARD_NO_PAD.encode(CARELESS.decode(text).expect("accepted base64"))
}
