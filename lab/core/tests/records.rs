//! Every fault of an engine with the values of a log becomes a row, and the rest of the run goes on.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod lab;

use lab::{Lab, fake, job_in_memory};

const BLOCKS: usize = 2;

/// Name, script, the kind of its fault, and a part of its reason. The check is five runs: sealed, opened, sealed again,
/// two alterations.
const SCRIPTS: [(&str, &str, &str, &str); 14] = [
    ("unsupported", "--misdeed unsupported", "unsupported", "AES-256-GCM-base64"),
    ("fails at once", "--misdeed fail", "failed", "scripted to fail"),
    ("dies later", "--misdeed die --from-run 6", "died", "exit status: 9: \"scripted to die\""),
    ("loses", "--misdeed lose", "wrong-output", "sealed 1024 values into 1023 lines"),
    (
        "doubles",
        "--misdeed double",
        "wrong-output",
        "value 1023 was sealed to the same text as an earlier value",
    ),
    (
        "repeats",
        "--misdeed repeat",
        "wrong-output",
        "value 0 was sealed to the same text as an earlier value",
    ),
    ("shuffles", "--misdeed shuffle", "wrong-output", "that differ from the 50176 bytes sealed"),
    ("opens less", "--misdeed wrong-output", "wrong-output", "opened to 50127 bytes"),
    ("no output", "--misdeed no-output", "wrong-output", "left no output"),
    ("gullible", "--misdeed gullible", "not-refused", "one flipped bit went unnoticed"),
    ("end", "--misdeed blind-at-the-end", "not-refused", "one flipped bit went unnoticed"),
    ("denies", "--misdeed wrong-promise", "wrong-output", "says it does not authenticate"),
    ("another value", "--misdeed wrong-digest", "wrong-output", "gave an output with SHA-256"),
    ("counts less", "--misdeed wrong-count", "wrong-count", "was asked for 1 operations, but reported 0"),
];

#[test]
fn every_misdeed_with_records_is_a_row_and_spares_the_others() {
    let lab = Lab::new();
    let mut engines = records("yardstick", "yardstick", "--times 2")
        .replace("AES-256-GCM-base64", "RC4-base64")
        + &records("good", "ours", "--times 3").replace("2-threads", "16-threads");
    SCRIPTS.iter().for_each(|(name, script, ..)| engines += &records(name, "peer", script));
    lab.write("engines.toml", &engines);
    lab.write("job.toml", &job_in_memory("record"));
    let ran = lab.run(&[]);
    let table = ran.table();
    for (name, _, kind, why) in SCRIPTS {
        ran.must_fail(name, kind, why);
        assert_eq!(ran.of("sample", name).len(), 0, "{name}");
        assert!(table.contains(name), "{name} is missing in\n{table}");
    }
    for (name, twins) in [("yardstick", 2), ("good", 1)] {
        assert_eq!(ran.of("fault", name).len(), 0, "{name}");
        assert_eq!(ran.of("sample", name).len(), twins * BLOCKS * (2 + 8), "{name}");
        assert_eq!(ran.of("checked", name).len(), twins, "{name}");
    }
    lab.must_be_tidy();
}

/// A scripted engine that seals values.
fn records(name: &str, role: &str, script: &str) -> String {
    fake(name, role, script)
        .replace("\"file\"", "\"record\"")
        .replace("[\"X25519\"]\n", "[\"AES-256-GCM-base64\"]\nparameters.threads = [\"2-threads\"]\n")
}
