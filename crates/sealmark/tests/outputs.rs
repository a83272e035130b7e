//! An output has the old content or the whole new content, whatever happens meanwhile.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::{Workspace, bytes, open_all, seal_all, workspace};
use sealmark::*;
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::Path;
use std::{fs, io};

const LENGTH: usize = 3_000_000;

struct Setting {
    workspace: Workspace,
    to: SealTo,
    with: OpenWith<'static>,
}

/// A directory with a plaintext `plain` and its `sealed` counterpart.
fn setting() -> Setting {
    let identity = Identity::generate(Kem::X25519).unwrap();
    let to = SealTo::recipients(Format::Sealmark, &[identity.recipient()]).unwrap();
    let workspace = workspace();
    fs::write(workspace.path("plain"), bytes(LENGTH)).unwrap();
    fs::write(workspace.path("sealed"), seal_all(&bytes(LENGTH), &to)).unwrap();
    Setting { workspace, to, with: OpenWith::identities(vec![identity]) }
}

impl Setting {
    /// Seals, opens and replaces the header, each from its own input.
    fn each(&self, output: &Path, job: &Job<'_>, mut check: impl FnMut(Result<Summary>)) {
        let (plain, sealed) = (self.workspace.path("plain"), self.workspace.path("sealed"));
        check(seal_file(&plain, output, &self.to, job));
        check(open_file(&sealed, output, &self.with, job));
        check(rekey_file(&sealed, output, &self.with, &self.to, job));
    }

    /// Does the same over an output that `before` prepares each time.
    #[cfg(unix)]
    fn each_over(&self, output: &Path, before: impl Fn(&Path), check: impl Fn(&Path)) {
        let (plain, sealed) = (self.workspace.path("plain"), self.workspace.path("sealed"));
        let job = Job::default().existing(Existing::Replace);
        for work in [
            &|| seal_file(&plain, output, &self.to, &job) as Result<Summary>,
            &|| open_file(&sealed, output, &self.with, &job),
            &|| rekey_file(&sealed, output, &self.with, &self.to, &job),
        ] as [&dyn Fn() -> Result<Summary>; 3]
        {
            before(output);
            work().unwrap();
            check(output);
        }
    }
}

#[test]
fn what_exists_is_kept_unless_it_may_be_replaced() {
    let setting = setting();
    let output = setting.workspace.path("output");
    fs::write(&output, "old").unwrap();
    let no_work = |_| panic!("work was done before the output was looked at");
    let keep = Job::default().progress(&no_work);
    setting.each(&output, &keep, |result| {
        assert!(matches!(result, Err(Error::File(FileMisuse::OutputExists(_)))), "{result:?}");
        assert_eq!(fs::read(&output).unwrap(), b"old");
    });
    let replace = Job::default().existing(Existing::Replace);
    // The outputs are sealed, opened, and sealed with a new header, in that order.
    let mut sealed = [true, false, true].into_iter();
    setting.each(&output, &replace, |result| {
        let written = fs::read(&output).unwrap();
        assert_eq!(result.unwrap().output, written.len() as u64);
        let plaintext =
            if sealed.next().unwrap() { open_all(&written, &setting.with).unwrap() } else { written };
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
        assert!(matches!(result, Err(Error::File(FileMisuse::NotAFile(_)))), "{result:?}");
    });
    setting.each(&setting.workspace.path("missing/output"), &Job::default(), |result| {
        let Err(Error::Write { error, .. }) = result else { panic!("{result:?}") };
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    });
    let result = seal_file(&directory, setting.workspace.path("output"), &setting.to, &Job::default());
    assert!(matches!(result, Err(Error::File(FileMisuse::NotAFile(_)))), "{result:?}");
    assert_eq!(setting.workspace.names(), ["directory", "plain", "sealed"]);
}

#[test]
fn an_input_is_never_its_own_output() {
    let setting = setting();
    let plain = setting.workspace.path("plain");
    let link = setting.workspace.path("link");
    fs::hard_link(&plain, &link).unwrap();
    let replace = Job::default().existing(Existing::Replace);
    for output in [&plain, &link] {
        let result = seal_file(&plain, output, &setting.to, &replace);
        assert!(matches!(result, Err(Error::File(FileMisuse::SameFile(_)))), "{result:?}");
    }
    assert!(fs::read(&plain).unwrap() == bytes(LENGTH));
}

/// Somebody truncates or extends the input after its first piece was read.
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
        let job = Job::default().existing(Existing::Replace).progress(&change).threads(NonZeroUsize::new(2));
        let restore = || {
            names.iter().zip(&originals).for_each(|(name, content)| fs::write(name, content).unwrap());
        };
        let works: [&dyn Fn() -> Result<Summary>; 3] = [
            &|| seal_file(&names[0], &output, &setting.to, &job),
            &|| open_file(&names[1], &output, &setting.with, &job),
            &|| rekey_file(&names[1], &output, &setting.with, &setting.to, &job),
        ];
        for (i, work) in works.iter().enumerate() {
            let result = work();
            let Err(error @ Error::InputChanged { .. }) = &result else {
                panic!("{i} to {length}: {result:?}")
            };
            let changed = &names[usize::from(i > 0)];
            assert_eq!(error.to_string(), format!("{changed:?} changed while it was read"));
            assert_eq!(fs::read(&output).unwrap(), b"old");
            assert_eq!(setting.workspace.names(), ["output", "plain", "sealed"]);
            restore();
        }
    }
}

#[cfg(unix)]
mod readers {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

    const NOBODY: u32 = 65534;
    fn replace() -> Job<'static> {
        Job::default().existing(Existing::Replace)
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_replaces_a_file_is_read_by_nobody_who_could_not_read_it() {
        let setting = setting();
        let output = setting.workspace.path("output");
        fs::write(&output, "new").unwrap();
        let admitted = mode(&output);
        for old in [0o600, 0o640, 0o444, 0o777] {
            setting.each_over(
                &output,
                |output| set_mode(output, old),
                |output| {
                    assert_eq!(mode(output), old & admitted);
                },
            );
        }
        for file in [&output, &setting.workspace.path("sealed")] {
            set_mode(file, 0o770);
            rekey_file(setting.workspace.path("sealed"), file, &setting.with, &setting.to, &replace())
                .unwrap();
        }
        assert_eq!(mode(&setting.workspace.path("sealed")), 0o770, "in place nothing changes");
        assert_eq!(mode(&output), 0o770 & admitted);
    }

    /// Only root can run this test: the user who made the old file does not get the new content.
    #[test]
    fn another_users_file_is_not_theirs_when_replaced() {
        let setting = setting();
        let (output, sealed) = (setting.workspace.path("output"), setting.workspace.path("sealed"));
        fs::write(&output, "theirs").unwrap();
        if chown(&output, Some(NOBODY), Some(NOBODY)).is_err() {
            return;
        }
        let theirs = |path: &Path| {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            set_mode(path, 0o660);
        };
        let owner = |path: &Path| (fs::metadata(path).unwrap().uid(), fs::metadata(path).unwrap().gid());
        setting.each_over(&output, theirs, |output| {
            assert_eq!((owner(output), mode(output)), ((0, 0), 0o600));
        });
        theirs(&sealed);
        rekey_file(&sealed, &sealed, &setting.with, &setting.to, &replace()).unwrap();
        assert_eq!((owner(&sealed), mode(&sealed)), ((NOBODY, NOBODY), 0o660));
    }

    #[cfg(target_os = "linux")]
    mod lists {
        use super::*;
        use rustix::fs::{XattrFlags, getxattr, setxattr};

        const ACCESS: &str = "system.posix_acl_access";
        const DEFAULT: &str = "system.posix_acl_default";
        const READ: u16 = 4;
        const ALL: u16 = 7;

        /// An access control list with the permissions of the owner, user 65534, the group, the mask and others.
        fn list(owner: u16, nobody: u16, group: u16, mask: u16, others: u16) -> Vec<u8> {
            let entries = [(1, owner, u32::MAX), (2, nobody, NOBODY), (4, group, u32::MAX)];
            let entries = entries.into_iter().chain([(16, mask, u32::MAX), (32, others, u32::MAX)]);
            let entry = |(tag, permissions, id): (u16, u16, u32)| {
                [&tag.to_le_bytes()[..], &permissions.to_le_bytes(), &id.to_le_bytes()].concat()
            };
            [2u32.to_le_bytes().to_vec(), entries.flat_map(entry).collect()].concat()
        }

        fn set(path: &Path, name: &str, list: &[u8]) -> bool {
            setxattr(path, name, list, XattrFlags::empty()).is_ok()
        }

        fn get(path: &Path) -> Option<Vec<u8>> {
            let mut list = vec![0; 1000];
            let length = getxattr(path, ACCESS, &mut list[..]).ok()?;
            list.truncate(length);
            Some(list)
        }

        /// The mode of such a file shows the mask in place of the group's permissions.
        #[test]
        fn a_group_kept_out_by_a_list_stays_out() {
            let setting = setting();
            let output = setting.workspace.path("output");
            fs::write(&output, "old").unwrap();
            let listed = list(6, 6, 0, 6, 0);
            if !set(&output, ACCESS, &listed) {
                return;
            }
            assert_eq!(mode(&output), 0o660);
            setting.each_over(
                &output,
                |output| assert!(set(output, ACCESS, &listed)),
                |output| {
                    assert_eq!((get(output), mode(output)), (None, 0o600));
                },
            );
            let sealed = setting.workspace.path("sealed");
            set(&sealed, ACCESS, &listed);
            rekey_file(&sealed, &sealed, &setting.with, &setting.to, &replace()).unwrap();
            assert_eq!((get(&sealed), mode(&sealed)), (Some(listed), 0o660), "in place nothing changes");
        }

        /// The list comes from the replaced file, whatever has its path by then.
        #[test]
        fn a_list_is_found_though_the_directory_was_renamed() {
            let setting = setting();
            let [directory, renamed, other] =
                ["directory", "renamed", "other"].map(|name| setting.workspace.path(name));
            [&directory, &other].into_iter().for_each(|path| fs::create_dir(path).unwrap());
            fs::write(directory.join("out"), "old").unwrap();
            fs::write(other.join("out"), "without a list").unwrap();
            if !set(&directory.join("out"), ACCESS, &list(6, 6, 0, 6, 0)) {
                return;
            }
            let swap = |_| {
                if fs::rename(&directory, &renamed).is_ok() {
                    std::os::unix::fs::symlink(&other, &directory).unwrap();
                }
            };
            let job = replace().progress(&swap).threads(NonZeroUsize::new(1));
            let sealed = setting.workspace.path("sealed");
            open_file(&sealed, directory.join("out"), &setting.with, &job).unwrap();
            assert_eq!(mode(&renamed.join("out")), 0o600);
        }

        #[test]
        fn a_directorys_list_admits_nobody_to_what_was_closed_to_them() {
            let setting = setting();
            let output = setting.workspace.path("output");
            let closed = |output: &Path| {
                let _new = fs::remove_file(output);
                fs::write(output, "old").unwrap();
                let _none = rustix::fs::removexattr(output, ACCESS);
                set_mode(output, 0o640);
            };
            closed(&output);
            if !set(output.parent().unwrap(), DEFAULT, &list(ALL, ALL, READ, ALL, READ)) {
                return;
            }
            setting.each_over(&output, closed, |output| {
                assert_eq!((get(output), mode(output)), (None, 0o640));
            });
        }
    }
}

/// The new content has the same length and the old time of modification.
#[test]
fn an_input_rewritten_while_it_is_read_is_refused() {
    let setting = setting();
    let plain = setting.workspace.path("plain");
    let modified = fs::metadata(&plain).unwrap().modified().unwrap();
    let rewrite = |_| {
        fs::write(&plain, vec![7; LENGTH]).unwrap();
        File::options().write(true).open(&plain).unwrap().set_modified(modified).unwrap();
    };
    let job = Job::default().progress(&rewrite).threads(NonZeroUsize::new(1));
    for armored in [false, true] {
        let to = if armored { setting.to.clone().armored() } else { setting.to.clone() };
        let result = seal_file(&plain, setting.workspace.path("output"), &to, &job);
        assert!(matches!(result, Err(Error::InputChanged { path: Some(_), .. })), "{result:?}");
    }
    assert_eq!(setting.workspace.names(), ["plain", "sealed"]);
}

#[cfg(unix)]
#[test]
fn a_directory_that_is_renamed_keeps_its_output() {
    let setting = setting();
    for existing in [Existing::Refuse, Existing::Replace] {
        let [directory, renamed, other] =
            ["directory", "renamed", "other"].map(|name| setting.workspace.path(name));
        [&directory, &other].into_iter().for_each(|path| fs::create_dir(path).unwrap());
        if existing == Existing::Replace {
            fs::write(directory.join("out"), "old").unwrap();
        }
        let swap = |_| {
            if fs::rename(&directory, &renamed).is_ok() {
                std::os::unix::fs::symlink(&other, &directory).unwrap();
            }
        };
        let job = Job::default().existing(existing).progress(&swap).threads(NonZeroUsize::new(1));
        open_file(setting.workspace.path("sealed"), directory.join("out"), &setting.with, &job).unwrap();
        assert_eq!(fs::read_dir(&other).unwrap().count(), 0, "written where the link leads");
        assert!(fs::read(renamed.join("out")).unwrap() == bytes(LENGTH));
        [renamed, other].into_iter().for_each(|path| fs::remove_dir_all(path).unwrap());
        fs::remove_file(&directory).unwrap();
    }
}

/// The sender keeps the pipe open, as if more were to come.
#[cfg(unix)]
#[test]
fn damage_is_told_while_the_sender_keeps_silent() {
    use std::io::Write;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;
    let setting = setting();
    let mut sealed = fs::read(setting.workspace.path("sealed")).unwrap();
    sealed[1_500_000] ^= 1;
    let (reader, mut writer) = io::pipe().unwrap();
    let (done, ended) = mpsc::channel();
    let sender = thread::spawn(move || {
        let _refused = writer.write_all(&sealed[..2_400_000]);
        ended.recv_timeout(Duration::from_secs(60)).is_ok()
    });
    let input = Input::from_file(File::from(std::os::fd::OwnedFd::from(reader))).unwrap();
    let job = Job::default().threads(NonZeroUsize::new(3));
    let mut released = Vec::new();
    let opened = open_input(&input, Output::stream(&mut released), &setting.with, &job);
    let _late = done.send(());
    drop(input);
    assert!(matches!(opened, Err(Error::Tampered(Part::Payload))), "{opened:?}");
    assert!(bytes(LENGTH).starts_with(&released));
    assert!(sender.join().unwrap(), "it waited for the sender");
}
