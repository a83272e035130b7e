//! Peak memory does not grow with the file: 64 MB at most for 1 GiB, for every way through the program.

use crate::room::{KEY, ME, OTHER, Room};
use crate::watched::{Feed, watch};
use std::fs::File;
use std::process::Command;

const LIMIT: u64 = 64_000_000;
const GIB: u64 = 1 << 30;
/// A large machine's pipelines have this many threads.
const THREADS: [&str; 2] = ["-j", "8"];

#[test]
fn one_gibibyte_takes_64_megabytes_at_most() {
    let room = Room::new();
    File::create(room.path("in")).unwrap().set_len(GIB).unwrap();
    bounded(&room, &["seal", "-R", ME, "in"], Feed::Nothing);
    let sealed = room.path("in.sealed").metadata().unwrap().len();
    assert!(sealed > GIB);
    bounded(&room, &["verify", "-i", KEY, "in.sealed"], Feed::Nothing);
    bounded(&room, &["rekey", "-i", KEY, "-R", OTHER, "-R", ME, "in.sealed"], Feed::Nothing);
    bounded(&room, &["open", "-i", KEY, "in.sealed", "--force"], Feed::Nothing);
    assert_eq!(room.path("in").metadata().unwrap().len(), GIB);
    let mut open = command(&room, &["open", "-i", KEY]);
    open.stdin(File::open(room.path("in.sealed")).unwrap());
    assert_eq!(bounded_command(open, Feed::Own), GIB);
    let zeros = Feed::Repeated { start: Vec::new(), repeat: vec![0; 1 << 20], times: GIB >> 20 };
    assert_eq!(bounded(&room, &["seal", "-R", ME], zeros), sealed);
}

#[test]
fn text_and_age_files_take_no_more() {
    let room = Room::new();
    File::create(room.path("in")).unwrap().set_len(GIB / 8).unwrap();
    bounded(&room, &["seal", "-a", "-R", ME, "in"], Feed::Nothing);
    bounded(&room, &["verify", "-i", KEY, "in.sealed"], Feed::Nothing);
    bounded(&room, &["inspect", "in.sealed"], Feed::Nothing);
    bounded(&room, &["seal", "--age", "-R", ME, "in"], Feed::Nothing);
    bounded(&room, &["verify", "-i", KEY, "in.age"], Feed::Nothing);
    bounded(&room, &["rekey", "-i", KEY, "-R", OTHER, "--reencrypt", "in.age"], Feed::Nothing);
}

#[test]
fn signed_files_take_no_more() {
    let room = Room::new();
    room.run(["keygen", "--sign", "-o", "sign"]).done();
    let public = room.run(["keygen", "-y", "sign"]).out;
    room.write("senders", [b"Alice ", &public[..]].concat());
    File::create(room.path("in")).unwrap().set_len(GIB).unwrap();
    bounded(&room, &["seal", "-R", ME, "--sign", "sign", "in"], Feed::Nothing);
    bounded(&room, &["verify", "-i", KEY, "--from", "senders", "in.sealed"], Feed::Nothing);
    bounded(&room, &["open", "-i", KEY, "--from", "senders", "in.sealed", "--force"], Feed::Nothing);
    let mut open = command(&room, &["open", "-i", KEY, "--from", "senders"]);
    open.stdin(File::open(room.path("in.sealed")).unwrap());
    assert_eq!(bounded_command(open, Feed::Own), GIB);
    let zeros = Feed::Repeated { start: Vec::new(), repeat: vec![0; 1 << 20], times: GIB >> 20 };
    let sealed = room.path("in.sealed").metadata().unwrap().len();
    assert_eq!(bounded(&room, &["seal", "-R", ME, "--sign", "sign"], zeros), sealed);
}

/// Returns the bytes on standard output.
#[track_caller]
fn bounded(room: &Room, args: &[&str], feed: Feed) -> u64 {
    bounded_command(command(room, args), feed)
}

fn command(room: &Room, args: &[&str]) -> Command {
    let threads: &[&str] = if args[0] == "inspect" { &[] } else { &THREADS };
    room.sealmark([args, threads].concat())
}

#[track_caller]
fn bounded_command(command: Command, feed: Feed) -> u64 {
    let shown = format!("{:?}", command.get_args().collect::<Vec<_>>());
    let watched = watch(command, feed);
    watched.ended.done();
    assert!(watched.peak > 1_000_000, "{shown} was not measured");
    assert!(watched.peak <= LIMIT, "{shown} took {} bytes", watched.peak);
    watched.written
}
