//! Where programs are.

use std::path::{Path, PathBuf};

/// The program that is the engine of all libraries in Rust; it stands beside the lab's.
pub const RUST: &str = "sealmark-lab-rust";

/// The directory of builds, two above this program.
pub fn target() -> PathBuf {
    let own = std::env::current_exe().ok();
    own.as_deref().and_then(Path::parent).and_then(Path::parent).unwrap_or(Path::new("target")).to_owned()
}

/// A word of a stanza with `{target}` filled in.
pub fn in_target(word: &str) -> String {
    word.replace("{target}", &target().display().to_string())
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
    let beside = own.as_deref().and_then(Path::parent).map(Path::to_owned);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let peers = [target().join("peers/bin"), PathBuf::from("target/peers/bin")];
    let name = in_target(program);
    let places = beside.into_iter().chain(peers).chain(std::env::split_paths(&path));
    let mut programs = places.map(|directory| directory.join(&name));
    programs.find(|candidate| candidate.is_file())
}
