//! An output has the old content or the whole new one, whatever happens on the way.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use std::{fs, fs::File, io, num::NonZeroUsize, path::Path};

use common::{Workspace, bytes, open_all, seal_all, workspace};
use sealmark::*;

const LENGTH: usize = 3_000_000;

struct Setting {
    workspace: Workspace,
    to: SealTo,
    with: OpenWith<'static>,
}

/// A directory with a plaintext `plain` and its `sealed` counterpart.
fn setting() -> Setting {
    let identity = Identity::generate(Kem::X25519).unwrap();
    let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()], Mixing::Refuse).unwrap();
    let workspace = workspace();
    fs::write(workspace.path("plain"), bytes(LENGTH)).unwrap();
    fs::write(workspace.path("sealed"), seal_all(&bytes(LENGTH), &to)).unwrap();
    Setting { workspace, to, with: OpenWith::identities(vec![identity]) }
}

impl Setting {
    /// Seals, opens and copies, each from its own input.
    fn each(&self, output: &Path, job: &Job<'_>, mut check: impl FnMut(Result<Summary>)) {
        let (plain, sealed) = (self.workspace.path("plain"), self.workspace.path("sealed"));
        check(seal_file(&plain, output, &self.to, job));
        check(open_file(&sealed, output, &self.with, job));
        check(copy_file(&plain, output, job));
        check(rekey_file(&sealed, output, &self.with, &self.to, job));
    }
}

#[test]
fn what_exists_is_kept_unless_it_may_be_replaced() {
    let setting = setting();
    let output = setting.workspace.path("output");
    fs::write(&output, "old").unwrap();
    let no_work = |_| panic!("work was done before the output was looked at");
    let keep = Job { progress: Some(&no_work), ..Job::default() };
    setting.each(&output, &keep, |result| {
        assert!(matches!(result, Err(Error::Misuse(Misuse::OutputExists(_)))), "{result:?}");
        assert_eq!(fs::read(&output).unwrap(), b"old");
    });
    let replace = Job { existing: Existing::Replace, ..Job::default() };
    setting.each(&output, &replace, |result| {
        let written = fs::read(&output).unwrap();
        assert_eq!(result.unwrap().output, written.len() as u64);
        let plaintext = open_all(&written, &setting.with).unwrap_or(written);
        assert!(plaintext == bytes(LENGTH));
    });
    assert_eq!(setting.workspace.names(), ["output", "plain", "sealed"]);
}

#[test]
fn an_output_that_cannot_be_is_refused() {
    let setting = setting();
    let directory = setting.workspace.path("directory");
    fs::create_dir(&directory).unwrap();
    setting.each(&directory, &Job::default(), |result| {
        assert!(matches!(result, Err(Error::Misuse(Misuse::NotAFile(_)))), "{result:?}");
    });
    setting.each(&setting.workspace.path("missing/output"), &Job::default(), |result| {
        let Err(Error::Output(error)) = result else { panic!("{result:?}") };
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    });
    let result = seal_file(&directory, &setting.workspace.path("output"), &setting.to, &Job::default());
    assert!(matches!(result, Err(Error::Misuse(Misuse::NotAFile(_)))), "{result:?}");
    assert_eq!(setting.workspace.names(), ["directory", "plain", "sealed"]);
}

#[test]
fn an_input_is_never_its_own_output() {
    let setting = setting();
    let plain = setting.workspace.path("plain");
    let link = setting.workspace.path("link");
    fs::hard_link(&plain, &link).unwrap();
    let replace = Job { existing: Existing::Replace, ..Job::default() };
    for output in [&plain, &link] {
        for result in [seal_file(&plain, output, &setting.to, &replace), copy_file(&plain, output, &replace)]
        {
            assert!(matches!(result, Err(Error::Misuse(Misuse::SameFile(_)))), "{result:?}");
        }
    }
    assert!(fs::read(&plain).unwrap() == bytes(LENGTH));
}

/// Somebody cuts or extends the input after the first piece of it was read.
#[test]
fn an_input_that_changes_while_it_is_read_is_refused() {
    for length in [1_000_000, LENGTH as u64 + 200_000] {
        let setting = setting();
        let output = setting.workspace.path("output");
        fs::write(&output, "old").unwrap();
        let names = ["plain", "sealed"].map(|name| setting.workspace.path(name));
        let originals = [0, 1].map(|i| fs::read(&names[i]).unwrap());
        let change = |_| {
            names
                .iter()
                .for_each(|name| File::options().write(true).open(name).unwrap().set_len(length).unwrap());
        };
        let job = Job { existing: Existing::Replace, progress: Some(&change), threads: NonZeroUsize::new(2) };
        let restore = || {
            names.iter().zip(&originals).for_each(|(name, content)| fs::write(name, content).unwrap());
        };
        let works: [&dyn Fn() -> Result<Summary>; 4] = [
            &|| seal_file(&names[0], &output, &setting.to, &job),
            &|| open_file(&names[1], &output, &setting.with, &job),
            &|| copy_file(&names[0], &output, &job),
            &|| rekey_file(&names[1], &output, &setting.with, &setting.to, &job),
        ];
        for (i, work) in works.iter().enumerate() {
            let result = work();
            let Err(Error::Io(error)) = &result else { panic!("{i} to {length}: {result:?}") };
            assert_eq!(error.to_string(), "the input changed while it was read");
            assert_eq!(fs::read(&output).unwrap(), b"old");
            assert_eq!(setting.workspace.names(), ["output", "plain", "sealed"]);
            restore();
        }
    }
}

#[cfg(unix)]
#[test]
fn what_replaces_a_file_is_read_by_the_same_people() {
    use std::os::unix::fs::PermissionsExt;
    let setting = setting();
    let output = setting.workspace.path("output");
    let replace = Job { existing: Existing::Replace, ..Job::default() };
    for mode in [0o600, 0o640, 0o444] {
        fs::write(&output, "old").unwrap();
        fs::set_permissions(&output, fs::Permissions::from_mode(mode)).unwrap();
        setting.each(&output, &replace, |result| {
            result.unwrap();
            assert_eq!(fs::metadata(&output).unwrap().permissions().mode() & 0o777, mode);
        });
        fs::remove_file(&output).unwrap();
    }
}

/// Same length, other content: what was sealed would be neither the old nor the new.
#[test]
fn an_input_rewritten_while_it_is_read_is_refused() {
    let setting = setting();
    let plain = setting.workspace.path("plain");
    let rewrite = |_| {
        let later = fs::metadata(&plain).unwrap().modified().unwrap() + std::time::Duration::from_secs(1);
        fs::write(&plain, vec![7; LENGTH]).unwrap();
        File::options().write(true).open(&plain).unwrap().set_modified(later).unwrap();
    };
    let job = Job { progress: Some(&rewrite), threads: NonZeroUsize::new(1), ..Job::default() };
    for armored in [false, true] {
        let to = if armored { setting.to.clone().armored() } else { setting.to.clone() };
        let result = seal_file(&plain, &setting.workspace.path("output"), &to, &job);
        assert!(matches!(result, Err(Error::Io(_))), "{result:?}");
    }
    assert_eq!(setting.workspace.names(), ["plain", "sealed"]);
}
