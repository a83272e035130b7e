//! The verb `report`: results files in, a page out. And the page of `compare`.

use super::markup;
use crate::compare;
use crate::outcome;
use crate::rows::Row;
use crate::trouble::{Result, Trouble};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Writes the page of some results files, whole or not at all, and says where: beside the first of them, unless told. A
/// page that was there is replaced: it can be made again. So is whatever has the name that was told.
pub fn write(results: &[PathBuf], out: Option<&Path>) -> Result<PathBuf> {
    let beside = || results.first().map(|first| first.with_extension("html")).unwrap_or_default();
    let is_told = out.is_some();
    let out = out.map_or_else(beside, Path::to_owned);
    outcome::must_not_be_results(&out, results, "report.html")?;
    if !is_told {
        must_be_free(&out, results)?;
    }
    let runs: Vec<(String, Vec<Row>)> =
        results.iter().map(|path| Ok((name(path), crate::results::read(path)?))).collect::<Result<_>>()?;
    let runs: Vec<(&str, &[Row])> = runs.iter().map(|(name, rows)| (&**name, &**rows)).collect();
    outcome::replace(&out, &super::html(&runs))?;
    Ok(out)
}

/// Nobody named it, so what stands there may be dear to somebody, unless it is a page of ours.
fn must_be_free(out: &Path, results: &[PathBuf]) -> Result<()> {
    if std::fs::symlink_metadata(out).is_err() || is_page(out) {
        return Ok(());
    }
    let results: Vec<String> = results.iter().map(|path| path.display().to_string()).collect();
    let why = format!("\"{}\" is there already, and is no page of this lab", out.display());
    Err(Trouble::new(why).hint(format!("sealmark-lab report {} -o report.html", results.join(" "))))
}

/// Who wrote it stands in a page's head.
fn is_page(path: &Path) -> bool {
    let mut beginning = Vec::new();
    let is_read = path.is_file()
        && File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning)).is_ok();
    is_read && markup::is_ours(&beginning)
}

const BEGINNING: u64 = 4096;

/// The same for the verb `compare`: two results files, held against each other.
pub fn write_comparison<'a>(base: &Path, new: &Path, out: &'a Path) -> Result<&'a Path> {
    outcome::must_not_be_results(out, &[base.to_owned(), new.to_owned()], "comparison.html")?;
    let (old, young) = (crate::results::read(base)?, crate::results::read(new)?);
    let document = compare::document([(&name(base), &old), (&name(new), &young)]);
    outcome::replace(out, &super::html_of(document))?;
    Ok(out)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
