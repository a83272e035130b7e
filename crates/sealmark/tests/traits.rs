//! Promises of types: threads, `Debug` without content, conversions. A field that breaks one fails here, not at a caller's.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::log::{label, readers};
use common::seal_all;
use sealmark::record::*;
use sealmark::*;
use std::fmt::Debug;
use std::io::{Cursor, Read, Write};
use std::time::Instant;
use zeroize::ZeroizeOnDrop;

fn shared<T: Send + Sync + Debug>() {}
fn sent<T: Send + Debug>() {}
fn wiped<T: ZeroizeOnDrop>() {}

type Sink = fn(OwnLines<'_>) -> std::io::Result<()>;

#[test]
fn types_may_go_to_other_threads() {
    shared::<Error>();
    shared::<Format>();
    shared::<Identity>();
    shared::<Input>();
    shared::<Inspection>();
    shared::<Job<'_>>();
    shared::<Kem>();
    shared::<Mode>();
    shared::<OpenWith<'_>>();
    shared::<Opener<std::fs::File>>();
    shared::<Passphrase>();
    shared::<PluginIdentity>();
    shared::<Stanza>();
    shared::<SshIdentity>();
    shared::<RangeOpener<std::fs::File>>();
    shared::<Recipient>();
    shared::<SealTo>();
    shared::<SigningKey>();
    shared::<VerifyingKey>();
    shared::<Sealer<std::fs::File>>();
    shared::<Summary>();
    sent::<Output<'_>>();
    sent::<archive::Item<'_>>();
    shared::<archive::Archive>();
    shared::<archive::Entries<'_>>();
    shared::<archive::Entry>();
    shared::<archive::Located>();
    shared::<Wrapped>();
    shared::<gcm::Key>();
    shared::<Found<'_>>();
    shared::<Label>();
    shared::<LabelRef<'_>>();
    shared::<internal::Levels<'_>>();
    shared::<LogInspector>();
    shared::<LogKeys>();
    shared::<LogOpener>();
    shared::<LogSealer<Sink>>();
    shared::<LogSession>();
    shared::<TokenOpener>();
    shared::<PreSharedKey>();
    shared::<Readers>();
    shared::<Report>();
    shared::<Sealed<'_, Sink, &str>>();
    shared::<SealerSettings>();
    shared::<SessionId>();
    shared::<SessionSettings>();
    shared::<Sessions>();
    shared::<Value<'_>>();
}

#[test]
fn secrets_are_wiped() {
    wiped::<Identity>();
    wiped::<Passphrase>();
    wiped::<PreSharedKey>();
    wiped::<gcm::Key>();
    wiped::<PluginIdentity>();
    wiped::<SigningKey>();
    wiped::<SshIdentity>();
}

#[test]
fn debugging_prints_no_content() {
    let secret = "attack at dawn";
    let identity = Identity::generate(Kem::X25519).unwrap();
    let psk = PreSharedKey::generate().unwrap();
    let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()]).unwrap();
    let with = OpenWith::identities(vec![identity.clone()]);
    let sealed = seal_all(secret.as_bytes(), &to);
    let mut sealer = Sealer::new(Vec::new(), &to).unwrap();
    sealer.write_all(secret.as_bytes()).unwrap();
    let mut opener = Opener::new(&sealed[..], &with).unwrap();
    opener.read_exact(&mut [0]).unwrap();
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("plain"), secret).unwrap();
    let log = LogSealer::new(
        readers(),
        SealerSettings::new(Shape::Plain),
        |_: OwnLines<'_>| Ok(()),
        Instant::now(),
    );
    let shown = [
        format!("{sealer:?}"),
        format!("{opener:?}"),
        format!("{:?}", RangeOpener::new(Cursor::new(&sealed), &with).unwrap()),
        format!("{:?}", Input::open(directory.path().join("plain")).unwrap()),
        format!("{:?}", Output::create(directory.path().join("new"), Existing::Refuse).unwrap()),
        format!("{:?}", Value::Bytes(secret.as_bytes())),
        format!("{:?}", Value::Json("\"attack at dawn\"")),
        format!("{:?} {identity:?} {psk:?} {:?} {with:?}", log.unwrap(), Passphrase::new(secret.into())),
        format!("{:?}", Job::default().progress(&|_| {})),
    ];
    let bytes = format!("{:?}", secret.as_bytes());
    let keys = [identity.to_secret_string(), psk.to_secret_string()];
    for text in shown {
        assert!(!text.contains("attack") && !text.contains(bytes.trim_matches(['[', ']'])), "{text}");
        assert!(!keys.iter().any(|key| text.contains(&**key)), "{text}");
    }
}

#[test]
fn texts_and_bytes_turn_into_types() {
    for format in [Format::Sealmark, Format::Age] {
        assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
    }
    assert!(matches!("sealmark/2".parse::<Format>(), Err(Error::Malformed(Malformed::Version(_)))));
    assert_eq!((Mode::default(), Kem::default()), (Mode::Hybrid, Mode::Hybrid.default_kem()));

    let label = label();
    assert_eq!(label.as_str().parse::<Label>().unwrap(), label);
    assert_eq!(Label::try_from(label.as_ref()).unwrap(), label);
    let borrowed = LabelRef::try_from(label.as_str()).unwrap();
    assert_eq!((borrowed, borrowed.to_string()), (LabelRef::from(&label), label.to_string()));
    assert!("a b".parse::<Label>().is_err() && LabelRef::try_from("a b").is_err());

    let session = LogSession::begin(&readers(), SessionSettings::default()).unwrap();
    assert_eq!(session.id().to_string().parse::<SessionId>().unwrap(), session.id());
    for odd in ["", "AAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAA", "AAAAAAAA AAAAAAA"] {
        assert!(matches!(odd.parse::<SessionId>(), Err(Error::Record(RecordMisuse::SessionId(_)))), "{odd}");
    }

    let psk = PreSharedKey::generate().unwrap();
    let again = PreSharedKey::from_secret_bytes(&psk.to_secret_bytes());
    assert_eq!(again.to_secret_string(), psk.to_secret_string());
    for &kem in Kem::ALL {
        let identity = Identity::generate(kem).unwrap();
        let again = Identity::from_secret_bytes(kem, &identity.to_secret_bytes()).unwrap();
        assert_eq!(again.to_secret_string(), identity.to_secret_string());
    }
}

/// A newer version would not read them either.
#[test]
fn a_key_of_another_kind_is_named() {
    let signing = SigningKey::generate().unwrap();
    let identity = |text: &str| text.parse::<Identity>().unwrap_err().to_string();
    let recipient = |text: &str| text.parse::<Recipient>().unwrap_err().to_string();
    let own = Identity::generate(Kem::P256).unwrap();
    for public in [
        own.recipient().to_string(),
        Identity::generate(Kem::X25519).unwrap().recipient().to_string(),
        "age1tag1qt8lw0ual6avlwmwatk888yqnmdamm7xfd0wak53ut6elz5c4swx2yqdj4e".to_owned(),
    ] {
        assert!(identity(&public).contains("this is a public key"), "{public}");
        assert!(identity(&public.to_ascii_uppercase()).contains("this is a public key"), "{public}");
    }
    assert!(identity(&own.to_secret_string().to_ascii_lowercase()).contains("upper case"));
    assert!(identity("AGE-PLUGIN-OPEN-1LJEPJA").contains("a plugin"));
    assert!(identity(&signing.to_secret_string()).contains("a signing key"));
    assert!(recipient(&signing.verifying_key().to_string()).contains("a signing key"));
    assert!(recipient(&own.to_secret_string()).contains("this is a secret key"));
}

#[test]
fn paths_are_given_as_they_are_at_hand() {
    let directory = tempfile::tempdir().unwrap();
    let [plain, sealed] = ["plain", "sealed"].map(|name| directory.path().join(name));
    std::fs::write(&plain, "private").unwrap();
    let identity = Identity::generate(Kem::X25519).unwrap();
    let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()]).unwrap();
    let text = sealed.to_str().unwrap();
    seal_file(plain.to_str().unwrap(), text, &to, &Job::default()).unwrap();
    verify_file(text, &OpenWith::identities(vec![identity]), &Job::default()).unwrap();
    assert_eq!(inspect_file(std::ffi::OsStr::new(text)).unwrap().stanzas.len(), 1);
    let mut whole = String::new();
    Input::open(plain.as_path()).unwrap().read_to_string(&mut whole).unwrap();
    assert_eq!(whole, "private");
}
