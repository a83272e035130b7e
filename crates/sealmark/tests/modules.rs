//! No ring of modules: whoever reads one never needs to know the one that uses it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "common/modules.rs"]
mod modules;

use std::path::Path;

#[test]
fn no_ring_closes() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = modules::files(&source, &["tests.rs", "vectors.rs", "properties.rs"]);
    for (file, code) in &files {
        // A path by way of lib.rs would hide its module.
        let hidden = modules::named(code).into_iter().find(|name| name.starts_with(char::is_uppercase));
        assert_eq!(hidden, None, "{file}: name the module");
    }
    let uses = modules::uses(&files);
    assert!(uses.len() > 15 && uses["kem"].contains("aead") && uses["open"].contains("key"), "{uses:#?}");
    modules::assert_no_ring(&uses);
}
