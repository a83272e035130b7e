//! Syslog over TCP, or over a local stream socket, as input: several senders at once, each with an order of its own.
//!
//! No sender can take more than its share: messages, counts, connections and waiting are bounded. While nothing is read, as
//! where a disk is full, the kernel's buffers fill and senders wait.

use super::frames::{End, Frames, Framing, LONGEST};
use super::input::{Drain, Input};
use super::message;
use crate::fault::Fault;
use crate::log::lines::{Cutter, Lines};
use crate::say::{self, many};
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, epoll, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{Shutdown, SocketFlags, accept_with, shutdown, sockopt};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// So many senders are connected at once; others wait until one of these is done. With [`LONGEST`] that is 8 MiB.
const MOST: usize = 64;
/// So many connections are read before anything else is looked after, and so many bytes of each.
const TURN: usize = 4;
const READ: usize = 64 << 10;
/// A sender that takes longer for a message is cut off, and one that sends none for so long where others wait for its
/// place: so often it is looked after, once a second while messages are read.
const PATIENCE: u32 = 60;
/// Faults of senders are told once in so long, because a stranger can repeat them.
const RARE: Duration = Duration::from_secs(60);
/// The listener's number; those of connections are less.
const LISTENER: u64 = u64::MAX;

pub struct Connections {
    /// Ready where the listener or a connection is.
    ready: OwnedFd,
    /// None where we were told to end.
    listener: Option<OwnedFd>,
    listens: bool,
    /// The socket is systemd's: who connects while we end is the next one's.
    inherited: bool,
    open: BTreeMap<u64, Connection>,
    next: u64,
    buffer: Vec<u8>,
    cutter: Cutter,
    malformed: Rare,
    unended: Rare,
    slow: Rare,
    waiting: Rare,
    refused: Rare,
    cut: Rare,
    /// Octets that are of no message.
    left_out: u64,
}

struct Connection {
    stream: OwnedFd,
    frames: Frames,
    /// How often it was looked after since a message began or ended.
    looks: u32,
}

impl Connections {
    /// Lines longer than `limit` come in pieces.
    pub fn new(listener: OwnedFd, inherited: bool, limit: usize) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&listener, true)?;
        let ready = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let (buffer, cutter) = (vec![0; READ], Cutter::new(limit));
        let (listener, listens) = (Some(listener), false);
        let mut connections = Self {
            ready,
            listener,
            listens,
            inherited,
            open: BTreeMap::default(),
            next: 0,
            buffer,
            cutter,
            malformed: Rare::default(),
            unended: Rare::default(),
            slow: Rare::default(),
            waiting: Rare::default(),
            refused: Rare::default(),
            cut: Rare::default(),
            left_out: 0,
        };
        connections.listen()?;
        Ok(connections)
    }

    fn listen(&mut self) -> io::Result<()> {
        if let Some(listener) = self.listener.as_ref().filter(|_| !self.listens) {
            epoll::add(&self.ready, listener, epoll::EventData::new_u64(LISTENER), epoll::EventFlags::IN)?;
            self.listens = true;
        }
        Ok(())
    }

    fn listen_no_more(&mut self) -> io::Result<()> {
        if let Some(listener) = self.listener.as_ref().filter(|_| std::mem::replace(&mut self.listens, false))
        {
            epoll::delete(&self.ready, listener)?;
        }
        Ok(())
    }

    /// Takes all who wait for a connection, as long as there are places.
    fn accept(&mut self) -> io::Result<()> {
        while let Some(listener) = self.listener.as_ref().filter(|_| self.open.len() < MOST) {
            match accept_with(listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(stream) => {
                    if let Err(error) = self.add(stream) {
                        // Its sender sees it closed.
                        self.refused.happened(1, Fault::from(error).message);
                    }
                }
                Err(Errno::AGAIN) => return Ok(()),
                // A sender that hung up before is no fault of ours.
                Err(Errno::CONNABORTED | Errno::INTR) => {}
                // No file or no memory is left for it; until the next look others may end.
                Err(error) => {
                    self.refused.happened(1, Fault::from(io::Error::from(error)).message);
                    break;
                }
            }
        }
        self.listen_no_more()
    }

    fn add(&mut self, stream: OwnedFd) -> io::Result<()> {
        // A machine that vanished says nothing any more. A local socket has no such thing.
        let _ = sockopt::set_socket_keepalive(&stream, true);
        let number = epoll::EventData::new_u64(self.next);
        epoll::add(&self.ready, &stream, number, epoll::EventFlags::IN)?;
        self.open.insert(self.next, Connection { stream, frames: Frames::default(), looks: 0 });
        self.next += 1;
        Ok(())
    }

    fn receive(&mut self, number: u64, lines: &mut impl Lines) -> io::Result<()> {
        let Some(connection) = self.open.get_mut(&number) else { return Ok(()) };
        match rustix::io::read(&connection.stream, &mut self.buffer) {
            Ok(0) => self.close(number, lines, |all| &mut all.unended),
            Ok(length) => {
                let mut moved = !connection.frames.is_within();
                let mut message = |text: &[u8], is_whole| {
                    moved = true;
                    message::lines_of(text, is_whole, &mut self.cutter, lines)
                };
                let framing = connection.frames.push(&self.buffer[..length], &mut message)?;
                if moved {
                    connection.looks = 0;
                }
                self.cut.happened(connection.frames.take_cut(), String::new());
                if let Framing::Malformed(octets) = framing {
                    let waiting = rustix::io::ioctl_fionread(&connection.stream).unwrap_or_default();
                    self.left_out += octets as u64 + waiting;
                    self.malformed.happened(1, name(&connection.stream));
                    self.remove(number)?;
                }
                Ok(())
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(()),
            // It was reset, or its machine is gone: that ends this sender alone.
            Err(_) => self.close(number, lines, |all| &mut all.unended),
        }
    }

    /// There is a place for another one then.
    fn remove(&mut self, number: u64) -> io::Result<Option<Connection>> {
        let removed = self.open.remove(&number);
        self.listen()?;
        Ok(removed)
    }

    /// Ends one of them. The part of a message that came is sealed, and the fault told.
    fn close(
        &mut self,
        number: u64,
        lines: &mut impl Lines,
        fault: fn(&mut Self) -> &mut Rare,
    ) -> io::Result<()> {
        let Some(Connection { stream, frames, .. }) = self.remove(number)? else { return Ok(()) };
        let End::Within(text) = frames.end() else { return Ok(()) };
        fault(self).happened(1, name(&stream));
        if text.is_empty() { Ok(()) } else { message::lines_of(&text, false, &mut self.cutter, lines) }
    }

    /// The sender that is idle for longest between two messages, if it is for long.
    fn idle(&self) -> Option<u64> {
        let between = self.open.iter().filter(|(_, open)| open.is_idle());
        between.max_by_key(|(number, open)| (open.looks, Reverse(**number))).map(|(number, _)| *number)
    }

    fn is_waited_for(&self) -> bool {
        let Some(listener) = &self.listener else { return false };
        let mut waited = [PollFd::new(listener, PollFlags::IN)];
        poll(&mut waited, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    }

    fn report(&mut self, now: Option<Instant>) {
        let left_out = self.left_out;
        self.malformed.report(now, |more, last| {
            (
                format!(
                    "disconnected {}, most recently {last}: the data is not framed as RFC 6587 requires; {left_out} bytes discarded so far",
                    many(more, "syslog sender")
                ),
                "let each message begin with its length in octets and a space, or with <PRI> and end with a line feed",
            )
        });
        self.unended.report(now, |more, last| {
            (
                format!(
                    "{} closed the connection within a message, most recently {last}",
                    many(more, "syslog sender")
                ),
                SEALED,
            )
        });
        self.slow.report(now, |more, last| {
            let senders = many(more, "syslog sender");
            (
                format!("disconnected {senders}, most recently {last}: a message took more than {PATIENCE} seconds"),
                SEALED,
            )
        });
        self.cut.report(now, |more, _| {
            let cut = many(more, "syslog message");
            (format!("{cut} truncated after {LONGEST} bytes"), "let senders split longer messages")
        });
        self.waiting.report(now, |_, _| {
            (
                format!("{MOST} syslog senders are connected, and others are waiting"),
                "let one relay collect their messages",
            )
        });
        self.refused.report(now, |_, error| {
            (
                format!("cannot accept the connection of a syslog sender: {error}"),
                "raise the limit of open files (ulimit -n, LimitNOFILE=); senders that wait are accepted within a second when there is room",
            )
        });
    }
}

const SEALED: &str = "the received part is treated as an unparsed line; check the sender or the network";

impl Input for Connections {
    fn waits_on(&self) -> Option<BorrowedFd<'_>> {
        Some(self.ready.as_fd())
    }

    fn read(&mut self, lines: &mut impl Lines) -> io::Result<bool> {
        let mut events = Vec::with_capacity(TURN);
        match epoll::wait(&self.ready, spare_capacity(&mut events), Some(&Timespec::default())) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in events {
            if !lines.goes_on() {
                break;
            }
            match event.data.u64() {
                LISTENER => self.accept()?,
                number => self.receive(number, lines)?,
            }
        }
        self.report(Some(Instant::now()));
        Ok(self.listener.is_some() || !self.open.is_empty())
    }

    fn look_after(&mut self, lines: &mut impl Lines) -> io::Result<()> {
        self.open.values_mut().for_each(|open| open.looks += 1);
        let slow = self.open.iter().filter(|(_, open)| open.frames.is_within() && open.looks >= PATIENCE);
        for number in slow.map(|(number, _)| *number).collect::<Vec<_>>() {
            self.close(number, lines, |all| &mut all.slow)?;
        }
        if self.open.len() == MOST && self.is_waited_for() {
            match self.idle() {
                Some(number) => self.close(number, lines, |all| &mut all.slow)?,
                None => self.waiting.happened(1, String::new()),
            }
        }
        if self.open.len() < MOST {
            self.listen()?;
        }
        self.report(Some(Instant::now()));
        Ok(())
    }

    fn end(&mut self, lines: &mut impl Lines) -> io::Result<()> {
        for number in self.open.keys().copied().collect::<Vec<_>>() {
            self.close(number, lines, |all| &mut all.unended)?;
        }
        self.report(None);
        Ok(())
    }

    fn lost(&self) -> u64 {
        self.malformed.count + self.unended.count + self.slow.count + self.cut.count
    }

    /// Senders are told that nobody will read on, and their lines until then are read.
    fn drain(&mut self) -> Drain {
        if !self.inherited {
            let _ = self.accept();
        }
        let _ = self.listen_no_more();
        self.listener = None;
        for connection in self.open.values() {
            let _ = shutdown(&connection.stream, Shutdown::Write);
        }
        Drain { quiet: Duration::from_millis(500), most: Duration::from_secs(5) }
    }
}

impl Connection {
    /// Bytes that wait in the kernel count as well: we may not have read for a while.
    fn is_idle(&self) -> bool {
        self.looks >= PATIENCE
            && !self.frames.is_within()
            && rustix::io::ioctl_fionread(&self.stream).is_ok_and(|waiting| waiting == 0)
    }
}

/// Something that others make happen, as often as they like.
#[derive(Default)]
struct Rare {
    count: u64,
    reported: u64,
    at: Option<Instant>,
    last: String,
}

impl Rare {
    fn happened(&mut self, times: u64, last: String) {
        self.count += times;
        self.last = last;
    }

    /// Says how often it happened since it was said last; `now` is None at the end of all.
    fn report(&mut self, now: Option<Instant>, words: impl FnOnce(u64, &str) -> (String, &'static str)) {
        let is_time = now.zip(self.at).is_none_or(|(now, at)| now.saturating_duration_since(at) >= RARE);
        if self.count > self.reported && is_time {
            let (text, hint) = words(self.count - self.reported, &self.last);
            say::warning(&text, hint);
            (self.reported, self.at) = (self.count, now);
        }
    }
}

fn name(stream: &OwnedFd) -> String {
    let address = stream.try_clone().and_then(|stream| TcpStream::from(stream).peer_addr());
    address.map_or("a local process".to_owned(), |address| address.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use crate::log::lines::Piece;
    use std::io::Write;
    use std::os::unix::net::{UnixListener, UnixStream};

    #[derive(Default)]
    struct Seen(Vec<String>);

    impl Lines for Seen {
        fn piece(&mut self, piece: Piece<'_>) -> io::Result<()> {
            let (content, end) = match piece {
                Piece::Line { content, feed: true } => (content, ""),
                // Nobody looks for values in what is no whole line.
                Piece::LongEnd { content, feed: true } => (content, "…"),
                other => panic!("{other:?}"),
            };
            self.0.push(String::from_utf8_lossy(content).into_owned() + end);
            Ok(())
        }
    }

    /// Makes all senders look silent for a minute.
    fn long_ago(connections: &mut Connections) {
        connections.open.values_mut().for_each(|open| open.looks += PATIENCE);
    }

    #[test]
    fn who_is_idle_gives_way_where_others_wait() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let (mut connections, mut seen) =
            (Connections::new(listener.into(), false, 1 << 20).unwrap(), Seen::default());
        let mut senders: Vec<_> = (0..MOST).map(|_| UnixStream::connect(&path).unwrap()).collect();
        while connections.open.len() < MOST {
            assert!(connections.read(&mut seen).unwrap());
        }
        long_ago(&mut connections);
        connections.look_after(&mut seen).unwrap();
        assert_eq!(connections.open.len(), MOST, "nobody waits");
        let _late = UnixStream::connect(&path).unwrap();
        // A sender of bytes that were not read is not idle.
        for sender in &mut senders[1..] {
            sender.write_all(b"1 <").unwrap();
        }
        connections.look_after(&mut seen).unwrap();
        assert!(!connections.open.contains_key(&0) && connections.open.len() == MOST - 1);
        while connections.open.len() < MOST || seen.0.len() < MOST - 1 {
            connections.read(&mut seen).unwrap();
        }
        assert_eq!((seen.0.len(), connections.lost()), (MOST - 1, 0));
    }

    /// Else 64 senders that send a byte now and then would keep all others out.
    #[test]
    fn a_message_may_not_take_for_ever() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let (mut connections, mut seen) =
            (Connections::new(listener.into(), false, 1 << 20).unwrap(), Seen::default());
        let mut senders: Vec<_> = (0..4).map(|_| UnixStream::connect(&path).unwrap()).collect();
        let each =
            [["<1>a", "b", "c"], ["9 <1>a", "b", "c"], ["<1>a\n", "b", "\n"], ["4 <1>a5", " <1>", "bc"]];
        for step in 0..3 {
            for (sender, texts) in senders.iter_mut().zip(each) {
                sender.write_all(texts[step].as_bytes()).unwrap();
            }
            for _ in 0..8 {
                connections.read(&mut seen).unwrap();
            }
            assert_eq!(connections.open.len(), 4, "{step}");
            for _ in 0..25 {
                connections.look_after(&mut seen).unwrap();
            }
        }
        assert_eq!(connections.open.len(), 2);
        seen.0.sort();
        assert_eq!((connections.lost(), seen.0.join(" ")), (2, "<1>a <1>a <1>abc… <1>abc… <1>bc b".into()));
    }

    #[test]
    fn who_is_silent_within_a_message_is_cut_off() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let (mut connections, mut seen) =
            (Connections::new(listener.into(), false, 1 << 20).unwrap(), Seen::default());
        let mut senders: Vec<_> = (0..3).map(|_| UnixStream::connect(&path).unwrap()).collect();
        for (sender, text) in senders.iter_mut().zip(["1 <9 b", "a", "1 <"]) {
            sender.write_all(text.as_bytes()).unwrap();
        }
        while connections.open.values().filter(|open| open.frames.is_within()).count() < 2 || seen.0.len() < 2
        {
            connections.read(&mut seen).unwrap();
        }
        connections.look_after(&mut seen).unwrap();
        assert_eq!(connections.open.len(), 3);
        long_ago(&mut connections);
        connections.look_after(&mut seen).unwrap();
        assert_eq!((connections.open.len(), connections.lost()), (1, 2));
        assert_eq!(seen.0, ["<", "<", "b…", "a…"]);
    }
}
