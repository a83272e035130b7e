//! Whole files, from path to path, in parallel.
//!
//! Every chunk's place in input and output is known beforehand, so threads pread, work and pwrite on their own. The
//! output has no name until it is whole.

use crate::archive::check;
use crate::at::write_all_at;
use crate::buffer::Buffer;
use crate::chunk::{Extent, TOO_MANY, TRUNCATED};
use crate::error::{FileMisuse, Result};
use crate::format::{Content, FileKey, Format};
use crate::header::Header;
use crate::input::Input;
use crate::job::{Job, Summary};
use crate::key::OpenWith;
use crate::open::{self, Begun};
use crate::output::{Output, reserve};
use crate::payload::{ALIGNED, Payload};
use crate::seal::{SealTo, Start};
use crate::sign::Signed;
use crate::stream;
use std::fs::File;
use std::io::{IoSlice, IoSliceMut};
use std::path::Path;

/// Seals `input` into the new file `output`, on all cores. The file gets its name when it is complete.
///
/// ```
/// use sealmark::{Format, Identity, Job, Kem, OpenWith, SealTo, open_file, seal_file};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let [plain, sealed, copy] = ["plain", "sealed", "copy"].map(|name| directory.path().join(name));
/// # std::fs::write(&plain, "private")?;
/// let identity = Identity::generate(Kem::MlKem768X25519)?;
/// let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()])?;
/// seal_file(&plain, &sealed, &to, &Job::default())?;
///
/// let with = OpenWith::identities(vec![identity]);
/// open_file(&sealed, &copy, &with, &Job::default())?;
/// assert_eq!(std::fs::read(&copy)?, b"private");
/// # Ok(())
/// # }
/// ```
pub fn seal_file(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    to: &SealTo,
    job: &Job<'_>,
) -> Result<Summary> {
    let output = output.as_ref();
    let input = Input::open(input)?;
    input.is_not(output)?;
    let output = Output::create(output, job.existing)?;
    if output.is_stream() {
        input.unless_changed(seal_input(&input, output, to, job))
    } else {
        seal_input(&input, output, to, job)
    }
}

/// Seals `input` into `output`, in parallel if both are files. `job.existing` is ignored.
///
/// A file that changes meanwhile is an error, unless `output` is a stream. A stream receives the bytes up to the file's
/// end, which suits a log that still grows.
pub fn seal_input(input: &Input, mut output: Output<'_>, to: &SealTo, job: &Job<'_>) -> Result<Summary> {
    let sealed = match output.file() {
        Some(file) if input.has_length() && !to.armored => seal_in_parallel(input, file, to, job),
        Some(_) => input.unless_changed(stream::seal(input, &mut output, to, job, Some(input))),
        None => stream::seal(input, &mut output, to, job, Some(input)),
    };
    let summary = sealed.map_err(|error| error.between(input.path(), output.path()))?;
    output.commit().map(|()| summary)
}

fn seal_in_parallel(input: &Input, file: &File, to: &SealTo, job: &Job<'_>) -> Result<Summary> {
    let Start { bytes: start, cipher, signer } = to.begin()?;
    let layout = to.format.layout();
    let plaintext = signer.as_ref().map_or(input.len(), |signer| signer.plaintext(input.len()));
    let extent = Extent { plaintext, chunks: layout.chunks(plaintext) };
    let payload = Payload { layout, cipher: &cipher, extent, offset: start.len() as u64, signature: None };
    if payload.extent.chunks > layout.max_chunks() {
        return Err(TOO_MANY.into());
    }
    let total = payload.offset + payload.sealed_len();
    reserve(file, total)?;
    write_all_at(file, &mut [IoSlice::new(&start)], 0)?;
    match &signer {
        Some(signer) => payload.seal_signed(input, file, signer, job)?,
        None => payload.seal_from(input, file, job)?,
    }
    Ok(Summary::new(input.len(), total))
}

/// Opens `input` into the new file `output`, which gets its name only when all of it is authentic.
pub fn open_file(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    with: &OpenWith<'_>,
    job: &Job<'_>,
) -> Result<Summary> {
    let output = output.as_ref();
    let input = Input::open(input)?;
    input.is_not(output)?;
    open_input(&input, Output::create(output, job.existing)?, with, job)
}

/// Opens `input` into `output`, in parallel if both are files. `job.existing` is ignored.
///
/// The end of a regular file that is not armored is authenticated before a byte is written: a truncated file gives no output. A
/// new file gets its name only when all of it is authentic.
pub fn open_input(
    input: &Input,
    mut output: Output<'_>,
    with: &OpenWith<'_>,
    job: &Job<'_>,
) -> Result<Summary> {
    let opened = open_into(input, Some(&mut output), with, job);
    let summary = opened.map_err(|error| error.between(input.path(), output.path()))?;
    output.commit().map(|()| summary)
}

/// Authenticates all of `input`, compares an archive with its index, and writes nothing.
///
/// # Errors
/// [`FileMisuse::ArchiveStream`] for an archive that cannot be compared: it is armored or not a regular file.
pub fn verify_file(input: impl AsRef<Path>, with: &OpenWith<'_>, job: &Job<'_>) -> Result<Summary> {
    verify_input(&Input::open(input)?, with, job)
}

/// Does what [`verify_file`] does, with an input that is open.
pub fn verify_input(input: &Input, with: &OpenWith<'_>, job: &Job<'_>) -> Result<Summary> {
    open_into(input, None, with, job).map_err(|error| error.between(input.path(), None))
}

/// Gives a sealed file a new header, for other recipients, and copies the payload without decrypting it.
///
/// ```
/// # use sealmark::{Format, Identity, Kem, SealTo, seal_file, verify_file};
/// use sealmark::{Existing, Job, OpenWith, rekey_file};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let [plain, sealed] = ["plain", "sealed"].map(|name| directory.path().join(name));
/// # std::fs::write(&plain, "private")?;
/// # let [mine, colleagues] = [Identity::generate(Kem::X25519)?, Identity::generate(Kem::X25519)?];
/// # let to = SealTo::recipients(Format::Sealmark, &[mine.recipient()])?;
/// # seal_file(&plain, &sealed, &to, &Job::default())?;
/// # let both = [mine.recipient(), colleagues.recipient()];
/// # let new = SealTo::recipients(Format::Sealmark, &both)?;
/// let in_place = Job::default().existing(Existing::Replace);
/// rekey_file(&sealed, &sealed, &OpenWith::identities(vec![mine]), &new, &in_place)?;
/// # verify_file(&sealed, &OpenWith::identities(vec![colleagues]), &Job::default())?;
/// # Ok(())
/// # }
/// ```
///
/// This does not revoke access from anyone who could open the file before, and does not repair a classic header that
/// somebody recorded: to go from classic to post-quantum keys, use [`reencrypt_file`]. `output` may be `input` if
/// `job.existing` allows replacing it. A signature stays, and still names the old recipients: those who demand it with a new key
/// get [`Error::Forwarded`](crate::Error::Forwarded).
///
/// # Errors
/// [`FileMisuse::FormatChange`] if `to` has another format; [`FileMisuse::ReencryptNeeded`] if `to` is post-quantum and the file
/// is not; [`FileMisuse::SignByRekeying`] if `to` signs.
pub fn rekey_file(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    with: &OpenWith<'_>,
    to: &SealTo,
    job: &Job<'_>,
) -> Result<Summary> {
    let (input, output) = (input.as_ref(), output.as_ref());
    rekey(&Input::open(input)?, output, with, to, job)
        .map_err(|error| error.between(Some(input), Some(output)))
}

fn rekey(input: &Input, output: &Path, with: &OpenWith<'_>, to: &SealTo, job: &Job<'_>) -> Result<Summary> {
    let mut sealed = open::read_header(input, with)?;
    if sealed.header.format != to.format {
        return Err(FileMisuse::FormatChange.into());
    }
    if to.signs() {
        return Err(FileMisuse::SignByRekeying.into());
    }
    let (before, armored) = (sealed.header.len(), sealed.input.is_armored() || to.armored);
    if input.has_length() && !sealed.input.is_armored() {
        // A truncated payload is refused before a new header is written.
        to.format.layout().extent(input.len().saturating_sub(before))?;
    }
    let mut target = Output::create_like(input, output, job.existing)?;
    let (header, post_quantum) = to.header(&sealed.file_key, sealed.header.content, sealed.header.signed)?;
    if post_quantum && !sealed.header.is_post_quantum() {
        return Err(FileMisuse::ReencryptNeeded.into());
    }
    let summary = match target.file() {
        Some(file) if input.has_length() && !armored => {
            let total = header.len() as u64 + input.len() - before;
            reserve(file, total)?;
            write_all_at(file, &mut [IoSlice::new(&header)], 0)?;
            copy_bytes(input, before, file, header.len() as u64, job)?;
            Summary::new(input.len(), total)
        }
        _ => {
            let copied = stream::copy_payload(&header, &mut sealed.input, &mut target, to, job);
            let copied = input.unless_changed(copied)?;
            Summary::new(before + copied, header.len() as u64 + copied)
        }
    };
    target.commit().map(|()| summary)
}

/// Encrypts the plaintext of `input` again, under a new file key, without writing it to a disk in between. The format may change.
///
/// # Errors
/// [`FileMisuse::ArchiveInAge`] for an archive and [`Format::Age`]; [`FileMisuse::SignatureLost`] for a signed file, unless `to`
/// signs it again.
pub fn reencrypt_file(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    with: &OpenWith<'_>,
    to: &SealTo,
    job: &Job<'_>,
) -> Result<Summary> {
    let (input, output) = (input.as_ref(), output.as_ref());
    let source = Input::open(input)?;
    let mut target = Output::create_like(&source, output, job.existing)?;
    let mut reencrypted = || {
        let (mut opener, Header { content, signed, .. }) = open::Opener::begin(&source, with)?;
        if content == Content::Archive && to.format == Format::Age {
            return Err(FileMisuse::ArchiveInAge.into());
        }
        if signed && !to.signs() {
            return Err(FileMisuse::SignatureLost.into());
        }
        let file_key = FileKey::generate(to.format)?;
        opener.keep_index(file_key.index_mark());
        let start = to.begin_with(&file_key, content)?;
        source.unless_changed(stream::seal_begun(start, opener, &mut target, to, job, None))
    };
    let summary = reencrypted().map_err(|error| error.between(Some(input), Some(output)))?;
    target.commit().map(|()| summary)
}

/// Opens into `target`, or only verifies.
fn open_into(
    input: &Input,
    target: Option<&mut Output<'_>>,
    with: &OpenWith<'_>,
    job: &Job<'_>,
) -> Result<Summary> {
    let begun = open::begin(input, with)?;
    let to_stream = target.as_deref().is_some_and(Output::is_stream);
    if begun.input.is_armored() || !input.has_length() {
        if begun.mark.is_some() && target.is_none() {
            return Err(FileMisuse::ArchiveStream.into());
        }
        if to_stream && with.demands_signature() {
            return Err(FileMisuse::SignedStream.into());
        }
        return input.unless_changed(stream::open_begun(begun, input, target, job, None));
    }
    let Begun { header, cipher, layout, mark, .. } = &begun;
    let extent = layout.extent(input.len().checked_sub(header.len()).ok_or(TRUNCATED)?)?;
    let offset = header.len() + layout.prefix() as u64;
    let payload = Payload { layout: *layout, cipher, extent, offset, signature: None };
    payload.check_end(input)?;
    let signature = begun.signature.as_ref();
    let signature = signature.map(|expected| payload.read_signature(input, expected)).transpose()?;
    let payload = Payload { signature: signature.as_ref(), ..payload };
    let signed = signature.as_ref().map_or(Signed::No, |signature| signature.signed);
    let footer = mark.as_ref().map(|mark| payload.footer(input, mark)).transpose()?;
    if let (Some(footer), Some(mark), None) = (&footer, mark, &target) {
        check::check(&payload, input, mark, footer, job)?;
        return Ok(Summary { signed, ..Summary::new(input.len(), footer.content) });
    }
    let content = footer.map_or(payload.signed_len(), |footer| footer.content);
    let file = target.as_deref().and_then(Output::file);
    if target.is_some() && file.is_none() {
        return input.unless_changed(stream::open_begun(begun, input, target, job, signature.as_ref()));
    }
    file.map_or(Ok(()), |file| reserve(file, content))?;
    payload.open_to(input, content, mark.as_ref(), file, job)?;
    Ok(Summary { signed, ..Summary::new(input.len(), content) })
}

/// Copies what lies behind `from` in parallel, in pieces that are aligned in the target.
fn copy_bytes(source: &Input, from: u64, target: &File, to: u64, job: &Job<'_>) -> Result<()> {
    let end = to + source.len() - from;
    job.in_parallel(
        end.div_ceil(ALIGNED) - to / ALIGNED,
        source.len() - from,
        || Buffer::for_job(ALIGNED.min(end) as usize),
        |index, buffer| {
            let start = (to / ALIGNED + index) * ALIGNED;
            let (start, stop) = (start.max(to), (start + ALIGNED).min(end));
            let bytes = &mut buffer[..(stop - start) as usize];
            source.read_at(&mut [IoSliceMut::new(bytes)], from + start - to)?;
            write_all_at(target, &mut [IoSlice::new(bytes)], start)?;
            Ok(bytes.len() as u64)
        },
    )?;
    source.check_unchanged()
}
