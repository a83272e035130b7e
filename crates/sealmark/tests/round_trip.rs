//! A sealed file opens to itself: every key, both formats, boundary lengths, odd read sizes, every way through.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::{bytes, open_all, seal_all, workspace};
use sealmark::*;
use std::io::{Cursor, Read, Write};

/// Lengths around the chunk of each format, and around a run of chunks.
const LENGTHS: [usize; 18] = [
    0, 1, 100, 16_383, 16_384, 16_385, 32_768, 65_535, 65_536, 65_537, 131_072, 524_287, 524_288, 524_289,
    540_672, 1_048_576, 1_048_577, 3_000_000,
];

#[test]
fn every_kem_opens_what_it_sealed() {
    for &kem in Kem::ALL {
        for format in [Format::Sealmark, Format::Age] {
            if format == Format::Age && !kem.in_age() {
                continue;
            }
            let identity = Identity::generate(kem).unwrap();
            let to = SealTo::recipients(format, &[identity.recipient()]).unwrap();
            let sealed = seal_all(b"private", &to);
            let with = OpenWith::identities(vec![identity]);
            assert_eq!(open_all(&sealed, &with).unwrap(), b"private", "{kem} in {format}");
            let stranger = OpenWith::identities(vec![Identity::generate(kem).unwrap()]);
            assert!(matches!(open_all(&sealed, &stranger), Err(Error::NoKey)), "{kem} in {format}");
        }
    }
}

#[test]
fn boundary_lengths_by_odd_steps() {
    for format in [Format::Sealmark, Format::Age] {
        let identity = Identity::generate(Kem::X25519).unwrap();
        let to = SealTo::recipients(format, &[identity.recipient()]).unwrap();
        let with = OpenWith::identities(vec![identity]);
        for length in LENGTHS {
            for step in [1_000, 16_384, 65_537, usize::MAX] {
                let plaintext = bytes(length);
                let mut sealer = Sealer::new(Vec::new(), &to).unwrap();
                plaintext.chunks(step).for_each(|piece| sealer.write_all(piece).unwrap());
                let sealed = sealer.finish().unwrap();
                let mut opener = Opener::new(&sealed[..], &with).unwrap();
                let mut opened = Vec::new();
                let mut buffer = vec![0; step.min(1 << 20)];
                loop {
                    match opener.read(&mut buffer).unwrap() {
                        0 => break,
                        read => opened.extend_from_slice(&buffer[..read]),
                    }
                }
                assert!(opened == plaintext, "{format} {length} by {step}");
            }
        }
    }
}

#[test]
fn files_streams_and_writers_understand_each_other() {
    let workspace = workspace();
    let (plain, sealed, opened) =
        (workspace.path("plain"), workspace.path("sealed"), workspace.path("opened"));
    let replace = Job::default().existing(Existing::Replace);
    for format in [Format::Sealmark, Format::Age] {
        let identity = Identity::generate(Kem::MlKem768X25519).unwrap();
        let to = SealTo::recipients(format, &[identity.recipient()]).unwrap();
        let with = OpenWith::identities(vec![identity]);
        for length in LENGTHS {
            let plaintext = bytes(length);
            std::fs::write(&plain, &plaintext).unwrap();
            for armored in [false, true] {
                let to = if armored { to.clone().armored() } else { to.clone() };
                let summary = seal_file(&plain, &sealed, &to, &replace).unwrap();
                assert_eq!(summary.input, length as u64);
                let on_disk = std::fs::read(&sealed).unwrap();
                assert!(open_all(&on_disk, &with).unwrap() == plaintext, "{format} {length} {armored}");
                assert_eq!(verify_file(&sealed, &with, &replace).unwrap().output, length as u64);

                let mut streamed = Vec::new();
                seal_stream(&plaintext[..], &mut streamed, &to, &replace).unwrap();
                std::fs::write(&sealed, &streamed).unwrap();
                open_file(&sealed, &opened, &with, &replace).unwrap();
                assert!(std::fs::read(&opened).unwrap() == plaintext, "{format} {length} {armored}");

                let mut back = Vec::new();
                open_stream(&seal_all(&plaintext, &to)[..], &mut back, &with, &replace).unwrap();
                assert!(back == plaintext, "{format} {length} {armored}");
            }
        }
    }
}

#[test]
fn a_range_is_a_slice() {
    for format in [Format::Sealmark, Format::Age] {
        let identity = Identity::generate(Kem::P256).unwrap();
        let identity =
            if format == Format::Age { Identity::generate(Kem::X25519).unwrap() } else { identity };
        let to = SealTo::recipients(format, &[identity.recipient()]).unwrap();
        let with = OpenWith::identities(vec![identity]);
        for length in [0, 1, 16_384, 65_536, 200_000] {
            let plaintext = bytes(length);
            let mut opener = RangeOpener::new(Cursor::new(seal_all(&plaintext, &to)), &with).unwrap();
            assert_eq!(opener.len(), length as u64);
            for (start, end) in
                [(0, 0), (0, 1), (0, length), (length / 2, length), (16_383, 16_385), (5, 131_073)]
            {
                let mut out = Vec::new();
                let result = opener.read_range(start as u64..end as u64, &mut out);
                if end <= length {
                    assert!(result.is_ok() && out == plaintext[start..end], "{format} {start}..{end}")
                } else {
                    assert!(matches!(result, Err(Error::File(FileMisuse::Range { .. }))))
                }
            }
        }
    }
}

#[test]
fn a_range_that_cannot_be_read_is_told_as_it_was_asked_for() {
    let identity = Identity::generate(Kem::X25519).unwrap();
    let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()]).unwrap();
    let sealed = seal_all(b"fourteen bytes", &to);
    let mut opener = RangeOpener::new(Cursor::new(sealed), &OpenWith::identities(vec![identity])).unwrap();
    for (start, end, message) in [
        (9, 4, "the range starts at 9, but ends at 4"),
        (20, 4, "the range starts at 20, but ends at 4"),
        (4, 15, "the range ends at 15, but the content has 14 bytes"),
    ] {
        let error = opener.read_range(start..end, &mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(
            matches!(error, Error::File(FileMisuse::Range { start: s, end: e, length: 14, .. }) if (s, e) == (start, end))
        );
    }
}

#[test]
fn several_recipients_each_open_and_a_passphrase_is_alone() {
    let identities: Vec<_> = Kem::ALL[2..].iter().map(|kem| Identity::generate(*kem).unwrap()).collect();
    let recipients: Vec<_> = identities.iter().map(Identity::recipient).collect();
    let sealed = seal_all(b"x", &SealTo::recipients(Format::Sealmark, &recipients).unwrap());
    for identity in identities {
        assert_eq!(open_all(&sealed, &OpenWith::identities(vec![identity])).unwrap(), b"x");
    }
    for format in [Format::Sealmark, Format::Age] {
        let sealed = seal_all(b"x", &SealTo::passphrase(format, Passphrase::new("correct".into())));
        let right = OpenWith::passphrase(Passphrase::new("correct".into()));
        let wrong = OpenWith::passphrase(Passphrase::new("horse".into()));
        assert_eq!(open_all(&sealed, &right).unwrap(), b"x");
        assert!(matches!(open_all(&sealed, &wrong), Err(Error::WrongPassphrase)));
        assert!(matches!(open_all(&sealed, &OpenWith::default()), Err(Error::PassphraseNeeded)));
    }
}

#[test]
fn a_passphrase_is_asked_for_only_when_it_is_needed() {
    let asked = std::sync::atomic::AtomicU32::new(0);
    let ask = || {
        asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(Passphrase::new("p".into()))
    };
    let identity = Identity::generate(Kem::X25519).unwrap();
    let to_key = SealTo::recipients(Format::Sealmark, &[identity.recipient()]).unwrap();
    let with = OpenWith::identities(vec![identity]).ask_passphrase(&ask);
    open_all(&seal_all(b"x", &to_key), &with).unwrap();
    assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 0);
    open_all(&seal_all(b"x", &SealTo::passphrase(Format::Sealmark, Passphrase::new("p".into()))), &with)
        .unwrap();
    assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[test]
fn keys_survive_their_strings() {
    for &kem in Kem::ALL {
        let identity = Identity::generate(kem).unwrap();
        let text = identity.to_secret_string();
        let again: Identity = text.parse().unwrap();
        assert_eq!(again.to_secret_string(), text);
        let recipient: Recipient = identity.recipient().to_string().parse().unwrap();
        assert_eq!(recipient, again.recipient());
        assert!(text.parse::<Recipient>().is_err() && recipient.to_string().parse::<Identity>().is_err());
    }
}

/// A sink that panics, which only a bug would do.
struct Panics(usize);

impl Write for Panics {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).unwrap();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_worker_that_panics_does_not_leave_the_others_waiting() {
    let identity = Identity::generate(Kem::X25519).unwrap();
    let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()]).unwrap();
    let job = Job::default().threads(std::num::NonZeroUsize::new(4));
    let (done, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let sealing = || seal_stream(std::io::repeat(1).take(64 << 20), Panics(6 << 20), &to, &job);
        let _told = done.send(std::panic::catch_unwind(std::panic::AssertUnwindSafe(sealing)).is_err());
    });
    assert!(ended.recv_timeout(std::time::Duration::from_secs(30)).expect("it hangs"));
}

#[test]
fn a_range_of_an_armored_file_is_refused_before_a_passphrase_is_asked_for() {
    let to = SealTo::passphrase(Format::Sealmark, Passphrase::new("p".into())).armored();
    let ask = || panic!("asked");
    let with = OpenWith::default().ask_passphrase(&ask);
    let refused = RangeOpener::new(Cursor::new(seal_all(b"x", &to)), &with);
    assert!(matches!(refused, Err(Error::File(FileMisuse::ArmoredRange))));
}
