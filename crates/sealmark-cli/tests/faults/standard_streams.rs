//! Standard streams that end early, are closed, or are unusual files.

use crate::room::{Ended, KEY, ME, Room, bytes};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::thread;

const LENGTH: usize = 8 << 20;

fn room() -> Room {
    let room = Room::new();
    room.write("../plain", bytes(LENGTH));
    room.write_sealed("../in.sealed", bytes(LENGTH));
    room
}

/// `yes | head` is not an error for text, but a sealed file without its end is one.
#[test]
fn a_reader_that_goes_away() {
    let room = room();
    for command in [
        "sealmark seal -R ../me ../plain -o -",
        "sealmark seal -R ../me < ../plain",
        "sealmark seal -a -R ../me < ../plain",
        "sealmark open -i ../key.txt ../in.sealed -o -",
        "sealmark open -i ../key.txt < ../in.sealed",
        "sealmark open -i ../key.txt --range 0..5000000 ../in.sealed",
    ] {
        let ended = room.shell(&format!("{command} | head -c 1000 >/dev/null; exit ${{PIPESTATUS[0]}}"));
        ended.failed(2, "broken pipe");
        assert!(ended.err.contains("hint: the program that reads the output ended early"), "{ended:?}");
        assert!(room.names().is_empty());
    }
}

/// A program that writes to us may be waiting for something else; one that reads from us is gone for good.
#[test]
fn a_reader_that_goes_away_while_the_writer_waits() {
    let room = room();
    let start = std::time::Instant::now();
    // The shell does not wait for a process substitution.
    let ended = room.shell(
        "sealmark seal -R ../me < <(head -c 3500000 ../plain; exec sleep 15 2>/dev/null) | head -c 1200000 >/dev/null; \
         exit ${PIPESTATUS[0]}",
    );
    ended.failed(2, "broken pipe");
    assert!(start.elapsed().as_secs() < 10, "it waited for input that nobody would have read");
}

/// The first file that is opened gets the number of a closed stream: output for the stream must not end up in it.
#[test]
fn closed_streams_stay_out_of_the_files() {
    let room = room();
    for closed in [">&-", "2>&-", "<&-", "<&- >&- 2>&-"] {
        room.shell(&format!("sealmark seal -R {ME} ../plain -o out {closed}")).done();
        assert_eq!(room.opened("out").unwrap(), bytes(LENGTH), "{closed}");
        room.shell(&format!("sealmark open -i {KEY} out -o back {closed}")).done();
        assert_eq!(room.read("back"), bytes(LENGTH), "{closed}");
        room.shell(&format!("sealmark keygen -o key {closed}")).done();
        assert!(room.run(["keygen", "-y", "key"]).out.starts_with(b"age1pq1"), "{closed}");
        ["out", "back", "key"].iter().for_each(|name| fs::remove_file(room.path(name)).unwrap());
        let failed = room.shell(&format!("sealmark open -i {KEY} ../plain -o out {closed}"));
        assert_eq!(failed.code, Some(4), "{failed:?}");
        assert!(room.names().is_empty(), "{:?}", room.names());
    }
}

#[test]
fn pipes_and_devices_as_named_files() {
    let room = room();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        room.path("../pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let read = thread::spawn({
        let pipe = room.path("../pipe");
        move || fs::read(pipe).unwrap()
    });
    room.run(["seal", "-R", ME, "../plain", "-o", "../pipe"]).done();
    room.write("through-pipe", read.join().unwrap());
    assert_eq!(room.opened("through-pipe").unwrap(), bytes(LENGTH));
    let write = thread::spawn({
        let (pipe, sealed) = (room.path("../pipe"), room.read("through-pipe"));
        move || fs::write(pipe, sealed).unwrap()
    });
    room.run(["open", "-i", KEY, "../pipe", "-o", "opened"]).done();
    write.join().unwrap();
    assert_eq!(room.read("opened"), bytes(LENGTH));
    assert_eq!(room.names(), ["opened", "through-pipe"]);
    room.run(["seal", "-R", ME, "../plain", "-o", "/dev/null"]).done();
    room.run(["open", "-i", KEY, "../in.sealed", "-o", "/dev/null"]).done();
    let shown = room.run(["open", "-i", KEY, "../in.sealed", "-o", "/dev/stdout"]);
    assert_eq!((shown.code, shown.out), (Some(0), bytes(LENGTH)));
    assert_eq!(room.names(), ["opened", "through-pipe"]);
}

/// A file that can be read from its end gives no plaintext if its end is missing, wherever the content should go.
#[test]
fn a_file_that_was_cut_gives_nothing_to_a_stream() {
    let room = room();
    room.shell("sealmark seal --age -R ../me ../plain -o ../in.age; mkfifo ../fifo").done();
    for sealed in ["../in.sealed", "../in.age"] {
        for length in [100_000, 2_500_000, LENGTH] {
            room.shell(&format!("head -c {length} {sealed} > ../cut")).done();
            for command in [
                "sealmark open -i ../key.txt ../cut -o -",
                "sealmark open -i ../key.txt < ../cut",
                "cat ../fifo & sealmark open -i ../key.txt ../cut -o ../fifo; code=$?; wait; exit $code",
                "cat ../fifo & sealmark open -i ../key.txt -o ../fifo < ../cut; code=$?; wait; exit $code",
            ] {
                let ended = room.shell(command);
                ended.failed(4, "altered, damaged or truncated");
                assert_eq!(ended.out.len(), 0, "{command} of {sealed}, cut to {length}");
            }
        }
    }
    assert!(room.names().is_empty());
}

/// A sealed file on standard input may begin after other lines, such as a passphrase.
#[test]
fn a_file_that_is_not_read_from_its_start() {
    let room = room();
    room.shell("(echo line; cat ../in.sealed) > ../behind").done();
    for output in ["", "-o opened"] {
        let command = format!("(read line; sealmark open -i ../key.txt {output}) < ../behind");
        let ended = room.shell(&command);
        ended.done();
        let opened = if output.is_empty() { ended.out } else { room.read("opened") };
        assert!(opened == bytes(LENGTH), "{command}");
    }
    let range = room.shell("(read line; sealmark open -i ../key.txt --range 5000000..5000010) < ../behind");
    assert_eq!((range.code, &range.out[..]), (Some(0), &bytes(LENGTH)[5_000_000..5_000_010]));
}

#[test]
fn damage_is_told_while_the_sender_keeps_silent() {
    let room = room();
    room.shell(
        "(head -c 1500000 ../in.sealed; printf xxxxxxxxxxxxxxxx; tail -c +1500017 ../in.sealed) > ../bad",
    )
    .done();
    for verb in ["open", "verify"] {
        let start = std::time::Instant::now();
        // The shell does not wait for a process substitution.
        let silent = "head -c 2400000 ../bad; exec sleep 30 2>/dev/null";
        let ended = room.shell(&format!("sealmark {verb} -j 3 -i ../key.txt < <({silent})"));
        ended.failed(4, "altered, damaged or truncated");
        assert!(start.elapsed().as_secs() < 20, "{verb} waited for the sender");
    }
}

#[test]
fn a_stream_that_does_not_block_is_waited_for() {
    let room = room();
    let (reader, mut writer) = std::io::pipe().unwrap();
    rustix::fs::fcntl_setfl(&reader, rustix::fs::OFlags::NONBLOCK).unwrap();
    let plain = bytes(LENGTH);
    let sender = thread::spawn(move || {
        plain.chunks(1_000_000).for_each(|piece| {
            thread::sleep(std::time::Duration::from_millis(5));
            std::io::Write::write_all(&mut writer, piece).unwrap();
        });
    });
    let mut command = room.sealmark(["seal", "-R", ME, "-o", "out"]);
    let ended: Ended = command.stdin(reader).output().unwrap().into();
    drop(command);
    ended.done();
    sender.join().unwrap();
    assert_eq!(room.opened("out").unwrap(), bytes(LENGTH));
}

#[test]
fn a_limit_of_file_size_is_an_error() {
    let room = room();
    for command in ["seal -R ../me ../plain -o out", "open -i ../key.txt -o out < ../in.sealed"] {
        room.shell(&format!("ulimit -f 1000; sealmark {command}")).failed(2, "file too large");
        assert!(room.names().is_empty());
    }
}

/// The file exists already, and is replaced only by force: the file, not the link that leads to it. The test makes a
/// link of its own, because a failure under root would replace /dev/stdout.
#[test]
fn standard_output_that_is_a_file() {
    let room = room();
    symlink("/proc/self/fd/1", room.path("../stdout")).unwrap();
    let open = |force: &[&str]| -> Ended {
        let args = [&["open", "-i", KEY, "../in.sealed", "-o", "../stdout"], force].concat();
        let out = File::create(room.path("out")).unwrap();
        let mut command = room.sealmark(args);
        command.stdout(out).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap().into()
    };
    open(&[]).failed(1, "already exists");
    assert_eq!(room.read("out"), b"");
    open(&["--force"]).done();
    assert_eq!((room.names(), room.read("out")), (vec!["out".to_owned()], bytes(LENGTH)));
    assert!(room.path("../stdout").is_symlink(), "the link is gone");
    room.shell(&format!("sealmark open -i {KEY} ../in.sealed -o - > out")).done();
    assert_eq!(room.read("out"), bytes(LENGTH));
}

#[test]
fn standard_output_that_does_not_block_is_waited_for() {
    use std::io::Read;
    let room = room();
    for arguments in
        [&["open", "-i", KEY, "-o", "-", "../in.sealed"][..], &["open", "-i", KEY, "--range", "0.."]]
    {
        let (mut reader, writer) = std::io::pipe().unwrap();
        rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::NONBLOCK).unwrap();
        let mut command = room.sealmark(arguments);
        command.stdin(File::open(room.path("../in.sealed")).unwrap()).stdout(writer).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        drop(command);
        thread::sleep(std::time::Duration::from_millis(300));
        let mut opened = Vec::new();
        reader.read_to_end(&mut opened).unwrap();
        Ended::from(child.wait_with_output().unwrap()).done();
        assert!(opened == bytes(LENGTH), "{arguments:?}");
    }
}
