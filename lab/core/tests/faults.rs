//! Every fault of an engine becomes a row, and the rest of the run goes on.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod lab;

use lab::{Lab, fake, fake_in_memory, job, job_in_memory, must_be};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const BLOCKS: usize = 2;

/// Name, script, the kind of its fault, a part of its reason, and how many samples it keeps. Runs 1 to 3 are the
/// check, then each block is two runs: a misdeed from run 6 on strikes when the second block is sealed, or opened.
const SCRIPTS: [(&str, &str, &str, &str, usize); 18] = [
    ("no start", "--misdeed no-start", "died", "exit status: 7", 0),
    ("no version", "--misdeed no-version", "garbage", "version \"\"", 0),
    ("unsupported", "--misdeed unsupported", "unsupported", "X25519", 0),
    ("fails at once", "--misdeed fail", "failed", "scripted to fail", 0),
    ("fails later", "--misdeed fail --from-run 5", "failed", "scripted to fail", 2),
    ("dies", "--misdeed die --from-run 5", "died", "exit status: 9: \"scripted to die\"", 2),
    ("hangs", "--misdeed hang --from-run 5", "timed-out", "no answer within 3 s", 2),
    ("junk", "--misdeed junk --from-run 5", "garbage", "tra la la", 2),
    ("nested", "--misdeed nest --from-run 5", "garbage", "not a string, integer or boolean", 2),
    ("flood", "--misdeed flood --from-run 5", "garbage", "longer than 65536 bytes", 2),
    ("confused", "--misdeed confuse --from-run 5", "garbage", "an answer to another request", 2),
    ("wrong at once", "--misdeed wrong-output", "wrong-output", "100002 bytes", 0),
    ("wrong later", "--misdeed wrong-output --from-run 6", "wrong-output", "100002 bytes", 2),
    ("no output", "--misdeed no-output --from-run 6", "wrong-output", "left no output", 2),
    ("exaggerates", "--misdeed exaggerate --from-run 5", "wrong-time", "reported 3600000000000 ns", 2),
    ("timeless", "--misdeed timeless --from-run 5", "wrong-time", "reported a time of 0 ns", 2),
    ("sloppy", "--misdeed gullible", "not-refused", "one flipped bit went unnoticed", 0),
    ("bad script", "--times often", "died", "exit status: 2", 0),
];

#[test]
fn every_misdeed_is_a_row_and_spares_the_others() {
    let lab = Lab::new();
    let mut engines = fake("yardstick", "yardstick", "--times 2") + &fake("good", "ours", "--times 3");
    SCRIPTS.iter().for_each(|(name, script, ..)| engines += &fake(name, "peer", script));
    lab.write("engines.toml", &engines);
    lab.write("job.toml", &job("file"));
    let ran = lab.run(&[]);
    let table = ran.table();
    for (name, _, kind, why, samples) in SCRIPTS {
        ran.must_fail(name, kind, why);
        assert_eq!(ran.of("sample", name).len(), samples, "{name}");
        assert!(table.contains(&format!("  {name}")), "{name} is missing in\n{table}");
    }
    for (name, twins) in [("yardstick", 2), ("good", 1)] {
        assert_eq!(ran.of("fault", name).len(), 0, "{name}");
        let samples = ran.of("sample", name);
        assert_eq!(samples.len(), twins * 2 * BLOCKS, "{name}");
        assert!(samples.iter().all(|sample| sample["core_ns"].is_u64() == lab::has_cores()), "{samples:?}");
    }
    assert_eq!(ran.rows.last().unwrap()["row"], "end");
    lab.must_be_tidy();
}

/// The same for operations in memory. The lines' own processes are: check (4 runs), ramp, then one a block; a misdeed
/// from run 5 on strikes while warming up.
const IN_MEMORY: [(&str, &str, &str, &str); 14] = [
    ("no start", "--misdeed no-start", "died", "exit status: 7"),
    ("unsupported", "--misdeed unsupported", "unsupported", "none"),
    ("fails at once", "--misdeed fail", "failed", "scripted to fail"),
    ("fails later", "--misdeed fail --from-run 5", "failed", "scripted to fail"),
    ("dies", "--misdeed die --from-run 5", "died", "exit status: 9: \"scripted to die\""),
    ("hangs", "--misdeed hang --from-run 5", "timed-out", "no answer within 3 s"),
    ("junk", "--misdeed junk --from-run 5", "garbage", "tra la la"),
    ("wrong at once", "--misdeed wrong-digest", "wrong-output", "gave an output with SHA-256"),
    ("wrong later", "--misdeed wrong-digest --from-run 5", "wrong-output", "gave an output with SHA-256"),
    (
        "lies about its count",
        "--misdeed wrong-count",
        "wrong-count",
        "was asked for 1 operations, but reported 0",
    ),
    ("exaggerates", "--misdeed exaggerate --from-run 5", "wrong-time", "reported 3600000000000 ns"),
    ("timeless", "--misdeed timeless --from-run 5", "wrong-time", "reported a time of 0 ns"),
    ("exhausted", "--misdeed exhaust --from-run 5", "out-of-memory", "scripted heap"),
    ("limited", "--misdeed limit", "limited", "scripted limit"),
];

#[test]
fn every_misdeed_in_memory_is_a_row_and_spares_the_others() {
    let lab = Lab::new();
    let mut engines =
        fake_in_memory("yardstick", "yardstick", "--times 2") + &fake_in_memory("good", "ours", "--times 3");
    IN_MEMORY.iter().for_each(|(name, script, ..)| engines += &fake_in_memory(name, "peer", script));
    lab.write("engines.toml", &engines);
    lab.write("job.toml", &job_in_memory("cipher"));
    let ran = lab.run(&[]);
    let table = ran.table();
    for (name, _, kind, why) in IN_MEMORY {
        ran.must_fail(name, kind, why);
        assert_eq!(ran.of("sample", name).len(), 0, "{name}");
        assert!(table.contains(name), "{name} is missing in\n{table}");
    }
    for name in ["yardstick", "good"] {
        assert_eq!(ran.of("fault", name).len(), 0, "{name}");
        let twins = if name == "yardstick" { 2 } else { 1 };
        // Cold and four passes for each of two operations.
        assert_eq!(ran.of("sample", name).len(), twins * BLOCKS * (2 + 8), "{name}");
        assert_eq!(ran.of("checked", name).len(), twins, "{name}");
        assert!(ran.of("ramp", name).len() > 4, "{name}");
    }
    assert_eq!(ran.rows.last().unwrap()["row"], "end");
}

/// The same for payloads. The check is five runs; then every process is another, and does one operation: a misdeed from
/// run 5 on strikes while the first of them warms up.
const PAYLOADS: [(&str, &str, &str, &str); 15] = [
    ("no start", "--misdeed no-start", "died", "exit status: 7"),
    ("unsupported", "--misdeed unsupported", "unsupported", "AES-128-GCM"),
    ("fails later", "--misdeed fail --from-run 5", "failed", "scripted to fail"),
    ("dies", "--misdeed die --from-run 5", "died", "exit status: 9: \"scripted to die\""),
    ("hangs", "--misdeed hang --from-run 5", "timed-out", "no answer within 3 s"),
    ("exhausted", "--misdeed exhaust --from-run 5", "out-of-memory", "scripted heap"),
    ("limited", "--misdeed limit", "limited", "scripted limit"),
    ("seals less", "--misdeed wrong-length", "wrong-output", "what it sealed does not open"),
    (
        "seals less later",
        "--misdeed wrong-length --from-run 5",
        "wrong-output",
        "what it sealed does not open",
    ),
    ("opens less", "--misdeed wrong-output", "wrong-output", "100002 bytes"),
    ("opens nothing", "--misdeed no-output", "wrong-output", "left no output"),
    ("gullible", "--misdeed gullible", "not-refused", "one flipped bit went unnoticed"),
    ("middle", "--misdeed blind-in-the-middle", "not-refused", "one flipped bit went unnoticed"),
    ("end", "--misdeed blind-at-the-end", "not-refused", "one flipped bit went unnoticed"),
    ("denies", "--misdeed wrong-promise", "wrong-output", "says it does not authenticate"),
];

#[test]
fn every_misdeed_with_payloads_is_a_row_and_spares_the_others() {
    let lab = Lab::new();
    let good = [("good", "one-shot", ""), ("pieces", "chunked", ""), ("hasty", "update", "--misdeed hasty")];
    let mut engines = fake_of_payloads("yardstick", "yardstick", "one-shot", "--times 2")
        .replace("[\"AES-128-GCM\"]", "[\"none\"]")
        .replace("[\"one-shot\"]", "[]");
    good.iter().for_each(|(name, mode, script)| {
        engines += &fake_of_payloads(name, "ours", mode, &format!("--times 9,3 {script}"));
    });
    PAYLOADS.iter().for_each(|(name, script, ..)| {
        engines += &fake_of_payloads(name, "peer", "one-shot", &format!("--times 1 {script}"));
    });
    engines += &fake_of_payloads("reader", "peer", "one-shot", "--times 1 --misdeed limit-sealing");
    engines += &fake_of_payloads("bare", "peer", "chunked", "--times 1 --misdeed bare");
    lab.write("engines.toml", &engines);
    lab.write("job.toml", &(job("payload") + "ramp_ms = 200\n"));
    let ran = lab.run(&[]);
    let table = ran.table();
    let bare = ("bare", "", "wrong-output", "the output has plaintext in it");
    for (name, _, kind, why) in PAYLOADS.into_iter().chain([bare]) {
        let faults = ran.of("fault", name);
        // One of all it does, or one of sealing and one of opening.
        let operations: Vec<_> = faults.iter().map(|fault| fault["operation"].as_str()).collect();
        let is_whole = operations == [None] || operations.iter().all(Option::is_some);
        assert!(is_whole && (1..=2).contains(&faults.len()), "{name}: {faults:?}");
        must_be(faults[0], name, kind, why);
        assert!(table.contains(name), "{name} is missing in\n{table}");
    }
    for (name, _, _) in good {
        assert_eq!(ran.of("fault", name).len(), 0, "{name}");
        for operation in ["seal", "open"] {
            let of = |row: &str| {
                let mut rows = ran.of(row, name);
                rows.retain(|row| row["operation"] == operation);
                rows
            };
            let (cold, steady): (Vec<_>, Vec<_>) =
                of("sample").into_iter().partition(|sample| sample["phase"] == "cold");
            assert_eq!((cold.len(), steady.len()), (BLOCKS, BLOCKS), "{name} {operation}");
            // Scripted: the first run of each process takes 9 ms.
            assert!(cold.iter().all(|sample| sample["wall_ns"] == 9_000_000), "{cold:?}");
            assert!(cold.iter().all(|sample| sample["start_ns"].as_u64() > Some(0)), "{cold:?}");
            assert!(of("ramp").len() > 4 && of("ramp")[0]["done"] == 0, "{name} {operation}");
        }
        let released = if name == "hasty" { 100_003 } else { 0 };
        assert_eq!(ran.of("checked", name)[0]["released_bytes"], released, "{name}");
    }
    assert!(ran.of("checked", "yardstick")[0]["released_bytes"].is_null());
    // A line that cannot seal may open what others sealed.
    let faults = ran.of("fault", "reader");
    assert!(faults.len() == 1 && faults[0]["operation"] == "seal", "{faults:?}");
    let samples = ran.of("sample", "reader");
    assert_eq!(samples.len(), 2 * BLOCKS);
    assert!(samples.iter().all(|sample| sample["operation"] == "open"), "{samples:?}");
    assert_eq!(ran.of("checked", "reader")[0]["released_bytes"], 0);
    lab.must_be_tidy();
}

/// Lies that the check finds out where an algorithm authenticates.
const CHECKED: [(&str, &str, &str, &str); 6] = [
    ("gullible", "--misdeed gullible", "not-refused", "one flipped bit went unnoticed"),
    ("middle", "--misdeed blind-in-the-middle", "not-refused", "one flipped bit went unnoticed"),
    ("end", "--misdeed blind-at-the-end", "not-refused", "one flipped bit went unnoticed"),
    ("denies", "--misdeed wrong-promise", "wrong-output", "says it does not authenticate"),
    ("seals more", "--misdeed wrong-length", "wrong-output", "reported 66 bytes, expected 65"),
    ("opens more", "--misdeed wrong-length --from-run 1", "wrong-output", "reported 50 bytes, expected 49"),
];

#[test]
fn promises_lengths_and_damage_are_checked() {
    let lab = Lab::new();
    let mut engines = fake_that_authenticates("good", "yardstick", "")
        + &fake_in_memory("honest", "peer", "")
        + &fake_in_memory("boasts", "peer", "--misdeed wrong-promise");
    CHECKED.iter().for_each(|(name, script, ..)| engines += &fake_that_authenticates(name, "peer", script));
    lab.write("engines.toml", &engines);
    lab.write("job.toml", &job_in_memory("cipher").replace("ramp_ms = 20\n", ""));
    let ran = lab.run(&[]);
    ran.table();
    let boasts = ("boasts", "", "wrong-output", "says it authenticates");
    for (name, _, kind, why) in CHECKED.into_iter().chain([boasts]) {
        ran.must_fail(name, kind, why);
        assert_eq!(ran.of("checked", name).len(), 0, "{name}");
    }
    for (name, authenticated) in [("good", true), ("honest", false)] {
        assert_eq!(ran.of("fault", name).len(), 0, "{name}");
        assert_eq!(ran.of("checked", name)[0]["authenticated"], authenticated, "{name}");
    }
}

#[test]
#[cfg(unix)]
fn the_ends_of_processes_are_told_and_leave_nobody_behind() {
    let lab = Lab::new();
    let scripts = [
        ("closer", "exec >&-; sleep 60", "closed its standard output"),
        ("parent", "(sleep 2; touch survived) > /dev/null & exit 7", "ended with exit status: 7"),
        ("latin", "printf 'caf\\\\351 gone' >&2; exit 3", "ended with exit status: 3: \"caf\u{fffd} gone\""),
        ("measurer", "echo ${#SEALMARK_LAB_PADDING} >> paddings; exit 1", "exit status: 1"),
        ("measurer again", "echo ${#SEALMARK_LAB_PADDING} >> paddings; exit 1", "exit status: 1"),
    ];
    let engines = scripts.iter().map(|(name, script, _)| shell(name, script));
    lab.write("engines.toml", &(engines.collect::<String>() + &fake("good", "yardstick", "")));
    lab.write("job.toml", &job("file"));
    let start = Instant::now();
    let ran = lab.run(&[]);
    ran.table();
    assert!(start.elapsed() < Duration::from_secs(20), "waited for an engine that lives on");
    for (name, _, why) in scripts {
        ran.must_fail(name, "died", why);
    }
    let paddings = std::fs::read_to_string(lab.path("paddings")).unwrap();
    let paddings: Vec<&str> = paddings.lines().collect();
    assert!(paddings.len() == 2 && paddings[0] != paddings[1], "{paddings:?}");
    std::thread::sleep(Duration::from_millis(2_500).saturating_sub(start.elapsed()));
    assert!(!lab.path("survived").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn engines_die_with_the_lab_however_it_dies() {
    let lab = Lab::new();
    lab.write("engines.toml", &shell("sleeper", "echo $$ > pid.new; mv pid.new pid; exec sleep 60"));
    lab.write("job.toml", &job("file"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_sealmark-lab"));
    command.args(["measure", "job.toml", "--engines", "engines.toml", "--dir", "scratch", "--out", "rows"]);
    command.current_dir(lab.path("")).stdout(Stdio::null()).stderr(Stdio::null());
    let mut running = command.spawn().unwrap();
    let pid = wait_for(|| std::fs::read_to_string(lab.path("pid")).ok()).unwrap();
    running.kill().unwrap();
    running.wait().unwrap();
    // The process that takes over orphans may be slow to reap them.
    let stat = Path::new("/proc").join(pid.trim()).join("stat");
    let is_gone =
        || std::fs::read_to_string(&stat).map_or(Some(()), |text| text.contains(") Z ").then_some(()));
    assert!(wait_for(is_gone).is_some(), "{}", std::fs::read_to_string(&stat).unwrap());
}

/// Waits some seconds for a value.
#[cfg(target_os = "linux")]
fn wait_for<T>(come: impl Fn() -> Option<T>) -> Option<T> {
    (0..500).find_map(|_| {
        std::thread::sleep(Duration::from_millis(10));
        come()
    })
}

/// A scripted engine that seals in memory and notices altered data.
fn fake_that_authenticates(name: &str, role: &str, script: &str) -> String {
    fake_in_memory(name, role, script).replace("[\"none\"]", "[\"AES-128-GCM\"]")
}

/// A scripted engine that seals payloads in one mode.
fn fake_of_payloads(name: &str, role: &str, mode: &str, script: &str) -> String {
    let what =
        format!("jobs = [\"payload\"]\nalgorithms = [\"AES-128-GCM\"]\nparameters.mode = [\"{mode}\"]\n");
    fake(name, role, script).replace("jobs = [\"file\"]\nalgorithms = [\"X25519\"]\n", &what)
}

/// An engine that is a line of shell.
#[cfg(unix)]
fn shell(name: &str, script: &str) -> String {
    format!(
        "[[engine]]\nname = \"{name}\"\nabout = \"a script\"\nrole = \"peer\"\njobs = [\"file\"]\n\
         algorithms = [\"X25519\"]\nserve = [\"sh\", \"-c\", \"{script}\"]\n"
    )
}

#[test]
fn scripted_times_come_out_as_scripted_ratios() {
    let lab = Lab::new();
    let engines = [
        fake("yardstick", "yardstick", "--times 2"),
        fake("twice", "ours", "--times 4"),
        // Runs 4 and 5 are the first block's: seals take 10, 30, 10, 30 ms and opens 20, 40, 20, 40.
        fake("uneven", "ours", "--times 40,1,1,10,20,30,40,10,20,30,40"),
    ];
    lab.write("engines.toml", &engines.concat());
    // Fewer than four blocks of a file tell a range only.
    lab.write("job.toml", &job("file").replace("blocks = 2", "blocks = 4"));
    let table = lab.run(&[]).table();
    let line = |name: &str, nth: usize| {
        let lines = table.lines().filter(|line| line.trim_start().starts_with(&format!("{name} ")));
        let mut lines =
            lines.filter(|line| line.contains(" X25519 ") && line.contains('–') && line.contains(") "));
        lines.nth(nth).unwrap().split_whitespace().take(7).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("twice", 0), "twice X25519 2.00 (1.15–3.46) slower 4.00 ms");
    assert_eq!(line("uneven", 0), "uneven X25519 8.66 (2.89–26.0) slower 20.0 ms");
    assert_eq!(line("uneven", 1), "uneven X25519 14.1 (7.07–28.3) slower 30.0 ms");
}

#[test]
fn programs_are_checked_like_engines() {
    let lab = Lab::new();
    let stanza = |authenticated, open: &str| {
        format!(
            "program = \"cp\"\nversion = [\"cp\", \"--version\"]\nauthenticated = {authenticated}\n[[engine.mode]]\n\
             algorithm = \"X25519\"\nsetup = []\nseal.file = [\"cp\", \"{{input}}\", \"{{output}}\"]\nopen.file = {open}"
        )
    };
    let copies = r#"["cp", "{input}", "{output}"]"#;
    let engines = [
        program("cp", "yardstick", &stanza(false, copies)),
        program("no cipher", "ours", &stanza(true, copies)),
        program("no reader", "ours", &stanza(false, r#"["sh", "-c", "echo; echo cannot open >&2; exit 3"]"#)),
        program("crasher", "ours", &stanza(false, r#"["sh", "-c", "kill -SEGV $$"]"#)),
        program("nothing", "ours", &stanza(false, r#"["true"]"#)),
        program("sleeper", "ours", &stanza(false, r#"["sh", "-c", "sleep 4; touch survived"]"#)),
        program("no setup", "ours", &stanza(false, copies).replace("setup = []", r#"setup = [["false"]]"#)),
        program(
            "not here",
            "ours",
            &stanza(false, copies).replace("program = \"cp\"", "program = \"no-such-program\""),
        ),
    ];
    lab.write("engines.toml", &engines.concat());
    lab.write("job.toml", &job("file"));
    let ran = lab.run(&[]);
    ran.table();
    for (name, kind, why) in [
        ("no cipher", "not-refused", "one flipped bit"),
        ("no reader", "refused", "exit status: 3: cannot open"),
        ("crasher", "failed", "signal: 11"),
        ("nothing", "wrong-output", "left no output"),
        ("sleeper", "timed-out", "within 3 s"),
        ("no setup", "failed", "exit status: 1"),
        ("not here", "absent", "no program \"no-such-program\" was found"),
    ] {
        ran.must_fail(name, kind, why);
        assert_eq!(ran.of("sample", name).len(), 0, "{name}");
    }
    // The sleeper would wake a second after it was given up, had only its adapter been killed.
    std::thread::sleep(Duration::from_secs(2));
    assert!(!lab.path("survived").exists());
    // The yardstick is there twice: once against itself.
    let samples = ran.of("sample", "cp");
    assert_eq!(samples.len(), 2 * 2 * BLOCKS);
    for sample in samples {
        assert_eq!(sample["output_bytes"], 100_003);
        assert!(sample["wall_ns"].as_u64().unwrap() > 50_000, "{sample}");
        assert!(sample["cpu_ns"].as_u64().unwrap() > 0, "{sample}");
        assert!(sample["peak_bytes"].as_u64().unwrap() > 100_000, "{sample}");
    }
}

#[test]
fn pipes_are_timed_whole_and_rechecked_afterwards() {
    let lab = Lab::new();
    let stanza = |seal: &str, open: &str| {
        format!(
            "program = \"cat\"\nauthenticated = false\n[[engine.mode]]\nalgorithm = \"none\"\nsetup = []\n\
             seal.pipe = {seal}\nopen.pipe = {open}"
        )
    };
    let engines = [
        program("cat", "yardstick", &stanza(r#"["cat"]"#, r#"["cat"]"#)),
        program("cutter", "ours", &stanza(r#"["cat"]"#, r#"["sh", "-c", "head -c 10; cat > /dev/null"]"#)),
        program("quitter", "ours", &stanza(r#"["cat"]"#, r#"["head", "-c", "10"]"#)),
        // Its `cat` dies of the closed pipe, which must not hide the refusal.
        program("refuser", "ours", &stanza(r#"["cat"]"#, r#"["false"]"#)),
        // Forgets what it does once its counter file says that check and blocks are over.
        program(
            "turncoat",
            "ours",
            &stanza(
                r#"["cat"]"#,
                r#"["sh", "-c", "echo >> count; test $(wc -l < count) -le 3 && cat || cat > /dev/null"]"#,
            ),
        ),
    ];
    lab.write("engines.toml", &engines.concat());
    lab.write("job.toml", &job("pipe"));
    let ran = lab.run(&[]);
    ran.table();
    for (name, kind, samples) in [
        ("cutter", "wrong-output", 0),
        ("quitter", "failed", 0),
        ("refuser", "refused", 0),
        ("turncoat", "wrong-output", 2 * BLOCKS),
    ] {
        let faults = ran.of("fault", name);
        assert_eq!(faults.len(), 1, "{name}: {faults:?}");
        assert_eq!(faults[0]["kind"], kind, "{name}: {faults:?}");
        assert_eq!(ran.of("sample", name).len(), samples, "{name}");
    }
    assert_eq!(ran.of("sample", "cat").len(), 2 * 2 * BLOCKS);
    assert!(ran.of("engine", "cat")[0]["version"].as_str().unwrap().starts_with("sha256 "));
}

/// A program of one mode with the key X25519.
fn program(name: &str, role: &str, lines: &str) -> String {
    format!("[[engine]]\nname = \"{name}\"\nabout = \"a program\"\nrole = \"{role}\"\n{lines}\n")
}
