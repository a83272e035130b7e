//! The yardstick: the same bytes over the same wire, without TLS.

use super::library::{End, Library, Offer, Proof, Wire};
use super::{Job, Prepared, Source};
use crate::protocol::Answer;
use crate::serve::unsupported;
use std::io;

pub struct Copy;

impl Source for Copy {
    fn name(&self) -> &'static str {
        "copy"
    }

    fn version(&self) -> String {
        sealmark_lab::version()
    }

    fn prepare(&self, task: Prepared) -> Result<(Box<dyn Job>, String), Answer> {
        match task.algorithm.as_str() {
            "none" => Ok((task.around(Copy), "the bytes themselves".into())),
            other => Err(unsupported(format!("algorithm \"{other}\" without TLS"))),
        }
    }
}

impl Library for Copy {
    type Client<W: Wire> = Bare<W>;
    type Server<W: Wire> = Bare<W>;

    fn client<W: Wire>(&self, wire: W, offer: Offer, _slot: usize) -> io::Result<Bare<W>> {
        Ok(Bare { wire, offer })
    }

    fn server<W: Wire>(&self, wire: W) -> io::Result<Bare<W>> {
        Ok(Bare { wire, offer: Offer::Nothing })
    }

    fn keep_session<W: Wire>(&self, _client: &mut Bare<W>, _slot: usize) {}

    /// The proof repeats the offer: there is no handshake of either kind.
    fn proof<W: Wire>(&self, client: &Bare<W>) -> Option<Proof> {
        Some(Proof { protocol: 0, suite: 0, group: 0, resumed: client.offer == Offer::Session })
    }

    fn names(&self, _proof: Proof) -> [String; 3] {
        [(); 3].map(|()| "none".into())
    }
}

/// An end of a connection that the wire is all of.
pub struct Bare<W> {
    wire: W,
    offer: Offer,
}

impl<W: Wire> End<W> for Bare<W> {
    fn handshake(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.wire.read(buffer)
    }

    fn write_all(&mut self, data: &[u8]) -> io::Result<()> {
        self.wire.write_all(data)
    }

    /// Closing says it.
    fn say_goodbye(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn hear_goodbye(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn wire(&mut self) -> &mut W {
        &mut self.wire
    }
}
