//! A new header for the same payload, or a new file key for the same plaintext.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::vector::Vector;
use common::{Workspace, bytes, open_all, seal_all, workspace};
use sealmark::*;
use std::fs;
use std::path::Path;

const LENGTH: usize = 1_200_000;
fn replace() -> Job<'static> {
    Job::default().existing(Existing::Replace)
}

fn to(format: Format, identity: &Identity) -> SealTo {
    SealTo::recipients(format, &[identity.recipient()]).unwrap()
}

fn with(identity: &Identity) -> OpenWith<'static> {
    OpenWith::identities(vec![identity.clone()])
}

fn key(kem: Kem) -> Identity {
    Identity::generate(kem).unwrap()
}

/// A directory with the sealed file `old`.
fn sealed_to(to: &SealTo) -> Workspace {
    let workspace = workspace();
    fs::write(workspace.path("old"), seal_all(&bytes(LENGTH), to)).unwrap();
    workspace
}

fn payload(sealed: &[u8]) -> &[u8] {
    &sealed[inspect(sealed).unwrap().header_bytes as usize..]
}

#[test]
fn rekeying_changes_who_opens_and_not_one_byte_of_the_payload() {
    for (format, kem) in [(Format::Sealmark, Kem::MlKem768), (Format::Age, Kem::MlKem768X25519)] {
        let (old, new) = (key(kem), key(Kem::MlKem768X25519));
        let workspace = sealed_to(&to(format, &old));
        let before = fs::read(workspace.path("old")).unwrap();
        for armored in [false, true] {
            let to_new = if armored { to(format, &new).armored() } else { to(format, &new) };
            let target = workspace.path(if armored { "armored" } else { "binary" });
            rekey_file(workspace.path("old"), &target, &with(&old), &to_new, &Job::default()).unwrap();
            let after = fs::read(&target).unwrap();
            assert!(open_all(&after, &with(&new)).unwrap() == bytes(LENGTH), "{format} {armored}");
            assert!(matches!(open_all(&after, &with(&old)), Err(Error::NoKey)), "{format} {armored}");
            assert!(armored || payload(&after) == payload(&before), "{format}");
        }
        // This goes from armor back to binary, in place.
        let again = workspace.path("armored");
        rekey_file(&again, &again, &with(&new), &to(format, &old), &replace()).unwrap();
        let after = fs::read(&again).unwrap();
        assert!(payload(&after) == payload(&before) && open_all(&after, &with(&old)).is_ok());
        assert_eq!(workspace.names(), ["armored", "binary", "old"]);
    }
}

#[test]
fn what_was_read_is_counted_alike_whatever_is_written() {
    let (old, new) = (key(Kem::MlKem768), key(Kem::MlKem768));
    let workspace = sealed_to(&to(Format::Sealmark, &old));
    let (from, target) = (workspace.path("old"), workspace.path("new"));
    let sealed = fs::metadata(&from).unwrap().len();
    let to = to(Format::Sealmark, &new);
    let counted = |summary: Summary| (summary.input, summary.output);
    let rekey = |from, to: &SealTo| counted(rekey_file(from, &target, &with(&old), to, &replace()).unwrap());
    let expected = (sealed, sealed);
    assert_eq!(rekey(&from, &to), expected, "from file to file");
    let armored = workspace.path("armored");
    rekey_file(&from, &armored, &with(&old), &self::to(Format::Sealmark, &old).armored(), &replace())
        .unwrap();
    assert_eq!(rekey(&from, &to.clone().armored()), expected, "to armor");
    assert_eq!(rekey(&armored, &to), expected, "from armor");
    let null = Path::new("/dev/null");
    let to_device = rekey_file(&from, null, &with(&old), &to, &replace()).unwrap();
    assert_eq!(counted(to_device), expected, "to a device");
}

#[test]
fn a_classic_header_becomes_post_quantum_only_with_a_new_file_key() {
    let (old, new) = (key(Kem::X25519), key(Kem::MlKem1024));
    let workspace = sealed_to(&to(Format::Sealmark, &old));
    let (from, target) = (workspace.path("old"), workspace.path("new"));
    let to_new = to(Format::Sealmark, &new);
    let refused = rekey_file(&from, &target, &with(&old), &to_new, &replace());
    assert!(matches!(refused, Err(Error::File(FileMisuse::ReencryptNeeded))), "{refused:?}");
    assert_eq!(workspace.names(), ["old"]);

    reencrypt_file(&from, &target, &with(&old), &to_new, &replace()).unwrap();
    let (before, after) = (fs::read(&from).unwrap(), fs::read(&target).unwrap());
    assert!(open_all(&after, &with(&new)).unwrap() == bytes(LENGTH));
    assert_ne!(payload(&after)[..56], payload(&before)[..56]);
}

/// A header may be replaced if all old stanzas are post-quantum, or all new ones classic.
#[test]
fn other_changes_of_mode_are_allowed() {
    for (from, into) in
        [(Kem::X25519, Kem::P256), (Kem::MlKem768, Kem::X25519), (Kem::MlKem1024P384, Kem::MlKem768)]
    {
        let (old, new) = (key(from), key(into));
        let workspace = sealed_to(&to(Format::Sealmark, &old));
        let target = workspace.path("new");
        let to_new = to(Format::Sealmark, &new);
        rekey_file(workspace.path("old"), &target, &with(&old), &to_new, &replace()).unwrap();
        assert!(open_all(&fs::read(&target).unwrap(), &with(&new)).is_ok(), "{from} to {into}");
    }
}

#[test]
fn one_classic_stanza_is_enough_to_need_a_new_file_key() {
    let (old, new) = (key(Kem::MlKem768), key(Kem::MlKem768));
    let mixed = SealTo::mixed_recipients(Format::Sealmark, &[old.recipient(), key(Kem::P256).recipient()]);
    let workspace = sealed_to(&mixed.unwrap());
    let to_new = to(Format::Sealmark, &new);
    let result = rekey_file(workspace.path("old"), workspace.path("new"), &with(&old), &to_new, &replace());
    assert!(matches!(result, Err(Error::File(FileMisuse::ReencryptNeeded))), "{result:?}");
}

/// Nobody knows how strong a stanza of unknown type is.
#[test]
fn a_stanza_of_unknown_type_needs_a_new_file_key() {
    let vectors = Vector::all("file");
    let name = "a_lattice_key_beside_stanzas_of_unknown_types_opens";
    let vector = vectors.iter().find(|vector| vector.name == name).unwrap();
    let identity: Identity = vector.identities[0].parse().unwrap();
    let workspace = workspace();
    fs::write(workspace.path("old"), &vector.file).unwrap();
    let rekey = |to_new: &SealTo, new: &str| {
        rekey_file(workspace.path("old"), workspace.path(new), &with(&identity), to_new, &replace())
    };
    let refused = rekey(&to(Format::Sealmark, &identity), "new");
    assert!(matches!(refused, Err(Error::File(FileMisuse::ReencryptNeeded))), "{refused:?}");
    rekey(&to(Format::Sealmark, &key(Kem::P256)), "classic").unwrap();
}

#[test]
fn the_format_stays() {
    let identity = key(Kem::X25519);
    let workspace = sealed_to(&to(Format::Age, &identity));
    let (from, target) = (workspace.path("old"), workspace.path("new"));
    let to_ours = to(Format::Sealmark, &identity);
    let refused = rekey_file(&from, &target, &with(&identity), &to_ours, &replace());
    assert!(matches!(refused, Err(Error::File(FileMisuse::FormatChange))), "{refused:?}");
    reencrypt_file(&from, &target, &with(&identity), &to_ours, &replace()).unwrap();
    assert_eq!(inspect_file(&target).unwrap().format, Format::Sealmark);
    assert!(open_all(&fs::read(&target).unwrap(), &with(&identity)).unwrap() == bytes(LENGTH));
}

#[test]
fn what_cannot_be_opened_is_not_rekeyed() {
    let identity = key(Kem::X25519);
    let workspace = sealed_to(&to(Format::Sealmark, &identity));
    let (from, target) = (workspace.path("old"), workspace.path("new"));
    let to_same = to(Format::Sealmark, &identity);
    let stranger = rekey_file(&from, &target, &with(&key(Kem::X25519)), &to_same, &replace());
    assert!(matches!(stranger, Err(Error::NoKey)), "{stranger:?}");

    let sound = fs::read(&from).unwrap();
    let mac = inspect(&sound[..]).unwrap().header_bytes as usize - 10;
    let mut altered = sound.clone();
    altered[mac] = if altered[mac] == b'A' { b'B' } else { b'A' };
    fs::write(&from, &altered).unwrap();
    let damaged = rekey_file(&from, &target, &with(&identity), &to_same, &replace());
    assert!(matches!(damaged, Err(Error::Tampered(Part::Header))), "{damaged:?}");

    // The payload is missing, or ends within the tag of its first chunk.
    for payload in [0, 60] {
        fs::write(&from, &sound[..mac + 10 + payload]).unwrap();
        let cut = rekey_file(&from, &target, &with(&identity), &to_same, &replace());
        assert!(matches!(cut, Err(Error::Malformed(Malformed::Payload(_)))), "{cut:?}");
    }

    fs::write(&from, &sound[..sound.len() - 1]).unwrap();
    let cut = reencrypt_file(&from, &target, &with(&identity), &to_same, &replace());
    assert!(matches!(cut, Err(Error::Tampered(Part::Payload) | Error::Malformed(_))), "{cut:?}");
    assert_eq!(workspace.names(), ["old"]);
}
