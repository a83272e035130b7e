//! A sealed file in a store, read in ranges: few commands, nothing that is not authentic, and each fault is named.

use crate::folders::tree;
use crate::mounts::skip;
use crate::room::{Ended, KEY, ME, Room, bytes};
use sealmark::archive::{Entry, Item, Kind, Time, seal_archive};
use sealmark::{Existing, Job, Output};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::{fs, thread};

/// A server on the loopback interface that has one file. It ends with the test's process.
struct Store {
    url: String,
    /// The ranges that were asked for.
    asked: Arc<Mutex<Vec<Range<u64>>>>,
}

impl Store {
    fn of(file: Vec<u8>) -> Self {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", server.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<_>>>::default();
        let log = asked.clone();
        thread::spawn(move || server.incoming().for_each(|client| answer(client.unwrap(), &file, &log)));
        Self { url, asked }
    }

    /// Arguments that read the file by curl, as far as `size` bytes.
    fn args(&self, size: usize) -> [String; 4] {
        let command = format!("curl -sf -r {{offset}}-{{last}} {}/file", self.url);
        ["--ranges".into(), command, "--size".into(), size.to_string()]
    }

    fn asked(&self) -> Vec<Range<u64>> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

/// One request of HTTP/1.1 with `Range: bytes=FIRST-LAST`; a path other than `/file` ignores ranges.
fn answer(mut client: TcpStream, file: &[u8], log: &Mutex<Vec<Range<u64>>>) {
    let lines: Vec<String> = BufReader::new(client.try_clone().unwrap())
        .lines()
        .map(|line| line.unwrap_or_default().to_ascii_lowercase())
        .take_while(|line| !line.is_empty())
        .collect();
    let asked = lines.iter().find_map(|line| line.strip_prefix("range: bytes=")?.split_once('-'));
    let (status, body) = match asked.filter(|_| lines[0].starts_with("get /file ")) {
        Some((first, last)) => {
            let (first, last) = (first.parse().unwrap(), last.parse::<u64>().unwrap());
            log.lock().unwrap().push(first..last + 1);
            let end = (last as usize + 1).min(file.len());
            ("206 Partial Content", file.get(first as usize..end))
        }
        None => ("200 OK", Some(file)),
    };
    let (status, body) = body.map_or(("416 Range Not Satisfiable", &b""[..]), |body| (status, body));
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    // A client that has enough closes the connection.
    let _gone = client.write_all(head.as_bytes()).and_then(|()| client.write_all(body));
}

fn has_curl() -> bool {
    let is_there = Command::new("curl").arg("--version").output().is_ok();
    if !is_there {
        skip("ranges", "curl is not here");
    }
    is_there
}

fn run(room: &Room, args: &[&str], ranges: &[String]) -> Ended {
    room.run(args.iter().copied().chain(ranges.iter().map(String::as_str)))
}

/// Most files are empty: only the size of the index matters here, of which an entry takes 70 bytes.
fn seal_many(room: &Room, name: &str, count: usize) -> Vec<u8> {
    let entry = |number: usize| {
        let path = many(number);
        Entry::new(path, Kind::File { size: 4096 * (number % 100 / 99) as u64 }, 0o644, Time::default())
    };
    let items = (0..count).map(|number| {
        let content = format!("{number:06} ").repeat(1000).into_bytes();
        Ok(Item::new(entry(number), std::io::Cursor::new(content)))
    });
    let output = Output::create(room.path(name), Existing::Refuse).unwrap();
    seal_archive(items, output, &room.to_me(), &Job::default(), tempfile::tempfile).unwrap();
    room.read(name)
}

fn many(number: usize) -> String {
    format!("{number:06} is the number of a file that has a name of 60 bytes")
}

#[test]
fn one_file_out_of_many_takes_few_commands() {
    if !has_curl() {
        return;
    }
    let room = Room::new();
    let sealed = seal_many(&room, "many.sealed", 30_000);
    let store = Store::of(sealed.clone());
    let args = ["open", "-i", KEY, "--into", "one", "--only", &many(12_399)];
    run(&room, &args, &store.args(sealed.len())).done();
    assert!(room.read(format!("one/{}", many(12_399))).starts_with(b"012399 012399 "));
    let asked = store.asked();
    let bytes: u64 = asked.iter().map(|range| range.end - range.start).sum();
    assert!(asked.len() <= 5 && bytes <= 2_000_000, "{bytes} bytes: {asked:?}");
    // The index of this one is within the end that is read at first.
    let sealed = seal_many(&room, "fewer.sealed", 10_000);
    let store = Store::of(sealed.clone());
    run(&room, &args, &store.args(sealed.len())).failed(1, "no path in the archive matches");
    assert_eq!(store.asked().len(), 2);
    let args = ["open", "-i", KEY, "--into", "two", "--only", &many(2_399)];
    run(&room, &args, &store.args(sealed.len())).done();
    assert_eq!(store.asked().len(), 3);
}

#[test]
fn a_file_in_a_store_is_read_like_one_that_is_here() {
    if !has_curl() {
        return;
    }
    let room = Room::new();
    fs::create_dir_all(room.path("d/sub")).unwrap();
    for number in 0..200 {
        room.write(format!("d/sub/{number}"), bytes(number * 50));
    }
    for (name, length) in [("d/large", 5_000_000), ("d/one", 1), ("d/two", 1_200_000)] {
        room.write(name, bytes(length));
    }
    room.run(["seal", "-R", ME, "d"]).done();
    room.run(["open", "-i", KEY, "d.tar.sealed"]).done();
    room.write_sealed("plain.sealed", bytes(3_000_000));
    for name in ["d.tar.sealed", "plain.sealed"] {
        let sealed = room.read(name);
        let store = Store::of(sealed.clone());
        for verb in [
            &["list", "-i", KEY, "-l"][..],
            &["verify", "-j", "3", "-i", KEY],
            &["open", "-i", KEY, "--range", "1000000..2900000"],
            &["open", "-i", KEY, "--range", "..0"],
        ] {
            let here = room.run(verb.iter().chain(&[name]));
            let there = run(&room, verb, &store.args(sealed.len()));
            assert_eq!(here.code, there.code, "{verb:?}: {there:?}");
            let shown = |ended: &Ended| String::from_utf8_lossy(&ended.out).replace(name, "curl");
            let asked: u64 = store.asked().iter().map(|range| range.end - range.start).sum();
            // `list` reads the start and the end, and no content between them.
            let most = if verb[0] == "list" { 1_300_000 } else { sealed.len() as u64 };
            assert!(asked <= most, "{verb:?}: {asked} bytes");
            assert!(shown(&here) == shown(&there), "{verb:?}");
        }
        let opened = run(&room, &["open", "-i", KEY, "-o", "opened"], &store.args(sealed.len()));
        opened.done();
        let plain = if name == "plain.sealed" { bytes(3_000_000) } else { room.read("d.tar") };
        assert!(room.read("opened") == plain, "{name}");
        fs::remove_file(room.path("opened")).unwrap();
    }
    let sealed = room.read("d.tar.sealed");
    let store = Store::of(sealed.clone());
    run(&room, &["open", "-j", "4", "-i", KEY, "--into", "all"], &store.args(sealed.len())).done();
    assert_eq!(tree(&room.path("all/d")), tree(&room.path("d")));
    // Each command gives more than the one before, and nothing is fetched twice.
    let asked = store.asked();
    let bytes: u64 = asked.iter().map(|range| range.end - range.start).sum();
    assert!(asked.len() <= 16 && bytes <= sealed.len() as u64, "{bytes} bytes: {asked:?}");
}

#[test]
fn no_fault_of_a_command_is_silent() {
    let room = Room::new();
    fs::create_dir(room.path("d")).unwrap();
    for number in 0..60 {
        room.write(format!("d/{number}"), bytes(50_000));
    }
    room.run(["seal", "-R", ME, "d"]).done();
    let (size, name) = (room.read("d.tar.sealed").len(), "d.tar.sealed");
    let good = |script: &str| {
        format!("sh -c '{script}tail -c +$(($0+1)) {name} | head -c $1' {{offset}} {{length}}")
    };
    let size = size as u64;
    for (command, size, code, error, hint) in [
        ("no-such-program {offset} {length}".into(), size, 2, "was not started: no such file", "install it"),
        (
            "./d {offset} {length}".into(),
            size,
            2,
            "was not started: permission denied",
            "name another program",
        ),
        ("false {offset} {length}".into(), size, 2, "ended with exit code 1 for the range", "by itself"),
        // It fails at its end, although it gave all bytes.
        (good("trap \"exit 9\" EXIT; "), size, 2, "ended with exit code 9", "by itself"),
        ("sh -c 'kill -9 $$' {offset} {length}".into(), size, 2, "was killed by signal 9", "by itself"),
        (
            format!("sh -c 'head -c 99 {name}' {{offset}} {{length}}"),
            size,
            2,
            "returned 99 bytes",
            "compare --size",
        ),
        ("true {offset} {length}".into(), size, 2, "returned 0 bytes for the range", "compare --size"),
        ("yes {offset} {length}".into(), size, 2, "returned more than the range", "pass {offset}"),
        (
            format!("sh -c 'cat {name}' {{offset}} {{last}}"),
            size,
            2,
            "returned more than the range",
            "pass {offset}",
        ),
        // Bytes of another place, and zeros.
        (
            format!("sh -c 'tail -c +$(($0+2)) {name} | head -c $1' {{offset}} {{length}}"),
            size,
            4,
            "neither",
            "--size",
        ),
        ("sh -c 'head -c $1 /dev/zero' {offset} {length}".into(), size, 4, "neither a sealmark", "--size"),
        (good(""), size - 1, 4, "", "compare --size"),
        (good(""), size + 1, 2, "bytes for the range", "compare --size"),
        (good(""), size / 2, 4, "", "compare --size"),
        (good(""), 10, 4, "", "compare --size"),
    ] {
        let (command, size): (String, String) = (command, size.to_string());
        for verb in [
            &["list", "-i", KEY][..],
            &["verify", "-i", KEY],
            &["open", "-i", KEY, "--range", "..9"],
            &["open", "-i", KEY, "--into", "new"],
            &["open", "-i", KEY, "-o", "opened"],
        ] {
            let ended = room.run(verb.iter().chain(&["--ranges", &command, "--size", &size]));
            ended.failed(code, error);
            assert!(hint.is_empty() || ended.err.contains("hint: ") && ended.err.contains(hint), "{ended:?}");
            assert!(ended.out.is_empty(), "{command} {verb:?}");
            assert_eq!(room.names(), ["d", name], "{command} {verb:?}");
        }
    }
}

/// A program may fail after some ranges, and a store may give other bytes than were sealed.
#[test]
fn nothing_is_believed_before_it_is_authenticated() {
    let room = Room::new();
    fs::create_dir(room.path("d")).unwrap();
    for number in 0..60 {
        room.write(format!("d/{number}"), bytes(50_000 + number));
    }
    let before = tree(&room.path("d"));
    room.run(["seal", "-R", ME, "d"]).done();
    let sealed = room.read("d.tar.sealed");
    let size = sealed.len().to_string();
    let args = |command: &str, rest: &[&str]| {
        room.run(["open", "-i", KEY, "--ranges", command, "--size", &size].iter().chain(rest))
    };
    let good = "sh -c 'tail -c +$(($0+1)) damaged | head -c $1' {offset} {length}";
    for at in (0..sealed.len()).step_by(sealed.len() / 23).chain([sealed.len() - 1]) {
        let mut damaged = sealed.clone();
        damaged[at] ^= 1;
        room.write("damaged", damaged);
        let ended = args(good, &["--into", "new"]);
        assert!(matches!(ended.code, Some(3 | 4)), "byte {at}: {ended:?}");
        if room.path("new/d").exists() {
            for (name, what) in
                tree(&room.path("new/d")).iter().filter(|(name, _)| name.components().count() > 0)
            {
                assert_eq!(before.get(name), Some(what), "byte {at}");
            }
            fs::remove_dir_all(room.path("new")).unwrap();
        }
    }
    // The program works until the end of the file was read.
    room.write("damaged", &sealed);
    let once = "sh -c 'echo >> ../log; test $0 -ne 131072 && tail -c +$(($0+1)) damaged | head -c $1' {offset} {length}";
    let ended = args(once, &["-j", "4", "--into", "new"]);
    ended.failed(2, "\"sh\" ended with exit code 1 for the range");
    assert!(!room.path("new/d/0").exists(), "{ended:?}");
    assert_eq!(room.read("../log"), b"\n\n\n", "no thread tries again");
}

/// Our standard input is for keys and passphrases.
#[test]
fn the_command_gets_no_standard_input() {
    let room = Room::new();
    room.write_sealed("x.sealed", "text");
    let size = room.read("x.sealed").len();
    let command = "sh -c 'cat >&2; readlink /proc/$$/fd/0 >&2; cat x.sealed' {offset} {length}";
    let script =
        format!("sealmark open -i - --ranges {command:?} --size {size} < {KEY}").replace("$$", "\\$\\$");
    let ended = room.shell(&script);
    ended.done();
    assert_eq!((&ended.out[..], &ended.err[..]), (&b"text"[..], "/dev/null\n"));
}
