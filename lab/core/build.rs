//! Tells the lab the commit it was built from, for its results: the directory it is run in may be of another one. And embeds the
//! directory of plans.

use std::path::Path;
use std::process::Command;

fn main() {
    plans().expect("the plans of the lab can be read");
    println!("cargo::rustc-env=SEALMARK_LAB_COMMIT={}", commit().unwrap_or_else(|| "unknown".into()));
    println!("cargo::rustc-env=SEALMARK_LAB_COMPILER={}", compiler().unwrap_or_else(|| "unknown".into()));
    // Sources of the lab and of what it measures make the tree dirty.
    for sources in [".", "../engines", "../../crates"] {
        println!("cargo::rerun-if-changed={sources}");
    }
    for name in ["HEAD", "logs/HEAD", "index", "packed-refs"] {
        // A path that is not there would run this anew at every build.
        if let Some(path) = git(&["rev-parse", "--git-path", name])
            && Path::new(&path).exists()
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// A list of names and texts, in the order of names.
fn plans() -> std::io::Result<()> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plans");
    println!("cargo::rerun-if-changed={}", directory.display());
    let mut plans: Vec<_> =
        std::fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    plans.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    plans.sort();
    let listed = plans.iter().map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        format!("({name:?}, include_str!({path:?})),")
    });
    let out = std::env::var_os("OUT_DIR").unwrap_or_default();
    std::fs::write(Path::new(&out).join("plans.rs"), format!("&[{}]", listed.collect::<String>()))
}

/// "rustc 1.95.0".
fn compiler() -> Option<String> {
    let output = Command::new(std::env::var_os("RUSTC")?).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
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
