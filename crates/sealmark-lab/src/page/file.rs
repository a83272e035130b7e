//! The verb `report`: results files in, those of other tools beside them, a page out. And the page of `compare`.

use super::comparison;
use crate::interchange::{self, Source};
use crate::outcome;
use crate::rows::{self, Row};
use crate::trouble::Result;
use std::path::{Path, PathBuf};

/// Writes the page of some results files, whole or not at all, and says where: beside the first of them, unless told. A
/// page that was there is replaced: it can be made again.
pub fn write(results: &[PathBuf], out: Option<&Path>) -> Result<PathBuf> {
    let beside = || results.first().map(|first| first.with_extension("html")).unwrap_or_default();
    let out = out.map_or_else(beside, Path::to_owned);
    outcome::must_not_be_results(&out, results, "report.html")?;
    let (mut runs, mut elsewhere) = (Vec::new(), Vec::new());
    for path in results {
        match interchange::read(path)? {
            Source::Run(rows) => runs.push((name(path), rows)),
            Source::Elsewhere(file) => elsewhere.push(file),
        }
    }
    let runs: Vec<(&str, &[Row])> = runs.iter().map(|(name, rows)| (&**name, &**rows)).collect();
    outcome::replace(&out, &super::html(&runs, &elsewhere))?;
    Ok(out)
}

/// The same for the verb `compare`: two results files, held against each other.
pub fn write_comparison<'a>(base: &Path, new: &Path, out: &'a Path) -> Result<&'a Path> {
    outcome::must_not_be_results(out, &[base.to_owned(), new.to_owned()], "comparison.html")?;
    let (old, young) = (rows::read(base)?, rows::read(new)?);
    let page = comparison::html([(&name(base), &old), (&name(new), &young)]);
    outcome::replace(out, &page)?;
    Ok(out)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
