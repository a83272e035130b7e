//! A syslog socket as input. A datagram of a local one is a message, and a message is one line or several; those that come
//! over connections are read by [`Connections`].

use super::connections::Connections;
use super::directory::{Directory, Follow};
use super::input::{Drain, Input};
use super::message;
use crate::fault::Fault;
use crate::log::addresses::Address;
use crate::log::lines::{Cutter, Lines, READ};
use crate::say::{self, many};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, Mode, Stat, statat, unlinkat};
use rustix::net::{AddressFamily, SocketType, sockopt};
use std::io::{self, ErrorKind};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::time::Duration;

/// An open socket, by how messages come from it.
pub enum Listening {
    Datagrams(Syslog),
    Connections(Box<Connections>),
}

/// Lines longer than `limit` come in pieces.
pub fn listen(address: &Address, limit: usize, follow: Follow) -> Result<Listening, Fault> {
    let datagrams = |socket, name| Syslog::new(socket, name, limit).map(Listening::Datagrams);
    let connections = |socket: OwnedFd, inherited| {
        warn_of_others(&TcpListener::from(socket.try_clone()?));
        Connections::new(socket, inherited, limit).map(Box::new).map(Listening::Connections)
    };
    let listen = || match address {
        Address::Unix(path) => {
            let (socket, name) = bind_unix(path, follow)?;
            widen(&socket);
            datagrams(socket, Some(name))
        }
        Address::Udp(address) => {
            let socket = UdpSocket::bind(address)?.into();
            widen(&socket);
            datagrams(socket, None)
        }
        Address::Tcp(address) => connections(TcpListener::bind(address)?.into(), false),
        Address::Systemd => match inherited()? {
            (socket, SocketType::STREAM) => connections(socket, true),
            // Its unit says how much it holds.
            (socket, _) => datagrams(socket, None),
        },
    };
    listen().map_err(|error: io::Error| Fault::from(error).unless_named(&format!("{address}")))
}

/// Nobody reads a log on its way within a machine.
fn warn_of_others(listener: &TcpListener) {
    if let Some(address) = listener.local_addr().ok().filter(|address| !address.ip().is_loopback()) {
        say::warning(
            &format!(
                "other machines can reach {address}: anybody on the network may read the log lines and send forged ones"
            ),
            "listen on tcp:127.0.0.1:PORT, and put a tunnel or a relay with TLS in front of it",
        );
    }
}

pub struct Syslog {
    socket: OwnedFd,
    /// The file of a socket that has a name, so that no other is removed at the end.
    name: Option<Name>,
    /// A byte longer than the longest message.
    buffer: Vec<u8>,
    cutter: Cutter,
    lost: u32,
    cut: u64,
}

/// So many datagrams are read before anything else is looked after.
const TURN: usize = 1024;
/// So much the kernel keeps while we write.
const BACKLOG: usize = 16 << 20;

impl Syslog {
    fn new(socket: OwnedFd, name: Option<Name>, limit: usize) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&socket, true)?;
        let (buffer, cutter) = (vec![0; READ + 1], Cutter::new(limit));
        Ok(Self { socket, name, buffer, cutter, lost: 0, cut: 0 })
    }

    /// Says how many messages the kernel had no room for, whenever there are more.
    fn tell_lost(&mut self) {
        let lost = dropped(&self.socket).unwrap_or(self.lost);
        if lost != self.lost {
            say::warning(
                &format!(
                    "{} syslog messages were lost, {lost} since the start",
                    lost.wrapping_sub(self.lost)
                ),
                "the kernel had no room for them: raise net.core.rmem_max, or start as root",
            );
            self.lost = lost;
        }
    }

    fn receive(&mut self, lines: &mut impl Lines) -> io::Result<()> {
        let length = rustix::io::read(&self.socket, &mut self.buffer)?;
        let is_whole = length < self.buffer.len();
        self.cut += u64::from(!is_whole);
        match &self.buffer[..length] {
            [] => Ok(()),
            datagram => message::lines_of(datagram, is_whole, &mut self.cutter, lines),
        }
    }
}

impl Input for Syslog {
    fn waits_on(&self) -> Option<BorrowedFd<'_>> {
        Some(self.socket.as_fd())
    }

    fn read(&mut self, lines: &mut impl Lines) -> io::Result<bool> {
        for _ in 0..TURN {
            if !lines.goes_on() {
                break;
            }
            match self.receive(lines) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.tell_lost();
        Ok(true)
    }

    /// Every message ends its line.
    fn end(&mut self, _: &mut impl Lines) -> io::Result<()> {
        self.tell_lost();
        if self.cut > 0 {
            say::note(&format!("{} truncated after {READ} bytes", many(self.cut, "syslog message")));
        }
        Ok(())
    }

    fn lost(&self) -> u64 {
        u64::from(self.lost) + self.cut
    }

    /// A sender finds nobody there from now on; what was sent is read.
    fn drain(&mut self) -> Drain {
        remove(self.name.take());
        Drain { quiet: Duration::from_millis(100), most: Duration::from_secs(2) }
    }
}

impl Drop for Syslog {
    fn drop(&mut self) {
        remove(self.name.take());
    }
}

/// The socket of systemd's unit, and whether messages come in datagrams or in a stream.
fn inherited() -> io::Result<(OwnedFd, SocketType)> {
    let refuse = |what: String| {
        let hint =
            "start it by a .socket unit with one ListenDatagram= or ListenStream=, as in examples/systemd";
        Err(io::Error::other(Fault::usage(what).hint(hint)))
    };
    let mut sockets = sd_notify::listen_fds()?;
    let (1, Some(first)) = (sockets.len(), sockets.next()) else {
        return refuse(format!("expected one socket from systemd, got {}", sockets.len()));
    };
    #[allow(unsafe_code, reason = "a number is all that systemd hands over")]
    // SAFETY: systemd opened it for this process, which asks for it once and before it opens anything else by that number.
    let socket = unsafe { OwnedFd::from_raw_fd(first) };
    let kind = sockopt::socket_type(&socket)?;
    match kind {
        SocketType::STREAM if sockopt::socket_acceptconn(&socket)? => return Ok((socket, kind)),
        SocketType::DGRAM => {}
        _ => {
            return refuse(
                "the socket from systemd is neither a datagram socket nor a listening stream socket".into(),
            );
        }
    }
    let is_here = match sockopt::socket_domain(&socket)? {
        AddressFamily::UNIX => true,
        _ => {
            UdpSocket::from(socket.try_clone()?).local_addr().is_ok_and(|address| address.ip().is_loopback())
        }
    };
    if is_here {
        Ok((socket, kind))
    } else {
        refuse("the socket from systemd is open to other machines".into())
    }
}

struct Name {
    directory: Directory,
    made: (u64, u64),
}

/// The socket can be written to by everyone who gets to its directory, as /dev/log can: a server's workers are
/// somebody else than we.
fn bind_unix(path: &Path, follow: Follow) -> io::Result<(OwnedFd, Name)> {
    let directory = Directory::of(path, follow)?;
    // A socket is bound by a path only; this one leads where we were, whatever the names mean now.
    let held = Path::new("/proc/self/fd").join(directory.fd.as_raw_fd().to_string()).join(&directory.name);
    let (named, path) = (path, if follow == Follow::Links { path } else { &held });
    let _alone = directory.alone()?;
    make_room(&directory, path, named)?;
    let before = rustix::process::umask(Mode::from_raw_mode(0o111));
    let socket = UnixDatagram::bind(path);
    rustix::process::umask(before);
    let (socket, made) = (socket?, look(&directory)?);
    Ok((socket.into(), Name { directory, made: (made.st_dev, made.st_ino) }))
}

/// Removes the socket of a process that is gone, and nothing else.
fn make_room(directory: &Directory, path: &Path, named: &Path) -> io::Result<()> {
    let Ok(found) = look(directory) else { return Ok(()) };
    if FileType::from_raw_mode(found.st_mode) != FileType::Socket {
        return Err(io::Error::other(
            Fault::usage(format!("{named:?} exists and is not a socket"))
                .named()
                .hint("remove it, or choose another path"),
        ));
    }
    match UnixDatagram::unbound()?.connect(path) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
            Ok(unlinkat(&directory.fd, &directory.name, AtFlags::empty())?)
        }
        _ => Err(io::Error::other(
            Fault::io("another program listens there").hint("end it first, or choose another path"),
        )),
    }
}

fn look(directory: &Directory) -> io::Result<Stat> {
    Ok(statat(&directory.fd, &directory.name, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// A sealer that ends removes its own socket only, not that of its successor. Where it may not, the successor will.
fn remove(name: Option<Name>) {
    let Some(Name { directory, made }) = name else { return };
    if look(&directory).is_ok_and(|found| (found.st_dev, found.st_ino) == made) {
        let _ = unlinkat(&directory.fd, &directory.name, AtFlags::empty());
    }
}

/// Root may have more than the limit of the system. Where it cannot be had, the socket works as it is.
fn widen(socket: &OwnedFd) {
    let _ = sockopt::set_socket_recv_buffer_size(socket, BACKLOG);
    let _ = sockopt::set_socket_recv_buffer_size_force(socket, BACKLOG);
}

/// Messages that the kernel dropped since the socket was made; None where it does not tell.
fn dropped(socket: &OwnedFd) -> Option<u32> {
    // The ninth number of what `ss -m` shows (linux/sock_diag.h, SK_MEMINFO_DROPS).
    let mut numbers = [0u32; 9];
    let mut length = size_of_val(&numbers) as libc::socklen_t;
    #[allow(unsafe_code, reason = "no safe crate here knows this option")]
    // SAFETY: the kernel writes at most `length` bytes, which is the size of `numbers`.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MEMINFO,
            numbers.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    (result == 0 && length as usize == size_of_val(&numbers)).then_some(numbers[8])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use crate::log::lines::Piece;
    use std::{fs, thread};

    #[derive(Default)]
    struct Seen(Vec<String>);

    impl Lines for Seen {
        fn piece(&mut self, piece: Piece<'_>) -> io::Result<()> {
            match piece {
                Piece::Line { content, feed: true } => {
                    self.0.push(String::from_utf8_lossy(content).into_owned())
                }
                other => panic!("{other:?}"),
            }
            Ok(())
        }
    }

    #[test]
    fn only_this_machine_is_listened_to() {
        for text in ["udp:127.0.0.1:5140", "udp:[::1]:5140", "tcp:127.0.0.1:5140", "unix:/run/x:y", "systemd"]
        {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        assert_eq!("tcp:5140".parse::<Address>().unwrap().to_string(), "tcp:127.0.0.1:5140");
        // Another address of a connection has to be named.
        assert_eq!("tcp:10.0.0.1:514".parse::<Address>().unwrap().to_string(), "tcp:10.0.0.1:514");
        for text in [
            "udp:0.0.0.0:514",
            "udp:10.0.0.1:514",
            "udp:localhost",
            "tcp:",
            "tcp:localhost:1",
            "tcp::1",
            "unix:",
            "",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }

    fn datagrams(address: &Address) -> Result<Syslog, Fault> {
        match listen(address, 1 << 20, Follow::Links)? {
            Listening::Datagrams(syslog) => Ok(syslog),
            Listening::Connections(_) => panic!("not {address}"),
        }
    }

    #[test]
    fn a_message_is_a_line_or_several() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("socket");
        let mut syslog = datagrams(&Address::Unix(path.clone())).unwrap();
        let sender = UnixDatagram::unbound().unwrap();
        let long = "x".repeat(65_000);
        for datagram in ["<190>Nov 21 12:00:01 host nginx: one", "two\nthree\n", "", "<3>four", "\n", &long] {
            sender.send_to(datagram.as_bytes(), &path).unwrap();
            let mut seen = Seen::default();
            assert!(syslog.read(&mut seen).unwrap());
            let expected: &[&str] = match datagram {
                "two\nthree\n" => &["two", "three"],
                "" => &[],
                "\n" => &[""],
                other => &[other.rsplit(": ").next().unwrap()],
            };
            assert_eq!(seen.0, expected);
        }
    }

    #[test]
    fn a_socket_is_replaced_when_nobody_listens() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("socket");
        let address = Address::Unix(path.clone());
        drop(UnixDatagram::bind(&path).unwrap());
        let alive = datagrams(&address).unwrap();
        let refused = datagrams(&address).err().unwrap();
        assert!(refused.message.contains("another program listens there"), "{refused}");
        drop(alive);
        assert!(!path.exists());
        fs::write(&path, "a file").unwrap();
        assert!(datagrams(&address).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"a file");
    }

    /// The second of two that start at once does not take the first one's socket for that of the dead.
    #[test]
    fn a_socket_that_appears_meanwhile_is_left_alone() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("socket");
        drop(UnixDatagram::bind(&path).unwrap());
        let first = Directory::of(&path, Follow::Links).unwrap();
        let alone = first.alone().unwrap().unwrap();
        let address = Address::Unix(path.clone());
        let second = thread::spawn(move || datagrams(&address).err());
        thread::sleep(Duration::from_millis(300));
        assert!(UnixDatagram::unbound().unwrap().connect(&path).is_err(), "it did not wait");
        fs::remove_file(&path).unwrap();
        let alive = UnixDatagram::bind(&path).unwrap();
        drop(alone);
        let refused = second.join().unwrap().unwrap();
        assert!(refused.message.contains("another program listens there"), "{refused}");
        UnixDatagram::unbound().unwrap().send_to(b"x", &path).unwrap();
        assert_eq!(alive.recv(&mut [0; 9]).unwrap(), 1);
    }

    #[test]
    fn what_the_kernel_had_no_room_for_is_counted() {
        let mut syslog = datagrams(&"udp:127.0.0.1:0".parse().unwrap()).unwrap();
        sockopt::set_socket_recv_buffer_size(&syslog.socket, 4096).unwrap();
        let receiver = UdpSocket::from(syslog.socket.try_clone().unwrap());
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        for _ in 0..100 {
            sender.send_to(&[b'x'; 1000], receiver.local_addr().unwrap()).unwrap();
        }
        let mut seen = Seen::default();
        syslog.read(&mut seen).unwrap();
        assert!(!seen.0.is_empty() && seen.0.len() < 100);
        assert_eq!(seen.0.len() + syslog.lost as usize, 100);
    }
}
