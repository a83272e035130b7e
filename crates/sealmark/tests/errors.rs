//! Errors as data: which side, which file, which key; and as text, with each cause in it once.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::{Workspace, bytes, open_all, seal_all, workspace};
use sealmark::*;
use std::error::Error as _;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

/// Fails on each call.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(ErrorKind::ConnectionReset, "the reader's own words"))
    }
}

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::new(ErrorKind::ConnectionReset, "the writer's own words"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::Error::new(ErrorKind::ConnectionReset, "the writer's own words"))
    }
}

struct Setting {
    workspace: Workspace,
    identity: Identity,
    to: SealTo,
    with: OpenWith<'static>,
}

/// A directory with the files `plain` and `sealed`.
fn setting() -> Setting {
    let (workspace, identity) = (workspace(), Identity::generate(Kem::X25519).unwrap());
    let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()]).unwrap();
    fs::write(workspace.path("plain"), bytes(1000)).unwrap();
    fs::write(workspace.path("sealed"), seal_all(&bytes(1000), &to)).unwrap();
    let with = OpenWith::identities(vec![identity.clone()]);
    Setting { workspace, identity, to, with }
}

/// Text and chain of causes, as programs print them.
fn with_causes(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}

#[test]
fn a_job_names_the_file_that_failed() {
    let Setting { workspace, to, with, .. } = setting();
    let job = Job::default();
    let [plain, sealed, output] = ["plain", "sealed", "output"].map(|name| workspace.path(name));
    let (missing, nowhere) = (workspace.path("missing"), workspace.path("missing/output"));
    let key = gcm::Key::new(&[7; 32]).unwrap();
    let unread = [
        seal_file(&missing, &output, &to, &job).map(drop),
        open_file(&missing, &output, &with, &job).map(drop),
        verify_file(&missing, &with, &job).map(drop),
        rekey_file(&missing, &output, &with, &to, &job).map(drop),
        reencrypt_file(&missing, &output, &with, &to, &job).map(drop),
        gcm::seal_file(&missing, &output, &key, &job).map(drop),
        gcm::open_file(&missing, &output, &key, &job).map(drop),
        inspect_file(&missing).map(drop),
        Input::open(&missing).map(drop),
    ];
    for (i, result) in unread.into_iter().enumerate() {
        let error = result.unwrap_err();
        let text = format!("cannot read {missing:?}: {}", io::Error::from_raw_os_error(2));
        assert_eq!(with_causes(&error), text, "{i}");
        let Error::Read { path, error, .. } = error else { panic!("{i}: {error:?}") };
        assert_eq!((path.as_deref(), error.kind()), (Some(&*missing), ErrorKind::NotFound), "{i}");
    }
    let unwritten = [
        seal_file(&plain, &nowhere, &to, &job).map(drop),
        open_file(&sealed, &nowhere, &with, &job).map(drop),
        rekey_file(&sealed, &nowhere, &with, &to, &job).map(drop),
        reencrypt_file(&sealed, &nowhere, &with, &to, &job).map(drop),
        gcm::seal_file(&plain, &nowhere, &key, &job).map(drop),
        Output::create(&nowhere, Existing::Refuse).map(drop),
        Output::create_private(&nowhere, Existing::Refuse).map(drop),
    ];
    for (i, result) in unwritten.into_iter().enumerate() {
        let error = result.unwrap_err();
        let text = format!("cannot write {nowhere:?}: {}", io::Error::from_raw_os_error(2));
        assert_eq!(with_causes(&error), text, "{i}");
        let Error::Write { path, error, .. } = error else { panic!("{i}: {error:?}") };
        assert_eq!((path.as_deref(), error.kind()), (Some(&*nowhere), ErrorKind::NotFound), "{i}");
    }
}

/// It is written to after it was opened, and not while it is made.
#[test]
#[cfg(target_os = "linux")]
fn a_device_that_is_full_is_named() {
    let Setting { workspace, to, with, .. } = setting();
    let [plain, sealed] = ["plain", "sealed"].map(|name| workspace.path(name));
    let (full, job) = (Path::new("/dev/full"), Job::default());
    for result in [
        seal_file(&plain, full, &to, &job),
        open_file(&sealed, full, &with, &job),
        rekey_file(&sealed, full, &with, &to, &job),
        reencrypt_file(&sealed, full, &with, &to, &job),
    ] {
        let Err(Error::Write { path, error, .. }) = &result else { panic!("{result:?}") };
        assert_eq!((path.as_deref(), error.kind()), (Some(full), ErrorKind::StorageFull));
    }
}

#[test]
fn a_stream_tells_which_side_failed_and_why_once() {
    let Setting { workspace, to, with, .. } = setting();
    let sealed = fs::read(workspace.path("sealed")).unwrap();
    let job = Job::default();
    let unread = [
        seal_stream(Broken, io::sink(), &to, &job).map(drop),
        open_stream(Broken, io::sink(), &with, &job).map(drop),
        io::copy(&mut Broken, &mut Sealer::new(io::sink(), &to).unwrap()).map(drop).map_err(Error::from),
        Opener::new(Broken, &with).map(drop),
    ];
    for (i, result) in unread.into_iter().enumerate() {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::Read { path: None, .. }), "{i}: {error:?}");
        assert_eq!(with_causes(&error), "cannot read the input: the reader's own words", "{i}");
    }
    // More than a run, so that it is written before the end.
    let written_before = |large: &[u8]| -> Result<()> {
        let mut sealer = Sealer::new(Quota(200), &to)?;
        sealer.write_all(large)?;
        sealer.finish()?;
        Ok(())
    };
    let unwritten = [
        seal_stream(&sealed[..], Broken, &to, &job).map(drop),
        open_stream(&sealed[..], Broken, &with, &job).map(drop),
        Sealer::new(Broken, &to).map(drop),
        written_before(&bytes(3 << 20)),
    ];
    for (i, result) in unwritten.into_iter().enumerate() {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::Write { path: None, .. }), "{i}: {error:?}");
        assert_eq!(with_causes(&error), "cannot write the output: the writer's own words", "{i}");
    }
}

/// Takes a header and then nothing.
struct Quota(usize);

impl Write for Quota {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.min(bytes.len()) {
            0 => Broken.write(bytes),
            taken => {
                self.0 -= taken;
                Ok(taken)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_error_that_travels_in_an_io_error_comes_out_as_it_was() {
    let errors = || {
        [
            Error::from(io::Error::from(ErrorKind::NotFound)),
            KeyMisuse::NoRecipients.into(),
            FileMisuse::ArmoredRange.into(),
            RecordMisuse::NotJson.into(),
            Error::OutOfMemory,
            Error::NoKey,
            Error::PassphraseNeeded,
            Error::WrongPassphrase,
            Malformed::NotSealed.into(),
            Error::Tampered(Part::Header),
        ]
    };
    for (before, after) in errors().into_iter().zip(errors()) {
        let kind = match &before {
            Error::Read { error, .. } => error.kind(),
            Error::OutOfMemory => ErrorKind::OutOfMemory,
            error if error.is_misuse() => ErrorKind::InvalidInput,
            _ => ErrorKind::InvalidData,
        };
        let travelling = io::Error::from(before);
        assert_eq!(travelling.kind(), kind, "{after:?}");
        assert_eq!(format!("{:?}", Error::from(travelling)), format!("{after:?}"));
    }
}

#[test]
fn a_missing_key_a_missing_passphrase_and_a_wrong_one_are_told_apart() {
    let words = |words: &str| Passphrase::new(words.into());
    let stranger = Identity::generate(Kem::X25519).unwrap();
    let Setting { workspace, identity, .. } = setting();
    let to_key = fs::read(workspace.path("sealed")).unwrap();
    let fails = || Err("nobody is there to ask".into());
    for format in [Format::Sealmark, Format::Age] {
        let to_words = seal_all(b"x", &SealTo::passphrase(format, words("correct")));
        let result = |with: &OpenWith<'_>| open_all(&to_words, with).unwrap_err();
        assert!(matches!(result(&OpenWith::default()), Error::PassphraseNeeded));
        assert!(matches!(result(&OpenWith::identities(vec![stranger.clone()])), Error::PassphraseNeeded));
        assert!(matches!(result(&OpenWith::passphrase(words("horse"))), Error::WrongPassphrase));
        let asking = result(&OpenWith::identities(vec![identity.clone()]).ask_passphrase(&fails));
        assert_eq!(with_causes(&asking), "cannot get the passphrase: nobody is there to ask");
        assert!(matches!(asking, Error::Passphrase { .. }));
    }
    for with in [
        OpenWith::default(),
        OpenWith::identities(vec![stranger.clone()]),
        OpenWith::passphrase(words("correct")),
    ] {
        assert!(matches!(open_all(&to_key, &with), Err(Error::NoKey)));
    }
}
