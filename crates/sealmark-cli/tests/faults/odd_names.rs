//! Names and kinds of files that are legal, but rare enough to be forgotten.

use crate::room::{Ended, KEY, ME, OTHER, Room, bytes, ended};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Stdio;

const LENGTH: usize = 100_000;

fn room() -> Room {
    let room = Room::new();
    room.write("plain", bytes(LENGTH));
    room
}

/// A temporary name that is longer than the target's would be too long for the file system.
#[test]
fn names_as_long_as_they_may_be() {
    let room = room();
    let (long, many) = ("n".repeat(255), "ü".repeat(127));
    for name in [&long, &many] {
        room.run(["seal", "-R", ME, "plain", "-o", name]).done();
        room.run(["seal", "-R", ME, "plain", "--force", "-o", name]).done();
        room.run(["rekey", "-i", KEY, "-R", OTHER, name]).done();
        assert_eq!(room.opened(name).unwrap(), bytes(LENGTH));
    }
    room.run(["keygen", "-o", &"k".repeat(255)]).done();
    room.run(["seal", "-R", ME, "plain", "-o", &"n".repeat(256)]).failed(2, "name too long");
    assert_eq!(room.names(), [&"k".repeat(255), &long, "plain", &many]);
}

#[test]
fn names_that_are_not_text() {
    let room = room();
    let name = OsStr::from_bytes(b"caf\xe9 \n\x1b[31m");
    room.write(name, "content");
    room.run([OsStr::new("seal"), "-R".as_ref(), ME.as_ref(), name]).done();
    let sealed = [name, OsStr::new(".sealed")].concat_names();
    fs::remove_file(room.path(name)).unwrap();
    room.run([OsStr::new("open"), "-i".as_ref(), KEY.as_ref(), &sealed]).done();
    assert_eq!(room.read(name), b"content");
    let refused = room.run([OsStr::new("open"), "-i".as_ref(), KEY.as_ref(), &sealed]);
    refused.failed(1, "already exists");
    assert!(!refused.err.contains('\x1b'), "the terminal would obey {refused:?}");
}

trait ConcatNames {
    fn concat_names(self) -> OsString;
}

impl ConcatNames for [&OsStr; 2] {
    fn concat_names(self) -> OsString {
        self.into_iter().collect()
    }
}

#[test]
fn targets_in_other_directories() {
    let room = room();
    fs::create_dir(room.path("sub")).unwrap();
    let absolute = room.path("sub/absolute").into_os_string().into_string().unwrap();
    for name in ["here", "./dotted", "sub/../up", "sub/below", &absolute, "../outside"] {
        for force in [&[][..], &["--force"]] {
            room.run([&["seal", "-R", ME, "plain", "-o", name], force].concat()).done();
            assert_eq!(room.opened(name).unwrap(), bytes(LENGTH), "{name}");
        }
    }
    assert_eq!(room.names(), ["dotted", "here", "plain", "sub", "up"]);
    assert_eq!(fs::read_dir(room.path("sub")).unwrap().count(), 2);
    room.run(["seal", "-R", ME, "plain", "-o", "none/out"]).failed(2, "does not exist");
    room.run(["seal", "-R", ME, "plain", "-o", "plain/out"]).failed(2, "is not a directory");
    room.run(["seal", "-R", ME, "plain", "-o", "sub"]).failed(1, "is a directory");
    assert_ne!(room.run(["seal", "-R", ME, "plain", "-o", ""]).code, Some(0));
    assert_ne!(room.run(["seal", "-R", ME, "plain", "-o", "new/"]).code, Some(0));
    assert_eq!(room.names(), ["dotted", "here", "plain", "sub", "up"]);
}

#[test]
fn links_as_targets() {
    let room = room();
    room.write("aim", "old content");
    symlink("aim", room.path("link")).unwrap();
    symlink("nowhere", room.path("dangling")).unwrap();
    for name in ["link", "dangling"] {
        room.run(["seal", "-R", ME, "plain", "-o", name]).failed(1, "already exists");
        assert!(room.path(name).is_symlink());
    }
    for name in ["link", "dangling"] {
        room.run(["seal", "-R", ME, "plain", "--force", "-o", name]).done();
        assert_eq!(room.opened(name).unwrap(), bytes(LENGTH));
    }
    // A link's target is replaced; a link that leads nowhere is itself replaced.
    assert!(room.path("link").is_symlink() && !room.path("dangling").is_symlink());
    assert_eq!(room.opened("aim").unwrap(), bytes(LENGTH));
    room.run(["rekey", "-i", KEY, "-R", OTHER, "link"]).done();
    assert!(room.path("link").is_symlink());
    room.run(["open", "-i", KEY, "aim", "-o", "out"]).failed(3, "none of the secret keys");
    symlink("plain", room.path("itself")).unwrap();
    for name in ["itself", "./plain", "../work/plain"] {
        room.run(["seal", "-R", ME, "plain", "--force", "-o", name]).failed(1, "is both input and output");
    }
    assert_eq!(room.read("plain"), bytes(LENGTH));
}

#[test]
fn inputs_of_every_kind() {
    let room = room();
    symlink("plain", room.path("link")).unwrap();
    room.write("empty", "");
    let sparse = File::create(room.path("sparse")).unwrap();
    sparse.set_len(5 << 20).unwrap();
    sparse.write_all_at(b"in the middle", 3 << 20).unwrap();
    // The kernel reports that /proc/version is empty.
    for name in ["link", "empty", "sparse", "/proc/version"] {
        room.run(["seal", "-R", ME, name, "-o", "out"]).done();
        assert!(room.opened("out").unwrap() == room.read(name), "{name} is not what was sealed");
        room.run(["open", "-i", KEY, "out", "-o", "back"]).done();
        assert!(room.read("back") == room.read(name), "{name} came back altered");
        ["out", "back"].iter().for_each(|name| fs::remove_file(room.path(name)).unwrap());
    }
    room.run(["seal", "-R", ME, "link"]).done();
    room.run(["rekey", "-i", KEY, "-R", OTHER, "link.sealed"]).done();
    assert_eq!(room.opened("link.sealed").unwrap(), bytes(LENGTH));
}

#[test]
fn one_of_two_wins() {
    let room = room();
    for round in 0..40 {
        let target = format!("out{round}");
        let start = |input: &str| {
            let mut command = room.sealmark(["seal", "-R", ME, input, "-o", &target]);
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let both = [start("plain"), start(ME)];
        let ended = both.map(|child| Ended::from(child.wait_with_output().unwrap()));
        let winner = ended.iter().position(|ended| ended.code == Some(0)).unwrap();
        ended[1 - winner].failed(1, "already exists");
        let content = [bytes(LENGTH), room.read(ME)];
        assert_eq!(room.opened(&target).unwrap(), content[winner], "round {round}");
    }
    assert_eq!(room.names().len(), 41);
}

/// Runs the program without the right of root to read and write all files, which would hide failures that other users
/// see.
fn without_privilege(room: &Room, args: &[&str]) -> Ended {
    if rustix::process::geteuid().is_root() {
        let drop = "--bounding-set=-dac_override,-dac_read_search";
        ended(room.sealmark_under(&["setpriv", "--inh-caps=-all", drop], args))
    } else {
        room.run(args)
    }
}

#[test]
fn what_may_not_be_read_or_written() {
    let room = room();
    room.write_sealed("in.sealed", "content");
    let before = room.read("in.sealed");
    let closed = |path: &Path, mode: u32| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    closed(&room.path("plain"), 0o000);
    without_privilege(&room, &["seal", "-R", ME, "plain"]).failed(2, "\"plain\": permission denied");
    closed(&room.path("plain"), 0o600);
    room.write("old", "old content");
    closed(&room.work(), 0o555);
    let commands: [&[&str]; 5] = [
        &["seal", "-R", ME, "plain"],
        &["open", "-i", KEY, "in.sealed", "--force", "-o", "old"],
        &["rekey", "-i", KEY, "-R", OTHER, "in.sealed"],
        &["keygen", "-o", "key"],
        &["keygen", "-y", KEY, "-o", "key"],
    ];
    for command in commands {
        without_privilege(&room, command).failed(2, "permission denied");
        assert_eq!(room.names(), ["in.sealed", "old", "plain"], "{command:?}");
    }
    closed(&room.work(), 0o755);
    assert_eq!((room.read("old"), room.read("in.sealed")), (b"old content".into(), before));
}
