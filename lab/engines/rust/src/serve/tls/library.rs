//! Traits for the jobs of TLS: a library, and the wire between its two ends.

use std::io::{self, Read, Write};

/// One library with its certificates and settings, ready to make connections. Generic over the wire, so that nothing is
/// looked up for each record.
pub trait Library: Sync {
    /// One end of a connection.
    type Client<W: Wire>: End<W>;
    type Server<W: Wire>: End<W>;

    /// `slot` numbers the client threads: each keeps sessions of its own.
    fn client<W: Wire>(&self, wire: W, offer: Offer, slot: usize) -> io::Result<Self::Client<W>>;

    fn server<W: Wire>(&self, wire: W) -> io::Result<Self::Server<W>>;

    /// Puts by what a later connection can go on with; the client has read something by now.
    fn keep_session<W: Wire>(&self, client: &mut Self::Client<W>, slot: usize);

    /// The negotiated parameters of a connection, as a comparable figure; `None` before its handshake has ended.
    fn proof<W: Wire>(&self, client: &Self::Client<W>) -> Option<Proof>;

    /// Protocol, suite and group in the words of spec/engine.md.
    fn names(&self, proof: Proof) -> [String; 3];
}

/// The offer in a client's first message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    Nothing,
    Session,
}

/// The negotiated parameters, in the library's own numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof {
    pub protocol: u32,
    pub suite: u32,
    pub group: u32,
    pub resumed: bool,
}

impl Proof {
    /// True if a handshake like this agrees on no group, so that the only one offered stands for it: keys were transported, or
    /// TLS 1.2 resumed. Anything else that tells no group has not proved it.
    pub fn is_without_group(&self, offered: &str) -> bool {
        const TLS_1_2: u32 = 0x0303;
        self.group == 0 && self.protocol == TLS_1_2 && (self.resumed || offered == "none")
    }
}

/// One end of a connection. `WouldBlock` means that it waits for the other end; over sockets, that it waited too long.
pub trait End<W> {
    /// Goes on until the handshake has ended at this end.
    fn handshake(&mut self) -> io::Result<()>;
    /// 0 at the end of the stream.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize>;
    fn write_all(&mut self, data: &[u8]) -> io::Result<()>;
    /// Tells the other end that nothing more comes, where the protocol has words for it.
    fn say_goodbye(&mut self) -> io::Result<()>;
    /// Waits until the other end has said so.
    fn hear_goodbye(&mut self) -> io::Result<()>;
    fn wire(&mut self) -> &mut W;
}

/// Carries the bytes of one end.
pub trait Wire: Read + Write {
    /// How many bytes this end has sent and received.
    fn moved(&self) -> u64;
}
