//! The two file formats, and everything in which they differ.

use crate::aead::{self, ChunkCipher, WrapCipher};
use crate::chunk::Layout;
use crate::error::{Error, Malformed, Part, Result};
use std::fmt;
use std::str::FromStr;
use zeroize::Zeroizing;

/// A file format. Sealing takes one; opening recognises both.
///
/// [`SealTo`](crate::SealTo) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Format {
    /// `sealmark/1` (spec/file.md): every KEM, AES-256-GCM, made for speed. The default.
    #[default]
    Sealmark,
    /// age v1 (c2sp.org/age): for readers who open with age.
    Age,
}

/// The kind of content in a payload. The header says it under its MAC, so that no content can claim to be of another kind.
///
/// [`Inspection`](crate::Inspection) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Content {
    /// Bytes with no structure that readers know.
    #[default]
    File,
    /// A tar archive, followed by its index (spec/file.md, "Archives").
    Archive,
}

/// Everything in which a format differs from the other, but how its keys are derived.
pub(crate) struct Facts {
    /// First line of the header, without its line feed.
    pub version_line: &'static str,
    /// The beginning of that line, before the version.
    pub family: &'static str,
    pub armor_label: &'static str,
    pub layout: Layout,
    pub file_key_len: usize,
    /// Wraps the file key.
    pub wrap_cipher: WrapCipher,
    /// The stanza type that a passphrase writes.
    pub passphrase_stanza: &'static str,
}

const SEALMARK: Facts = Facts {
    version_line: "sealmark/1",
    family: "sealmark/",
    armor_label: "SEALMARK ENCRYPTED FILE",
    layout: Layout::Cobblestone,
    file_key_len: 32,
    wrap_cipher: WrapCipher::Aes256Gcm,
    passphrase_stanza: "argon2id",
};

const AGE: Facts = Facts {
    version_line: "age-encryption.org/v1",
    family: "age-encryption.org/",
    armor_label: "AGE ENCRYPTED FILE",
    layout: Layout::Age,
    file_key_len: 16,
    wrap_cipher: WrapCipher::ChaCha20Poly1305,
    passphrase_stanza: "scrypt",
};

impl Format {
    pub(crate) const ALL: [Self; 2] = [Self::Sealmark, Self::Age];

    pub(crate) const fn facts(self) -> &'static Facts {
        match self {
            Self::Sealmark => &SEALMARK,
            Self::Age => &AGE,
        }
    }

    pub(crate) const fn layout(self) -> Layout {
        self.facts().layout
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().version_line)
    }
}

/// The first line of a file, such as `sealmark/1`.
impl FromStr for Format {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let named = Self::ALL.into_iter().find(|format| format.facts().version_line == text);
        named.ok_or_else(|| Malformed::Version(text.into()).into())
    }
}

/// A key as stanzas of age wrap it: the file key of an age file, or a key that wraps the file key of a `sealmark/1` file.
pub(crate) type AgeKey = Zeroizing<[u8; 16]>;

/// The start of a part that follows the content. Only those who know the file key can write it.
pub(crate) type Mark = [u8; 32];

/// The one secret that a header wraps. Wiped when dropped.
pub(crate) struct FileKey {
    format: Format,
    bytes: Zeroizing<Vec<u8>>,
}

impl FileKey {
    pub fn generate(format: Format) -> Result<Self> {
        let random = Zeroizing::new(aead::random::<32>()?);
        Ok(Self { format, bytes: Zeroizing::new(random[..format.facts().file_key_len].to_vec()) })
    }

    /// `None` where the length is not the format's.
    pub fn from_bytes(format: Format, bytes: Zeroizing<Vec<u8>>) -> Option<Self> {
        (bytes.len() == format.facts().file_key_len).then_some(Self { format, bytes })
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn format(&self) -> Format {
        self.format
    }

    /// The MAC of a header that reads `authenticated`.
    pub fn mac(&self, authenticated: &[u8]) -> [u8; 32] {
        let info: &[u8] = match self.format {
            Format::Sealmark => b"sealmark/1 file header",
            Format::Age => b"header",
        };
        aead::hmac_sha256(&aead::hkdf_sha256(&self.bytes, b"", info), authenticated)
    }

    /// The bytes between an archive and its index.
    pub fn index_mark(&self) -> Mark {
        *aead::hkdf_sha256(&self.bytes, b"", b"sealmark/1 file index")
    }

    /// The bytes before the signature of a file.
    pub fn signature_mark(&self) -> Mark {
        *aead::hkdf_sha256(&self.bytes, b"", b"sealmark/1 file signature")
    }

    /// Starts a payload: its prefix, freshly random, and the cipher for its chunks.
    pub fn begin_payload(&self) -> Result<(Vec<u8>, ChunkCipher)> {
        match self.format {
            Format::Sealmark => {
                let salt = aead::random()?;
                let (cipher, commitment) = self.cobblestone(&salt);
                Ok(([&salt[..], &commitment].concat(), cipher))
            }
            Format::Age => {
                let nonce = aead::random::<16>()?;
                Ok((nonce.to_vec(), self.age_stream(&nonce)))
            }
        }
    }

    /// The cipher of a payload that starts with `prefix`; the commitment is checked before any chunk.
    pub fn resume_payload(&self, prefix: &[u8]) -> Result<ChunkCipher> {
        if self.format == Format::Age {
            return Ok(self.age_stream(prefix));
        }
        let (salt, commitment) = prefix.split_first_chunk().ok_or(Error::Tampered(Part::Payload))?;
        let (cipher, expected) = self.cobblestone(salt);
        if aead::equal(&expected, commitment) { Ok(cipher) } else { Err(Error::Tampered(Part::Payload)) }
    }

    fn cobblestone(&self, salt: &[u8; aead::SALT]) -> (ChunkCipher, [u8; aead::COMMITMENT]) {
        let input_key = aead::hkdf_sha256(&self.bytes, b"", b"sealmark/1 file payload");
        ChunkCipher::cobblestone_256(&input_key, salt, b"sealmark/1 file")
    }

    fn age_stream(&self, nonce: &[u8]) -> ChunkCipher {
        ChunkCipher::age_stream(&aead::hkdf_sha256(&self.bytes, nonce, b"payload"))
    }
}
