//! The Java runtimes of this machine.

use crate::programs;
use crate::trouble::{Result, Trouble};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// One Java runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jdk {
    pub version: String,
    pub home: PathBuf,
}

impl Jdk {
    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }
}

/// Every runtime named by the caller, by JAVA_HOME, where Linux distributions put them and where `make jdks` does; of
/// two with the same version the first. Oldest first.
pub fn find(named: &[PathBuf]) -> Result<Vec<Jdk>> {
    if let Some(home) = named.iter().find(|home| look(home.to_path_buf()).is_none()) {
        let trouble = Trouble::new(format!("there is no JDK in \"{}\"", home.display()));
        return Err(
            trouble.hint("--java-home takes the directory that contains the file release and bin/java")
        );
    }
    let homes = named
        .iter()
        .cloned()
        .chain(std::env::var_os("JAVA_HOME").map(PathBuf::from))
        .chain(entries(Path::new("/usr/lib/jvm")))
        .chain(entries(&programs::target().join("jdks")))
        .chain(entries(Path::new("target/jdks")));
    Ok(among(homes))
}

fn among(homes: impl Iterator<Item = PathBuf>) -> Vec<Jdk> {
    let mut found: Vec<Jdk> = homes.filter_map(look).collect();
    let mut known = BTreeSet::new();
    found.retain(|jdk| known.insert(jdk.version.clone()));
    found.sort_by_key(|jdk| numbers(&jdk.version));
    found
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// A runtime says its version in a file beside its programs: no need to start it.
fn look(home: PathBuf) -> Option<Jdk> {
    let release = std::fs::read_to_string(home.join("release")).ok()?;
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    let jdk = Jdk { version: version.trim().trim_matches('"').to_owned(), home };
    (!jdk.version.is_empty() && jdk.java().is_file()).then_some(jdk)
}

/// A version as numbers, so that 17.0.9 comes before 17.0.15, and 1.8 after 7.
pub fn numbers(version: &str) -> Vec<u64> {
    let version = version.strip_prefix("1.").unwrap_or(version);
    version.split(|c: char| !c.is_ascii_digit()).flat_map(str::parse).collect()
}

/// "17" of "17.0.15", "8" of "1.8.0_372".
pub fn major(version: &str) -> u64 {
    numbers(version).first().copied().unwrap_or_default()
}

/// The JDKs a job asks for: by full version, by major version (the newest of those), or as "newest" and
/// "each" (the newest of every major version).
pub fn is_wanted(jdk: &Jdk, wanted: &[String], all: &[Jdk]) -> bool {
    wanted.is_empty()
        || wanted.iter().any(|word| match word.as_str() {
            "newest" => all.last() == Some(jdk),
            // The newest of each major version.
            "each" => newest_of(major(&jdk.version), all) == Some(jdk),
            version => {
                version == jdk.version
                    || version.parse().is_ok_and(|version| newest_of(version, all) == Some(jdk))
            }
        })
}

fn newest_of(version: u64, all: &[Jdk]) -> Option<&Jdk> {
    all.iter().rfind(|other| major(&other.version) == version)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn runtimes_are_told_by_their_release_file_and_sorted_by_number() {
        let directory = tempfile::tempdir().unwrap();
        for (name, release, java) in [
            ("a", "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"25.0.3\"\n", true),
            ("b", "JAVA_VERSION=\"9\"\n", true),
            ("c", "JAVA_VERSION=\"25.0.3\"\n", true),
            ("d", "JAVA_VERSION=\"21\"\n", false),
            ("e", "nothing\n", true),
        ] {
            let home = directory.path().join(name);
            std::fs::create_dir_all(home.join("bin")).unwrap();
            std::fs::write(home.join("release"), release).unwrap();
            if java {
                std::fs::write(home.join("bin/java"), "").unwrap();
            }
        }
        let found = among(entries(directory.path()).into_iter());
        let versions: Vec<_> = found.iter().map(|jdk| jdk.version.as_str()).collect();
        assert_eq!(versions, ["9", "25.0.3"]);
        assert_eq!(found[1].home, directory.path().join("a"));
    }

    #[test]
    fn a_place_without_a_runtime_is_trouble_where_it_was_named() {
        let directory = tempfile::tempdir().unwrap();
        let error = find(&[directory.path().into()]).unwrap_err().to_string();
        assert!(error.contains(&format!("there is no JDK in \"{}\"", directory.path().display())), "{error}");
    }

    #[test]
    fn versions_of_old_and_new_numbering_have_a_major_one() {
        let versions = ["1.8.0_372", "11.0.13", "12", "17.0.15+6", "21", "25-ea"];
        assert_eq!(versions.map(major), [8, 11, 12, 17, 21, 25]);
    }

    #[test]
    fn jobs_name_runtimes_by_version_or_place() {
        let all = ["11.0.2", "17.0.9", "17.0.15", "25"]
            .map(|version| Jdk { version: version.into(), home: "".into() });
        let wanted = |words: &[&str]| -> Vec<&str> {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            all.iter().filter(|jdk| is_wanted(jdk, &words, &all)).map(|jdk| jdk.version.as_str()).collect()
        };
        assert_eq!(wanted(&[]), ["11.0.2", "17.0.9", "17.0.15", "25"]);
        assert_eq!(wanted(&["17", "newest"]), ["17.0.15", "25"]);
        assert_eq!(wanted(&["11.0.2", "17.0.9", "8"]), ["11.0.2", "17.0.9"]);
        assert_eq!(wanted(&["each"]), ["11.0.2", "17.0.15", "25"]);
    }
}
