//! The verb `report`: a results file in, a page out. And the page of `compare`.

use super::markup;
use crate::compare;
use crate::outcome;
use crate::trouble::{Result, Trouble};
use std::path::{Path, PathBuf};

/// Writes the page of a results file, whole or not at all, and says where: beside it, unless told. A page that was there is
/// replaced: it can be made again. So is whatever has the name that was told.
pub fn write(results: &Path, out: Option<&Path>) -> Result<PathBuf> {
    let is_told = out.is_some();
    let out = out.map_or_else(|| results.with_extension("html"), Path::to_owned);
    outcome::must_not_be_results(&out, &[results.to_owned()], "report.html")?;
    if !is_told {
        must_be_free(&out, results)?;
    }
    outcome::replace(&out, &super::html(&name(results), &crate::results::read(results)?))?;
    Ok(out)
}

/// Nobody named it, so what stands there may be dear to somebody, unless it is a page of ours.
fn must_be_free(out: &Path, results: &Path) -> Result<()> {
    let is_page = || std::fs::read(out).is_ok_and(|page| page.starts_with(markup::BEGINNING.as_bytes()));
    if std::fs::symlink_metadata(out).is_err() || out.is_file() && is_page() {
        return Ok(());
    }
    let why = format!("\"{}\" is there already, and is no page of this lab", out.display());
    Err(Trouble::new(why).hint(format!("sealmark-lab report {} -o report.html", results.display())))
}

/// The same for the verb `compare`: two results files, held against each other.
pub fn write_comparison<'a>(base: &Path, new: &Path, out: &'a Path) -> Result<&'a Path> {
    outcome::must_not_be_results(out, &[base.to_owned(), new.to_owned()], "comparison.html")?;
    let (old, young) = (crate::results::read(base)?, crate::results::read(new)?);
    let document = compare::document([(&name(base), &old), (&name(new), &young)]);
    outcome::replace(out, &super::html_of(&document, "", &[]))?;
    Ok(out)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
