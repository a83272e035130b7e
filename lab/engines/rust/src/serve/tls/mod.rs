//! Jobs `tls-transfer` and `tls-connect`: one frame for every library, one file a library, and two loops that share
//! nothing with the frame, so that its cost can be seen.

mod copy;
mod gate;
mod library;
mod memory;
#[cfg(feature = "openssl")]
mod openssl;
#[cfg(all(feature = "openssl", target_os = "linux"))]
mod openssl_loop;
mod pipe;
mod rustls;
mod rustls_loop;
mod sense;
mod socket;
mod sockets;
mod tally;
#[cfg(test)]
mod tests;
mod threads;
mod trouble;
pub mod way;

use crate::protocol::{Answer, Connected, Operation, Peer, Task};
use crate::serve::{Engine, Ready, compiled, failed, unsupported};
use crate::{jobs, model};
use library::{Library, Offer};
use socket::Delay;
use std::path::PathBuf;
use tally::{Side, Span};
use way::Way;

/// Bytes a write (spec/engine.md, "TLS").
const PIECE: usize = 16_384;

/// The answer of a server that speaks no TLS.
const PLAIN_ANSWER: &[u8] = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";

/// More threads than this are no server any more.
const MOST_AT_ONCE: u64 = 256;

/// The engines that do nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Subcommand)]
pub enum Alone {
    /// rustls with aws-lc-rs.
    Rustls,
    /// The plainest loop over rustls in memory.
    RustlsLoop,
    /// The plainest loop in C over OpenSSL.
    #[cfg(all(feature = "openssl", target_os = "linux"))]
    OpensslLoop,
}

impl Alone {
    pub fn engine(self) -> Tls {
        Tls::new(match self {
            Self::Rustls => Box::new(rustls::Rustls),
            Self::RustlsLoop => Box::new(rustls_loop::RustlsLoop),
            #[cfg(all(feature = "openssl", target_os = "linux"))]
            Self::OpensslLoop => Box::new(openssl_loop::OpenSslLoop),
        })
    }
}

/// A library's jobs of TLS behind the wire.
pub struct Tls {
    source: Box<dyn Source>,
    job: Option<Box<dyn Job>>,
}

/// Where an engine's work comes from.
trait Source {
    fn name(&self) -> &'static str;
    fn version(&self) -> String;
    /// The job, and which code will do it.
    fn prepare(&self, task: Prepared) -> Result<(Box<dyn Job>, String), Answer>;
}

/// A task, understood.
struct Prepared {
    job: &'static jobs::Job,
    algorithm: String,
    transport: Between,
    input: Vec<u8>,
    directory: PathBuf,
    concurrency: usize,
    peer: Option<Peer>,
}

/// The connection between client and server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    Memory,
    Sockets(Delay),
}

/// The job that is timed.
trait Job {
    /// Does so many connections or transfers, at least one.
    fn time(&mut self, operation: Operation, first: u64, count: u64) -> Result<Connected, Answer>;
}

impl Tls {
    fn new(source: Box<dyn Source>) -> Self {
        Self { source, job: None }
    }

    /// The yardstick.
    pub fn copying() -> Self {
        Self::new(Box::new(copy::Copy))
    }

    #[cfg(feature = "openssl")]
    pub fn openssl() -> Self {
        Self::new(Box::new(openssl::OpenSsl))
    }
}

impl Engine for Tls {
    fn hello(&self) -> Result<(String, String), Answer> {
        Ok((self.source.name().into(), compiled(self.source.version())))
    }

    fn prepare(&mut self, job: &'static jobs::Job, task: &Task) -> Result<Ready, Answer> {
        let (work, code) = self.source.prepare(Prepared::understand(job, task)?)?;
        self.job = Some(work);
        Ok(Ready { authenticated: task.algorithm() != "none", code })
    }

    fn time(&mut self, operation: Operation, first: u64, count: u64) -> Answer {
        let Some(job) = &mut self.job else { return failed("not prepared") };
        if count == 0 {
            return failed("nothing to time");
        }
        let told = job.time(operation, first, count);
        told.map_or_else(|bad_news| bad_news, |connected| Answer::Connected(Box::new(connected)))
    }
}

impl Prepared {
    fn understand(job: &'static jobs::Job, task: &Task) -> Result<Self, Answer> {
        if job.by_plan.is_none() {
            return Err(unsupported(format!("job {}", job.name)));
        }
        let transport = match task.parameter("transport") {
            "memory" => Between::Memory,
            "nodelay" => Between::Sockets(Delay::None),
            "default-sockets" => Between::Sockets(Delay::AsTheSystemHasIt),
            other => return Err(unsupported(format!("transport {other} in job {}", job.name))),
        };
        let concurrency = task.concurrency.unwrap_or(1);
        if !(1..=MOST_AT_ONCE).contains(&concurrency) || transport == Between::Memory && concurrency > 1 {
            let transport = task.parameter("transport");
            return Err(unsupported(format!("{concurrency} connections at once over transport {transport}")));
        }
        Ok(Self {
            job,
            algorithm: task.algorithm().to_owned(),
            transport,
            input: if job == &jobs::TLS_TRANSFER {
                model::input(task.seed, task.bytes())
            } else {
                Vec::new()
            },
            directory: PathBuf::from(&task.directory),
            concurrency: concurrency as usize,
            peer: task.peer,
        })
    }

    /// The four words, where they go together.
    fn way(&self) -> Result<Way, Answer> {
        let way = Way::parse(&self.algorithm)
            .ok_or_else(|| unsupported(format!("no \"{}\" here", self.algorithm)))?;
        match sense::contradiction(&way) {
            Some(why) => Err(unsupported(why)),
            None => Ok(way),
        }
    }

    /// The frame around a library.
    fn around<L: Library + 'static>(self, library: L) -> Box<dyn Job> {
        let Self { job, transport, concurrency, peer, input, .. } = self;
        let buffer = buffer_of(input.len());
        Box::new(Frame { library, job, transport, concurrency, peer, input, buffer })
    }
}

/// Touched before the span: a page that is not there yet would be fetched in it.
fn buffer_of(length: usize) -> Vec<u8> {
    vec![0xA5; length]
}

/// A library with all that it has in common with the others.
struct Frame<L> {
    library: L,
    job: &'static jobs::Job,
    transport: Between,
    concurrency: usize,
    peer: Option<Peer>,
    input: Vec<u8>,
    buffer: Vec<u8>,
}

impl<L: Library> Job for Frame<L> {
    fn time(&mut self, operation: Operation, first: u64, count: u64) -> Result<Connected, Answer> {
        let told = match (self.job.name, operation) {
            ("tls-transfer", Operation::Upload) => self.transfer(Side::Client, count),
            ("tls-transfer", Operation::Download) => self.transfer(Side::Server, count),
            ("tls-connect", Operation::Full) => self.connect(Offer::Nothing, first, count),
            ("tls-connect", Operation::Resumed) => {
                self.gather_sessions().and_then(|()| self.connect(Offer::Session, first, count))
            }
            _ => return Err(unsupported(format!("{operation} in job {}", self.job.name))),
        };
        told.map_err(failed)
    }
}

impl<L: Library> Frame<L> {
    fn transfer(&mut self, from: Side, count: u64) -> Result<Connected, String> {
        let Self { library, transport, peer, input, buffer, .. } = self;
        // The last span's bytes must not pass for this one's.
        buffer.fill(0xA5);
        let span = match transport {
            Between::Memory => memory::transfer(library, from, input, buffer, count, *peer)?,
            Between::Sockets(delay) => sockets::transfer(library, *delay, from, input, buffer, count, *peer)?,
        };
        span.connected(library, count, buffer)
    }

    fn connect(&self, offer: Offer, first: u64, count: u64) -> Result<Connected, String> {
        let Self { library, transport, concurrency, peer, .. } = self;
        let numbers = first..first.checked_add(count).ok_or("numbers beyond 2^64")?;
        let (span, byte): (Span, u8) = match transport {
            Between::Memory => memory::connect(library, offer, numbers, 0, *peer)?,
            Between::Sockets(delay) => {
                sockets::connect(library, *delay, offer, numbers, *concurrency, *peer)?
            }
        };
        span.connected(library, count, &[byte])
    }

    /// One full connection for each client thread; what is to be resumed does not know what carried it.
    fn gather_sessions(&self) -> Result<(), String> {
        (0..self.concurrency)
            .try_for_each(|slot| memory::connect(&self.library, Offer::Session, 0..1, slot, None).map(drop))
    }
}
