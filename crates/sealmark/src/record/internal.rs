//! The opener's view of a line, for the crates of this repository that have to share it. It may change in any version.

pub use super::escape::{escape, escape_breaks, is_json_text, object_in, read_escape, string_in};
pub use super::levels::Levels;
