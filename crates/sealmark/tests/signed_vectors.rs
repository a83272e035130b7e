//! The vectors of signed files: a file for each rule of spec/file.md, "Signatures".
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::vector::Vector;
use common::verdict::{assert_released, job, keys_of};
use common::workspace;
use sealmark::*;
use std::fs;
use std::io::Cursor;

#[test]
fn every_vector_has_its_class_and_releases_what_it_may() {
    let vectors = Vector::all("signed");
    assert_eq!(vectors.len(), 44);
    for vector in &vectors {
        let senders: Vec<VerifyingKey> = vector.senders.iter().map(|key| key.parse().unwrap()).collect();
        assert!(!senders.is_empty(), "{}: no sender", vector.name);
        for with in keys_of(vector) {
            verified(vector, &with.clone().signed_by(senders.clone()));
            unchecked(vector, &with);
        }
    }
}

fn class<T>(result: &Result<T>) -> &'static str {
    match result {
        Ok(_) => "success",
        Err(Error::Unsigned) => "unsigned",
        Err(Error::UnknownSender) => "unknown sender",
        Err(Error::Forwarded { .. }) => "forwarded",
        Err(Error::Tampered(Part::Signature)) => "signature failure",
        Err(Error::Tampered(Part::Payload) | Error::Malformed(Malformed::Payload(_))) => "payload failure",
        Err(error) => panic!("no class for {error:?}"),
    }
}

/// A reader who asks for the sender releases nothing of a file that is refused, and all of one that is not.
fn verified(vector: &Vector, with: &OpenWith<'_>) {
    let workspace = workspace();
    let (sealed, opened) = (workspace.path("sealed"), workspace.path("opened"));
    fs::write(&sealed, &vector.file).unwrap();
    for threads in [1, 3] {
        let filed = open_file(&sealed, &opened, with, &job(threads));
        assert_eq!(class(&filed), vector.expect, "{} by file: {filed:?}", vector.name);
        match filed {
            Ok(summary) => {
                assert!(
                    matches!(summary.signed, Signed::By { sender: 0, meant: true, .. }),
                    "{}",
                    vector.name
                );
                assert_released(vector, &fs::read(&opened).unwrap(), "by file");
                fs::remove_file(&opened).unwrap();
            }
            Err(_) => assert_eq!(workspace.names(), ["sealed"], "{}: something was left", vector.name),
        }
        let verified = verify_file(&sealed, with, &job(threads));
        assert_eq!(class(&verified), vector.expect, "{} verified: {verified:?}", vector.name);

        let mut streamed = Vec::new();
        let input = Input::open(&sealed).unwrap();
        let result = open_input(&input, Output::stream(&mut streamed), with, &job(threads));
        assert_eq!(class(&result), vector.expect, "{} to a stream: {result:?}", vector.name);
        match result {
            Ok(_) => assert_released(vector, &streamed, "to a stream"),
            Err(_) => assert!(streamed.is_empty(), "{}: {} bytes were released", vector.name, streamed.len()),
        }
    }
    let mut ranged = Vec::new();
    let read = RangeOpener::new(Cursor::new(&vector.file), with)
        .and_then(|mut opener| opener.read_range(0..opener.len(), &mut ranged));
    assert_eq!(class(&read), vector.expect, "{} by range: {read:?}", vector.name);
    match read {
        Ok(_) => assert_released(vector, &ranged, "by range"),
        Err(_) => assert!(ranged.is_empty(), "{}: {} bytes were released", vector.name, ranged.len()),
    }
}

/// A reader who asks for no sender opens a file whose signature is not valid, and refuses one in another form.
fn unchecked(vector: &Vector, with: &OpenWith<'_>) {
    let expect = if vector.expect == "payload failure" { "payload failure" } else { "success" };
    for threads in [1, 3] {
        let mut released = Vec::new();
        let streamed = open_stream(&vector.file[..], &mut released, with, &job(threads));
        assert_eq!(class(&streamed), expect, "{} by stream: {streamed:?}", vector.name);
        assert_released(vector, &released, "by stream");
    }
    let mut read = Vec::new();
    let result = Opener::new(&vector.file[..], with)
        .and_then(|mut opener| Ok(std::io::Read::read_to_end(&mut opener, &mut read)?));
    assert_eq!(class(&result), expect, "{} by reader: {result:?}", vector.name);
    assert_released(vector, &read, "by reader");
}
