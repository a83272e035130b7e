//! Every call of a writer, a reader or a sink fails once, with each error that it can give, and the caller goes on all
//! the same: no plaintext is written, no nonce is used twice, and nothing incomplete is called done.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::faults::{ERRORS, Fault, Faults};
use common::{log, open_all, seal_all};
use memchr::memmem;
use sealmark::record::*;
use sealmark::*;
use std::io::{Cursor, ErrorKind, Read, Write};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::Instant;

const MARK: &[u8] = b"a phrase in the clear";
/// Text of which every part contains its number.
fn plaintext(length: usize) -> Vec<u8> {
    let lines = (0..=length / MARK.len()).map(|number| [MARK, format!(" {number:07}\n").as_bytes()].concat());
    let mut text = lines.collect::<Vec<_>>().concat();
    text.truncate(length);
    text
}

struct Keys {
    name: &'static str,
    to: SealTo,
    with: OpenWith<'static>,
}

/// The keys of a reader who asks for the sender.
fn verified() -> Keys {
    let (identity, sender) = (Identity::generate(Kem::X25519).unwrap(), SigningKey::generate().unwrap());
    let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()]).unwrap();
    let with = OpenWith::identities(vec![identity]).signed_by(vec![sender.verifying_key()]);
    Keys { name: "verified", to: to.signed_by(sender).unwrap(), with }
}

fn keys() -> Vec<Keys> {
    ["sealmark", "age", "armored", "signed"]
        .into_iter()
        .map(|name| {
            let identity = Identity::generate(Kem::X25519).unwrap();
            let format = if name == "age" { Format::Age } else { Format::Sealmark };
            let to = SealTo::recipients(format, &[identity.recipient()]).unwrap();
            let to = match name {
                "armored" => to.armored(),
                "signed" => to.signed_by(SigningKey::generate().unwrap()).unwrap(),
                _ => to,
            };
            Keys { name, to, with: OpenWith::identities(vec![identity]) }
        })
        .collect()
}

/// How thorough a test is.
#[derive(Clone, Copy)]
struct Depth {
    /// The most bytes of one call.
    most: usize,
    /// After the first dozen of calls, one in `stride` fails.
    stride: usize,
    /// The length of the plaintext: a full run and a part of the next, or more.
    length: usize,
}

const QUICK: Depth = Depth { most: 1_000_000, stride: 40, length: 1_100_000 };
const SOAK: Depth = Depth { most: 40_000, stride: 1, length: 3_300_000 };

/// Runs `work` with a fault at each call in turn, until there are no more calls.
fn at_every_call(faults: &[Fault], depth: Depth, mut work: impl FnMut(&Faults, &str)) {
    for &fault in faults {
        let mut at = 0;
        loop {
            let ends = Faults::new(fault, at, depth.most);
            work(&ends, &format!("{fault:?} at call {at}"));
            if !ends.happened() {
                assert!(at > 1, "nothing was called");
                break;
            }
            at += if at < 12 { 1 } else { depth.stride };
        }
    }
}

/// Checks a sealed output: it is whole if its writer was told so, otherwise the beginning of a whole one. Each chunk
/// opens in its place, and nothing was written after the fault.
fn check_sealed(ends: &Faults, done: bool, plain: &[u8], with: &OpenWith<'_>, at: &str) {
    let (sealed, before) = ends.taken();
    let mut opened = Vec::new();
    let end = Opener::new(&sealed[..], with)
        .and_then(|mut opener| opener.read_to_end(&mut opened).map_err(Error::from));
    assert!(memmem::find(&sealed, MARK).is_none(), "{at}: plaintext was written");
    assert!(plain.starts_with(&opened), "{at}: another plaintext");
    assert!(!done || end.is_ok() && opened.len() == plain.len(), "{at}: called done, but {end:?}");
    if ends.hurt() {
        assert!(!done, "{at}: called done");
        assert_eq!(Some(sealed.len()), before, "{at}: more was written after it");
    } else {
        assert!(done, "{at}: not done")
    }
}

/// Acts of a caller that does not stop at an error.
#[derive(Debug, Clone, Copy)]
enum Then {
    Finish,
    WriteAgain,
    Flush,
}

/// Returns true if the sealer said that all is done.
fn use_sealer(ends: &Faults, to: &SealTo, plain: &[u8], then: Then) -> bool {
    let new = catch_unwind(AssertUnwindSafe(|| Sealer::new(ends.writer(), to)));
    let Ok(Ok(mut sealer)) = new else { return false };
    for piece in plain.chunks(300_000) {
        let written = catch_unwind(AssertUnwindSafe(|| sealer.write_all(piece)));
        if !matches!(written, Ok(Ok(()))) {
            match then {
                Then::Finish => break,
                Then::Flush => drop(sealer.flush()),
                Then::WriteAgain => drop(sealer.write_all(piece)),
            }
        }
    }
    let _flushed = catch_unwind(AssertUnwindSafe(|| sealer.flush()));
    let finished = catch_unwind(AssertUnwindSafe(|| sealer.finish()));
    matches!(finished, Ok(Ok(_)))
}

fn sealers(faults: &[Fault], depth: Depth) {
    let plain = plaintext(depth.length);
    for keys in keys() {
        for then in [Then::Finish, Then::WriteAgain, Then::Flush] {
            at_every_call(faults, depth, |ends, at| {
                let done = use_sealer(ends, &keys.to, &plain, then);
                check_sealed(ends, done, &plain, &keys.with, &format!("{}, {at}, {then:?}", keys.name));
            });
        }
    }
}

/// One fault of each kind that code could distinguish: try again, an error, taken in part, nothing taken.
const KINDS: [Fault; 4] = [ERRORS[0], Fault::Error(ErrorKind::TimedOut), Fault::Short, Fault::Zero];

/// All faults of a writer or a reader.
fn every_fault() -> Vec<Fault> {
    [&ERRORS[..], &[Fault::Zero]].concat()
}

/// Checks released plaintext: it is all there if the opener said so, otherwise it is the beginning. A reader may find
/// the rest of its input after a false end.
fn check_opened(ends: &Faults, opened: &[u8], done: bool, plain: &[u8], at: &str) {
    assert!(plain.starts_with(opened), "{at}: what was released is not the plaintext");
    assert!(!done || opened.len() == plain.len(), "{at}: called done");
    assert!(done || ends.hurt(), "{at}: not done");
    assert!(!done || !ends.hurt() || at.contains("Zero"), "{at}: called done");
}

fn openers(faults: &[Fault], depth: Depth) {
    let plain = plaintext(depth.length);
    for keys in keys() {
        let sealed = seal_all(&plain, &keys.to);
        at_every_call(faults, depth, |ends, at| {
            let at = format!("{}, {at}", keys.name);
            let mut opened = Vec::new();
            let done = match Opener::new(ends.around(&sealed[..]), &keys.with) {
                Err(_) => false,
                Ok(mut opener) => match opener.read_to_end(&mut opened) {
                    Ok(_) => true,
                    Err(_) => {
                        let again = opener.read_to_end(&mut opened);
                        assert!(again.is_err(), "{at}: it goes on after an error");
                        false
                    }
                },
            };
            check_opened(ends, &opened, done, &plain, &at);
        });
    }
}

fn ranges(faults: &[Fault], depth: Depth) {
    let plain = plaintext(depth.length);
    let range = 16_000..50_000;
    for keys in keys().into_iter().filter(|keys| !keys.name.contains("armored")).chain([verified()]) {
        let sealed = seal_all(&plain, &keys.to);
        // The output fails as well as the input.
        at_every_call(faults, depth, |ends, at| {
            let at = format!("{}, {at}", keys.name);
            let Ok(mut opener) = RangeOpener::new(ends.around(Cursor::new(&sealed)), &keys.with) else {
                return assert!(ends.hurt(), "{at}: refused");
            };
            assert_eq!(opener.len(), plain.len() as u64);
            let done = opener.read_range(range.clone(), &mut ends.writer()).is_ok();
            let wanted = &plain[range.start as usize..range.end as usize];
            check_opened(ends, &ends.taken().0, done, wanted, &at);
            if !done {
                let mut again = Vec::new();
                opener.read_range(range.clone(), &mut again).unwrap();
                assert!(again == wanted, "{at}: the same range again");
            }
        });
    }
}

/// Streams on one thread and on several, writer and reader in turn.
fn streams(faults: &[Fault], depth: Depth) {
    let plain = plaintext(depth.length);
    for (keys, threads) in keys().iter().flat_map(|keys| [(keys, 1), (keys, 3)]) {
        let Keys { name, to, with } = keys;
        let job = Job::default().threads(NonZeroUsize::new(threads));
        let sealed = seal_all(&plain, to);
        at_every_call(faults, depth, |ends, at| {
            let done = seal_stream(&plain[..], ends.writer(), to, &job).is_ok();
            check_sealed(ends, done, &plain, with, &format!("{name}, {threads} threads, {at}"));
        });
        at_every_call(faults, depth, |ends, at| {
            let done = open_stream(&sealed[..], ends.writer(), with, &job).is_ok();
            check_opened(ends, &ends.taken().0, done, &plain, &format!("{name}, {threads} threads, {at}"));
        });
        at_every_call(faults, depth, |ends, at| {
            let mut opened = Vec::new();
            let done = open_stream(ends.around(&sealed[..]), &mut opened, with, &job).is_ok();
            check_opened(ends, &opened, done, &plain, &format!("{name}, {threads} threads, {at}"));
        });
    }
}

/// A reader in order who asks for the sender believes no signature of a file that it read only in part.
fn signatures(faults: &[Fault], depth: Depth) {
    let plain = plaintext(depth.length);
    let Keys { to, with, .. } = verified();
    let sealed = seal_all(&plain, &to);
    for threads in [1, 3] {
        let job = Job::default().threads(NonZeroUsize::new(threads));
        at_every_call(faults, depth, |ends, at| {
            let verified = verify_stream(ends.around(&sealed[..]), &with, &job);
            let done = verified.is_ok_and(|summary| matches!(summary.signed, Signed::By { meant: true, .. }));
            check_opened(
                ends,
                if done { &plain } else { b"" },
                done,
                &plain,
                &format!("{threads} threads, {at}"),
            );
        });
    }
}

/// If a plaintext cannot be read, the output ends after the last part that was sealed, and does not pass for a whole
/// one.
fn sources(faults: &[Fault], depth: Depth) {
    let plain = plaintext(depth.length);
    for keys in keys() {
        at_every_call(faults, depth, |ends, at| {
            let at = format!("{}, {at}", keys.name);
            let mut sealed = Vec::new();
            let done = seal_stream(ends.around(&plain[..]), &mut sealed, &keys.to, &Job::default()).is_ok();
            assert_eq!(done, !ends.hurt(), "{at}");
            assert_eq!(done, open_all(&sealed, &keys.with).is_ok_and(|opened| opened == plain), "{at}");
        });
    }
}

fn payloads(faults: &[Fault], depth: Depth) {
    let plain = plaintext(depth.length);
    let key = gcm::Key::new(&[7; 32]).unwrap();
    let job = Job::default();
    let mut sealed = Vec::new();
    gcm::seal_stream(&plain[..], &mut sealed, &key, &job).unwrap();
    at_every_call(faults, depth, |ends, at| {
        let done = gcm::seal_stream(&plain[..], ends.writer(), &key, &job).is_ok();
        let (written, before) = ends.taken();
        assert_eq!(done, !ends.hurt(), "{at}");
        assert!(memmem::find(&written, MARK).is_none(), "{at}: plaintext was written");
        if done {
            let mut opened = Vec::new();
            gcm::open_seekable(Cursor::new(&written), &mut opened, &key, &job).unwrap();
            assert!(opened == plain, "{at}");
        } else {
            assert_eq!(Some(written.len()), before, "{at}: more was written after it")
        }
    });
    at_every_call(faults, depth, |ends, at| {
        let input = ends.around(Cursor::new(&sealed));
        let done = gcm::open_seekable(input, ends.writer(), &key, &job).is_ok();
        check_opened(ends, &ends.taken().0, done, &plain, at);
    });
    at_every_call(faults, depth, |ends, at| {
        let done = gcm::verify_stream(ends.around(&sealed[..]), &key, &job).is_ok();
        let released = if done { &plain[..] } else { b"" };
        check_opened(ends, released, done, &plain, at);
    });
}

/// The sink of a log: a session whose header it did not take has no tokens, and no counter is used twice.
fn logs(faults: &[Fault]) {
    let settings = SealerSettings::new(Shape::Plain).max_values(3.try_into().unwrap());
    let value = |number: usize| format!("{} {number}", str::from_utf8(MARK).unwrap());
    at_every_call(faults, Depth { most: 200, ..SOAK }, |ends, at| {
        let file = Mutex::new((ends.writer(), false));
        let sink = |own: OwnLines<'_>| {
            let (writer, cut) = &mut *file.lock().unwrap();
            let ended = if *cut { writer.write_all(b"\n") } else { Ok(()) };
            let taken = ended.and_then(|()| writer.write_all(log::text(own).as_bytes()));
            taken.and_then(|()| retry_flush(writer)).inspect_err(|_| *cut = true)
        };
        let begin = || LogSealer::new(log::readers(), settings, &sink, Instant::now());
        let sealer = begin().or_else(|_| begin()).unwrap();
        let sealed: Vec<_> =
            (0..10).map(|number| (number, sealer.seal(&log::label(), value(number).as_bytes()))).collect();
        let tokens: Vec<_> =
            sealed.iter().filter_map(|(number, token)| Some((number, token.as_ref().ok()?))).collect();
        assert!(
            tokens.len() >= sealed.len() - usize::from(ends.hurt()),
            "{at}: more than one value was lost"
        );
        let closed = sealer.close();
        assert!(closed.is_ok() || ends.hurt(), "{at}");
        let (mut text, _) = ends.taken();
        assert!(memmem::find(&text, MARK).is_none(), "{at}: plaintext was written");
        let (mut opened, mut expected) = (Vec::new(), String::new());
        let mut opener = log::opener();
        opener.learn(&text);
        text.clear();
        for (number, token) in &tokens {
            text.extend_from_slice(format!("{token}\n").as_bytes());
            expected += &format!("{}\n", value(**number));
        }
        let report = opener.open(&text, &mut opened);
        assert_eq!(str::from_utf8(&opened).unwrap(), expected, "{at}");
        assert_eq!(report.opened as usize, tokens.len(), "{at}");
        assert!(report.sessions.values().all(|session| session.repeated == 0), "{at}: a nonce serves twice");
    });
}

fn retry_flush(writer: &mut impl Write) -> std::io::Result<()> {
    match writer.flush() {
        Err(error) if error.kind() == ErrorKind::Interrupted => writer.flush(),
        flushed => flushed,
    }
}

#[test]
fn a_sealer_whose_writer_failed_writes_nothing_more() {
    sealers(&[&KINDS[..], &[Fault::Panic]].concat(), QUICK);
}

#[test]
fn what_a_reader_failed_to_read_is_not_opened() {
    openers(&KINDS, QUICK);
    ranges(&every_fault(), Depth { most: 10_000, ..QUICK });
}

#[test]
fn streams_and_payloads_with_a_fault_are_not_done() {
    streams(&KINDS, Depth { length: 2_200_000, ..QUICK });
    sources(&KINDS[..3], QUICK);
    signatures(&KINDS, QUICK);
    payloads(&KINDS, QUICK);
}

#[test]
fn a_log_whose_sink_failed_goes_on_with_a_session_that_it_took() {
    logs(&every_fault());
}

/// Does the same with each error, and with more and shorter calls: `make soak`.
#[test]
#[ignore = "minutes"]
fn every_call_of_every_end() {
    sealers(&[&every_fault()[..], &[Fault::Panic]].concat(), SOAK);
    openers(&every_fault(), SOAK);
    ranges(&every_fault(), Depth { most: 1000, ..SOAK });
    streams(&every_fault(), SOAK);
    sources(&ERRORS, SOAK);
    signatures(&every_fault(), SOAK);
    payloads(&every_fault(), SOAK);
}
