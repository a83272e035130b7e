//! kill -9 at any moment: the target contains the old content or the whole new content, and the directory nothing else.

use crate::room::{KEY, ME, OTHER, Room, bytes};
use rustix::fs::inotify;
use std::cell::Cell;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

const MIB: usize = 1 << 20;

/// A command, the file that it makes or replaces, and a check that this file is whole.
struct Scene {
    room: Room,
    args: Vec<&'static str>,
    target: &'static str,
    /// The target's content before each run.
    old: Option<Vec<u8>>,
    /// The plaintext.
    content: Vec<u8>,
    whole: fn(&Room, &[u8]) -> bool,
}

/// Counts of runs that finished, and of those that were killed before or after the target was whole.
#[derive(Debug, Default)]
struct Tally {
    finished: usize,
    killed_before: usize,
    killed_after: usize,
    /// Whole files under a temporary name, which a kill between a link and a rename leaves.
    strays: usize,
}

#[test]
fn seal_to_a_new_file() {
    let scene = Scene {
        room: plain(4 * MIB),
        args: vec!["seal", "-R", ME, "../plain", "-o", "out"],
        target: "out",
        old: None,
        content: bytes(4 * MIB),
        whole: |room, content| room.opened("out").is_ok_and(|opened| opened == content),
    };
    scene.is_whole_or_untouched(250);
}

#[test]
fn seal_over_a_file() {
    let scene = Scene {
        room: plain(3 * MIB),
        args: vec!["seal", "-R", ME, "../plain", "--force", "-o", "out"],
        target: "out",
        old: Some(b"old content".into()),
        content: bytes(3 * MIB),
        whole: |room, content| room.opened("out").is_ok_and(|opened| opened == content),
    };
    scene.is_whole_or_untouched(150);
}

#[test]
fn seal_a_stream_to_a_new_file() {
    let scene = Scene {
        room: plain(3 * MIB),
        args: vec!["seal", "-a", "-R", ME, "../plain", "-o", "out"],
        target: "out",
        old: None,
        content: bytes(3 * MIB),
        whole: |room, content| room.opened("out").is_ok_and(|opened| opened == content),
    };
    scene.is_whole_or_untouched(100);
}

#[test]
fn open_to_a_new_file() {
    let scene = Scene {
        room: sealed("../in.sealed", 4 * MIB),
        args: vec!["open", "-i", KEY, "../in.sealed", "-o", "out"],
        target: "out",
        old: None,
        content: bytes(4 * MIB),
        whole: |room, content| room.read("out") == content,
    };
    scene.is_whole_or_untouched(200);
}

#[test]
fn open_over_a_file() {
    let scene = Scene {
        room: sealed("../in.sealed", 3 * MIB),
        args: vec!["open", "-i", KEY, "../in.sealed", "--force", "-o", "out"],
        target: "out",
        old: Some(b"old content".into()),
        content: bytes(3 * MIB),
        whole: |room, content| room.read("out") == content,
    };
    scene.is_whole_or_untouched(150);
}

#[test]
fn rekey_in_place() {
    let room = sealed("file", MIB);
    let scene = Scene {
        args: vec!["rekey", "-i", KEY, "-R", OTHER, "file"],
        target: "file",
        old: Some(room.read("file")),
        room,
        content: bytes(MIB),
        whole: |room, content| room.opened("file").is_ok_and(|opened| opened == content),
    };
    scene.is_whole_or_untouched(100);
}

#[test]
fn keygen_to_a_new_file() {
    let scene = Scene {
        room: Room::new(),
        args: vec!["keygen", "--mode", "ecc", "-o", "key"],
        target: "key",
        old: None,
        content: Vec::new(),
        whole: |room, _| {
            let text = String::from_utf8(room.read("key")).unwrap();
            let private = fs::metadata(room.path("key")).unwrap().mode() & 0o777 == 0o600;
            private
                && text.lines().last().is_some_and(|line| line.parse::<sealmark::Identity>().is_ok())
                && text.ends_with('\n')
        },
    };
    scene.is_whole_or_untouched(150);
}

/// Replacing a file takes two steps, a link under a temporary name and a rename; a kill in between leaves that name and
/// the old content. The program and the killer share a processor, on which the killer has priority: the link wakes the
/// killer, which strikes before the program goes on. It kills the program alone and, in every other run, the whole
/// process group.
#[test]
fn killed_between_link_and_rename() {
    let scene = Scene {
        room: plain(1000),
        args: vec!["seal", "-R", ME, "../plain", "--force", "-o", "out"],
        target: "out",
        old: Some(b"old content".into()),
        content: bytes(1000),
        whole: |room, content| room.opened("out").is_ok_and(|opened| opened == content),
    };
    let mut tally = Tally::default();
    stay_on_one_processor();
    let starter = go_first();
    scene.reset();
    let (links, _watchdog) = watch_for_links(scene.room.work());
    for run in 0..60 {
        scene.reset();
        let child = start(scene.room.sealmark_under(starter, &scene.args));
        assert!((&links).read(&mut [0; 4096]).unwrap() > 0);
        scene.check(end(child, run % 2 == 1), &mut tally, "run by run");
    }
    assert!(tally.strays + tally.killed_after >= 50, "hardly ever in time: {tally:?}");
}

/// Pins this thread, and what it starts, to one processor.
fn stay_on_one_processor() {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap();
    let field = |name| status.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim();
    let first = field("Cpus_allowed_list:").split([',', '-']).next().unwrap();
    let pinned = Command::new("taskset").args(["-cp", first, field("Pid:")]).output().unwrap();
    assert!(pinned.status.success(), "{pinned:?}");
}

/// Gives this thread priority over all that is not real-time, and returns the command that starts its program. Without
/// the right to do so, the program runs only while the processor is otherwise idle, which takes long on a busy machine.
fn go_first() -> &'static [&'static str] {
    let thread = fs::read_link("/proc/thread-self").unwrap();
    let mut command = Command::new("chrt");
    command.args(["--reset-on-fork", "--fifo", "--pid", "1"]).arg(thread.file_name().unwrap());
    if command.output().unwrap().status.success() { &["env"] } else { &["chrt", "--idle", "0"] }
}

/// Reading returns when a file was linked or made there. After two minutes, a file is made to wake a reader that still
/// waits.
fn watch_for_links(directory: PathBuf) -> (File, mpsc::Sender<()>) {
    let events = inotify::init(inotify::CreateFlags::CLOEXEC).unwrap();
    inotify::add_watch(&events, &directory, inotify::WatchFlags::CREATE).unwrap();
    let (watchdog, end) = mpsc::channel();
    thread::spawn(move || {
        if end.recv_timeout(Duration::from_secs(120)) == Err(mpsc::RecvTimeoutError::Timeout) {
            fs::write(directory.join("no link was ever made"), "").unwrap();
        }
    });
    (events.into(), watchdog)
}

fn plain(length: usize) -> Room {
    let room = Room::new();
    room.write("../plain", bytes(length));
    room
}

fn sealed(name: &str, length: usize) -> Room {
    let room = Room::new();
    room.write_sealed(name, bytes(length));
    room
}

impl Scene {
    fn is_whole_or_untouched(&self, runs: usize) {
        let random = Random::new();
        let mut tally = Tally::default();
        let mut usual = Duration::ZERO;
        for run in 0..runs {
            // A machine's pace changes during the test, so every tenth run measures it again.
            if run % 10 == 0 {
                usual = self.full_duration();
            }
            self.reset();
            let child = self.start();
            thread::sleep(usual.mul_f64(1.1 * random.fraction()));
            self.check(end(child, run % 2 == 1), &mut tally, &random.seed);
        }
        tally.is_spread_over(runs, &random.seed);
    }

    fn full_duration(&self) -> Duration {
        let mut durations = [(); 3].map(|()| {
            self.reset();
            let (mut child, started) = (self.start(), Instant::now());
            assert!(child.wait().unwrap().success(), "{:?} fails by itself", self.args);
            started.elapsed()
        });
        durations.sort();
        assert!((self.whole)(&self.room, &self.content), "{:?} does not do its work", self.args);
        durations[1]
    }

    fn reset(&self) {
        let target = self.room.path(self.target);
        match &self.old {
            Some(old) if fs::read(&target).is_ok_and(|found| found == *old) => {}
            Some(old) => fs::write(target, old).unwrap(),
            None => drop(fs::remove_file(target)),
        }
    }

    fn start(&self) -> Child {
        start(self.room.sealmark(&self.args))
    }

    #[track_caller]
    fn check(&self, ending: Ending, tally: &mut Tally, seed: &str) {
        let target = self.room.path(self.target);
        let context = format!("{:?}, {ending:?}, {seed}, {tally:?}", self.args);
        let untouched = fs::read(&target).ok() == self.old;
        let strays: Vec<_> = self.room.names().into_iter().filter(|name| name != self.target).collect();
        if let [stray] = &strays[..]
            && stray.ends_with(".sealmark")
            && matches!(ending, Ending::Killed)
            && untouched
            && self.old.is_some()
        {
            fs::rename(self.room.path(stray), &target).unwrap();
            assert!((self.whole)(&self.room, &self.content), "not whole: {context}");
            tally.strays += 1;
            return;
        }
        assert!(strays.is_empty(), "{strays:?} were left: {context}");
        assert!(untouched || (self.whole)(&self.room, &self.content), "neither old nor whole: {context}");
        match ending {
            Ending::Finished => {
                assert!(!untouched, "said to be done, but was not: {context}");
                tally.finished += 1;
            }
            Ending::Killed if untouched => tally.killed_before += 1,
            Ending::Killed => tally.killed_after += 1,
        }
    }
}

impl Tally {
    /// Runs that were all killed too early, or all too late, would prove nothing.
    fn is_spread_over(&self, runs: usize, seed: &str) {
        let whole = self.finished + self.killed_after;
        assert!(self.killed_before >= runs / 4, "killed too late: {self:?}, {seed}");
        assert!(whole > runs / 50, "killed too early: {self:?}, {seed}");
    }
}

/// Starts the command in a process group of its own, which can be killed as a whole.
fn start(mut command: Command) -> Child {
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

#[derive(Debug, Clone, Copy)]
enum Ending {
    Finished,
    Killed,
}

/// Kills the process or its group, and waits for all processes that it may have started, since all of them hold the
/// pipe.
fn end(mut child: Child, group: bool) -> Ending {
    let id = rustix::process::Pid::from_child(&child);
    let kill = if group { rustix::process::kill_process_group } else { rustix::process::kill_process };
    // Nobody has waited for this child, so its number is not in use again, even if it has ended.
    kill(id, rustix::process::Signal::KILL).unwrap();
    let status = child.wait().unwrap();
    child.stdout.take().unwrap().read_to_end(&mut Vec::new()).unwrap();
    match status.signal() {
        None if status.success() => Ending::Finished,
        Some(9) => Ending::Killed,
        _ => panic!("neither done nor killed: {status}"),
    }
}

/// splitmix64. Failures show the seed, and SEALMARK_KILL_SEED sets it.
struct Random {
    state: Cell<u64>,
    seed: String,
}

impl Random {
    fn new() -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64;
        let seed = std::env::var("SEALMARK_KILL_SEED").map_or(now, |seed| seed.parse().unwrap());
        Self { state: Cell::new(seed), seed: format!("SEALMARK_KILL_SEED={seed}") }
    }

    /// A number in [0, 1).
    fn fraction(&self) -> f64 {
        self.state.set(self.state.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        let mut mixed = self.state.get();
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}
