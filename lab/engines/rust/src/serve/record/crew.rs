//! Threads that exist before the clock starts, and do their part of a span at once.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// So many threads, each with a desk of its own. They end when the crew is dropped.
pub struct Crew<D> {
    desks: Vec<Sender<Part<D>>>,
}

type Part<D> = Box<dyn FnOnce(&mut D) + Send>;

impl<D: Send + 'static> Crew<D> {
    /// One thread for each desk.
    pub fn hire(desks: Vec<D>) -> io::Result<Self> {
        let hire = |desk| {
            let (asks, parts) = channel();
            thread::Builder::new().spawn(move || work(desk, &parts)).map(|_| asks)
        };
        desks.into_iter().map(hire).collect::<io::Result<_>>().map(|desks| Self { desks })
    }

    pub fn len(&self) -> usize {
        self.desks.len()
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
        for (number, desk) in self.desks.iter().enumerate() {
            let (part, tell) = (part.clone(), tell.clone());
            let part: Part<D> = Box::new(move |desk| drop(tell.send((number, part(number, desk)))));
            desk.send(part).expect("threads end only when the crew does");
        }
        drop(tell);
        let mut all: Vec<(usize, T)> = told.iter().collect();
        assert_eq!(all.len(), self.len(), "a thread panicked");
        all.sort_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, outcome)| outcome).collect()
    }
}

fn work<D>(mut desk: D, parts: &Receiver<Part<D>>) {
    parts.iter().for_each(|part| part(&mut desk));
}
