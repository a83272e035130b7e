//! A full disk: the program exits with 2 and a clear message, leaves nothing behind and loses nothing.

use crate::folders::folder_with_a_long_index;
use crate::mounts::{inside, mount};
use crate::room::{KEY, ME, OTHER, Room, bytes, ended};
use std::fs;

const FULL: &str = "no space left on device";
const PLENTY: usize = 3 << 20;

/// A disk of 1 MiB; the inputs of 3 MiB are on another disk.
fn room(options: &str) -> Room {
    let room = Room::new();
    room.write("../plain", bytes(PLENTY));
    room.write_sealed("../in.sealed", bytes(PLENTY));
    mount(&["-t", "tmpfs", "-o", options, "none"], &room.work());
    room
}

#[test]
fn a_new_file_that_does_not_fit() {
    if !inside("full_disk::a_new_file_that_does_not_fit") {
        return;
    }
    let room = room("size=1m");
    let commands: [&[&str]; 6] = [
        &["seal", "-R", ME, "../plain", "-o", "out"],
        &["seal", "-a", "-R", ME, "../plain", "-o", "out"],
        &["open", "-i", KEY, "../in.sealed", "-o", "out"],
        &["rekey", "-i", KEY, "-R", OTHER, "../in.sealed", "-o", "out"],
        &["rekey", "-i", KEY, "-R", OTHER, "--reencrypt", "../in.sealed", "-o", "out"],
        &["open", "-i", KEY, "--range", "0..2000000", "../in.sealed", "-o", "out"],
    ];
    for command in commands {
        room.run(command).failed(2, FULL);
        assert!(room.names().is_empty(), "{command:?} left {:?}", room.names());
    }
    for command in ["seal -R ../me -o out < ../plain", "open -i ../key.txt -o out < ../in.sealed"] {
        room.shell(&format!("sealmark {command}")).failed(2, FULL);
        assert!(room.names().is_empty(), "{command} left {:?}", room.names());
    }
    assert_eq!(room.read("../plain"), bytes(PLENTY));
    assert_eq!(room.opened("../in.sealed").unwrap(), bytes(PLENTY));
}

/// The index goes to another disk than the output.
#[test]
fn an_index_that_does_not_fit() {
    if !inside("full_disk::an_index_that_does_not_fit") {
        return;
    }
    let room = room("size=1m");
    folder_with_a_long_index(&room.path("../d"));
    for output in ["../out", "-"] {
        let mut command = room.sealmark(["seal", "-R", ME, "-o", output, "../d"]);
        command.env("TMPDIR", room.work());
        let ended = ended(command);
        ended.failed(2, &format!("cannot use a temporary file for the index in {:?}: {FULL}", room.work()));
        assert!(
            !ended.err.contains("standard output") && ended.err.contains("hint: set TMPDIR"),
            "{ended:?}"
        );
        assert!(room.names().is_empty() && !room.path("../out").exists());
    }
}

#[test]
fn a_file_to_replace_stays_as_it_was() {
    if !inside("full_disk::a_file_to_replace_stays_as_it_was") {
        return;
    }
    let room = room("size=1m");
    room.write("out", "old content");
    let commands: [&[&str]; 3] = [
        &["seal", "-R", ME, "../plain", "--force", "-o", "out"],
        &["open", "-i", KEY, "../in.sealed", "--force", "-o", "out"],
        &["rekey", "-i", KEY, "-R", OTHER, "../in.sealed", "--force", "-o", "out"],
    ];
    for command in commands {
        room.run(command).failed(2, FULL);
        assert_eq!(room.names(), ["out"], "{command:?}");
        assert_eq!(room.read("out"), b"old content", "{command:?}");
    }
}

#[test]
fn rekeying_in_place_loses_nothing() {
    if !inside("full_disk::rekeying_in_place_loses_nothing") {
        return;
    }
    let room = room("size=1m");
    let content = bytes(600 << 10);
    room.write_sealed("file", &content);
    let before = room.read("file");
    for reencrypt in [&[][..], &["--reencrypt"]] {
        room.run([&["rekey", "-i", KEY, "-R", OTHER, "file"], reencrypt].concat()).failed(2, FULL);
        assert_eq!(room.names(), ["file"]);
        assert_eq!(room.read("file"), before);
    }
}

#[test]
fn not_one_block_left_for_a_key() {
    if !inside("full_disk::not_one_block_left_for_a_key") {
        return;
    }
    let room = room("size=64k");
    room.write("filler", vec![0; 64 << 10]);
    room.run(["keygen", "-o", "key"]).failed(2, FULL);
    room.run(["seal", "-R", ME, ME, "-o", "out"]).failed(2, FULL);
    assert_eq!(room.names(), ["filler"]);
    assert_eq!(fs::metadata(room.path("filler")).unwrap().len(), 64 << 10);
}

#[test]
fn not_one_inode_left() {
    if !inside("full_disk::not_one_inode_left") {
        return;
    }
    let room = room("size=1m,nr_inodes=2");
    room.write("filler", "");
    for command in [&["keygen", "-o", "key"][..], &["seal", "-R", ME, ME, "-o", "out"]] {
        room.run(command).failed(2, FULL);
        assert_eq!(room.names(), ["filler"]);
    }
}

#[test]
fn a_file_that_just_fits() {
    if !inside("full_disk::a_file_that_just_fits") {
        return;
    }
    let room = room("size=4m");
    room.run(["seal", "-R", ME, "../plain", "-o", "out"]).done();
    assert_eq!(room.opened("out").unwrap(), bytes(PLENTY));
    room.run(["open", "-i", KEY, "../in.sealed", "-o", "more"]).failed(2, FULL);
    assert_eq!(room.names(), ["out"]);
}
