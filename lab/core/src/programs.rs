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

/// Where a program is: beside the lab (our own build), among the installed peers, or on PATH.
pub fn find(program: &str) -> Option<PathBuf> {
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
