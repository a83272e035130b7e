//! Sealmark.
