//! Shapes `nodelay` and `default-sockets`: client and server threads of their own, with TCP between them.

use super::library::{End, Library, Offer, Proof, Wire};
use super::socket::{Delay, Door, Socket};
use super::tally::{Meter, Side, Span, Tally, nanoseconds, thread_cpu};
use super::trouble::lost;
use super::{PIECE, PLAIN_ANSWER};
use crate::protocol::Peer;
use std::io::{self, ErrorKind, Read, Write};
use std::ops::Range;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// Opens connections, at most `concurrency` at once; each sends one byte there and back.
pub fn connect<L: Library>(
    library: &L,
    delay: Delay,
    offer: Offer,
    numbers: Range<u64>,
    concurrency: usize,
    peer: Option<Peer>,
) -> Result<(Span, u8), String> {
    let crowd = Crowd {
        library,
        door: Door::open(delay).map_err(lost("server", "listening"))?,
        offer,
        peer,
        numbers: numbers.clone(),
        opened: AtomicU64::new(numbers.start),
        accepted: AtomicU64::new(numbers.start),
        last: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        start: Barrier::new(2 * concurrency + 1),
        alone: concurrency == 1,
    };
    thread::scope(|scope| {
        let crowd = &crowd;
        let servers = each(concurrency, |_| scope.spawn(|| crowd.at_work(|| crowd.serve())));
        let clients = each(concurrency, |slot| scope.spawn(move || crowd.at_work(|| crowd.ask(slot))));
        let meter = Meter::start();
        crowd.start.wait();
        let (clients, servers) = (joined(clients), joined(servers));
        let (cpu_ns, peak_bytes) = meter.stop();
        let (clients, servers) = both(together(clients), together(servers))?;
        Ok((span(clients, servers, cpu_ns, peak_bytes), crowd.last.load(Ordering::Relaxed) as u8))
    })
}

fn each<T>(concurrency: usize, make: impl Fn(usize) -> T) -> Vec<T> {
    (0..concurrency).map(make).collect()
}

/// What the threads of a span share.
struct Crowd<'a, L> {
    library: &'a L,
    door: Door,
    offer: Offer,
    peer: Option<Peer>,
    numbers: Range<u64>,
    opened: AtomicU64,
    accepted: AtomicU64,
    /// The byte that came back to the connection with the last number.
    last: AtomicU64,
    stop: AtomicBool,
    start: Barrier,
    /// One client only: then each connection's own time means something.
    alone: bool,
}

impl<L: Library> Crowd<'_, L> {
    /// Waits for the start and measures; one that fails stops all.
    fn at_work(&self, work: impl FnOnce() -> Result<Tally, String>) -> Result<Worked, String> {
        self.start.wait();
        let outcome = measured(work);
        if outcome.is_err() {
            self.stop.store(true, Ordering::Relaxed);
            self.door.close();
        }
        outcome
    }

    /// The next connection of one side, until there are no more.
    fn next(&self, side: &AtomicU64) -> Option<u64> {
        let number = side.fetch_add(1, Ordering::Relaxed);
        (number < self.numbers.end && !self.stop.load(Ordering::Relaxed)).then_some(number)
    }

    fn ask(&self, slot: usize) -> Result<Tally, String> {
        let mut tally = Tally::default();
        let mut start = Instant::now();
        while let Some(number) = self.next(&self.opened) {
            let (proof, byte, moved) = self.ask_once(number as u8, slot)?;
            tally.add(proof, moved)?;
            if number + 1 == self.numbers.end {
                self.last.store(byte.into(), Ordering::Relaxed);
            }
            if self.alone {
                let now = Instant::now();
                tally.took(now - start);
                start = now;
            }
        }
        Ok(tally)
    }

    /// What the connection was, the byte that came back, and how many went over the wire.
    fn ask_once(&self, number: u8, slot: usize) -> Result<(Proof, u8, u64), String> {
        let wire = self.door.connect().map_err(lost("client", "connecting"))?;
        let mut client = self.library.client(wire, self.offer, slot).map_err(lost("client", "being made"))?;
        client.handshake().map_err(lost("client", "shaking hands"))?;
        let mut byte = [0];
        client
            .write_all(&[number])
            .and_then(|()| read_all(&mut client, &mut byte))
            .map_err(lost("client", "waiting for the echo"))?;
        if self.offer == Offer::Session {
            self.library.keep_session(&mut client, slot);
        }
        let proof = self.library.proof(&client).ok_or("no handshake was made")?;
        goodbye(&mut client).map_err(lost("client", "closing"))?;
        if byte != [number] {
            return Err(format!("the client sent {number} and read {}", byte[0]));
        }
        Ok((proof, number, client.wire().moved()))
    }

    fn serve(&self) -> Result<Tally, String> {
        while self.next(&self.accepted).is_some() {
            match self.door.accept() {
                Err(_) if self.stop.load(Ordering::Relaxed) => break,
                accepted => {
                    let wire = accepted.map_err(lost("server", "waiting for a connection"))?;
                    self.serve_once(wire)?;
                }
            }
        }
        Ok(Tally::default())
    }

    fn serve_once(&self, wire: Socket) -> Result<(), String> {
        if let Some(peer) = self.peer {
            return misbehave(peer, wire).map_err(lost("server", "misbehaving"));
        }
        let mut server = self.library.server(wire).map_err(lost("server", "being made"))?;
        server.handshake().map_err(lost("server", "shaking hands"))?;
        let mut byte = [0];
        read_all(&mut server, &mut byte)
            .and_then(|()| server.write_all(&byte))
            .map_err(lost("server", "echoing"))?;
        server.hear_goodbye().and_then(|()| server.say_goodbye()).map_err(lost("server", "closing"))
    }
}

/// Sends the input through one connection; the receiver's buffer has its length.
pub fn transfer<L: Library>(
    library: &L,
    delay: Delay,
    from: Side,
    input: &[u8],
    buffer: &mut [u8],
    count: u64,
    peer: Option<Peer>,
) -> Result<Span, String> {
    let door = &Door::open(delay).map_err(lost("server", "listening"))?;
    let steps = &Steps { ready: Barrier::new(3), start: Barrier::new(3), finish: Barrier::new(3) };
    let (client_work, server_work) = match from {
        Side::Client => (Work::Send(input), Work::Receive(buffer)),
        Side::Server => (Work::Receive(buffer), Work::Send(input)),
    };
    let (client, server, cpu_ns, peak_bytes) = thread::scope(|scope| {
        let server = scope.spawn(move || {
            let (worked, mut server) = steps.take(accept(library, door, peer), server_work, count)?;
            server.hear_goodbye().and_then(|()| server.say_goodbye()).map_err(lost("server", "closing"))?;
            Ok(worked)
        });
        let client = scope.spawn(move || {
            let opened = open(library, door);
            let proof = opened.as_ref().map(|client| library.proof(client));
            let proof = proof.map_or(None, |proof| proof);
            let (mut worked, mut client) = steps.take(opened, client_work, count)?;
            worked.tally.add(proof.ok_or("no handshake was made")?, worked.moved)?;
            goodbye(&mut client).map_err(lost("client", "closing"))?;
            Ok(worked)
        });
        steps.ready.wait();
        let meter = Meter::start();
        steps.start.wait();
        steps.finish.wait();
        let (cpu_ns, peak_bytes) = meter.stop();
        (joined(vec![client]), joined(vec![server]), cpu_ns, peak_bytes)
    });
    let (client, server) = both(together(client), together(server))?;
    Ok(span(client, server, cpu_ns, peak_bytes))
}

/// Where both ends and the thread that measures wait for each other; whatever befalls an end, it comes here.
struct Steps {
    ready: Barrier,
    start: Barrier,
    finish: Barrier,
}

impl Steps {
    /// What one end did between the last two.
    fn take<E: End<Socket>>(
        &self,
        end: Result<E, String>,
        mut work: Work,
        count: u64,
    ) -> Result<(Worked, E), String> {
        self.ready.wait();
        self.start.wait();
        let worked = end.and_then(|mut end| {
            let before = end.wire().moved();
            let worked =
                measured(|| (0..count).try_for_each(|_| work.once(&mut end)).map(|()| Tally::default()));
            let moved = end.wire().moved() - before;
            Ok((Worked { moved, ..worked? }, end))
        });
        self.finish.wait();
        worked
    }
}

/// One end's part of a transfer.
enum Work<'a> {
    Send(&'a [u8]),
    Receive(&'a mut [u8]),
}

impl Work<'_> {
    fn once(&mut self, end: &mut impl End<Socket>) -> Result<(), String> {
        match self {
            Self::Send(input) => {
                let mut pieces = input.chunks(PIECE);
                pieces.try_for_each(|piece| end.write_all(piece)).map_err(lost("sender", "writing"))
            }
            Self::Receive(buffer) => read_all(end, buffer).map_err(lost("receiver", "reading")),
        }
    }
}

/// A client of the first connection at the door. One byte goes there and back, for a handshake has ended for both only
/// when nothing of it, as a ticket of TLS 1.3, is left for the first read.
fn open<L: Library>(library: &L, door: &Door) -> Result<L::Client<Socket>, String> {
    let opened = door.connect().and_then(|wire| {
        let mut client = library.client(wire, Offer::Nothing, 0)?;
        client.handshake()?;
        client.write_all(&[0])?;
        read_all(&mut client, &mut [0]).map(|()| client)
    });
    if opened.is_err() {
        door.close();
    }
    opened.map_err(lost("client", "shaking hands"))
}

/// Its server.
fn accept<L: Library>(library: &L, door: &Door, peer: Option<Peer>) -> Result<L::Server<Socket>, String> {
    let wire = door.accept().map_err(lost("server", "waiting for a connection"))?;
    if let Some(peer) = peer {
        misbehave(peer, wire).map_err(lost("server", "misbehaving"))?;
        return Err("the server misbehaved, as it was asked to".into());
    }
    let accepted = library.server(wire).and_then(|mut server| {
        server.handshake()?;
        let mut byte = [0];
        read_all(&mut server, &mut byte)?;
        server.write_all(&byte).map(|()| server)
    });
    accepted.map_err(lost("server", "shaking hands"))
}

/// What one thread did, or all of one side.
struct Worked {
    started: Instant,
    ended: Instant,
    cpu: Option<Duration>,
    tally: Tally,
    /// Bytes over its wire, in transfers.
    moved: u64,
}

fn measured(work: impl FnOnce() -> Result<Tally, String>) -> Result<Worked, String> {
    let (started, cpu) = (Instant::now(), thread_cpu());
    let tally = work()?;
    let ended = Instant::now();
    let cpu = thread_cpu().zip(cpu).map(|(after, before)| after - before);
    Ok(Worked { started, ended, cpu, tally, moved: 0 })
}

/// The threads' outcomes, once all have ended.
fn joined(threads: Vec<ScopedJoinHandle<Result<Worked, String>>>) -> Vec<Result<Worked, String>> {
    let panicked = |_| Err("a thread panicked".to_owned());
    threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
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

fn span(clients: Worked, servers: Worked, cpu_ns: Option<u64>, peak_bytes: Option<u64>) -> Span {
    Span {
        wall: clients.ended.max(servers.ended) - clients.started.min(servers.started),
        cpu_ns,
        peak_bytes,
        client_cpu_ns: clients.cpu.map(nanoseconds),
        server_cpu_ns: servers.cpu.map(nanoseconds),
        tally: clients.tally,
    }
}

/// The client's way to close, last of the two.
fn goodbye(client: &mut impl End<Socket>) -> io::Result<()> {
    client.say_goodbye()?;
    client.hear_goodbye()?;
    client.wire().wait_for_end()
}

fn read_all(end: &mut impl End<Socket>, buffer: &mut [u8]) -> io::Result<()> {
    let mut read = 0;
    while read < buffer.len() {
        match end.read(&mut buffer[read..])? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            length => read += length,
        }
    }
    Ok(())
}

/// A server that is none.
fn misbehave(peer: Peer, mut wire: Socket) -> io::Result<()> {
    match peer {
        Peer::Stalls => outwait(&mut wire),
        Peer::Resets => wire.reset()?,
        Peer::Plain => {
            // What is closed with something unread is reset, and the answer lost.
            let _ = wire.read(&mut [0; PIECE]);
            wire.write_all(PLAIN_ANSWER)?;
        }
    }
    Ok(())
}

/// Until the client gives up, which it does before the server's second time limit; its end is no failure of the server's.
fn outwait(wire: &mut Socket) {
    let mut limits = 0;
    while limits < 2 {
        match wire.read(&mut [0; 64]) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => limits += 1,
            Ok(1..) => {}
            _ => return,
        }
    }
}
