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

/// A reader of the old file never sees half of the new one.
pub fn replace(out: &Path, text: &str) -> Result<()> {
    let failed = |error| because(format!("cannot write \"{}\"", out.display()), error);
    let mut half = out.as_os_str().to_owned();
    half.push(format!(".{}.part", std::process::id()));
    let half = PathBuf::from(half);
    let written = std::fs::write(&half, text).and_then(|()| std::fs::rename(&half, out));
    written.inspect_err(|_| drop(std::fs::remove_file(&half))).map_err(failed)
}
