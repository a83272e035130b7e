//! The wire of transports `nodelay` and `default-sockets`: TCP on the loopback address.

use super::library::Wire;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// No read or accept waits longer (spec/engine.md, "TLS").
const PATIENCE: Duration = Duration::from_secs(5);

/// How long small writes wait for acknowledgements: not at all, or as long as the system has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delay {
    None,
    AsTheSystemHasIt,
}

/// Where servers accept connections, of this process alone.
pub struct Door {
    listener: TcpListener,
    address: SocketAddr,
    delay: Delay,
}

/// Every port that was a door in this process, for the test of what is left of them.
#[cfg(test)]
pub static OPENED: std::sync::Mutex<Vec<u16>> = std::sync::Mutex::new(Vec::new());

/// One end of a TCP connection.
pub struct Socket {
    stream: TcpStream,
    moved: u64,
}

impl Door {
    pub fn open(delay: Delay) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        system::limit_accept(&listener, PATIENCE)?;
        let address = listener.local_addr()?;
        #[cfg(test)]
        OPENED.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(address.port());
        Ok(Self { listener, address, delay })
    }

    pub fn connect(&self) -> io::Result<Socket> {
        let stream = TcpStream::connect_timeout(&self.address, PATIENCE)?;
        // It closes last, after the server's end of the stream, or gives up: in neither case is anything to be waited for.
        system::close_at_once(&stream)?;
        self.settle(stream)
    }

    pub fn accept(&self) -> io::Result<Socket> {
        let (stream, _) = self.listener.accept()?;
        self.settle(stream)
    }

    /// Wakes whoever waits in `accept`, now and later, with an error.
    pub fn close(&self) {
        system::close_door(&self.listener);
    }

    fn settle(&self, stream: TcpStream) -> io::Result<Socket> {
        if self.delay == Delay::None {
            stream.set_nodelay(true)?;
        }
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Socket { stream, moved: 0 })
    }
}

impl Socket {
    /// Waits until the other end has closed. Only then may a client close, which resets what is left of the connection,
    /// so that nothing of it remains in TIME-WAIT.
    pub fn wait_for_end(&mut self) -> io::Result<()> {
        while self.read(&mut [0; 64])? > 0 {}
        Ok(())
    }

    /// Closes by a reset.
    pub fn reset(self) -> io::Result<()> {
        system::close_at_once(&self.stream)
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = again(|| self.stream.read(buffer))?;
        self.moved += length as u64;
        Ok(length)
    }
}

impl Write for Socket {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let length = again(|| self.stream.write(data))?;
        self.moved += length as u64;
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Wire for Socket {
    fn moved(&self) -> u64 {
        self.moved
    }
}

/// A process that is stopped and continued finds its waiting interrupted: with a time limit the system does not resume it.
fn again(mut transfer: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match transfer() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}

/// System calls that the standard library lacks.
#[cfg(unix)]
mod system {
    use super::{Duration, TcpListener, TcpStream, io};
    use rustix::net::{Shutdown, shutdown, sockopt};

    pub fn limit_accept(listener: &TcpListener, patience: Duration) -> io::Result<()> {
        Ok(sockopt::set_socket_timeout(listener, sockopt::Timeout::Recv, Some(patience))?)
    }

    pub fn close_at_once(stream: &TcpStream) -> io::Result<()> {
        Ok(sockopt::set_socket_linger(stream, Some(Duration::ZERO))?)
    }

    /// Where the system does not wake who waits, the time limit does.
    pub fn close_door(listener: &TcpListener) {
        let _ = shutdown(listener, Shutdown::Both);
    }
}

/// Elsewhere accept waits for ever, and TIME-WAIT passes by itself.
#[cfg(not(unix))]
mod system {
    use super::{Duration, TcpListener, TcpStream, io};

    pub fn limit_accept(_: &TcpListener, _: Duration) -> io::Result<()> {
        Ok(())
    }

    pub fn close_at_once(_: &TcpStream) -> io::Result<()> {
        Ok(())
    }

    pub fn close_door(_: &TcpListener) {}
}
