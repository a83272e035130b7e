//! `log seal` on a server: it reads from a syslog socket, is started as root, and gets lines of any length.

use crate::log_room::{SEAL, Sealer, all_opened, line, lines, seal, text, until};
use crate::mounts::skip;
use crate::room::{ME, Room};
use crate::watched::{Feed, watch};
use rustix::process::Signal;
use std::fs;
use std::net::UdpSocket;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixDatagram;
use std::path::Path;

/// A message as nginx sends it.
fn message(number: usize) -> String {
    format!("<190>Nov 21 12:00:01 host nginx: {}", line(number).trim_end())
}

#[test]
fn messages_to_a_socket_are_lines() {
    let room = Room::new();
    let sealer = Sealer::start(seal(&room, &["--syslog", "unix:socket", "--append", "log"]));
    until("the socket", || room.path("socket").exists());
    assert_eq!(fs::metadata(room.path("socket")).unwrap().mode() & 0o777, 0o666);
    let sender = UnixDatagram::unbound().unwrap();
    for number in 0..2000 {
        sender.send_to(message(number).as_bytes(), room.path("socket")).unwrap();
    }
    let second = room.run([&SEAL[..], &["--syslog", "unix:socket"]].concat());
    second.failed(2, "another program listens there");
    sealer.signal(Signal::HUP);
    sender.send_to(message(2000).as_bytes(), room.path("socket")).unwrap();
    sealer.signal(Signal::TERM);
    sealer.wait().done();
    assert_eq!(all_opened(&room, &text(room.path("log"))), lines(0..2001));
    assert_eq!(room.names(), ["log"]);
}

#[test]
fn messages_over_loopback_are_lines() {
    let room = Room::new();
    let free = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let sealer = Sealer::start(seal(&room, &["--syslog", &format!("udp:{free}"), "--append", "log"]));
    until("the log", || text(room.path("log")).contains("~s1h~"));
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    for number in 0..100 {
        sender.send_to(message(number).as_bytes(), free).unwrap();
    }
    sealer.signal(Signal::TERM);
    let ended = sealer.wait();
    ended.done();
    assert_eq!(all_opened(&room, &text(room.path("log"))), lines(0..100));
    let (note, more) = ended.err.split_once('\n').unwrap();
    assert!(note.starts_with("note: 100 lines read; values found: --"), "{ended:?}");
    let written = text(room.path("log")).len();
    assert_eq!(
        more,
        format!("note: {written} bytes and 1 header written, 0 values replaced with ~s1x~ markers\n")
    );
}

/// A killed sealer leaves a socket behind, and the next one takes its place.
#[test]
fn a_socket_of_the_dead_is_replaced() {
    let room = Room::new();
    for _ in 0..2 {
        let sealer = Sealer::start(seal(&room, &["--syslog", "unix:socket", "--append", "log"]));
        let sender = UnixDatagram::unbound().unwrap();
        until("somebody listens", || sender.connect(room.path("socket")).is_ok());
        sealer.signal(Signal::KILL);
        assert_eq!(sealer.wait().code, None);
        assert!(room.path("socket").exists());
    }
}

const NOBODY: u32 = 65534;

#[test]
fn root_becomes_somebody_else() {
    if !rustix::process::geteuid().is_root() {
        return skip("log_server::root_becomes_somebody_else", "not root here");
    }
    let room = Room::new();
    // Only root can read the key, and only the user `nobody` can write to the directory.
    fs::set_permissions(room.path(ME), fs::Permissions::from_mode(0o600)).unwrap();
    let logs = tempfile::tempdir_in("/tmp").unwrap();
    std::os::unix::fs::chown(logs.path(), Some(NOBODY), None).unwrap();
    let log = logs.path().join("log");
    let user = format!("{NOBODY}:{NOBODY}");
    let args = [&SEAL[..], &["--user", &user, "--append", log.to_str().unwrap()]].concat();
    let mut sealer = Sealer::start(room.sealmark_under(&["setpriv", "--groups", "4,24"], &args));
    sealer.feed(lines(0..10));
    until("a line", || text(&log).contains("n=9"));
    let status = text(format!("/proc/{}/status", sealer.id()));
    for ids in ["Uid:\t65534\t65534\t65534\t65534\n", "Gid:\t65534\t65534\t65534\t65534\n"] {
        assert!(status.contains(ids), "{status}");
    }
    let groups = status.lines().find_map(|line| line.strip_prefix("Groups:")).unwrap().trim();
    assert!(groups.is_empty() || groups == "65534", "still in {groups}");
    assert!(status.contains("CapEff:\t0000000000000000"), "{status}");
    assert_eq!(fs::metadata(&log).unwrap().uid(), NOBODY);
    // Log rotation sends SIGHUP every night: a key that `nobody` may not read again stays in force, and one warning
    // says so.
    for _ in 0..3 {
        let headers = text(&log).matches("~1.1~").count();
        sealer.signal(Signal::HUP);
        until("a header", || text(&log).matches("~1.1~").count() > headers);
    }
    fs::rename(&log, logs.path().join("log.1")).unwrap();
    until("a new file", || log.exists());
    sealer.feed(lines(10..20));
    let ended = sealer.end();
    ended.done();
    assert!(!ended.err.contains("warning"), "{ended:?}");
    assert_eq!(
        ended.err.matches("note: only root can read \"../me\", so SIGHUP cannot reload it").count(),
        1,
        "{ended:?}"
    );
    assert_eq!(all_opened(&room, &text(&log)), lines(10..20));
    follows_no_link(&room, logs.path(), &user);
}

/// Root does not follow a link in a directory where somebody else may make links.
fn follows_no_link(room: &Room, logs: &Path, user: &str) {
    std::os::unix::fs::symlink(room.path("../key.txt"), logs.join("link")).unwrap();
    let before = room.read("../key.txt");
    let link = logs.join("link");
    let refused = room.run([&SEAL[..], &["--user", user, "--append", link.to_str().unwrap()]].concat());
    refused.failed(2, "symbolic links");
    assert_eq!(room.read("../key.txt"), before);
}

/// Root follows no link among the directories either, and writes to no file that belongs to others or has a second
/// name.
#[test]
fn nobody_leads_root_elsewhere() {
    if !rustix::process::geteuid().is_root() {
        return skip("log_server::nobody_leads_root_elsewhere", "not root here");
    }
    let room = Room::new();
    let logs = tempfile::tempdir_in("/tmp").unwrap();
    std::os::unix::fs::symlink(room.work(), logs.path().join("way")).unwrap();
    for name in ["secret", "others"] {
        fs::write(logs.path().join(name), "not to be touched").unwrap();
    }
    fs::hard_link(logs.path().join("secret"), logs.path().join("hard")).unwrap();
    std::os::unix::fs::chown(logs.path().join("others"), Some(1), None).unwrap();
    let cases = [
        ("way/new", "symbolic link"),
        ("way/../new", "symbolic link"),
        ("hard", "more than one hard link"),
        ("others", "and not by root or the user"),
    ];
    for (name, words) in cases {
        let path = logs.path().join(name);
        for flag in ["--append", "--side-file"] {
            refused(&room, &[flag, path.to_str().unwrap()]).failed(2, words);
        }
    }
    let socket = format!("unix:{}/way/socket", logs.path().display());
    refused(&room, &["--syslog", &socket]).failed(2, "symbolic link");
    assert!(room.names().is_empty(), "{:?}", room.names());
    for name in ["secret", "others"] {
        assert_eq!(text(logs.path().join(name)), "not to be touched");
    }
}

/// Runs the program with the option that makes it somebody else.
fn refused(room: &Room, more: &[&str]) -> crate::room::Ended {
    let user = format!("{NOBODY}:{NOBODY}");
    room.run([&SEAL[..], &["--user", &user], more].concat())
}

/// The socket is made, and removed again, in a directory that belongs to somebody else.
#[test]
fn somebody_else_has_a_socket() {
    if !rustix::process::geteuid().is_root() {
        return skip("log_server::somebody_else_has_a_socket", "not root here");
    }
    let room = Room::new();
    let logs = tempfile::tempdir_in("/tmp").unwrap();
    std::os::unix::fs::chown(logs.path(), Some(NOBODY), None).unwrap();
    let (socket, log) = (logs.path().join("socket"), logs.path().join("log"));
    let (user, address) = (format!("{NOBODY}:{NOBODY}"), format!("unix:{}", socket.display()));
    for round in 0..2 {
        let args = ["--user", &user, "--syslog", &address, "--append", log.to_str().unwrap()];
        let sealer = Sealer::start(seal(&room, &args));
        let sender = UnixDatagram::unbound().unwrap();
        until("somebody listens", || sender.connect(&socket).is_ok());
        sender.send(message(round).as_bytes()).unwrap();
        until("a line", || text(&log).contains(&format!("n={round}")));
        sealer.signal(if round == 0 { Signal::KILL } else { Signal::TERM });
        assert_eq!(sealer.wait().code, [None, Some(0)][round]);
        assert_eq!(socket.exists(), round == 0);
    }
    assert_eq!(all_opened(&room, &text(&log)), lines(0..2));
}

#[test]
fn only_root_becomes_somebody_else() {
    if !rustix::process::geteuid().is_root() {
        return skip("log_server::only_root_becomes_somebody_else", "not root here");
    }
    let room = Room::new();
    let me = fs::read_to_string(room.path(ME)).unwrap();
    let args = ["log", "seal", "-r", &me, "--regex", "x"];
    let starter = ["setpriv", "--reuid", "65534", "--clear-groups"];
    let program = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(program.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_sealmark"), program.path().join("sealmark")).unwrap();
    let run = |user: &str| {
        let mut command = std::process::Command::new(starter[0]);
        command.args(&starter[1..]).arg(program.path().join("sealmark")).args(args).args(["--user", user]);
        let ended: crate::room::Ended = command.stdin(std::process::Stdio::null()).output().unwrap().into();
        ended
    };
    run("1").failed(1, "only root can switch to user 1");
    run("65534:0").done();
}

/// A line that is longer than any value is sealed in pieces, and no piece stays in memory.
#[test]
fn a_long_line_takes_no_more_memory() {
    const MIB: u64 = 1 << 20;
    let room = Room::new();
    for unparsed in ["seal", "pass", "drop"] {
        let feed = Feed::Repeated { start: line(0).into(), repeat: vec![b'x'; MIB as usize], times: 64 };
        let watched = watch(seal(&room, &["--unparsed", unparsed]), feed);
        watched.ended.done();
        let expected = match unparsed {
            "drop" => 0,
            _ => 64 * MIB * 4 / 3,
        };
        assert!(
            (expected..expected + MIB / 10).contains(&watched.written),
            "{unparsed}: {}",
            watched.written
        );
        assert!(watched.peak > MIB && watched.peak < 24 * MIB, "{unparsed}: {} bytes", watched.peak);
    }
}

/// systemd passes the socket on and keeps it open, so a restart of the service loses no line.
#[test]
fn a_restart_by_systemd_loses_no_line() {
    let room = Room::new();
    let socket = UnixDatagram::bind(room.path("socket")).unwrap();
    let told = UnixDatagram::bind(room.path("notify")).unwrap();
    told.set_read_timeout(Some(std::time::Duration::from_secs(30))).unwrap();
    let path = room.path("socket");
    let sender = std::thread::spawn(move || {
        let sender = UnixDatagram::unbound().unwrap();
        for number in 0..3000 {
            sender.send_to(message(number).as_bytes(), &path).unwrap();
            std::thread::sleep(std::time::Duration::from_micros(300));
        }
    });
    for restart in 0..4 {
        let sealer = Sealer::start(handed_over(&room, &socket, &["--append", "log"]));
        let mut state = [0; 64];
        let length = told.recv(&mut state).unwrap();
        assert_eq!(&state[..length], b"READY=1\n", "{restart}");
        if restart == 3 {
            until("the last line", || text(room.path("log")).contains("n=2999 "));
        } else {
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        sealer.signal(Signal::TERM);
        sealer.wait().done();
    }
    sender.join().unwrap();
    assert_eq!(all_opened(&room, &text(room.path("log"))), lines(0..3000));
    assert!(room.path("socket").exists(), "it is systemd's");
}

#[test]
fn without_systemd_there_is_no_socket_of_its() {
    let room = Room::new();
    room.run([&SEAL[..], &["--syslog", "systemd"]].concat())
        .failed(1, "expected one socket from systemd, got 0");
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let connection = std::net::TcpStream::connect(tcp.local_addr().unwrap()).unwrap();
    Sealer::start(handed_over(&room, &connection, &[]))
        .wait()
        .failed(1, "neither a datagram socket nor a listening stream socket");
    if let Ok(open) = UdpSocket::bind("0.0.0.0:0") {
        Sealer::start(handed_over(&room, &open, &[])).wait().failed(1, "is open to other machines");
    }
}

/// The program as systemd starts it: the socket is file descriptor 3, and the environment names the process that it is
/// for.
pub fn handed_over(room: &Room, socket: &impl std::os::fd::AsFd, more: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::new("bash");
    let script = "export LISTEN_PID=$$ LISTEN_FDS=1; exec \"$@\" 3<&\"$SOCKET\"";
    let inherited = rustix::io::dup(socket).unwrap();
    let number = std::os::fd::IntoRawFd::into_raw_fd(inherited);
    command.args(["-c", script, "bash"]).arg(env!("CARGO_BIN_EXE_sealmark")).args(SEAL);
    command.args(["--syslog", "systemd"]).args(more).current_dir(room.work());
    command.env("SOCKET", number.to_string()).env("NOTIFY_SOCKET", room.path("notify"));
    command
}
