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

    /// The same for an input that is read twice: a regular file. It is looked at before, as opening a named pipe waits
    /// for whoever writes to it; and after, as its name may mean something else by then.
    pub fn open_regular(path: &Path, output: Option<&Path>) -> Result<Self> {
        check_regular(path, &fs::metadata(path)?)?;
        let source = Self::open(path, output)?;
        check_regular(path, &source.file.metadata()?)?;
        Ok(source)
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

/// Directories are for [`Source::open`] to refuse.
fn check_regular(path: &Path, metadata: &fs::Metadata) -> Result<()> {
    match metadata.is_file() || metadata.is_dir() {
        true => Ok(()),
        false => Err(Misuse::ReadsOnce(path.into()).into()),
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
            Ok(found) if !found.is_file() && !found.is_dir() => Self::open_stream(path),
            _ => Ok(None),
        }
    }

    /// Nothing where a regular file has taken the name since it was looked at: that is kept or replaced as any other,
    /// and never written into.
    fn open_stream(path: &Path) -> Result<Option<File>> {
        let file = File::options().write(true).open(path).map_err(Error::output)?;
        let regular = file.metadata().map_err(Error::output)?.is_file();
        Ok((!regular).then_some(file))
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

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    /// Between the look and the opening nothing can step in here, so only the opening is tried.
    #[test]
    fn a_file_in_the_place_of_a_stream_is_not_written_into() {
        let directory = tempfile::tempdir().unwrap();
        let swapped = directory.path().join("swapped");
        fs::write(&swapped, "theirs").unwrap();
        assert!(Target::open_stream(&swapped).unwrap().is_none());
        assert!(Target::open_stream(Path::new("/dev/null")).unwrap().is_some());
    }
}
