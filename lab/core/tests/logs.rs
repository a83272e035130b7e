//! Every fault of a log filter becomes a row, and the rest of the run goes on.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod lab;

use lab::{Lab, fake, job};

const BLOCKS: usize = 2;

/// Name, script, the kind of its fault, a part of its reason, and how many samples it keeps. The check is three runs, each
/// block two, and both directions are looked at once more behind the last.
const SCRIPTS: [(&str, &str, &str, &str, usize); 9] = [
    ("unsupported", "--misdeed unsupported", "unsupported", "X25519", 0),
    ("fails later", "--misdeed fail --from-run 5", "failed", "scripted to fail", 2),
    ("leaves plain", "--misdeed bare", "wrong-output", "its output has a value in the clear", 0),
    (
        "leaves plain in the end",
        "--misdeed bare --from-run 7",
        "wrong-output",
        "its output has a value in the clear",
        4,
    ),
    ("gullible", "--misdeed gullible", "not-refused", "one flipped bit went unnoticed", 0),
    ("opens less", "--misdeed wrong-output", "wrong-output", "that differ from the", 0),
    (
        "opens less in the end",
        "--misdeed wrong-output --from-run 7",
        "wrong-output",
        "that differ from the",
        4,
    ),
    ("no output", "--misdeed no-output", "wrong-output", "left no output", 0),
    ("timeless", "--misdeed timeless --from-run 5", "wrong-time", "reported a time of 0 ns", 2),
];

#[test]
fn every_misdeed_with_logs_is_a_row_and_spares_the_others() {
    for kind in ["log-json", "log-combined", "log-short"] {
        let lab = Lab::new();
        let of_logs = |name, role, script| fake(name, role, script).replace("\"file\"", &format!("{kind:?}"));
        let masking = |name| of_logs(name, "peer", "--times 4").replace("X25519", "mask");
        let mut engines = of_logs("yardstick", "yardstick", "--times 2").replace("X25519", "none");
        engines += &of_logs("good", "ours", "--times 3");
        engines += &masking("stars");
        SCRIPTS.iter().for_each(|(name, script, ..)| engines += &of_logs(name, "peer", script));
        lab.write("engines.toml", &engines);
        lab.write("job.toml", &job(kind));
        let ran = lab.run(&[]);
        let table = ran.table();
        for (name, _, kind, why, samples) in SCRIPTS {
            ran.must_fail(name, kind, why);
            assert_eq!(ran.of("sample", name).len(), samples, "{name}");
            assert!(table.contains(name), "{name} is missing in\n{table}");
        }
        for (name, samples) in [("yardstick", 2 * 2), ("good", 2), ("stars", 1)] {
            assert_eq!(ran.of("fault", name).len(), 0, "{name}");
            assert_eq!(ran.of("sample", name).len(), samples * BLOCKS, "{name}");
        }
        let stars = ran.of("sample", "stars");
        assert!(stars.iter().all(|sample| sample["operation"] == "seal"), "{stars:?}");
        lab.must_be_tidy();
    }
}
