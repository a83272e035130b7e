//! Every library in every way it has, on small counts; what it has not; servers that are none; and what is left behind.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use super::*;
use crate::tls::Credentials;
use crate::workload::fingerprint_of;
use std::path::Path;

const SEED: u64 = 7;
/// Two whole pieces, and one that is not.
const BYTES: u64 = 2 * PIECE as u64 + 1_234;
const SHAPES: [Shape; 3] = [Shape::Memory, Shape::Nodelay, Shape::DefaultSockets];

fn engines() -> Vec<Tls> {
    vec![
        #[cfg(feature = "openssl")]
        Tls::openssl(),
        Alone::Rustls.engine(),
    ]
}

fn task(job: Kind, algorithm: &str, shape: Shape, directory: &Path) -> Task {
    Task {
        job: job.name().into(),
        algorithm: algorithm.into(),
        shape,
        bytes: if job == Kind::TlsTransfer { BYTES } else { 1 },
        seed: SEED,
        directory: directory.display().to_string(),
        concurrency: None,
        peer: None,
    }
}

/// Every four words of today's suites that make sense.
fn ways() -> Vec<String> {
    const OF_13: [&str; 3] =
        ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];
    const OF_12: [&str; 4] = [
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    ];
    let mut ways = Vec::new();
    for (protocol, suites) in [("TLSv1.3", &OF_13[..]), ("TLSv1.2", &OF_12)] {
        for suite in suites {
            for group in ["X25519", "P-256", "X25519MLKEM768"] {
                for certificate in ["RSA-2048", "ECDSA-P-256", "Ed25519"] {
                    ways.push(format!("{protocol} {suite} {group} {certificate}"));
                }
            }
        }
    }
    ways.retain(|way| sense::contradiction(&Way::parse(way).unwrap()).is_none());
    ways
}

/// A directory of credentials for each way, made once.
struct Place(tempfile::TempDir);

impl Place {
    fn new(ways: &[String]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let all = Credentials::make(directory.path().join("all"), ways.iter().map(String::as_str)).unwrap();
        for way in ways {
            let own = directory.path().join(Self::name(way));
            std::fs::create_dir_all(&own).unwrap();
            all.place(way, &own).unwrap();
        }
        Self(directory)
    }

    fn of(&self, way: &str) -> std::path::PathBuf {
        self.0.path().join(Self::name(way))
    }

    fn name(way: &str) -> &str {
        way.rsplit(' ').next().unwrap()
    }
}

fn connected(engine: &mut Tls, operation: Operation, first: u64, count: u64) -> Connected {
    match engine.time(operation, first, count) {
        Answer::Connected(connected) => *connected,
        other => panic!("{} {operation}: {other:?}", engine.source.name()),
    }
}

#[test]
fn every_way_proves_itself_in_every_shape() {
    let ways = ways();
    assert_eq!(ways.len(), 3 * 9 + 2 * 4 + 2 * 2);
    let place = Place::new(&ways);
    for mut engine in engines() {
        for way in &ways {
            for shape in SHAPES {
                // Their stalls would take minutes in every way.
                if shape == Shape::DefaultSockets && !way.contains("AES_128_GCM_SHA256 X25519 ") {
                    continue;
                }
                check_transfers(&mut engine, way, shape, &place.of(way));
                check_connections(&mut engine, way, shape, &place.of(way));
            }
        }
    }
}

fn check_transfers(engine: &mut Tls, way: &str, shape: Shape, directory: &Path) {
    let task = task(Kind::TlsTransfer, way, shape, directory);
    engine.prepare(Kind::TlsTransfer, &task).unwrap();
    let wanted = fingerprint_of(&model::input(SEED, BYTES));
    for operation in [Operation::Upload, Operation::Download] {
        for count in [1, 3] {
            let told = connected(engine, operation, 0, count);
            let context = format!("{} {way} {shape} {operation} {told:?}", engine.source.name());
            assert_eq!(
                (told.count, told.bytes, &told.sha256),
                (count, wanted.bytes, &wanted.sha256),
                "{context}"
            );
            assert_eq!((told.full, told.resumed), (1, 0), "{context}");
            check_words(&told, way, &context);
            // Records have some 22 bytes of their own; a handshake would be a thousand more.
            let wire = told.wire_bytes.unwrap();
            assert!((count * BYTES..count * (BYTES + 150)).contains(&wire), "{context}");
        }
    }
}

fn check_connections(engine: &mut Tls, way: &str, shape: Shape, directory: &Path) {
    engine.prepare(Kind::TlsConnect, &task(Kind::TlsConnect, way, shape, directory)).unwrap();
    // A stall costs 40 ms.
    let count = if shape == Shape::DefaultSockets { 2 } else { 20 };
    let mut moved = Vec::new();
    for operation in [Operation::Full, Operation::Resumed, Operation::Resumed] {
        let told = connected(engine, operation, 250, count);
        let context = format!("{} {way} {shape} {operation} {told:?}", engine.source.name());
        let handshakes = if operation == Operation::Full { (count, 0) } else { (0, count) };
        assert_eq!((told.full, told.resumed), handshakes, "{context}");
        let last = fingerprint_of(&[(250 + count - 1) as u8]);
        assert_eq!((told.count, told.bytes, &told.sha256), (count, 1, &last.sha256), "{context}");
        check_words(&told, way, &context);
        assert!(told.client_cpu_ns.unwrap() > 0 && told.server_cpu_ns.unwrap() > 0, "{context}");
        let each = told.each_ns.as_deref().map_or(0, |text| text.split(' ').count() as u64);
        assert_eq!(each, if shape == Shape::Memory { 0 } else { count }, "{context}");
        moved.push(told.wire_bytes.unwrap() / count);
    }
    // No certificate in a resumed one.
    assert!(moved[1] + 200 < moved[0], "{way} {moved:?}");
}

fn check_words(told: &Connected, way: &str, context: &str) {
    let words = format!("{} {} {}", told.protocol, told.suite, told.group);
    assert!(way.starts_with(&format!("{words} ")), "{context}");
}
