//! Logs under one pre-shared key, which the test program generates.

use sealmark::record::*;
use std::sync::OnceLock;

pub fn text(lines: OwnLines<'_>) -> &str {
    lines.text()
}

pub fn key() -> PreSharedKey {
    static KEY: OnceLock<PreSharedKey> = OnceLock::new();
    KEY.get_or_init(|| PreSharedKey::generate().unwrap()).clone()
}

pub fn readers() -> Readers {
    Readers::pre_shared(key())
}

pub fn opener() -> LogOpener {
    LogOpener::new(LogKeys::pre_shared(vec![key()]))
}

pub fn label() -> Label {
    Label::new("v").unwrap()
}
