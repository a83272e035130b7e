//! A signature beside a plain file, as text (spec/file.md, "A signature beside its file").

use super::key::{Id, SIGNATURE, SigningKey, TYPE, VerifyingKey};
use super::tree::{Hash, LEAF, Leaves, Tree, hash_of};
use crate::error::{Error, Malformed, Part, Result};
use crate::header::{Stanza, decode, encode};
use crate::input::Input;
use crate::job::Job;
use crate::run::retry;
use std::io::{IoSliceMut, Read};
use std::sync::{Mutex, PoisonError};

const FIRST_LINE: &str = "sealmark/1 signature";
const CONTEXT: &[u8] = b"sealmark/1 signature";
/// A longer text is not a signature.
const MAX_TEXT: usize = 8 << 10;

/// Signs a plain file, and returns the text of the signature, which stands in a file of its own. Reads with all cores.
///
/// ```
/// use sealmark::{Input, Job, SigningKey, sign_detached, verify_detached};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let file = directory.path().join("file");
/// # std::fs::write(&file, "public")?;
/// let key = SigningKey::generate()?;
/// let signature = sign_detached(&Input::open(&file)?, &key, &Job::default())?;
/// let senders = [key.verifying_key()];
/// let sender = verify_detached(&Input::open(&file)?, &signature, &senders, &Job::default())?;
/// assert_eq!(sender, 0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::Read`] and [`Error::InputChanged`] for `input`, [`Error::Random`] without randomness for the signature.
pub fn sign_detached(input: &Input, key: &SigningKey, job: &Job<'_>) -> Result<String> {
    let sign = || {
        let signer = key.verifying_key();
        let signature = key.sign(CONTEXT, &message(&signer, &leaves(input, job)?))?;
        let stanza = Stanza { kind: TYPE.into(), args: vec![encode(&signer.id())], body: signature };
        Ok(format!("{FIRST_LINE}\n{stanza}"))
    };
    sign().map_err(|error: Error| error.between(input.path(), None))
}

/// Verifies the text of a signature of a plain file, and returns the place of the signer's key in `senders`.
///
/// # Errors
/// [`Malformed::Signature`] for a text that is not a signature, [`Error::UnknownSender`] if none of `senders` made it, and
/// [`Error::Tampered`] if the signature is not one of this file.
pub fn verify_detached(
    input: &Input,
    signature: &str,
    senders: &[VerifyingKey],
    job: &Job<'_>,
) -> Result<usize> {
    let (signer, signature) = parse(signature)?;
    let sender = senders.iter().position(|key| key.id() == signer).ok_or(Error::UnknownSender)?;
    let leaves = leaves(input, job).map_err(|error| error.between(input.path(), None))?;
    let key = &senders[sender];
    if key.verifies(CONTEXT, &message(key, &leaves), &signature) {
        Ok(sender)
    } else {
        Err(Error::Tampered(Part::Detached))
    }
}

fn message(signer: &VerifyingKey, leaves: &Leaves) -> Vec<u8> {
    [signer.as_bytes(), &leaves.length.to_be_bytes(), &leaves.root()].concat()
}

/// There is one text for a signature: what parses is compared with what would be written.
fn parse(text: &str) -> Result<(Id, Box<[u8; SIGNATURE]>)> {
    const NONE: Malformed = Malformed::Signature("it is not a signature of sealmark");
    const ALTERED: Malformed = Malformed::Signature("it is not written in the form of a signature");
    let rest = text.strip_prefix(FIRST_LINE).filter(|_| text.len() <= MAX_TEXT).ok_or(NONE)?;
    let mut lines = rest.lines().skip(1);
    let line = lines.next().ok_or(ALTERED)?;
    let id = line.strip_prefix("-> ").and_then(|line| line.strip_prefix(TYPE)).ok_or(ALTERED)?;
    let decoded = |text: &str| decode(text.as_bytes()).map_err(|_| ALTERED);
    let id: Id = decoded(id.trim_start())?.try_into().map_err(|_| ALTERED)?;
    let body = decoded(&lines.collect::<String>())?;
    let again = Stanza { kind: TYPE.into(), args: vec![encode(&id)], body: body.clone() };
    let again = format!("{FIRST_LINE}\n{again}");
    let signature = body.into_boxed_slice().try_into().map_err(|_| ALTERED)?;
    if again == text { Ok((id, signature)) } else { Err(ALTERED.into()) }
}

fn leaves(input: &Input, job: &Job<'_>) -> Result<Leaves> {
    if !input.has_length() {
        return leaves_in_order(input, job);
    }
    let count = Leaves::count(input.len());
    let hashes = Mutex::new(vec![Hash::default(); count as usize]);
    job.with_threads_for(count).in_parallel(
        count,
        input.len(),
        || vec![0; LEAF.min(input.len()) as usize],
        |index, buffer| {
            let start = index * LEAF;
            let bytes = &mut buffer[..(input.len() - start).min(LEAF) as usize];
            input.read_at(&mut [IoSliceMut::new(bytes)], start)?;
            let hash = hash_of([&*bytes]);
            hashes.lock().unwrap_or_else(PoisonError::into_inner)[index as usize] = hash;
            Ok(bytes.len() as u64)
        },
    )?;
    input.check_unchanged()?;
    Ok(Leaves { hashes: hashes.into_inner().unwrap_or_else(PoisonError::into_inner), length: input.len() })
}

fn leaves_in_order(mut input: &Input, job: &Job<'_>) -> Result<Leaves> {
    let (mut tree, mut buffer) = (Tree::default(), vec![0; LEAF as usize]);
    loop {
        match retry(|| input.read(&mut buffer))? {
            0 => return Ok(tree.finish()),
            read => tree.update(&buffer[..read]),
        }
        job.report(tree.length(), None);
    }
}
