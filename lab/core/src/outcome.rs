//! Files that are made from results: they can be made again, so they replace what was there, but never the results.

use crate::trouble::{Result, Trouble, because};
use std::path::{Path, PathBuf};

/// Samples are worth more than a page. `instead` is a name that could be chosen.
pub fn must_not_be_results(out: &Path, results: &[PathBuf], instead: &str) -> Result<()> {
    let real = |path: &Path| path.canonicalize().ok();
    if results.iter().any(|path| path == out || real(path).is_some_and(|path| real(out) == Some(path))) {
        let why = format!("\"{}\" is one of the results files", out.display());
        return Err(Trouble::new(why).hint(format!("choose another name: -o {instead}")));
    }
    Ok(())
}

/// A reader of the old file never sees half of the new one. Links stay, and what they name is replaced; devices and pipes
/// are written to.
pub fn replace(out: &Path, text: &str) -> Result<()> {
    let failed = |error| because(format!("cannot write \"{}\"", out.display()), error);
    let real = out.canonicalize().unwrap_or_else(|_| out.to_owned());
    if real.metadata().is_ok_and(|known| !known.is_file()) {
        return std::fs::write(&real, text).map_err(failed);
    }
    let mut half = real.clone().into_os_string();
    half.push(format!(".{}.part", std::process::id()));
    let half = PathBuf::from(half);
    let written = std::fs::write(&half, text).and_then(|()| std::fs::rename(&half, &real));
    written.inspect_err(|_| drop(std::fs::remove_file(&half))).map_err(failed)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use std::fs;
    use std::process::Command;

    #[test]
    fn files_are_replaced_and_links_stay_links() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("page.html"), directory.path().join("link.html"));
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace(&file, "old").unwrap();
        replace(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 2);
    }

    #[test]
    fn pipes_are_written_to_and_stay_pipes() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe)
        });
        replace(&pipe, "text").unwrap();
        assert_eq!(reader.join().unwrap().unwrap(), "text");
        assert!(!pipe.symlink_metadata().unwrap().is_file());
        assert!(replace(directory.path(), "text").is_err());
    }
}
