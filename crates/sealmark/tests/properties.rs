//! Properties for any plaintext, any recipients and any steps; and no input makes the library panic.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::verdict::class;
use common::{bytes, open_all, seal_all, workspace};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use sealmark::*;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::num::NonZeroUsize;
use std::sync::LazyLock;

static KEYS: LazyLock<Vec<Identity>> = LazyLock::new(|| {
    let kems = [Kem::X25519, Kem::X25519, Kem::P256, Kem::MlKem768, Kem::MlKem768X25519, Kem::MlKem768X25519];
    kems.iter().map(|kem| Identity::generate(*kem).unwrap()).collect()
});

/// Indices into [`KEYS`] of keys that age knows, which age does not let anybody mix.
const AGE_SETS: [&[usize]; 5] = [&[0], &[0, 1], &[1, 0, 1], &[4], &[5, 4]];

/// The recipients of a file, and the way in which it is written.
#[derive(Debug, Clone)]
struct Plan {
    format: Format,
    keys: Vec<usize>,
    armored: bool,
    way: Way,
}

/// The library's ways through a file.
#[derive(Debug, Clone, Copy)]
enum Way {
    Adapter { step: usize },
    Stream { threads: usize },
    Path { threads: usize },
}

impl Plan {
    fn seal_to(&self) -> SealTo {
        let recipients: Vec<_> = self.keys.iter().map(|key| KEYS[*key].recipient()).collect();
        let to = SealTo::mixed_recipients(self.format, &recipients).unwrap();
        if self.armored { to.armored() } else { to }
    }

    fn seal(&self, plaintext: &[u8]) -> Vec<u8> {
        match self.way {
            Way::Adapter { step } => {
                let mut sealer = Sealer::new(Vec::new(), &self.seal_to()).unwrap();
                plaintext.chunks(step).for_each(|piece| sealer.write_all(piece).unwrap());
                sealer.finish().unwrap()
            }
            Way::Stream { threads } => {
                let mut sealed = Vec::new();
                seal_stream(plaintext, &mut sealed, &self.seal_to(), &job(threads)).unwrap();
                sealed
            }
            Way::Path { threads } => {
                through_files(plaintext, |from, to| seal_file(from, to, &self.seal_to(), &job(threads)))
            }
        }
    }
}

fn open(sealed: &[u8], with: &OpenWith<'_>, way: Way) -> Vec<u8> {
    match way {
        Way::Adapter { step } => {
            let (mut opener, mut opened) = (Opener::new(sealed, with).unwrap(), Vec::new());
            while opener.by_ref().take(step as u64).read_to_end(&mut opened).unwrap() > 0 {}
            opened
        }
        Way::Stream { threads } => {
            let mut opened = Vec::new();
            open_stream(sealed, &mut opened, with, &job(threads)).unwrap();
            opened
        }
        Way::Path { threads } => through_files(sealed, |from, to| open_file(from, to, with, &job(threads))),
    }
}

fn through_files(
    input: &[u8],
    work: impl Fn(&std::path::Path, &std::path::Path) -> Result<Summary>,
) -> Vec<u8> {
    let workspace = workspace();
    let (from, to) = (workspace.path("from"), workspace.path("to"));
    fs::write(&from, input).unwrap();
    let summary = work(&from, &to).unwrap();
    let output = fs::read(&to).unwrap();
    if !output.starts_with(b"-----BEGIN") {
        assert_eq!(summary.output, output.len() as u64);
    }
    output
}

fn job(threads: usize) -> Job<'static> {
    Job::default().threads(NonZeroUsize::new(threads))
}

fn way() -> impl Strategy<Value = Way> {
    prop_oneof![
        prop_oneof![1_usize..3000, 16_000_usize..140_000].prop_map(|step| Way::Adapter { step }),
        (1_usize..5).prop_map(|threads| Way::Stream { threads }),
        (1_usize..5).prop_map(|threads| Way::Path { threads }),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    let ours = vec(0..KEYS.len(), 1..5).prop_map(|keys| (Format::Sealmark, keys));
    let ages = prop::sample::select(&AGE_SETS[..]).prop_map(|keys| (Format::Age, keys.to_vec()));
    (prop_oneof![ours, ages], any::<bool>(), way()).prop_map(|((format, keys), armored, way)| Plan {
        format,
        keys,
        armored,
        way,
    })
}

/// Any length; lengths around the edges of chunks and runs are more frequent.
fn length() -> impl Strategy<Value = usize> {
    static EDGES: [usize; 7] = [0, 16_384, 32_768, 65_536, 131_072, 524_288, 1_048_576];
    let near =
        (prop::sample::select(&EDGES[..]), 0_usize..5).prop_map(|(edge, off)| (edge + off).saturating_sub(2));
    prop_oneof![near, 0_usize..1000, 0_usize..600_000]
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(120))]

    #[test]
    fn what_is_sealed_in_any_way_opens_in_any_other(plan in plan(), length in length(), way in way(), key: Index) {
        let plaintext = bytes(length);
        let sealed = plan.seal(&plaintext);
        let inspection = inspect(&sealed[..]).unwrap();
        prop_assert_eq!(inspection.plaintext_bytes, Some(length as u64));
        prop_assert_eq!(inspection.stanzas.len(), plan.keys.len());
        let with = |key: usize| OpenWith::identities(vec![KEYS[key].clone()]);
        let opened = open(&sealed, &with(plan.keys[key.index(plan.keys.len())]), way);
        prop_assert!(opened == plaintext);
        for stranger in (0..KEYS.len()).filter(|key| !plan.keys.contains(key)) {
            prop_assert!(matches!(open_all(&sealed, &with(stranger)), Err(Error::NoKey)));
        }
    }

    #[test]
    fn any_range_is_a_slice(format in format(), length in length(), ends in vec(any::<(Index, Index)>(), 1..6)) {
        let (plaintext, sealed, with) = small(format, length);
        let mut opener = RangeOpener::new(Cursor::new(sealed), &with).unwrap();
        for (one, other) in ends {
            let (one, other) = (one.index(length + 1), other.index(length + 1));
            let (start, end) = (one.min(other), one.max(other));
            let mut out = Vec::new();
            opener.read_range(start as u64..end as u64, &mut out).unwrap();
            prop_assert!(out == plaintext[start..end]);
        }
    }
}

/// The short end of a stream is ready long before the run that it follows, and must wait.
#[test]
fn streams_keep_their_order() {
    let (plaintext, _, with) = small(Format::Sealmark, 1_048_577);
    let to = SealTo::recipients(Format::Sealmark, &[KEYS[0].recipient()]).unwrap();
    for _ in 0..100 {
        let (mut sealed, mut opened) = (Vec::new(), Vec::new());
        seal_stream(&plaintext[..], &mut sealed, &to, &job(3)).unwrap();
        open_stream(&sealed[..], &mut opened, &with, &job(3)).unwrap();
        assert!(opened == plaintext);
    }
}

proptest! {
    #![proptest_config(config(1500))]

    /// Garbage after each beginning that leads further into the library.
    #[test]
    fn garbage_is_refused(start in beginning(), mut garbage in vec(any::<u8>(), 0..400), text: bool) {
        if text {
            garbage.iter_mut().for_each(|byte| *byte = b"\n\n\r ->=-AZaz09+/"[usize::from(*byte) % 16]);
        }
        check_refused(&[&start[..], &garbage].concat())?;
    }

    #[test]
    fn an_altered_file_is_refused(format in format(), armored: bool, blows in vec((any::<Index>(), blow()), 1..4)) {
        let (plaintext, sealed, with) = small(format, 10);
        let sealed = if armored { armor(&sealed, format) } else { sealed };
        let mut altered = sealed.clone();
        blows.iter().for_each(|(at, blow)| strike(&mut altered, *at, *blow));
        match open_all(&altered, &with) {
            // Armor may change in white space, and in nothing else.
            Ok(opened) => {
                prop_assert_eq!(opened, plaintext);
                prop_assert_eq!(squeezed(&altered, armored), squeezed(&sealed, armored));
            }
            Err(_) => check_refused(&altered)?,
        }
    }

    #[test]
    fn garbage_is_no_key(
        text in "(age1|age1pq1|AGE-SECRET-KEY-|SEALMARK-SECRET-KEY-P256-|sealmark-p256-)?1?\\PC{0,80}",
    ) {
        prop_assert!(matches!(text.parse::<Identity>(), Err(Error::Key(_))));
        prop_assert!(matches!(text.parse::<Recipient>(), Err(Error::Key(_))));
    }

    #[test]
    fn a_mistyped_key_is_no_key(key in 0..KEYS.len(), at: Index, typed in "[ -~]") {
        let (secret, public) = (KEYS[key].to_secret_string(), KEYS[key].recipient().to_string());
        for text in [&secret[..], &public] {
            let at = at.index(text.len());
            let mistyped = format!("{}{typed}{}", &text[..at], &text[at + 1..]);
            let parsed = mistyped.parse::<Identity>().is_ok() || mistyped.parse::<Recipient>().is_ok();
            prop_assert_eq!(parsed, mistyped == text);
        }
    }
}

fn format() -> impl Strategy<Value = Format> {
    prop_oneof![Just(Format::Sealmark), Just(Format::Age)]
}

/// A file that is sealed to the first key.
fn small(format: Format, length: usize) -> (Vec<u8>, Vec<u8>, OpenWith<'static>) {
    let to = SealTo::recipients(format, &[KEYS[0].recipient()]).unwrap();
    let plaintext = bytes(length);
    let sealed = seal_all(&plaintext, &to);
    (plaintext, sealed, OpenWith::identities(vec![KEYS[0].clone()]))
}

/// Every way into the library refuses the input, and blames the input.
fn check_refused(input: &[u8]) -> std::result::Result<(), TestCaseError> {
    let with = OpenWith::identities(KEYS.clone());
    let opened = open_all(input, &with);
    prop_assert!(opened.is_err());
    class(&opened);
    let verified = verify_stream(input, &with, &job(2));
    prop_assert_eq!(class(&verified), class(&opened));
    if !input.starts_with(b"-") && !input.starts_with(b" ") {
        let ranges = RangeOpener::new(Cursor::new(input), &with);
        prop_assert!(ranges.is_err() || class(&opened) == "payload failure");
    }
    if let Err(error) = inspect(input) {
        class::<()>(&Err(error));
    }
    Ok(())
}

fn beginning() -> impl Strategy<Value = Vec<u8>> {
    let beginnings: [&[u8]; 9] = [
        b"",
        b"sealmark/1\n",
        b"age-encryption.org/v1\n",
        b"sealmark/1\n-> x25519 ",
        b"sealmark/1\n-> argon2id AAAAAAAAAAAAAAAAAAAAAA ",
        b"age-encryption.org/v1\n-> scrypt AAAAAAAAAAAAAAAAAAAAAA ",
        b"sealmark/1\n-> x\n\n--- ",
        b"-----BEGIN SEALMARK ENCRYPTED FILE-----\n",
        b"-----BEGIN AGE ENCRYPTED FILE-----\nYWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+",
    ];
    prop::sample::select(beginnings.map(<[u8]>::to_vec).to_vec())
}

#[derive(Debug, Clone, Copy)]
enum Blow {
    Replace(u8),
    Insert(u8),
    Remove,
    Repeat(usize),
    Cut,
}

fn blow() -> impl Strategy<Value = Blow> {
    let byte = prop_oneof![prop::sample::select(&b"\n\r \t->=ABQgwxyz0489+/"[..]), any::<u8>()].boxed();
    prop_oneof![
        byte.clone().prop_map(Blow::Replace),
        byte.prop_map(Blow::Insert),
        Just(Blow::Remove),
        (1_usize..70).prop_map(Blow::Repeat),
        Just(Blow::Cut),
    ]
}

fn strike(file: &mut Vec<u8>, at: Index, blow: Blow) {
    if file.is_empty() {
        return;
    }
    let at = at.index(file.len());
    match blow {
        Blow::Replace(byte) => file[at] = byte,
        Blow::Insert(byte) => file.insert(at, byte),
        Blow::Remove => drop(file.remove(at)),
        Blow::Repeat(length) => {
            let piece = file[at..file.len().min(at + length)].to_vec();
            file.splice(at..at, piece);
        }
        Blow::Cut => file.truncate(at),
    }
}

fn squeezed(file: &[u8], armored: bool) -> Vec<u8> {
    file.iter().copied().filter(|byte| !armored || !byte.is_ascii_whitespace()).collect()
}

/// Puts armor around a sealed file, as the library writes it.
fn armor(sealed: &[u8], format: Format) -> Vec<u8> {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    let label = if format == Format::Age { "AGE ENCRYPTED FILE" } else { "SEALMARK ENCRYPTED FILE" };
    let lines: String = sealed.chunks(48).map(|line| STANDARD.encode(line) + "\n").collect();
    format!("-----BEGIN {label}-----\n{lines}-----END {label}-----\n").into_bytes()
}
