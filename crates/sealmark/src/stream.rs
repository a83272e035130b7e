//! Streams: read, seal or open, write, in order and bounded, on as many threads as help.
//!
//! Each worker takes its turn at the input, works alone, and takes its turn at the output. Each has one run, and the worker
//! that reads the last one of a seal leaves it to be finished, and ends. So there are never more runs in memory than workers,
//! and no thread does nothing but hand things on.

use crate::aead::ChunkCipher;
use crate::armor::Dearmored;
use crate::chunk::Layout;
use crate::cut::{Cut, Ready};
use crate::error::{Error, FileMisuse, Result};
use crate::input::Input;
use crate::job::{Job, Summary};
use crate::key::OpenWith;
use crate::open::{self, Begun};
use crate::output::Output;
use crate::payload::Signature;
use crate::run::{Ahead, Filled, Opened, Run, retry, write_all_vectored};
use crate::seal::{SealTo, Sealer, Start};
use crate::sign::Tree;
use std::io::{self, BufRead, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Seals all of `input` into `output`, on all cores and in order. `job.existing` is ignored.
pub fn seal_stream<R, W>(input: R, output: W, to: &SealTo, job: &Job<'_>) -> Result<Summary>
where
    R: Read + Send,
    W: Write + Send,
{
    seal(input, output, to, job, None)
}

/// Seals; `stop` is given up where that fails.
pub(crate) fn seal<R: Read + Send, W: Write + Send>(
    input: R,
    output: W,
    to: &SealTo,
    job: &Job<'_>,
    stop: Option<&Input>,
) -> Result<Summary> {
    seal_begun(to.begin()?, input, output, to, job, stop)
}

/// Seals after a header that was made before.
pub(crate) fn seal_begun<R: Read + Send, W: Write + Send>(
    Start { bytes, cipher, signer }: Start,
    input: R,
    output: W,
    to: &SealTo,
    job: &Job<'_>,
    stop: Option<&Input>,
) -> Result<Summary> {
    let mut output = to.writer(output);
    output.write_all(&bytes).map_err(Error::output)?;
    let layout = to.format.layout();
    let pipeline = Pipeline {
        direction: Direction::Seal,
        layout,
        cipher,
        hashes: signer.is_some(),
        signature: None,
        job,
        stop,
    };
    let (source, sink) = pipeline.run(input, output, None)?;
    let plaintext = signer.as_ref().map_or(source.read, |signer| signer.plaintext(source.read));
    let before = bytes.len() - layout.prefix();
    let summary = Summary::new(source.read, before as u64 + layout.sealed(plaintext));
    let (run, filled) = source.last.expect("an input ends with a run, however short");
    let signer = signer.map(|signer| (signer, sink.tree));
    Sealer::resume(sink.output, pipeline.cipher, signer, run, filled, source.next).finish()?;
    Ok(summary)
}

/// Opens all of `input` into `output`, on all cores and in order.
///
/// Each byte was authenticated before it is written. If the input turns out to be damaged or cut short, `output` has
/// received the authentic bytes before the damage. The error is returned after the read in progress, so a silent sender
/// delays it: [`open_input`](crate::open_input) does not wait.
///
/// # Errors
/// [`FileMisuse::SignedStream`] if `with` demands a signature: it is at the end, and the content would leave before.
pub fn open_stream<R, W>(input: R, output: W, with: &OpenWith<'_>, job: &Job<'_>) -> Result<Summary>
where
    R: Read + Send,
    W: Write + Send,
{
    if with.demands_signature() {
        return Err(FileMisuse::SignedStream.into());
    }
    open_payload(open::begin(input, with)?, output, job, None, None)
}

/// Authenticates all of `input` and writes nothing.
///
/// # Errors
/// [`FileMisuse::ArchiveStream`] for an archive: [`verify_input`](crate::verify_input) compares it with its index.
pub fn verify_stream<R: Read + Send>(input: R, with: &OpenWith<'_>, job: &Job<'_>) -> Result<Summary> {
    let begun = open::begin(input, with)?;
    if begun.mark.is_some() {
        return Err(FileMisuse::ArchiveStream.into());
    }
    open_payload(begun, io::sink(), job, None, None)
}

/// Opens what follows a header that has been dealt with; without an output it only verifies. With a `signature` that was read
/// before, each leaf is compared with it before it is written.
pub(crate) fn open_begun(
    begun: Begun<&Input>,
    input: &Input,
    output: Option<&mut Output<'_>>,
    job: &Job<'_>,
    signature: Option<&Signature>,
) -> Result<Summary> {
    match output {
        Some(output) => open_payload(begun, output, job, Some(input), signature),
        None => open_payload(begun, io::sink(), job, Some(input), signature),
    }
}

fn open_payload<R: Read + Send, W: Write + Send>(
    begun: Begun<R>,
    output: W,
    job: &Job<'_>,
    stop: Option<&Input>,
    signature: Option<&Signature>,
) -> Result<Summary> {
    let Begun { header, cipher, layout, input, mark, signature: mut expected } = begun;
    if let (Some(expected), Some(signature)) = (&mut expected, signature) {
        expected.demand = None;
        expected.length = Some(signature.length);
    }
    let hashes = expected.as_ref().is_some_and(|expected| expected.demand.is_some());
    let cut = Cut::new(mark, expected);
    let pipeline = Pipeline { direction: Direction::Open, layout, cipher, hashes, signature, job, stop };
    let (source, Sink { mut output, written, cut, .. }) = pipeline.run(input, output, cut)?;
    let mut summary = Summary::new(header.len() + layout.prefix() as u64 + source.read, written);
    if let Some(mut cut) = cut {
        let (rest, signed) = cut.finish()?;
        output.write_all(&rest).map_err(Error::output)?;
        summary.output += rest.len() as u64;
        summary.signed = signature.map_or(signed, |signature| signature.signed);
    }
    retry(|| output.flush()).map_err(Error::output)?;
    Ok(summary)
}

/// Opens the chunks of a payload that nothing follows.
#[cfg(test)]
pub(crate) fn open_chunks<R: Read + Send, W: Write + Send>(
    input: R,
    layout: Layout,
    cipher: ChunkCipher,
    output: W,
    job: &Job<'_>,
) -> Result<Summary> {
    let pipeline = Pipeline {
        direction: Direction::Open,
        layout,
        cipher,
        hashes: false,
        signature: None,
        job,
        stop: None,
    };
    pipeline.run(input, output, None).map(|(source, sink)| Summary::new(source.read, sink.written))
}

/// Writes a new header and, behind it, a payload as it is; returns the length of the payload.
pub(crate) fn copy_payload<R: Read, W: Write>(
    header: &[u8],
    payload: &mut Dearmored<R>,
    output: W,
    to: &SealTo,
    job: &Job<'_>,
) -> Result<u64> {
    let mut output = to.writer(output);
    output.write_all(header).map_err(Error::output)?;
    let mut copied = 0;
    loop {
        let bytes = retry(|| payload.fill_buf().map(<[u8]>::len))?;
        if bytes == 0 {
            break;
        }
        output.write_all(&payload.fill_buf()?[..bytes]).map_err(Error::output)?;
        payload.consume(bytes);
        copied += bytes as u64;
        job.report(copied, None);
    }
    output.finish().map_err(Error::output)?;
    Ok(copied)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Seal,
    Open,
}

struct Pipeline<'a> {
    direction: Direction,
    layout: Layout,
    cipher: ChunkCipher,
    /// True if the plaintext is hashed for a signature that comes at its end.
    hashes: bool,
    /// The signature that what is opened is compared with.
    signature: Option<&'a Signature>,
    job: &'a Job<'a>,
    /// Given up once the work has failed, while another thread may wait for it.
    stop: Option<&'a Input>,
}

/// The input and whose turn is next.
struct Source<R> {
    input: Ahead<R>,
    next: u64,
    read: u64,
    /// The last plaintext to be sealed, and its length: its chunks end only after a signature.
    last: Option<(Run, usize)>,
}

/// The output and whose turn it is.
struct Sink<W> {
    output: W,
    turn: u64,
    written: u64,
    /// Where the content ends, if anything follows it.
    cut: Option<Cut>,
    /// The hashes of what was sealed.
    tree: Tree,
    failure: Option<Error>,
}

/// One run with its place in the stream; or why nothing is in it.
struct Taken {
    run: Run,
    turn: u64,
    filled: io::Result<Filled>,
}

/// A run after the work on it: bytes to be written, the hashes of its plaintext, and why there will be no more.
#[derive(Default)]
struct Worked {
    ready: usize,
    hashed: Option<Tree>,
    failure: Option<Error>,
}

impl Pipeline<'_> {
    fn run<R: Read + Send, W: Write + Send>(
        &self,
        input: R,
        output: W,
        cut: Option<Cut>,
    ) -> Result<(Source<R>, Sink<W>)> {
        let source = Mutex::new(Source { input: Ahead::new(input), next: 0, read: 0, last: None });
        let sink =
            Mutex::new(Sink { output, turn: 0, written: 0, cut, tree: Tree::default(), failure: None });
        let (turned, ended) = (Condvar::new(), AtomicBool::new(false));
        let worker = |mut run: Run, most: u64| {
            let _guard = OnPanic(|| {
                ended.store(true, Ordering::SeqCst);
                lock(&sink).failure.get_or_insert_with(|| {
                    io::Error::other("internal error: a worker thread panicked").into()
                });
                turned.notify_all();
                self.stop.inspect(|input| input.stop());
            });
            for _ in 0..most {
                let Some(taken) = self.take(&source, &ended, run) else { return };
                let Some(written) = self.put(&sink, &turned, taken) else {
                    ended.store(true, Ordering::SeqCst);
                    self.stop.inspect(|input| input.stop());
                    return;
                };
                run = written;
            }
        };
        // Most streams are short: the first run needs no other thread.
        worker(Run::new(self.layout), 1);
        if !ended.load(Ordering::SeqCst) {
            thread::scope(|scope| {
                for _ in 0..self.helpers() {
                    // A thread that the system refuses to start is one less; this one goes on.
                    let _started = thread::Builder::new()
                        .spawn_scoped(scope, || worker(Run::new(self.layout), u64::MAX));
                }
                worker(Run::new(self.layout), u64::MAX);
            });
        }
        let source = source.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut sink = sink.into_inner().unwrap_or_else(PoisonError::into_inner);
        sink.failure.take().map_or(Ok((source, sink)), Err)
    }

    /// With one worker a core, one more keeps the cores busy while another waits for a pipe.
    fn helpers(&self) -> usize {
        match self.job.threads_for(u64::MAX) {
            1 => 0,
            threads => threads,
        }
    }

    /// Fills a run. None when the stream is over, or ends with this run and is to be finished by its caller.
    fn take<R: Read>(&self, source: &Mutex<Source<R>>, ended: &AtomicBool, mut run: Run) -> Option<Taken> {
        let mut source = lock(source);
        if ended.load(Ordering::SeqCst) {
            return None;
        }
        let filled = match self.direction {
            Direction::Seal => run.fill_plain(&mut source.input),
            Direction::Open => run.fill_sealed(&mut source.input),
        };
        if filled.as_ref().map_or(true, |filled| filled.last) {
            ended.store(true, Ordering::SeqCst);
        }
        source.read += filled.as_ref().map_or(0, |filled| filled.bytes as u64);
        self.job.report(source.read, None);
        if let (Direction::Seal, Ok(Filled { bytes, last: true })) = (self.direction, &filled) {
            source.last = Some((run, *bytes));
            return None;
        }
        source.next += 1;
        Some(Taken { run, turn: source.next - 1, filled })
    }

    /// Works on a run, writes it when its turn comes, and gives it back. None when the stream is over because of a failure.
    fn put<W: Write>(&self, sink: &Mutex<Sink<W>>, turned: &Condvar, taken: Taken) -> Option<Run> {
        let Taken { mut run, turn, filled } = taken;
        let worked = match filled {
            Ok(filled) => self.work(&mut run, turn, filled),
            Err(error) => Worked { failure: Some(error.into()), ..Worked::default() },
        };
        let mut sink = turned
            .wait_while(lock(sink), |sink| sink.turn != turn && sink.failure.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        if sink.failure.is_none() {
            // An index and a signature are authenticated and not written.
            let taken = match &mut sink.cut {
                Some(cut) => cut.take(&mut run, worked.ready, worked.hashed),
                None => {
                    worked.hashed.into_iter().for_each(|hashed| sink.tree.append(hashed));
                    Ok(Ready { bytes: worked.ready, ..Ready::default() })
                }
            };
            let written = taken.and_then(|ready| {
                sink.output.write_all(&ready.before).map_err(Error::output)?;
                self.write(&mut sink.output, &run, ready.bytes).map_err(Error::output)?;
                Ok(ready.before.len() + ready.bytes)
            });
            sink.written += *written.as_ref().unwrap_or(&0) as u64;
            sink.failure = written.err().or(worked.failure);
        }
        sink.turn += 1;
        turned.notify_all();
        sink.failure.is_none().then_some(run)
    }

    fn work(&self, run: &mut Run, turn: u64, filled: Filled) -> Worked {
        let first = turn * Run::full_slots(self.layout) as u64;
        match self.direction {
            Direction::Seal => {
                let hashed = self.hashes.then(|| Tree::of(&run.plain(filled.bytes)));
                let ready = run.seal(&self.cipher, first, filled.bytes, false);
                Worked { ready, hashed, failure: None }
            }
            Direction::Open => {
                let Opened { plaintext, failure } = run.open(&self.cipher, first, filled.bytes, filled.last);
                let start = first * self.layout.chunk() as u64;
                match self.signature.map_or(Ok(()), |signature| signature.check(start, run)) {
                    Ok(()) => {
                        let hashed = self.hashes.then(|| Tree::of(&run.plain(Cut::sure(plaintext))));
                        Worked { ready: plaintext, hashed, failure }
                    }
                    Err(error) => Worked { failure: failure.or(Some(error)), ..Worked::default() },
                }
            }
        }
    }

    fn write(&self, output: &mut impl Write, run: &Run, bytes: usize) -> io::Result<()> {
        match self.direction {
            Direction::Seal => output.write_all(run.sealed(bytes)),
            Direction::Open => write_all_vectored(output, &mut run.plain(bytes)),
        }
    }
}

/// Runs when the thread unwinds, so that the others do not wait for a turn that never ends.
struct OnPanic<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnPanic<F> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
