//! The two ends of a job from path to path: an input that must not change meanwhile, and an output that appears whole.

use std::{
    fs::{self, File},
    io::{self, IoSlice, IoSliceMut},
    path::Path,
    time::SystemTime,
};

use crate::{
    at::{read_exact_at, write_all_at},
    error::{Error, Misuse, Result},
    job::Job,
    output::Output,
};

/// An input and what was known of it when it was opened.
pub(crate) struct Source {
    pub file: File,
    pub length: u64,
    modified: Option<SystemTime>,
    /// A regular file; not a pipe, nor a file of the kernel's that is longer than it says.
    pub has_length: bool,
}

impl Source {
    pub fn open(path: &Path, output: Option<&Path>) -> Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(Misuse::NotAFile(path.into()).into());
        }
        if output.is_some_and(|output| is_same_file(&metadata, output)) {
            return Err(Misuse::SameFile(path.into()).into());
        }
        let has_length = metadata.is_file() && metadata.len() > 0;
        Ok(Self { file, length: metadata.len(), modified: metadata.modified().ok(), has_length })
    }

    pub fn read_at(&self, parts: &mut [IoSliceMut<'_>], offset: u64) -> Result<()> {
        read_exact_at(&self.file, parts, offset).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => changed(),
            _ => error.into(),
        })
    }

    /// What a stream of this file gave. A file that was cut short meanwhile looks like one that ends there, or that
    /// was damaged.
    pub fn unless_changed<T>(&self, result: Result<T>) -> Result<T> {
        match self.has_length {
            true => self.check_unchanged().and(result),
            false => result,
        }
    }

    /// A file that somebody was still writing would be sealed in part, or old and new mixed, and nobody would notice.
    pub fn check_unchanged(&self) -> Result<()> {
        let now = self.file.metadata()?;
        match (now.len(), now.modified().ok()) == (self.length, self.modified) {
            true => Ok(()),
            false => Err(changed()),
        }
    }
}

pub(crate) fn changed() -> Error {
    io::Error::other("the input changed while it was read").into()
}

#[cfg(unix)]
fn is_same_file(input: &fs::Metadata, output: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    input.is_file()
        && fs::metadata(output).is_ok_and(|output| (output.dev(), output.ino()) == (input.dev(), input.ino()))
}

#[cfg(not(unix))]
fn is_same_file(_: &fs::Metadata, _: &Path) -> bool {
    // The output must not exist, or is replaced in one step after the input was read.
    false
}

/// An output: a file that appears whole, or something that is there already, such as a pipe or a terminal.
pub(crate) enum Target {
    New(Output),
    Stream(File),
}

impl Target {
    pub fn create(path: &Path, job: &Job<'_>) -> Result<Self> {
        match Self::existing_stream(path)? {
            Some(file) => Ok(Self::Stream(file)),
            None => Ok(Self::New(Output::create(path, job.existing)?)),
        }
    }

    /// What lies at `path` where that is no file, but a pipe, a terminal or the like.
    pub fn existing_stream(path: &Path) -> Result<Option<File>> {
        match fs::metadata(path) {
            Ok(found) if !found.is_file() && !found.is_dir() => {
                File::options().write(true).open(path).map(Some).map_err(Error::output)
            }
            _ => Ok(None),
        }
    }

    pub fn is_stream(&self) -> bool {
        matches!(self, Self::Stream(_))
    }

    pub fn file(&self) -> &File {
        match self {
            Self::New(output) => &output.file,
            Self::Stream(file) => file,
        }
    }

    pub fn reserve(&self, bytes: u64) -> Result<()> {
        match self {
            Self::New(output) => output.reserve(bytes).map_err(Error::output),
            Self::Stream(_) => Ok(()),
        }
    }

    pub fn write_start(&self, bytes: &[u8]) -> Result<()> {
        write_all_at(self.file(), &mut [IoSlice::new(bytes)], 0).map_err(Error::output)
    }

    pub fn commit(self) -> Result<()> {
        match self {
            Self::New(output) => output.commit(),
            Self::Stream(_) => Ok(()),
        }
    }
}
