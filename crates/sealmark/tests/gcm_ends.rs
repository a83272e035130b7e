//! Inputs and outputs of payloads of one tag.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::payload::{IV, SEGMENT, key_bytes, sealed_by_stream};
use common::{bytes, workspace};
use sealmark::gcm::Key;
use sealmark::*;
use std::fs::File;
use std::io::{self, Cursor, Write};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;
use std::{fs, thread};

/// Takes this many bytes and then fails.
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
        assert!(matches!(result, Err(Error::Write { .. })), "{room}: {result:?}");
    }
    for room in [0, 5, SEGMENT, plaintext.len() - 1] {
        let result = gcm::open_seekable(Cursor::new(&sealed), Full(room), &key, &Job::default());
        assert!(matches!(result, Err(Error::Write { .. })), "{room}: {result:?}");
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
    let keep = Job::default().progress(&no_work);
    for result in
        [gcm::seal_file(&plain, &output, &key, &keep), gcm::open_file(&sealed, &output, &key, &keep)]
    {
        assert!(matches!(result, Err(Error::File(FileMisuse::OutputExists(_)))), "{result:?}");
    }
    let nowhere = workspace.path("no/where");
    for result in
        [gcm::seal_file(&plain, &nowhere, &key, &keep), gcm::open_file(&sealed, &nowhere, &key, &keep)]
    {
        assert!(matches!(result, Err(Error::Write { .. })), "{result:?}");
    }
    let same = gcm::open_file(&sealed, &sealed, &key, &keep);
    assert!(matches!(same, Err(Error::File(FileMisuse::SameFile(_)))), "{same:?}");
    let replace = Job::default().existing(Existing::Replace);
    let another = Key::new(&bytes(32)).unwrap();
    assert!(gcm::open_file(&sealed, &output, &another, &replace).is_err());
    assert_eq!(fs::read(&output).unwrap(), b"old");
    gcm::open_file(&sealed, &output, &key, &replace).unwrap();
    assert!(fs::read(&output).unwrap() == bytes(1000));
    assert_eq!(workspace.names(), ["output", "plain", "sealed"]);
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
    let mut opened = Vec::new();
    gcm::open_seekable(File::open(&sealed).unwrap(), &mut opened, &key, &Job::default()).unwrap();
    assert!(opened.is_empty());
    let result = gcm::open_file(device, workspace.path("opened"), &key, &Job::default());
    assert!(matches!(result, Err(Error::File(FileMisuse::ReadsOnce(_)))), "{result:?}");
    let into_device = gcm::open_file(&sealed, device, &key, &Job::default()).unwrap();
    assert_eq!((into_device.input, into_device.output), (28, 0));
    assert_eq!(workspace.names(), ["sealed"]);
}

/// The work has a thread of its own, because opening a named pipe would wait until somebody writes.
#[cfg(unix)]
#[test]
fn a_named_pipe_is_refused_and_not_waited_for() {
    let workspace = workspace();
    let (pipe, output) = (workspace.path("pipe"), workspace.path("opened"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (done, result) = mpsc::channel();
    thread::spawn(move || {
        let key = Key::new(&key_bytes(16)).unwrap();
        done.send(gcm::open_file(&pipe, &output, &key, &Job::default())).unwrap();
    });
    let result = result.recv_timeout(Duration::from_secs(20)).expect("it waits for a writer");
    assert!(matches!(result, Err(Error::File(FileMisuse::ReadsOnce(_)))), "{result:?}");
    assert_eq!(workspace.names(), ["pipe"]);
}
