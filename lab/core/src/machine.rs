//! The machine that the figures were taken on.

use procfs_core::process::MountInfos;
use procfs_core::{CpuInfo, FromRead, Meminfo};
use serde::{Deserialize, Serialize};
use std::fs::read_to_string;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The facts a reader needs to judge a figure; what could not be learned is "unknown" or absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    pub cpu: String,
    pub flags: String,
    pub cores: u64,
    pub memory_bytes: Option<u64>,
    pub system: String,
    pub filesystem: String,
}

/// Looks around, with the scratch directory's file system.
pub fn look(scratch: &Path) -> Machine {
    let cpu = CpuInfo::from_file("/proc/cpuinfo").ok();
    let field = |names: [&str; 2]| names.iter().find_map(|name| cpu.as_ref()?.get_field(0, name));
    let mounts = MountInfos::from_file("/proc/self/mountinfo").ok();
    Machine {
        cpu: field(["model name", "Model"]).unwrap_or("unknown").to_owned(),
        flags: telling_flags(field(["flags", "Features"]).unwrap_or_default()),
        cores: std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64),
        memory_bytes: memory().map(|memory| memory.mem_total),
        system: system(),
        filesystem: mounts.and_then(|it| filesystem(it, scratch)).unwrap_or_else(|| "unknown".into()),
    }
}

/// The kernel's figures for its memory, in bytes.
pub fn memory() -> Option<Meminfo> {
    Meminfo::from_file("/proc/meminfo").ok()
}

/// The number in a file of the kernel's.
fn number(file: &str) -> Option<u64> {
    read_to_string(file).ok()?.trim().parse().ok()
}

/// MiB of free memory that the kernel has given back to its host, where it counts them.
pub fn reported_mib() -> Option<u64> {
    number("/sys/module/page_reporting/parameters/reported_kib").map(|kib| kib >> 10)
}

/// The clock of the first core in MHz, where the kernel tells it.
pub fn megahertz() -> Option<u64> {
    number("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq").map(|khz| khz / 1_000)
}

/// Bytes that programs wrote and that are not on the disk yet.
pub fn unwritten() -> u64 {
    memory().map_or(0, |memory| memory.dirty + memory.writeback)
}

/// The lab waits no longer than this for a program that writes more than a disk takes.
const MOST_PAUSES: usize = 100;

/// Waits a while for what a build, say, has left to be written: what is measured meanwhile would wait for the disk with it.
pub fn wait_for_the_disk(mut unwritten: impl FnMut() -> u64, pause: Duration) {
    (0..MOST_PAUSES).take_while(|_| unwritten() > 64 << 20).for_each(|_| std::thread::sleep(pause));
}

/// The flags that decide which code a cipher library runs.
fn telling_flags(flags: &str) -> String {
    const TELLING: [&str; 10] =
        ["aes", "pclmulqdq", "avx2", "avx512f", "vaes", "vpclmulqdq", "sha_ni", "pmull", "sha2", "sha512"];
    let is_there = |telling: &&str| flags.split_whitespace().any(|flag| flag == *telling);
    TELLING.into_iter().filter(is_there).collect::<Vec<_>>().join(" ")
}

fn system() -> String {
    let uname = rustix::system::uname();
    let part = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
    format!("{} {} {}", part(uname.sysname()), part(uname.release()), part(uname.machine()))
}

/// The type of the file system mounted nearest above a path; of two mounts on one place the later one is seen.
fn filesystem(mounts: MountInfos, path: &Path) -> Option<String> {
    let path = std::path::absolute(path).ok()?;
    let above = mounts.0.into_iter().filter(|mount| path.starts_with(&mount.mount_point));
    above.max_by_key(|mount| mount.mount_point.as_os_str().len()).map(|mount| mount.fs_type)
}

/// Bytes free for us where the scratch directory is.
pub fn free_space(path: &Path) -> Option<u64> {
    rustix::fs::statvfs(path).ok().map(|stat| stat.f_bavail * stat.f_frsize)
}

/// CPU time of the whole machine, in ticks (proc(5), stat): all of it, what it was busy, and what a virtual machine
/// asked for and did not get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticks {
    all: u64,
    busy: u64,
    stolen: u64,
}

/// The length of a tick as user space sees it, which is the same on every kernel (time(7), USER_HZ).
pub const TICK_NS: u64 = 10_000_000;

impl Ticks {
    pub fn now() -> Option<Self> {
        Self::parse(&read_to_string("/proc/stat").ok()?)
    }

    fn parse(stat: &str) -> Option<Self> {
        let ticks: Vec<u64> = stat.lines().next()?.split_whitespace().skip(1).flat_map(str::parse).collect();
        // user nice system idle iowait irq softirq steal; the guest times after them are counted in user already.
        let [user, nice, system, idle, iowait, irq, softirq, stolen] = *ticks.get(..8)? else { return None };
        let busy = user + nice + system + irq + softirq;
        Some(Self { all: busy + idle + iowait + stolen, busy, stolen })
    }

    /// The shares of a thousand ticks since then that were stolen, and that went to work which is not ours.
    pub fn permille_since(then: Option<Self>, own_ns: Option<u64>) -> [Option<u64>; 2] {
        let spent = Self::now().zip(then).map(|(now, then)| now.since(then));
        let others = spent.zip(own_ns).and_then(|(spent, own_ns)| spent.others_permille(own_ns));
        [spent.and_then(Self::stolen_permille), others]
    }

    /// The ticks that passed since then. The kernel's counters may step back a little.
    fn since(self, then: Self) -> Self {
        Self {
            all: self.all.saturating_sub(then.all),
            busy: self.busy.saturating_sub(then.busy),
            stolen: self.stolen.saturating_sub(then.stolen),
        }
    }

    /// The stolen ticks of a thousand.
    fn stolen_permille(self) -> Option<u64> {
        (self.stolen * 1000).checked_div(self.all)
    }

    /// The ticks of a thousand that went to work that is not ours; unknown for a time so short that a tick or two, by which the
    /// counters may be off, would be much of it.
    fn others_permille(self, own_ns: u64) -> Option<u64> {
        const FEWEST: u64 = 100;
        (self.all >= FEWEST).then(|| self.busy.saturating_sub(own_ns / TICK_NS) * 1000 / self.all)
    }
}

/// The commit the lab was built from, by its build script.
pub const COMMIT: &str = env!("SEALMARK_LAB_COMMIT");

/// Now, as RFC 3339 in UTC.
pub fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn the_nearest_mount_names_the_file_system() {
        let mounts = || MountInfos::from_read(MOUNTS.as_bytes()).unwrap();
        const MOUNTS: &str = "27 1 254:0 / / rw - ext4 /dev/vda rw\n\
                      28 27 0:25 / /dev/shm rw,x shared:3 - tmpfs none ro\n\
                      29 27 0:26 / /dev rw - devtmpfs dev rw\n";
        let kind = |path| filesystem(mounts(), Path::new(path)).unwrap();
        assert_eq!(["/dev/shm/a/b", "/dev/shmooze", "/home"].map(kind), ["tmpfs", "devtmpfs", "ext4"]);
        assert_eq!(filesystem(MountInfos(Vec::new()), Path::new("/home")), None);
    }

    #[test]
    fn ticks_are_shared_out_among_us_others_and_the_host() {
        let before = Ticks::parse("cpu  100 0 100 800 0 0 0 5 0 0\ncpu0 1").unwrap();
        let after = Ticks::parse("cpu  150 10 150 1600 90 5 5 15 50 0\n").unwrap();
        let spent = after.since(before);
        assert_eq!(spent, Ticks { all: 1020, busy: 120, stolen: 10 });
        assert_eq!(spent.stolen_permille(), Some(9));
        assert_eq!(spent.others_permille(500_000_000), Some(68));
        assert_eq!(spent.others_permille(5_000_000_000), Some(0));
        assert_eq!(Ticks { all: 99, ..spent }.others_permille(0), None);
        assert_eq!(before.since(after).stolen_permille(), None);
        assert_eq!(Ticks::parse("cpu 1 2 3"), None);
    }

    #[test]
    fn flags_that_decide_are_named() {
        assert_eq!(telling_flags("fpu aes avx512f vaes aesx"), "aes avx512f vaes");
    }

    #[test]
    fn a_disk_that_still_writes_is_waited_for_and_not_for_ever() {
        let asked = |sizes: &mut dyn FnMut(usize) -> u64| {
            let mut asked = 0;
            wait_for_the_disk(|| (sizes(asked), asked += 1).0, Duration::ZERO);
            asked
        };
        assert_eq!(asked(&mut |_| 1 << 20), 1);
        assert_eq!(asked(&mut |at| (200 << 20) >> at), 3);
        assert_eq!(asked(&mut |_| 1 << 30), 100);
    }

    #[test]
    fn this_machine_is_known() {
        let machine = look(Path::new("."));
        assert!(machine.memory_bytes.unwrap() > 0 && machine.cores > 0, "{machine:?}");
        assert_ne!(machine.filesystem, "unknown");
        assert!(free_space(Path::new(".")).unwrap() > 0 && Ticks::now().is_some() && memory().is_some());
    }
}
