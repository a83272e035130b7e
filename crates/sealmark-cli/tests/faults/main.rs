//! The program while its environment fails: it is killed, the disk is full, the input changes, the reader goes away,
//! the file is hostile. It reports each failure that it survives, and leaves nothing incomplete.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod changing_input;
mod every_call;
mod file_systems;
mod folders;
mod full_disk;
mod hostile;
mod killed;
mod log_chain;
mod log_config;
mod log_follow;
mod log_forger;
mod log_full;
mod log_hang_up;
mod log_hostile;
mod log_killed;
mod log_period;
mod log_roll_over;
mod log_room;
mod log_server;
mod log_signals;
mod log_soak;
mod log_tcp;
mod memory;
mod mounts;
mod odd_names;
mod ranges;
mod room;
mod standard_streams;
mod watched;
