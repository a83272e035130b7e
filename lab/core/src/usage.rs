//! CPU time and memory of this process and of the programs it ran, from the operating system.

use crate::machine::TICK_NS;
use procfs_core::FromRead;
use procfs_core::process::Stat;
use serde::{Deserialize, Serialize};
use std::io;
use std::process::{Child, ExitStatus};

/// The use of CPU and memory by operations, as far as one knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    pub cpu_ns: Option<u64>,
    pub allocated_bytes: Option<u64>,
    pub gc_ns: Option<u64>,
    /// The most memory of the whole process.
    pub peak_bytes: Option<u64>,
}

impl Used {
    pub fn of(cpu_ns: Option<u64>, peak_bytes: Option<u64>) -> Self {
        Self { cpu_ns, peak_bytes, ..Self::default() }
    }
}

/// User and system time of this process so far, all threads.
pub fn own_cpu_ns() -> Option<u64> {
    cpu_ns_of(libc::RUSAGE_SELF)
}

/// The same with all processes it started, and theirs: those it has waited for, and, where the system tells (proc(5)),
/// those that live. One that is waited for later is then counted among the former, with the children it waited for.
pub fn family_cpu_ns() -> Option<u64> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes: Vec<Stat> =
        entries.filter_map(|it| Stat::from_file(it.path().join("stat")).ok()).collect();
    let living = descendants_ticks(std::process::id() as i32, &processes) * TICK_NS;
    Some(own_cpu_ns()? + cpu_ns_of(libc::RUSAGE_CHILDREN)? + living)
}

/// The time of children, theirs, and that of the children they have waited for.
fn descendants_ticks(ancestor: i32, processes: &[Stat]) -> u64 {
    let children = processes.iter().filter(|living| living.ppid == ancestor);
    let ticks =
        |child: &Stat| child.utime + child.stime + child.cutime.saturating_add(child.cstime).max(0) as u64;
    children.map(|child| ticks(child) + descendants_ticks(child.pid, processes)).sum()
}

#[allow(unsafe_code, reason = "getrusage fills the structure it is given, and nothing else")]
fn cpu_ns_of(who: libc::c_int) -> Option<u64> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is valid for one rusage; zeroes are a valid rusage should the call fail.
    let (code, usage) = unsafe { (libc::getrusage(who, usage.as_mut_ptr()), usage.assume_init()) };
    (code == 0).then(|| cpu_ns(&usage))
}

/// Waits for a program and tells what it used. The kernel carries the peak of the process that started a program over
/// into the program's own, so whoever calls this must be small: the adapter is a process of its own and reads no file.
#[allow(unsafe_code, reason = "the standard library's wait forgets the resource usage that wait4 returns")]
pub fn wait(child: &mut Child) -> io::Result<(ExitStatus, Used)> {
    use std::os::unix::process::ExitStatusExt;
    drop(child.stdin.take());
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: both pointers are valid for the call; the child is ours and not yet waited for.
    while unsafe { libc::wait4(child.id() as libc::pid_t, &mut status, 0, usage.as_mut_ptr()) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    // SAFETY: zeroes are a valid rusage, and what the kernel writes is one.
    let usage = unsafe { usage.assume_init() };
    Ok((ExitStatus::from_raw(status), Used::of(Some(cpu_ns(&usage)), Some(usage.ru_maxrss as u64 * 1024))))
}

fn cpu_ns(usage: &libc::rusage) -> u64 {
    let nanoseconds = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000;
    nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use std::hint::black_box;
    use std::process::Command;

    const ALONE: &str = "SEALMARK_LAB_TEST_ALONE";

    /// In a process of its own: other tests touch memory and start programs, too.
    fn is_alone(name: &str) -> bool {
        if std::env::var_os(ALONE).is_some() {
            return true;
        }
        let mut alone = Command::new(std::env::current_exe().unwrap());
        let output = alone.args(["--exact", name]).env(ALONE, "1").output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).replace('\n', "\n    ");
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        false
    }

    #[test]
    fn burnt_cpu_time_is_seen() {
        // Burns until it shows, not for a set time: on a busy machine this thread may hardly run.
        let (before, start) = (own_cpu_ns().unwrap(), std::time::Instant::now());
        while own_cpu_ns().unwrap() - before < 20_000_000 {
            black_box((0..1000u64).sum::<u64>());
            assert!(start.elapsed().as_secs() < 60, "no CPU time in 60 s");
        }
    }

    const BURN: &str = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
    /// So much is it at least: a third of what two cores of 2026 take.
    const BURNT_NS: u64 = 100_000_000;

    /// Runs a script until it says that it is done, and then lets it end: what the family used up to then, and after.
    fn family_while(script: &str) -> [u64; 2] {
        use std::io::Read;
        let before = family_cpu_ns().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = shell.spawn().unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let living = family_cpu_ns().unwrap() - before;
        wait(&mut child).unwrap();
        [living, family_cpu_ns().unwrap() - before]
    }

    #[test]
    fn a_child_that_lives_is_family_once_and_a_stranger_is_not() {
        if !is_alone("usage::tests::a_child_that_lives_is_family_once_and_a_stranger_is_not") {
            return;
        }
        let told = "; echo; read _";
        for burning in [format!("{BURN}{told}"), format!("sh -c '{BURN}'; true{told}")] {
            let [living, waited_for] = family_while(&burning);
            assert!(living >= BURNT_NS, "{burning}: {living} ns");
            // Where it is waited for, the kernel counts finer than in ticks.
            assert!(waited_for.abs_diff(living) < BURNT_NS / 2, "{burning}: {living}, then {waited_for} ns");
        }
        // Its starter has ended, so that it belongs to nobody here.
        let orphan = format!("({BURN}; echo) & exec 1>&-");
        assert!(family_while(&orphan)[1] < BURNT_NS / 2);
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
