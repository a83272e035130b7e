//! Payloads of one tag: what goes in comes out, what was altered does not, by whichever way.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use std::{
    fs,
    io::{self, Cursor, Read, Seek, SeekFrom, Write},
    num::NonZeroUsize,
    path::Path,
    sync::Mutex,
};

use aes_gcm::{Aes128Gcm, Aes256Gcm, KeyInit, aead::Aead};
use common::{bytes, workspace};
use proptest::prelude::*;
use sealmark::{gcm::Key, *};

/// The library's, which nobody outside needs to know.
const SEGMENT: usize = 1 << 20;
const IV: usize = 12;
const TAG: usize = 16;

/// The independent implementation: RustCrypto's, on whole messages.
mod independent {
    use super::*;

    pub fn seal(key: &[u8], iv: [u8; IV], plaintext: &[u8]) -> Vec<u8> {
        let nonce = &iv.into();
        let text = match key.len() {
            16 => Aes128Gcm::new_from_slice(key).unwrap().encrypt(nonce, plaintext),
            _ => Aes256Gcm::new_from_slice(key).unwrap().encrypt(nonce, plaintext),
        };
        [&iv[..], &text.unwrap()].concat()
    }

    pub fn open(key: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (iv, text) = sealed.split_at(IV);
        let nonce = iv.try_into().unwrap();
        match key.len() {
            16 => Aes128Gcm::new_from_slice(key).unwrap().decrypt(nonce, text).ok(),
            _ => Aes256Gcm::new_from_slice(key).unwrap().decrypt(nonce, text).ok(),
        }
    }
}

fn job(threads: usize) -> Job<'static> {
    Job { threads: NonZeroUsize::new(threads), ..Job::default() }
}

fn key_bytes(length: usize) -> Vec<u8> {
    bytes(length + 3).split_off(3)
}

fn sealed_by_stream(key: &Key, plaintext: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::new();
    let summary = gcm::seal_stream(plaintext, &mut sealed, key, &Job::default()).unwrap();
    assert_eq!(summary, Summary { input: plaintext.len() as u64, output: sealed.len() as u64 });
    sealed
}

fn sealed_by_file(key: &Key, plaintext: &[u8], threads: usize) -> Vec<u8> {
    let workspace = workspace();
    let (plain, sealed) = (workspace.path("plain"), workspace.path("sealed"));
    fs::write(&plain, plaintext).unwrap();
    let summary = gcm::seal_file(&plain, &sealed, key, &job(threads)).unwrap();
    let sealed = fs::read(sealed).unwrap();
    assert_eq!(summary, Summary { input: plaintext.len() as u64, output: sealed.len() as u64 });
    sealed
}

/// Opens in every way, and sees that nothing is left where that fails.
fn open(key: &Key, sealed: &[u8]) -> Vec<Result<Vec<u8>>> {
    let mut released = Vec::new();
    let streamed = gcm::open_seekable(Cursor::new(sealed), &mut released, key, &Job::default());
    if streamed.is_err() {
        assert!(released.is_empty(), "{} bytes were released", released.len());
    }
    let mut results = vec![checked(streamed, sealed.len(), released)];
    for threads in [1, 3] {
        let workspace = workspace();
        let (input, output) = (workspace.path("sealed"), workspace.path("opened"));
        fs::write(&input, sealed).unwrap();
        let opened = gcm::open_file(&input, &output, key, &job(threads));
        match &opened {
            Ok(_) => assert_eq!(workspace.names(), ["opened", "sealed"]),
            Err(_) => assert_eq!(workspace.names(), ["sealed"], "something was left"),
        }
        results.push(checked(opened, sealed.len(), fs::read(output).unwrap_or_default()));
    }
    results
}

fn checked(result: Result<Summary>, input: usize, plaintext: Vec<u8>) -> Result<Vec<u8>> {
    let summary = result?;
    assert_eq!(summary, Summary { input: input as u64, output: plaintext.len() as u64 });
    Ok(plaintext)
}

fn assert_opens(key: &Key, sealed: &[u8], plaintext: &[u8]) {
    for result in open(key, sealed) {
        // Not assert_eq: megabytes would be printed.
        assert!(result.unwrap() == plaintext);
    }
}

fn assert_tampered(key: &Key, sealed: &[u8], what: &str) {
    for result in open(key, sealed) {
        assert!(matches!(result, Err(Error::Tampered(Part::Payload))), "{what}: {result:?}");
    }
}

#[test]
fn every_length_goes_both_ways_to_an_independent_implementation() {
    let mut lengths = vec![0, 1, 15, 16, 17, 4096];
    for full in [SEGMENT, 2 * SEGMENT] {
        lengths.extend([full - 17, full - 1, full, full + 1, full + 16]);
    }
    lengths.push(4 * SEGMENT + 5);
    for (index, length) in lengths.into_iter().enumerate() {
        let (raw, plaintext) = (key_bytes([16, 32][index % 2]), bytes(length));
        let key = Key::new(&raw).unwrap();
        assert_opens(&key, &independent::seal(&raw, [9; IV], &plaintext), &plaintext);
        let sealed = sealed_by_file(&key, &plaintext, 1 + index % 3);
        assert!(independent::open(&raw, &sealed).unwrap() == plaintext, "{length} bytes");
        assert_opens(&key, &sealed_by_stream(&key, &plaintext), &plaintext);
    }
}

#[test]
fn an_initialization_vector_is_never_used_again() {
    let key = Key::new(&key_bytes(16)).unwrap();
    let mut vectors: Vec<_> = (0..8).map(|_| sealed_by_stream(&key, b"")[..IV].to_vec()).collect();
    vectors.extend((0..8).map(|_| sealed_by_file(&key, b"x", 1)[..IV].to_vec()));
    vectors.sort();
    vectors.dedup();
    assert_eq!(vectors.len(), 16);
}

#[test]
fn a_flipped_bit_anywhere_gives_nothing() {
    let key = Key::new(&key_bytes(16)).unwrap();
    let length = 2 * SEGMENT + 1000;
    let sealed = sealed_by_file(&key, &bytes(length), 2);
    let end = sealed.len();
    let places = [0, IV - 1, IV, IV + SEGMENT - 1, IV + SEGMENT, end / 2, end - TAG - 1, end - TAG, end - 1];
    for at in places {
        let mut damaged = sealed.clone();
        damaged[at] ^= 1;
        assert_tampered(&key, &damaged, &format!("byte {at}"));
    }
    assert_tampered(&Key::new(&bytes(16)).unwrap(), &sealed, "another key");
    assert_tampered(&Key::new(&key_bytes(32)).unwrap(), &sealed, "a longer key");
}

#[test]
fn exchanged_segments_give_nothing() {
    let key = Key::new(&key_bytes(32)).unwrap();
    let sealed = sealed_by_stream(&key, &bytes(3 * SEGMENT));
    let mut damaged = sealed.clone();
    damaged[IV..IV + SEGMENT].copy_from_slice(&sealed[IV + SEGMENT..IV + 2 * SEGMENT]);
    damaged[IV + SEGMENT..IV + 2 * SEGMENT].copy_from_slice(&sealed[IV..IV + SEGMENT]);
    assert_tampered(&key, &damaged, "exchanged");
}

#[test]
fn a_payload_cut_short_or_made_longer_gives_nothing() {
    let key = Key::new(&key_bytes(32)).unwrap();
    let sealed = sealed_by_file(&key, &bytes(SEGMENT + 100), 2);
    for length in [28, 29, SEGMENT, SEGMENT + 28, sealed.len() - 16, sealed.len() - 1] {
        assert_tampered(&key, &sealed[..length], &format!("cut to {length}"));
    }
    for extra in [1, 16, SEGMENT] {
        assert_tampered(&key, &[&sealed[..], &vec![0; extra]].concat(), &format!("{extra} more"));
    }
    for length in 0..28 {
        for result in open(&key, &sealed[..length]) {
            assert!(matches!(result, Err(Error::Malformed(Malformed::Payload(_)))), "{length}: {result:?}");
        }
    }
}

/// Changes one byte once it was read to the end.
struct Turncoat {
    bytes: Cursor<Vec<u8>>,
    at: usize,
    seen_end: bool,
}

impl Read for Turncoat {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.seen_end |= self.bytes.position() == self.bytes.get_ref().len() as u64;
        Ok(read)
    }
}

impl Seek for Turncoat {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if self.seen_end {
            self.bytes.get_mut()[self.at] ^= 1;
            self.seen_end = false;
        }
        self.bytes.seek(to)
    }
}

#[test]
fn a_segment_altered_between_the_passes_is_not_released_nor_what_follows() {
    let key = Key::new(&key_bytes(32)).unwrap();
    let plaintext = bytes(3 * SEGMENT + 5);
    let sealed = sealed_by_stream(&key, &plaintext);
    let places = [(0, 0), (0, SEGMENT - 1), (1, 0), (2, SEGMENT / 2), (3, 4)];
    for (segment, offset) in places {
        let at = IV + segment * SEGMENT + offset;
        let input = Turncoat { bytes: Cursor::new(sealed.clone()), at, seen_end: false };
        let mut released = Vec::new();
        let result = gcm::open_seekable(input, &mut released, &key, &Job::default());
        assert!(matches!(result, Err(Error::Tampered(Part::Payload))), "{result:?}");
        assert!(released == plaintext[..segment * SEGMENT], "{} bytes of segment {segment}", released.len());
    }
}

#[test]
fn an_input_cut_short_between_the_passes_is_noticed() {
    struct Shrinking(Turncoat);
    impl Read for Shrinking {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(buffer)
        }
    }
    impl Seek for Shrinking {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            if self.0.seen_end {
                self.0.bytes.get_mut().truncate(IV + SEGMENT + 1);
            }
            self.0.bytes.seek(to)
        }
    }
    let key = Key::new(&key_bytes(16)).unwrap();
    let plaintext = bytes(2 * SEGMENT);
    let bytes = Cursor::new(sealed_by_stream(&key, &plaintext));
    let mut released = Vec::new();
    let input = Shrinking(Turncoat { bytes, at: 0, seen_end: false });
    let result = gcm::open_seekable(input, &mut released, &key, &Job::default());
    assert!(matches!(result, Err(Error::Io(_))), "{result:?}");
    assert!(released == plaintext[..SEGMENT]);
}

/// Opens a file that `alter` changes as soon as the second pass has done its first segment.
fn open_while(sealed: &[u8], key: &Key, alter: impl Fn(&Path) + Sync) -> Result<Summary> {
    let workspace = workspace();
    let (input, output) = (workspace.path("sealed"), workspace.path("opened"));
    fs::write(&input, sealed).unwrap();
    let half = (sealed.len() - IV - TAG) as u64 / 2;
    let altered = Mutex::new(false);
    let progress = |progress: Progress| {
        let mut altered = altered.lock().unwrap();
        if progress.done > half && !*altered {
            alter(&input);
            *altered = true;
        }
    };
    let job = Job { progress: Some(&progress), ..job(1) };
    let result = gcm::open_file(&input, &output, key, &job);
    assert!(altered.into_inner().unwrap(), "there was no second pass");
    assert_eq!(workspace.names().contains(&"opened".into()), result.is_ok());
    result
}

#[test]
fn a_file_altered_between_the_passes_gives_no_output() {
    let key = Key::new(&key_bytes(16)).unwrap();
    let sealed = sealed_by_stream(&key, &bytes(4 * SEGMENT));
    let flip = |path: &Path| {
        let mut altered = sealed.clone();
        altered[IV + 3 * SEGMENT] ^= 1;
        fs::write(path, altered).unwrap();
    };
    let result = open_while(&sealed, &key, flip);
    assert!(matches!(result, Err(Error::Tampered(Part::Payload))), "{result:?}");
    let cut = |path: &Path| fs::write(path, &sealed[..IV + 3 * SEGMENT]).unwrap();
    let result = open_while(&sealed, &key, cut);
    assert!(matches!(result, Err(Error::Io(_))), "{result:?}");
    // The same bytes written anew are the same payload.
    open_while(&sealed, &key, |path| fs::write(path, &sealed).unwrap()).unwrap();
}

/// Takes so many bytes and then fails.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0 {
            0 => Err(io::ErrorKind::StorageFull.into()),
            room => {
                let taken = room.min(bytes.len());
                self.0 -= taken;
                Ok(taken)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_failing_writer_is_the_outputs_error() {
    let key = Key::new(&key_bytes(32)).unwrap();
    let plaintext = bytes(SEGMENT + 1);
    let sealed = sealed_by_stream(&key, &plaintext);
    for room in [0, 5, IV, SEGMENT, sealed.len() - 1] {
        let result = gcm::seal_stream(&plaintext[..], Full(room), &key, &Job::default());
        assert!(matches!(result, Err(Error::Output(_))), "{room}: {result:?}");
    }
    for room in [0, 5, SEGMENT, plaintext.len() - 1] {
        let result = gcm::open_seekable(Cursor::new(&sealed), Full(room), &key, &Job::default());
        assert!(matches!(result, Err(Error::Output(_))), "{room}: {result:?}");
    }
}

#[test]
fn outputs_are_kept_or_replaced_as_everywhere() {
    let key = Key::new(&key_bytes(32)).unwrap();
    let workspace = workspace();
    let (plain, sealed, output) =
        (workspace.path("plain"), workspace.path("sealed"), workspace.path("output"));
    fs::write(&plain, bytes(1000)).unwrap();
    fs::write(&sealed, sealed_by_stream(&key, &bytes(1000))).unwrap();
    fs::write(&output, "old").unwrap();
    let no_work = |_| panic!("work was done before the output was looked at");
    let keep = Job { progress: Some(&no_work), ..Job::default() };
    for result in
        [gcm::seal_file(&plain, &output, &key, &keep), gcm::open_file(&sealed, &output, &key, &keep)]
    {
        assert!(matches!(result, Err(Error::Misuse(Misuse::OutputExists(_)))), "{result:?}");
    }
    let nowhere = workspace.path("no/where");
    for result in
        [gcm::seal_file(&plain, &nowhere, &key, &keep), gcm::open_file(&sealed, &nowhere, &key, &keep)]
    {
        assert!(matches!(result, Err(Error::Output(_))), "{result:?}");
    }
    let same = gcm::open_file(&sealed, &sealed, &key, &keep);
    assert!(matches!(same, Err(Error::Misuse(Misuse::SameFile(_)))), "{same:?}");
    let replace = Job { existing: Existing::Replace, ..Job::default() };
    let another = Key::new(&bytes(32)).unwrap();
    assert!(gcm::open_file(&sealed, &output, &another, &replace).is_err());
    assert_eq!(fs::read(&output).unwrap(), b"old");
    gcm::open_file(&sealed, &output, &key, &replace).unwrap();
    assert!(fs::read(&output).unwrap() == bytes(1000));
    assert_eq!(workspace.names(), ["output", "plain", "sealed"]);
}

#[test]
fn both_passes_are_half_of_the_progress() {
    let key = Key::new(&key_bytes(16)).unwrap();
    let workspace = workspace();
    let total = 4 * SEGMENT as u64;
    let sealed = sealed_by_stream(&key, &bytes(4 * SEGMENT));
    fs::write(workspace.path("sealed"), &sealed).unwrap();
    let seen = Mutex::new(Vec::new());
    let progress = |progress: Progress| {
        assert_eq!(progress.total, Some(total));
        seen.lock().unwrap().push(progress.done);
    };
    let job = Job { progress: Some(&progress), ..job(1) };
    let steps: Vec<u64> = (1..=8).map(|step| step * total / 8).collect();
    gcm::open_file(&workspace.path("sealed"), &workspace.path("opened"), &key, &job).unwrap();
    assert_eq!(std::mem::take(&mut *seen.lock().unwrap()), steps);
    gcm::open_seekable(Cursor::new(&sealed), io::sink(), &key, &job).unwrap();
    assert_eq!(*seen.lock().unwrap(), steps);
}

#[test]
fn a_payload_starts_where_its_reader_stands() {
    let key = Key::new(&key_bytes(16)).unwrap();
    let plaintext = bytes(SEGMENT + 7);
    let mut input = Cursor::new([&b"before"[..], &sealed_by_stream(&key, &plaintext)].concat());
    input.set_position(6);
    let mut opened = Vec::new();
    gcm::open_seekable(input, &mut opened, &key, &Job::default()).unwrap();
    assert!(opened == plaintext);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_sealed_as_it_comes_and_not_read_twice() {
    let key = Key::new(&key_bytes(16)).unwrap();
    let workspace = workspace();
    let sealed = workspace.path("sealed");
    let device = Path::new("/dev/null");
    gcm::seal_file(device, &sealed, &key, &Job::default()).unwrap();
    assert_opens(&key, &fs::read(&sealed).unwrap(), b"");
    let result = gcm::open_file(device, &workspace.path("opened"), &key, &Job::default());
    assert!(matches!(result, Err(Error::Misuse(Misuse::ReadsOnce(_)))), "{result:?}");
    let into_device = gcm::open_file(&sealed, device, &key, &Job::default()).unwrap();
    assert_eq!(into_device, Summary { input: 28, output: 0 });
    assert_eq!(workspace.names(), ["sealed"]);
}

#[test]
fn keys_have_sixteen_or_thirty_two_bytes_and_do_not_show_them() {
    for length in [0, 15, 17, 24, 31, 33] {
        let result = Key::new(&bytes(length));
        assert!(matches!(result, Err(Error::Misuse(Misuse::KeyString(_)))), "{result:?}");
    }
    assert_eq!(format!("{:?}", Key::new(&[7; 16]).unwrap()), "Key(Aes128)");
    assert_eq!(format!("{:?}", Key::new(&[7; 32]).unwrap()), "Key(Aes256)");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn what_was_sealed_opens_and_what_was_altered_does_not(
        length in prop_oneof![0..100usize, SEGMENT - 40..SEGMENT + 40, 0..3 * SEGMENT],
        key_length in prop_oneof![Just(16), Just(32)],
        place in any::<prop::sample::Index>(),
        bit in 0..8u8,
    ) {
        let (key, plaintext) = (Key::new(&key_bytes(key_length)).unwrap(), bytes(length));
        let mut sealed = sealed_by_file(&key, &plaintext, 2);
        assert_opens(&key, &sealed, &plaintext);
        let at = place.index(sealed.len());
        sealed[at] ^= 1 << bit;
        assert_tampered(&key, &sealed, "one bit");
    }
}
