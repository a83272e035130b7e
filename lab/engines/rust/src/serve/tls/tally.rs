//! Figures of the connections of a span, added up.

use super::library::{Library, Proof};
use crate::protocol::{self, Connected};
use crate::serve::peak;
use crate::usage;
use crate::workload::{Fingerprint, fingerprint_of};
use std::time::{Duration, Instant};

/// The most connections whose times are listed one by one (spec/engine.md, "TLS").
const TOLD: usize = 1_000;

/// The connections of one thread, or of all.
#[derive(Default)]
pub struct Tally {
    /// The negotiated parameters of every connection so far, `resumed` aside.
    proof: Option<Proof>,
    full: u64,
    resumed: u64,
    wire_bytes: u64,
    each_ns: Vec<u64>,
}

impl Tally {
    /// Counts a connection; the error says how it differs from those before.
    pub fn add(&mut self, proof: Proof, wire_bytes: u64) -> Result<(), String> {
        let common = Proof { resumed: false, ..proof };
        if *self.proof.get_or_insert(common) != common {
            return Err(format!("two connections differ: {:?} and {common:?}", self.proof));
        }
        *(if proof.resumed { &mut self.resumed } else { &mut self.full }) += 1;
        self.wire_bytes += wire_bytes;
        Ok(())
    }

    /// Notes how long a connection took.
    pub fn took(&mut self, time: Duration) {
        if self.each_ns.len() < TOLD {
            self.each_ns.push(nanoseconds(time));
        }
    }

    /// Adds what another thread saw.
    pub fn join(&mut self, other: Self) -> Result<(), String> {
        let Self { proof: Some(proof), full, resumed, wire_bytes, each_ns } = other else { return Ok(()) };
        self.add(proof, wire_bytes)?;
        self.full += full;
        self.full -= 1;
        self.resumed += resumed;
        self.each_ns.extend(each_ns);
        Ok(())
    }
}

/// A span as it was measured.
pub struct Span {
    pub tally: Tally,
    pub wall: Duration,
    pub cpu_ns: Option<u64>,
    pub peak_bytes: Option<u64>,
    pub client_cpu_ns: Option<u64>,
    pub server_cpu_ns: Option<u64>,
}

impl Span {
    /// The answer, with what the receiver or the client read last.
    pub fn connected(self, library: &impl Library, count: u64, read: &[u8]) -> Result<Connected, String> {
        let Tally { proof, full, resumed, wire_bytes, each_ns } = self.tally;
        let common = proof.ok_or("no connection was made")?;
        let [protocol, suite, group] = library.names(Proof { resumed: full == 0, ..common });
        let Fingerprint { bytes, sha256 } = fingerprint_of(read);
        let each: Vec<String> = each_ns.iter().map(u64::to_string).collect();
        Ok(Connected {
            count,
            span: protocol::Span {
                wall_ns: nanoseconds(self.wall),
                used: usage::Used::of(self.cpu_ns, self.peak_bytes),
            },
            bytes,
            sha256,
            protocol,
            suite,
            group,
            full,
            resumed,
            tls: protocol::Tls {
                client_cpu_ns: self.client_cpu_ns,
                server_cpu_ns: self.server_cpu_ns,
                wire_bytes: Some(wire_bytes),
                stalls: None,
            },
            each_ns: (!each.is_empty()).then(|| each.join(" ")),
        })
    }
}

/// CPU time and memory of this process since it was made.
pub struct Meter {
    cpu_ns: Option<u64>,
}

impl Meter {
    pub fn start() -> Self {
        peak::reset();
        Self { cpu_ns: usage::own_cpu_ns() }
    }

    /// CPU time in nanoseconds and the largest resident set in bytes.
    pub fn stop(self) -> (Option<u64>, Option<u64>) {
        let cpu_ns = usage::own_cpu_ns().zip(self.cpu_ns).map(|(after, before)| after.saturating_sub(before));
        (cpu_ns, peak::bytes())
    }
}

/// Whose time it is, where one thread is both ends: the clock is read once when the turn goes over.
pub struct Turns {
    pub client: Duration,
    pub server: Duration,
    since: Instant,
}

/// An end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Client,
    Server,
}

impl Turns {
    pub fn start() -> Self {
        Self { client: Duration::ZERO, server: Duration::ZERO, since: Instant::now() }
    }

    /// One end's turn.
    pub fn of<T>(&mut self, side: Side, work: impl FnOnce() -> T) -> T {
        let outcome = work();
        let now = Instant::now();
        let spent = match side {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        };
        *spent += now - self.since;
        self.since = now;
        outcome
    }
}

pub fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos() as u64
}

/// CPU time of this thread.
#[cfg(unix)]
pub fn thread_cpu() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Some(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

/// Unknown elsewhere.
#[cfg(not(unix))]
pub fn thread_cpu() -> Option<Duration> {
    None
}
