//! Plugins of age that keep the rules and plugins that break them, as scripts in front of `PATH`.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use memchr::memmem;
use std::fs;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A recipient and an identity of the plugin `open`, without data.
const RECIPIENT: &str = "age1open1wgl5qq";
const IDENTITY: &str = "AGE-PLUGIN-OPEN-1LJEPJA";

/// The start of a script that reads the client's part of a conversation. `key` is the wrapped key, `state` the state machine.
const READS: &str = r#"#!/bin/sh
state=${1#--age-plugin=}
say() { printf '%s\n' "$@"; }
heard() { while read -r line; do [ "$line" = '-> ok' ] && read -r _ && return; done; }
while read -r line; do
    case $line in
    '-> wrap-file-key') read -r key ;;
    '-> recipient-stanza 0 open '*) key=${line##* } ;;
    '-> recipient-stanza '*) other=$line ;;
    '-> done') read -r _; break ;;
    esac
done
"#;
/// The end of a script that keeps the rules: the key stands in the stanza, in the clear.
const ANSWERS: &str = r#"
if [ "$state" = recipient-v1 ]; then
    say "-> recipient-stanza 0 open $key" ''; heard
    [ -z "$labels" ] || { say "-> labels $labels" ''; heard; }
elif [ -n "$key" ]; then
    say '-> file-key 0' "$key"; heard
fi
say '-> done' ''
"#;

struct Place(tempfile::TempDir);

impl Place {
    fn new(plugin: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::create_dir(place.path().join("bin")).unwrap();
        place.plugin(plugin);
        place.file("plain", "private");
        place.file("identity", &format!("# a comment\n{IDENTITY}\n"));
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
        fs::set_permissions(self.path().join(name), PermissionsExt::from_mode(0o600)).unwrap();
    }

    fn plugin(&self, script: &str) {
        let name = "bin/age-plugin-open";
        self.file(name, script);
        fs::set_permissions(self.path().join(name), PermissionsExt::from_mode(0o755)).unwrap();
    }

    /// In a session without a terminal.
    fn run(&self, arguments: &[&str]) -> Output {
        self.at_home(Command::new("setsid").arg("--wait").arg(env!("CARGO_BIN_EXE_sealmark")).args(arguments))
            .output()
            .unwrap()
    }

    /// In its directory, with its plugin.
    fn at_home<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let path = format!("{}:{}", self.path().join("bin").display(), std::env::var("PATH").unwrap());
        command.current_dir(self.path()).env("PATH", path).stdin(Stdio::null())
    }

    fn seal(&self, more: &[&str]) -> Output {
        self.run(&[&["seal", "-f", "-o", "sealed", "-r", RECIPIENT], more, &["plain"]].concat())
    }

    fn open(&self) -> Output {
        self.run(&["open", "-i", "identity", "-o", "-", "sealed"])
    }
}

fn script(end: &str) -> String {
    format!("{READS}{end}")
}

fn error(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A failure that is told, in time, with nothing on standard output and no file.
fn fails(place: &Place, output: &Output, code: i32, words: &str) {
    assert!(error(output).contains(words), "{words:?} is not in {}", error(output));
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(code), &b""[..]), "{}", error(output));
    assert!(!error(output).contains('\x1b'), "a control character came through");
    let left: Vec<_> = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.len() <= 4, "{left:?}");
}

#[test]
fn a_plugin_that_keeps_the_rules_wraps_and_unwraps() {
    let place = Place::new(&script(ANSWERS));
    for format in [&[][..], &["--age"]] {
        let sealed = place.seal(format);
        assert!(sealed.status.success() && sealed.stderr.is_empty(), "{}", error(&sealed));
        let opened = place.open();
        assert_eq!((error(&opened).as_str(), &opened.stdout[..]), ("", &b"private"[..]));
    }
}

#[test]
fn a_plugin_may_ask_and_answer_before_it_is_done() {
    let asks = "
say '-> grease x y' ''; read -r answer; read -r _
[ \"$answer\" = '-> unsupported' ] || exit 7
say '-> request-secret' UElO; read -r answer; read -r _
[ \"$answer\" = '-> fail' ] || exit 8
say '-> confirm eWVz bm8' UElO; read -r answer; read -r _
[ \"$answer\" = '-> fail' ] || exit 9
say '-> msg' 'bW92ZRtbMkogaXQ'; heard
";
    let place = Place::new(&script(&format!("{asks}{ANSWERS}")));
    let sealed = place.seal(&[]);
    assert!(sealed.status.success(), "{}", error(&sealed));
    assert_eq!(error(&sealed), "note: plugin open: move\\u{1b}[2J it\n");
    assert_eq!(place.open().stdout, b"private");
}

#[test]
fn labels_decide_what_may_stand_together() {
    let place = Place::new(&script(&format!("labels=postquantum{ANSWERS}")));
    let hybrid = place.run(&["keygen", "-o", "hybrid"]);
    let hybrid = error(&hybrid).trim().trim_start_matches("Public key: ").to_owned();
    let together = place.seal(&["-r", &hybrid]);
    assert!(together.status.success(), "{}", error(&together));
    place.plugin(&script(ANSWERS));
    let apart = place.seal(&["-r", &hybrid]);
    assert!(apart.status.code() == Some(1) && error(&apart).contains("open to quantum computers"));
    assert!(place.seal(&["-r", &hybrid, "--allow-mixed"]).status.success());
    place.plugin(&script(&format!("labels=ours{ANSWERS}")));
    let ours = place.seal(&["-r", &hybrid, "--allow-mixed"]);
    assert!(ours.status.code() == Some(1) && error(&ours).contains("does not allow its recipient together"));
    place.plugin(&script(&format!("labels='ours ours'{ANSWERS}")));
    assert!(error(&place.seal(&[])).contains("repeats a label"));
}

/// Each breaks another rule: the message says which, and nothing is sealed.
#[test]
fn a_plugin_that_breaks_a_rule_seals_nothing() {
    let stanza = "say \"-> recipient-stanza 0 open $key\" ''; heard";
    let cases = [
        ("exit 3", 2, "ended with exit code 3 too early"),
        ("echo oh$(printf '\\033')no >&2; exit 1", 2, "it wrote: oh\\u{1b}no"),
        ("kill -9 $$", 2, "was killed by signal 9 too early"),
        ("say '-> done' ''", 2, "returned no stanza"),
        ("echo hello; sleep 1", 2, "does not follow the protocol"),
        ("say '-> error internal' 'bm8bW20'; heard", 3, "says: no\\u{1b}[m"),
        ("say '-> recipient-stanza 1 open x' ''", 2, "sent an invalid command: recipient-stanza"),
        ("say '-> recipient-stanza 0' ''", 2, "sent an invalid command: recipient-stanza"),
        ("say '-> done now' ''", 2, "sent an invalid command: done"),
        ("say '-> labels a' ''; heard; say '-> labels a' ''", 2, "sent an invalid command: labels"),
        ("say '-> file-key 0' ''", 2, "sent an invalid command: file-key"),
        ("while :; do say '-> msg' ''; done", 2, "sent more than 2000 commands"),
        ("while :; do say '-> grease' ''; done", 2, "sent more than 2000 commands"),
        ("yes -- '-> x'", 2, "does not follow the protocol"),
        ("cat /dev/zero", 2, "does not follow the protocol"),
        (
            "say '-> recipient-stanza 0 open'; yes | tr -d '\\n' | fold -w 64",
            2,
            "does not follow the protocol",
        ),
        ("printf -- '-> recipient-stanza 0 open'; yes ' x' | tr -d '\\n'", 2, "does not follow the protocol"),
    ];
    let place = Place::new("");
    for (end, code, words) in cases {
        place.plugin(&script(end));
        let began = Instant::now();
        let output = place.seal(&[]);
        fails(&place, &output, code, words);
        assert!(began.elapsed() < Duration::from_secs(20), "{end} took {:?}", began.elapsed());
    }
    place.plugin(&script(&format!("key=\"$(seq -s ' ' 70)\"; {stanza}; say '-> done' ''")));
    fails(&place, &place.seal(&[]), 2, "too many arguments");
    place.plugin(&script(&format!("for i in $(seq 1001); do {stanza}; done; say '-> done' ''")));
    fails(&place, &place.seal(&[]), 1, "not valid in this file");
}

#[test]
fn a_plugin_that_breaks_a_rule_opens_nothing() {
    let place = Place::new(&script(ANSWERS));
    let cases = [
        ("say '-> file-key 0' AAAAAAAAAAAAAAAAAAAAAA; heard; say '-> done' ''", 4, "altered or damaged"),
        ("say '-> file-key 0' AAAA; heard", 2, "a key that does not have 16 bytes"),
        ("say '-> file-key 1' \"$key\"; heard", 2, "sent an invalid command: file-key"),
        (
            "say '-> file-key 0' \"$key\"; heard; say '-> file-key 0' \"$key\"",
            2,
            "sent an invalid command: file-key",
        ),
        ("say '-> error identity 0' bm8; heard; say '-> done' ''", 3, "plugin \"open\": says: no"),
        ("say '-> done' ''", 3, "none of the secret keys opens this file"),
        ("exit 1", 2, "ended with exit code 1 too early"),
    ];
    for format in [&[][..], &["--age"]] {
        place.plugin(&script(ANSWERS));
        assert!(place.seal(format).status.success());
        for (end, code, words) in cases {
            place.plugin(&script(end));
            fails(&place, &place.open(), code, words);
        }
    }
}

#[test]
fn a_plugin_is_looked_for_in_absolute_directories_of_path_only() {
    let place = Place::new(&script(ANSWERS));
    for path in ["bin", "", ".:bin", "/nowhere"] {
        let output = Command::new(env!("CARGO_BIN_EXE_sealmark"))
            .args(["seal", "-r", RECIPIENT, "plain"])
            .current_dir(place.path())
            .env("PATH", path)
            .output()
            .unwrap();
        assert!(
            error(&output).contains("the plugin \"open\" is not installed"),
            "{path}: {}",
            error(&output)
        );
        assert_eq!(output.status.code(), Some(1));
    }
}

/// Its own process is killed and waited for; what it started itself sees the end of its input.
#[test]
fn a_plugin_that_does_not_end_is_ended() {
    let place = Place::new("");
    let script = script(&format!("{ANSWERS}\necho $$ > {}/pid; exec sleep 600", place.path().display()));
    place.plugin(&script);
    assert!(place.seal(&[]).status.success());
    let pid = fs::read_to_string(place.path().join("pid")).unwrap();
    assert!(!Path::new("/proc").join(pid.trim()).exists(), "process {pid} is left");
}

/// Even if nobody can clean up.
#[test]
fn a_plugin_ends_with_the_program() {
    let place = Place::new("");
    let pid = place.path().join("pid");
    place.plugin(&script(&format!("echo $$ > {0}.new; mv {0}.new {0}; exec sleep 600", pid.display())));
    let mut sealmark = Command::new(env!("CARGO_BIN_EXE_sealmark"));
    sealmark.args(["seal", "-r", RECIPIENT, "-o", "sealed", "plain"]);
    let mut sealmark = place.at_home(&mut sealmark).spawn().unwrap();
    wait(|| pid.exists());
    sealmark.kill().unwrap();
    sealmark.wait().unwrap();
    let plugin = Path::new("/proc").join(fs::read_to_string(&pid).unwrap().trim());
    // Its new parent may take a while to notice that it is a zombie.
    wait(|| fs::read_to_string(plugin.join("stat")).map_or(true, |stat| stat.contains(") Z ")));
}

fn wait(done: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !done() {
        assert!(Instant::now() < until, "it takes too long");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The plugin does not tell its public key, so the file of the secret key has to.
#[test]
fn a_signed_file_is_meant_for_the_public_key_that_a_comment_names() {
    let place = Place::new(&script(ANSWERS));
    let public = error(&place.run(&["keygen", "--sign", "-o", "sign"]));
    place.file("senders", &format!("Alice {}\n", public.trim().trim_start_matches("Public key: ")));
    assert!(place.seal(&["--sign", "sign"]).status.success());
    for (comment, code) in [
        (format!("# serial: 7\n#    Recipient: {RECIPIENT}\n#\n"), 0),
        (format!("# public key: {RECIPIENT}\n"), 0),
        (format!("# recipient: {RECIPIENT}x\n"), 4),
        (format!("# somebody else's recipient: {RECIPIENT}\n"), 4),
        (format!("# recipient: {RECIPIENT}\n{IDENTITY}\n# of a second key\n"), 0),
        (String::new(), 4),
    ] {
        place.file("identity", &format!("{comment}{IDENTITY}\n"));
        let opened = place.run(&["open", "-i", "identity", "--from", "senders", "-o", "-", "sealed"]);
        let (wanted, words) = match code {
            0 => (&b"private"[..], "signed by \"Alice\"\n"),
            _ => (&b""[..], "the sender sealed this file to others"),
        };
        assert_eq!((opened.status.code(), &opened.stdout[..]), (Some(code), wanted), "{comment}");
        assert!(error(&opened).contains(words), "{comment}: {}", error(&opened));
    }
}

/// A person may have to touch a device for a plugin.
#[test]
fn a_plugin_starts_only_if_nothing_else_opens_the_file() {
    let place = Place::new("");
    let started = place.path().join("started");
    place.plugin(&script(&format!(": > {}\n{ANSWERS}", started.display())));
    place.file("right", "right\n");
    place.file("wrong", "wrong\n");
    let open = |more: &[&str]| {
        let opened = place.run(&[&["open", "-i", "identity", "-o", "-"], more, &["sealed"]].concat());
        (opened, fs::remove_file(&started).is_ok())
    };
    let sealed = place.run(&["seal", "--age", "-p", "--passphrase-file", "right", "-o", "sealed", "plain"]);
    assert!(sealed.status.success(), "{}", error(&sealed));
    let (opened, asked) = open(&["--passphrase-file", "right"]);
    assert_eq!((&opened.stdout[..], asked), (&b"private"[..], false), "{}", error(&opened));
    let (refused, asked) = open(&["--passphrase-file", "wrong"]);
    assert!(asked && error(&refused).contains("wrong passphrase"), "{}", error(&refused));
    assert_eq!(refused.status.code(), Some(3));
    let native = place.run(&["keygen", "--mode", "ecc", "-o", "native"]);
    let native = error(&native).trim().trim_start_matches("Public key: ").to_owned();
    assert!(place.seal(&["--age", "-r", &native]).status.success() && fs::remove_file(&started).is_ok());
    let (opened, asked) = open(&["-i", "native"]);
    assert_eq!((&opened.stdout[..], asked), (&b"private"[..], false), "{}", error(&opened));
}

/// The writable memory of a process.
fn memory_of(pid: u32) -> Vec<u8> {
    let process = Path::new("/proc").join(pid.to_string());
    let (maps, memory) =
        (fs::read_to_string(process.join("maps")).unwrap(), fs::File::open(process.join("mem")).unwrap());
    let mut found = Vec::new();
    for line in maps.lines().filter(|line| line.contains(" rw-p ")) {
        let (range, _) = line.split_once(' ').unwrap();
        let (start, end) = range.split_once('-').unwrap();
        let [start, end] = [start, end].map(|number| u64::from_str_radix(number, 16).unwrap());
        let mut part = vec![0; (end - start) as usize];
        let read = memory.read_at(&mut part, start).unwrap();
        found.extend_from_slice(&part[..read]);
    }
    found
}

/// A key comes from a plugin as text, of which nothing stays in memory.
#[test]
fn the_text_of_a_key_is_wiped() {
    let place = Place::new("");
    let [told, go_on] = ["told", "go-on"].map(|name| place.path().join(name));
    // The stanza has the key in other letters, because the header of the file stays in memory.
    let turns = format!(
        r#"
turned=$(echo "$key" | tr A-Za-z N-ZA-Mn-za-m)
if [ "$state" = recipient-v1 ]; then
    say "-> recipient-stanza 0 open $turned" ''; heard
else
    say '-> file-key 0' "$turned"; heard
    : > {}; while [ ! -e {} ]; do sleep 0.01; done
fi
say '-> done' ''
"#,
        told.display(),
        go_on.display()
    );
    place.plugin(&script(&turns));
    let sealed = place.seal(&[]);
    assert!(sealed.status.success(), "{}", error(&sealed));
    let sealed = fs::read(place.path().join("sealed")).unwrap();
    let stanza = String::from_utf8_lossy(&sealed).lines().nth(1).unwrap().to_owned();
    let turned = stanza.rsplit(' ').next().unwrap();
    let turn = |letter: char| match letter {
        'A'..='M' | 'a'..='m' => (letter as u8 + 13) as char,
        'N'..='Z' | 'n'..='z' => (letter as u8 - 13) as char,
        other => other,
    };
    let key: String = turned.chars().map(turn).collect();
    let mut open = Command::new(env!("CARGO_BIN_EXE_sealmark"));
    open.args(["open", "-i", "identity", "-o", "-", "sealed"]).stdout(Stdio::piped());
    let open = place.at_home(&mut open).spawn().unwrap();
    wait(|| told.exists());
    let memory = memory_of(open.id());
    fs::write(&go_on, "").unwrap();
    assert_eq!(open.wait_with_output().unwrap().stdout, b"private");
    assert_eq!(key.len(), 22);
    assert!(memmem::find(&memory, turned.as_bytes()).is_some(), "the stanza is not in memory");
    assert!(memmem::find(&memory, key.as_bytes()).is_none(), "the text of the key is in memory");
}
