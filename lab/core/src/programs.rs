//! Where programs are.

use std::path::{Path, PathBuf};

/// The program that is the engine of all libraries in Rust; it stands beside the lab's.
pub const RUST: &str = "sealmark-lab-rust";

/// A word of a stanza with `{target}`, the directory of builds, filled in.
pub fn in_target(word: &str) -> String {
    let own = std::env::current_exe().ok();
    let target = own.as_deref().and_then(Path::parent).and_then(Path::parent).unwrap_or(Path::new("target"));
    word.replace("{target}", &target.display().to_string())
}

/// Where a program is: beside the lab (our own build), among the installed peers, or on PATH. "$VARIABLE/name" is first of all
/// the file that the variable names, if its name begins so.
pub fn find(program: &str) -> Option<PathBuf> {
    let (variable, program) =
        program.strip_prefix('$').and_then(|words| words.split_once('/')).unwrap_or(("", program));
    let named = std::env::var_os(variable).and_then(|path| PathBuf::from(path).canonicalize().ok());
    let is_it = |path: &PathBuf| path.file_name()?.to_str()?.starts_with(program).then_some(());
    if let Some(named) = named.filter(|path| path.is_file() && is_it(path).is_some()) {
        return Some(named);
    }
    let own = std::env::current_exe().ok();
    let beside = own.as_deref().and_then(Path::parent);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = beside
        .map(Path::to_owned)
        .into_iter()
        .chain(beside.map(|directory| directory.join("../peers/bin")))
        .chain([PathBuf::from("target/peers/bin")])
        .chain(std::env::split_paths(&path));
    let name = in_target(program);
    places.map(|directory| directory.join(&name)).find(|candidate| candidate.is_file())
}
