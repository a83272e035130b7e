//! No ring of modules: a reader of one never needs to know the one that uses it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "common/modules.rs"]
mod modules;

use std::path::Path;

/// These crates are beside this one in the repository, and not in its package.
const CRATES: [&str; 4] = ["../sealmark-fields", "../sealmark-tracing", "../sealmark-jni", "../sealmark-cli"];

fn files(name: &str) -> Option<Vec<(String, String)>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(name).join("src");
    source.exists().then(|| modules::files(&source, &["tests.rs", "vectors.rs", "properties.rs", "shown.rs"]))
}

#[test]
fn no_ring_closes() {
    for files in ["."].into_iter().chain(CRATES).filter_map(files) {
        modules::assert_no_ring(&modules::uses(&files));
    }
}

/// A path through lib.rs would hide the module of an item.
#[test]
fn each_path_names_its_module() {
    let files = files(".").unwrap();
    for (file, code) in &files {
        let hidden =
            modules::paths(file, code).into_iter().find(|path| path[0].starts_with(char::is_uppercase));
        assert_eq!(hidden, None, "{file}");
    }
    let uses = modules::uses(&files);
    assert!(
        uses.len() > 35 && uses["kem"].contains("aead") && uses["record"].contains("record/opener"),
        "{} {uses:#?}",
        uses.len()
    );
    assert!(uses["record/opener"].contains("record/token"), "{uses:#?}");
}
