//! A day of a service, faster: traffic that rises and falls, a session each hour, files that are renamed and truncated,
//! other recipients, restarts, kills, a full disk and a clock that is wrong. Every line is in the log once and in
//! order.
//!
//! The lines go through a pipe that outlives the sealer, like a FIFO of a pod or a socket of systemd. A kill (-9) costs
//! at most the lines that the killed sealer had taken out of the pipe and not yet written, which is two reads of 256
//! KiB. They are in one piece, after all lines in the log. Nothing that is still in the pipe is lost. If a kill ends a
//! read within a line, the rest of that line is a line of its own, sealed as a whole.

use crate::log_room::{SECRET, nonces_are_unique, opened, text, until};
use crate::mounts::{found, inside, mount, skip};
use crate::room::Room;
use rustix::process::{Pid, Signal, kill_process};
use sealmark::Identity;
use sealmark::record::{LogKeys, LogOpener};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The length of every line in bytes.
const LINE: usize = 200;
/// Lines in one write, which the kernel does not split (PIPE_BUF).
const BATCH: usize = 20;
/// The most lines that a killed sealer can have taken without writing them.
const MOST_LOST: usize = 2 * (1 << 18) / LINE;
/// The most that a sealer's memory may grow, in KiB: while the disk has space, and while the sealer gathers lines on a
/// full disk.
const FLAT: u64 = 4 << 10;
const GATHERED: u64 = 16 << 10;

#[derive(Clone, Copy)]
enum Event {
    Rename,
    CopyAndCut,
    HangUp,
    Idle,
    Restart,
    Kill,
    FullDisk,
    FullStart,
    Clock(i64),
}

use Event::{Clock, CopyAndCut, FullDisk, FullStart, HangUp, Idle, Kill, Rename, Restart};

/// One event an hour.
const DAY: [Event; 24] = [
    HangUp,
    Rename,
    Clock(86_400),
    Idle,
    Rename,
    CopyAndCut,
    Restart,
    Kill,
    Rename,
    HangUp,
    FullDisk,
    Clock(-172_800),
    Restart,
    CopyAndCut,
    Kill,
    HangUp,
    FullDisk,
    Rename,
    Restart,
    FullStart,
    Kill,
    HangUp,
    Clock(31_536_000),
    Rename,
];
const SHORT: [Event; 10] =
    [HangUp, Rename, Kill, Idle, CopyAndCut, Restart, FullDisk, FullStart, Clock(-172_800), Kill];

/// Each hour takes a second, and each kind of event happens.
#[test]
fn a_few_hours() {
    let name = "log_soak::a_few_hours";
    if inside(name) {
        Day { hour: Duration::from_secs(1), rate: 4000, full: Duration::from_secs(2) }.pass(name, &SHORT);
    }
}

#[test]
#[ignore = "864 seconds: 24 hours at 100 times the speed"]
fn a_day_at_a_hundred_times_the_speed() {
    let name = "log_soak::a_day_at_a_hundred_times_the_speed";
    if inside(name) {
        Day { hour: Duration::from_secs(36), rate: 400, full: Duration::from_secs(8) }.pass(name, &DAY);
    }
}

struct Day {
    hour: Duration,
    /// Lines per second, on average.
    rate: u64,
    /// The time for which the disk is full.
    full: Duration,
}

impl Day {
    fn pass(&self, name: &str, events: &[Event]) {
        let room = Room::new();
        let Some(clock) = lying_clock(&room) else { return skip(name, "no C compiler here") };
        mount(&["-t", "tmpfs", "-o", "size=64m", "none"], &room.work());
        let service = Service::new(&room, clock, self.hour);
        let start = Instant::now();
        thread::scope(|scope| {
            scope.spawn(|| write(&service.traffic));
            scope.spawn(|| watch(&service.watched, start));
            // This ends both threads, even if a step fails.
            let _end = Finally(&service.traffic.done, &service.watched.done);
            let mut seen = Seen::default();
            for (hour, event) in events.iter().enumerate() {
                let share = (hour as f64 / events.len() as f64 * std::f64::consts::TAU).cos();
                let rate = (self.rate as f64 * (1.0 - 0.8 * share)) as u64;
                service.traffic.rate.store(rate, Ordering::Relaxed);
                service.happens(*event, self, &mut seen);
                thread::sleep(
                    (start + self.hour * (hour as u32 + 1)).saturating_duration_since(Instant::now()),
                );
            }
            service.level();
            service.stop(&mut seen);
            service.check(&seen, events.len());
        });
    }
}

/// Notes for the check at the end.
#[derive(Default)]
struct Seen {
    /// For each killed sealer, the first line of which it had taken nothing, and what it left of the line before.
    kills: Vec<(usize, String)>,
    restarts: usize,
    full: usize,
}

struct Finally<'a>(&'a AtomicBool, &'a AtomicBool);

impl Drop for Finally<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        self.1.store(true, Ordering::Relaxed);
    }
}

/// The writer of lines into the pipe.
struct Traffic {
    pipe: Mutex<File>,
    rate: AtomicU64,
    written: AtomicU64,
    done: AtomicBool,
}

fn line(number: usize) -> String {
    let start = format!("n={number:010} ip={SECRET}-{number:010}; ");
    format!("{start}{}\n", "x".repeat(LINE - 1 - start.len()))
}

fn write(traffic: &Traffic) {
    let (start, mut due) = (Instant::now(), 0.0);
    let mut last = start;
    while !traffic.done.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(10));
        due += traffic.rate.load(Ordering::Relaxed) as f64 * last.elapsed().as_secs_f64();
        last = Instant::now();
        while due >= BATCH as f64 {
            let mut pipe = traffic.pipe.lock().unwrap();
            // During a pause, no line is written.
            if traffic.rate.load(Ordering::Relaxed) == 0 {
                break;
            }
            let first = traffic.written.load(Ordering::Relaxed) as usize;
            let lines: String = (first..first + BATCH).map(line).collect();
            match pipe.write(lines.as_bytes()) {
                Ok(length) => assert_eq!(length, lines.len()),
                // A service would wait here; the test does not make up for these lines later.
                Err(_) => {
                    due = 0.0;
                    break;
                }
            }
            traffic.written.fetch_add(BATCH as u64, Ordering::Relaxed);
            due -= BATCH as f64;
        }
    }
}

/// Samples of the memory of one sealer after another: its process, the time, KiB, and if it gathers lines.
#[derive(Default)]
struct Watch {
    id: AtomicU32,
    /// The disk is full, or was a moment ago.
    gathers: AtomicBool,
    samples: Mutex<Vec<(u32, f64, u64, bool)>>,
    done: AtomicBool,
}

fn watch(watched: &Watch, start: Instant) {
    while !watched.done.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(200));
        let id = watched.id.load(Ordering::Relaxed);
        let status = text(format!("/proc/{id}/status"));
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        if let Ok(memory) = line.trim().trim_end_matches(" kB").parse() {
            let gathers = watched.gathers.load(Ordering::Relaxed);
            watched.samples.lock().unwrap().push((id, start.elapsed().as_secs_f64(), memory, gathers));
        }
    }
}

struct Service<'a> {
    room: &'a Room,
    clock: PathBuf,
    pipe: File,
    traffic: Traffic,
    watched: Watch,
    sealer: Mutex<Child>,
    files: AtomicU32,
    /// The number of lines that had been taken when the last sealer was killed.
    taken: AtomicU64,
}

impl<'a> Service<'a> {
    fn new(room: &'a Room, clock: PathBuf, hour: Duration) -> Self {
        let made = Command::new("mkfifo").arg(room.path("../fifo")).status().unwrap();
        assert!(made.success());
        let mut open = OpenOptions::new();
        open.read(true).write(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        let pipe = open.open(room.path("../fifo")).unwrap();
        room.write("../off", "0");
        room.write("../ops.txt", room.read("../me"));
        room.write(
            "../log.toml",
            format!(
                "recipients_files = [\"ops.txt\"]\nformat = \"text\"\npatterns = ['ip=([^;]*)']\nappend = \"work/log\"\n\
                 rotate_after = \"{}s\"\nmetrics = \"metrics.prom\"\n",
                hour.as_secs()
            ),
        );
        let traffic = Traffic {
            pipe: Mutex::new(pipe.try_clone().unwrap()),
            rate: AtomicU64::new(0),
            written: AtomicU64::new(0),
            done: AtomicBool::new(false),
        };
        let sealer = Mutex::new(started(room, &clock));
        let service = Self {
            room,
            clock,
            pipe,
            traffic,
            watched: Watch::default(),
            sealer,
            files: AtomicU32::new(0),
            taken: AtomicU64::new(0),
        };
        service.watch_it();
        service
    }

    fn watch_it(&self) {
        self.watched.id.store(self.sealer.lock().unwrap().id(), Ordering::Relaxed);
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.sealer.lock().unwrap()), signal).unwrap();
    }

    fn start(&self) {
        *self.sealer.lock().unwrap() = started(self.room, &self.clock);
        self.watch_it();
    }

    fn written(&self) -> usize {
        self.traffic.written.load(Ordering::Relaxed) as usize
    }

    fn headers(&self) -> usize {
        text(self.room.path("log")).matches("~1.1~").count()
    }

    /// Stops the traffic, and waits until all lines are in the log. Returns the rate before.
    fn level(&self) -> u64 {
        // A killed sealer may have had the last lines.
        until("lines behind a kill", || self.written() > self.taken.load(Ordering::Relaxed) as usize);
        let rate = {
            let _pipe = self.traffic.pipe.lock().unwrap();
            self.traffic.rate.swap(0, Ordering::Relaxed)
        };
        let last = format!("n={:010} ", self.written() - 1);
        // The last line may be in a file that was renamed just now.
        let names = ["log".to_owned(), format!("log.{}", self.files.load(Ordering::Relaxed).wrapping_sub(1))];
        let has_it = |name: &String| {
            let found = [self.room.path(name), self.room.path(format!("../{name}"))];
            found.iter().any(|path| text(path).contains(&last))
        };
        until("the last line", || names.iter().any(has_it));
        rate
    }

    fn happens(&self, event: Event, day: &Day, seen: &mut Seen) {
        // Lines gather first, so that there is something to lose.
        thread::sleep(day.hour / 4);
        match event {
            Event::Rename => self.rename(),
            Event::CopyAndCut => self.copy_and_cut(),
            Event::HangUp => self.hang_up(),
            Event::Idle => self.idle(day.hour),
            Event::Clock(seconds) => self.clock_jumps(seconds),
            Event::Restart => {
                self.stop(seen);
                self.start();
            }
            Event::Kill => {
                self.kill(seen);
                self.start();
            }
            Event::FullDisk => self.full(day.full, seen, || {}),
            Event::FullStart => {
                self.kill(seen);
                self.full(day.full, seen, || self.start());
            }
        }
    }

    /// Keeps a file that the sealer has left, outside of its small disk.
    fn keep(&self, name: &str) {
        fs::copy(self.room.path(name), self.room.path(format!("../{name}"))).unwrap();
        fs::remove_file(self.room.path(name)).unwrap();
    }

    fn next_name(&self) -> String {
        format!("log.{}", self.files.fetch_add(1, Ordering::Relaxed))
    }

    fn rename(&self) {
        let name = self.next_name();
        fs::rename(self.room.path("log"), self.room.path(&name)).unwrap();
        until("a new file", || self.room.path("log").exists());
        let is_closed =
            || text(self.room.path(&name)).lines().last().is_some_and(|line| line.starts_with("~s1z~"));
        until("the end of the old file", is_closed);
        self.keep(&name);
    }

    /// Copies and truncates like logrotate's copytruncate, which loses lines that come between the two steps: so none
    /// come.
    fn copy_and_cut(&self) {
        let rate = self.level();
        let name = self.next_name();
        fs::copy(self.room.path("log"), self.room.path(format!("../{name}"))).unwrap();
        OpenOptions::new().write(true).truncate(true).open(self.room.path("log")).unwrap();
        self.traffic.rate.store(rate, Ordering::Relaxed);
    }

    fn hang_up(&self) {
        let all = [&b"\n"[..], &self.room.read("../other")].concat();
        let mine = self.room.read("../me");
        let is_mine_alone = self.room.read("../ops.txt") == mine;
        self.room.write("../ops.txt", if is_mine_alone { [mine, all].concat() } else { mine });
        let before = self.headers();
        self.signal(Signal::HUP);
        until("a header", || self.headers() > before);
    }

    /// For more than an hour no line comes, and nothing is written once the due lines have been.
    fn idle(&self, hour: Duration) {
        let rate = self.level();
        thread::sleep(Duration::from_millis(200));
        let before = text(self.room.path("log"));
        thread::sleep(hour + Duration::from_secs(2));
        assert_eq!(text(self.room.path("log")).len(), before.len(), "an idle log grew");
        self.traffic.rate.store(rate, Ordering::Relaxed);
    }

    fn clock_jumps(&self, seconds: i64) {
        let (before, start) = (self.headers(), Instant::now());
        self.room.write("../off", seconds.to_string());
        until("a session of its own", || self.headers() > before);
        // The session's age alone would begin a new one only after an hour.
        assert!(start.elapsed() < Duration::from_secs(12), "the jump was not seen");
    }

    fn stop(&self, seen: &mut Seen) {
        self.signal(Signal::TERM);
        let ended = self.sealer.lock().unwrap().wait().unwrap();
        assert!(ended.success(), "{ended}: {}", self.said());
        seen.restarts += 1;
    }

    fn kill(&self, seen: &mut Seen) {
        // The sealer is killed while it works off the lines that have gathered.
        self.signal(Signal::STOP);
        thread::sleep(Duration::from_millis(300));
        // No line is written meanwhile.
        let _pipe = self.traffic.pipe.lock().unwrap();
        self.signal(Signal::CONT);
        thread::sleep(Duration::from_micros(400));
        self.signal(Signal::KILL);
        assert_eq!(self.sealer.lock().unwrap().wait().unwrap().code(), None);
        let waiting = rustix::io::ioctl_fionread(&self.pipe).unwrap() as usize;
        let taken = self.written() - waiting / LINE;
        // A kill may end a read within a line.
        let tail = line(taken.saturating_sub(1))[LINE - waiting % LINE..].to_owned();
        self.taken.store(taken as u64, Ordering::Relaxed);
        seen.kills.push((taken, tail));
    }

    fn full(&self, time: Duration, seen: &mut Seen, then: impl FnOnce()) {
        self.watched.gathers.store(true, Ordering::Relaxed);
        let mut filler = File::create(self.room.path("filler")).unwrap();
        while filler.write_all(&[0; 4096]).is_ok() {}
        // The file is closed, because an open file would keep its space after its removal.
        drop(filler);
        then();
        thread::sleep(time);
        fs::remove_file(self.room.path("filler")).unwrap();
        let before = text(self.room.path("log")).len();
        until("lines", || text(self.room.path("log")).len() > before);
        self.watched.gathers.store(false, Ordering::Relaxed);
        seen.full += 1;
    }

    fn said(&self) -> String {
        text(self.room.path("../said"))
    }

    fn check(&self, seen: &Seen, hours: usize) {
        let files = self.files.load(Ordering::Relaxed);
        let mut logs: Vec<String> =
            (0..files).map(|number| text(self.room.path(format!("../log.{number}")))).collect();
        logs.push(text(self.room.path("log")));
        let (mut next, mut kills, mut lost) = (0, seen.kills.iter().peekable(), Vec::new());
        for log in &logs {
            let (opened, report) = opened(self.room, log);
            assert_eq!((report.orphans, report.no_key, report.tampered), (0, 0, 0), "{report:?}");
            for found in opened.split_inclusive('\n') {
                // A kill that cost nothing leaves no trace.
                while kills.next_if(|(taken, _)| *taken < next).is_some() {
                    lost.push(0);
                }
                // A sealer that was killed in the middle of a write leaves the beginning of a line.
                if found != line(next) && kills.peek().is_some_and(|(taken, _)| *taken >= next) {
                    if line(next).starts_with(found.trim_end()) || found.contains("~s1a~") {
                        continue;
                    }
                    let (taken, tail) = kills.next().unwrap().clone();
                    assert!(taken - next <= MOST_LOST, "{} lines were lost by one kill", taken - next);
                    lost.push(taken - next);
                    next = taken;
                    if found == tail {
                        continue;
                    }
                }
                assert!(
                    found == line(next),
                    "line {next} was expected, after kills at {:?}:\n{found}",
                    seen.kills
                );
                next += 1;
            }
        }
        assert_eq!(next, self.written(), "lines are missing at the end");
        let sessions = nonces_are_unique(self.room, &logs);
        let by_other = count(&self.room.others, &logs);
        assert!(by_other > 0 && by_other < next, "recipients never changed: {by_other} of {next}");
        let said = self.said();
        assert_eq!(said.matches("; nothing is read until there is room").count(), seen.full, "{said}");
        assert!(!said.contains("error:") && !said.contains("panicked"), "{said}");
        assert!(text(self.room.path("../metrics.prom")).contains("sealmark_log_values_failed_total 0\n"));
        let memory = self.memory();
        found(&format!(
            "{hours} hours, {next} lines, {} bytes in {} files, {sessions} sessions, {} restarts, {} kills that cost {lost:?} \
             lines, {} full disks; {memory}",
            logs.iter().map(String::len).sum::<usize>(),
            logs.len(),
            seen.restarts,
            seen.kills.len(),
            seen.full,
        ));
    }

    /// Reports each sealer's memory after it has warmed up.
    fn memory(&self) -> String {
        let samples = self.watched.samples.lock().unwrap();
        let (mut growth, mut gathered, mut most) = (0, 0, 0);
        let ids: std::collections::BTreeSet<u32> = samples.iter().map(|sample| sample.0).collect();
        for id in &ids {
            let own: Vec<_> = samples.iter().filter(|sample| sample.0 == *id).collect();
            let Some(warm) = own.iter().find(|sample| sample.1 >= own[0].1 + 1.0 && !sample.3) else {
                continue;
            };
            for sample in own.iter().filter(|sample| sample.1 > warm.1) {
                let more = sample.2.saturating_sub(warm.2);
                most = most.max(sample.2);
                if sample.3 { gathered = gathered.max(more) } else { growth = growth.max(more) }
            }
        }
        let said = format!(
            "{} sealers, {} samples: at most {most} KiB, {growth} KiB more than a second after its start, {gathered} KiB more while \
             the disk was full",
            ids.len(),
            samples.len(),
        );
        assert!(growth <= FLAT && gathered <= GATHERED, "memory is not flat: {said}");
        said
    }
}

impl Drop for Service<'_> {
    /// After a failed step, the sealer would go on for ever.
    fn drop(&mut self) {
        let mut sealer = self.sealer.lock().unwrap();
        if thread::panicking() {
            let said = self.said();
            found(&format!(
                "{:?}, and it said: {}",
                sealer.try_wait(),
                &said[said.len().saturating_sub(3000)..]
            ));
        }
        let _ = sealer.kill().and_then(|()| sealer.wait());
    }
}

fn started(room: &Room, clock: &PathBuf) -> Child {
    let mut command = room.sealmark(["log", "seal", "--config", "../log.toml"]);
    let said = OpenOptions::new().create(true).append(true).open(room.path("../said")).unwrap();
    // The pipe is opened for reading and writing, so the sealer never sees its end, whoever opens and closes it.
    let pipe = OpenOptions::new().read(true).write(true).open(room.path("../fifo")).unwrap();
    command
        .env("LD_PRELOAD", clock)
        .env("CLOCK_FILE", room.path("../off"))
        .stdin(pipe)
        .stdout(Stdio::null())
        .stderr(said);
    command.spawn().unwrap()
}

fn lying_clock(room: &Room) -> Option<PathBuf> {
    let library = room.path("../clock.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/clock.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", source, "-o"]).arg(&library);
    compiler.status().is_ok_and(|status| status.success()).then_some(library)
}

/// The number of values that the identity opens.
fn count(identity: &Identity, logs: &[String]) -> usize {
    let mut opener = LogOpener::new(LogKeys::identities(vec![identity.clone()]));
    logs.iter().map(|log| opener.open(log.as_bytes(), &mut Vec::new()).opened as usize).sum()
}
