//! Archives: any entries come back as they were sealed, in whatever way they are read, and misuse is refused.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::workspace;
use proptest::collection::vec;
use proptest::prelude::*;
use sealmark::archive::{
    Archive, Entry, Item, Kind, Located, MAX_SECONDS, MAX_SMALL, Time, path_order, seal_archive,
};
use sealmark::*;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Cursor, Read, Seek, Write};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;

struct Keys {
    to: SealTo,
    with: OpenWith<'static>,
}

fn keys() -> Keys {
    let identity = Identity::generate(Kem::X25519).unwrap();
    let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()]).unwrap();
    Keys { to, with: OpenWith::identities(vec![identity]) }
}

fn content(entry: &Entry) -> Vec<u8> {
    (0..entry.stored()).map(|at| (at * 7 + entry.path.len() as u64) as u8).collect()
}

fn seal(entries: &[Entry], to: &SealTo, path: &Path, threads: usize) -> Result<Summary> {
    let items = entries.iter().map(|entry| Ok(Item::new(entry.clone(), Cursor::new(content(entry)))));
    let job = Job::default().threads(NonZeroUsize::new(threads));
    seal_archive(items, Output::create(path, Existing::Replace).unwrap(), to, &job, tempfile::tempfile)
}

fn open(path: &Path, with: &OpenWith<'_>) -> Archive {
    Archive::open(Input::open(path).unwrap(), with).unwrap()
}

fn all(archive: &Archive, prefix: &[u8]) -> Vec<Located> {
    archive.entries(prefix).collect::<Result<_>>().unwrap()
}

/// Entries without duplicates, in order.
fn in_order(entries: Vec<Entry>) -> Vec<Entry> {
    let mut sorted = BTreeMap::new();
    for entry in entries {
        let key: Vec<u8> = entry.path.iter().map(|byte| if *byte == b'/' { 0 } else { *byte }).collect();
        sorted.insert(key, entry);
    }
    sorted.into_values().collect()
}

fn entry() -> impl Strategy<Value = Entry> {
    let name = prop_oneof!["[a-c]{1,2}", "[ -.0-~]{3,90}", Just("ü".to_owned())]
        .prop_filter("dots", |name| name != "." && name != "..");
    let path =
        prop_oneof![4 => vec(name.clone(), 1..2), 1 => vec(name, 1..4)].prop_map(|names| names.join("/"));
    let size = prop_oneof![8 => 0u64..2000, 2 => 16_000u64..17_000, 1 => Just(1_500_000)];
    let kind = prop_oneof![
        4 => size.prop_map(|size| Kind::File { size }),
        1 => "[a-z/.]{1,200}".prop_map(|target| Kind::SymbolicLink { target: target.into() }),
        1 => Just(Kind::HardLink { target: Vec::new() }),
        1 => vec((1u64..9999, 1u64..5000), 0..4).prop_map(|gaps| {
            let (mut end, mut data) = (0, Vec::new());
            for (gap, length) in gaps {
                data.push(end + gap..end + gap + length);
                end += gap + length;
            }
            Kind::Sparse { size: end + 1, data }
        }),
    ];
    let attributes = prop_oneof![
        4 => Just(BTreeMap::new()),
        1 => proptest::collection::btree_map("[a-z.]{1,20}", vec(any::<u8>(), 0..300), 0..4),
    ];
    (path, kind, 0u32..0o10000, any::<i32>(), 0u32..1_000_000_000, any::<u32>(), attributes).prop_map(
        |(path, kind, mode, seconds, nanoseconds, uid, attributes)| {
            let mut entry =
                Entry::new(path, kind, mode, Time { seconds: i64::from(seconds) << 3, nanoseconds });
            entry.uid = uid;
            if matches!(entry.kind, Kind::File { .. } | Kind::Sparse { .. }) {
                let bytes =
                    attributes.into_iter().map(|(name, value): (String, _)| (name.into_bytes(), value));
                entry.attributes = bytes.collect();
            }
            entry
        },
    )
}

/// Gives each hard link a target: the last file before it.
fn with_targets(entries: Vec<Entry>) -> Vec<Entry> {
    let mut file = None;
    let mut give = |mut entry: Entry| {
        match &mut entry.kind {
            Kind::File { .. } | Kind::Sparse { .. } => file = Some(entry.path.clone()),
            Kind::HardLink { target } => *target = file.clone()?,
            _ => {}
        }
        Some(entry)
    };
    entries.into_iter().filter_map(&mut give).collect()
}

/// Adds the directories that entries stand in.
fn with_directories(entries: Vec<Entry>) -> Vec<Entry> {
    let mut all = entries.clone();
    for entry in &entries {
        for (at, _) in entry.path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            all.push(Entry::new(&entry.path[..at], Kind::Directory, 0o755, Time::default()));
        }
    }
    in_order(all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_entries_come_back(entries in vec(entry(), 0..60), threads in 1usize..4) {
        let (entries, keys, workspace) = (with_targets(with_directories(entries)), keys(), workspace());
        let path = workspace.path("sealed");
        seal(&entries, &keys.to, &path, threads).unwrap();
        let job = Job::default().threads(NonZeroUsize::new(threads));
        verify_file(&path, &keys.with, &job).unwrap();
        let archive = open(&path, &keys.with);
        let found = all(&archive, b"");
        let listed: Vec<Entry> = found.iter().map(|located| located.entry().clone()).collect();
        prop_assert_eq!(&listed, &entries);
        prop_assert_eq!(archive.len(), entries.len() as u64);

        let read = Mutex::new(0);
        archive.read_small(&found, &job, |file, bytes| {
            assert_eq!(bytes, content(file.entry()));
            *read.lock().unwrap() += 1;
            Ok(())
        }).unwrap();
        prop_assert_eq!(*read.lock().unwrap(), found.iter().filter(|file| file.entry().stored() <= MAX_SMALL).count());
        for file in found.iter().filter(|file| file.entry().size() > 0).take(9) {
            let mut target = tempfile::tempfile().unwrap();
            archive.copy(file, &target, &job).unwrap();
            let mut copied = Vec::new();
            io::Seek::rewind(&mut target).unwrap();
            target.read_to_end(&mut copied).unwrap();
            prop_assert_eq!(copied, whole(file.entry()));
        }
        for prefix in [&b"a"[..], b"a/", b"b/c", b"zz"] {
            let some: Vec<_> = all(&archive, prefix).iter().map(|located| located.entry().path.clone()).collect();
            let expected: Vec<_> = entries.iter().map(|entry| entry.path.clone()).filter(|path| path.starts_with(prefix)).collect();
            prop_assert_eq!(some, expected);
        }
    }
}

/// The content with its holes.
fn whole(entry: &Entry) -> Vec<u8> {
    let stored = content(entry);
    let Kind::Sparse { size, data } = &entry.kind else { return stored };
    let (mut whole, mut at) = (vec![0; *size as usize], 0);
    for piece in data {
        let length = (piece.end - piece.start) as usize;
        whole[piece.start as usize..piece.end as usize].copy_from_slice(&stored[at..at + length]);
        at += length;
    }
    whole
}

fn file(path: impl Into<Vec<u8>>, size: u64) -> Entry {
    Entry::new(path, Kind::File { size }, 0o644, Time::default())
}

/// Some file systems keep any 64 bits as a time. An index has no room for all of them, and what is sealed must open.
#[test]
fn a_distant_time_comes_back_or_is_refused() {
    let (keys, workspace) = (keys(), workspace());
    let path = workspace.path("sealed");
    let at = |seconds| Entry::new("a", Kind::File { size: 3 }, 0o644, Time { seconds, nanoseconds: 1 });
    for seconds in [-MAX_SECONDS, MAX_SECONDS - 1] {
        seal(&[at(seconds)], &keys.to, &path, 1).unwrap();
        verify_file(&path, &keys.with, &Job::default()).unwrap();
        assert_eq!(all(&open(&path, &keys.with), b"")[0].entry(), &at(seconds));
    }
    for seconds in [i64::MIN, -MAX_SECONDS - 1, MAX_SECONDS, i64::MAX] {
        let sealed = seal(&[at(seconds)], &keys.to, &path, 1);
        assert!(matches!(sealed, Err(Error::File(FileMisuse::Entry(_)))), "{sealed:?}");
    }
}

/// An entry can be asked for its size before it is checked.
#[test]
fn pieces_of_a_sparse_file_may_be_invalid() {
    let sparse = |data| Entry::new("a", Kind::Sparse { size: 9, data }, 0o644, Time::default());
    let backwards = sparse(vec![Range { start: 5, end: 3 }]);
    assert_eq!((backwards.stored(), backwards.check().is_ok()), (0, false));
    let huge = sparse(vec![0..u64::MAX, 0..u64::MAX]);
    assert_eq!((huge.stored(), huge.check().is_ok()), (u64::MAX, false));
}

fn link(path: &str, target: &str) -> Entry {
    Entry::new(path, Kind::HardLink { target: target.into() }, 0o644, Time::default())
}

/// A target is looked up in its own block, wherever that is. Only a comparison of the whole archive finds that one is missing.
#[test]
fn the_target_of_a_hard_link_is_found_in_any_block() {
    let (keys, workspace) = (keys(), workspace());
    let path = workspace.path("sealed");
    let files = (0..3000).map(|number| file(format!("a{number:04}"), 0));
    let links = (0..3000).map(|number| link(&format!("b{number:04}"), &format!("a{:04}", number * 7 % 3000)));
    let mut entries: Vec<Entry> = files.chain(links).collect();
    seal(&entries, &keys.to, &path, 2).unwrap();
    verify_file(&path, &keys.with, &Job::default()).unwrap();
    assert_eq!(all(&open(&path, &keys.with), b"b").len(), 3000);

    entries.remove(7);
    seal(&entries, &keys.to, &path, 2).unwrap();
    let verified = verify_file(&path, &keys.with, &Job::default());
    assert!(matches!(verified, Err(Error::Malformed(Malformed::Archive(_)))), "{verified:?}");
    let archive = open(&path, &keys.with);
    assert_eq!(all(&archive, b"a0").len(), 999);
    assert_eq!(all(&archive, b"b").len(), 3000);
}

/// Long enough for several blocks and for the spilled form, and for all of the table's uses.
#[test]
fn an_index_longer_than_memory_may_hold_comes_back() {
    let (keys, workspace) = (keys(), workspace());
    let path = workspace.path("sealed");
    let long = "n".repeat(200);
    let entries: Vec<Entry> =
        (0..50_000).map(|number: u64| file(format!("{:05}{long}", number), number % 3)).collect();
    let (spills, spilled) = (Mutex::new(0), Mutex::new(None));
    let items = entries.iter().map(|entry| Ok(Item::new(entry.clone(), Cursor::new(content(entry)))));
    let spill = || {
        let mut spills = spills.lock().unwrap();
        *spills += 1;
        // No entry is lost to a signal.
        if *spills == 1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let file = tempfile::tempfile()?;
        *spilled.lock().unwrap() = Some(file.try_clone()?);
        Ok(file)
    };
    let output = Output::create(&path, Existing::Refuse).unwrap();
    seal_archive(items, output, &keys.to, &Job::default(), spill).unwrap();
    assert_eq!(*spills.lock().unwrap(), 2);
    // The file had all names, and none of them in the clear.
    let (mut file, mut bytes) = (spilled.lock().unwrap().take().unwrap(), Vec::new());
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    assert!(bytes.len() > 8 << 20 && !bytes.windows(8).any(|part| part == b"nnnnnnnn"), "{}", bytes.len());
    verify_file(&path, &keys.with, &Job::default()).unwrap();
    let archive = open(&path, &keys.with);
    assert_eq!(all(&archive, b"").len(), entries.len());
    for number in [0u64, 1, 77, 12_345, 49_999] {
        let found = all(&archive, format!("{number:05}").as_bytes());
        assert_eq!(
            found.iter().map(|located| located.entry()).collect::<Vec<_>>(),
            [&entries[number as usize]]
        );
    }
}

/// Neither the input nor the output is to blame.
#[test]
#[cfg(target_os = "linux")]
fn a_file_for_the_index_that_fails_is_told_apart() {
    let (keys, workspace) = (keys(), workspace());
    let path = workspace.path("sealed");
    let device = |name: &str, write: bool| fs::File::options().read(true).write(write).open(name);
    let failing: [(&(dyn Fn() -> io::Result<fs::File> + Sync), _); 3] = [
        (&|| Err(io::ErrorKind::NotFound.into()), io::ErrorKind::NotFound),
        (&|| device("/dev/full", true), io::ErrorKind::StorageFull),
        (&|| device("/dev/null", false), io::Error::from_raw_os_error(9).kind()),
    ];
    for (spill, expected) in failing {
        let items = (0..2200).map(|number| {
            let kind = Kind::SymbolicLink { target: vec![b't'; 4000] };
            Ok(Item::new(Entry::new(format!("{number:04}"), kind, 0o777, Time::default()), io::empty()))
        });
        let output = Output::create(&path, Existing::Refuse).unwrap();
        let error = seal_archive(items, output, &keys.to, &Job::default(), spill).unwrap_err();
        assert!(workspace.names().is_empty());
        let Error::Spill { error, .. } = error else { panic!("{error:?}") };
        assert_eq!(error.kind(), expected, "{error:?}");
    }
}

#[test]
fn files_are_read_in_any_order_and_as_often_as_they_come() {
    let (keys, workspace) = (keys(), workspace());
    let path = workspace.path("sealed");
    let entries: Vec<Entry> = (0..300).map(|number| file(format!("{number:03}"), number * 37)).collect();
    seal(&entries, &keys.to, &path, 2).unwrap();
    let archive = open(&path, &keys.with);
    let mut files = all(&archive, b"");
    files.reverse();
    files.extend(files.clone().into_iter().step_by(7));
    let expected: BTreeMap<_, _> = entries
        .iter()
        .map(|entry| (entry.path.clone(), files.iter().filter(|file| file.entry() == entry).count()))
        .collect();
    let read = Mutex::new(BTreeMap::new());
    archive
        .read_small(&files, &Job::default(), |file, bytes| {
            assert_eq!(bytes, content(file.entry()));
            *read.lock().unwrap().entry(file.entry().path.clone()).or_insert(0) += 1;
            Ok(())
        })
        .unwrap();
    assert_eq!(*read.lock().unwrap(), expected);
}

/// A full disk must not look like an archive that cannot be read.
#[test]
fn an_error_of_the_callback_is_one_of_writing() {
    let (keys, workspace) = (keys(), workspace());
    let path = workspace.path("sealed");
    seal(&[file("a", 1)], &keys.to, &path, 1).unwrap();
    let archive = open(&path, &keys.with);
    let files = all(&archive, b"");
    let failed = |error: fn() -> io::Error| {
        archive.read_small(&files, &Job::default(), |_, _| Err(error())).unwrap_err()
    };
    let full = failed(|| io::ErrorKind::StorageFull.into());
    let Error::Write { path: None, error, .. } = full else { panic!("{full:?}") };
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert!(matches!(failed(|| Error::NoKey.into()), Error::NoKey));
}

#[test]
fn misuse_is_refused_and_leaves_nothing() {
    let (keys, workspace) = (keys(), workspace());
    let path = workspace.path("sealed");
    for (entries, expected) in [
        (vec![file("b", 1), file("a", 1)], "order"),
        (vec![file("a", 1), file("a", 1)], "order"),
        (vec![file("a.b", 1), file("a/b", 1)], "order"),
        (vec![file("../a", 1)], "not allowed in an archive"),
        (vec![link("a", "b"), file("b", 1)], "not allowed in an archive"),
        (vec![file("/a", 1)], "not allowed in an archive"),
    ] {
        let error = seal(&entries, &keys.to, &path, 2).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(workspace.names().is_empty());
    }
    let short = [Ok(Item::new(file("a", 10), &b"short"[..]))];
    let output = Output::create(&path, Existing::Refuse).unwrap();
    let error =
        seal_archive(short.into_iter(), output, &keys.to, &Job::default(), tempfile::tempfile).unwrap_err();
    assert!(matches!(error, Error::InputChanged { .. }), "{error}");
    let age =
        SealTo::recipients(Format::Age, &[Identity::generate(Kem::X25519).unwrap().recipient()]).unwrap();
    assert!(matches!(seal(&[], &age, &path, 1), Err(Error::File(FileMisuse::ArchiveInAge))));
    assert!(workspace.names().is_empty());

    fs::write(workspace.path("plain"), "text").unwrap();
    seal_file(workspace.path("plain"), &path, &keys.to, &Job::default()).unwrap();
    let opened = Archive::open(Input::open(&path).unwrap(), &keys.with);
    assert!(matches!(opened, Err(Error::File(FileMisuse::NotAnArchive))), "{opened:?}");
    seal(&[file("a", 1)], &keys.to.clone().armored(), &path, 1).unwrap();
    let opened = Archive::open(Input::open(&path).unwrap(), &keys.with);
    assert!(matches!(opened, Err(Error::File(FileMisuse::ArchiveStream))), "{opened:?}");
    assert_eq!(common::open_all(&fs::read(&path).unwrap(), &keys.with).unwrap().len(), 16_384);
}

/// "Whole and unaltered" includes the comparison with the index, which only a regular file without armor allows.
#[test]
fn an_archive_that_cannot_be_compared_is_not_verified() {
    let (keys, workspace) = (keys(), workspace());
    let path = workspace.path("sealed");
    let refused = |verified: Result<Summary>| {
        assert!(matches!(verified, Err(Error::File(FileMisuse::ArchiveStream))), "{verified:?}");
    };
    seal(&[file("a", 1)], &keys.to, &path, 1).unwrap();
    let sealed = fs::read(&path).unwrap();
    let opened_before = Input::from_file(fs::File::open(&path).unwrap()).unwrap();
    verify_input(&opened_before, &keys.with, &Job::default()).unwrap();
    refused(verify_stream(&sealed[..], &keys.with, &Job::default()));
    let (reader, mut writer) = io::pipe().unwrap();
    writer.write_all(&sealed).unwrap();
    drop(writer);
    let pipe = Input::from_file(fs::File::from(std::os::fd::OwnedFd::from(reader))).unwrap();
    refused(verify_input(&pipe, &keys.with, &Job::default()));

    seal(&[file("a", 1)], &keys.to.clone().armored(), &path, 1).unwrap();
    refused(verify_file(&path, &keys.with, &Job::default()));
}

/// The new header and the new file key keep the index; the content keeps its bytes.
#[test]
fn a_new_header_and_a_new_file_key_keep_the_index() {
    let (old, new, workspace) = (keys(), keys(), workspace());
    let path = workspace.path("sealed");
    let entries = [file("a", 5_000_000), file("b", 3)];
    seal(&entries, &old.to, &path, 2).unwrap();
    let tar = common::open_all(&fs::read(&path).unwrap(), &old.with).unwrap();
    let job = Job::default().existing(Existing::Replace);
    rekey_file(&path, &path, &old.with, &new.to, &job).unwrap();
    verify_file(&path, &new.with, &job).unwrap();
    assert_eq!(all(&open(&path, &new.with), b"").len(), 2);
    reencrypt_file(&path, &path, &new.with, &old.to, &job).unwrap();
    verify_file(&path, &old.with, &job).unwrap();
    assert_eq!(all(&open(&path, &old.with), b"").len(), 2);
    assert_eq!(common::open_all(&fs::read(&path).unwrap(), &old.with).unwrap(), tar);
    let age =
        SealTo::recipients(Format::Age, &[Identity::generate(Kem::X25519).unwrap().recipient()]).unwrap();
    let refused = reencrypt_file(&path, &path, &old.with, &age, &job);
    assert!(matches!(refused, Err(Error::File(FileMisuse::ArchiveInAge))), "{refused:?}");
    reencrypt_file(&path, &path, &old.with, &new.to.clone().armored(), &job).unwrap();
    assert_eq!(common::open_all(&fs::read(&path).unwrap(), &new.with).unwrap(), tar);
    let output = workspace.path("tar");
    open_file(&path, &output, &new.with, &job).unwrap();
    assert_eq!(fs::read(output).unwrap(), tar);
}

#[test]
fn the_order_puts_a_directory_before_its_neighbours() {
    let mut paths = ["a.b", "a/c", "a", "a b", "a/b/c", "a/b"];
    paths.sort_by(|one, other| path_order(one.as_bytes(), other.as_bytes()));
    assert_eq!(paths, ["a", "a/b", "a/b/c", "a/c", "a b", "a.b"]);
}

#[test]
fn a_file_elsewhere_is_read_in_ranges() {
    let (keys, workspace) = (keys(), workspace());
    let sizes = [0, 1, 16_384, 3_000_000, 40_000];
    let entry = |(number, size)| Entry::new(format!("{number}"), Kind::File { size }, 0o644, Time::default());
    let entries: Vec<Entry> = sizes.into_iter().enumerate().map(entry).collect();
    let (sealed, opened) = (workspace.path("sealed"), workspace.path("opened"));
    seal(&entries, &keys.to, &sealed, 2).unwrap();
    let bytes = fs::read(&sealed).unwrap();
    let length = bytes.len() as u64;
    let ranges = |bytes: Vec<u8>| {
        Input::from_ranges(length, move |out, at| {
            let found = bytes.get(at as usize..at as usize + out.len());
            out.copy_from_slice(found.ok_or_else(|| io::Error::other("beyond what was kept"))?);
            Ok(())
        })
    };
    let job = || Job::default().threads(NonZeroUsize::new(3));
    let summary = verify_input(&ranges(bytes.clone()), &keys.with, &job()).unwrap();
    assert_eq!(summary.input, length);
    let output = Output::create(&opened, Existing::Refuse).unwrap();
    open_input(&ranges(bytes.clone()), output, &keys.with, &job()).unwrap();
    let tar = fs::read(&opened).unwrap();
    let mut streamed = Vec::new();
    open_input(&ranges(bytes.clone()), Output::stream(&mut streamed), &keys.with, &job()).unwrap();
    assert!(streamed == tar);
    let (input, mut part) = (ranges(bytes.clone()), Vec::new());
    RangeOpener::new(&input, &keys.with).unwrap().read_range(500..20_000, &mut part).unwrap();
    assert!(part == tar[500..20_000]);
    let archive = Archive::open(ranges(bytes.clone()), &keys.with).unwrap();
    let found = all(&archive, b"");
    archive
        .read_small(&found, &job(), |file, found| {
            assert!(found == content(file.entry()));
            Ok(())
        })
        .unwrap();

    // Its own error comes out of every call.
    let kept = bytes[..100_000].to_vec();
    let refused = verify_input(&ranges(kept.clone()), &keys.with, &job());
    let refused = refused.err().into_iter().chain(Archive::open(ranges(kept), &keys.with).err());
    let refused: Vec<_> = refused.map(|error| error.to_string()).collect();
    assert_eq!(refused, ["cannot read the input: beyond what was kept"; 2]);
    let mut other = bytes;
    other[length as usize / 2] ^= 1;
    assert!(matches!(verify_input(&ranges(other), &keys.with, &job()), Err(Error::Tampered(Part::Payload))));
}
