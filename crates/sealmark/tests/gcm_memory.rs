//! Opening takes the same memory for any size of payload. The test is alone in its process, whose peak it measures.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;

use common::workspace;
use sealmark::{Job, gcm};
use std::fs::{self, File};

/// The bound in spec/file.md, "Payloads of one tag".
const PROMISED: u64 = 64 << 20;

#[test]
fn a_payload_many_times_larger_than_the_promise_is_opened_within_it() {
    let workspace = workspace();
    let (plain, sealed, opened) =
        (workspace.path("plain"), workspace.path("sealed"), workspace.path("opened"));
    let length = 4 * PROMISED + 1;
    File::create(&plain).unwrap().set_len(length).unwrap();
    let key = gcm::Key::new(&[7; 16]).unwrap();
    gcm::seal_file(&plain, &sealed, &key, &Job::default()).unwrap();
    gcm::open_file(&sealed, &opened, &key, &Job::default()).unwrap();
    assert_eq!(fs::metadata(&opened).unwrap().len(), length);
    assert!(peak_bytes() < PROMISED, "{} bytes", peak_bytes());
    let mut input = File::open(&sealed).unwrap();
    gcm::open_seekable(&mut input, std::io::sink(), &key, &Job::default()).unwrap();
    assert!(peak_bytes() < PROMISED, "{} bytes", peak_bytes());
    gcm::verify_stream(File::open(&sealed).unwrap(), &key, &Job::default()).unwrap();
    assert!(peak_bytes() < PROMISED, "{} bytes", peak_bytes());
}

/// The largest resident set so far.
fn peak_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
