//! The wire of transport `memory`: two buffers, one a direction.

use super::library::Wire;
use std::cell::{Cell, RefCell};
use std::io::{self, ErrorKind, Read, Write};
use std::rc::Rc;

/// Both ends of a new pipe.
pub fn pipe() -> (PipeEnd, PipeEnd) {
    let [there, back] = [(); 2].map(|()| Rc::new(Direction::default()));
    let client = PipeEnd { incoming: back.clone(), outgoing: there.clone() };
    (client, PipeEnd { incoming: there, outgoing: back })
}

/// One end: it reads what the other wrote, and never waits. The other end sees the end of the stream once it is dropped.
pub struct PipeEnd {
    incoming: Rc<Direction>,
    outgoing: Rc<Direction>,
}

#[derive(Default)]
struct Direction {
    waiting: RefCell<Waiting>,
    sent: Cell<u64>,
    state: Cell<State>,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// Before here they have been read.
    from: usize,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Open,
    Ended,
    Reset,
}

impl PipeEnd {
    /// Ends as a TCP connection does that is aborted.
    pub fn reset(self) {
        self.outgoing.state.set(State::Reset);
    }
}

impl Drop for PipeEnd {
    fn drop(&mut self) {
        if self.outgoing.state.get() == State::Open {
            self.outgoing.state.set(State::Ended);
        }
    }
}

impl Read for PipeEnd {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut waiting = self.incoming.waiting.borrow_mut();
        let there = &waiting.bytes[waiting.from..];
        if there.is_empty() {
            return match self.incoming.state.get() {
                State::Open => Err(ErrorKind::WouldBlock.into()),
                State::Ended => Ok(0),
                State::Reset => Err(ErrorKind::ConnectionReset.into()),
            };
        }
        let length = there.len().min(buffer.len());
        buffer[..length].copy_from_slice(&there[..length]);
        waiting.from += length;
        if waiting.from == waiting.bytes.len() {
            *waiting = Waiting { bytes: std::mem::take(&mut waiting.bytes), from: 0 };
            waiting.bytes.clear();
        }
        Ok(length)
    }
}

impl Write for PipeEnd {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.outgoing.waiting.borrow_mut().bytes.extend_from_slice(data);
        self.outgoing.sent.set(self.outgoing.sent.get() + data.len() as u64);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Wire for PipeEnd {
    fn moved(&self) -> u64 {
        self.outgoing.sent.get() + self.incoming.sent.get()
    }
}
