//! Files made to exhaust their reader: the program refuses them soon, and without spending memory on them.

use crate::room::{KEY, Room, bytes, ended};
use crate::watched::{Feed, Watched, watch};
use sealmark::{Format, Identity, Job, Kem, Recipient, SealTo};
use std::process::Command;
use std::time::Duration;

const LIMIT: u64 = 64_000_000;
/// This is enough for a debug build on a busy machine.
const SOON: Duration = Duration::from_secs(60);
const STANZA_LINE: &str = "-> x arg\n";
const MAC_LINE: &str = "--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n";

#[track_caller]
fn refused(room: &Room, args: &[&str], feed: Feed, code: i32, words: &str) {
    let Watched { ended, peak, took, .. } = watch(limited(room, args), feed);
    ended.failed(code, words);
    assert!(took < SOON, "{args:?} took {took:?}");
    assert!(peak < LIMIT, "{args:?} took {peak} bytes for {words:?}");
    assert!(room.names().is_empty(), "{args:?} left {:?}", room.names());
}

/// The kernel enforces the limit, so that the test misses no peak between two samples.
fn limited(room: &Room, args: &[&str]) -> Command {
    room.sealmark_under(&["prlimit", &format!("--data={LIMIT}")], args)
}

/// A lack of memory is the machine's fault and not the file's.
#[test]
fn a_passphrase_without_memory_for_it() {
    let room = Room::new();
    room.write("../passphrase", "open sesame");
    for age in [&[][..], &["--age"]] {
        let sealed = format!("../sealed{}", age.len());
        let args = ["seal", "-p", "--passphrase-file", "../passphrase", "../me", "-o", &sealed];
        room.run([&args[..], age].concat()).done();
        let args = ["verify", "-p", "--passphrase-file", "../passphrase", &sealed];
        ended(limited(&room, &args)).failed(2, "out of memory");
        let args = ["seal", "-p", "--passphrase-file", "../passphrase", "../me", "-o", "out"];
        ended(limited(&room, &[&args[..], age].concat())).failed(2, "out of memory");
        assert!(room.names().is_empty());
    }
}

#[test]
fn a_million_arguments() {
    let room = Room::new();
    let stanza = format!("-> x{}\n\n", " a".repeat(4000));
    room.write("../many", format!("sealmark/1\n{}{MAC_LINE}", stanza.repeat(380)));
    refused(&room, &["inspect", "../many"], Feed::Nothing, 4, "too many arguments");
}

fn endless(start: impl AsRef<[u8]>, repeat: impl AsRef<[u8]>) -> Feed {
    let repeat = repeat.as_ref().repeat(1000);
    Feed::Repeated { start: start.as_ref().into(), repeat, times: u64::MAX }
}

#[test]
fn inputs_without_end() {
    let room = Room::new();
    let full_line = format!("{}\n", "A".repeat(64));
    let begin = "-----BEGIN SEALMARK ENCRYPTED FILE-----\n";
    let cases: [(&str, &str, &str); 13] = [
        ("", "\0", "neither a sealmark nor an age file"),
        ("", "y\n", "neither a sealmark nor an age file"),
        ("sealmark/", "1", "neither a sealmark nor an age file"),
        ("sealmark/1\n", "-> a\n\n", "too many stanzas"),
        ("sealmark/1\n-> a\n", &full_line, "it is too long"),
        ("sealmark/1\n-> ", "a", "a line is too long"),
        ("sealmark/1\n-> a", " a", "a line is too long"),
        ("age-encryption.org/v1\n", "-> a\n\n", "too many stanzas"),
        ("", "\n", "too much white space"),
        ("", " ", "a line is too long"),
        ("-----BEGIN ", "A", "a line is too long"),
        (begin, "A", "a line is too long"),
        (begin, &full_line, "neither a sealmark nor an age file"),
    ];
    for (start, repeat, words) in cases {
        for verb in [&["inspect"][..], &["verify", "-i", KEY], &["open", "-i", KEY, "-o", "out"]] {
            refused(&room, verb, endless(start, repeat), 4, words);
        }
    }
}

#[test]
fn a_good_start_without_end() {
    let room = Room::new();
    room.write_sealed("../sealed", bytes(100_000));
    for verb in [&["verify", "-i", KEY][..], &["open", "-i", KEY, "-o", "out"]] {
        refused(&room, verb, endless(room.read("../sealed"), "\0"), 4, "payload was altered");
    }
    room.write("../plain", bytes(100_000));
    room.run(["seal", "-a", "-R", "../me", "../plain", "-o", "../armored"]).done();
    for verb in [&["inspect"][..], &["verify", "-i", KEY], &["open", "-i", KEY, "-o", "out"]] {
        refused(&room, verb, endless(room.read("../armored"), "\n"), 4, "there is text after the END line");
    }
}

#[test]
fn an_endless_header_in_armor() {
    let room = Room::new();
    let body_line = format!("{}\n", "A".repeat(64));
    // This beginning has 16 bytes, so that base64's lines of 48 bytes repeat every 48 lines of 65.
    let header = format!("sealmark/1\n-> a\n{}", body_line.repeat(48 * 3000));
    room.write("../header", header);
    let text = room.shell("base64 -w 64 ../header").out;
    let armored = [b"-----BEGIN SEALMARK ENCRYPTED FILE-----\n", &text[..]].concat();
    refused(&room, &["inspect"], endless(armored, &body_line), 4, "it is too long");
}

#[test]
fn key_files_and_passphrases_without_end() {
    let room = Room::new();
    room.write_sealed("../sealed", "");
    let commands: [(&[&str], i32, &str); 5] = [
        (&["keygen", "-y", "/dev/zero"], 1, "secret key file \"/dev/zero\""),
        (&["open", "-i", "/dev/zero", "../sealed", "-o", "out"], 1, "secret key file \"/dev/zero\""),
        (&["seal", "-R", "/dev/zero", "../me", "-o", "out"], 1, "recipients file \"/dev/zero\""),
        (&["seal", "-p", "--passphrase-file", "/dev/zero", "../me", "-o", "out"], 1, "longer than 4096"),
        (&["keygen", "-y", "-"], 1, "secret key file \"-\""),
    ];
    for (command, code, words) in commands {
        refused(&room, command, endless("", "AGE-SECRET-KEY-1\n"), code, words);
    }
}

#[test]
fn work_factors_beyond_the_bound() {
    let room = Room::new();
    room.write("../passphrase", "open sesame");
    let too_much = "asks for too much work";
    let cases = [
        ("sealmark/1", "argon2id", "1048577 1 1", too_much),
        ("sealmark/1", "argon2id", "1048576 5 4", too_much),
        ("sealmark/1", "argon2id", "8 524289 1", too_much),
        ("sealmark/1", "argon2id", "262144 3 17", too_much),
        ("sealmark/1", "argon2id", "4294967295 4294967295 1", too_much),
        ("sealmark/1", "argon2id", "18446744073709551617 1 1", too_much),
        ("sealmark/1", "argon2id", "7 1 1", "8 KiB of memory per lane"),
        ("sealmark/1", "argon2id", "-1 1 1", "not a plain decimal number"),
        ("sealmark/1", "argon2id", "262144 0 4", "not a plain decimal number"),
        ("age-encryption.org/v1", "scrypt", "21", too_much),
        ("age-encryption.org/v1", "scrypt", "4294967296", too_much),
    ];
    for (version, stanza, costs, words) in cases {
        // The salt has 16 bytes; the body has 48, or 32 in an age file.
        let body = if stanza == "scrypt" { "A".repeat(43) } else { format!("{}\n", "A".repeat(64)) };
        let header = format!("{version}\n-> {stanza} {} {costs}\n{body}\n{MAC_LINE}", "A".repeat(22));
        room.write("../costly", format!("{header}{}", "A".repeat(200)));
        for verb in ["verify", "open"] {
            let args = [verb, "-p", "--passphrase-file", "../passphrase", "../costly"];
            let output: &[&str] = if verb == "open" { &["-o", "out"] } else { &[] };
            refused(&room, &[&args, output].concat(), Feed::Nothing, 4, words);
        }
    }
}

/// The headers are half a MiB below the bound and half a MiB above it; no key opens them.
#[test]
fn headers_around_three_mebibytes() {
    let room = Room::new();
    for (mebibytes, code, words) in [(2.5, 3, "none of the secret keys opens"), (3.5, 4, "it is too long")] {
        let lines = (mebibytes * f64::from(1 << 20)) as usize / 65;
        let body = format!("{}\n", "A".repeat(64)).repeat(lines);
        room.write("../large", format!("sealmark/1\n{STANZA_LINE}{body}\n{MAC_LINE}{}", "A".repeat(200)));
        refused(&room, &["verify", "-i", KEY, "../large"], Feed::Nothing, code, words);
        refused(&room, &["open", "-i", KEY, "../large", "-o", "out"], Feed::Nothing, code, words);
    }
}

/// The header has the most stanzas that it may have: the program finds the key that fits, and soon gives up if none
/// does.
#[test]
fn a_thousand_stanzas() {
    let room = Room::new();
    let (last, stranger) = [(); 2].map(|()| Identity::generate(Kem::MlKem1024).unwrap()).into();
    let first = Identity::generate(Kem::MlKem1024).unwrap().recipient();
    let recipients = [vec![first; 999], vec![last.recipient()]].concat();
    seal_to(&room, &recipients).unwrap();
    room.write(KEY, last.to_secret_string().as_bytes());
    let found = watch(limited(&room, &["open", "-i", KEY, "../many", "-o", "-"]), Feed::Nothing);
    found.ended.done();
    assert_eq!(found.ended.out, b"for many");
    assert!(found.took < SOON && found.peak < LIMIT, "{found:?}");
    room.write(KEY, stranger.to_secret_string().as_bytes());
    refused(&room, &["open", "-i", KEY, "../many", "-o", "out"], Feed::Nothing, 3, "none of the secret");
    let one_more = [recipients, vec![last.recipient()]].concat();
    let refused = seal_to(&room, &one_more).map_err(|error| error.to_string());
    assert_eq!(refused, Err("more than 1000 recipients".to_owned()));
}

#[test]
fn a_thousand_of_the_largest_stanzas_fit_a_header() {
    let room = Room::new();
    let recipient = Identity::generate(Kem::MlKem1024P384).unwrap().recipient();
    seal_to(&room, &vec![recipient; 1000]).unwrap();
    room.run(["inspect", "../many"]).done();
}

fn seal_to(room: &Room, recipients: &[Recipient]) -> sealmark::Result<()> {
    let to = SealTo::recipients(Format::Sealmark, recipients)?;
    room.write("../plain", "for many");
    sealmark::seal_file(room.path("../plain"), room.path("../many"), &to, &Job::default()).map(drop)
}
