//! Job `record`: ways to seal values into the text of a log, each on as many threads as are asked for.

mod bare;
mod pool;
mod slot;
#[cfg(test)]
mod tests;
mod token;
mod written;

use crate::jobs;
use crate::model::{Secrets, value};
use crate::protocol::{Answer, Operation, Span, Task, Timed};
use crate::serve::memory::{answer, versions};
use crate::serve::timed::span;
use crate::serve::{Engine, Ready, compiled, failed, unsupported};
use crate::workload::fingerprint_of;
use bare::Bare;
use pool::Pool;
use slot::{Sealer, Slot};
use std::path::Path;
use std::sync::Arc;
use written::{Article, AwsLc, RustCrypto};

/// How values are sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    Token,
    AwsLcRs,
    RustCrypto,
    Article,
    Bare,
}

/// Engines of their own, by the names they are served under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Subcommand)]
pub enum Way {
    /// RC4 and base64 under one key, as published.
    Article,
    /// AES-256-GCM and base64 from buffer to buffer.
    Bare,
}

impl Way {
    /// The engine for it.
    pub fn engine(self) -> Records {
        Records::new(match self {
            Self::Article => Scheme::Article,
            Self::Bare => Scheme::Bare,
        })
    }
}

/// A way to seal values, behind the wire.
pub struct Records {
    scheme: Scheme,
    threads: Option<Box<dyn Threads>>,
}

impl Records {
    pub fn new(scheme: Scheme) -> Self {
        Self { scheme, threads: None }
    }

    fn threads(&self) -> Result<&dyn Threads, Answer> {
        self.threads.as_deref().ok_or_else(|| failed("not prepared"))
    }
}

impl Scheme {
    fn algorithm(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::AwsLcRs | Self::RustCrypto | Self::Bare => "AES-256-GCM-base64",
            Self::Article => "RC4-base64",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Token => "sealmark",
            Self::AwsLcRs => "aws-lc-rs",
            Self::RustCrypto => "rustcrypto",
            Self::Article => "article",
            Self::Bare => "bare",
        }
    }

    fn code(self) -> String {
        let crates: &[&str] = match self {
            Self::Token => {
                return format!("sealmark {}, {}", env!("CARGO_PKG_VERSION"), versions::processor());
            }
            Self::AwsLcRs => &["aws-lc-rs", "base64"],
            Self::Bare => &["aws-lc-rs", "base64-simd"],
            Self::RustCrypto => &["aes-gcm", "base64"],
            Self::Article => &["rc4", "base64"],
        };
        let crates: Vec<_> = crates.iter().copied().map(versions::named).collect();
        format!("{}, {}", crates.join(" and "), versions::processor())
    }

    fn start(self, threads: usize, task: &Task) -> Result<Box<dyn Threads>, Answer> {
        let (secrets, value) = (Secrets::derive(task.seed), value(task.seed, task.bytes()));
        match self {
            Self::Token => {
                let session = token::Session::begin().map_err(failed)?;
                start(threads, value, Some(|| session.sealer()))
            }
            Self::AwsLcRs => start(threads, value, AwsLc::sealers(&secrets)),
            Self::RustCrypto => start(threads, value, RustCrypto::sealers(&secrets)),
            Self::Article => start(threads, value, Article::sealers(&secrets)),
            Self::Bare => start(threads, value, Bare::sealers(&secrets)),
        }
    }
}

fn start<H: Sealer>(
    threads: usize,
    value: Vec<u8>,
    sealers: Option<impl FnMut() -> H>,
) -> Result<Box<dyn Threads>, Answer> {
    let mut sealers = sealers.ok_or_else(|| failed("the library takes no key"))?;
    let value: Arc<[u8]> = value.into();
    let slots = (0..threads).map(|_| Slot::new(sealers(), Arc::clone(&value))).collect();
    Ok(Box::new(Staff { pool: Pool::start(slots).map_err(failed)?, value }))
}

impl Engine for Records {
    fn hello(&self) -> Result<(String, String), Answer> {
        let version = match self.scheme {
            Scheme::Token => sealmark_lab::version(),
            scheme => compiled(scheme.code().split(", ").next().unwrap_or_default()),
        };
        Ok((self.scheme.name().into(), version))
    }

    fn prepare(&mut self, job: &'static jobs::Job, task: &Task) -> Result<Ready, Answer> {
        let threads = match task.parameter("threads") {
            "1-thread" => 1,
            "2-threads" => 2,
            "16-threads" => 16,
            "256-threads" => 256,
            other => return Err(unsupported(format!("job {} on threads \"{other}\"", job.name))),
        };
        if job != &jobs::RECORD {
            return Err(unsupported(format!("job {}", job.name)));
        }
        if task.algorithm() != self.scheme.algorithm() {
            return Err(unsupported(format!("{} has no {}", self.scheme.name(), task.algorithm())));
        }
        self.threads = Some(self.scheme.start(threads, task)?);
        Ok(Ready { authenticated: (job.authenticates)(task.algorithm()), code: self.scheme.code() })
    }

    fn run(&mut self, operation: Operation, input: &Path, output: &Path) -> Answer {
        self.threads()
            .and_then(|threads| {
                let data = std::fs::read(input).map_err(failed)?;
                let (outcome, span) = span(|| threads.go_through(operation, data));
                std::fs::write(output, outcome?).map_err(failed)?;
                Ok(Answer::Done(span))
            })
            .unwrap_or_else(|bad| bad)
    }

    fn time(&mut self, operation: Operation, _first: u64, count: u64) -> Answer {
        self.threads()
            .and_then(|threads| threads.time(operation, count))
            .map(|(span, value)| Answer::Timed(Timed { count, sha256: fingerprint_of(&value).sha256, span }))
            .unwrap_or_else(|bad| bad)
    }
}

/// Threads that share the work of a span.
trait Threads {
    /// A span, and the value that the last operation's output is, or opens to.
    fn time(&self, operation: Operation, count: u64) -> Result<(Span, Vec<u8>), Answer>;
    /// Values to lines, or lines to values, in their order.
    fn go_through(&self, operation: Operation, data: Vec<u8>) -> Result<Vec<u8>, Answer>;
}

struct Staff<H> {
    pool: Pool<Slot<H>>,
    value: Arc<[u8]>,
}

impl<H: Sealer> Threads for Staff<H> {
    fn time(&self, operation: Operation, count: u64) -> Result<(Span, Vec<u8>), Answer> {
        let threads = self.pool.len() as u64;
        let share = move |number: usize| count / threads + u64::from((number as u64) < count % threads);
        let (done, span) = match operation {
            Operation::Seal => span(|| self.pool.all(move |number, slot| slot.seal(share(number)))),
            Operation::Open => {
                all(self.pool.all(|_, slot| slot.fill()))?;
                span(|| self.pool.all(move |number, slot| slot.open(share(number))))
            }
            other => return Err(unsupported(other.to_string())),
        };
        all(done)?;
        let values = match operation {
            Operation::Seal => all(self.pool.all(|_, slot| slot.look()))?,
            _ => self.pool.all(move |number, slot| (share(number) > 0).then(|| slot.opened())),
        };
        let value = self.same(values.into_iter().flatten())?;
        Ok((span, value))
    }

    fn go_through(&self, operation: Operation, data: Vec<u8>) -> Result<Vec<u8>, Answer> {
        let (bytes, threads) = (self.value.len().max(1), self.pool.len());
        let data: Arc<[u8]> = data.into();
        let parts = match operation {
            Operation::Seal => {
                let cuts = cuts(data.len().div_ceil(bytes), threads, |at| (at * bytes).min(data.len()));
                self.pool.all(move |number, slot| slot.seal_all(&data[cuts[number]..cuts[number + 1]], bytes))
            }
            Operation::Open => {
                let ends: Vec<usize> = line_ends(&data);
                let cuts = cuts(ends.len() - 1, threads, |at| ends[at]);
                self.pool.all(move |number, slot| slot.open_all(&data[cuts[number]..cuts[number + 1]]))
            }
            other => return Err(unsupported(other.to_string())),
        };
        all(parts).map(|parts| parts.concat())
    }
}

impl<H> Staff<H> {
    /// The value that every thread has at the end; a failure if one of them has another than the job's.
    fn same(&self, mut values: impl Iterator<Item = Vec<u8>>) -> Result<Vec<u8>, Answer> {
        let other = values.find(|value| value[..] != self.value[..]);
        match other {
            Some(_) => Err(failed("what a thread sealed does not open to the value")),
            None => Ok(self.value.to_vec()),
        }
    }
}

fn all<T>(parts: Vec<Result<T, crate::serve::memory::work::Failure>>) -> Result<Vec<T>, Answer> {
    parts.into_iter().collect::<Result<_, _>>().map_err(answer)
}

/// Where so many items are cut into so many parts.
fn cuts(items: usize, parts: usize, place: impl Fn(usize) -> usize) -> Vec<usize> {
    (0..=parts).map(|part| place(items * part / parts)).collect()
}

/// Nought, and where each line ends.
fn line_ends(text: &[u8]) -> Vec<usize> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let ends = lines.scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}
