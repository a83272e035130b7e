//! The fields of an entry.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use super::*;

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
