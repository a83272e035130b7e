//! Another process writes to the input while the program reads it: the program fails and leaves no output, whatever it
//! has read by then.

use crate::room::{Ended, ME, Room, bytes};
use sealmark::{Error, Existing, Format, Job, Kem, OpenWith, Progress, Result, SealTo, Summary};
use std::fs::{self, OpenOptions};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Stdio;
use std::sync::Once;
use std::thread;
use std::time::Duration;

const LENGTH: usize = 24 << 20;
const CHANGED: &str = "the input changed while it was read";

#[derive(Debug, Clone, Copy)]
enum Change {
    Shrink,
    Grow,
}

impl Change {
    fn to(self, path: &Path) {
        let file = OpenOptions::new().write(true).open(path).unwrap();
        let length = file.metadata().unwrap().len();
        file.set_len(match self {
            Self::Shrink => length / 2,
            Self::Grow => length + 100_000,
        })
        .unwrap();
    }
}

/// Runs `work` on `in` and changes that file at the first report of progress.
fn changed_once(
    room: &Room,
    change: Change,
    threads: usize,
    work: impl Fn(&Path, &Path, &Job<'_>) -> Result<Summary>,
) -> Result<Summary> {
    let (input, once) = (room.path("in"), Once::new());
    let progress = |_: Progress| once.call_once(|| change.to(&input));
    let job =
        Job::default().threads(NonZeroUsize::new(threads)).existing(Existing::Replace).progress(&progress);
    work(&input, &room.path("out"), &job)
}

/// Tries each change with one thread and with several, without an old output and over one.
fn is_noticed(prepare: impl Fn(&Room), work: impl Fn(&Room, &Path, &Path, &Job<'_>) -> Result<Summary>) {
    for (change, threads, old) in [
        (Change::Shrink, 1, false),
        (Change::Shrink, 3, true),
        (Change::Grow, 1, true),
        (Change::Grow, 3, false),
    ] {
        let room = Room::new();
        prepare(&room);
        if old {
            room.write("out", "old content");
        }
        let result =
            changed_once(&room, change, threads, |input, output, job| work(&room, input, output, job));
        assert!(names_input(&result, &room), "{change:?}, {threads} threads: {result:?}");
        assert_eq!(room.names(), if old { &["in", "out"][..] } else { &["in"] });
        assert!(!old || room.read("out") == b"old content");
    }
}

fn names_input(result: &Result<Summary>, room: &Room) -> bool {
    matches!(result, Err(Error::InputChanged { path: Some(path), .. }) if *path == room.path("in"))
}

fn plain(room: &Room) {
    room.write("in", bytes(LENGTH));
}

fn sealed(room: &Room) {
    room.write_sealed("in", bytes(LENGTH));
}

fn with(room: &Room) -> OpenWith<'static> {
    OpenWith::identities(vec![room.mine.clone()])
}

fn to_other(room: &Room) -> SealTo {
    SealTo::recipients(Format::Sealmark, &[room.others.recipient()]).unwrap()
}

#[test]
fn while_it_is_sealed() {
    is_noticed(plain, |room, input, output, job| sealmark::seal_file(input, output, &room.to_me(), job));
}

#[test]
fn while_it_is_sealed_as_text() {
    is_noticed(plain, |room, input, output, job| {
        sealmark::seal_file(input, output, &room.to_me().armored(), job)
    });
}

#[test]
fn while_it_is_sealed_for_age() {
    let key = sealmark::Identity::generate(Kem::X25519).unwrap().recipient();
    let to = SealTo::recipients(Format::Age, &[key]).unwrap();
    is_noticed(plain, |_, input, output, job| sealmark::seal_file(input, output, &to, job));
}

#[test]
fn while_it_is_opened() {
    is_noticed(sealed, |room, input, output, job| sealmark::open_file(input, output, &with(room), job));
}

#[test]
fn while_it_is_rekeyed() {
    is_noticed(sealed, |room, input, output, job| {
        sealmark::rekey_file(input, output, &with(room), &to_other(room), job)
    });
}

#[test]
fn while_it_is_reencrypted() {
    is_noticed(sealed, |room, input, output, job| {
        sealmark::reencrypt_file(input, output, &with(room), &to_other(room), job)
    });
}

#[test]
fn while_it_is_verified() {
    for change in [Change::Shrink, Change::Grow] {
        let room = Room::new();
        sealed(&room);
        let result =
            changed_once(&room, change, 2, |input, _, job| sealmark::verify_file(input, &with(&room), job));
        assert!(names_input(&result, &room), "{change:?}: {result:?}");
    }
}

/// The log grows while the full pipe holds the sealer up, in the middle of its work.
#[test]
fn a_log_that_grows_while_it_is_sealed_to_a_pipe() {
    let room = Room::new();
    for input in ["< log", "- < log", "log -o -"] {
        room.write("log", bytes(LENGTH));
        room.shell(&format!(
            "sealmark seal -R {ME} {input} | (sleep 0.5; echo more >> log; cat > out); exit ${{PIPESTATUS[0]}}"
        ))
        .done();
        assert!(room.opened("out").unwrap() == room.read("log"), "{input}");
    }
}

/// The test cannot choose the moment of the cut from outside, so it tries until one run meets it.
#[test]
fn a_log_that_is_cut_short_while_the_program_seals_it() {
    let room = Room::new();
    let mut met = 0;
    for attempt in 0..200 {
        room.write("in", bytes(LENGTH));
        let mut command = room.sealmark(["seal", "-R", ME, "in", "-o", "out"]);
        let child = command.stderr(Stdio::piped()).spawn().unwrap();
        thread::sleep(Duration::from_millis(2 + attempt % 40));
        Change::Shrink.to(&room.path("in"));
        let ended = Ended::from(child.wait_with_output().unwrap());
        if ended.code == Some(0) {
            let whole = room.opened("out").unwrap();
            assert!([LENGTH, LENGTH / 2].contains(&whole.len()), "{} bytes were sealed", whole.len());
            fs::remove_file(room.path("out")).unwrap();
        } else {
            ended.failed(2, CHANGED);
            assert!(ended.err.contains("hint: stop the program that writes to the file"), "{ended:?}");
            assert_eq!(room.names(), ["in"]);
            met += 1;
        }
        if met == 3 {
            return;
        }
    }
    panic!("the file was never cut while it was read");
}
