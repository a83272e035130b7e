//! Keys that only stanzas of age know, in both formats: SSH keys, keys of devices, and keys that plugins keep.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use sealmark::record::Readers;
use sealmark::*;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use zeroize::Zeroizing;

/// Keys without a purpose, made by `ssh-keygen -t ed25519` and, for [`LOCKED`], `-N hunter42`.
const SSH: &str = "-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACCzPq7zfqLffKoBDe/eo04kH2XxtSmk9D7RQyf1xUqrYgAAAJgAIAxdACAM
XQAAAAtzc2gtZWQyNTUxOQAAACCzPq7zfqLffKoBDe/eo04kH2XxtSmk9D7RQyf1xUqrYg
AAAEC2BsIi0QwW2uFscKTUUXNHLsYX4FxlaSDSblbAj7WR7bM+rvN+ot98qgEN796jTiQf
ZfG1KaT0PtFDJ/XFSqtiAAAAEHVzZXJAZXhhbXBsZS5jb20BAgMEBQ==
-----END OPENSSH PRIVATE KEY-----
";
const SSH_PUBLIC: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti user@example.com";
const LOCKED: &str = "-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABBKH96ujW
umB6/WnTNPjTeaAAAAEAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN
796jTiQfZfG1KaT0PtFDJ/XFSqtiAAAAoFzvbvyFMhAiwBOXF0mhUUacPUCMZXivG2up2c
hEnAw1b6BLRPyWbY5cC2n9ggD4ivJ1zSts6sBgjyiXQAReyrP35myYvT/OIB/NpwZM/xIJ
N7MHSUzlkX4adBrga3f7GS4uv4ChOoxC4XsE5HsxtGsq1X8jzqLlZTmOcxkcEneYQexrUc
bQP0o+gL5aKK8cQgiIlXeDbRjqhc4+h4EF6lY=
-----END OPENSSH PRIVATE KEY-----
";
const OTHER: &str = "-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACCh7v/V45mrkIyRtBuFBRGDqwhI9ASH7ZIQOBCaRvkS/AAAAJh19yYOdfcm
DgAAAAtzc2gtZWQyNTUxOQAAACCh7v/V45mrkIyRtBuFBRGDqwhI9ASH7ZIQOBCaRvkS/A
AAAEAa8JRVv+jlj74v/abd7CzE2vDMQE5RK0gKhfe4al+w9aHu/9XjmauQjJG0G4UFEYOr
CEj0BIftkhA4EJpG+RL8AAAAEW90aGVyQGV4YW1wbGUuY29tAQIDBA==
-----END OPENSSH PRIVATE KEY-----
";
/// Made by age 1.3.2 for the first key.
const OF_AGE: &str = "-----BEGIN AGE ENCRYPTED FILE-----
YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNzaC1lZDI1NTE5IFVDVWlMZyAvdUJ2
VDdYZGJTM0l6SVB6eis5VFBxTDM5Q3RrU1dYQWgxSzMvMlZTSjBrCklYblg1VUIv
MERCQTE5OURIUzJocEh4bmFoZnpQM0hYS1I3ZDJQdXlpaGMKLS0tIHl3SkFUVm9x
b2hjK2s4S1pWOU92VElKNmFzWC91SkpwZkF2d3M5UDBvTHcKJX9kb1RClC12we+T
NGaTpUDhfHvjKRJ2amyI9I5Efa9fJvSYQnEx
-----END AGE ENCRYPTED FILE-----
";
/// The example of c2sp.org/age.
const TAG: &str = "age1tag1qt8lw0ual6avlwmwatk888yqnmdamm7xfd0wak53ut6elz5c4swx2yqdj4e";
const FORMATS: [Format; 2] = [Format::Sealmark, Format::Age];

fn seal(to: &SealTo) -> Result<Vec<u8>> {
    let mut sealer = Sealer::new(Vec::new(), to)?;
    sealer.write_all(b"private")?;
    sealer.finish()
}

fn open(sealed: &[u8], with: &OpenWith<'_>) -> Result<Vec<u8>> {
    let mut opened = Vec::new();
    Opener::new(sealed, with)?.read_to_end(&mut opened)?;
    Ok(opened)
}

fn ssh() -> SshIdentity {
    SshIdentity::from_openssh(SSH, None).unwrap()
}

/// A sealed file with another header line in place of each line that `change` changes.
fn with_lines(sealed: &[u8], change: impl Fn(&str) -> String) -> Vec<u8> {
    let end = sealed.windows(5).position(|window| window == b"\n--- ").unwrap() + 1;
    let (header, rest) = sealed.split_at(end);
    let lines: String = str::from_utf8(header).unwrap().lines().map(|line| change(line) + "\n").collect();
    [lines.as_bytes(), rest].concat()
}

#[test]
fn a_key_of_ssh_opens_what_its_public_key_sealed() {
    let recipient: Recipient = SSH_PUBLIC.parse().unwrap();
    assert_eq!(recipient, ssh().recipient());
    assert_eq!(recipient.to_string() + " user@example.com", SSH_PUBLIC);
    assert_eq!((recipient.kem(), recipient.is_post_quantum()), (None, Some(false)));
    for format in FORMATS {
        let sealed = seal(&SealTo::recipients(format, std::slice::from_ref(&recipient)).unwrap()).unwrap();
        let native = Identity::generate(Kem::X25519).unwrap();
        let with = OpenWith::identities(vec![native]).and_ssh(vec![ssh()]);
        assert_eq!(open(&sealed, &with).unwrap(), b"private");
        assert!(!inspect(&sealed[..]).unwrap().post_quantum);
        assert!(matches!(open(&sealed, &OpenWith::default()), Err(Error::NoKey)));
    }
}

#[test]
fn a_key_of_ssh_opens_what_age_sealed() {
    let with = OpenWith::default().and_ssh(vec![ssh()]);
    assert_eq!(open(OF_AGE.as_bytes(), &with).unwrap(), b"private");
}

#[test]
fn a_key_file_of_ssh_may_have_a_passphrase() {
    let open = |words: Option<&str>| {
        SshIdentity::from_openssh(LOCKED, words.map(|words| Passphrase::new(words.into())).as_ref())
    };
    assert_eq!(open(Some("hunter42")).unwrap().recipient(), ssh().recipient());
    assert!(matches!(open(Some("hunter43")), Err(Error::WrongPassphrase)));
    assert!(matches!(open(None), Err(Error::PassphraseNeeded)));
    assert_eq!(format!("{:?}", ssh()), "SshIdentity");
}

#[test]
fn a_locked_key_of_ssh_is_unlocked_once_and_only_if_a_file_names_it() {
    let count = Arc::new(AtomicUsize::new(0));
    let of = |words: &'static str| {
        let count = Arc::clone(&count);
        let unlock = move || {
            count.fetch_add(1, Relaxed);
            Ok(SshIdentity::from_openssh(LOCKED, Some(&Passphrase::new(words.into())))?)
        };
        SshIdentity::from_openssh_with(LOCKED, unlock).unwrap()
    };
    let native = Identity::generate(Kem::X25519).unwrap();
    let sealed = |to: Recipient| seal(&SealTo::recipients(Format::Sealmark, &[to]).unwrap()).unwrap();
    let locked = of("hunter42");
    let with = OpenWith::identities(vec![native.clone()]).and_ssh(vec![locked.clone()]);
    assert_eq!(open(&sealed(native.recipient()), &with).unwrap(), b"private");
    let stranger = Identity::generate(Kem::X25519).unwrap();
    assert!(matches!(open(&sealed(stranger.recipient()), &with), Err(Error::NoKey)));
    assert_eq!((locked.recipient(), locked.is_locked(), count.load(Relaxed)), (ssh().recipient(), true, 0));
    for _ in 0..2 {
        assert_eq!(open(&sealed(ssh().recipient()), &with).unwrap(), b"private");
    }
    assert_eq!((locked.is_locked(), count.load(Relaxed)), (false, 1));

    // The public half is in the clear, once outside and once, encrypted, beside the secret half.
    let damaged = LOCKED.replacen("AAAAILM+rvN+", "AAAAILM+rvN9", 1);
    let keys = [LOCKED.to_owned(), damaged].map(|text| {
        let again = text.clone();
        let unlock =
            move || Ok(SshIdentity::from_openssh(&again, Some(&Passphrase::new("hunter42".into())))?);
        SshIdentity::from_openssh_with(&text, unlock).and_then(|key| key.unlock())
    });
    assert!(matches!(keys, [Ok(()), Err(_)]), "{keys:?}");

    // One that is not unlocked does not keep another from opening the file.
    let other = SshIdentity::from_openssh(OTHER, None).unwrap();
    let to = [ssh().recipient(), other.recipient()];
    let both = seal(&SealTo::recipients(Format::Sealmark, &to).unwrap()).unwrap();
    let with = OpenWith::default().and_ssh(vec![of("hunter43"), other.clone()]);
    assert_eq!(open(&both, &with).unwrap(), b"private");
    let with = OpenWith::default().and_ssh(vec![other]).and_ssh(vec![of("hunter43")]);
    assert_eq!(open(&both, &with).unwrap(), b"private");
    let with = OpenWith::default().and_ssh(vec![of("hunter43")]);
    assert!(matches!(open(&sealed(ssh().recipient()), &with), Err(Error::Passphrase { .. })));
    let other =
        SshIdentity::from_openssh_with(LOCKED, || Ok(SshIdentity::from_openssh(OTHER, None)?)).unwrap();
    assert!(matches!(
        open(&sealed(ssh().recipient()), &OpenWith::default().and_ssh(vec![other])),
        Err(Error::Key(_))
    ));
    assert!(!SshIdentity::from_openssh_with(SSH, || unreachable!()).unwrap().is_locked());
}

const LOCKED_BY_3DES: &str = "\
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACDNkZXMtY2JjAAAABmJjcnlwdAAAABgAAAAQAe2raRy5wi
I51InvlOciggAAAAIAAAABAAAAMwAAAAtzc2gtZWQyNTUxOQAAACCcWuAaSq2+UIeoXIKp
BBnz/Pr5SnxeEKHkIk7pV3qYuQAAAIiBDz7H94VyUN7ALkEHLMvuHvJ/sPn12l5A+KC5Sf
M1qmT0EDZxOEAb47r9Okeh1vKbeKZhClfuG/d/ycnjxDVPnSRbB1oVtZvJyO1dqP/tnLwi
c/r6qZSm8cmu1o2ReVNItIEL03AOTx7F+pHlkAjeJslg0u8uYP5/B0u+siDB0IZLaHok42
HK
-----END OPENSSH PRIVATE KEY-----
";

/// Its passphrase is not called wrong, and not asked for.
#[test]
fn a_key_file_of_ssh_with_another_cipher_is_refused() {
    let words = Passphrase::new("hunter42".into());
    for refused in [
        SshIdentity::from_openssh(LOCKED_BY_3DES, Some(&words)),
        SshIdentity::from_openssh_with(LOCKED_BY_3DES, || unreachable!()),
    ] {
        assert!(refused.unwrap_err().to_string().contains("3DES"));
    }
}

#[test]
fn a_damaged_key_file_of_ssh_is_refused() {
    // In line 5 lies the secret half, in line 2 the public half.
    for (from, to) in [
        ("AAAEC2BsIi", "AAAEC2BsIj"),
        ("NvYB2Lpy", ""),
        ("END", "AND"),
        ("QyNTUxOQAAACCzPq7z", "QyNTUxOQAAACCzPq7y"),
    ] {
        let damaged = SSH.replacen(from, to, 1);
        let refused = SshIdentity::from_openssh(&damaged, None);
        assert_eq!(refused.is_err(), damaged != SSH, "{from} for {to}");
    }
}

#[test]
fn other_keys_of_ssh_are_refused_by_name() {
    let message = |text: &str| text.parse::<Recipient>().unwrap_err().to_string();
    assert!(message("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAAQDA").contains("RSA"));
    for other in ["ssh-dss AAAA", "ecdsa-sha2-nistp256 AAAA", "sk-ssh-ed25519@openssh.com AAAA"] {
        assert!(message(other).contains("keys of this type are not supported"), "{other}");
    }
    for broken in ["ssh-ed25519", "ssh-ed25519 AAAA", &SSH_PUBLIC[..60]] {
        assert!(message(broken).contains("mistyped"), "{broken}");
    }
    // The neutral element, which every scalar sends to itself.
    let blob = [&b"\0\0\0\x0bssh-ed25519\0\0\0\x20\x01"[..], &[0; 31]].concat();
    let degenerate = format!("ssh-ed25519 {}", base64::engine::general_purpose::STANDARD.encode(blob));
    assert!(matches!(degenerate.parse::<Recipient>(), Err(Error::Key(KeyMisuse::WeakRecipient))));
}

#[test]
fn stanzas_of_a_wrong_form_are_refused() {
    let sealed = seal(&SealTo::recipients(Format::Age, &[ssh().recipient()]).unwrap()).unwrap();
    let with = OpenWith::default().and_ssh(vec![ssh()]);
    let changed = |change: &dyn Fn(&str) -> String| {
        let change = |line: &str| if line.starts_with("-> ") { change(line) } else { line.to_owned() };
        open(&with_lines(&sealed, change), &with).unwrap_err()
    };
    assert!(matches!(changed(&|line| format!("{line} x")), Error::Malformed(_)));
    assert!(matches!(changed(&|line| line[..line.len() - 4].to_owned()), Error::Malformed(_)));
    let zero = STANDARD_NO_PAD.encode([0; 32]);
    assert!(matches!(
        changed(&|line| format!("{} {zero}", &line[..line.rfind(' ').unwrap()])),
        Error::Malformed(_)
    ));
    assert!(matches!(changed(&|line| line.replacen("ssh-ed25519 ", "ssh-ed25519 A", 1)), Error::NoKey));
}

#[test]
fn a_file_key_belongs_to_its_stanza() {
    let identity = Identity::generate(Kem::X25519).unwrap();
    let recipients = [ssh().recipient(), identity.recipient()];
    let [one, two] =
        [(); 2].map(|()| seal(&SealTo::recipients(Format::Sealmark, &recipients).unwrap()).unwrap());
    let with = OpenWith::default().and_ssh(vec![ssh()]);
    let stanza = |sealed: &[u8]| {
        let text = String::from_utf8_lossy(sealed).into_owned();
        text.lines().find(|line| line.starts_with("-> age ")).unwrap().to_owned()
    };
    let foreign = stanza(&two).split(' ').nth(2).unwrap().to_owned();
    let exchanged = with_lines(&one, |line| match line.strip_prefix("-> age ") {
        Some(rest) => format!("-> age {foreign}{}", &rest[rest.find(' ').unwrap()..]),
        None => line.to_owned(),
    });
    assert!(matches!(open(&exchanged, &with), Err(Error::Tampered(Part::Header))));
    for broken in ["-> age", "-> age AAAA ssh-ed25519", &format!("-> age {foreign}")] {
        let broken =
            with_lines(
                &one,
                |line| {
                    if line.starts_with("-> age ") { broken.to_owned() } else { line.to_owned() }
                },
            );
        assert!(matches!(open(&broken, &with), Err(Error::Malformed(_))));
    }
}

/// No secret key of this recipient is published; `stanza/tag.rs` opens such stanzas.
#[test]
fn keys_of_devices_are_sealed_to() {
    let recipient: Recipient = TAG.parse().unwrap();
    assert_eq!(recipient.to_string(), TAG);
    assert_eq!((recipient.kem(), recipient.is_post_quantum(), recipient.plugin()), (None, Some(false), None));
    for format in FORMATS {
        let sealed = seal(&SealTo::recipients(format, std::slice::from_ref(&recipient)).unwrap()).unwrap();
        let found = inspect(&sealed[..]).unwrap();
        assert!(found.stanzas[0].name.ends_with("p256tag") && !found.post_quantum, "{found:?}");
    }
    let other_point = TAG.replacen("tag1qt", "tag1qv", 1);
    assert!(other_point.parse::<Recipient>().is_err());
}

/// A plugin without secrets: it writes the key into its stanza.
#[derive(Debug, Default)]
struct Open {
    labels: BTreeSet<String>,
    kind: &'static str,
    args: usize,
    lies: bool,
    silent: bool,
}

impl Plugins for Open {
    fn wrap(&self, name: &PluginName, recipient: &str, key: &[u8; 16]) -> Answer<Wrapped> {
        assert_eq!((name.to_string().as_str(), &recipient[..9]), ("open", "age1open1"));
        let args = vec!["x".to_owned(); self.args];
        let stanza = Stanza { kind: self.kind.into(), args, body: key.to_vec() };
        let mut wrapped = Wrapped::default();
        wrapped.stanzas.extend((!self.silent).then_some(stanza));
        wrapped.labels.clone_from(&self.labels);
        Ok(wrapped)
    }

    fn unwrap(&self, stanzas: &[Stanza]) -> Answer<Option<Zeroizing<[u8; 16]>>> {
        let stanza = stanzas.iter().find(|stanza| stanza.kind == self.kind);
        let mut key = stanza.map(|stanza| Zeroizing::new(<[u8; 16]>::try_from(&stanza.body[..]).unwrap()));
        key.iter_mut().for_each(|key| key[0] ^= u8::from(self.lies));
        Ok(key)
    }
}

type Answer<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

const OPEN: &str = "age1open1qqqsyqcyq5rqwzqfpg9scrgwpue06sac";

fn open_plugin() -> Open {
    Open { kind: "open", ..Open::default() }
}

fn plugin_recipient() -> Recipient {
    OPEN.parse().unwrap()
}

fn to_plugin(format: Format, others: &[Recipient], mixed: bool, plugin: Open) -> Result<Vec<u8>> {
    let recipients = [&[plugin_recipient()], others].concat();
    let to = if mixed { SealTo::mixed_recipients } else { SealTo::recipients };
    seal(&to(format, &recipients)?.plugins(Arc::new(plugin)))
}

/// A plugin sends the file key in the body of a stanza.
#[test]
fn the_body_of_a_stanza_is_not_printed() {
    let stanza = Stanza { kind: "file-key".into(), args: vec!["0".into()], body: b"attack at dawn".to_vec() };
    assert_eq!(format!("{stanza:?}"), r#"Stanza { kind: "file-key", args: ["0"], body_bytes: 14 }"#);
    let text = stanza.to_string();
    let mut reader = StanzaReader::new(text.as_bytes());
    assert_eq!(reader.read().unwrap(), Some(stanza));
    assert_eq!(format!("{reader:?}"), "StanzaReader { taken: 34, .. }");
}

#[test]
fn a_plugin_wraps_and_unwraps_in_both_formats() {
    assert_eq!(plugin_recipient().plugin().unwrap().program(), "age-plugin-open");
    for format in FORMATS {
        let sealed = to_plugin(format, &[], false, open_plugin()).unwrap();
        let plugin = open_plugin();
        assert_eq!(open(&sealed, &OpenWith::default().and_plugins(&plugin)).unwrap(), b"private");
        let liar = Open { lies: true, ..open_plugin() };
        let lied = open(&sealed, &OpenWith::default().and_plugins(&liar));
        assert!(matches!(lied, Err(Error::Tampered(Part::Header))), "{lied:?}");
        let ignorant = Open { kind: "other", ..Open::default() };
        let unknown = open(&sealed, &OpenWith::default().and_plugins(&ignorant));
        assert!(matches!(unknown, Err(Error::NoKey)));
        assert_eq!(inspect(&sealed[..]).unwrap().stanzas[0].post_quantum, None);
    }
    let to = SealTo::recipients(Format::Sealmark, &[plugin_recipient()]).unwrap();
    assert!(matches!(seal(&to), Err(Error::Key(KeyMisuse::PluginNeeded(_)))));
}

/// A plugin whose device is not there; it counts how often it was asked.
#[derive(Debug, Default)]
struct Broken(AtomicUsize);

impl Plugins for Broken {
    fn wrap(&self, _: &PluginName, _: &str, _: &[u8; 16]) -> Answer<Wrapped> {
        Err("no device".into())
    }

    fn unwrap(&self, _: &[Stanza]) -> Answer<Option<Zeroizing<[u8; 16]>>> {
        self.0.fetch_add(1, Relaxed);
        Err("no device".into())
    }
}

#[test]
fn a_passphrase_opens_beside_a_plugin_that_fails() {
    let words = |words: &str| Passphrase::new(words.to_owned());
    let sealed = seal(&SealTo::passphrase(Format::Age, words("right"))).unwrap();
    let (broken, ignorant) = (Broken::default(), Open { kind: "other", ..Open::default() });
    let opened = |with: OpenWith<'_>| open(&sealed, &with.and_plugins(&broken));
    // Nobody touches a device if the passphrase fits, wherever it comes from.
    assert_eq!(opened(OpenWith::passphrase(words("right"))).unwrap(), b"private");
    let ask = || Ok(words("right"));
    assert_eq!(opened(OpenWith::default().ask_passphrase(&ask)).unwrap(), b"private");
    assert_eq!(broken.0.load(Relaxed), 0);
    let wrong = opened(OpenWith::passphrase(words("wrong")));
    assert!(matches!(wrong, Err(Error::WrongPassphrase)), "{wrong:?}");
    assert_eq!(broken.0.load(Relaxed), 1);
    let failed = opened(OpenWith::default());
    assert!(matches!(failed, Err(Error::Plugin { .. })), "{failed:?}");
    let needed = open(&sealed, &OpenWith::default().and_plugins(&ignorant));
    assert!(matches!(needed, Err(Error::PassphraseNeeded)), "{needed:?}");
    let nobody = || Err("nobody types".into());
    let untyped = opened(OpenWith::default().ask_passphrase(&nobody));
    assert!(matches!(untyped, Err(Error::Passphrase { .. })), "{untyped:?}");
    assert_eq!(broken.0.load(Relaxed), 3);
}

#[test]
fn a_plugin_is_classic_unless_its_labels_say_otherwise() {
    let [classic, hybrid] =
        [Kem::X25519, Kem::MlKem768X25519].map(|kem| Identity::generate(kem).unwrap().recipient());
    let labelled = |labels: &[&str]| Open {
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        ..open_plugin()
    };
    let seal = |other: &Recipient, labels: &[&str], mixed| {
        let other = std::slice::from_ref(other);
        to_plugin(Format::Sealmark, other, mixed, labelled(labels)).map(drop)
    };
    let (mixture, labels) = (KeyMisuse::MixedRecipients, KeyMisuse::Labels);
    let fails =
        |result: Result<()>, wanted: &KeyMisuse| matches!(result, Err(Error::Key(found)) if found == *wanted);
    assert!(seal(&classic, &[], false).is_ok());
    assert!(seal(&hybrid, &["postquantum"], false).is_ok());
    assert!(fails(seal(&hybrid, &[], false), &mixture));
    assert!(fails(seal(&classic, &["postquantum"], false), &mixture));
    assert!(seal(&hybrid, &[], true).is_ok() && seal(&classic, &["postquantum"], true).is_ok());
    for mixed in [false, true] {
        assert!(fails(seal(&classic, &["ours"], mixed), &labels));
        assert!(fails(seal(&hybrid, &["ours", "postquantum"], mixed), &labels));
    }
    // In age's format nothing is mixed, whatever is allowed.
    let in_age = to_plugin(Format::Age, std::slice::from_ref(&hybrid), true, labelled(&[]));
    assert!(matches!(in_age, Err(Error::Key(KeyMisuse::MixedRecipients))));
}

#[test]
fn a_header_takes_no_stanza_that_its_readers_refuse() {
    for format in FORMATS {
        for broken in [
            Open { args: 65, ..open_plugin() },
            Open { kind: "two words", ..Open::default() },
            Open { kind: "", ..Open::default() },
        ] {
            let refused = to_plugin(format, &[], false, broken);
            assert!(matches!(refused, Err(Error::Key(KeyMisuse::PluginStanzas))), "{refused:?}");
        }
    }
}

#[test]
fn no_recipient_is_left_out() {
    let other = Identity::generate(Kem::X25519).unwrap().recipient();
    let silent = Open { silent: true, ..open_plugin() };
    let refused = to_plugin(Format::Sealmark, &[other], false, silent);
    assert!(matches!(refused, Err(Error::Key(KeyMisuse::PluginStanzas))), "{refused:?}");
}

#[test]
fn the_name_of_a_plugin_is_never_a_path() {
    for name in ["", ".", "..", ".x", "a/b", "/a", "../a", "a b", "a\\b", "ä", "a\0"] {
        assert!(name.parse::<PluginName>().is_err(), "{name:?} was taken");
    }
    assert_eq!("Yubi+Key-2_0.x".parse::<PluginName>().unwrap().program(), "age-plugin-yubi+key-2_0.x");
    let identity: PluginIdentity = "AGE-PLUGIN-TAGTEST-1CXM4UC".parse().unwrap();
    assert_eq!(identity.name().program(), "age-plugin-tagtest");
    assert!(!format!("{identity:?}").contains("CXM4UC"));
    assert!("age-plugin-tagtest-1cxm4uc".parse::<PluginIdentity>().is_err());
    assert!("AGE-PLUGIN-TAGTEST-1CXM4UC".parse::<Recipient>().unwrap_err().to_string().contains("secret"));
}

#[test]
fn logs_take_none_of_these_keys() {
    for recipient in [ssh().recipient(), TAG.parse().unwrap(), plugin_recipient()] {
        let refused = Readers::recipients(&[recipient]);
        assert!(matches!(refused, Err(Error::Key(KeyMisuse::NotForLogs))));
    }
}

#[test]
fn rekeying_to_a_plugin_keeps_the_rule_about_classic_headers() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sealed");
    let identity = Identity::generate(Kem::X25519).unwrap();
    let classic = seal(&SealTo::recipients(Format::Sealmark, &[identity.recipient()]).unwrap()).unwrap();
    std::fs::write(&path, classic).unwrap();
    let rekey = |labels: &[&str]| {
        let labels = labels.iter().map(|label| (*label).to_owned()).collect();
        let to = SealTo::recipients(Format::Sealmark, &[plugin_recipient()]).unwrap();
        let to = to.plugins(Arc::new(Open { labels, ..open_plugin() }));
        let job = Job::default().existing(Existing::Replace);
        rekey_file(&path, &path, &OpenWith::identities(vec![identity.clone()]), &to, &job)
    };
    let refused = rekey(&["postquantum"]);
    assert!(matches!(refused, Err(Error::File(FileMisuse::ReencryptNeeded))), "{refused:?}");
    rekey(&[]).unwrap();
    let plugin = open_plugin();
    let sealed = std::fs::read(&path).unwrap();
    assert_eq!(open(&sealed, &OpenWith::default().and_plugins(&plugin)).unwrap(), b"private");
}
