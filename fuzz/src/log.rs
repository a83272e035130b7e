//! Whole logs, opened with a key that the fuzzer knows: the result is the same at once and line by line, twice and in another
//! order.

use sealmark::record::{LogKeys, LogOpener, PreSharedKey, Report};

const SECRET_KEY: &str = include_str!("log_key");

/// Takes a log; returns true if a token in it opened and none was tampered with.
pub fn log(data: &[u8]) -> bool {
    let mut opened = Vec::new();
    let report = opener().open(data, &mut opened);
    let (mut opener, mut sum, mut by_line) = (opener(), Report::default(), Vec::new());
    opener.learn(data);
    for line in data.split_inclusive(|byte| *byte == b'\n') {
        sum += opener.open(line, &mut by_line);
    }
    assert!(opened == by_line && report == sum, "line by line otherwise");
    for session in report.sessions.values() {
        let missing: u64 = session.missing().iter().map(|run| run.end - run.start).sum();
        if let Some(closing) = session.closing {
            assert_eq!(session.values() + missing, closing + session.not_counted(), "values do not add up");
        }
    }
    report.opened > 0 && report.tampered + report.orphans + report.no_key + report.not_text == 0
}

fn opener() -> LogOpener {
    let key: PreSharedKey = SECRET_KEY.trim().parse().expect("the fixed key is a key");
    LogOpener::new(LogKeys::pre_shared(vec![key]))
}
