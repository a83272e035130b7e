//! Many connections at once, what is left of them, and threads that do not come.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use super::*;
use crate::jobs;
use crate::serve::tls::copy::{Bare, Copy};
use crate::serve::tls::library::Wire;
use std::time::Duration;

#[test]
fn four_at_once_are_four_at_once() {
    let way = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256".to_owned();
    let place = Place::new(std::slice::from_ref(&way));
    let mut all = engines();
    all.push(Tls::copying());
    for mut engine in all {
        let algorithm = if engine.source.name() == "copy" { "none" } else { &way };
        let crowd =
            Task { concurrency: Some(4), ..task(&jobs::TLS_CONNECT, algorithm, "nodelay", &place.of(&way)) };
        engine.prepare(&jobs::TLS_CONNECT, &crowd).unwrap();
        for (operation, handshakes) in [(Operation::Full, (101, 0)), (Operation::Resumed, (0, 101))] {
            let told = connected(&mut engine, operation, 5, 101);
            assert_eq!((told.count, told.full, told.resumed), (101, handshakes.0, handshakes.1), "{told:?}");
            assert_eq!(told.sha256, fingerprint_of(&[105]).sha256);
            assert_eq!(told.each_ns, None);
        }
        // Fewer connections than threads.
        assert_eq!(connected(&mut engine, Operation::Full, 0, 2).full, 2);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_thousand_connections_leave_nothing_behind() {
    // Other tests have threads and sockets too.
    if !is_alone("a_thousand_connections_leave_nothing_behind", "exec") {
        return;
    }
    let threads = entries("task");
    let way = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256".to_owned();
    let place = Place::new(std::slice::from_ref(&way));
    let mut all = engines();
    all.push(Tls::copying());
    for mut engine in all {
        let algorithm = if engine.source.name() == "copy" { "none" } else { &way };
        for concurrency in [1, 3] {
            let crowd = task(&jobs::TLS_CONNECT, algorithm, "nodelay", &place.of(&way));
            engine.prepare(&jobs::TLS_CONNECT, &Task { concurrency: Some(concurrency), ..crowd }).unwrap();
            connected(&mut engine, Operation::Full, 0, 20);
            let before = entries("fd");
            connected(&mut engine, Operation::Full, 0, 500);
            connected(&mut engine, Operation::Resumed, 0, 500);
            assert_eq!(entries("fd"), before, "{}", engine.source.name());
            wait_for_threads(threads);
            let inodes = own_sockets();
            assert!(inodes.is_empty(), "{inodes:?}");
        }
    }
    let doors = socket::OPENED.lock().unwrap().clone();
    assert!(doors.len() >= 2 * 2 * 3, "{doors:?}");
    // Another program's client may happen to have the number of one of them.
    let left = left_of(&doors);
    assert!(left.len() < 5, "{} connections, as {:?}", left.len(), left.first());
}

/// True in the process that has the test to itself, which the first one starts by such a command.
#[cfg(target_os = "linux")]
fn is_alone(name: &str, command: &str) -> bool {
    const ALONE: &str = "SEALMARK_LAB_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let mut alone = std::process::Command::new("sh");
    alone.args(["-c", &format!("{command} \"$0\" --exact \"$1\"")]).arg(std::env::current_exe().unwrap());
    let output = alone.arg(format!("serve::tls::tests::crowds::{name}")).env(ALONE, "1").output().unwrap();
    // Indented, for what it says of its test not to be taken for another one.
    let said = String::from_utf8_lossy(&output.stdout).replace('\n', "\n    ");
    assert!(output.status.success() && said.contains("1 passed"), "{:?}: {said}", output.status);
    false
}

#[cfg(target_os = "linux")]
fn entries(of: &str) -> usize {
    std::fs::read_dir(format!("/proc/self/{of}")).unwrap().count()
}

/// The system lists a thread for a moment after it was waited for.
#[cfg(target_os = "linux")]
#[track_caller]
fn wait_for_threads(expected: usize) {
    let patience = std::time::Instant::now();
    while entries("task") != expected {
        assert!(patience.elapsed().as_secs() < 60, "{} threads, not {expected}", entries("task"));
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Descriptors of this process that are sockets.
#[cfg(target_os = "linux")]
fn own_sockets() -> Vec<String> {
    let links = std::fs::read_dir("/proc/self/fd").unwrap();
    let names = links.filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok());
    names.map(|name| name.display().to_string()).filter(|name| name.starts_with("socket:")).collect()
}

/// The system's entries for connections through these ports, in any state.
#[cfg(target_os = "linux")]
fn left_of(doors: &[u16]) -> Vec<String> {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let is_ours = |line: &&str| doors.iter().any(|port| line.contains(&format!(":{port:04X} ")));
    table.lines().filter(is_ours).map(str::to_owned).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn too_few_threads_are_a_failure_in_time_and_the_engine_goes_on() {
    // Their stacks do not fit. Where the last one fits by chance, what is left has to suffice for its thread: the C library
    // aborts a process that has no memory for a destructor of a thread.
    if !is_alone(
        "too_few_threads_are_a_failure_in_time_and_the_engine_goes_on",
        "export RUST_MIN_STACK=16777216 MALLOC_ARENA_MAX=1; ulimit -v 400000; exec timeout 120",
    ) {
        return;
    }
    let mut engine = Tls::copying();
    let crowd = Task {
        concurrency: Some(MOST_AT_ONCE),
        ..task(&jobs::TLS_CONNECT, "none", "nodelay", Path::new(""))
    };
    engine.prepare(&jobs::TLS_CONNECT, &crowd).unwrap();
    let before = entries("task");
    let Answer::Failed { why } = engine.time(Operation::Full, 0, 1_000) else { panic!("enough threads") };
    assert!(why.contains("the system has no thread for it"), "{why}");
    wait_for_threads(before);
    engine.prepare(&jobs::TLS_CONNECT, &Task { concurrency: Some(4), ..crowd }).unwrap();
    assert_eq!(connected(&mut engine, Operation::Full, 0, 50).full, 50);
}

#[test]
fn a_library_that_panics_keeps_nobody_waiting() {
    let delay = Delay::None;
    let why = in_time(move || {
        sockets::transfer(&Panicking, delay, Side::Client, &[1; 9], &mut [0; 9], 1, None).map(drop)
    });
    assert!(why.contains("a thread panicked"), "{why}");
    let why = in_time(move || sockets::connect(&Panicking, delay, Offer::Nothing, 0..9, 1, None).map(drop));
    assert!(why.contains("a thread panicked"), "{why}");
}

/// The error that comes within a minute.
fn in_time(work: impl FnOnce() -> Result<(), String> + Send + 'static) -> String {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || tell.send(work()));
    told.recv_timeout(Duration::from_secs(60)).unwrap().unwrap_err()
}

/// Its server does.
struct Panicking;

impl Library for Panicking {
    type Client<W: Wire> = Bare<W>;
    type Server<W: Wire> = Bare<W>;

    fn client<W: Wire>(&self, wire: W, offer: Offer, slot: usize) -> std::io::Result<Bare<W>> {
        Copy.client(wire, offer, slot)
    }

    fn server<W: Wire>(&self, _wire: W) -> std::io::Result<Bare<W>> {
        panic!("as it was asked to")
    }

    fn keep_session<W: Wire>(&self, _client: &mut Bare<W>, _slot: usize) {}

    fn proof<W: Wire>(&self, client: &Bare<W>) -> Option<Proof> {
        Copy.proof(client)
    }

    fn names(&self, proof: Proof) -> [String; 3] {
        Copy.names(proof)
    }
}
