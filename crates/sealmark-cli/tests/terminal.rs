//! Questions, refusals and the progress bar, which need a terminal: here, a pseudo-terminal.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tempfile::TempDir;

const LONG_ENOUGH: Duration = Duration::from_secs(60);

/// A shell command at a terminal, and all text that the screen has shown.
struct Terminal {
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    shown: String,
    child: Child,
}

impl Terminal {
    fn run(directory: &Path, command: &str) -> Self {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        tcsetwinsize(&controller, Winsize { ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap().into_string().unwrap();
        let keyboard = File::from(controller);
        let child = in_front_of(&name, directory, command);
        Self { screen: pump(keyboard.try_clone().unwrap()), keyboard, shown: String::new(), child }
    }

    fn wait_for(&mut self, text: &str) -> &mut Self {
        while !self.shown.contains(text) {
            match self.screen.recv_timeout(LONG_ENOUGH) {
                Ok(bytes) => self.shown += &String::from_utf8_lossy(&bytes),
                Err(_) => panic!("{text:?} was never shown, but\n{}", self.shown),
            }
        }
        self
    }

    fn enter(&mut self, line: &str) -> &mut Self {
        self.press(&format!("{line}\n"))
    }

    fn press(&mut self, keys: &str) -> &mut Self {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self
    }

    /// The exit code and the whole screen.
    fn end(mut self) -> (i32, String) {
        while let Ok(bytes) = self.screen.recv_timeout(LONG_ENOUGH) {
            self.shown += &String::from_utf8_lossy(&bytes);
        }
        (self.child.wait().unwrap().code().unwrap(), self.shown)
    }
}

/// `setsid --ctty` makes the terminal the one of /dev/tty, as after a login.
fn in_front_of(terminal: &str, directory: &Path, command: &str) -> Child {
    let program = Path::new(env!("CARGO_BIN_EXE_sealmark"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let side = || {
        let no_ctty = OFlags::NOCTTY.bits() as i32;
        OpenOptions::new().read(true).write(true).custom_flags(no_ctty).open(terminal).unwrap()
    };
    let mut shell = Command::new("setsid");
    shell.args(["--wait", "--ctty", "bash", "-c", command]).current_dir(directory).env("PATH", path);
    shell
        .env("TERM", "xterm")
        .stdin(side())
        .stdout(side())
        .stderr(side())
        .spawn()
        .expect("setsid and bash run")
}

/// Reads until the last program has left the terminal, which is an error (EIO) rather than an end.
fn pump(mut screen: File) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = screen.read(&mut buffer) {
            if sender.send(buffer[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

fn directory_with(note: &[u8]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("note"), note).unwrap();
    let setup = "sealmark keygen --mode ecc -o key && sealmark keygen -y key > me && sealmark seal -R me note -o sealed";
    let (code, screen) = Terminal::run(directory.path(), setup).end();
    assert_eq!(code, 0, "{screen}");
    directory
}

#[test]
fn a_new_passphrase_is_asked_for_twice_and_never_shown() {
    let directory = directory_with(b"the content");
    let mut terminal =
        Terminal::run(directory.path(), "sealmark seal -p note && sealmark open note.sealed -o -");
    terminal
        .wait_for("New passphrase: ")
        .enter("open sesame")
        .wait_for("Repeat the passphrase: ")
        .enter("open sesame");
    terminal.wait_for("Passphrase: ").enter("open sesame");
    let (code, screen) = terminal.end();
    assert!(code == 0 && screen.contains("the content"), "{screen}");
    assert!(!screen.contains("sesame"), "{screen}");
    // The time was spent in the key derivation; a bar for the eleven bytes after it would only flicker.
    assert!(!screen.contains("left"), "{screen}");
}

#[test]
fn an_interrupted_question_leaves_the_terminal_as_it_was() {
    let directory = directory_with(b"the content");
    let command =
        "stty -a > before; sealmark seal -p note; echo ended with $?; stty -a > after; cmp before after";
    let mut terminal = Terminal::run(directory.path(), command);
    terminal.wait_for("New passphrase: ").press("open ses\u{3}");
    let (code, screen) = terminal.end();
    assert!(code == 0 && screen.contains("ended with 130"), "{code} {screen}");
    assert!(!screen.contains("ses"), "{screen}");
}

/// The program writes down its process number before it asks, and the shell prints its exit code.
const SEAL: &str = "bash -c 'echo $$ > number; exec sealmark seal -p note'; echo ended with $?";

fn send(signal: &str, directory: &Path) {
    let kill = format!("kill -{signal} $(< number)");
    let sent = Command::new("bash").args(["-c", &kill]).current_dir(directory).status().unwrap();
    assert!(sent.success());
}

#[test]
fn a_question_that_is_killed_leaves_the_terminal_as_it_was() {
    let directory = directory_with(b"the content");
    for (signal, code) in [("TERM", 143), ("HUP", 129), ("INT", 130), ("QUIT", 131)] {
        let command = format!("ulimit -c 0; stty -a > before; {SEAL}; stty -a > after; cmp before after");
        let mut terminal = Terminal::run(directory.path(), &command);
        terminal.wait_for("New passphrase: ");
        send(signal, directory.path());
        let (ended, screen) = terminal.end();
        assert!(ended == 0 && screen.contains(&format!("ended with {code}")), "{signal}: {ended} {screen}");
    }
}

/// A signal is ignored from the start, as under `nohup`.
#[test]
fn a_signal_that_is_ignored_does_not_end_the_question() {
    let directory = directory_with(b"the content");
    let mut terminal = Terminal::run(directory.path(), &format!("trap '' HUP; {SEAL}"));
    terminal.wait_for("New passphrase: ");
    send("HUP", directory.path());
    terminal.enter("open sesame").wait_for("Repeat the passphrase: ").enter("open sesame");
    let (_, screen) = terminal.end();
    assert!(screen.contains("ended with 0") && !screen.contains("sesame"), "{screen}");
}

#[test]
fn keys_are_joined_by_a_passphrase_when_told() {
    let directory = directory_with(b"the content");
    fs::write(directory.path().join("pw"), "open sesame\n").unwrap();
    let command = "sealmark seal -p --passphrase-file pw note -o locked; sealmark open -i key locked -o -; echo $?; \
        sealmark open -p -i key locked -o -";
    let mut terminal = Terminal::run(directory.path(), command);
    terminal.wait_for("hint: add -p\r\n3\r\n").wait_for("Passphrase: ").enter("open sesame");
    let (code, screen) = terminal.end();
    assert!(code == 0 && screen.contains("the content"), "{code} {screen}");
}

#[test]
fn nothing_typed_is_no_passphrase() {
    let directory = directory_with(b"the content");
    for (typed, message) in [("\u{4}", "no passphrase was typed"), ("\n", "the passphrase is empty")] {
        let mut terminal = Terminal::run(directory.path(), "sealmark seal -p note");
        terminal.wait_for("New passphrase: ").press(typed);
        let (code, screen) = terminal.end();
        assert!(code == 1 && screen.contains(message), "{code} {screen}");
    }
}

#[test]
fn two_passphrases_that_differ_seal_nothing() {
    let directory = directory_with(b"the content");
    let mut terminal = Terminal::run(directory.path(), "sealmark seal -p note");
    terminal
        .wait_for("New passphrase: ")
        .enter("open sesame")
        .wait_for("Repeat the passphrase: ")
        .enter("open sesami");
    let (code, screen) = terminal.end();
    assert!(code == 1 && screen.contains("error: the two passphrases differ"), "{code} {screen}");
    assert!(!directory.path().join("note.sealed").exists());
}

#[test]
fn a_passphrase_is_asked_for_though_all_streams_are_redirected() {
    let directory = directory_with(b"the content");
    let mut terminal = Terminal::run(directory.path(), "sealmark keygen -p > locked 2> public < note");
    terminal
        .wait_for("New passphrase: ")
        .enter("open sesame")
        .wait_for("Repeat the passphrase: ")
        .enter("open sesame");
    assert_eq!(terminal.end().0, 0);
    let mut terminal = Terminal::run(directory.path(), "sealmark keygen -y locked");
    let (code, screen) = {
        terminal.wait_for("Passphrase of \"locked\": ").enter("open sesame");
        terminal.end()
    };
    assert!(code == 0 && screen.contains("age1pq1"), "{screen}");
}

#[test]
fn sealed_bytes_do_not_reach_a_terminal_unless_told() {
    let directory = directory_with(b"the content");
    let (code, screen) = Terminal::run(directory.path(), "sealmark seal -R me < note").end();
    assert!(
        code == 1 && screen.contains("error: refusing to write binary to the terminal"),
        "{code} {screen}"
    );
    assert!(!screen.contains("sealmark/1"), "{screen}");
    let (code, screen) = Terminal::run(directory.path(), "sealmark seal -R me -o - < note").end();
    assert!(code == 0 && screen.contains("sealmark/1"), "{code} {screen}");
    let (code, screen) = Terminal::run(directory.path(), "sealmark seal -a -R me < note").end();
    assert!(code == 0 && screen.contains("BEGIN SEALMARK ENCRYPTED FILE"), "{code} {screen}");
}

#[test]
fn opened_text_is_shown_and_opened_binary_is_not() {
    let directory = directory_with(b"plain text\n");
    let (code, screen) = Terminal::run(directory.path(), "sealmark open -i key < sealed").end();
    assert!(code == 0 && screen.contains("plain text"), "{code} {screen}");
    let directory = directory_with(b"drive \x1b[31m the terminal");
    let (code, screen) = Terminal::run(directory.path(), "sealmark open -i key < sealed").end();
    assert!(
        code == 1 && screen.contains("error: refusing to write binary to the terminal"),
        "{code} {screen}"
    );
    assert!(!screen.contains("drive"), "{screen}");
    let (code, screen) = Terminal::run(directory.path(), "sealmark open -i key --range 0..10 sealed").end();
    assert!(code == 1 && !screen.contains("drive"), "{code} {screen}");
    let (code, screen) = Terminal::run(directory.path(), "sealmark open -i key -o - < sealed").end();
    assert!(code == 0 && screen.contains("drive"), "{code} {screen}");
}

#[test]
fn lines_of_a_log_do_not_drive_the_terminal() {
    let directory = directory_with(b"");
    let line = [&[b'x'; 5000][..], b" ip=\x1b[31m\xc2\x9bred\rgr\xc3\xbcn \n"].concat();
    fs::write(directory.path().join("plain"), line).unwrap();
    let seal = "sealmark log seal -R me --regex 'ip=(.*)' plain -o log";
    assert_eq!(Terminal::run(directory.path(), seal).end().0, 0);
    for verb in ["open -i key", "grep -i key red"] {
        let (code, screen) = Terminal::run(directory.path(), &format!("sealmark log {verb} log")).end();
        assert!(code == 0 && screen.ends_with(" ip=\\x1b[31m\\x9bred\\rgr\u{fc}n \r\n"), "{code} {screen}");
    }
    let bytes = "sealmark log open --raw -i key log | cmp - plain && sealmark log open --raw -i key -o - log";
    let (code, screen) = Terminal::run(directory.path(), bytes).end();
    assert!(code == 0 && screen.contains("\x1b[31m\u{9b}red\rgr"), "{code} {screen}");
}

#[test]
fn a_pasted_file_is_opened_when_all_of_it_is_there() {
    let directory = directory_with(b"plain text\n");
    let seal = "sealmark seal -a -R me < note > armored";
    assert_eq!(Terminal::run(directory.path(), seal).end().0, 0);
    let armored = fs::read_to_string(directory.path().join("armored")).unwrap();
    let mut terminal = Terminal::run(directory.path(), "sealmark open -i key");
    terminal.wait_for("note: reading from the terminal").enter(&armored).enter("\u{4}");
    let (code, screen) = terminal.end();
    assert!(code == 0 && screen.contains("plain text"), "{code} {screen}");
}

#[test]
fn progress_is_shown_to_those_who_wait_more_than_a_second() {
    let directory = directory_with(b"the content");
    let slow = "(for part in {1..24}; do head -c 100000 /dev/zero; sleep 0.1; done)";
    let (code, screen) =
        Terminal::run(directory.path(), &format!("{slow} | sealmark seal -R me -o slow")).end();
    assert!(code == 0 && screen.contains("stdin") && screen.contains("/s"), "{code} {screen}");
    let quick = "head -c 5000000 /dev/zero | sealmark seal -R me -o quick";
    let (code, screen) = Terminal::run(directory.path(), quick).end();
    assert!(code == 0 && screen.is_empty(), "{code} {screen}");
    let command = format!("{slow} | sealmark seal -R me -o unwatched 2> messages");
    let (code, screen) = Terminal::run(directory.path(), &command).end();
    assert!(code == 0 && screen.is_empty(), "{code} {screen}");
    assert_eq!(fs::read(directory.path().join("messages")).unwrap(), b"");
}

/// The plugin asks for a PIN and for a choice, and puts both into its stanza.
#[test]
fn a_plugin_asks_at_the_terminal() {
    let directory = directory_with(b"private");
    let script = r#"#!/bin/sh
say() { printf '%s\n' "$@"; }
while read -r line; do [ "$line" = '-> done' ] && read -r _ && break; done
say '-> request-secret' 'UElOGzo'; read -r _; read -r pin
say '-> request-public' 'TmFtZQ'; read -r _; read -r name
say '-> confirm eWVz bm8' 'VG91Y2g'; read -r choice; read -r _
say "-> recipient-stanza 0 open $pin $name ${choice#-> ok }" ''; read -r _; read -r _
say '-> done' ''
"#;
    let program = directory.path().join("age-plugin-open");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let command = "PATH=$PWD:$PATH sealmark seal -r age1open1wgl5qq -o out note && sed -n 2p out";
    for (key, choice) in [("y", "yes"), ("n", "no"), ("x", "-> fail")] {
        let mut terminal = Terminal::run(directory.path(), &command.replace("-o out", "-f -o out"));
        terminal.wait_for("plugin open: PIN\\u{1b}: ").enter("1234");
        terminal.wait_for("plugin open: Name: ").enter("me");
        terminal.wait_for("plugin open: Touch (y: yes, n: no): ").enter(key);
        let (code, screen) = terminal.end();
        assert_eq!(code, 0, "{screen}");
        // 1234 and me, in base64 and without padding.
        assert!(screen.contains(&format!(" open MTIzNA bWU {choice}")), "{screen}");
        assert!(!screen.contains("1234"), "{screen}");
    }
}
