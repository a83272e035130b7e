//! Lines over transports, of which some waited.

use super::fixtures::{CONNECT, Made};
use super::*;
use crate::rows::{Stalls, Tls};

const WAY: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";

#[test]
fn figures_are_those_of_one_connection() {
    let mut made = Made::default();
    for (block, cpu) in [(0, 300), (1, 100), (2, 200)] {
        let stalls = Stalls { seen: 10, stalled: 2 + block, usual_ns: 40 + block };
        made.sample(CONNECT, 1, ("openssl", WAY, "memory"), Operation::Full, block, |sample| {
            sample.count = 10;
            sample.tls = Some(Tls {
                client_cpu_ns: Some(cpu * 10),
                server_cpu_ns: None,
                wire_bytes: Some(20_000 + cpu),
                stalls: Some(stalls),
            });
        });
    }
    let mut cells = made.cells();
    let line = &mut cells[0].lines[0];
    assert_eq!((line.client_cpu_ns, line.server_cpu_ns), (Some(200.0), None));
    assert_eq!(line.wire_bytes, Some(2_020.0));
    assert_eq!(line.stalled, Some(0.3));
    assert!(line.has_stalled());
    line.stalled = Some(9.0 / 37.0);
    assert!(!line.has_stalled());
}

#[test]
fn a_reference_is_of_the_same_shape() {
    let mut made = Made::default();
    made.role("copy", crate::rows::Role::Yardstick);
    for how in ["memory", "nodelay"] {
        made.timed(CONNECT, 1, ("openssl", WAY, how), Operation::Full, 1_000);
    }
    for how in ["nodelay", "default-sockets"] {
        made.timed(CONNECT, 1, ("copy", "none", how), Operation::Full, 100);
    }
    made.reference(CONNECT, 1, ("openssl", WAY, "memory"));
    let cells = made.cells();
    let groups: Vec<Group> = cells[0].groups().into_iter().collect();
    assert_eq!(groups, ["memory", "nodelay", "default-sockets"].map(|how| how.to_string()));
    let engine_in = |group: &Group| Some(cells[0].reference_in(group)?.engine());
    let engines = groups.iter().map(engine_in);
    assert_eq!(engines.collect::<Vec<_>>(), [Some("openssl"), Some("openssl"), None]);
    let lines = cells[0].contestants_and_yardstick();
    let yardsticks = lines.map(|line| Some(cells[0].yardstick_of(line)?.line.how()));
    let nodelay = Some("nodelay");
    assert_eq!(yardsticks.collect::<Vec<_>>(), [nodelay, None, None, nodelay]);
    // Where the reference itself has no figure its transport's yardstick is none.
    made.timed(CONNECT, 8, ("copy", "none", "nodelay"), Operation::Full, 100);
    made.timed(CONNECT, 8, ("openssl", WAY, "nodelay"), Operation::Full, 1_000);
    made.reference(CONNECT, 8, ("openssl", WAY, "memory"));
    let many = made.cells().remove(1);
    assert_eq!(many.reference_in("nodelay").unwrap().engine(), "openssl");
    assert!(
        cells[0].is_by_transport() && cells[0].lines.iter().any(|line| !line.parameter("suite").is_empty())
    );
}

#[test]
fn a_difference_is_held_against_the_noise_of_its_own_shape() {
    let mut made = Made::default();
    for how in ["memory", "nodelay"] {
        made.timed(CONNECT, 1, ("openssl", WAY, how), Operation::Full, 1_000_000);
        made.timed(CONNECT, 1, ("rustls", WAY, how), Operation::Full, 1_050_000);
    }
    for sample in made.samples() {
        if sample.line.again && sample.line.how() == "nodelay" {
            sample.wall_ns += sample.wall_ns / 10;
        }
    }
    let words = |made: &Made| {
        let cell = made.cells().remove(0);
        let of = |engine, how| cell.lines.iter().find(|l| l.engine() == engine && l.line.how() == how);
        [("memory", "memory"), ("nodelay", "nodelay"), ("nodelay", "memory")].map(|(one, other)| {
            let pair = (of("rustls", one).unwrap(), of("openssl", other).unwrap());
            let across = across((&cell, pair.0), (&cell, pair.1)).unwrap();
            let ratio = cell.compare(pair.0, pair.1).unwrap();
            assert_eq!(across.verdict, ratio.verdict);
            crate::format::verdict(ratio.verdict).0
        })
    };
    assert_eq!(words(&made), ["slower", "undecided", "undecided"]);
    made.rows.retain(|row| !matches!(row, crate::rows::Row::Sample(sample) if sample.line.again && sample.line.how() == "nodelay"));
    assert_eq!(words(&made), ["slower", "undecided", "undecided"]);
    made.rows.retain(|row| !matches!(row, crate::rows::Row::Sample(sample) if sample.line.again));
    assert_eq!(words(&made), ["undecided"; 3]);
}
