//! Jobs `tls-transfer` and `tls-connect`: what is asked of an engine, and what its answers must prove.

mod credentials;
mod span;
mod stalls;

use super::{Among, Beside, Choice, Cost, Job, Parameter, Proved, Unit};
use crate::parameters::Parameters;
use crate::protocol::Operation;
use crate::workload::Fingerprint;

pub static TLS_TRANSFER: Job = Job {
    name: "tls-transfer",
    operations: &[Operation::Upload, Operation::Download],
    about: "TLS transfer",
    choice: Choice {
        operations: &[(Operation::Upload, "send"), (Operation::Download, "receive")],
        among: Among::Libraries,
        ..Choice::OF_ANY
    },
    // Processes that send over a socket take 1.7 times as long while the cores are apart, whichever library they use.
    unrest: 0.3,
    ..OF_TLS
};

pub static TLS_CONNECT: Job = Job {
    name: "tls-connect",
    operations: &[Operation::Full, Operation::Resumed],
    unit: Unit::Connections,
    about: "TLS connection",
    choice: Choice { operations: &[(Operation::Full, "connect")], among: Among::Libraries, ..Choice::OF_ANY },
    costs: &[
        Cost {
            about: "post-quantum TLS",
            headline: "Turn on X25519MLKEM768 if recorded traffic must stay secret: a handshake takes {} × the CPU time.",
            untold: "This run cannot tell what a handshake with X25519MLKEM768 costs.",
            unit: "the CPU time of an X25519 handshake",
            groups: Some(["X25519MLKEM768", "X25519"]),
        },
        Cost {
            about: "resumed TLS",
            headline: "Resume sessions: a full connection takes {} × the time of a resumed one.",
            untold: "This run cannot tell what resuming saves.",
            unit: "the time of a resumed connection",
            groups: None,
        },
    ],
    ..OF_TLS
};

const OF_TLS: Job = Job {
    parameters: &[
        Parameter::of("protocol", &["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"]),
        // The names of the IANA registry.
        Parameter::of("suite", &["TLS_*"]),
        Parameter::of(
            "group",
            &["X25519", "P-256", "X25519MLKEM768", "DH-768", "DH-1024", "DH-2048", "none", "export"],
        ),
        Parameter::of("certificate", &["none", "RSA-1024", "RSA-2048", "ECDSA-P-256", "Ed25519"]),
        Parameter::of("transport", &[MEMORY, "nodelay", "default-sockets"]),
    ],
    by_plan: Some(is_legacy),
    has_threads: |line| line.how() != MEMORY,
    own_process: true,
    equip: |input, _, lines| credentials::make(input, lines),
    place: credentials::place,
    check: |runner, operation| {
        let bytes = runner.time(operation, 2)?.output_bytes.unwrap_or(0);
        Ok(Proved::from(Fingerprint { bytes, sha256: String::new() }))
    },
    time: span::time,
    beside: Beside::SameTransport,
    broken: &["NULL", "EXPORT", "anon", "RC4", "DES", "MD5"],
    ..Job::IN_MEMORY
};

/// The transport without sockets.
const MEMORY: &str = "memory";

/// True if nobody should use it any more: only an engine that says so of itself is asked for it.
fn is_legacy(way: &Parameters) -> bool {
    const WEAK: [&str; 7] = ["_RC4_", "_DES_", "_DES40_", "_3DES_", "_NULL_", "_anon_", "_EXPORT_"];
    let is = |name: &str, old: &[&str]| way.get(name).is_some_and(|value| old.contains(&value));
    is("protocol", &["TLSv1", "TLSv1.1"])
        || way.get("suite").is_some_and(|suite| WEAK.iter().any(|part| suite.contains(part)))
        || is("group", &["DH-768", "DH-1024", "export"])
        || is("certificate", &["RSA-1024"])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::jobs::{CIPHER, FILE, PAYLOAD};

    #[test]
    fn one_thread_has_one_connection_and_needs_no_second_core() {
        let line = |job: &Job, how| {
            let parameters = job.named("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256", how);
            crate::rows::Line { engine: "openssl".into(), parameters, again: false }
        };
        let has = ["memory", "nodelay"].map(|how| (TLS_TRANSFER.has_threads)(&line(&TLS_TRANSFER, how)));
        assert_eq!(has, [false, true]);
        let is_possible = |(how, at_once)| TLS_CONNECT.is_possible(&line(&TLS_CONNECT, how), at_once);
        assert_eq!([("memory", 1), ("memory", 8), ("nodelay", 8)].map(is_possible), [true, false, true]);
        // A file is opened by threads that take a part each, and a stream by one.
        let payload = |how| {
            (PAYLOAD.has_threads)(&crate::rows::Line {
                parameters: PAYLOAD.named("AES-128-GCM", how),
                ..line(&TLS_CONNECT, "memory")
            })
        };
        assert_eq!(
            ["verify-then-release", "chunked", "stream", "wss4j"].map(payload),
            [true, true, false, false]
        );
        // Bytes are no connections.
        assert!(TLS_TRANSFER.is_possible(&line(&TLS_TRANSFER, "memory"), 1 << 20));
    }

    /// The next block runs it backwards: an order that is drawn and not used would break the pair.
    #[test]
    fn a_block_of_processes_one_after_the_other_has_one_order() {
        let passes = [&TLS_CONNECT, &TLS_TRANSFER, &PAYLOAD, &FILE, &CIPHER].map(Job::passes);
        assert_eq!(passes, [1, 1, 1, 1, 4]);
    }

    #[test]
    fn four_words_are_read_and_others_are_told_apart() {
        for text in [
            "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256",
            "TLSv1.2 TLS_RSA_WITH_AES_128_GCM_SHA256 none RSA-2048",
            "TLSv1 TLS_DH_anon_WITH_RC4_128_MD5 DH-768 none",
        ] {
            assert_eq!(TLS_CONNECT.mistake(text), None);
            let way = TLS_CONNECT.named(text, "");
            let names = ["protocol", "suite", "group", "certificate"];
            assert_eq!(names.map(|name| way.get(name).unwrap()).join(" "), text);
        }
        for (text, part) in [
            ("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519", "form \"PROTOCOL SUITE GROUP CERTIFICATE\""),
            ("SSLv2 TLS_AES_128_GCM_SHA256 X25519 Ed25519", "protocol \"SSLv2\" is not one of TLSv1,"),
            ("TLSv1.3 SSL_AES X25519 Ed25519", "suite \"SSL_AES\""),
            ("TLSv1.3 TLS_AES_128_GCM_SHA256 x25519 Ed25519", "group \"x25519\""),
            ("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 RSA", "certificate \"RSA\""),
        ] {
            let mistake = TLS_CONNECT.mistake(text).unwrap();
            assert!(mistake.contains(part), "{mistake}");
        }
    }

    #[test]
    fn what_nobody_should_use_is_told_apart() {
        for (text, legacy) in [
            ("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 Ed25519", false),
            ("TLSv1.2 TLS_DHE_RSA_WITH_AES_128_GCM_SHA256 DH-2048 RSA-2048", false),
            ("TLSv1.2 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-2048", false),
            ("TLSv1.1 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-2048", true),
            ("TLSv1.2 TLS_RSA_WITH_RC4_128_SHA none RSA-2048", true),
            ("TLSv1.2 TLS_RSA_WITH_3DES_EDE_CBC_SHA none RSA-2048", true),
            ("TLSv1.2 TLS_RSA_WITH_NULL_SHA none RSA-2048", true),
            ("TLSv1.2 TLS_DH_anon_WITH_AES_128_CBC_SHA DH-2048 none", true),
            ("TLSv1.2 TLS_RSA_EXPORT_WITH_RC4_40_MD5 export RSA-2048", true),
            ("TLSv1.2 TLS_RSA_WITH_DES_CBC_SHA none RSA-2048", true),
            ("TLSv1.2 TLS_DHE_RSA_WITH_AES_128_CBC_SHA DH-1024 RSA-2048", true),
            ("TLSv1.2 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-1024", true),
        ] {
            assert_eq!(is_legacy(&TLS_CONNECT.named(text, "")), legacy, "{text}");
        }
    }
}
