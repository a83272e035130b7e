//! Batches through several threads, and their results in order: batch n goes to thread n modulo their number, so that
//! order needs neither numbers nor waiting for the slowest of all.

use super::batches::{Batch, Buffer};
use super::input::{Input, Item};
use crate::fault::{Exit, Fault};
use crate::say;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// The work on a batch, apart from the others. Long lines come in pieces, which have no findings.
pub trait Work: Clone + Send + 'static {
    type Found: Send + 'static;
    /// Appends what is to be written.
    fn work(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Self::Found;
    /// True where the next input is read where one fails like that: damage is a log's own.
    fn goes_on(fault: &Fault) -> bool {
        fault.exit == Exit::Damaged
    }
}

/// A batch and what was found in it.
pub struct Done<F> {
    pub batch: Batch,
    /// May hold what was sealed, so it is wiped once it was taken.
    pub out: Vec<u8>,
    pub found: F,
}

/// Bytes of all batches on their way; a larger one travels alone.
const IN_FLIGHT: usize = 16 << 20;
const MAX_LANES: usize = 16;
/// Batches that wait in a lane before and behind its thread.
const QUEUE: usize = 4;

/// Runs all of `input` through `work`; `take` gets the results in order, until it has enough. Damage is told in
/// between; how the program should end is returned.
///
/// The threads are not scoped: where writing fails or enough was taken, one of them may be waiting for input that never
/// comes, and the program ends without it.
pub fn run<W: Work>(
    input: Input,
    work: &W,
    mut take: impl FnMut(&Done<W::Found>) -> Result<ControlFlow<()>, Fault>,
) -> Result<Exit, Fault> {
    let (gate, rooms, (spares, spare)) = (Arc::new(Gate::default()), Rooms::default(), sync_channel(64));
    let lanes = (0..number_of_lanes()).map(|_| lane(work.clone(), rooms.clone()));
    let (lanes, ends): (Vec<_>, Vec<_>) = lanes.unzip();
    let (reader_gate, mut threads) = (gate.clone(), Vec::new());
    threads.push(thread::spawn(move || feed(input, &lanes, &reader_gate, &spare)));
    let mut worst = Exit::Done;
    let (mut results, workers): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
    threads.extend(workers);
    for lane in (0..results.len()).cycle() {
        // The first lane that has no more is the one behind the last batch.
        let Ok(done) = results[lane].recv() else { break };
        match done {
            Ok(mut done) => {
                let enough = take(&done)?.is_break();
                let bytes = done.batch.text.text().len();
                rooms.give_back(std::mem::take(&mut done.out));
                if enough {
                    return Ok(worst);
                }
                let _ = spares.try_send(done.batch.text.reused());
                // Not before its memory is free: the next one would be read beside it.
                gate.leave(bytes);
            }
            Err(fault) if W::goes_on(&fault) => worst = worst.max(say::fault(&fault)),
            Err(fault) => return Err(fault),
        }
    }
    results.clear();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    Ok(worst)
}

fn number_of_lanes() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MAX_LANES)
}

type Lane<F> = (SyncSender<Item>, (Receiver<Result<Done<F>, Fault>>, JoinHandle<()>));

fn lane<W: Work>(mut work: W, rooms: Rooms) -> Lane<W::Found> {
    let (jobs, waiting) = sync_channel::<Item>(QUEUE);
    let (finished, results) = sync_channel(QUEUE);
    let thread = thread::spawn(move || {
        for item in waiting {
            if finished.send(item.map(|batch| done(&mut work, batch, rooms.take()))).is_err() {
                break;
            }
        }
    });
    (jobs, (results, thread))
}

fn done<W: Work>(work: &mut W, batch: Batch, mut out: Vec<u8>) -> Done<W::Found> {
    let found = work.work(&batch, &mut out);
    Done { batch, out, found }
}

fn feed(input: Input, lanes: &[SyncSender<Item>], gate: &Gate, spares: &Receiver<Buffer>) {
    let mut lane = lanes.iter().cycle();
    let spare = || spares.try_recv().unwrap_or_default();
    input.read(spare, |item| {
        if let Ok(batch) = &item {
            gate.enter(batch.text.text().len());
        }
        lane.next().is_some_and(|lane| lane.send(item).is_ok())
    });
}

/// Where results were, for the next ones: to allocate it and to wipe it byte by byte cost a quarter of all.
#[derive(Clone, Default)]
struct Rooms(Arc<Mutex<Vec<Vec<u8>>>>);

impl Rooms {
    fn take(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn give_back(&self, mut room: Vec<u8>) {
        const KEPT: usize = 1 << 20;
        room.fill(0);
        // Somebody may look: the compiler must not leave the wiping out.
        std::hint::black_box(&room[..]);
        if room.capacity() <= KEPT {
            room.clear();
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(room);
        }
    }
}

/// Holds batches back while too many bytes are on their way.
#[derive(Default)]
struct Gate {
    bytes: Mutex<usize>,
    left: Condvar,
}

impl Gate {
    fn enter(&self, bytes: usize) {
        let mut inside = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        while *inside > 0 && *inside + bytes > IN_FLIGHT {
            inside = self.left.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
        *inside += bytes;
    }

    fn leave(&self, bytes: usize) {
        *self.bytes.lock().unwrap_or_else(PoisonError::into_inner) -= bytes;
        self.left.notify_one();
    }
}
