//! Signed files of every length, in every way that they are sealed and opened.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::{bytes, open_all, seal_all, workspace};
use sealmark::archive::{Archive, Entry, Item, Kind, MAX_SMALL, Time, seal_archive};
use sealmark::*;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::num::NonZeroUsize;

const MIB: usize = 1 << 20;
const CHUNK: usize = 16 << 10;
const LENGTHS: [usize; 15] = [
    0,
    1,
    31,
    32,
    CHUNK - 1,
    CHUNK,
    CHUNK + 1,
    MIB - CHUNK,
    MIB - 1,
    MIB,
    MIB + 1,
    MIB + CHUNK,
    2 * MIB,
    9 * MIB,
    9 * MIB + CHUNK + 3,
];

struct People {
    sender: SigningKey,
    ann: Identity,
}

impl People {
    fn new() -> Self {
        Self { sender: SigningKey::generate().unwrap(), ann: Identity::generate(Kem::X25519).unwrap() }
    }

    fn to(&self) -> SealTo {
        let to = SealTo::recipients(Format::Sealmark, &[self.ann.recipient()]).unwrap();
        to.signed_by(self.sender.clone()).unwrap()
    }

    fn with(&self) -> OpenWith<'static> {
        OpenWith::identities(vec![self.ann.clone()])
    }

    fn demanding(&self) -> OpenWith<'static> {
        self.with().signed_by(vec![self.sender.verifying_key()])
    }
}

fn is_verified(signed: Signed) -> bool {
    matches!(signed, Signed::By { sender: 0, meant: true, .. })
}

fn job() -> Job<'static> {
    Job::default().threads(NonZeroUsize::new(3)).existing(Existing::Replace)
}

#[test]
fn every_length_is_sealed_and_opened_in_every_way() {
    let (workspace, people) = (workspace(), People::new());
    let [plain, sealed, opened] = ["plain", "sealed", "opened"].map(|name| workspace.path(name));
    for length in LENGTHS {
        let content = bytes(length);
        fs::write(&plain, &content).unwrap();
        let in_parallel = || {
            let summary = seal_file(&plain, &sealed, &people.to(), &job()).unwrap();
            assert_eq!(summary.input, length as u64);
            fs::read(&sealed).unwrap()
        };
        let streamed = || {
            let mut sealed = Vec::new();
            let summary = seal_stream(&content[..], &mut sealed, &people.to(), &job()).unwrap();
            assert_eq!((summary.input, summary.output), (length as u64, sealed.len() as u64));
            sealed
        };
        for bytes in [in_parallel(), streamed(), seal_all(&content, &people.to())] {
            fs::write(&sealed, &bytes).unwrap();
            let summary = open_file(&sealed, &opened, &people.demanding(), &job()).unwrap();
            assert!(is_verified(summary.signed) && summary.output == length as u64, "{length}: {summary:?}");
            assert!(fs::read(&opened).unwrap() == content, "{length}");
            let summary = open_file(&sealed, &opened, &people.with(), &job()).unwrap();
            assert!(matches!(summary.signed, Signed::Unchecked { meant: true, .. }), "{length}");
            assert!(fs::read(&opened).unwrap() == content, "{length}");
            assert!(is_verified(verify_file(&sealed, &people.demanding(), &job()).unwrap().signed));
            assert!(is_verified(verify_stream(&bytes[..], &people.demanding(), &job()).unwrap().signed));
            assert!(open_all(&bytes, &people.with()).unwrap() == content, "{length}");
            let mut released = Vec::new();
            let summary = open_stream(&bytes[..], &mut released, &people.with(), &job()).unwrap();
            assert!(released == content && summary.output == length as u64, "{length}");
        }
    }
}

#[test]
fn ranges_are_those_of_the_content_and_verified() {
    let people = People::new();
    let content = bytes(2 * MIB + 3 * CHUNK + 5);
    let sealed = seal_all(&content, &people.to());
    for (with, verified) in [(people.with(), false), (people.demanding(), true)] {
        let mut opener = RangeOpener::new(Cursor::new(&sealed), &with).unwrap();
        assert_eq!((opener.len(), is_verified(opener.signed())), (content.len() as u64, verified));
        let end = content.len();
        for range in
            [0..0, 0..1, 5..5 + CHUNK, MIB - 1..MIB + 1, 3 * CHUNK..2 * MIB, end - 7..end, 0..end, end..end]
        {
            let mut part = Vec::new();
            opener.read_range(range.start as u64..range.end as u64, &mut part).unwrap();
            assert!(part == content[range.clone()], "{range:?}");
        }
        let beyond = opener.read_range(0..end as u64 + 1, &mut Vec::new());
        assert!(matches!(beyond, Err(Error::File(FileMisuse::Range { .. }))), "{beyond:?}");
    }
}

#[test]
fn armor_and_pipes_are_verified_before_a_file_gets_its_name() {
    let (workspace, people) = (workspace(), People::new());
    let content = bytes(MIB + 5);
    for (name, armored) in [("armored", true), ("plain", false)] {
        let to = if armored { people.to().armored() } else { people.to() };
        let sealed = seal_all(&content, &to);
        let piped = |sealed: Vec<u8>, name: &str| {
            let (reader, mut writer) = std::io::pipe().unwrap();
            std::thread::spawn(move || drop(writer.write_all(&sealed)));
            let input = Input::from_file(std::os::fd::OwnedFd::from(reader).into()).unwrap();
            let output = Output::create(workspace.path(name), Existing::Refuse).unwrap();
            open_input(&input, output, &people.demanding(), &job())
        };
        assert!(is_verified(piped(sealed.clone(), name).unwrap().signed));
        assert!(fs::read(workspace.path(name)).unwrap() == content);
        let mut cut = sealed;
        cut.truncate(cut.len() - 70);
        assert!(piped(cut, "cut").is_err());
    }
    assert_eq!(workspace.names(), ["armored", "plain"]);
}

#[test]
fn an_archive_is_signed_with_its_index() {
    let (workspace, people) = (workspace(), People::new());
    let sizes = [0, 1, 511, 20_000, MAX_SMALL as usize + 1];
    let name = |index: usize| format!("file{index}");
    let items = sizes.iter().enumerate().map(|(index, size)| {
        let entry = Entry::new(name(index), Kind::File { size: *size as u64 }, 0o644, Time::default());
        Ok(Item::new(entry, Cursor::new(bytes(*size))))
    });
    let path = workspace.path("sealed");
    let output = Output::create(&path, Existing::Refuse).unwrap();
    seal_archive(items, output, &people.to(), &job(), tempfile::tempfile).unwrap();
    assert!(inspect_file(&path).unwrap().signed);
    for (with, verified) in [(people.with(), false), (people.demanding(), true)] {
        assert_eq!(is_verified(verify_file(&path, &with, &job()).unwrap().signed), verified);
        let archive = Archive::open(Input::open(&path).unwrap(), &with).unwrap();
        assert_eq!((archive.len(), is_verified(archive.signed())), (sizes.len() as u64, verified));
        let found = archive.entries(b"").collect::<Result<Vec<_>>>().unwrap();
        let read = std::sync::Mutex::new(0);
        archive
            .read_small(&found, &job(), |file, content| {
                assert!(content == bytes(file.entry().size() as usize));
                *read.lock().unwrap() += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!(read.into_inner().unwrap(), sizes.len() - 1);
        let mut large = tempfile::tempfile().unwrap();
        archive.copy(&found[4], &large, &job()).unwrap();
        let mut copied = Vec::new();
        std::io::Seek::rewind(&mut large).unwrap();
        large.read_to_end(&mut copied).unwrap();
        assert!(copied == bytes(sizes[4]));
    }
    // Readers in order give the tar, and neither index nor signature.
    let tar = open_all(&fs::read(&path).unwrap(), &people.with()).unwrap();
    open_file(&path, workspace.path("tar"), &people.demanding(), &job()).unwrap();
    assert!(fs::read(workspace.path("tar")).unwrap() == tar && tar.len().is_multiple_of(CHUNK));
    assert!(tar.len() > MIB && !tar.len().is_multiple_of(MIB), "the index starts within a leaf");
    for with in [people.with(), people.demanding()] {
        let mut opener = RangeOpener::new(fs::File::open(&path).unwrap(), &with).unwrap();
        let (length, mut ranged) = (opener.len(), Vec::new());
        opener.read_range(0..length, &mut ranged).unwrap();
        assert!(ranged == tar);
    }
}

#[test]
fn a_new_header_keeps_the_signature_and_a_new_file_key_needs_a_new_one() {
    let (workspace, people) = (workspace(), People::new());
    let [sealed, other] = ["sealed", "other"].map(|name| workspace.path(name));
    fs::write(&sealed, seal_all(&bytes(MIB + 9), &people.to())).unwrap();
    let unsigned = SealTo::recipients(Format::Sealmark, &[people.ann.recipient()]).unwrap();
    rekey_file(&sealed, &other, &people.with(), &unsigned, &job()).unwrap();
    assert!(is_verified(verify_file(&other, &people.demanding(), &job()).unwrap().signed));
    let lost = reencrypt_file(&sealed, &other, &people.with(), &unsigned, &job());
    assert!(matches!(lost, Err(Error::File(FileMisuse::SignatureLost))), "{lost:?}");
    let late = rekey_file(&sealed, &other, &people.with(), &people.to(), &job());
    assert!(matches!(late, Err(Error::File(FileMisuse::SignByRekeying))), "{late:?}");
    reencrypt_file(&sealed, &other, &people.with(), &people.to(), &job()).unwrap();
    assert!(is_verified(verify_file(&other, &people.demanding(), &job()).unwrap().signed));
    assert!(open_all(&fs::read(&other).unwrap(), &people.with()).unwrap() == bytes(MIB + 9));
}

#[test]
fn what_cannot_be_signed_is_refused() {
    let people = People::new();
    let sign = |to: SealTo| to.signed_by(people.sender.clone()).map(drop);
    let words = Passphrase::new("words".to_owned());
    let refused = sign(SealTo::passphrase(Format::Sealmark, words));
    assert!(matches!(refused, Err(Error::Key(KeyMisuse::SignedPassphrase))));
    let refused = sign(SealTo::recipients(Format::Age, &[people.ann.recipient()]).unwrap());
    assert!(matches!(refused, Err(Error::Key(KeyMisuse::SignedAge))));
}

#[test]
fn a_signature_beside_its_file_is_of_all_its_bytes_and_has_one_text() {
    let (workspace, people) = (workspace(), People::new());
    let path = workspace.path("plain");
    let senders = [SigningKey::generate().unwrap().verifying_key(), people.sender.verifying_key()];
    for length in [0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB + 5] {
        fs::write(&path, bytes(length)).unwrap();
        let text = sign_detached(&Input::open(&path).unwrap(), &people.sender, &job()).unwrap();
        let verify = |text: &str| verify_detached(&Input::open(&path).unwrap(), text, &senders, &job());
        assert_eq!(verify(&text).unwrap(), 1);
        let unknown = verify_detached(&Input::open(&path).unwrap(), &text, &senders[..1], &job());
        assert!(matches!(unknown, Err(Error::UnknownSender)));
        for at in (0..text.len()).step_by(13) {
            let mut other = text.clone().into_bytes();
            other[at] = if other[at] == b'A' { b'B' } else { b'A' };
            assert!(verify(&String::from_utf8(other).unwrap()).is_err(), "letter {at}");
        }
        for other in
            [text.replace('\n', "\r\n"), text.trim_end().to_owned(), format!("{text}\n"), format!(" {text}")]
        {
            assert!(matches!(verify(&other), Err(Error::Malformed(Malformed::Signature(_)))));
        }
        let mut altered = bytes(length);
        altered.push(7);
        for content in [&altered[..], &altered[..length / 2]] {
            fs::write(&path, content).unwrap();
            let found = verify(&text);
            assert!(
                content.len() == length || matches!(found, Err(Error::Tampered(Part::Detached))),
                "{found:?}"
            );
        }
    }
}
