//! A directory to work in, keys beside it, and the program to run there.

use sealmark::{Existing, Format, Identity, Job, Kem, OpenWith, SealTo};
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// My secret key file, my recipient file and another one's, as seen from the directory where the program runs.
pub const KEY: &str = "../key.txt";
pub const ME: &str = "../me";
pub const OTHER: &str = "../other";

pub struct Room {
    root: TempDir,
    pub mine: Identity,
    pub others: Identity,
}

/// How a run of the program ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub out: Vec<u8>,
    pub err: String,
}

impl Room {
    pub fn new() -> Self {
        let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::create_dir(root.path().join("work")).unwrap();
        let room = Self { root, mine: key(), others: key() };
        room.write(KEY, room.mine.to_secret_string().as_bytes());
        fs::set_permissions(room.path(KEY), Permissions::from_mode(0o600)).unwrap();
        room.write(ME, room.mine.recipient().to_string().as_bytes());
        room.write(OTHER, room.others.recipient().to_string().as_bytes());
        room
    }

    /// The directory where the program runs.
    pub fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.work().join(name)
    }

    pub fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The names of all files in the directory, including hidden ones, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.work()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Writes the sealed form of `plaintext`.
    pub fn write_sealed(&self, name: &str, plaintext: impl AsRef<[u8]>) {
        self.write("../plaintext", plaintext);
        let job = Job::default().existing(Existing::Replace);
        sealmark::seal_file(self.path("../plaintext"), self.path(name), &self.to_me(), &job).unwrap();
    }

    pub fn to_me(&self) -> SealTo {
        SealTo::recipients(Format::Sealmark, &[self.mine.recipient()]).unwrap()
    }

    /// The content of a sealed file that either of the two keys opens.
    pub fn opened(&self, name: impl AsRef<Path>) -> sealmark::Result<Vec<u8>> {
        let with = OpenWith::identities(vec![self.mine.clone(), self.others.clone()]);
        let mut plaintext = Vec::new();
        sealmark::open_stream(fs::File::open(self.path(name))?, &mut plaintext, &with, &Job::default())?;
        Ok(plaintext)
    }

    pub fn sealmark<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        self.prepared(Command::new(env!("CARGO_BIN_EXE_sealmark")), args)
    }

    /// A shell script in which `sealmark` is the program under test.
    pub fn shell(&self, script: &str) -> Ended {
        let program = format!("sealmark() {{ {:?} \"$@\"; }}; {script}", env!("CARGO_BIN_EXE_sealmark"));
        ended(self.prepared(Command::new("bash"), ["-c", &program]))
    }

    /// The program, started by another one such as `setpriv`.
    pub fn sealmark_under(&self, starter: &[&str], args: &[&str]) -> Command {
        let (program, rest) = starter.split_first().unwrap();
        let all = [rest, &[env!("CARGO_BIN_EXE_sealmark")], args].concat();
        self.prepared(Command::new(program), all)
    }

    pub fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Ended {
        ended(self.sealmark(args))
    }

    fn prepared<A: AsRef<OsStr>>(&self, mut command: Command, args: impl IntoIterator<Item = A>) -> Command {
        command.args(args).current_dir(self.work()).env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
        command
    }
}

impl Ended {
    /// The program ended with this code, and with an `error:` line that contains `words`.
    #[track_caller]
    pub fn failed(&self, code: i32, words: &str) {
        assert_eq!(self.code, Some(code), "{self:?}");
        let said = self.err.lines().any(|line| line.starts_with("error: ") && line.contains(words));
        assert!(said, "not {words:?}: {self:?}");
        assert!(!self.err.contains("panicked") && !self.err.contains("os error"), "{self:?}");
    }

    #[track_caller]
    pub fn done(&self) {
        assert_eq!(self.code, Some(0), "{self:?}");
    }
}

pub fn ended(mut command: Command) -> Ended {
    command.output().unwrap().into()
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        Self { code: output.status.code(), out: output.stdout, err }
    }
}

fn key() -> Identity {
    Identity::generate(Kem::X25519).unwrap()
}

/// Bytes without a short period.
pub fn bytes(length: usize) -> Vec<u8> {
    (0..length as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}
