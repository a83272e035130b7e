//! The vectors of archives: a file for each rule of spec/file.md, "Archives".
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::vector::Vector;
use common::verdict::{assert_released, job, keys_of};
use common::workspace;
use sealmark::archive::Archive;
use sealmark::{
    Error, Format, Identity, Input, Kem, Malformed, OpenWith, Opener, Part, RangeOpener, Result, SealTo,
    inspect, open_file, open_stream, reencrypt_file, verify_file,
};
use std::fs;
use std::io::Cursor;

/// These have a link whose target comes before it, and is no file: a reader of a part of the index need not look it up.
const SEEN_BY_VERIFY: [&str; 5] = [
    "a_hard_link_to_a_directory",
    "a_hard_link_to_a_hard_link",
    "a_hard_link_to_a_path_before_all_others",
    "a_hard_link_to_a_path_that_is_not_there",
    "a_hard_link_to_a_symbolic_link",
];

#[test]
fn every_vector_has_its_class_and_releases_what_it_may() {
    let vectors = Vector::all("archive");
    assert_eq!(vectors.len(), 102);
    for vector in &vectors {
        for with in keys_of(vector) {
            check(vector, &with);
        }
    }
}

fn class<T>(result: &Result<T>) -> &'static str {
    match result {
        Ok(_) => "success",
        Err(Error::Malformed(Malformed::Header(_))) => "header failure",
        Err(Error::Tampered(Part::Index) | Error::Malformed(Malformed::Archive(_))) => "index failure",
        Err(error) => panic!("no class for {error:?}"),
    }
}

/// The class for a reader of the content, which sees only where the index starts.
fn class_of_content(vector: &Vector) -> &'static str {
    match &vector.expect[..] {
        "no index" => "index failure",
        "index failure" | "success" => "success",
        _ => "header failure",
    }
}

fn check(vector: &Vector, with: &OpenWith<'_>) {
    let workspace = workspace();
    let (sealed, opened) = (workspace.path("sealed"), workspace.path("opened"));
    fs::write(&sealed, &vector.file).unwrap();
    for threads in [1, 3] {
        let mut released = Vec::new();
        let streamed = open_stream(&vector.file[..], &mut released, with, &job(threads));
        assert_eq!(class(&streamed), class_of_content(vector), "{} by stream: {streamed:?}", vector.name);
        assert_released(vector, &released, "by stream");

        let filed = open_file(&sealed, &opened, with, &job(threads));
        assert_eq!(class(&filed), class_of_content(vector), "{} by file: {filed:?}", vector.name);
        match filed {
            Ok(_) => assert_released(vector, &fs::read(&opened).unwrap(), "by file"),
            Err(_) => assert_eq!(workspace.names(), ["sealed"], "{}: something was left", vector.name),
        }
        let _gone = fs::remove_file(&opened);

        let verified = verify_file(&sealed, with, &job(threads));
        let expect = vector.expect.replace("no index", "index failure");
        assert_eq!(class(&verified), expect, "{} verified: {verified:?}", vector.name);
    }
    let read = Opener::new(&vector.file[..], with)
        .and_then(|mut opener| Ok(std::io::copy(&mut opener, &mut Vec::new())?));
    assert_eq!(class(&read), class_of_content(vector), "{} by reader: {read:?}", vector.name);
    let to = Identity::generate(Kem::X25519).unwrap().recipient();
    let to = SealTo::recipients(Format::Sealmark, &[to]).unwrap();
    let renewed = reencrypt_file(&sealed, &opened, with, &to, &job(2));
    assert_eq!(
        class(&renewed),
        class_of_content(vector),
        "{} under a new file key: {renewed:?}",
        vector.name
    );
    let mut ranged = Vec::new();
    let read = RangeOpener::new(Cursor::new(&vector.file), with)
        .and_then(|mut opener| opener.read_range(0..opener.len(), &mut ranged));
    assert_eq!(class(&read), class_of_content(vector), "{} by range: {read:?}", vector.name);
    if read.is_ok() {
        assert_released(vector, &ranged, "by range");
    }
    if vector.name.starts_with("a_hard_link") {
        let archive = Archive::open(Input::open(&sealed).unwrap(), with).unwrap();
        let listed = archive.entries(b"").collect::<Result<Vec<_>>>();
        let expect = if SEEN_BY_VERIFY.contains(&&vector.name[..]) { "success" } else { "index failure" };
        assert_eq!(class(&listed), expect, "{} listed: {listed:?}", vector.name);
    }
    if vector.expect == "success" && vector.name.starts_with("an_archive") {
        // All of its content can be taken out, entry by entry.
        let archive = Archive::open(Input::open(&sealed).unwrap(), with).unwrap();
        let entries = archive.entries(b"").collect::<Result<Vec<_>>>().unwrap();
        assert_eq!(entries.len() as u64, archive.len(), "{}", vector.name);
        archive.read_small(&entries, &job(3), |_, _| Ok(())).unwrap();
        assert_eq!(inspect(&vector.file[..]).unwrap().content, sealmark::Content::Archive);
    }
}
