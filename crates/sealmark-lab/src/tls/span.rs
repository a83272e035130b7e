//! A span of connections: what it must prove before its times count.

use super::Way;
use super::stalls::stalls;
use crate::child::Fault;
use crate::protocol::{Answer, Ask, Connected, Operation};
use crate::rows::{self, FaultKind};
use crate::runner::{Cell, Outcome, Runner, Timed, bad_news};
use crate::workload::{Fingerprint, Kind, fingerprint_of};

/// Has a span timed; every connection in it must be what was asked for.
pub fn time(runner: &mut Runner, cell: &Cell, operation: Operation, count: u64) -> Outcome<Timed> {
    let first = runner.number(count);
    let connected = match runner.ask(cell, operation, &Ask::Time { operation, first, count })? {
        Answer::Connected(connected) => connected,
        other => return Err(bad_news(other).during(operation)),
    };
    let wanted = match cell.job.job {
        Kind::TlsTransfer => cell.original.clone(),
        _ => fingerprint_of(&[(first + count - 1) as u8]),
    };
    let flaw = flaw(&connected, &runner.line.algorithm, operation, count, &wanted);
    match flaw {
        Some((kind, why)) => Err(Fault::new(kind, why).during(operation)),
        None => Ok(timed(&connected, operation)),
    }
}

/// What is wrong with an answer, if anything.
fn flaw(
    connected: &Connected,
    algorithm: &str,
    operation: Operation,
    count: u64,
    wanted: &Fingerprint,
) -> Option<(FaultKind, String)> {
    let Connected { count: told, bytes, sha256, full, resumed, .. } = connected;
    if *told != count {
        return Some((FaultKind::WrongCount, format!("asked for {count} operations, told of {told}")));
    }
    if (*bytes, sha256) != (wanted.bytes, &wanted.sha256) {
        let why = format!(
            "{bytes} bytes with SHA-256 {sha256:.16}… arrived, not {} with {:.16}…",
            wanted.bytes, wanted.sha256
        );
        return Some((FaultKind::WrongOutput, why));
    }
    let way = Way::parse(algorithm).ok()?;
    let handshakes = match operation {
        Operation::Resumed => (0, count),
        Operation::Full => (count, 0),
        _ => (1, 0),
    };
    let [was, is] = [
        (&way.protocol, &way.suite, &way.group, handshakes),
        (&connected.protocol, &connected.suite, &connected.group, (*full, *resumed)),
    ]
    .map(|(protocol, suite, group, (full, resumed))| {
        format!("{protocol} {suite} {group}, {full} full and {resumed} resumed handshakes")
    });
    (was != is).then(|| (FaultKind::WrongConnection, format!("{is}, not {was}")))
}

fn timed(connected: &Connected, operation: Operation) -> Timed {
    let Connected { count, cpu_ns, client_cpu_ns, server_cpu_ns, wire_bytes, each_ns, .. } = connected;
    let each: Vec<u64> = each_ns.iter().flat_map(|text| text.split(' ')).flat_map(str::parse).collect();
    let cpu_each = cpu_ns.map(|cpu| cpu / count.max(&1));
    Timed {
        operation,
        count: *count,
        wall_ns: connected.wall_ns,
        cpu_ns: *cpu_ns,
        allocated_bytes: connected.allocated_bytes,
        gc_ns: connected.gc_ns,
        peak_bytes: connected.peak_bytes,
        output_bytes: Some(connected.bytes),
        tls: Some(rows::Tls {
            client_cpu_ns: *client_cpu_ns,
            server_cpu_ns: *server_cpu_ns,
            wire_bytes: *wire_bytes,
            stalls: stalls(&each, cpu_each.unwrap_or(0)),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAY: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";

    fn right(full: u64, resumed: u64) -> Connected {
        Connected {
            count: 5,
            wall_ns: 1_000,
            bytes: 1,
            sha256: fingerprint_of(&[4]).sha256,
            protocol: "TLSv1.3".into(),
            suite: "TLS_AES_128_GCM_SHA256".into(),
            group: "X25519".into(),
            full,
            resumed,
            cpu_ns: Some(900),
            client_cpu_ns: Some(400),
            server_cpu_ns: Some(500),
            allocated_bytes: None,
            gc_ns: None,
            peak_bytes: None,
            wire_bytes: Some(7_000),
            each_ns: None,
        }
    }

    fn verdict(connected: &Connected, operation: Operation) -> Option<FaultKind> {
        flaw(connected, WAY, operation, 5, &fingerprint_of(&[4])).map(|(kind, _)| kind)
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
        let timed = timed(&connected, Operation::Full);
        let tls = timed.tls.unwrap_or_default();
        assert_eq!((timed.count, timed.wall_ns, timed.output_bytes), (5, 1_000, Some(1)));
        assert_eq!(
            (tls.client_cpu_ns, tls.server_cpu_ns, tls.wire_bytes),
            (Some(400), Some(500), Some(7_000))
        );
        assert_eq!(tls.stalls.map(|stalls| (stalls.seen, stalls.stalled)), Some((3, 2)));
    }
}
