//! The jobs of TLS on scripted engines: what is proved of every connection, and what becomes of one that was another.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod lab;

use lab::{Lab, fake, must_be};

const BLOCKS: usize = 2;
const WAY: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";
const OLD_WAY: &str = "TLSv1 TLS_RSA_WITH_RC4_128_MD5 none RSA-1024";

/// Name, script, the kind of its faults and a part of their reason.
const SCRIPTS: [(&str, &str, &str, &str); 10] = [
    ("no start", "--misdeed no-start", "died", "exit status: 7"),
    ("unsupported", "--misdeed unsupported", "unsupported", "TLSv1.3"),
    ("fails", "--misdeed fail", "failed", "scripted to fail"),
    ("hangs", "--misdeed hang --from-run 2", "timed-out", "no answer within 3 s"),
    ("counts less", "--misdeed wrong-count", "wrong-count", "was asked for 2 operations, but reported 1"),
    ("hears wrong", "--misdeed wrong-digest", "wrong-output", "arrived, not"),
    (
        "mixes",
        "--misdeed other-handshake",
        "wrong-connection",
        "1 full and 1 resumed handshakes, not TLSv1.3",
    ),
    (
        "mixes later",
        "--misdeed other-handshake --from-run 2",
        "wrong-connection",
        "resumed handshakes, not TLSv1.3",
    ),
    ("another suite", "--misdeed other-suite", "wrong-connection", "TLSv1.3 TLS_OTHER X25519,"),
    ("exaggerates", "--misdeed exaggerate", "wrong-time", "reported 3600000000000 ns"),
];

#[test]
fn every_connection_that_was_another_is_a_row_and_spares_the_others() {
    let lab = Lab::new();
    let mut engines =
        yardstick() + &tls("good", "memory", "--times 3000") + &tls("stalls", "nodelay", "--misdeed stall");
    SCRIPTS.iter().for_each(|(name, script, ..)| engines += &tls(name, "memory", script));
    lab.write("engines.toml", &engines);
    lab.write("job.toml", &job(&[WAY]));
    let ran = lab.run(&[]);
    let table = ran.table();
    for (name, _, kind, why) in SCRIPTS {
        let faults = ran.of("fault", name);
        // Each operation has processes of its own: one fault of all, or one each.
        let expected = if ["no start", "unsupported"].contains(&name) { 1 } else { 2 };
        assert_eq!(faults.len(), expected, "{name}: {faults:?}");
        for fault in faults {
            must_be(fault, name, kind, why);
        }
        assert!(table.contains(name), "{name} is missing in\n{table}");
    }
    for (name, twins) in [("yardstick", 2), ("good", 1), ("stalls", 1)] {
        assert_eq!(ran.of("fault", name).len(), 0, "{name}");
        // For each operation of each block the first of a fresh process, and a span of its own.
        assert_eq!(ran.of("sample", name).len(), twins * 2 * 2 * BLOCKS, "{name}");
    }
    let good = ran.of("sample", "good");
    for sample in good.iter().chain(&ran.of("sample", "stalls")) {
        // One thread and first operations are not probed.
        let has_threads = sample["parameters"]["transport"] == "nodelay";
        let is_probed = has_threads && sample["phase"] != "cold" && lab::has_cores();
        assert_eq!(sample["core_ns"].is_u64(), is_probed, "{sample:?}");
    }
    let steady = good.iter().find(|sample| sample["phase"] == "steady").unwrap();
    let (count, tls) = (steady["count"].as_u64().unwrap(), &steady["tls"]);
    assert_eq!(steady["wall_ns"], 3_000_000 * count);
    assert_eq!(tls["client_cpu_ns"], 1_000_000 * count);
    assert_eq!(tls["server_cpu_ns"], 500_000 * count);
    assert_eq!(tls["wire_bytes"], 1_500 * count);
    assert!(tls["stalls"].is_null());
    for sample in ran.of("sample", "stalls") {
        let (seen, stalled) = (&sample["tls"]["stalls"]["seen"], &sample["tls"]["stalls"]["stalled"]);
        assert_eq!(stalled.as_u64().unwrap(), seen.as_u64().unwrap().div_ceil(2), "{sample:?}");
    }
    lab.must_be_tidy();
}

#[test]
fn spans_hold_no_more_connections_than_the_job_allows() {
    let lab = Lab::new();
    lab.write("engines.toml", &(yardstick() + &tls("good", "nodelay", "--times 100")));
    lab.write("job.toml", &job(&[WAY]).replace("timeout", "connections = 7\ntimeout"));
    let ran = lab.run(&[]);
    ran.table();
    let samples = ran.of("sample", "good");
    let steady: Vec<_> = samples.iter().filter(|sample| sample["phase"] == "steady").collect();
    assert!(steady.len() == 2 * BLOCKS && steady.iter().all(|sample| sample["count"] == 7), "{steady:?}");
}

#[test]
fn what_nobody_should_use_runs_only_when_asked_for() {
    let lab = Lab::new();
    let legacy = tls("old", "memory", "").replace("role", "legacy = true\nrole");
    lab.write("engines.toml", &(yardstick() + &tls("modern", "memory", "") + &legacy));
    lab.write("job.toml", &job(&[WAY, OLD_WAY]));
    let ran = lab.run(&[]);
    let table = ran.table();
    assert!(table.contains("run only on request"), "{table}");
    assert!(ran.of("sample", "old").is_empty());
    std::fs::remove_file(lab.path("results.jsonl")).unwrap();
    let ran = lab.run(&["--legacy"]);
    let algorithms = |engine: &str| {
        let mut seen: Vec<_> = ran
            .of("sample", engine)
            .iter()
            .map(|row| {
                let names = ["protocol", "suite", "group", "certificate"];
                names.map(|name| row["parameters"][name].as_str().unwrap()).join(" ")
            })
            .collect();
        seen.dedup();
        seen.sort();
        seen.dedup();
        seen
    };
    assert_eq!(algorithms("old"), [OLD_WAY]);
    assert_eq!(algorithms("modern"), [WAY]);
}

fn job(ways: &[&str]) -> String {
    let ways: Vec<String> = ways.iter().map(|way| format!("{way:?}")).collect();
    format!(
        "name = \"test\"\nabout = \"a test\"\nseed = 7\n[[job]]\njob = \"tls-connect\"\nalgorithms = [{}]\n\
         [[job.size]]\nconcurrency = 1\nblocks = 2\nbudget_seconds = 3600\ntimeout_seconds = 3\n",
        ways.join(", ")
    )
}

fn tls(name: &str, transport: &str, script: &str) -> String {
    let what = format!("jobs = [\"tls-connect\"]\nparameters.transport = [\"{transport}\"]\n");
    fake(name, "peer", script).replace("jobs = [\"file\"]\nalgorithms = [\"X25519\"]\n", &what)
}

fn yardstick() -> String {
    let yardstick = tls("yardstick", "memory", "--times 20").replace("peer", "yardstick");
    yardstick.replace("parameters", "algorithms = [\"none\"]\nparameters")
}
