//! Transport `memory`: one thread is client and server in turn, with a pipe between them.

use super::library::{End, Library, Offer, Proof, Wire};
use super::pipe::{PipeEnd, pipe};
use super::tally::{Meter, Side, Span, Tally, Turns, nanoseconds};
use super::trouble::{in_vain, lost};
use super::{PIECE, PLAIN_ANSWER};
use crate::protocol::Peer;
use std::io::{self, ErrorKind, Write};
use std::ops::Range;

/// Opens connections one after the other; each sends one byte there and back.
pub fn connect<L: Library>(
    library: &L,
    offer: Offer,
    numbers: Range<u64>,
    slot: usize,
    peer: Option<Peer>,
) -> Result<(Span, u8), String> {
    let (mut tally, mut last) = (Tally::default(), 0);
    let meter = Meter::start();
    let mut turns = Turns::start();
    for number in numbers {
        let (proof, moved);
        (proof, last, moved) = one(library, offer, number as u8, slot, peer, &mut turns)?;
        tally.add(proof, moved)?;
    }
    Ok((span(tally, turns, meter), last))
}

/// Sends the input through one connection; the receiver's buffer has its length.
pub fn transfer<L: Library>(
    library: &L,
    from: Side,
    input: &[u8],
    buffer: &mut [u8],
    count: u64,
    peer: Option<Peer>,
) -> Result<Span, String> {
    let mut turns = Turns::start();
    let (mut client, mut server) = shake_hands(library, Offer::Nothing, 0, peer, &mut turns)?;
    let proof = library.proof(&client).ok_or("no handshake was made")?;
    // The echo reads the rest of the handshake, such as a ticket of TLS 1.3, before the clock starts.
    echo(0, &mut client, &mut server, &mut turns)?;
    let before = client.wire().moved();
    let meter = Meter::start();
    let mut turns = Turns::start();
    for _ in 0..count {
        match from {
            Side::Client => pass(&mut client, &mut server, from, input, buffer, &mut turns)?,
            Side::Server => pass(&mut server, &mut client, from, input, buffer, &mut turns)?,
        }
    }
    let mut tally = Tally::default();
    tally.add(proof, client.wire().moved() - before)?;
    Ok(span(tally, turns, meter))
}

fn span(tally: Tally, turns: Turns, meter: Meter) -> Span {
    let wall = turns.client + turns.server;
    let (cpu_ns, peak_bytes) = meter.stop();
    let [client_cpu_ns, server_cpu_ns] = [turns.client, turns.server].map(|time| Some(nanoseconds(time)));
    Span { tally, wall, cpu_ns, peak_bytes, client_cpu_ns, server_cpu_ns }
}

type Client<L> = <L as Library>::Client<PipeEnd>;
type Server<L> = <L as Library>::Server<PipeEnd>;

/// Makes one connection: its negotiated parameters, the byte that came back, and how many went over the wire.
fn one<L: Library>(
    library: &L,
    offer: Offer,
    number: u8,
    slot: usize,
    peer: Option<Peer>,
    turns: &mut Turns,
) -> Result<(Proof, u8, u64), String> {
    let (mut client, mut server) = shake_hands(library, offer, slot, peer, turns)?;
    echo(number, &mut client, &mut server, turns)?;
    let parting = turns.of(Side::Client, || {
        if offer == Offer::Session {
            library.keep_session(&mut client, slot);
        }
        let proof = library.proof(&client);
        client.say_goodbye().map(|()| proof)
    });
    let proof = parting.map_err(lost("client", "closing"))?.ok_or("no handshake was made")?;
    let heard = turns.of(Side::Server, || {
        server.hear_goodbye().and_then(|()| server.say_goodbye()).map(|()| drop(server))
    });
    heard.map_err(lost("server", "closing"))?;
    let heard = turns.of(Side::Client, || {
        client.hear_goodbye().map(|()| {
            let moved = client.wire().moved();
            drop(client);
            moved
        })
    });
    Ok((proof, number, heard.map_err(lost("client", "closing"))?))
}

/// One byte there and back.
fn echo<W>(
    number: u8,
    client: &mut impl End<W>,
    server: &mut impl End<W>,
    turns: &mut Turns,
) -> Result<(), String> {
    let mut byte = [0];
    turns.of(Side::Client, || client.write_all(&[number])).map_err(lost("client", "sending"))?;
    turns
        .of(Side::Server, || read_one(server, &mut byte).and_then(|()| server.write_all(&byte)))
        .map_err(lost("server", "echoing"))?;
    turns.of(Side::Client, || read_one(client, &mut byte)).map_err(lost("client", "reading"))?;
    if byte == [number] { Ok(()) } else { Err(format!("the client sent {number} and read {}", byte[0])) }
}

fn shake_hands<L: Library>(
    library: &L,
    offer: Offer,
    slot: usize,
    peer: Option<Peer>,
    turns: &mut Turns,
) -> Result<(Client<L>, Server<L>), String> {
    let (near, far) = pipe();
    let made = turns.of(Side::Client, || library.client(near, offer, slot));
    let mut client = made.map_err(lost("client", "being made"))?;
    if let Some(peer) = peer {
        return Err(misbehave(peer, far, &mut client));
    }
    let made = turns.of(Side::Server, || library.server(far));
    let mut server = made.map_err(lost("server", "being made"))?;
    loop {
        let before = client.wire().moved();
        let client_ended = turns.of(Side::Client, || ended(client.handshake()));
        let client_ended = client_ended.map_err(lost("client", "shaking hands"))?;
        let server_ended = turns.of(Side::Server, || ended(server.handshake()));
        let server_ended = server_ended.map_err(lost("server", "shaking hands"))?;
        if client_ended && server_ended {
            return Ok((client, server));
        }
        if client.wire().moved() == before {
            return Err(in_vain(if client_ended { "server" } else { "client" }, "shaking hands"));
        }
    }
}

/// True if it has come to its end, false if it waits for the other side.
fn ended(outcome: io::Result<()>) -> io::Result<bool> {
    match outcome {
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
        outcome => outcome.map(|()| true),
    }
}

/// The client's error from a server that is none.
fn misbehave(peer: Peer, mut far: PipeEnd, client: &mut impl End<PipeEnd>) -> String {
    let _ = client.handshake();
    match peer {
        Peer::Stalls => {}
        Peer::Resets => far.reset(),
        Peer::Plain => drop(far.write_all(PLAIN_ANSWER)),
    }
    let outcome = client.handshake().and_then(|()| {
        // A protocol without a handshake sees it here.
        client.write_all(&[0])?;
        read_one(client, &mut [0])?;
        client.hear_goodbye()
    });
    match outcome {
        Ok(()) => "the client took a server for its own that is none".into(),
        Err(error) => lost("client", "shaking hands")(error),
    }
}

fn read_one<W>(end: &mut impl End<W>, byte: &mut [u8; 1]) -> io::Result<()> {
    match end.read(byte)? {
        0 => Err(ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}

/// Once the input from one end to the other, piece by piece: what was written is read before more is.
fn pass<W>(
    sender: &mut impl End<W>,
    receiver: &mut impl End<W>,
    from: Side,
    input: &[u8],
    buffer: &mut [u8],
    turns: &mut Turns,
) -> Result<(), String> {
    let to = if from == Side::Client { Side::Server } else { Side::Client };
    let (mut written, mut read) = (0, 0);
    for piece in input.chunks(PIECE) {
        turns.of(from, || sender.write_all(piece)).map_err(lost("sender", "writing"))?;
        written += piece.len();
        turns
            .of(to, || {
                while read < written {
                    match receiver.read(&mut buffer[read..])? {
                        0 => return Err(ErrorKind::UnexpectedEof.into()),
                        length => read += length,
                    }
                }
                Ok(())
            })
            .map_err(lost("receiver", "reading"))?;
    }
    Ok(())
}
