//! Files that a recipient made of a signed one: recipients have the file key, so only the signature stops them.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use super::*;
use crate::archive::{Archive, Entry, Item, Kind, Time, seal_archive};
use crate::error::{Error, Malformed, Part, Result};
use crate::file::{open_input, verify_input};
use crate::format::{Content, FileKey, Format};
use crate::input::Input;
use crate::job::Job;
use crate::key::{Identity, OpenWith};
use crate::open::{Opener, RangeOpener, Unwrapped, read_header};
use crate::output::Output;
use crate::seal::{SealTo, Start};
use crate::stream;
use crate::suite::Kem;
use std::io::{Cursor, Read};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

const LENGTH: usize = 2 * LEAF as usize + 16_384 + 100;
const BLOCK: usize = LENGTH.next_multiple_of(16_384);

struct Case {
    sender: SigningKey,
    ann: Identity,
    sealed: Vec<u8>,
    file_key: FileKey,
    /// All of the plaintext: content, zeros, block.
    plaintext: Vec<u8>,
    prefix: Vec<u8>,
    content: Content,
}

fn content() -> Vec<u8> {
    (0..LENGTH).map(|at| ((at * 31) >> 3) as u8).collect()
}

fn seal(content: &[u8], sender: &SigningKey, to: &Identity) -> Vec<u8> {
    let to = SealTo::recipients(Format::Sealmark, &[to.recipient()]).unwrap();
    let mut sealed = Vec::new();
    stream::seal_stream(content, &mut sealed, &to.signed_by(sender.clone()).unwrap(), &Job::default())
        .unwrap();
    sealed
}

impl Case {
    fn new() -> Self {
        let (sender, ann) = (SigningKey::generate().unwrap(), Identity::generate(Kem::X25519).unwrap());
        let sealed = seal(&content(), &sender, &ann);
        Self::of(sender, ann, sealed)
    }

    fn of(sender: SigningKey, ann: Identity, sealed: Vec<u8>) -> Self {
        let with = OpenWith::identities(vec![ann.clone()]);
        let Unwrapped { header, file_key, mut input } = read_header(&sealed[..], &with).unwrap();
        let mut prefix = vec![0; 56];
        input.read_exact(&mut prefix).unwrap();
        let cipher = file_key.resume_payload(&prefix).unwrap();
        let mut plaintext = Vec::new();
        let layout = Format::Sealmark.layout();
        stream::open_chunks(input, layout, cipher, &mut plaintext, &Job::default()).unwrap();
        Self { sender, ann, sealed, file_key, plaintext, prefix, content: header.content }
    }

    /// Seals a plaintext as the recipient can: with the same key, and the same salt unless there is a new key.
    fn resealed(&self, plaintext: &[u8], new_key: Option<&FileKey>) -> Vec<u8> {
        let to = SealTo::recipients(Format::Sealmark, &[self.ann.recipient()]).unwrap();
        let to = to.signed_by(self.sender.clone()).unwrap();
        let start = to.begin_with(new_key.unwrap_or(&self.file_key), self.content).unwrap();
        let start = match new_key {
            Some(_) => Start { signer: None, ..start },
            None => {
                let header = start.bytes.len() - self.prefix.len();
                let bytes = [&start.bytes[..header], &self.prefix].concat();
                Start { bytes, cipher: self.file_key.resume_payload(&self.prefix).unwrap(), signer: None }
            }
        };
        let mut sealed = Vec::new();
        let plain = SealTo::recipients(Format::Sealmark, &[self.ann.recipient()]).unwrap();
        stream::seal_begun(start, plaintext, &mut sealed, &plain, &Job::default(), None).unwrap();
        sealed
    }

    fn altered(&self, alter: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut plaintext = self.plaintext.clone();
        alter(&mut plaintext);
        self.resealed(&plaintext, None)
    }

    fn with(&self) -> OpenWith<'static> {
        OpenWith::identities(vec![self.ann.clone()]).signed_by(vec![self.sender.verifying_key()])
    }
}

fn input(sealed: &[u8]) -> Input {
    let sealed = sealed.to_vec();
    Input::from_ranges(sealed.len() as u64, move |out, at| {
        out.copy_from_slice(&sealed[at as usize..][..out.len()]);
        Ok(())
    })
}

/// A pipe that gives `sealed`.
fn pipe(sealed: &[u8]) -> Input {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let sealed = sealed.to_vec();
    std::thread::spawn(move || drop(std::io::Write::write_all(&mut writer, &sealed)));
    Input::from_file(std::os::fd::OwnedFd::from(reader).into()).unwrap()
}

/// Opens in every way that verifies. All agree, and a refusal releases nothing at all.
fn opened(sealed: &[u8], with: &OpenWith<'_>) -> Result<Signed> {
    let job = Job::default();
    let mut streamed = Vec::new();
    let result = open_input(&input(sealed), Output::stream(&mut streamed), with, &job);
    let directory = tempfile::tempdir().unwrap();
    for (name, input) in [("file", input(sealed)), ("pipe", pipe(sealed))] {
        let path = directory.path().join(name);
        let output = Output::create(&path, crate::Existing::Refuse).unwrap();
        let found = open_input(&input, output, with, &job);
        assert_eq!(format!("{found:?}"), format!("{result:?}"), "{name}");
        assert_eq!(std::fs::read(&path).ok(), result.is_ok().then(content), "{name}");
    }
    let verified = verify_input(&input(sealed), with, &job);
    assert_eq!(format!("{verified:?}"), format!("{result:?}"));
    let mut ranged = Vec::new();
    let opener = RangeOpener::new(Cursor::new(sealed), with);
    let range = opener.and_then(|mut opener| {
        let length = opener.len();
        opener.read_range(0..length, &mut ranged).map(|_| opener.signed())
    });
    match (&range, &result) {
        (Ok(signed), Ok(summary)) => assert_eq!(*signed, summary.signed),
        (found, expected) => {
            assert_eq!(
                found.as_ref().err().map(ToString::to_string),
                expected.as_ref().err().map(ToString::to_string)
            );
        }
    }
    if result.is_ok() {
        assert!(streamed == content() && ranged == content());
    } else {
        // Nothing was released but what the sender signed.
        for released in [&streamed, &ranged] {
            assert!(content().starts_with(released));
        }
    }
    result.map(|summary| summary.signed)
}

fn is_refused(found: &Result<Signed>) -> bool {
    matches!(found, Err(Error::Tampered(Part::Signature)))
}

#[test]
fn what_the_sender_sealed_opens_and_says_by_whom() {
    let case = Case::new();
    assert_eq!(case.plaintext.len(), BLOCK + 32 + 32 + 3 * 32 + 32 + 3309 + 64 + 16);
    assert_eq!(opened(&case.sealed, &case.with()).unwrap(), Signed::By { sender: 0, meant: true });
    // The same bytes under the same key are the same file, but for the header: the tests below alter these.
    assert!(opened(&case.resealed(&case.plaintext, None), &case.with()).is_ok());
    let others = vec![SigningKey::generate().unwrap().verifying_key(), case.sender.verifying_key()];
    let with = OpenWith::identities(vec![case.ann.clone()]);
    assert_eq!(
        opened(&case.sealed, &with.clone().signed_by(others.clone())).unwrap(),
        Signed::By { sender: 1, meant: true }
    );
    assert!(matches!(
        opened(&case.sealed, &with.clone().signed_by(others[..1].to_vec())),
        Err(Error::UnknownSender)
    ));
    assert_eq!(opened(&case.sealed, &with).unwrap(), Signed::Unchecked { meant: true });
}

#[test]
fn a_file_without_a_signature_is_refused_where_one_is_demanded() {
    let case = Case::new();
    let to = SealTo::recipients(Format::Sealmark, &[case.ann.recipient()]).unwrap();
    for plaintext in [&case.plaintext[..], &content()] {
        // The recipient keeps the file key and the block, but not the word in the header.
        let mut start = to.begin_with(&case.file_key, Content::File).unwrap();
        start.signer = None;
        let mut stripped = Vec::new();
        stream::seal_begun(start, plaintext, &mut stripped, &to, &Job::default(), None).unwrap();
        assert!(matches!(opened(&stripped, &case.with()), Err(Error::Unsigned)));
    }
    // The header promises a signature, and there is none.
    let cut = case.resealed(&content(), None);
    let found = opened(&cut, &case.with());
    assert!(matches!(found, Err(Error::Malformed(Malformed::Payload(_)))), "{found:?}");
}

#[test]
fn an_altered_byte_of_the_content_is_refused_by_the_signature() {
    let case = Case::new();
    for at in [0, 16_383, 16_384, LEAF as usize, 2 * LEAF as usize - 1, 2 * LEAF as usize, LENGTH - 1] {
        let found = opened(&case.altered(|plaintext| plaintext[at] ^= 1), &case.with());
        assert!(is_refused(&found), "byte {at}: {found:?}");
    }
}

#[test]
fn an_altered_byte_after_the_content_is_refused() {
    let case = Case::new();
    let end = case.plaintext.len();
    for at in (LENGTH..LENGTH + 40).chain((BLOCK - 3..end).step_by(37)).chain(end - 80..end) {
        let found = opened(&case.altered(|plaintext| plaintext[at] ^= 0x80), &case.with());
        assert!(found.is_err(), "byte {at}: {found:?}");
    }
}

#[test]
fn hashes_that_fit_other_content_are_not_those_that_were_signed() {
    let case = Case::new();
    let altered = case.altered(|plaintext| {
        plaintext[7] ^= 1;
        let hash = hash_of([&plaintext[..LEAF as usize]]);
        plaintext[BLOCK + 64..][..32].copy_from_slice(&hash);
    });
    assert!(is_refused(&opened(&altered, &case.with())));
}

#[test]
fn a_recipient_is_not_added_to_those_whom_the_sender_meant() {
    let case = Case::new();
    let bob = Identity::generate(Kem::X25519).unwrap();
    let altered = case.altered(|plaintext| {
        let mut ids = [case.ann.recipient().id(), bob.recipient().id()];
        ids.sort_unstable();
        plaintext.splice(BLOCK + 32..BLOCK + 64, ids.concat());
        *plaintext.last_mut().unwrap() = 2;
    });
    assert!(is_refused(&opened(&altered, &case.with())));
}

#[test]
fn a_signature_of_another_file_or_use_is_refused() {
    let case = Case::new();
    // The same sender, the same recipient, the same content, another file key.
    let other = Case::of(case.sender.clone(), case.ann.clone(), seal(&content(), &case.sender, &case.ann));
    let swapped = case.altered(|plaintext| {
        plaintext.truncate(BLOCK + 32);
        plaintext.extend_from_slice(&other.plaintext[BLOCK + 32..]);
    });
    assert!(is_refused(&opened(&swapped, &case.with())));
    // The whole plaintext under a new file key, with the mark of that key.
    let new_key = FileKey::generate(Format::Sealmark).unwrap();
    let mut plaintext = case.plaintext.clone();
    plaintext[BLOCK..BLOCK + 32].copy_from_slice(&new_key.signature_mark());
    assert!(is_refused(&opened(&case.resealed(&plaintext, Some(&new_key)), &case.with())));
    // A signature that stands beside a plain file, made by the same sender.
    let text = sign_detached(&input(&content()), &case.sender, &Job::default()).unwrap();
    let body: String = text.lines().skip(2).collect();
    let signature = crate::header::decode(body.as_bytes()).unwrap();
    let end = case.plaintext.len() - 16;
    let foreign = case.altered(|plaintext| plaintext[end - signature.len()..end].copy_from_slice(&signature));
    assert!(is_refused(&opened(&foreign, &case.with())));
}

#[test]
fn a_new_salt_for_the_same_file_key_is_another_file() {
    let case = Case::new();
    let found = opened(&case.resealed(&case.plaintext, Some(&case.file_key)), &case.with());
    assert!(is_refused(&found), "{found:?}");
}

#[test]
fn a_mark_within_the_content_is_refused_by_every_reader() {
    let case = Case::new();
    for at in [0, 16_384, LEAF as usize] {
        let altered = case.altered(|plaintext| {
            plaintext[at..at + 32].copy_from_slice(&case.file_key.signature_mark());
        });
        for with in [OpenWith::identities(vec![case.ann.clone()]), case.with()] {
            let mut bytes = Vec::new();
            let streamed = stream::open_stream(
                &altered[..],
                &mut bytes,
                &OpenWith::identities(vec![case.ann.clone()]),
                &Job::default(),
            );
            assert!(streamed.is_err() && content().starts_with(&bytes) && bytes.len() <= at);
            assert!(verify_input(&input(&altered), &with, &Job::default()).is_err(), "{at}");
            let mut opener = RangeOpener::new(Cursor::new(&altered), &with).unwrap();
            assert!(opener.read_range(at as u64..at as u64 + 10, &mut Vec::new()).is_err(), "{at}");
        }
    }
}

/// A file that is honest until its end was read, and then another one.
fn two_faced(honest: &[u8], altered: &[u8]) -> Input {
    assert_eq!(honest.len(), altered.len());
    let (honest, altered) = (honest.to_vec(), altered.to_vec());
    let (end_was_read, is_altered) = (AtomicBool::new(false), AtomicBool::new(false));
    Input::from_ranges(honest.len() as u64, move |out, at| {
        if end_was_read.load(Relaxed) && at < LEAF {
            is_altered.store(true, Relaxed);
        }
        end_was_read.fetch_or(at as usize + out.len() == honest.len(), Relaxed);
        let sealed = if is_altered.load(Relaxed) { &altered } else { &honest };
        out.copy_from_slice(&sealed[at as usize..][..out.len()]);
        Ok(())
    })
}

#[test]
fn a_stream_ends_where_the_verified_signature_says() {
    let case = Case::new();
    let opened = |honest: &[u8], altered: &[u8]| {
        let mut released = Vec::new();
        let input = two_faced(honest, altered);
        let found = open_input(&input, Output::stream(&mut released), &case.with(), &Job::default());
        (found, released)
    };
    let footer = case.plaintext.len() - 16;
    let with_length = |length: u64| {
        case.altered(|plaintext| {
            plaintext[LENGTH] = b'!';
            plaintext[footer..footer + 8].copy_from_slice(&length.to_be_bytes());
        })
    };
    let honest = case.resealed(&case.plaintext, None);
    for (altered, as_much) in [(with_length(LENGTH as u64 + 1), false), (honest.clone(), true)] {
        let (found, released) = opened(&honest, &altered);
        assert_eq!(found.is_ok(), as_much, "{found:?}");
        assert!(content().starts_with(&released) && (released.len() == LENGTH) == as_much);
    }
    // A block of many recipients leaves room for a whole chunk of forged content before a block of one.
    let mut meant: Vec<_> =
        (0..512_u16).map(|id| [id.to_be_bytes(); 16].concat().try_into().unwrap()).collect();
    meant.push(case.ann.recipient().id());
    let signer =
        FileSigner::new(&case.sender, case.content, meant, case.file_key.signature_mark(), &case.prefix);
    let mut tree = Tree::default();
    tree.update(&content());
    let honest = case.resealed(&[content(), signer.after(&tree.finish()).unwrap()].concat(), None);
    let longer = (BLOCK + 16_384) as u64;
    let altered = case.altered(|plaintext| {
        plaintext.splice(BLOCK..BLOCK, [b'!'; 16_384]);
        let footer = plaintext.len() - 16;
        plaintext[footer..footer + 8].copy_from_slice(&longer.to_be_bytes());
    });
    let (found, released) = opened(&honest, &altered);
    assert!(found.is_err() && content().starts_with(&released), "{found:?}, {}", released.len());
}

#[test]
fn whoever_was_not_meant_is_told() {
    let case = Case::new();
    let bob = Identity::generate(Kem::X25519).unwrap();
    // Ann gives the file to Bob: a new header, the same payload.
    let to_bob = SealTo::recipients(Format::Sealmark, &[bob.recipient()]).unwrap();
    let (header, _) = to_bob.header(&case.file_key, Content::File, true).unwrap();
    let old = crate::inspect(&case.sealed[..]).unwrap().header_bytes as usize;
    let forwarded = [&header, &case.sealed[old..]].concat();
    let with = OpenWith::identities(vec![bob.clone()]).signed_by(vec![case.sender.verifying_key()]);
    assert!(matches!(opened(&forwarded, &with), Err(Error::Forwarded { sender: 0 })));
    assert_eq!(opened(&forwarded, &with.accept_forwarded()).unwrap(), Signed::By { sender: 0, meant: false });
    // Without a check of the signature, too.
    let unchecked = OpenWith::identities(vec![bob.clone()]);
    assert_eq!(opened(&forwarded, &unchecked).unwrap(), Signed::Unchecked { meant: false });
    // One person with both keys is meant.
    let both = OpenWith::identities(vec![bob, case.ann.clone()]).signed_by(vec![case.sender.verifying_key()]);
    assert_eq!(opened(&forwarded, &both).unwrap(), Signed::By { sender: 0, meant: true });
}

#[test]
fn readers_that_cannot_hold_back_the_content_refuse_to_verify() {
    let case = Case::new();
    let refused = |error: Error| matches!(error, Error::File(crate::FileMisuse::SignedStream));
    let mut released = Vec::new();
    assert!(refused(Opener::new(&case.sealed[..], &case.with()).unwrap_err()));
    assert!(refused(
        stream::open_stream(&case.sealed[..], &mut released, &case.with(), &Job::default()).unwrap_err()
    ));
    assert!(refused(
        open_input(&pipe(&case.sealed), Output::stream(&mut released), &case.with(), &Job::default())
            .unwrap_err()
    ));
    assert!(released.is_empty());
    assert!(stream::verify_stream(&case.sealed[..], &case.with(), &Job::default()).is_ok());
    // Without a demand, a stream gives the content alone.
    let with = OpenWith::identities(vec![case.ann.clone()]);
    let mut opener = Opener::new(&case.sealed[..], &with).unwrap();
    opener.read_to_end(&mut released).unwrap();
    assert!(released == content());
}

#[test]
fn names_and_contents_of_an_archive_are_those_that_were_signed() {
    let (sender, ann) = (SigningKey::generate().unwrap(), Identity::generate(Kem::X25519).unwrap());
    let to = SealTo::recipients(Format::Sealmark, &[ann.recipient()]).unwrap();
    let items = ["one", "two"].map(|name| {
        Ok(Item::new(Entry::new(name, Kind::File { size: 5 }, 0o644, Time::default()), &b"first"[..]))
    });
    let mut sealed = Vec::new();
    let output = Output::stream(&mut sealed);
    let signed = to.signed_by(sender.clone()).unwrap();
    seal_archive(items.into_iter(), output, &signed, &Job::default(), tempfile::tempfile).unwrap();
    let case = Case::of(sender, ann, sealed);
    let listed = |sealed: &[u8]| {
        let archive = Archive::open(input(sealed), &case.with())?;
        let found = archive.entries(b"").collect::<Result<Vec<_>>>()?;
        archive.read_small(&found, &Job::default(), |_, _| Ok(())).map(|()| found.len())
    };
    assert_eq!(listed(&case.resealed(&case.plaintext, None)).unwrap(), 2);
    // Everything but the signature fits: the name in the tar, its checksum, and the name in the index.
    let renamed = case.altered(|plaintext| {
        let names: Vec<usize> =
            (0..plaintext.len()).filter(|at| plaintext[*at..].starts_with(b"two")).collect();
        assert!(names.len() >= 2, "{names:?}");
        names.iter().for_each(|at| plaintext[at + 1] = b'v');
        let checksum = plaintext[names[0] + 148..][..6].to_vec();
        let sum = u32::from_str_radix(str::from_utf8(&checksum).unwrap(), 8).unwrap() - 1;
        plaintext[names[0] + 148..][..6].copy_from_slice(format!("{sum:06o}").as_bytes());
    });
    // Under a header that promises a file, the tar and the index would be its content.
    let as_file = Case {
        content: Content::File,
        ..Case::of(case.sender.clone(), case.ann.clone(), case.sealed.clone())
    };
    let as_file = as_file.resealed(&case.plaintext, None);
    let unasked = OpenWith::identities(vec![case.ann.clone()]);
    for (with, is_open) in [(case.with(), false), (unasked.clone(), true)] {
        let mut released = Vec::new();
        let found = open_input(&input(&as_file), Output::stream(&mut released), &with, &Job::default());
        assert_eq!((found.is_ok(), released.is_empty()), (is_open, !is_open), "{found:?}");
        assert!(is_open || is_refused(&found.map(|summary| summary.signed)));
    }
    assert!(verify_input(&input(&renamed), &unasked, &Job::default()).is_ok(), "the archive is not sound");
    for altered in [renamed, case.altered(|plaintext| plaintext[512] ^= 1)] {
        assert!(matches!(listed(&altered), Err(Error::Tampered(Part::Signature))));
        let verified = verify_input(&input(&altered), &case.with(), &Job::default());
        assert!(matches!(verified, Err(Error::Tampered(Part::Signature))), "{verified:?}");
    }
}
