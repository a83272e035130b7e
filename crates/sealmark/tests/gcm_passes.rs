//! Opening reads a payload twice, and the input may change in between.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::payload::{IV, SEGMENT, TAG, job, key_bytes, sealed_by_stream};
use common::{bytes, workspace};
use sealmark::gcm::Key;
use sealmark::*;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// Changes one byte once all bytes were read.
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
    assert!(matches!(result, Err(Error::InputChanged { .. })), "{result:?}");
    assert!(released == plaintext[..SEGMENT]);
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum During {
    First,
    Second,
}

/// Opens a file that `alter` changes as soon as the given pass is through its first segment.
fn open_while(pass: During, sealed: &[u8], key: &Key, alter: impl Fn(&Path) + Sync) -> Result<Summary> {
    let workspace = workspace();
    let (input, output) = (workspace.path("sealed"), workspace.path("opened"));
    fs::write(&input, sealed).unwrap();
    let before = if pass == During::First { 0 } else { (sealed.len() - IV - TAG) as u64 / 2 };
    let altered = Mutex::new(false);
    let progress = |progress: Progress| {
        let mut altered = altered.lock().unwrap();
        if progress.done > before && !*altered {
            alter(&input);
            touch(&input);
            *altered = true;
        }
    };
    let job = job(1).progress(&progress);
    let result = gcm::open_file(&input, &output, key, &job);
    assert!(altered.into_inner().unwrap(), "there was no such pass");
    assert_eq!(workspace.names().contains(&"opened".into()), result.is_ok());
    result
}

/// Sets a later time, because clocks of file systems are coarse.
fn touch(path: &Path) {
    let later = fs::metadata(path).unwrap().modified().unwrap() + Duration::from_secs(1);
    File::options().write(true).open(path).unwrap().set_modified(later).unwrap();
}

#[test]
fn a_file_altered_while_it_is_opened_gives_no_output() {
    let key = Key::new(&key_bytes(16)).unwrap();
    let sealed = sealed_by_stream(&key, &bytes(4 * SEGMENT));
    let mut flipped = sealed.clone();
    flipped[IV + 3 * SEGMENT] ^= 1;
    let cut = &sealed[..IV + 3 * SEGMENT];
    for pass in [During::First, During::Second] {
        let result = open_while(pass, &sealed, &key, |path| fs::write(path, &flipped).unwrap());
        assert!(matches!(result, Err(Error::Tampered(Part::Payload))), "{pass:?}: {result:?}");
        let result = open_while(pass, &sealed, &key, |path| fs::write(path, cut).unwrap());
        assert!(matches!(result, Err(Error::InputChanged { .. })), "{pass:?}: {result:?}");
    }
}

#[test]
fn a_file_written_anew_while_it_is_opened_is_the_same_payload() {
    let key = Key::new(&key_bytes(16)).unwrap();
    let sealed = sealed_by_stream(&key, &bytes(4 * SEGMENT));
    let longer = [&sealed[..], &[0; 100]].concat();
    for pass in [During::First, During::Second] {
        for content in [&sealed, &longer] {
            open_while(pass, &sealed, &key, |path| fs::write(path, content).unwrap()).unwrap();
        }
    }
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
    let job = job(1).progress(&progress);
    let steps: Vec<u64> = (1..=8).map(|step| step * total / 8).collect();
    gcm::open_file(workspace.path("sealed"), workspace.path("opened"), &key, &job).unwrap();
    assert_eq!(std::mem::take(&mut *seen.lock().unwrap()), steps);
    gcm::open_seekable(Cursor::new(&sealed), io::sink(), &key, &job).unwrap();
    assert_eq!(*seen.lock().unwrap(), steps);
}
