//! Batches through several threads, and their results in order: batch n goes to thread n modulo their number, so that
//! order needs neither numbers nor waiting for the slowest of all.

use super::ahead::{self, Ahead, Held, SILENCE};
use super::batches::Buffer;
use super::input::{Input, Item};
pub use super::work::{Done, Work};
use crate::fault::{Exit, Fault};
use crate::say;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

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
    let ahead = Arc::new(Ahead::of(&input.sources, &input.opener));
    let is_stream = input.follow || !input.sources.iter().all(ahead::is_file);
    let mut held = is_stream.then(|| Held::new(work.clone()));
    let lanes = (0..number_of_lanes()).map(|_| lane(work.clone(), rooms.clone(), ahead.clone()));
    let (lanes, ends): (Vec<_>, Vec<_>) = lanes.unzip();
    let (reader_gate, mut threads) = (gate.clone(), Vec::new());
    threads.push(thread::spawn(move || feed(input, &lanes, &reader_gate, &spare)));
    let mut worst = Exit::Done;
    let (mut results, workers): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
    threads.extend(workers);
    let mut give = |mut done: Done<W::Found>| {
        let enough = take(&done)?;
        rooms.give_back(std::mem::take(&mut done.out));
        let _ = spares.try_send(done.batch.text.reused());
        Ok::<_, Fault>(enough)
    };
    for lane in (0..results.len()).cycle() {
        // The first lane that has no more is the one behind the last batch.
        let next = match &mut held {
            Some(held) if !held.is_empty() => match results[lane].recv_timeout(SILENCE) {
                Err(RecvTimeoutError::Timeout) => {
                    if release_all(held, &mut give)?.is_break() {
                        return Ok(worst);
                    }
                    results[lane].recv().ok()
                }
                next => next.ok(),
            },
            _ => results[lane].recv().ok(),
        };
        let Some(next) = next else { break };
        match next {
            Ok(done) => {
                let bytes = done.batch.text.text().len();
                let enough = match &mut held {
                    Some(held) if held.holds(&done) => {
                        held.push(done);
                        give_ready(held, &mut give)?
                    }
                    _ => give(done)?,
                };
                if enough.is_break() {
                    return Ok(worst);
                }
                // Not before its memory is free: the next one would be read beside it.
                gate.leave(bytes);
            }
            Err(fault) => {
                if let Some(held) = &mut held
                    && release_all(held, &mut give)?.is_break()
                {
                    return Ok(worst);
                }
                if !W::goes_on(&fault) {
                    return Err(fault);
                }
                worst = worst.max(say::fault(&fault));
            }
        }
    }
    if let Some(held) = &mut held
        && release_all(held, &mut give)?.is_break()
    {
        return Ok(worst);
    }
    results.clear();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
    Ok(worst)
}

type Give<'a, F> = &'a mut dyn FnMut(Done<F>) -> Result<ControlFlow<()>, Fault>;

fn give_ready<W: Work>(held: &mut Held<W>, give: Give<'_, W::Found>) -> Result<ControlFlow<()>, Fault> {
    while let Some(done) = held.ready() {
        if give(done)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn release_all<W: Work>(held: &mut Held<W>, give: Give<'_, W::Found>) -> Result<ControlFlow<()>, Fault> {
    while let Some(done) = held.release() {
        if give(done)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn number_of_lanes() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MAX_LANES)
}

type Lane<F> = (SyncSender<Item>, (Receiver<Result<Done<F>, Fault>>, JoinHandle<()>));

fn lane<W: Work>(mut work: W, rooms: Rooms, ahead: Arc<Ahead>) -> Lane<W::Found> {
    let (jobs, waiting) = sync_channel::<Item>(QUEUE);
    let (finished, results) = sync_channel(QUEUE);
    let thread = thread::spawn(move || {
        for item in waiting {
            if finished
                .send(item.map(|batch| ahead::work_on(&mut work, batch, rooms.take(), &ahead)))
                .is_err()
            {
                break;
            }
        }
    });
    (jobs, (results, thread))
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
