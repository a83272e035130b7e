//! Every system call that writes, names, reads or sets permissions fails once, for every verb. The program never calls
//! an incomplete file done, writes no plaintext into a file that should be sealed, and leaves no other files behind.
#![cfg(target_arch = "x86_64")]

use crate::folders::{Tree, tree};
use crate::log_room::until;
use crate::mounts::skip;
use crate::room::{Ended, KEY, ME, OTHER, Room, ended};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

const MARK: &str = "a phrase in the clear";

/// System calls that change files or read them.
const CALLS: [libc::c_long; 21] = [
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_pwritev2,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_linkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_fchmod,
    libc::SYS_fchown,
    libc::SYS_fremovexattr,
    libc::SYS_openat,
    libc::SYS_newfstatat,
];

/// Faults to inject into a call.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Error(Errno),
    Short,
    Kill,
    /// The process stops until the test lets it continue; the call succeeds.
    Stop,
}

/// A command, and a check of the file that it leaves.
struct Scene {
    args: &'static [&'static str],
    input: Option<&'static str>,
    /// The file that it writes, if it writes one.
    target: Option<&'static str>,
    force: bool,
    whole: fn(&Room, &[u8]) -> bool,
}

fn sealed(room: &Room, bytes: &[u8]) -> bool {
    room.write("../check", bytes);
    room.opened("../check").is_ok_and(|opened| opened == plain())
}

fn opened(_: &Room, bytes: &[u8]) -> bool {
    bytes == plain()
}

fn key(_: &Room, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.ends_with('\n') && text.lines().last().is_some_and(|line| line.parse::<sealmark::Identity>().is_ok())
}

fn signing_key(_: &Room, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.ends_with('\n')
        && text.lines().last().is_some_and(|line| line.parse::<sealmark::SigningKey>().is_ok())
}

fn signed(room: &Room, bytes: &[u8]) -> bool {
    room.write("../check", bytes);
    let opened = room.run(["open", "-i", KEY, "--from", "../senders", "-o", "-", "../check"]);
    opened.out == plain()
}

fn detached(room: &Room, bytes: &[u8]) -> bool {
    room.write("../check", bytes);
    let verified = room.run(["verify", "--from", "../senders", "--detached", "../check", "../plain"]);
    verified.out.ends_with(b"signed by \"Alice\"\n")
}

fn said(_: &Room, bytes: &[u8]) -> bool {
    bytes.ends_with(b"\n")
}

fn log_sealed(room: &Room, bytes: &[u8]) -> bool {
    room.write("../check", bytes);
    log_opened(room, &room.run(["log", "open", "-i", KEY, "../check"]).out)
}

fn log_opened(room: &Room, bytes: &[u8]) -> bool {
    bytes == room.read("../log")
}

fn scenes() -> Vec<Scene> {
    let file = |args, whole| Scene { args, input: None, target: Some("out"), force: false, whole };
    let stream = |args, input, whole| Scene { args, input, target: None, force: false, whole };
    vec![
        file(&["seal", "-R", ME, "../plain", "-o", "out"], sealed),
        file(&["seal", "-a", "-R", ME, "../plain", "-o", "out"], sealed),
        file(&["open", "-i", KEY, "../in.sealed", "-o", "out"], opened),
        file(&["seal", "-R", ME, "--sign", "../sign", "../plain", "-o", "out"], signed),
        file(&["open", "-i", KEY, "--from", "../senders", "../in.signed", "-o", "out"], opened),
        file(&["keygen", "--mode", "ecc", "-o", "out"], key),
        file(&["keygen", "--sign", "-o", "out"], signing_key),
        file(&["seal", "--detached", "--sign", "../sign", "../plain", "-o", "out"], detached),
        file(&["rekey", "-i", KEY, "-R", OTHER, "../in.sealed", "-o", "out"], sealed),
        file(&["log", "seal", "-R", ME, "--regex", "v=(.*)", "../log", "-o", "out"], log_sealed),
        file(&["log", "open", "-i", KEY, "../log.sealed", "-o", "out"], log_opened),
        Scene { force: true, ..file(&["seal", "-R", ME, "../plain", "-f", "-o", "out"], sealed) },
        Scene { force: true, ..file(&["open", "-i", KEY, "../in.sealed", "-f", "-o", "out"], opened) },
        Scene { force: true, ..file(&["rekey", "-i", KEY, "-R", OTHER, "--reencrypt", "out"], sealed) },
        stream(&["seal", "-R", ME], Some("../plain"), sealed),
        stream(&["open", "-i", KEY], Some("../in.sealed"), opened),
        stream(&["open", "-i", KEY, "--range", "0..", "../in.sealed"], None, opened),
        stream(&["open", "-i", KEY, "--from", "../senders"], Some("../in.signed"), opened),
        stream(&["verify", "-i", KEY, "../in.sealed"], None, said),
        stream(&["verify", "-i", KEY, "--from", "../senders", "../in.signed"], None, said),
        stream(&["inspect", "../in.sealed"], None, said),
        stream(&["log", "seal", "-R", ME, "--regex", "v=(.*)"], Some("../log"), log_sealed),
        stream(&["log", "open", "-i", KEY], Some("../log.sealed"), log_opened),
    ]
}

/// More than one chunk, with the mark in every line.
fn plain() -> &'static [u8] {
    static PLAIN: OnceLock<Vec<u8>> = OnceLock::new();
    PLAIN.get_or_init(|| (0..3000).flat_map(|line| format!("{MARK} {line}\n").into_bytes()).collect())
}

fn room() -> Room {
    let room = Room::new();
    room.write("../plain", plain());
    room.write_sealed("../in.sealed", plain());
    room.run(["keygen", "--sign", "-o", "../sign"]).done();
    let public = room.run(["keygen", "-y", "../sign"]).out;
    room.write("../senders", [b"Alice ", &public[..]].concat());
    room.run(["seal", "-R", ME, "--sign", "../sign", "-o", "../in.signed", "../plain"]).done();
    let log: String = (0..200).map(|line| format!("line {line} v={MARK} {line}\n")).collect();
    room.write("../log", log);
    room.run(["log", "seal", "-R", ME, "--regex", "v=(.*)", "../log", "-o", "../log.sealed"]).done();
    room
}

/// The compiled shim, or `None` without a C compiler.
fn shim() -> Option<&'static PathBuf> {
    static SHIM: OnceLock<Option<PathBuf>> = OnceLock::new();
    SHIM.get_or_init(|| {
        let library =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("shim-{}.so", std::process::id()));
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/shim.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", source, "-o"]).arg(&library);
        compiler.status().is_ok_and(|status| status.success()).then_some(library)
    })
    .as_ref()
}

struct Run {
    ended: Ended,
    signal: Option<i32>,
    happened: bool,
}

fn run(room: &Room, scene: &Scene, fault: Fault, at: usize, bare: bool) -> Run {
    run_calls(room, scene, &CALLS, fault, at, bare)
}

fn run_calls(room: &Room, scene: &Scene, calls: &[libc::c_long], fault: Fault, at: usize, bare: bool) -> Run {
    let hit = room.path("../hit");
    let _none = fs::remove_file(&hit);
    let mut command = faulty(room, scene.args, fault, at, bare);
    command.env("FAULT_CALLS", calls.iter().map(|call| call.to_string()).collect::<Vec<_>>().join(","));
    if let Some(input) = scene.input {
        command.stdin(fs::File::open(room.path(input)).unwrap());
    }
    let output = command.stdout(Stdio::piped()).output().unwrap();
    Run { signal: output.status.signal(), ended: output.into(), happened: hit.exists() }
}

fn faulty(room: &Room, args: &[&str], fault: Fault, at: usize, bare: bool) -> Command {
    let mut command = room.sealmark(args);
    let calls = CALLS.map(|call| call.to_string()).join(",");
    let number = match fault {
        Fault::Error(errno) => errno.raw_os_error(),
        Fault::Short => 0,
        Fault::Kill => -1,
        Fault::Stop => -2,
    };
    command
        .env("LD_PRELOAD", shim().unwrap())
        .env("FAULT_CALLS", calls)
        .env("FAULT_AT", at.to_string())
        .env("FAULT_ERRNO", number.to_string())
        .env("FAULT_HIT", room.path("../hit"));
    if bare {
        command.env("FAULT_BARE", "1");
    }
    command
}

/// Restores the files that each run starts from. Returns the old content of the target.
fn reset(room: &Room, scene: &Scene) -> Option<Vec<u8>> {
    for name in room.names() {
        fs::remove_file(room.path(name)).unwrap();
    }
    let old = match scene.force {
        true if scene.args[0] == "rekey" => room.read("../in.sealed"),
        true => b"old content".to_vec(),
        false => return None,
    };
    room.write("out", &old);
    fs::set_permissions(room.path("out"), fs::Permissions::from_mode(0o600)).unwrap();
    Some(old)
}

#[track_caller]
fn check(room: &Room, scene: &Scene, old: Option<Vec<u8>>, run: &Run, at: &str) {
    let Run { ended, signal, .. } = run;
    assert!(signal.is_none() && !ended.err.contains("panicked"), "{at}: {ended:?}");
    let done = ended.code == Some(0);
    let names = room.names();
    let clear = |bytes: &[u8]| bytes.windows(MARK.len()).any(|found| found == MARK.as_bytes());
    match scene.target {
        None => {
            assert!(names.is_empty(), "{at}: {names:?} were left");
            assert!(!done || (scene.whole)(room, &ended.out), "{at}: called done, but {:?}", ended.err);
        }
        Some(target) => {
            assert!(names.iter().all(|name| name == target), "{at}: {names:?} were left");
            let found = fs::read(room.path(target)).ok();
            let whole = found.as_ref().is_some_and(|found| (scene.whole)(room, found));
            assert!(whole || found == old, "{at}: neither old nor whole");
            assert!(!done || whole && found != old, "{at}: called done");
        }
    }
    if scene.args.contains(&"seal") {
        assert!(!clear(&ended.out), "{at}: plaintext on standard output");
    }
    assert!(done || matches!(ended.code, Some(1..=5)) && ended.err.contains("error: "), "{at}: {ended:?}");
}

/// Injects the faults into each of the first four calls, then into one in `stride`.
fn each(faults: &[Fault], stride: usize, bare: bool) {
    if shim().is_none() {
        return skip("every_call", "no C compiler");
    }
    let room = room();
    for scene in scenes() {
        for &fault in faults {
            // A reader may cut text off (`| head -1`), which is not an error.
            let cut = matches!(fault, Fault::Error(Errno::PIPE));
            if cut && ["verify", "inspect"].contains(&scene.args[0]) {
                continue;
            }
            let mut at = 0;
            loop {
                let old = reset(&room, &scene);
                let ran = run(&room, &scene, fault, at, bare);
                check(
                    &room,
                    &scene,
                    old,
                    &ran,
                    &format!("{:?}, {fault:?} at call {at}, bare {bare}", scene.args),
                );
                if !ran.happened {
                    assert!(at > 5 && ran.ended.code == Some(0), "{:?}: {:?}", scene.args, ran.ended);
                    break;
                }
                at += if at < 4 { 1 } else { stride };
            }
        }
    }
}

#[test]
fn no_call_that_fails_leaves_anything_or_is_taken_for_done() {
    each(&[Fault::Error(Errno::IO)], 1, false);
    each(&[Fault::Error(Errno::NOSPC)], 2, true);
    each(&[Fault::Short, Fault::Error(Errno::INTR)], 5, false);
}

/// A folder with a file in more than one piece, and its sealed form.
fn folder(room: &Room) {
    fs::create_dir_all(room.path("../d/sub")).unwrap();
    room.write("../d/large", plain().repeat(20));
    room.write("../d/small", plain());
    room.write("../d/sub/file", MARK);
    std::os::unix::fs::symlink("small", room.path("../d/sub/link")).unwrap();
    room.run(["seal", "-R", ME, "-o", "../d.sealed", "../d"]).done();
}

/// An archive is complete, or files that are named are missing or end in zeros; or there is none.
#[test]
fn a_folder_is_sealed_but_for_what_is_named() {
    let (lacking, failed) = seal_folder(&["seal", "-R", ME, "-o", "out", "../d"], Some("out"), Some(2));
    assert!(lacking > 5 && failed > 5, "{lacking} {failed}");
}

/// The exit code of a stream is all that its reader has.
#[test]
fn with_failed_reads_ignored_a_stream_is_whole_if_the_code_is_0() {
    let args = &["seal", "--ignore-failed-read", "-R", ME, "-o", "-", "../d"];
    let (lacking, failed) = seal_folder(args, None, Some(0));
    assert!(lacking > 5 && failed > 5, "{lacking} {failed}");
}

/// Seals a folder while one call after the other fails. An archive that lacks files is there with the exit code `lacking` alone.
/// Returns the number of such archives, and of runs that gave none.
fn seal_folder(
    args: &'static [&'static str],
    target: Option<&'static str>,
    lacking: Option<i32>,
) -> (usize, usize) {
    if shim().is_none() {
        skip("every_call", "no C compiler");
        return (usize::MAX, usize::MAX);
    }
    let room = room();
    folder(&room);
    let whole = tree(&room.path("../d"));
    let scene = Scene { args, input: None, target, force: false, whole: |_, _| true };
    let (mut archives, mut failed) = (0, 0);
    for (fault, bare) in
        [(Fault::Error(Errno::IO), false), (Fault::Error(Errno::NOSPC), true), (Fault::Short, false)]
    {
        for at in 0.. {
            reset(&room, &scene);
            let mut ran = run(&room, &scene, fault, at, bare);
            if target.is_none() && ran.ended.code == Some(0) {
                room.write("out", std::mem::take(&mut ran.ended.out));
            }
            ran.ended.out.clear();
            let place = format!("{fault:?} at call {at}: {:?}", ran.ended);
            assert!(ran.signal.is_none() && !ran.ended.err.contains("panicked"), "{place}");
            assert!(room.names().iter().all(|name| name == "out"), "{place}");
            failed += usize::from(room.names().is_empty());
            if room.names() == ["out"] {
                let kept = room.run(["open", "-i", KEY, "--into", "../kept", "out"]);
                assert_eq!(kept.code, Some(0), "{place} {kept:?}");
                room.run(["verify", "-i", KEY, "out"]).done();
                let kept = tree(&room.path("../kept/d"));
                fs::remove_dir_all(room.path("../kept")).unwrap();
                archives += usize::from(kept != whole);
                for (name, what) in &whole {
                    // A directory that could not be read stands for all that is in it.
                    let said = name.ancestors().any(|above| {
                        let quoted = match above.to_str().unwrap() {
                            "" => "\"d\"".to_owned(),
                            above => format!("\"d/{above}\""),
                        };
                        let notes = ran.ended.err.lines().filter_map(|line| line.strip_prefix("note: "));
                        notes
                            .map(|note| note.strip_prefix("the content of ").unwrap_or(note))
                            .any(|note| note.starts_with(&quoted))
                    });
                    assert!(
                        kept.get(name) == Some(what) || ran.ended.code == lacking && said,
                        "{name:?}, {place}"
                    );
                }
            }
            assert!(ran.ended.code != Some(0) || room.names() == ["out"], "{place}");
            if !ran.happened {
                assert!(at > 10 && ran.ended.code == Some(0), "{place}");
                break;
            }
        }
    }
    (archives, failed)
}

/// Without unnamed files, the output has a name in the folder while it is written.
#[test]
fn an_output_in_its_own_folder_is_not_read() {
    if shim().is_none() {
        return skip("every_call", "no C compiler");
    }
    let room = room();
    folder(&room);
    let args = &["seal", "-R", ME, "-o", "../d/own", "../d"];
    let scene = Scene { args, input: None, target: None, force: false, whole: |_, _| true };
    let ran = run(&room, &scene, Fault::Short, usize::MAX >> 1, true);
    assert!(ran.ended.code == Some(0) && !ran.happened, "{:?}", ran.ended);
    assert!(ran.ended.err.contains("it is the output"), "{:?}", ran.ended);
    let listed = room.run(["list", "-i", KEY, "../d/own"]).out;
    assert_eq!(String::from_utf8(listed).unwrap(), "d\nd/large\nd/small\nd/sub\nd/sub/file\nd/sub/link\n");
}

/// Each file is complete or not there, and a failure is told.
#[test]
fn a_folder_is_extracted_but_for_what_is_named() {
    if shim().is_none() {
        return skip("every_call", "no C compiler");
    }
    let room = room();
    folder(&room);
    let whole = tree(&room.path("../d"));
    let scene = Scene {
        args: &["open", "-i", KEY, "--into", "../new", "../d.sealed"],
        input: None,
        target: None,
        force: false,
        whole: |_, _| true,
    };
    for (fault, bare) in [
        (Fault::Error(Errno::IO), false),
        (Fault::Error(Errno::NOSPC), true),
        (Fault::Short, false),
        (Fault::Kill, false),
    ] {
        for at in 0.. {
            let _none = fs::remove_dir_all(room.path("../new"));
            let ran = run(&room, &scene, fault, at, bare);
            let place = format!("{fault:?} at call {at}, bare {bare}: {:?}", ran.ended);
            assert!(!ran.ended.err.contains("panicked"), "{place}");
            let found =
                if room.path("../new/d").exists() { tree(&room.path("../new/d")) } else { Tree::new() };
            if ran.ended.code == Some(0) {
                assert_eq!(found, whole, "{place}");
            }
            for (name, what) in found.iter().filter(|(_, what)| what.starts_with("file")) {
                // Times and permissions come before the name, too.
                assert_eq!(whole.get(name), Some(what), "{place}");
            }
            if !ran.happened {
                assert!(at > 10 && ran.ended.code == Some(0), "{place}");
                break;
            }
        }
    }
}

/// Not every file system has links, and a file may have no room for another name.
#[test]
fn a_link_replaces_a_file_when_it_is_made() {
    if shim().is_none() {
        return skip("every_call", "no C compiler");
    }
    let room = room();
    fs::create_dir(room.path("../d")).unwrap();
    room.write("../d/file", MARK);
    fs::hard_link(room.path("../d/file"), room.path("../d/hard")).unwrap();
    std::os::unix::fs::symlink("file", room.path("../d/symbolic")).unwrap();
    room.run(["seal", "-R", ME, "-o", "../d.sealed", "../d"]).done();
    let whole = tree(&room.path("../d"));
    let calls = [
        libc::SYS_symlinkat,
        libc::SYS_linkat,
        libc::SYS_renameat,
        libc::SYS_renameat2,
        libc::SYS_unlinkat,
        libc::SYS_utimensat,
    ];
    let scene = Scene {
        args: &["open", "-i", KEY, "--force", "--into", "../new", "../d.sealed"],
        input: None,
        target: None,
        force: false,
        whole: |_, _| true,
    };
    for (fault, bare) in
        [(Fault::Error(Errno::PERM), false), (Fault::Error(Errno::PERM), true), (Fault::Kill, false)]
    {
        let (mut old, mut new) = (0, 0);
        for at in 0.. {
            let _none = fs::remove_dir_all(room.path("../new"));
            fs::create_dir_all(room.path("../new/d")).unwrap();
            ["file", "hard", "symbolic"]
                .iter()
                .for_each(|name| room.write(format!("../new/d/{name}"), "old"));
            let ran = run_calls(&room, &scene, &calls, fault, at, bare);
            let place = format!("{fault:?} at call {at}, bare {bare}: {:?}", ran.ended);
            let mut found = tree(&room.path("../new/d"));
            for name in ["file", "hard", "symbolic"] {
                let path = room.path("../new/d").join(name);
                let is_old = !path.is_symlink() && fs::read(&path).is_ok_and(|content| content == b"old");
                let is_new = match name {
                    "symbolic" => fs::read_link(&path).is_ok_and(|target| target == Path::new("file")),
                    _ => fs::read(&path).is_ok_and(|content| content == MARK.as_bytes()),
                };
                assert!(is_old || is_new, "{name}, {place}");
                (old, new) = (old + usize::from(is_old), new + usize::from(is_new));
            }
            if ran.signal.is_none() {
                assert!(found.keys().eq(whole.keys()), "{place}: {found:?}");
            }
            if ran.ended.code == Some(0) {
                // The directory was there before.
                found.insert(PathBuf::new(), whole[Path::new("")].clone());
                assert_eq!(found, whole, "{place}");
            }
            if !ran.happened {
                assert!(at > 4 && (ran.ended.code == Some(0) || bare), "{place}");
                break;
            }
        }
        assert!(old > 3 && new > 3, "{fault:?}, bare {bare}: {old} {new}");
    }
}

/// Tries each call with each error, with and without unnamed files and links: `make soak`.
#[test]
#[ignore = "minutes"]
fn each_call_with_each_error() {
    let errors =
        [Errno::IO, Errno::NOSPC, Errno::INTR, Errno::AGAIN, Errno::PIPE, Errno::TIMEDOUT, Errno::DQUOT];
    let faults: Vec<Fault> = errors.map(Fault::Error).into_iter().chain([Fault::Short]).collect();
    each(&faults, 1, false);
    each(&faults, 1, true);
}

/// The program is killed at each call while a file needs a temporary name: only the owner may read that file, or the
/// one that replaces a private one.
#[test]
fn nobody_reads_a_temporary_file() {
    if shim().is_none() {
        return skip("every_call", "no C compiler");
    }
    let room = room();
    let scenes = scenes().into_iter().filter(|scene| scene.force && scene.args[0] != "rekey");
    for scene in scenes {
        for at in 0.. {
            reset(&room, &scene);
            let ran = run(&room, &scene, Fault::Kill, at, true);
            for name in room.names() {
                let mode = fs::metadata(room.path(&name)).unwrap().permissions().mode();
                assert_eq!(mode & 0o077, 0, "{:?}: {name} after a kill at call {at}", scene.args);
            }
            if !ran.happened {
                break;
            }
        }
    }
}

/// The program dies of the signal, as the shell that sent it expects.
#[test]
fn a_signal_leaves_no_temporary_file() {
    if shim().is_none() {
        return skip("every_call", "no C compiler");
    }
    let room = room();
    room.write("old", "old content");
    for args in [
        &["seal", "-R", ME, "-o", "out"][..],
        &["seal", "-R", ME, "--force", "-o", "old"],
        &["log", "seal", "-R", ME, "--regex", "v=(.*)", "-o", "out"],
    ] {
        for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
            let mut command = faulty(&room, args, Fault::Short, usize::MAX >> 1, true);
            let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            // To wait for a program closes its input, and it may come to its end before the signal does.
            let input = child.stdin.take();
            until("a temporary file", || room.names().iter().any(|name| name.ends_with(".sealmark")));
            kill_process(Pid::from_child(&child), signal).unwrap();
            let status = child.wait().unwrap();
            drop(input);
            assert_eq!(status.signal(), Some(signal.as_raw()), "{args:?}: {status}");
            assert_eq!(room.names(), ["old"], "{args:?} after {signal:?}");
            assert_eq!(room.read("old"), b"old content");
        }
    }
}

#[test]
fn keygen_syncs_the_key_and_its_name() {
    if shim().is_none() {
        return skip("every_call", "no C compiler");
    }
    let room = room();
    let keygen = |at| {
        let mut command =
            faulty(&room, &["keygen", "--mode", "ecc", "-o", "key"], Fault::Error(Errno::IO), at, false);
        command.env("FAULT_CALLS", libc::SYS_fsync.to_string());
        ended(command)
    };
    keygen(0).failed(2, "\"key\": input/output error");
    assert!(room.names().is_empty());
    // The second call syncs the directory: the key is whole by then, though it may not survive a power cut.
    keygen(1).failed(2, "\"key\": input/output error");
    assert_eq!(room.names(), ["key"]);
    fs::remove_file(room.path("key")).unwrap();
    keygen(2).done();
}

/// The program looks at a pipe and then opens it by name, which may be another file's by then.
#[test]
fn a_link_in_the_place_of_a_pipe_leads_to_no_file() {
    if shim().is_none() {
        return skip("every_call", "no C compiler");
    }
    let room = room();
    room.write("victim", "theirs");
    // The content fits into a pipe's buffer, so the program never waits for a reader.
    room.write_sealed("../short.sealed", "short");
    for args in
        [&["seal", "-R", ME, ME, "-o", "pipe"][..], &["open", "-i", KEY, "../short.sealed", "-o", "pipe"]]
    {
        for at in 0.. {
            let _none = fs::remove_file(room.path("pipe"));
            let fifo = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR);
            rustix::fs::mknodat(rustix::fs::CWD, room.path("pipe"), fifo.0, fifo.1, 0).unwrap();
            // With a reader, the program opens the pipe for writing without waiting.
            let _reader = fs::File::options().read(true).write(true).open(room.path("pipe")).unwrap();
            let mut command = faulty(&room, args, Fault::Stop, at, false);
            let calls = [libc::SYS_openat, libc::SYS_statx, libc::SYS_newfstatat]
                .map(|call| call.to_string())
                .join(",");
            let mut child = command.env("FAULT_CALLS", calls).stderr(Stdio::null()).spawn().unwrap();
            let pid = Pid::from_child(&child);
            let stopped = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap().unwrap().1.stopped();
            if !stopped {
                assert!(at > 10);
                break;
            }
            fs::remove_file(room.path("pipe")).unwrap();
            std::os::unix::fs::symlink("victim", room.path("pipe")).unwrap();
            kill_process(pid, Signal::CONT).unwrap();
            child.wait().unwrap();
            assert_eq!(room.read("victim"), b"theirs", "{args:?}, stopped at call {at}");
        }
    }
}

/// Lines that were read before the input failed are sealed and written.
#[test]
fn a_log_whose_input_fails_is_kept_so_far() {
    if shim().is_none() {
        return skip("every_call", "no C compiler");
    }
    let room = room();
    let text: String = (0..30_000).map(|line| format!("line {line} v={MARK} {line}\n")).collect();
    room.write("../long", &text);
    let mut kept = Vec::new();
    for at in 0.. {
        let _none = fs::remove_file(room.path("out"));
        let args = ["log", "seal", "-R", ME, "--regex", "v=(.*)", "-a", "out", "../long"];
        let mut command = faulty(&room, &args, Fault::Error(Errno::IO), at, false);
        command.env("FAULT_CALLS", libc::SYS_read.to_string());
        let ended = ended(command);
        if ended.code == Some(0) && at > 40 {
            break;
        }
        if ended.code == Some(2) && ended.err.contains("\"../long\": input/output error") {
            assert!(!ended.err.contains("not written"), "{ended:?}");
            let opened = room.run(["log", "open", "-i", KEY, "out"]).out;
            // A line that was not read to its end is sealed as a line, so the opened log ends with a line feed.
            let opened = opened.strip_suffix(b"\n").unwrap_or_default();
            assert!(text.as_bytes().starts_with(opened), "another log after call {at}");
            kept.push(opened.len());
        }
    }
    assert!(text.len() > 3 << 18 && kept.iter().any(|kept| *kept >= 3 << 18), "{kept:?}");
}

/// Under `nohup`, a signal that is ignored stays so.
#[test]
fn a_signal_that_is_ignored_ends_nothing() {
    let room = room();
    room.shell(
        "trap '' HUP; (sleep 0.2; cat ../plain) | sealmark seal -R ../me -o out & kill -HUP $!; wait $!",
    )
    .done();
    assert!(sealed(&room, &room.read("out")));
}
