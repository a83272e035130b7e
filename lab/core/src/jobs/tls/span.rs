//! A span of connections: what it must prove before its times count.

use super::stalls::stalls;
use crate::child::Fault;
use crate::jobs::Unit;
use crate::jobs::runner::{Outcome, Runner, bad_news, same_count};
use crate::parameters::NONE;
use crate::protocol::{Answer, Connected, Operation, Tls};
use crate::rows::{FaultKind, Sample};
use crate::workload::fingerprint_of;
use std::ops::Range;

/// Has a span timed; every connection in it must be what was asked for.
pub fn time(runner: &mut Runner, operation: Operation, count: u64) -> Outcome<Sample> {
    let (first, connected) = match runner.ask_for_span(operation, count)? {
        (first, Answer::Connected(connected)) => (first, connected),
        (_, other) => return Err(bad_news(other)),
    };
    must_be(runner, operation, first..first + count, &connected)?;
    Ok(timed(runner, operation, &connected))
}

/// An answer must be what was asked for, all that the specification wants told, and possible.
fn must_be(runner: &Runner, operation: Operation, asked: Range<u64>, told: &Connected) -> Outcome<()> {
    let (cell, line, Connected { bytes, sha256, full, resumed, .. }) = (&runner.cell, &runner.line, told);
    let count = asked.end - asked.start;
    same_count(told.count, count)?;
    let of_connections = cell.job.unit == Unit::Connections;
    let wanted =
        if of_connections { fingerprint_of(&[(asked.end - 1) as u8]) } else { cell.original.clone() };
    if (*bytes, sha256) != (wanted.bytes, &wanted.sha256) {
        let (is, was) = (format!("{bytes} bytes with SHA-256 {sha256:.16}…"), wanted.bytes);
        let why = format!("{is} arrived, not {was} with {:.16}…", wanted.sha256);
        return Err(Fault::new(FaultKind::WrongOutput, why));
    }
    let handshakes = match operation {
        Operation::Resumed => (0, count),
        Operation::Full => (count, 0),
        _ => (1, 0),
    };
    let [protocol, suite, group] =
        ["protocol", "suite", "group"].map(|name| line.parameters.get(name).unwrap_or(NONE));
    let was = in_words(protocol, suite, group, handshakes);
    let is = in_words(&told.protocol, &told.suite, &told.group, (*full, *resumed));
    if was != is {
        return Err(Fault::new(FaultKind::WrongConnection, format!("{is}, not {was}")));
    }
    let least = count.saturating_mul(wanted.bytes);
    let is_in_memory = line.how() == super::MEMORY;
    let is_one_by_one = of_connections && cell.size.amount == 1 && !is_in_memory;
    let each = each(told).len();
    let why = match told.tls.wire_bytes {
        None if is_in_memory => "reported no bytes on the wire".to_owned(),
        Some(wire) if wire < least => {
            format!("reported {wire} bytes on the wire, fewer than the {least} that were sent")
        }
        _ if is_one_by_one && each as u64 != count.min(MOST_TOLD) => {
            format!("reported times of {each} of {count} connections")
        }
        _ => return Ok(()),
    };
    Err(Fault::new(FaultKind::Garbage, why))
}

/// So many connections are told one by one (spec/engine.md, "TLS").
const MOST_TOLD: u64 = 1_000;

fn in_words(protocol: &str, suite: &str, group: &str, (full, resumed): (u64, u64)) -> String {
    format!("{protocol} {suite} {group}, {full} full and {resumed} resumed handshakes")
}

/// The times of connections that were told one by one.
fn each(connected: &Connected) -> Vec<u64> {
    connected.each_ns.iter().flat_map(|text| text.split(' ')).flat_map(str::parse).collect()
}

fn timed(runner: &Runner, operation: Operation, connected: &Connected) -> Sample {
    let Connected { count, span, bytes, tls, .. } = connected;
    let busier = tls.client_cpu_ns.max(tls.server_cpu_ns).unwrap_or(0) / count.max(&1);
    let tls = Tls { stalls: stalls(&each(connected), busier), ..*tls };
    Sample { tls: Some(tls), ..runner.sample(operation, *count, *span, Some(*bytes)) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::jobfile::{Plan, Planned};
    use crate::protocol::Span;
    use crate::rows::Line;

    const WAY: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";

    /// Connections one after the other.
    fn planned() -> Planned {
        let job = format!("[[job]]\njob = \"tls-connect\"\nalgorithms = [\"{WAY}\"]\n");
        let size = "[[job.size]]\nconcurrency = 1\nblocks = 1\nbudget_seconds = 1\ntimeout_seconds = 1\n";
        let plan = format!("name = \"x\"\nabout = \"x\"\nseed = 1\n{job}{size}");
        Plan::parse(&plan, "x").unwrap().jobs.remove(0)
    }

    fn right(full: u64, resumed: u64) -> Connected {
        Connected {
            count: 5,
            span: Span { wall_ns: 1_000, used: crate::usage::Used::of(Some(900), None) },
            bytes: 1,
            sha256: fingerprint_of(&[4]).sha256,
            protocol: "TLSv1.3".into(),
            suite: "TLS_AES_128_GCM_SHA256".into(),
            group: "X25519".into(),
            full,
            resumed,
            tls: Tls {
                client_cpu_ns: Some(400),
                server_cpu_ns: Some(500),
                wire_bytes: Some(7_000),
                stalls: None,
            },
            each_ns: None,
        }
    }

    fn verdict(connected: &Connected, operation: Operation) -> Option<FaultKind> {
        verdict_over(connected, operation, WAY, "memory")
    }

    fn verdict_over(connected: &Connected, operation: Operation, way: &str, how: &str) -> Option<FaultKind> {
        let planned = planned();
        let runner = Runner::for_tests(&planned, Line::new("e", way, how));
        must_be(&runner, operation, 0..5, connected).err().map(|fault| fault.kind)
    }

    #[test]
    fn what_must_be_told_is_told() {
        let garbage = Some(FaultKind::Garbage);
        let with = |wire_bytes: Option<u64>, each_ns: Option<&str>| Connected {
            tls: Tls { wire_bytes, ..right(5, 0).tls },
            each_ns: each_ns.map(str::to_owned),
            ..right(5, 0)
        };
        let over = |connected: &Connected, how: &str| verdict_over(connected, Operation::Full, WAY, how);
        assert_eq!(over(&with(None, None), "memory"), garbage);
        assert_eq!(over(&with(Some(4), None), "memory"), garbage);
        assert_eq!(over(&with(None, Some("1 2 3 4 5")), "nodelay"), None);
        for each in [None, Some("1 2 3 4"), Some("1 2 3 4 x"), Some("1 2 3 4 5 6")] {
            assert_eq!(over(&with(None, each), "nodelay"), garbage, "{each:?}");
        }
    }

    #[test]
    fn the_yardstick_is_held_to_its_counts_too() {
        let none = || "none".to_owned();
        let plain = Connected { protocol: none(), suite: none(), group: none(), ..right(5, 0) };
        let over = |connected: &Connected| verdict_over(connected, Operation::Full, "none", "memory");
        assert_eq!(over(&plain), None);
        assert_eq!(over(&right(5, 0)), Some(FaultKind::WrongConnection));
        assert_eq!(over(&Connected { full: 4, ..plain }), Some(FaultKind::WrongConnection));
    }

    #[test]
    fn a_span_is_what_was_asked_for() {
        assert_eq!(verdict(&right(5, 0), Operation::Full), None);
        assert_eq!(verdict(&right(0, 5), Operation::Resumed), None);
        assert_eq!(verdict(&right(1, 0), Operation::Upload), None);
        let wrong = Some(FaultKind::WrongConnection);
        assert_eq!(verdict(&right(1, 4), Operation::Resumed), wrong);
        assert_eq!(verdict(&right(4, 1), Operation::Full), wrong);
        assert_eq!(verdict(&right(0, 1), Operation::Download), wrong);
        assert_eq!(verdict(&Connected { group: "P-256".into(), ..right(5, 0) }, Operation::Full), wrong);
        assert_eq!(verdict(&Connected { suite: "TLS_X".into(), ..right(5, 0) }, Operation::Full), wrong);
        assert_eq!(verdict(&Connected { protocol: "TLSv1.2".into(), ..right(5, 0) }, Operation::Full), wrong);
        let fewer = Connected { count: 4, ..right(5, 0) };
        assert_eq!(verdict(&fewer, Operation::Full), Some(FaultKind::WrongCount));
        let other = Connected { sha256: "00".into(), ..right(5, 0) };
        assert_eq!(verdict(&other, Operation::Full), Some(FaultKind::WrongOutput));
        let more = Connected { bytes: 2, ..right(5, 0) };
        assert_eq!(verdict(&more, Operation::Full), Some(FaultKind::WrongOutput));
    }

    #[test]
    fn what_an_engine_tells_becomes_a_sample() {
        let connected = Connected { each_ns: Some("41000000 300 41000000".into()), ..right(5, 0) };
        let planned = planned();
        let runner = Runner::for_tests(&planned, Line::new("e", WAY, "nodelay"));
        let timed = timed(&runner, Operation::Full, &connected);
        let tls = timed.tls.unwrap_or_default();
        assert_eq!((timed.count, timed.wall_ns, timed.output_bytes), (5, 1_000, Some(1)));
        assert_eq!(
            (tls.client_cpu_ns, tls.server_cpu_ns, tls.wire_bytes),
            (Some(400), Some(500), Some(7_000))
        );
        assert_eq!(tls.stalls.map(|stalls| (stalls.seen, stalls.stalled)), Some((3, 2)));
    }
}
