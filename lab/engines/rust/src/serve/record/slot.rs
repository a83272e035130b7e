//! One thread's slot: a way to seal values, the value of this run, and its outputs.

use crate::serve::memory::work::{Failure, Outcome};
use std::hint::black_box;
use std::sync::Arc;

/// One way to seal a value into text and to open it again, used by one thread.
pub trait Sealer: Send + 'static {
    /// Puts a text in the place of what is in `text`.
    fn seal(&mut self, value: &[u8], text: &mut Vec<u8>) -> Outcome;
    /// Puts the value in the place of what is in `value`.
    fn open(&mut self, text: &[u8], value: &mut Vec<u8>) -> Outcome;
    /// The texts that come now have been opened before.
    fn start_over(&mut self) {}
}

pub struct Slot<H> {
    sealer: H,
    value: Arc<[u8]>,
    /// Texts to be opened.
    stock: Vec<Vec<u8>>,
    text: Vec<u8>,
    opened: Vec<u8>,
}

/// About so many bytes of values are in a thread's stock, but no fewer texts than 8 and no more than 256: there may be 256
/// such stocks, and their memory is the lab's own.
const STOCK: usize = 16_384;

impl<H: Sealer> Slot<H> {
    pub fn new(sealer: H, value: Arc<[u8]>) -> Self {
        Self { sealer, value, stock: Vec::new(), text: Vec::new(), opened: Vec::new() }
    }

    /// Seals the value so many times; the last text stays.
    pub fn seal(&mut self, count: u64) -> Outcome {
        self.text.clear();
        for _ in 0..count {
            self.sealer.seal(black_box(&self.value), &mut self.text)?;
            black_box(&mut self.text);
        }
        Ok(())
    }

    /// The value of the last text, if there is one.
    pub fn look(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        if self.text.is_empty() {
            return Ok(None);
        }
        self.sealer.start_over();
        self.sealer.open(&self.text, &mut self.opened).map(|()| Some(self.opened.clone()))
    }

    /// Makes what will be opened, unless it is there.
    pub fn fill(&mut self) -> Outcome {
        if !self.stock.is_empty() {
            return Ok(());
        }
        let texts = (STOCK / self.value.len().max(1)).clamp(8, 256);
        self.stock.resize(texts, Vec::new());
        self.stock.iter_mut().try_for_each(|text| self.sealer.seal(&self.value, text))
    }

    /// Opens so many texts of the stock, one after the other and again from its start; the last value stays.
    pub fn open(&mut self, count: u64) -> Outcome {
        self.opened.clear();
        let mut left = count;
        while left > 0 {
            let round = self.stock.len().min(left as usize);
            self.sealer.start_over();
            for text in &self.stock[..round] {
                self.sealer.open(black_box(text), &mut self.opened)?;
                black_box(&mut self.opened);
            }
            left -= round as u64;
        }
        Ok(())
    }

    /// The value opened last.
    pub fn opened(&self) -> Vec<u8> {
        self.opened.clone()
    }

    /// A line for each value of so many bytes.
    pub fn seal_all(&mut self, values: &[u8], bytes: usize) -> Result<Vec<u8>, Failure> {
        let mut lines = Vec::new();
        for value in values.chunks(bytes.max(1)) {
            self.sealer.seal(value, &mut self.text)?;
            lines.extend_from_slice(&self.text);
            lines.push(b'\n');
        }
        Ok(lines)
    }

    /// The values of lines, one after the other.
    pub fn open_all(&mut self, lines: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut values = Vec::new();
        self.sealer.start_over();
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let text = line.strip_suffix(b"\n").ok_or(Failure::Refused)?;
            self.sealer.open(text, &mut self.opened)?;
            values.extend_from_slice(&self.opened);
        }
        Ok(values)
    }
}
