//! The threads of a span over sockets: what each of them did, and what came of all.

use super::tally::{Span, Tally, nanoseconds, thread_cpu};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// The work of one thread, or of all of one side.
pub struct Worked {
    pub started: Instant,
    pub ended: Instant,
    pub cpu: Option<Duration>,
    pub tally: Tally,
    /// Bytes over its wire, in transfers.
    pub moved: u64,
}

pub fn measured(work: impl FnOnce() -> Result<Tally, String>) -> Result<Worked, String> {
    let (started, cpu) = (Instant::now(), thread_cpu());
    let tally = work()?;
    let ended = Instant::now();
    let cpu = thread_cpu().zip(cpu).map(|(after, before)| after - before);
    Ok(Worked { started, ended, cpu, tally, moved: 0 })
}

/// A thread of the span, where the system has one.
pub fn started<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    work: impl FnOnce() -> Result<Worked, String> + Send + 'scope,
) -> Result<Thread<'scope>, String> {
    let thread = thread::Builder::new().spawn_scoped(scope, work);
    thread.map_err(|error| format!("the system has no thread for it: {error}"))
}

pub type Thread<'scope> = ScopedJoinHandle<'scope, Result<Worked, String>>;

/// A library that panics must not keep the others waiting.
pub fn caught<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(PANICKED.into()))
}

const PANICKED: &str = "a thread panicked";

/// One side's outcome, once all of its threads have ended.
pub fn joined(threads: Vec<Thread>) -> Result<Worked, String> {
    let outcomes = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(PANICKED.into())));
    together(outcomes.collect())
}

/// One side's threads as one.
fn together(threads: Vec<Result<Worked, String>>) -> Result<Worked, String> {
    let mut threads = threads.into_iter();
    let mut all = threads.next().ok_or("no thread worked")??;
    for other in threads {
        let other = other?;
        all.started = all.started.min(other.started);
        all.ended = all.ended.max(other.ended);
        all.cpu = all.cpu.zip(other.cpu).map(|(one, other)| one + other);
        all.tally.join(other.tally)?;
    }
    Ok(all)
}

/// The work of both sides, with the use of CPU and memory by the process.
pub fn span(
    clients: Result<Worked, String>,
    servers: Result<Worked, String>,
    (cpu_ns, peak_bytes): (Option<u64>, Option<u64>),
) -> Result<Span, String> {
    let (clients, servers) = both(clients, servers)?;
    Ok(Span {
        wall: clients.ended.max(servers.ended) - clients.started.min(servers.started),
        cpu_ns,
        peak_bytes,
        client_cpu_ns: clients.cpu.map(nanoseconds),
        server_cpu_ns: servers.cpu.map(nanoseconds),
        tally: clients.tally,
    })
}

/// The client's trouble first: what a server sees of a client that gave up is only its end.
fn both(
    clients: Result<Worked, String>,
    servers: Result<Worked, String>,
) -> Result<(Worked, Worked), String> {
    match (clients, servers) {
        (Ok(clients), Ok(servers)) => Ok((clients, servers)),
        (Err(client), Err(server)) => Err(format!("{client}; {server}")),
        (Err(why), _) | (_, Err(why)) => Err(why),
    }
}
