//! Tells the lab the commit it was built from, for its results: the directory it is run in may be of another one.

use std::process::Command;

fn main() {
    println!("cargo::rustc-env=SEALMARK_LAB_COMMIT={}", commit().unwrap_or_else(|| "unknown".into()));
    // Sources of the lab and of what it measures make the tree dirty.
    for sources in [".", "../engines", "../../crates"] {
        println!("cargo::rerun-if-changed={sources}");
    }
    for name in ["HEAD", "logs/HEAD", "index", "packed-refs"] {
        // A path that is not there would run this anew at every build.
        if let Some(path) = git(&["rev-parse", "--git-path", name])
            && std::path::Path::new(&path).exists()
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// None without git, and in a copy without a history of its own.
fn commit() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "Cargo.toml"])?;
    let commit = git(&["rev-parse", "--short", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changed.is_empty() { commit } else { format!("{commit}-dirty") })
}

fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
