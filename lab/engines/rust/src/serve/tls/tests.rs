//! Every library in every way it has, on small counts; what it has not; and servers that are none.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod crowds;

use super::*;
use crate::jobs;
use crate::serve::credentials;
use crate::workload::fingerprint_of;
use library::Proof;
use std::path::Path;

const SEED: u64 = 7;
/// Two whole pieces, and one that is not.
const BYTES: u64 = 2 * PIECE as u64 + 1_234;
const TRANSPORTS: [&str; 3] = ["memory", "nodelay", "default-sockets"];

fn engines() -> Vec<Tls> {
    vec![
        #[cfg(feature = "openssl")]
        Tls::openssl(),
        Alone::Rustls.engine(),
    ]
}

fn task(job: &'static jobs::Job, algorithm: &str, transport: &str, directory: &Path) -> Task {
    Task {
        job: job.name.into(),
        parameters: job.named(algorithm, transport),
        bytes: job.is_in_bytes().then_some(BYTES),
        concurrency: None,
        seed: SEED,
        directory: directory.display().to_string(),
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
        for way in ways {
            let own = directory.path().join(Self::name(way));
            if !own.exists() {
                std::fs::create_dir(&own).unwrap();
                credentials::write(way, &own).unwrap();
            }
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
fn every_way_proves_itself_over_every_transport() {
    let ways = ways();
    assert_eq!(ways.len(), 3 * 9 + 2 * 4 + 2 * 2);
    let place = Place::new(&ways);
    for mut engine in engines() {
        for way in &ways {
            for transport in TRANSPORTS {
                // Their stalls would take minutes in every way.
                if transport == "default-sockets" && !way.contains("AES_128_GCM_SHA256 X25519 ") {
                    continue;
                }
                check_transfers(&mut engine, way, transport, &place.of(way));
                check_connections(&mut engine, way, transport, &place.of(way));
            }
        }
    }
}

fn check_transfers(engine: &mut Tls, way: &str, transport: &str, directory: &Path) {
    let task = task(&jobs::TLS_TRANSFER, way, transport, directory);
    engine.prepare(&jobs::TLS_TRANSFER, &task).unwrap();
    let wanted = fingerprint_of(&model::input(SEED, BYTES));
    for operation in [Operation::Upload, Operation::Download] {
        for count in [1, 3] {
            let told = connected(engine, operation, 0, count);
            let context = format!("{} {way} {transport} {operation} {told:?}", engine.source.name());
            assert_eq!(
                (told.count, told.bytes, &told.sha256),
                (count, wanted.bytes, &wanted.sha256),
                "{context}"
            );
            assert_eq!((told.full, told.resumed), (1, 0), "{context}");
            check_words(&told, way, &context);
            // Records have some bytes of their own, with CBC up to 60; a handshake would be a thousand more.
            let wire = told.tls.wire_bytes.unwrap();
            assert!(told.span.used.cpu_ns.unwrap() > 0, "{context}");
            assert!((count * BYTES..count * (BYTES + 250)).contains(&wire), "{context}");
        }
    }
}

fn check_connections(engine: &mut Tls, way: &str, transport: &str, directory: &Path) {
    engine.prepare(&jobs::TLS_CONNECT, &task(&jobs::TLS_CONNECT, way, transport, directory)).unwrap();
    // A stall costs 40 ms.
    let count = if transport == "default-sockets" { 2 } else { 20 };
    let mut moved = Vec::new();
    for operation in [Operation::Full, Operation::Resumed, Operation::Resumed] {
        let told = connected(engine, operation, 250, count);
        let context = format!("{} {way} {transport} {operation} {told:?}", engine.source.name());
        let handshakes = if operation == Operation::Full { (count, 0) } else { (0, count) };
        assert_eq!((told.full, told.resumed), handshakes, "{context}");
        let last = fingerprint_of(&[(250 + count - 1) as u8]);
        assert_eq!((told.count, told.bytes, &told.sha256), (count, 1, &last.sha256), "{context}");
        check_words(&told, way, &context);
        assert!(told.tls.client_cpu_ns.unwrap() > 0 && told.tls.server_cpu_ns.unwrap() > 0, "{context}");
        let each = told.each_ns.as_deref().map_or(0, |text| text.split(' ').count() as u64);
        assert_eq!(each, if transport == "memory" { 0 } else { count }, "{context}");
        moved.push(told.tls.wire_bytes.unwrap() / count);
    }
    // No certificate in a resumed one.
    assert!(moved[1] + 200 < moved[0], "{way} {moved:?}");
}

#[test]
fn finite_fields_and_transported_keys_are_openssls_alone() {
    let ways = [
        "TLSv1.2 TLS_DHE_RSA_WITH_AES_128_GCM_SHA256 DH-2048 RSA-2048",
        "TLSv1.2 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-2048",
        "TLSv1.3 TLS_AES_128_GCM_SHA256 DH-2048 ECDSA-P-256",
    ]
    .map(str::to_owned);
    let place = Place::new(&ways);
    for way in &ways {
        #[cfg(feature = "openssl")]
        {
            let mut engine = Tls::openssl();
            check_transfers(&mut engine, way, "nodelay", &place.of(way));
            check_connections(&mut engine, way, "nodelay", &place.of(way));
            #[cfg(target_os = "linux")]
            check_transfers(&mut Alone::OpensslLoop.engine(), way, "nodelay", &place.of(way));
        }
        assert!(is_unsupported(&mut Alone::Rustls.engine(), way, "memory", &place.of(way)), "{way}");
    }
}

#[test]
fn a_group_that_nobody_told_is_unknown() {
    let proof = Proof { protocol: 0x0303, suite: 0, group: 0, resumed: false };
    for (proof, offered, wanted) in [
        (proof, "none", true),
        (proof, "X25519", false),
        (proof, "DH-2048", false),
        (Proof { resumed: true, ..proof }, "X25519", true),
        (Proof { resumed: true, protocol: 0x0304, ..proof }, "X25519", false),
        (Proof { resumed: true, group: 29, ..proof }, "X25519", false),
    ] {
        assert_eq!(proof.is_without_group(offered), wanted, "{proof:?} {offered}");
        #[cfg(feature = "openssl")]
        if proof.group == 0 {
            let way = Way::parse(&format!("TLSv1.2 TLS_ANY {offered} RSA-2048")).unwrap();
            let [_, _, group] = openssl::names(proof, &way);
            assert_eq!(group, if wanted { offered } else { "unknown" });
        }
    }
}

fn is_unsupported(engine: &mut Tls, way: &str, transport: &str, directory: &Path) -> bool {
    jobs::ALL.iter().copied().filter(|job| job.by_plan.is_some()).all(|job| {
        let prepared = engine.prepare(job, &task(job, way, transport, directory));
        matches!(prepared, Err(Answer::Unsupported { .. }))
    })
}

#[test]
fn what_no_library_has_and_what_contradicts_itself_is_unsupported() {
    let right = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256".to_owned();
    let place = Place::new(std::slice::from_ref(&right));
    let directory = place.of(&right);
    let mut all = engines();
    all.extend(loops());
    for mut engine in all {
        for way in [
            "none",
            "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519",
            "TLSv1 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-2048",
            "TLSv1.1 TLS_RSA_WITH_AES_128_CBC_SHA none RSA-2048",
            "TLSv1.2 TLS_RSA_WITH_RC4_128_SHA none RSA-2048",
            "TLSv1.2 TLS_RSA_WITH_3DES_EDE_CBC_SHA none RSA-2048",
            "TLSv1.2 TLS_RSA_WITH_NULL_SHA256 none RSA-2048",
            "TLSv1.2 TLS_DH_anon_WITH_AES_128_CBC_SHA DH-2048 none",
            "TLSv1.2 TLS_DHE_RSA_WITH_AES_128_GCM_SHA256 DH-1024 RSA-2048",
            "TLSv1.2 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 X25519 RSA-1024",
            "TLSv1.2 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 X25519 ECDSA-P-256",
            "TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 X25519MLKEM768 ECDSA-P-256",
            "TLSv1.2 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256",
            "TLSv1.3 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 X25519 ECDSA-P-256",
            "TLSv1.3 TLS_AES_128_GCM_SHA256 none ECDSA-P-256",
            "TLSv1.3 TLS_AES_129_GCM_SHA256 X25519 ECDSA-P-256",
        ] {
            assert!(is_unsupported(&mut engine, way, "nodelay", &directory), "{way}");
        }
        assert!(is_unsupported(&mut engine, &right, "tuned", &directory));
        let crowd = Task { concurrency: Some(2), ..task(&jobs::TLS_CONNECT, &right, "memory", &directory) };
        let prepared = engine.prepare(&jobs::TLS_CONNECT, &crowd).err();
        assert!(matches!(prepared, Some(Answer::Unsupported { .. })), "{prepared:?}");
        assert!(engine.prepare(&jobs::CIPHER, &crowd).is_err());
        assert_eq!(engine.time(Operation::Full, 0, 1), failed("not prepared"));
    }
}

fn loops() -> Vec<Tls> {
    vec![
        Alone::RustlsLoop.engine(),
        #[cfg(all(feature = "openssl", target_os = "linux"))]
        Alone::OpensslLoop.engine(),
    ]
}

#[test]
fn the_yardstick_moves_the_same_bytes() {
    let mut engine = Tls::copying();
    let wanted = fingerprint_of(&model::input(SEED, BYTES));
    for transport in TRANSPORTS {
        engine
            .prepare(&jobs::TLS_TRANSFER, &task(&jobs::TLS_TRANSFER, "none", transport, Path::new("")))
            .unwrap();
        for operation in [Operation::Upload, Operation::Download] {
            let told = connected(&mut engine, operation, 0, 2);
            assert_eq!((told.bytes, told.sha256, told.full), (wanted.bytes, wanted.sha256.clone(), 1));
            assert_eq!(told.tls.wire_bytes, Some(2 * BYTES));
        }
        engine
            .prepare(&jobs::TLS_CONNECT, &task(&jobs::TLS_CONNECT, "none", transport, Path::new("")))
            .unwrap();
        for (operation, handshakes) in [(Operation::Full, (300, 0)), (Operation::Resumed, (0, 300))] {
            let told = connected(&mut engine, operation, 0, 300);
            assert_eq!((told.full, told.resumed), handshakes);
            assert_eq!((told.tls.wire_bytes, told.sha256), (Some(600), fingerprint_of(&[43]).sha256));
            assert_eq!(told.group, "none");
        }
    }
    let way = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";
    assert!(is_unsupported(&mut engine, way, "memory", Path::new("")));
}

#[test]
fn loops_do_what_their_engines_do() {
    let ways = [
        "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256",
        "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519MLKEM768 ECDSA-P-256",
        "TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 X25519 ECDSA-P-256",
    ]
    .map(str::to_owned);
    let place = Place::new(&ways);
    for way in &ways {
        let directory = place.of(way);
        let connect = task(&jobs::TLS_CONNECT, way, "memory", &directory);
        let [by_loop, by_frame] = [Alone::RustlsLoop, Alone::Rustls].map(|which| {
            let mut engine = which.engine();
            engine.prepare(&jobs::TLS_CONNECT, &connect).unwrap();
            let other = engine.time(Operation::Upload, 0, 1);
            assert!(matches!(other, Answer::Unsupported { .. }), "{other:?}");
            connected(&mut engine, Operation::Full, 3, 30)
        });
        assert_eq!(essence(&by_loop), essence(&by_frame));
        assert!(by_loop.tls.wire_bytes.unwrap().abs_diff(by_frame.tls.wire_bytes.unwrap()) < 30 * 10);
        assert_eq!((by_loop.full, by_loop.sha256), (30, fingerprint_of(&[32]).sha256));
        #[cfg(all(feature = "openssl", target_os = "linux"))]
        for operation in [Operation::Upload, Operation::Download] {
            let transfer = task(&jobs::TLS_TRANSFER, way, "nodelay", &directory);
            let [by_loop, by_frame] = [Alone::OpensslLoop.engine(), Tls::openssl()].map(|mut engine| {
                engine.prepare(&jobs::TLS_TRANSFER, &transfer).unwrap();
                connected(&mut engine, operation, 0, 5)
            });
            assert_eq!(essence(&by_loop), essence(&by_frame));
            assert_eq!(by_loop.sha256, fingerprint_of(&model::input(SEED, BYTES)).sha256);
            assert_eq!(by_loop.tls.wire_bytes, by_frame.tls.wire_bytes);
            let ends = [by_loop.tls.client_cpu_ns, by_loop.tls.server_cpu_ns].map(Option::unwrap);
            assert!(ends[0] > 0 && ends[1] > 0 && by_loop.span.used.cpu_ns == Some(ends[0] + ends[1]));
        }
    }
}

/// All but the figures.
fn essence(told: &Connected) -> [String; 5] {
    let Connected { count, bytes, sha256, protocol, suite, group, full, resumed, .. } = told;
    let handshakes = format!("{count} {bytes} {full} {resumed}");
    [handshakes, sha256.clone(), protocol.clone(), suite.clone(), group.clone()]
}

#[test]
fn a_server_that_is_none_is_a_failure_in_time_and_the_engine_goes_on() {
    let way = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256".to_owned();
    let place = Place::new(std::slice::from_ref(&way));
    // Waiting takes no processor: all wait at once.
    std::thread::scope(|scope| {
        for peer in [Peer::Stalls, Peer::Resets, Peer::Plain] {
            for which in 0..engines().len() {
                let directory = place.of(&way);
                scope.spawn(move || {
                    let mut engine = engines().swap_remove(which);
                    for transport in ["memory", "nodelay"] {
                        fails_in_time(
                            &mut engine,
                            peer,
                            &task(&jobs::TLS_CONNECT, "", transport, &directory),
                        );
                        fails_in_time(
                            &mut engine,
                            peer,
                            &task(&jobs::TLS_TRANSFER, "", transport, &directory),
                        );
                    }
                });
            }
        }
    });
}

fn fails_in_time(engine: &mut Tls, peer: Peer, task: &Task) {
    let (way, job) = ("TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256", jobs::named(&task.job).unwrap());
    let right = Task { parameters: job.named(way, task.parameter("transport")), ..task.clone() };
    let operation = job.operations[0];
    engine.prepare(job, &Task { peer: Some(peer), ..right.clone() }).unwrap();
    let start = std::time::Instant::now();
    let Answer::Failed { why } = engine.time(operation, 0, 3) else { panic!("{peer:?} {task:?}") };
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    let words = match peer {
        Peer::Stalls => "the client waited in vain while shaking hands",
        Peer::Resets => "reset",
        Peer::Plain => "the client failed while shaking hands",
    };
    assert!(why.contains(words), "{peer:?} {task:?}: {why}");
    engine.prepare(job, &right).unwrap();
    assert_eq!(connected(engine, operation, 0, 3).count, 3);
}

fn check_words(told: &Connected, way: &str, context: &str) {
    let words = format!("{} {} {}", told.protocol, told.suite, told.group);
    assert!(way.starts_with(&format!("{words} ")), "{context}");
}
