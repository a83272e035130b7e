//! Every change of a sealed file is found: bits, cuts, chunks; and nothing is left behind.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::verdict::class;
use common::{Workspace, bytes, open_all, seal_all, workspace};
use sealmark::*;
use std::fs;
use std::io::{Cursor, Seek, SeekFrom};
use std::sync::atomic::{AtomicU64, Ordering};

/// Large enough for several runs of chunks on several threads.
const LARGE: usize = 3_000_000;

/// A sealed file, the keys that open it, and the positions of its parts.
struct Case {
    name: String,
    format: Format,
    sealed: Vec<u8>,
    plaintext: Vec<u8>,
    with: OpenWith<'static>,
    /// The same keys and the sender of a signed file: a reader in order does not take this.
    from: Option<OpenWith<'static>>,
    /// The first byte after the version line, of the MAC line, and of the payload; before armor.
    stanzas: usize,
    mac: usize,
    payload: usize,
    armored: bool,
    /// The distance between bytes that are tested.
    step: usize,
}

impl Case {
    fn new(kem: Kem, format: Format, armored: bool, length: usize) -> Self {
        let identity = Identity::generate(kem).unwrap();
        let to = SealTo::recipients(format, &[identity.recipient()]).unwrap();
        Self::of(identity, if armored { to.armored() } else { to }, armored, length)
    }

    fn signed(length: usize) -> Self {
        let identity = Identity::generate(Kem::X25519).unwrap();
        let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()]).unwrap();
        let sender = SigningKey::generate().unwrap();
        let known = vec![sender.verifying_key()];
        let case = Self::of(identity, to.signed_by(sender).unwrap(), false, length);
        let from = case.with.clone().signed_by(known);
        // Signature and block are far longer than the other parts.
        Self { name: format!("signed {}", case.name), from: Some(from), step: 7, ..case }
    }

    fn of(identity: Identity, to: SealTo, armored: bool, length: usize) -> Self {
        let kem = identity.kem();
        let plaintext = bytes(length);
        let sealed = seal_all(&plaintext, &to);
        let inspection = inspect(&sealed[..]).unwrap();
        let (payload, format) = (inspection.header_bytes as usize, inspection.format);
        const MAC_LINE: usize = 4 + 43 + 1;
        Self {
            name: format!("{kem} in {format}{}", if armored { ", armored" } else { "" }),
            format,
            with: OpenWith::identities(vec![identity]),
            from: None,
            stanzas: format.to_string().len() + 1,
            mac: payload - MAC_LINE,
            payload,
            armored,
            plaintext,
            sealed,
            step: match kem {
                // Other keys test the same parts at every byte, and these take milliseconds when not optimised.
                Kem::MlKem1024 | Kem::MlKem768P256 | Kem::MlKem1024P384 => 7,
                _ => 1,
            },
        }
    }

    /// Both formats, and a signed file.
    fn large() -> [Self; 3] {
        let [ours, ages] =
            [Format::Sealmark, Format::Age].map(|format| Self::new(Kem::X25519, format, false, LARGE));
        [ours, ages, Self::signed(LARGE)]
    }

    /// Every KEM in our format, the two of age, and armor around both formats.
    fn all(length: usize) -> Vec<Self> {
        let ours = Kem::ALL.iter().map(|kem| Self::new(*kem, Format::Sealmark, false, length));
        let ages = [Kem::X25519, Kem::MlKem768X25519].map(|kem| Self::new(kem, Format::Age, false, length));
        let armored =
            [Format::Sealmark, Format::Age].map(|format| Self::new(Kem::X25519, format, true, length));
        ours.chain(ages).chain(armored).chain([Self::signed(length)]).collect()
    }

    /// Length of a sealed chunk.
    fn chunk(&self) -> usize {
        16 + self.of_format(16, 64) * 1024
    }

    /// The keys of readers that seek.
    fn seeking(&self) -> impl Iterator<Item = &OpenWith<'static>> {
        std::iter::once(&self.with).chain(&self.from)
    }

    /// Bytes that a reader in order releases if the first `sound` bytes of plaintext are authentic. It holds back the last chunk
    /// before a signature, which may end with zeros.
    fn released(&self, sound: usize) -> usize {
        let held = if self.from.is_some() { self.chunk() - 16 } else { 0 };
        sound.saturating_sub(held).min(self.plaintext.len())
    }

    fn first_chunk(&self) -> usize {
        self.payload + self.of_format(24 + 32, 16)
    }

    fn of_format(&self, ours: usize, ages: usize) -> usize {
        if self.format == Format::Age { ages } else { ours }
    }

    /// The classes that damage at `at` may have.
    fn classes(&self, at: usize) -> &'static [&'static str] {
        match self.armored {
            true => &["armor failure", "header failure", "HMAC failure", "payload failure", "no match"],
            false if at < self.stanzas => &["header failure", "armor failure"],
            // Damage may look like a stanza for somebody else here, and only here.
            false if at < self.mac => &["header failure", "HMAC failure", "no match"],
            false if at < self.payload => &["header failure", "HMAC failure"],
            false => &["payload failure"],
        }
    }

    /// The classes that a file cut to `length` may have. age's vectors count the nonce as part of the header.
    fn classes_cut_to(&self, length: usize) -> &'static [&'static str] {
        let header = self.payload + self.of_format(0, 16);
        match self.armored {
            true => &["armor failure", "header failure"],
            false if length < header => &["header failure"],
            false => &["payload failure"],
        }
    }
}

/// Opens from path to path, and checks that a failure leaves nothing.
fn open_path(workspace: &Workspace, sealed: &[u8], with: &OpenWith<'_>) -> Result<Summary> {
    fs::write(workspace.path("sealed"), sealed).unwrap();
    let result = open_file(workspace.path("sealed"), workspace.path("opened"), with, &Job::default());
    assert!(result.is_ok() || workspace.names() == ["sealed"], "something was left: {:?}", workspace.names());
    result
}

fn assert_refused(case: &Case, what: &str, result: &Result<impl std::fmt::Debug>, classes: &[&str]) {
    assert!(classes.contains(&class(result)), "{}, {what}: {result:?} instead of {classes:?}", case.name);
}

#[test]
fn one_flipped_bit_at_every_byte_of_a_small_file_is_refused() {
    let workspace = workspace();
    for case in Case::all(20) {
        for at in (0..case.sealed.len()).step_by(case.step) {
            let mut sealed = case.sealed.clone();
            sealed[at] ^= 1 << (at % 8);
            let what = format!("byte {at} of {}", sealed.len());
            for with in case.seeking() {
                assert_refused(&case, &what, &open_path(&workspace, &sealed, with), case.classes(at));
            }
        }
    }
}

#[test]
fn every_bit_of_a_small_file_counts() {
    for format in [Format::Sealmark, Format::Age] {
        for armored in [false, true] {
            let case = Case::new(Kem::X25519, format, armored, 20);
            for bit in 0..8 * case.sealed.len() {
                let mut sealed = case.sealed.clone();
                sealed[bit / 8] ^= 1 << (bit % 8);
                let result = open_all(&sealed, &case.with);
                assert_refused(&case, &format!("bit {bit}"), &result, case.classes(bit / 8));
            }
        }
    }
}

/// Even in armor, damage after the stanzas is never taken for a file of somebody else.
#[test]
fn a_changed_letter_of_armor_is_judged_by_what_it_encodes() {
    for format in [Format::Sealmark, Format::Age] {
        let case = Case::new(Kem::X25519, format, true, 20);
        let begin = case.sealed.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let letters = (begin..case.sealed.len()).filter(|at| case.sealed[*at].is_ascii_alphanumeric());
        let end = case.sealed.windows(8).position(|text| text == b"-----END").unwrap();
        for (at, other) in letters.filter(|at| *at < end).flat_map(|at| [(at, b'A'), (at, b'/')]) {
            let mut sealed = case.sealed.clone();
            if std::mem::replace(&mut sealed[at], other) == other {
                continue;
            }
            let column = at - begin;
            let byte = (column - column / 65) * 6 / 8;
            let result = open_all(&sealed, &case.with);
            let no_key = matches!(result, Err(Error::NoKey));
            assert!(result.is_err() && (!no_key || byte < case.mac), "{} letter {at}: {result:?}", case.name);
        }
    }
}

#[test]
fn a_flipped_bit_in_a_large_file_is_refused_and_nothing_behind_it_given() {
    let workspace = workspace();
    for case in Case::large() {
        for at in samples(case.payload, case.sealed.len(), case.chunk()) {
            let mut sealed = case.sealed.clone();
            sealed[at] ^= 1 << (at % 8);
            let what = format!("byte {at}");
            for with in case.seeking() {
                assert_refused(&case, &what, &open_path(&workspace, &sealed, with), &["payload failure"]);
            }

            let mut released = Vec::new();
            let result = open_stream(&sealed[..], &mut released, &case.with, &Job::default());
            assert_refused(&case, &what, &result, &["payload failure"]);
            let sound = at.saturating_sub(case.first_chunk()) / case.chunk() * (case.chunk() - 16);
            assert!(
                released == case.plaintext[..case.released(sound)],
                "{}, {what}: {} released",
                case.name,
                released.len()
            );
        }
    }
}

/// Places in a file: the ends, the edges of some chunks, and scattered ones.
fn samples(start: usize, end: usize, chunk: usize) -> Vec<usize> {
    let edges = (start..end).step_by(11 * chunk).flat_map(|at| [at, at + 56 + chunk - 1, at + 56 + chunk]);
    let scattered = (0..20).map(|i| start + i * 0x9e37_79b9 % (end - start));
    let mut samples: Vec<_> = edges.chain(scattered).chain([start, end - 1, end - 16, end - 17]).collect();
    samples.retain(|at| *at < end);
    assert!(samples.len() > 25);
    samples
}

#[test]
fn a_small_file_cut_at_any_length_is_refused() {
    let workspace = workspace();
    for case in Case::all(20) {
        // The line feed after the armor may be missing.
        let end = case.sealed.len() - usize::from(case.armored);
        for length in (0..end).step_by(case.step) {
            let cut = &case.sealed[..length];
            let classes = case.classes_cut_to(length);
            let what = format!("cut to {length} of {end}");
            assert_refused(&case, &what, &open_all(cut, &case.with), classes);
            for with in case.seeking() {
                assert_refused(&case, &what, &open_path(&workspace, cut, with), classes);
                if !case.armored {
                    let ranges = RangeOpener::new(Cursor::new(cut), with).map(drop);
                    assert_refused(&case, &what, &ranges, classes);
                }
            }
        }
    }
}

/// Opens a file to a stream. Returns the result and the plaintext that was released.
fn stream_path(workspace: &Workspace, sealed: &[u8], with: &OpenWith<'_>) -> (Result<()>, Vec<u8>) {
    let path = workspace.path("streamed");
    // The sealed file may begin after text that was read from standard input before.
    fs::write(&path, [b"passphrase\n", sealed].concat()).unwrap();
    let mut file = fs::File::open(&path).unwrap();
    file.seek(SeekFrom::Start(11)).unwrap();
    let mut released = Vec::new();
    let input = Input::from_file(file).unwrap();
    let opened = open_input(&input, Output::stream(&mut released), with, &Job::default());
    fs::remove_file(path).unwrap();
    (opened.map(drop), released)
}

#[test]
fn a_large_file_cut_anywhere_gives_nothing() {
    let workspace = workspace();
    for case in Case::large() {
        let chunks = (1..6).map(|i| case.first_chunk() + i * 8 * case.chunk());
        for length in samples(case.payload, case.sealed.len(), case.chunk()).into_iter().chain(chunks) {
            let cut = &case.sealed[..length];
            let what = format!("cut to {length}");
            let classes = case.classes_cut_to(length);
            for with in case.seeking() {
                assert_refused(&case, &what, &open_path(&workspace, cut, with), classes);
                let ranges = RangeOpener::new(Cursor::new(cut), with);
                assert_refused(&case, &what, &ranges.map(drop), classes);
                let (streamed, released) = stream_path(&workspace, cut, with);
                assert_refused(&case, &what, &streamed, classes);
                assert!(released.is_empty(), "{}, {what}: {} bytes were released", case.name, released.len());
                assert_eq!(progress_before_refusal(&workspace, with), 0, "{}, {what}", case.name);
            }
        }
    }
}

/// The last chunk is checked first, so no work is done on a file that was cut.
fn progress_before_refusal(workspace: &Workspace, with: &OpenWith<'_>) -> u64 {
    let reports = AtomicU64::new(0);
    let count = |_| {
        reports.fetch_add(1, Ordering::Relaxed);
    };
    let job = Job::default().progress(&count);
    verify_file(workspace.path("sealed"), with, &job).unwrap_err();
    reports.into_inner()
}

#[test]
fn no_other_sequence_of_the_same_chunks_opens() {
    for format in [Format::Sealmark, Format::Age] {
        let probe = Case::new(Kem::X25519, format, false, 0);
        let case = Case::new(Kem::X25519, format, false, 3 * (probe.chunk() - 16) + 100);
        let (start, chunks) = case.sealed.split_at(case.first_chunk());
        let chunks: Vec<&[u8]> = chunks.chunks(case.chunk()).collect();
        assert_eq!(chunks.len(), 4);
        let mut opened = 0;
        for sequence in sequences(chunks.len(), 5) {
            let body: Vec<&[u8]> = sequence.iter().map(|i| chunks[*i]).collect();
            let sealed = [start, &body.concat()].concat();
            match open_all(&sealed, &case.with) {
                Ok(plaintext) => {
                    assert!(sequence == [0, 1, 2, 3] && plaintext == case.plaintext, "{sequence:?}");
                    opened += 1;
                }
                result => assert_refused(&case, &format!("{sequence:?}"), &result, &["payload failure"]),
            }
            let ranges = RangeOpener::new(Cursor::new(&sealed), &case.with)
                .and_then(|mut opener| opener.read_range(0..opener.len(), &mut Vec::new()));
            assert_eq!(ranges.is_ok(), sequence == [0, 1, 2, 3], "{}, {sequence:?}", case.name);
        }
        assert_eq!(opened, 1);
    }
}

/// Every sequence of up to `longest` numbers below `numbers`.
fn sequences(numbers: usize, longest: u32) -> Vec<Vec<usize>> {
    let of_length = |length: u32| {
        (0..numbers.pow(length))
            .map(move |code| (0..length).map(|place| code / numbers.pow(place) % numbers).collect::<Vec<_>>())
    };
    (0..=longest).flat_map(of_length).collect()
}

#[test]
fn nothing_may_follow_the_end() {
    let workspace = workspace();
    for case in Case::all(20) {
        for more in [1, 15, 16, 17, 56, 20_000, 70_000] {
            let sealed = [&case.sealed[..], &vec![b'A'; more]].concat();
            let classes: &[&str] = if case.armored { &["armor failure"] } else { &["payload failure"] };
            let what = format!("{more} bytes more");
            for with in case.seeking() {
                assert_refused(&case, &what, &open_path(&workspace, &sealed, with), classes);
            }
            assert_refused(&case, &what, &open_all(&sealed, &case.with), classes);
        }
    }
}

#[test]
fn header_and_payload_of_two_files_make_none() {
    for format in [Format::Sealmark, Format::Age] {
        let identity = Identity::generate(Kem::X25519).unwrap();
        let to = SealTo::recipients(format, &[identity.recipient()]).unwrap();
        let [one, other] = [seal_all(b"private", &to), seal_all(b"private", &to)];
        let header = inspect(&one[..]).unwrap().header_bytes as usize;
        let result =
            open_all(&[&one[..header], &other[header..]].concat(), &OpenWith::identities(vec![identity]));
        assert!(matches!(result, Err(Error::Tampered(Part::Payload))), "{format}: {result:?}");
    }
}

/// A damaged chunk affects the ranges that touch it, and no others.
#[test]
fn a_range_is_as_sound_as_its_chunks() {
    for format in [Format::Sealmark, Format::Age] {
        let case = Case::new(Kem::X25519, format, false, 400_000);
        let plain = (case.chunk() - 16) as u64;
        let mut sealed = case.sealed.clone();
        sealed[case.first_chunk() + 2 * case.chunk() + 77] ^= 1;
        let mut opener = RangeOpener::new(Cursor::new(sealed), &case.with).unwrap();
        for (range, sound) in [
            (0..2 * plain, true),
            (0..2 * plain + 1, false),
            (2 * plain + 5..2 * plain + 6, false),
            (3 * plain - 1..3 * plain + 1, false),
            (3 * plain..400_000, true),
        ] {
            let mut released = Vec::new();
            let result = opener.read_range(range.clone(), &mut released);
            assert_eq!(result.is_ok(), sound, "{} {range:?}", case.name);
            let expected = &case.plaintext[range.start as usize..];
            assert!(expected.starts_with(&released), "{} {range:?}", case.name);
        }
    }
}
