//! No plaintext of a file is left in memory that was given back. Alone in its process: the allocator is the process's.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::graveyard::{Graveyard, buried_by, is_in};
use common::{seal_all, workspace};
use sealmark::{
    Existing, Format, Identity, Job, Kem, OpenWith, Opener, RangeOpener, SealTo, Sealer, open_file,
    open_stream, reencrypt_file, seal_file, seal_stream, verify_file,
};
use std::fs;
use std::io::{self, Cursor, Read, Write};
use std::sync::Mutex;

#[global_allocator]
static ALLOCATOR: Graveyard = Graveyard;

/// The allocator is the process's, so tests run one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// At the start of every chunk, because the graveyard keeps the start of a block.
const SECRET: &[u8] = b"a secret at the start of a chunk";
const CHUNK: usize = 65536;
/// More than one run of chunks, and a last chunk that is not full.
const LENGTH: usize = 2 * (1 << 20) + CHUNK + 100;

fn plaintext() -> Vec<u8> {
    let mut bytes = vec![b'.'; LENGTH];
    for chunk in bytes.chunks_mut(CHUNK) {
        chunk[..SECRET.len()].copy_from_slice(SECRET);
    }
    bytes
}

fn keys(format: Format) -> (SealTo, OpenWith<'static>) {
    let identity = Identity::generate(Kem::X25519).unwrap();
    let to = SealTo::recipients(format, &[identity.recipient()]).unwrap();
    (to, OpenWith::identities(vec![identity]))
}

fn leaves_nothing(name: &str, work: impl FnOnce()) {
    assert!(!is_in(SECRET, buried_by(work)), "{name} left plaintext");
}

/// Gives what it has, and then fails.
struct Fails<'a>(&'a [u8]);

impl Read for Fails<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.0.read(out)? {
            0 => Err(io::Error::other("a reader that fails")),
            read => Ok(read),
        }
    }
}

#[test]
fn streams_leave_no_plaintext() {
    let _alone = ALONE.lock();
    let plaintext = plaintext();
    for format in [Format::Sealmark, Format::Age] {
        let (to, with) = keys(format);
        let sealed = seal_all(&plaintext, &to);
        let mut output = Vec::with_capacity(2 * LENGTH);
        leaves_nothing("a sealer that was not finished", || {
            let mut sealer = Sealer::new(io::sink(), &to).unwrap();
            sealer.write_all(&plaintext[..CHUNK + 1]).unwrap();
            drop(sealer);
        });
        leaves_nothing("a sealer", || {
            let mut sealer = Sealer::new(io::sink(), &to).unwrap();
            sealer.write_all(&plaintext).unwrap();
            sealer.finish().unwrap();
        });
        leaves_nothing("an opener that was not read to its end", || {
            let mut opener = Opener::new(&sealed[..], &with).unwrap();
            opener.read_exact(&mut [0; 1]).unwrap();
        });
        leaves_nothing("a sealed stream", || {
            seal_stream(&plaintext[..], &mut output, &to, &Job::default()).unwrap();
        });
        leaves_nothing("a stream whose reader fails", || {
            seal_stream(Fails(&plaintext[..CHUNK]), io::sink(), &to, &Job::default()).unwrap_err();
        });
        output.clear();
        leaves_nothing("an opened stream", || {
            open_stream(&sealed[..], &mut output, &with, &Job::default()).unwrap();
        });
        assert!(output == plaintext);
    }
}

#[test]
fn files_and_ranges_leave_no_plaintext() {
    let _alone = ALONE.lock();
    let workspace = workspace();
    let [plain, sealed, opened] = ["plain", "sealed", "opened"].map(|name| workspace.path(name));
    let plaintext = plaintext();
    fs::write(&plain, &plaintext).unwrap();
    let (to, with) = keys(Format::Sealmark);
    let job = Job::default().existing(Existing::Replace);
    leaves_nothing("sealing a file", || {
        seal_file(&plain, &sealed, &to, &job).unwrap();
    });
    leaves_nothing("opening a file", || {
        open_file(&sealed, &opened, &with, &job).unwrap();
    });
    leaves_nothing("verifying a file", || {
        verify_file(&sealed, &with, &job).unwrap();
    });
    leaves_nothing("encrypting a file again", || {
        reencrypt_file(&sealed, &opened, &with, &to, &job).unwrap();
    });
    let file = fs::read(&sealed).unwrap();
    let mut output = Vec::with_capacity(2 * LENGTH);
    leaves_nothing("a range", || {
        let mut opener = RangeOpener::new(Cursor::new(&file), &with).unwrap();
        opener.read_range(CHUNK as u64..2 * CHUNK as u64 + 1, &mut output).unwrap();
    });
    assert!(output == plaintext[CHUNK..2 * CHUNK + 1]);
}

#[test]
fn plaintext_that_is_left_would_be_found() {
    let _alone = ALONE.lock();
    let plaintext = plaintext();
    assert!(is_in(SECRET, buried_by(|| drop(plaintext.clone()))));
}
