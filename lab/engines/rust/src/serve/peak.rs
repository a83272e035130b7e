//! The most memory that this process has had at a time.

/// Forgets this process's peak so far, so that the next one is the next operation's own (proc(5), clear_refs).
/// Where that cannot be done the peak only ever grows, which overstates but never hides.
pub fn reset() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The largest resident set of this process, where the system tells.
pub fn bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    kilobytes.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use std::hint::black_box;
    use std::process::Command;

    /// In a process of its own: other tests touch memory, too.
    #[test]
    fn the_peak_is_what_was_touched_and_is_forgotten() {
        const ALONE: &str = "SEALMARK_LAB_TEST_ALONE";
        if std::env::var_os(ALONE).is_none() {
            let name = "serve::peak::tests::the_peak_is_what_was_touched_and_is_forgotten";
            let mut alone = Command::new(std::env::current_exe().unwrap());
            let output = alone.args(["--exact", name]).env(ALONE, "1").output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout).replace('\n', "\n    ");
            assert!(output.status.success() && said.contains("1 passed"), "{said}");
            return;
        }
        let touched = black_box(vec![1u8; 256 << 20]);
        assert!(bytes().unwrap() > 256 << 20);
        drop(touched);
        reset();
        assert!(bytes().unwrap() < 128 << 20);
    }
}
