//! Tells the lab the commit it was built from, for its results: the directory it is run in may be of another one. And embeds the
//! directories of plans and publications.

use std::path::Path;
use std::process::Command;

fn main() {
    data().expect("the plans and publications of the lab can be read");
    println!("cargo::rustc-env=SEALMARK_LAB_COMMIT={}", commit().unwrap_or_else(|| "unknown".into()));
    println!("cargo::rustc-env=SEALMARK_LAB_COMPILED={}", compiled());
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

/// Lists of names and texts, in the order of names: plans, and publications with their conclusions.
fn data() -> std::io::Result<()> {
    let plan = |name: &str, path: &Path| format!("({name:?}, include_str!({path:?})),");
    let publication = |name: &str, path: &Path| {
        format!("({name:?}, include_str!({path:?}), include_str!({:?})),", path.with_extension("toml"))
    };
    let simulated = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/simulated.json");
    list("plans", "toml", "", plan)?;
    list("history", "json", &format!("#[cfg(test)] {}", publication("simulated", &simulated)), publication)
}

fn list(name: &str, ending: &str, more: &str, entry: impl Fn(&str, &Path) -> String) -> std::io::Result<()> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    println!("cargo::rerun-if-changed={}", directory.display());
    let mut files: Vec<_> =
        std::fs::read_dir(directory)?.map(|file| Ok(file?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|it| it == ending));
    files.sort();
    let listed =
        files.iter().map(|path| entry(&path.file_stem().unwrap_or_default().to_string_lossy(), path));
    let out = std::env::var_os("OUT_DIR").unwrap_or_default();
    let listed = listed.collect::<String>() + more;
    std::fs::write(Path::new(&out).join(name).with_extension("rs"), format!("&[{listed}]"))
}

/// "rustc 1.95.0, release build, opt-level 3, x86_64-unknown-linux-gnu", and flags besides.
fn compiled() -> String {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let build = if variable("DEBUG") == "true" || variable("OPT_LEVEL") == "0" { "debug" } else { "release" };
    let compiler = compiler().unwrap_or_else(|| "rustc".into());
    let (level, target) = (variable("OPT_LEVEL"), variable("TARGET"));
    let flags = variable("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " ");
    let flags = if flags.is_empty() { String::new() } else { format!(", flags {flags}") };
    format!("{compiler}, {build} build, opt-level {level}, {target}{flags}")
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
