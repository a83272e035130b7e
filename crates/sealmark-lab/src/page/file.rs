//! The verb `report`: results files in, a page out.

use crate::rows;
use crate::trouble::{Result, Trouble, because};
use std::path::{Path, PathBuf};

/// Writes the page of some results files, whole or not at all, and says where: beside the first of them, unless told. A
/// page that was there is replaced: it can be made again.
pub fn write(results: &[PathBuf], out: Option<&Path>) -> Result<PathBuf> {
    let beside = || results.first().map(|first| first.with_extension("html")).unwrap_or_default();
    let out = out.map_or_else(beside, Path::to_owned);
    must_not_be_results(&out, results)?;
    let runs = results.iter().map(|path| Ok((name(path), rows::read(path)?))).collect::<Result<Vec<_>>>()?;
    let runs: Vec<(&str, &[rows::Row])> = runs.iter().map(|(name, rows)| (&**name, &**rows)).collect();
    replace(&out, &super::html(&runs))?;
    Ok(out)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Samples are worth more than a page.
fn must_not_be_results(out: &Path, results: &[PathBuf]) -> Result<()> {
    let real = |path: &Path| path.canonicalize().ok();
    if results.iter().any(|path| path == out || real(path).is_some_and(|path| real(out) == Some(path))) {
        let why = format!("\"{}\" is one of the results files", out.display());
        return Err(Trouble::new(why).hint("choose another name: -o report.html"));
    }
    Ok(())
}

/// A reader of the old page never sees half of the new one.
fn replace(out: &Path, page: &str) -> Result<()> {
    let failed = |error| because(format!("cannot write \"{}\"", out.display()), error);
    let mut half = out.as_os_str().to_owned();
    half.push(format!(".{}.part", std::process::id()));
    let half = PathBuf::from(half);
    let written = std::fs::write(&half, page).and_then(|()| std::fs::rename(&half, out));
    written.inspect_err(|_| drop(std::fs::remove_file(&half))).map_err(failed)
}
