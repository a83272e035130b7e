//! Facts about a sealed file that need no key. Nothing here is authenticated.

use crate::armor::Dearmored;
use crate::error::{Error, Result};
use crate::format::{Content, Format};
use crate::header::{AGE, Header, Stanza};
use crate::input::Input;
use crate::stanza::{kind_of, nested};
use crate::suite::Kem;
use std::io::{self, Read};
use std::path::Path;

/// Facts that a sealed file states about itself, unauthenticated.
///
/// ```
/// use sealmark::{Content, Format, Identity, Kem, SealTo, Sealer, inspect};
///
/// # fn main() -> sealmark::Result<()> {
/// let recipient = Identity::generate(Kem::MlKem768X25519)?.recipient();
/// let sealed = Sealer::new(Vec::new(), &SealTo::recipients(Format::Sealmark, &[recipient])?)?.finish()?;
/// let found = inspect(&sealed[..])?;
/// assert_eq!((found.format, found.content), (Format::Sealmark, Content::File));
/// assert_eq!(found.stanzas[0].kem, Some(Kem::MlKem768X25519));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inspection {
    /// The format it is written in.
    pub format: Format,
    /// True if the file is wrapped in ASCII armor.
    pub armored: bool,
    /// The kind of its content.
    pub content: Content,
    /// True if it is signed.
    pub signed: bool,
    /// The stanzas: one for each recipient, or one for the passphrase.
    pub stanzas: Vec<StanzaInfo>,
    /// True if all stanzas are of types that resist a quantum computer.
    pub post_quantum: bool,
    /// Bytes of the header.
    pub header_bytes: u64,
    /// Bytes after the header, without armor.
    pub payload_bytes: u64,
    /// Bytes of plaintext, an index and a signature included; `None` if no plaintext has a payload of that length, because it is truncated.
    pub plaintext_bytes: Option<u64>,
    /// Chunks of the payload.
    pub chunks: Option<u64>,
    /// Plaintext bytes of a full chunk.
    pub chunk_bytes: u32,
}

/// Facts about one stanza.
///
/// [`Inspection`] has an example.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StanzaInfo {
    /// Its type, as written; `age:` and the inner type, if it is a stanza of age in a `sealmark/1` file.
    pub name: String,
    /// The KEM, for types this library knows.
    pub kem: Option<Kem>,
    /// True if a passphrase opens it.
    pub passphrase: bool,
    /// True if it resists a quantum computer; `None` for unknown types.
    pub post_quantum: Option<bool>,
    /// Bytes it takes in the header.
    pub bytes: u64,
    /// The work factor of a passphrase stanza, as written.
    pub detail: Option<String>,
}

/// Inspects a stream, which it reads to its end.
///
/// ```
/// # use sealmark::{Format, Passphrase, SealTo, Sealer};
/// # use std::io::Write;
/// # fn main() -> sealmark::Result<()> {
/// # let to = SealTo::passphrase(Format::Sealmark, Passphrase::new("correct horse".to_owned()));
/// # let mut sealer = Sealer::new(Vec::new(), &to)?;
/// # sealer.write_all(b"private")?;
/// # let sealed = sealer.finish()?;
/// let found = sealmark::inspect(&sealed[..])?;
/// assert!(found.stanzas[0].passphrase);
/// assert_eq!(found.plaintext_bytes, Some(7));
/// # Ok(())
/// # }
/// ```
pub fn inspect(input: impl Read) -> Result<Inspection> {
    let mut input = Dearmored::detect(input)?;
    let header = Header::read(&mut input)?;
    let armored = input.is_armored();
    let payload = io::copy(&mut input, &mut io::sink())?;
    Ok(describe(&header, armored, payload))
}

/// Inspects a file. It reads only the header of a file whose length is known.
pub fn inspect_file(path: impl AsRef<Path>) -> Result<Inspection> {
    let path = path.as_ref();
    let input = Input::open(path)?;
    let inspect = || {
        let mut sealed = Dearmored::detect(&input)?;
        let header = Header::read(&mut sealed)?;
        let payload = if input.has_length() && !sealed.is_armored() {
            input.len().saturating_sub(header.len())
        } else {
            io::copy(&mut sealed, &mut io::sink())?
        };
        Ok(describe(&header, sealed.is_armored(), payload))
    };
    inspect().map_err(|error: Error| error.between(Some(path), None))
}

fn describe(header: &Header, armored: bool, payload: u64) -> Inspection {
    let layout = header.format.layout();
    let extent = layout.extent(payload).ok();
    Inspection {
        format: header.format,
        armored,
        content: header.content,
        signed: header.signed,
        stanzas: header.stanzas.iter().map(|stanza| describe_stanza(header.format, stanza)).collect(),
        post_quantum: header.is_post_quantum(),
        header_bytes: header.len(),
        payload_bytes: payload,
        plaintext_bytes: extent.map(|extent| extent.plaintext),
        chunks: extent.map(|extent| extent.chunks),
        chunk_bytes: layout.chunk() as u32,
    }
}

fn describe_stanza(format: Format, stanza: &Stanza) -> StanzaInfo {
    let kem = kem_of(format, &stanza.kind);
    let passphrase = stanza.kind == format.facts().passphrase_stanza;
    let in_age = match format {
        Format::Age => Some(stanza.kind.as_str()),
        Format::Sealmark if stanza.kind == AGE => stanza.args.get(1).map(String::as_str),
        Format::Sealmark => None,
    };
    StanzaInfo {
        name: in_age
            .filter(|_| format == Format::Sealmark)
            .map_or_else(|| stanza.kind.clone(), |kind| format!("{AGE}:{kind}")),
        kem,
        passphrase,
        post_quantum: passphrase
            .then_some(true)
            .or(kem.map(Kem::is_post_quantum))
            .or_else(|| nested::is_post_quantum(in_age?)),
        bytes: stanza.to_string().len() as u64,
        detail: passphrase.then(|| stanza.args.get(1..).unwrap_or_default().join(" ")),
    }
}

fn kem_of(format: Format, kind: &str) -> Option<Kem> {
    Kem::ALL
        .iter()
        .copied()
        .filter(|kem| format == Format::Sealmark || kem.in_age())
        .find(|kem| kind_of(format, *kem) == kind)
}

impl Header {
    /// True if every stanza is of a type known to be post-quantum; a passphrase is.
    pub(crate) fn is_post_quantum(&self) -> bool {
        self.stanzas.iter().all(|stanza| describe_stanza(self.format, stanza).post_quantum == Some(true))
    }
}
