//! Transports `nodelay` and `default-sockets`: client and server threads of their own, with TCP between them.

use super::gate::Gate;
use super::library::{End, Library, Offer, Proof, Wire};
use super::socket::{Delay, Door, Socket};
use super::tally::{Meter, Side, Span, Tally};
use super::threads::{Worked, caught, joined, measured, span, started};
use super::trouble::lost;
use super::{PIECE, PLAIN_ANSWER};
use crate::protocol::Peer;
use std::io::{self, ErrorKind, Read, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

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
        start: Gate::new(2 * concurrency + 1),
        alone: concurrency == 1,
    };
    let span = crowd.work(concurrency)?;
    Ok((span, crowd.last.load(Ordering::Relaxed) as u8))
}

/// The part of a span that its threads share.
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
    start: Gate,
    /// One client only: then each connection's own time means something.
    alone: bool,
}

impl<L: Library> Crowd<'_, L> {
    /// Every thread is there before one of them starts; where the system has too few, none does.
    fn work(&self, concurrency: usize) -> Result<Span, String> {
        thread::scope(|scope| {
            let serve = |_| started(scope, || self.at_work(|| self.serve()));
            let ask = |slot| started(scope, move || self.at_work(|| self.ask(slot)));
            let servers = (0..concurrency).map(serve).collect::<Result<Vec<_>, _>>();
            let clients = || (0..concurrency).map(ask).collect::<Result<Vec<_>, _>>();
            let threads = servers.and_then(|servers| Ok((clients()?, servers)));
            let (clients, servers) = threads.inspect_err(|_| self.start.abandon())?;
            let meter = Meter::start();
            self.start.pass()?;
            let (clients, servers) = (joined(clients), joined(servers));
            span(clients, servers, meter.stop())
        })
    }

    /// Waits for the start and measures; one that fails stops all.
    fn at_work(&self, work: impl FnOnce() -> Result<Tally, String>) -> Result<Worked, String> {
        self.start.pass()?;
        let outcome = caught(|| measured(work));
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

    /// Makes one connection: its negotiated parameters, the byte that came back, and how many went over the wire.
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
    let steps = &Steps { gate: Gate::new(3), count };
    let (client_work, server_work) = match from {
        Side::Client => (Work::Send(input), Work::Receive(buffer)),
        Side::Server => (Work::Receive(buffer), Work::Send(input)),
    };
    thread::scope(|scope| {
        let server = started(scope, move || receive_client(library, door, peer, steps, server_work))?;
        let client = started(scope, move || reach_server(library, door, steps, client_work));
        let client = client.inspect_err(|_| {
            steps.gate.abandon();
            door.close();
        })?;
        let measured = steps.measure()?;
        span(joined(vec![client]), joined(vec![server]), measured)
    })
}

/// The server's thread.
fn receive_client<L: Library>(
    library: &L,
    door: &Door,
    peer: Option<Peer>,
    steps: &Steps,
    work: Work,
) -> Result<Worked, String> {
    let (worked, mut server) = steps.take(|| accept(library, door, peer), work)?;
    server.hear_goodbye().and_then(|()| server.say_goodbye()).map_err(lost("server", "closing"))?;
    Ok(worked)
}

/// The client's.
fn reach_server<L: Library>(library: &L, door: &Door, steps: &Steps, work: Work) -> Result<Worked, String> {
    let (mut worked, mut client) = steps.take(|| open(library, door), work)?;
    let proof = library.proof(&client).ok_or("no handshake was made")?;
    worked.tally.add(proof, worked.moved)?;
    goodbye(&mut client).map_err(lost("client", "closing"))?;
    Ok(worked)
}

/// The three points where both ends and the thread that measures wait for each other: all are ready, all start, all have
/// finished. An end that fails comes here, too.
struct Steps {
    gate: Gate,
    /// How often an end does its part.
    count: u64,
}

impl Steps {
    /// The CPU time and the peak memory of the process between the last two.
    fn measure(&self) -> Result<(Option<u64>, Option<u64>), String> {
        self.gate.pass()?;
        let meter = Meter::start();
        self.gate.pass()?;
        self.gate.pass()?;
        Ok(meter.stop())
    }

    /// Does one end's part between them.
    fn take<E: End<Socket>>(
        &self,
        make: impl FnOnce() -> Result<E, String>,
        mut work: Work,
    ) -> Result<(Worked, E), String> {
        let end = caught(make);
        self.gate.pass()?;
        self.gate.pass()?;
        let worked = end.and_then(|mut end| {
            caught(|| {
                let before = end.wire().moved();
                let worked = measured(|| {
                    (0..self.count).try_for_each(|_| work.once(&mut end)).map(|()| Tally::default())
                });
                let moved = end.wire().moved() - before;
                Ok((Worked { moved, ..worked? }, end))
            })
        });
        self.gate.pass()?;
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
            // A socket closed with something unread is reset, and the answer lost.
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
