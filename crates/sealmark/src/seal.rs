//! Sealing: recipients, and the streaming writer.

use crate::aead::ChunkCipher;
use crate::armor::ArmorWriter;
use crate::error::{Error, KeyMisuse, Result};
use crate::format::{Content, FileKey, Format};
use crate::header::{Header, MAX_STANZAS, Stanza};
use crate::key::Recipient;
use crate::passphrase::Passphrase;
use crate::plugin::{Plugins, Wrapped, check_labels};
use crate::run::{Run, retry};
use crate::sign::{FileSigner, SigningKey, Tree};
use crate::stanza;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

/// Recipients or passphrase of a file, and the form in which it is written.
///
/// ```
/// use sealmark::{Format, Identity, Kem, SealTo};
///
/// # fn main() -> sealmark::Result<()> {
/// let hybrid = Identity::generate(Kem::MlKem768X25519)?.recipient();
/// let classic = Identity::generate(Kem::X25519)?.recipient();
/// let to = SealTo::recipients(Format::Sealmark, &[hybrid.clone()])?.armored();
/// assert!(SealTo::recipients(Format::Sealmark, &[hybrid, classic]).is_err());
/// # let _ = to;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct SealTo {
    pub(crate) format: Format,
    pub(crate) armored: bool,
    openers: Openers,
    /// Classic and post-quantum recipients may be mixed.
    mixed: bool,
    plugins: Option<Arc<dyn Plugins>>,
    signer: Option<SigningKey>,
}

#[derive(Debug, Clone)]
enum Openers {
    Recipients(Vec<Recipient>),
    Passphrase(Passphrase),
}

impl SealTo {
    /// Seals to recipients, any one of whom can open the file.
    ///
    /// # Errors
    /// [`KeyMisuse`](crate::KeyMisuse) for no recipient, more than a header holds, a KEM that `format` lacks, and
    /// a mix of classic and post-quantum keys: the classic stanza would defeat the others.
    pub fn recipients(format: Format, recipients: &[Recipient]) -> Result<Self> {
        check_unmixed(recipients)?;
        Ok(Self { mixed: false, ..Self::mixed_recipients(format, recipients)? })
    }

    /// Like [`SealTo::recipients`], but classic and post-quantum keys may be mixed: the file is only as safe as its classic
    /// recipients.
    ///
    /// # Errors
    /// As [`SealTo::recipients`]; [`KeyMisuse::MixedRecipients`] for [`Format::Age`] only, whose readers refuse a mix.
    pub fn mixed_recipients(format: Format, recipients: &[Recipient]) -> Result<Self> {
        check_number(recipients)?;
        if format == Format::Age {
            check_unmixed(recipients)?;
        }
        let mut kems = recipients.iter().filter_map(Recipient::kem);
        if let Some(foreign) = kems.find(|kem| format == Format::Age && !kem.in_age()) {
            return Err(KeyMisuse::NotInAge(foreign).into());
        }
        let openers = Openers::Recipients(recipients.to_vec());
        let mixed = format != Format::Age;
        Ok(Self { format, armored: false, openers, mixed, plugins: None, signer: None })
    }

    /// Seals with a passphrase; the file has no other recipients.
    pub fn passphrase(format: Format, passphrase: Passphrase) -> Self {
        let openers = Openers::Passphrase(passphrase);
        Self { format, armored: false, openers, mixed: false, plugins: None, signer: None }
    }

    /// Asks these plugins to wrap keys for their recipients, for each file that is sealed.
    #[must_use]
    pub fn plugins(self, plugins: Arc<dyn Plugins>) -> Self {
        Self { plugins: Some(plugins), ..self }
    }

    /// Writes ASCII armor, for channels that carry text only.
    #[must_use]
    pub fn armored(self) -> Self {
        Self { armored: true, ..self }
    }

    /// Signs the files, too. The signature covers the content and the recipients, and only those who open a file see it: with
    /// [`OpenWith::signed_by`](crate::OpenWith::signed_by), they can tell who sealed it, and whether it was meant for them.
    ///
    /// # Errors
    /// [`KeyMisuse::SignedPassphrase`] for a passphrase, [`KeyMisuse::SignedAge`] for [`Format::Age`].
    pub fn signed_by(self, key: SigningKey) -> Result<Self> {
        match (self.format, &self.openers) {
            (Format::Age, _) => Err(KeyMisuse::SignedAge.into()),
            (_, Openers::Passphrase(_)) => Err(KeyMisuse::SignedPassphrase.into()),
            _ => Ok(Self { signer: Some(key), ..self }),
        }
    }

    /// True if the files are signed.
    pub(crate) fn signs(&self) -> bool {
        self.signer.is_some()
    }

    /// Wraps in armor what is written, where that was asked for.
    pub(crate) fn writer<W: Write>(&self, output: W) -> ArmorWriter<W> {
        ArmorWriter::new(output, self.armored.then_some(self.format))
    }

    /// A header that wraps `file_key`, and true if only post-quantum keys and passphrases open it.
    pub(crate) fn header(
        &self,
        file_key: &FileKey,
        content: Content,
        signed: bool,
    ) -> Result<(Vec<u8>, bool)> {
        let (stanzas, post_quantum) = match &self.openers {
            Openers::Recipients(recipients) => self.stanzas(recipients, file_key)?,
            Openers::Passphrase(passphrase) => (vec![stanza::wrap_with(passphrase, file_key)?], true),
        };
        let header = Header::write(file_key, &stanzas, content, signed);
        // Stanzas of a plugin may be too many or too long, or contain blanks and line feeds.
        let is_readable = || Header::read(&mut &header[..]).is_ok_and(|read| read.stanzas == stanzas);
        if self.plugins.is_some() && !is_readable() {
            return Err(KeyMisuse::PluginStanzas.into());
        }
        Ok((header, post_quantum))
    }

    fn stanzas(&self, recipients: &[Recipient], file_key: &FileKey) -> Result<(Vec<Stanza>, bool)> {
        let wrap = |recipient| stanza::wrap_for(recipient, file_key, self.plugins.as_deref());
        let wrapped: Vec<Wrapped> = recipients.iter().map(wrap).collect::<Result<_>>()?;
        check_labels(&wrapped, self.mixed)?;
        let post_quantum = wrapped.iter().all(Wrapped::is_post_quantum);
        Ok((wrapped.into_iter().flat_map(|wrapped| wrapped.stanzas).collect(), post_quantum))
    }

    /// All that stands before the first chunk, and the cipher for the chunks.
    pub(crate) fn begin(&self) -> Result<Start> {
        self.begin_with(&FileKey::generate(self.format)?, Content::File)
    }

    pub(crate) fn begin_with(&self, file_key: &FileKey, content: Content) -> Result<Start> {
        let (header, _) = self.header(file_key, content, self.signs())?;
        let (prefix, cipher) = file_key.begin_payload()?;
        let signer = match (&self.signer, &self.openers) {
            (Some(key), Openers::Recipients(recipients)) => {
                let meant = recipients.iter().map(Recipient::id).collect();
                Some(FileSigner::new(key, content, meant, file_key.signature_mark(), &prefix))
            }
            _ => None,
        };
        Ok(Start { bytes: [header, prefix].concat(), cipher, signer })
    }
}

/// The bytes before the first chunk, the cipher for the chunks, and the signer of what they hold.
pub(crate) struct Start {
    pub bytes: Vec<u8>,
    pub cipher: ChunkCipher,
    pub signer: Option<FileSigner>,
}

/// One to 1,000 recipients.
pub(crate) fn check_number(recipients: &[Recipient]) -> Result<()> {
    match recipients.len() {
        0 => Err(KeyMisuse::NoRecipients.into()),
        1..=MAX_STANZAS => Ok(()),
        _ => Err(KeyMisuse::TooManyRecipients(MAX_STANZAS).into()),
    }
}

/// All classic or all post-quantum, as far as that is known before plugins wrap.
pub(crate) fn check_unmixed(recipients: &[Recipient]) -> Result<()> {
    let are = |wanted| recipients.iter().any(|recipient| recipient.is_post_quantum() == Some(wanted));
    if are(true) && are(false) { Err(KeyMisuse::MixedRecipients.into()) } else { Ok(()) }
}

/// Encrypts the bytes that are written to it. Without [`Sealer::finish`] the result is truncated, and every reader refuses
/// it.
///
/// The first error of its writer is final: every later call fails and writes nothing. Part of a chunk may have been
/// written by then; a chunk is never sealed twice under its nonce. The writer must block: `WouldBlock` is an error, and
/// only `Interrupted` is tried again. Plaintext that it holds is wiped when it is dropped.
///
/// The [crate] has an example.
#[must_use = "a sealed file without finish() is truncated"]
pub struct Sealer<W: Write> {
    output: ArmorWriter<W>,
    cipher: ChunkCipher,
    run: Run,
    filled: usize,
    chunk: u64,
    /// Signs what was written, at the end.
    signer: Option<(FileSigner, Tree)>,
    /// True from before a run is encrypted in place until all of it is written.
    broken: bool,
}

impl<W: Write> Sealer<W> {
    /// Writes the header at once.
    pub fn new(output: W, to: &SealTo) -> Result<Self> {
        let Start { bytes, cipher, signer } = to.begin()?;
        let mut output = to.writer(output);
        output.write_all(&bytes).map_err(Error::output)?;
        Ok(Self {
            output,
            cipher,
            run: Run::new(to.format.layout()),
            filled: 0,
            chunk: 0,
            signer: signer.map(|signer| (signer, Tree::default())),
            broken: false,
        })
    }

    /// Goes on after runs that were sealed elsewhere: with the `filled` bytes that are in `run`, the last of the plaintext.
    pub(crate) fn resume(
        output: ArmorWriter<W>,
        cipher: ChunkCipher,
        mut signer: Option<(FileSigner, Tree)>,
        run: Run,
        filled: usize,
        runs: u64,
    ) -> Self {
        if let Some((_, tree)) = &mut signer {
            tree.update_parts(&run.plain(filled));
        }
        let chunk = runs * Run::full_slots(run.layout()) as u64;
        Self { output, cipher, run, filled, chunk, signer, broken: false }
    }

    /// Seals the last chunk, flushes, and gives the writer back.
    pub fn finish(mut self) -> Result<W> {
        if let Some((signer, tree)) = self.signer.take() {
            self.write_all(&signer.after(&tree.finish())?)?;
        }
        self.seal_run(true).map_err(Error::output)?;
        self.output.finish().map_err(Error::output)
    }

    fn seal_run(&mut self, last: bool) -> io::Result<()> {
        self.unless_broken(|sealer| {
            let sealed = sealer.run.seal(&sealer.cipher, sealer.chunk, sealer.filled, last);
            sealer.output.write_all(sealer.run.sealed(sealed))?;
            sealer.chunk += Run::full_slots(sealer.run.layout()) as u64;
            sealer.filled = 0;
            Ok(())
        })
    }

    /// Broken before the work begins: sealing a run that is ciphertext already would bring its plaintext back, even
    /// where the writer panicked.
    fn unless_broken(&mut self, work: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        if std::mem::replace(&mut self.broken, true) {
            return Err(io::Error::other(
                "an earlier write to the sealed file failed, so nothing more is written",
            ));
        }
        work(self)?;
        self.broken = false;
        Ok(())
    }
}

impl<W: Write> fmt::Debug for Sealer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealer").field("broken", &self.broken).finish_non_exhaustive()
    }
}

/// Fails with [`Error::Write`] in the [`io::Error`], so that a caller who also reads knows which side it was.
impl<W: Write> Write for Sealer<W> {
    fn write(&mut self, input: &[u8]) -> io::Result<usize> {
        // Only now, with more to come, is it known that the full run is not the last.
        if self.broken || self.filled == self.run.plain_capacity() && !input.is_empty() {
            self.seal_run(false).map_err(Error::output)?;
        }
        let taken = self.run.push(self.filled, input);
        if let Some((_, tree)) = &mut self.signer {
            tree.update(&input[..taken]);
        }
        self.filled += taken;
        Ok(taken)
    }

    /// Writes the sealed chunks; a chunk that is not full waits, because its length is part of the format.
    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.unless_broken(|sealer| retry(|| sealer.output.flush()));
        Ok(flushed.map_err(Error::output)?)
    }
}
