//! What was published elsewhere (lab/history), beside today's figures.

pub mod conclusions;
pub mod fate;
pub mod log_tuning;
pub mod nkcryptotool;

pub use nkcryptotool::Then;
