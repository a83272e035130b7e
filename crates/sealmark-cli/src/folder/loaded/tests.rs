//! The fields of an entry.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use super::*;
use sealmark::archive::{MAX_PATH, MAX_SIZE};

#[test]
fn a_distant_time_becomes_the_nearest_that_an_archive_may_have() {
    for (seconds, kept) in
        [(i64::MIN, -MAX_SECONDS), (-1, -1), (MAX_SECONDS - 1, MAX_SECONDS - 1), (i64::MAX, MAX_SECONDS - 1)]
    {
        let mut stat = rustix::fs::stat("/").unwrap();
        stat.st_mtime = seconds;
        let Loaded { entry, notes, .. } = Loaded::new(b"a".to_vec(), Kind::Directory, &stat);
        assert_eq!(entry.unwrap().modified.seconds, kept);
        assert_eq!(matches!(notes[..], [Note::Distant]), seconds != kept, "{notes:?}");
    }
}

#[test]
fn what_an_archive_cannot_have_is_left_out() {
    let stat = rustix::fs::stat("/").unwrap();
    let size = |size| Kind::Sparse { size, data: Vec::new() };
    let target = |length| Kind::SymbolicLink { target: vec![b'x'; length] };
    for (kind, is_kept) in [
        (size(MAX_SIZE), true),
        (size(MAX_SIZE + 1), false),
        (target(MAX_PATH), true),
        (target(MAX_PATH + 1), false),
    ] {
        let Loaded { entry, notes, .. } = Loaded::new(b"a".to_vec(), kind, &stat);
        assert_eq!((entry.is_some(), matches!(notes[..], [Note::Beyond])), (is_kept, !is_kept), "{notes:?}");
    }
}

#[test]
fn an_attribute_that_an_archive_cannot_have_is_named_and_the_others_are_kept() {
    let stat = rustix::fs::stat("/").unwrap();
    let mut loaded = Loaded::new(b"a".to_vec(), Kind::Directory, &stat);
    let read = |name: &str, bytes: usize| (name.as_bytes().to_vec(), Ok(vec![0; bytes]));
    let closed = (b"trusted.x".to_vec(), Err(io::ErrorKind::PermissionDenied.into()));
    let large = ["user.d", "user.e", "user.f"].map(|name| read(name, 60_000));
    let small = [read("user.a", 0), read("user.b=c", 1)];
    let all = [closed].into_iter().chain(small).chain(large).chain([read("user.z", 9)]);
    loaded.add_attributes(Ok(all.collect()));
    let kept: Vec<_> = loaded.entry.as_ref().unwrap().attributes.iter().map(|(name, _)| &name[..]).collect();
    assert_eq!(kept, [b"user.a", b"user.d", b"user.e", b"user.z"]);
    let named = loaded.notes.iter().map(|note| match note {
        Note::Attributes(Some(name), _) => &name[..],
        _ => panic!("{note:?}"),
    });
    assert_eq!(named.collect::<Vec<_>>(), [&b"trusted.x"[..], b"user.b=c", b"user.f"]);

    loaded.add_attributes(Err(io::ErrorKind::Unsupported.into()));
    assert!(matches!(loaded.notes.last(), Some(Note::Attributes(None, _))));
}
