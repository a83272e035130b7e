//! Where programs are, and what those of this project are asked for.

use crate::trouble::{Result, because};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program that is the engine of all libraries in Rust; it stands beside the lab's.
pub const RUST: &str = "sealmark-lab-rust";

/// Runs a program that stands beside this one, so that no other version judges, and returns what it prints.
pub fn run(program: &str, words: &[&str], files: &[&Path]) -> Result<Vec<u8>> {
    let failed = |why: &str| because(format!("{program} {}", words[0]), why);
    let ended = Command::new(own().with_file_name(program)).args(words).args(files).output();
    let ended = ended.map_err(|error| failed(&error.to_string()).hint("make engines"))?;
    let why = String::from_utf8_lossy(&ended.stderr);
    let why = why.split_once(": ").map_or(&*why, |(_, why)| why).lines().next().unwrap_or_default();
    if ended.status.success() { Ok(ended.stdout) } else { Err(failed(why)) }
}

/// This program.
pub fn own() -> PathBuf {
    std::env::current_exe().unwrap_or_default()
}

/// The directory of builds, two above this program.
pub fn target() -> PathBuf {
    own().parent().and_then(Path::parent).unwrap_or(Path::new("target")).to_owned()
}

/// A word of a stanza with its placeholders filled in: those of every stanza, and more.
pub fn filled(word: &str, more: &[(&str, &Path)]) -> String {
    let (lab, target) = (own(), target());
    let rust = lab.with_file_name(RUST);
    let all = [("{lab}", &*lab), ("{rust}", &*rust), ("{target}", &*target)];
    let fill = |word: String, (name, path): &(&str, &Path)| word.replace(name, &path.display().to_string());
    all.iter().chain(more).fold(word.to_owned(), fill)
}

/// Where a program is: beside the lab (our own build), among the installed peers, or on PATH. "$VARIABLE/name" is first of all
/// the file that the variable names, if its name begins so.
pub fn find(program: &str) -> Option<PathBuf> {
    let (variable, program) =
        program.strip_prefix('$').and_then(|words| words.split_once('/')).unwrap_or(("", program));
    let named = std::env::var_os(variable).and_then(|path| PathBuf::from(path).canonicalize().ok());
    let is_it = |path: &PathBuf| path.file_name()?.to_str()?.starts_with(program).then_some(());
    let named = named.filter(|path| is_it(path).is_some());
    let beside = own().parent().map(Path::to_owned);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let peers = [target().join("peers/bin"), PathBuf::from("target/peers/bin")];
    let name = filled(program, &[]);
    let places = beside.into_iter().chain(peers).chain(std::env::split_paths(&path));
    let mut programs = named.into_iter().chain(places.map(|directory| directory.join(&name)));
    programs.find(|candidate| candidate.is_file())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn a_program_that_is_missing_or_complains_is_named() {
        let missing = run("sealmark-of-nobody", &["keygen"], &[]).unwrap_err().to_string();
        assert!(missing.starts_with("sealmark-of-nobody keygen: No such file or directory"), "{missing}");
        assert!(missing.ends_with("\nhint: make engines"), "{missing}");
        // The program of these tests stands beside itself.
        let name = own().file_name().unwrap().to_str().unwrap().to_owned();
        let complaint = run(&name, &["--no-such-option"], &[]).unwrap_err().to_string();
        assert_eq!(complaint, format!("{name} --no-such-option: Unrecognized option: 'no-such-option'"));
        assert!(String::from_utf8(run(&name, &["--help"], &[]).unwrap()).unwrap().starts_with("Usage: "));
    }
}
