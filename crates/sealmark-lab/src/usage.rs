//! CPU time and memory of this process and of the programs it ran, from the operating system.

use std::io;
use std::process::{Child, ExitStatus};

/// What a finished program used.
#[derive(Debug, Clone, Copy, Default)]
pub struct Used {
    pub cpu_ns: Option<u64>,
    pub peak_bytes: Option<u64>,
}

/// User and system time of this process so far, all threads.
#[cfg(unix)]
pub fn own_cpu_ns() -> Option<u64> {
    cpu_ns_of(libc::RUSAGE_SELF)
}

/// The same with all processes it started and has waited for, and theirs.
#[cfg(unix)]
pub fn family_cpu_ns() -> Option<u64> {
    Some(own_cpu_ns()? + cpu_ns_of(libc::RUSAGE_CHILDREN)?)
}

#[cfg(unix)]
#[allow(unsafe_code, reason = "getrusage fills the structure it is given, and nothing else")]
fn cpu_ns_of(who: libc::c_int) -> Option<u64> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is valid for one rusage; zeroes are a valid rusage should the call fail.
    let (code, usage) = unsafe { (libc::getrusage(who, usage.as_mut_ptr()), usage.assume_init()) };
    (code == 0).then(|| cpu_ns(&usage))
}

/// Unknown where there is no getrusage.
#[cfg(not(unix))]
pub fn own_cpu_ns() -> Option<u64> {
    None
}

/// Unknown where there is no getrusage.
#[cfg(not(unix))]
pub fn family_cpu_ns() -> Option<u64> {
    None
}

/// Waits for a program and tells what it used. The kernel carries the peak of the process that started a program over
/// into the program's own, so whoever calls this must be small: the adapter is a process of its own and reads no file.
#[cfg(unix)]
#[allow(unsafe_code, reason = "the standard library's wait forgets the resource usage that wait4 returns")]
pub fn wait(child: &mut Child) -> io::Result<(ExitStatus, Used)> {
    use std::os::unix::process::ExitStatusExt;
    drop(child.stdin.take());
    let mut status = 0;
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: both pointers are valid for the call; the child is ours and not yet waited for.
        let (pid, usage) = unsafe {
            (libc::wait4(child.id() as libc::pid_t, &mut status, 0, usage.as_mut_ptr()), usage.assume_init())
        };
        if pid >= 0 {
            let used = Used { cpu_ns: Some(cpu_ns(&usage)), peak_bytes: Some(peak_bytes(&usage)) };
            return Ok((ExitStatus::from_raw(status), used));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Only the exit status is known here.
#[cfg(not(unix))]
pub fn wait(child: &mut Child) -> io::Result<(ExitStatus, Used)> {
    Ok((child.wait()?, Used::default()))
}

#[cfg(unix)]
fn cpu_ns(usage: &libc::rusage) -> u64 {
    let nanoseconds = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000;
    nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime)
}

#[cfg(unix)]
fn peak_bytes(usage: &libc::rusage) -> u64 {
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    usage.ru_maxrss as u64 * unit
}

/// Forgets this process's peak so far, so that the next one is the next operation's own (proc(5), clear_refs).
/// Where that cannot be done the peak only ever grows, which overstates but never hides.
pub fn reset_own_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The largest resident set of this process, where the system tells.
pub fn own_peak_bytes() -> Option<u64> {
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

    const ALONE: &str = "SEALMARK_LAB_TEST_ALONE";

    #[test]
    fn burnt_cpu_time_is_seen() {
        // Burns until it shows, not for a set time: on a busy machine this thread may hardly run.
        let (before, start) = (own_cpu_ns().unwrap(), std::time::Instant::now());
        while own_cpu_ns().unwrap() - before < 20_000_000 {
            black_box((0..1000u64).sum::<u64>());
            assert!(start.elapsed().as_secs() < 60, "no CPU time in 60 s");
        }
    }

    #[test]
    fn the_peak_is_what_was_touched_and_is_forgotten() {
        // In a process of its own: other tests touch memory too.
        if std::env::var_os(ALONE).is_none() {
            let name = "usage::tests::the_peak_is_what_was_touched_and_is_forgotten";
            let mut alone = Command::new(std::env::current_exe().unwrap());
            let output = alone.args(["--exact", name]).env(ALONE, "1").output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout).replace('\n', "\n    ");
            assert!(output.status.success() && said.contains("1 passed"), "{said}");
            return;
        }
        let touched = black_box(vec![1u8; 256 << 20]);
        assert!(own_peak_bytes().unwrap() > 256 << 20);
        drop(touched);
        reset_own_peak();
        assert!(own_peak_bytes().unwrap() < 128 << 20);
    }

    #[test]
    fn a_program_is_waited_for_with_its_status_and_its_own_figures() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 3"]);
        let mut child = shell.spawn().unwrap();
        let (status, used) = wait(&mut child).unwrap();
        assert_eq!(status.code(), Some(3));
        assert!(used.cpu_ns.unwrap() > 1_000_000, "{used:?}");
        assert!(used.peak_bytes.unwrap() > 100_000, "{used:?}");
        assert!(family_cpu_ns().unwrap() - own_cpu_ns().unwrap() > 1_000_000);
    }
}
