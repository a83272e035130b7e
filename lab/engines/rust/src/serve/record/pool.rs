//! Threads that exist before the clock starts, and do their part of a span at once.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::{io, thread};

/// So many threads, each with a slot of its own. They end when the pool is dropped.
pub struct Pool<D> {
    slots: Vec<Sender<Part<D>>>,
}

type Part<D> = Box<dyn FnOnce(&mut D) + Send>;

impl<D: Send + 'static> Pool<D> {
    /// One thread for each slot.
    pub fn start(slots: Vec<D>) -> io::Result<Self> {
        let start = |slot| {
            let (asks, parts) = channel();
            thread::Builder::new().spawn(move || work(slot, &parts)).map(|_| asks)
        };
        slots.into_iter().map(start).collect::<io::Result<_>>().map(|slots| Self { slots })
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Has every thread do its part, by its number, and waits for all of them.
    ///
    /// # Panics
    /// Where a part panicked.
    pub fn all<T: Send + 'static>(
        &self,
        part: impl Fn(usize, &mut D) -> T + Clone + Send + 'static,
    ) -> Vec<T> {
        let (tell, told) = channel();
        for (number, slot) in self.slots.iter().enumerate() {
            let (part, tell) = (part.clone(), tell.clone());
            let part: Part<D> = Box::new(move |slot| drop(tell.send((number, part(number, slot)))));
            slot.send(part).expect("threads end only when the pool does");
        }
        drop(tell);
        let mut all: Vec<(usize, T)> = told.iter().collect();
        assert_eq!(all.len(), self.len(), "a thread panicked");
        all.sort_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, outcome)| outcome).collect()
    }
}

fn work<D>(mut slot: D, parts: &Receiver<Part<D>>) {
    parts.iter().for_each(|part| part(&mut slot));
}
