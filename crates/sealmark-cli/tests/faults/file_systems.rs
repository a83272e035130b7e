//! File systems that lack what the program would like to use.

use crate::mounts::{inside, mount, skip};
use crate::room::{KEY, ME, OTHER, Room, bytes};
use std::fs;

const LENGTH: usize = 300_000;

#[test]
fn a_disk_that_is_only_read() {
    if !inside("file_systems::a_disk_that_is_only_read") {
        return;
    }
    let room = Room::new();
    mount(&["-t", "tmpfs", "none"], &room.work());
    room.write("plain", bytes(LENGTH));
    room.write_sealed("in.sealed", bytes(LENGTH));
    mount(&["-o", "remount,ro"], &room.work());
    let commands: [&[&str]; 5] = [
        &["seal", "-R", ME, "plain"],
        &["open", "-i", KEY, "in.sealed", "-o", "out"],
        &["open", "-i", KEY, "in.sealed", "--force", "-o", "plain"],
        &["rekey", "-i", KEY, "-R", OTHER, "in.sealed"],
        &["keygen", "-o", "key"],
    ];
    for command in commands {
        room.run(command).failed(2, "read-only file system");
        assert_eq!(room.names(), ["in.sealed", "plain"]);
    }
    room.run(["verify", "-i", KEY, "in.sealed"]).done();
}

/// The program gives an unnamed file its name through /proc. Without /proc, it uses a temporary name beside the target.
#[test]
fn no_unnamed_files() {
    if !inside("file_systems::no_unnamed_files") {
        return;
    }
    let room = Room::new();
    room.write("plain", bytes(LENGTH));
    room.write("short", "short");
    mount(&["-t", "tmpfs", "none"], "/proc".as_ref());
    let long = "n".repeat(255);
    let done: [&[&str]; 6] = [
        &["seal", "-R", ME, "plain", "-o", &long],
        &["seal", "-R", ME, "plain", "--force", "-o", &long],
        &["open", "-i", KEY, &long, "-o", "back"],
        &["open", "-i", KEY, &long, "--force", "-o", "back"],
        &["rekey", "-i", KEY, "-R", OTHER, &long],
        &["keygen", "-o", "key"],
    ];
    for command in done {
        room.run(command).done();
    }
    assert_eq!(room.opened(&long).unwrap(), bytes(LENGTH));
    assert_eq!(room.read("back"), bytes(LENGTH));
    let names = ["back", "key", &long, "plain", "short"];
    assert_eq!(room.names(), names);
    room.run(["seal", "-R", ME, "plain", "-o", "back"]).failed(1, "already exists");
    room.run(["open", "-i", KEY, "short", "-o", "out"]).failed(4, "neither");
    room.run(["open", "-i", KEY, &long, "-o", "out"]).failed(3, "none of the secret keys");
    assert_eq!(room.names(), names);
}

/// ext2 reserves no space, so the disk fills up in the middle of the work.
#[test]
fn a_full_disk_without_reservation() {
    const TEST: &str = "file_systems::a_full_disk_without_reservation";
    if !inside(TEST) {
        return;
    }
    let room = Room::new();
    fs::File::create(room.path("../disk")).unwrap().set_len(4 << 20).unwrap();
    let script =
        "PATH=$PATH:/sbin:/usr/sbin; mke2fs -q -t ext2 -m 0 ../disk && mount -o loop ../disk ../work";
    if room.shell(script).code != Some(0) {
        return skip(TEST, "no mke2fs or no loop devices");
    }
    fs::remove_dir(room.path("lost+found")).unwrap();
    room.write("../plain", bytes(8 << 20));
    room.write_sealed("../in.sealed", bytes(8 << 20));
    room.write("old", "old content");
    let commands: [&[&str]; 4] = [
        &["seal", "-R", ME, "../plain", "-o", "out"],
        &["seal", "-R", ME, "../plain", "--force", "-o", "old"],
        &["open", "-i", KEY, "../in.sealed", "--force", "-o", "old"],
        &["rekey", "-i", KEY, "-R", OTHER, "../in.sealed", "-o", "out"],
    ];
    for command in commands {
        room.run(command).failed(2, "no space left on device");
        assert_eq!(room.names(), ["old"]);
        assert_eq!(room.read("old"), b"old content");
    }
}
