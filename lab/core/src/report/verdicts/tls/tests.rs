#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::Cell;
use super::said;
use crate::engine::Role;
use crate::protocol::{Operation, Shape};
use crate::rows::{Stalls, Tls};
use crate::summary::made::{BLOCKS, CONNECT, Made, TRANSFER};

fn sentences(job: &str, cells: &[&Cell]) -> Vec<String> {
    said(job, cells)
}

const X25519: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";
const HYBRID: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519MLKEM768 ECDSA-P-256";
const CHACHA: &str = "TLSv1.3 TLS_CHACHA20_POLY1305_SHA256 X25519 ECDSA-P-256";

const PLACE: &str = "tls-connect, 1 at a time";

fn told(made: &Made, job: &str) -> Vec<String> {
    let cells = made.cells();
    sentences(job, &cells.iter().filter(|cell| cell.job == job).collect::<Vec<_>>())
}

fn wire(bytes: u64) -> Tls {
    Tls { wire_bytes: Some(bytes), ..Tls::default() }
}

/// Two libraries, two groups, full and resumed, in memory.
fn handshakes() -> Made {
    let mut made = Made::default();
    for (operation, part) in [(Operation::Full, 4), (Operation::Resumed, 1)] {
        for (engine, times) in [("openssl", 3), ("rustls", 2)] {
            for (way, ns, bytes) in [(X25519, 50_000, 2_012), (HYBRID, 75_000, 4_264)] {
                let named = (engine, way, Shape::Memory);
                made.spent(CONNECT, 1, named, operation, ns * times * part, wire(bytes));
            }
        }
    }
    made
}

#[test]
fn what_handshakes_cost_is_told_engine_by_engine() {
    let told = told(&handshakes(), CONNECT);
    let way = "TLSv1.3 TLS_AES_128_GCM_SHA256";
    let slower = "takes 1.50 × its time (1.50 to 1.50): slower";
    for expected in [
        format!(
            "{PLACE}, full, {way} X25519 ECDSA-P-256 (memory): fastest is rustls, 2500 connections/s; openssl {slower}"
        ),
        format!(
            "{PLACE}, resumed, {way} X25519MLKEM768 ECDSA-P-256 (memory): fastest is rustls, 6667 connections/s; openssl \
             {slower}"
        ),
        format!(
            "{PLACE}, full: with openssl (memory) a hybrid handshake (X25519MLKEM768) costs both ends together, against X25519, 50 % more CPU \
             (50 % to 50 %) and 2252 bytes more"
        ),
        format!(
            "{PLACE}: rustls (memory) opens, in a second, 2500 full and 10000 resumed with X25519; 1667 full and 6667 resumed \
             with X25519MLKEM768 (TLSv1.3, TLS_AES_128_GCM_SHA256, ECDSA-P-256)"
        ),
        format!(
            "{PLACE}: what resuming saves openssl (memory), most with X25519: a full one takes 4.00 × the time of a \
             resumed one (4.00 to 4.00): slower; least with X25519MLKEM768: a full one takes 4.00 × the time of a resumed \
             one (4.00 to 4.00): slower"
        ),
    ] {
        assert!(told.contains(&expected), "{expected}\n{told:#?}");
    }
    // Two groups of two operations, and three sentences about each engine.
    assert_eq!(told.len(), 4 + 3 * 2);
}

#[test]
fn a_cost_that_cannot_be_told_is_undecided() {
    let mut made = Made::default();
    for block in 0..BLOCKS {
        for (way, cpu) in [(X25519, 100), (HYBRID, if block % 2 == 0 { 60 } else { 160 })] {
            made.sample(CONNECT, 1, ("openssl", way, Shape::Memory), Operation::Full, block, |sample| {
                sample.cpu_ns = Some(cpu);
                sample.tls = Some(wire(2_000 + cpu));
            });
        }
    }
    let told = told(&made, CONNECT).join("\n");
    assert!(told.contains("2 % less CPU (-60 % to 40 %; undecided (too wide an interval)) and"), "{told}");
    let mut few = handshakes();
    few.rows.retain(|row| !matches!(row, crate::rows::Row::Sample(sample) if sample.block > 0));
    let told = self::told(&few, CONNECT);
    assert_eq!(
        told[0],
        "tls-connect: too few blocks for a verdict: no size has the two that an interval needs"
    );
    assert!(
        told[1]
            .ends_with("50 % more CPU (range 50 % to 50 %; undecided (too few blocks)) and 2252 bytes more"),
        "{told:#?}"
    );
    assert!(!told.join("").contains("fastest"));
}

#[test]
fn what_waited_is_held_against_nothing() {
    let mut made = handshakes();
    let stalled =
        Tls { stalls: Some(Stalls { seen: 9, stalled: 9, usual_ns: 44_000_000 }), ..Tls::default() };
    for (engine, shape) in [("slow", Shape::Memory), ("rustls", Shape::DefaultSockets)] {
        made.spent(CONNECT, 1, (engine, X25519, shape), Operation::Full, 44_000_000, stalled);
    }
    // A default socket without any stall is no library's speed, either.
    made.timed(CONNECT, 1, ("openssl", X25519, Shape::DefaultSockets), Operation::Full, 1);
    made.timed(CONNECT, 1, ("rustls-loop", X25519, Shape::Memory), Operation::Full, 1);
    let told = told(&made, CONNECT);
    let (stalls, rest): (Vec<&String>, Vec<&String>) = told.iter().partition(|it| it.contains("stalled"));
    assert_eq!(rest.len(), told_of_handshakes());
    let expected = [
        "slow (memory) 72 of 72 connections: as if ",
        "rustls (default-sockets) 72 of 72 connections: small ",
    ]
    .map(|part| format!("tls-connect, 1 at a time, full: stalled for about 44 ms: {part}"));
    let are_told = stalls.iter().zip(&expected).all(|(told, part)| told.starts_with(part));
    assert!(stalls.len() == 2 && are_told, "{stalls:#?}");
    assert!(
        !rest.iter().any(|it| it.contains("slow ") || it.contains("default") || it.contains("-loop")),
        "{rest:#?}"
    );
}

fn told_of_handshakes() -> usize {
    told(&handshakes(), CONNECT).len()
}

#[test]
fn sockets_and_more_at_once_are_told_of_the_same_line() {
    let mut made = handshakes();
    for (engine, ns) in [("openssl", 660_000), ("rustls", 600_000)] {
        made.timed(CONNECT, 1, (engine, X25519, Shape::Nodelay), Operation::Full, ns);
        made.timed(CONNECT, 8, (engine, X25519, Shape::Nodelay), Operation::Full, 330_000);
    }
    for size in [1, 8] {
        made.timed(CONNECT, size, ("Go", X25519, Shape::DefaultSockets), Operation::Full, 1_000);
    }
    let told = told(&made, CONNECT);
    assert!(!told.iter().any(|it| it.contains("Go")), "{told:#?}");
    for expected in [
        "tls-connect, 1 at a time, full: over sockets (nodelay) openssl takes 1.10 × its time in memory (1.10 to 1.10): slower; \
         rustls takes 1.50 × its time in memory (1.50 to 1.50): slower",
        "tls-connect, 8 at once, full, against 1 at a time: openssl (nodelay) opens 2.00 × as many (2.00 to 2.00): more; rustls \
         (nodelay) opens 1.82 × as many (1.82 to 1.82): more",
    ] {
        assert!(told.iter().any(|it| it == expected), "{expected}\n{told:#?}");
    }
    // One of three blocks takes half as long.
    made.rows.retain(|row| !matches!(row, crate::rows::Row::Sample(sample) if sample.block > 2));
    made.samples().filter(|it| it.size == 8 && it.block == 1).for_each(|sample| sample.wall_ns /= 2);
    let told = self::told(&made, CONNECT).join("\n");
    let range = "openssl (nodelay) opens 2.00 × as many (range 2.00 to 4.00): undecided (too few blocks)";
    assert!(told.contains(range), "{told}");
}

#[test]
fn one_library_on_two_jdks_is_no_contest() {
    let mut made = Made::default();
    for (jdk, ns) in [("17", 1_000), ("25", 900)] {
        let engine = made.jvm("SunJSSE", jdk);
        made.timed(CONNECT, 1, (&engine, X25519, Shape::Memory), Operation::Full, ns);
    }
    assert_eq!(told(&made, CONNECT), [""; 0]);
    made.timed(CONNECT, 1, ("Go", X25519, Shape::Memory), Operation::Full, 800);
    assert!(told(&made, CONNECT)[0].contains("fastest is Go"));
}

#[test]
fn transfers_tell_the_fastest_library_and_suite() {
    let mut made = Made::default();
    made.role("copy", Role::Yardstick);
    for (operation, ours) in [(Operation::Upload, 1), (Operation::Download, 3)] {
        made.timed(TRANSFER, 1_000_000, ("copy", "none", Shape::Nodelay), operation, 100_000);
        for (engine, times) in [("openssl", ours), ("rustls", 2)] {
            for (way, ns) in [(X25519, 500_000), (CHACHA, 700_000)] {
                made.timed(TRANSFER, 1_000_000, (engine, way, Shape::Nodelay), operation, ns * times);
            }
        }
    }
    let told = told(&made, TRANSFER);
    let place = "tls-transfer, 1.00 MB";
    for expected in [
        format!(
            "{place}, upload, {X25519} (nodelay): fastest is openssl, 2.00 GB/s; rustls takes 2.00 × its time (2.00 to 2.00): \
             slower"
        ),
        format!(
            "{place}, download, {CHACHA} (nodelay): fastest is rustls, 714 MB/s; openssl takes 1.50 × its time (1.50 to 1.50): \
             slower"
        ),
        format!(
            "{place}, upload: with rustls (nodelay) the fastest suite is TLS_AES_128_GCM_SHA256, 1.00 GB/s; the slowest, \
             TLS_CHACHA20_POLY1305_SHA256 takes 1.40 × its time (1.40 to 1.40): slower"
        ),
    ] {
        assert!(told.contains(&expected), "{expected}\n{told:#?}");
    }
    assert_eq!(told.len(), 6);
}
