//! The lab as an engine: `sealmark-lab serve NAME` answers spec/engine.md on standard input and output.

mod copy;
mod fake;
mod memory;
mod payload;
mod program;
mod record;
mod sealmark;
mod timed;
mod tls;

use crate::protocol::{self, Answer, Ask, Line, Operation, PROTOCOL, Task};
use crate::trouble::{Result, Trouble, because};
use crate::workload::Kind;
use record::Scheme;
use std::io::{Write, stdin, stdout};
use std::path::{Path, PathBuf};

pub use fake::{Misdeed, Script, Times};
pub use memory::InMemory;
pub use record::Way;
pub use tls::Alone;

/// An engine behind the wire. Errors are the answers with bad news.
trait Engine {
    /// Its name and the version of the code that does the work.
    fn hello(&self) -> std::result::Result<(String, String), Answer>;
    /// Makes keys; says whether altered data will be refused and which code will do the work.
    fn prepare(&mut self, job: Kind, task: &Task) -> std::result::Result<Ready, Answer>;
    /// Does an operation of a job on files, timed.
    fn run(&mut self, operation: Operation, _input: &Path, _output: &Path) -> Answer {
        unsupported(format!("{operation} from file to file"))
    }
    /// Does an operation of a job in memory once, on the bytes of a file.
    fn check(&mut self, operation: Operation, _number: u64, _input: &Path) -> Answer {
        unsupported(format!("{operation} in memory"))
    }
    /// Does an operation of a job in memory many times, timed.
    fn time(&mut self, operation: Operation, _first: u64, _count: u64) -> Answer {
        unsupported(format!("{operation} in memory"))
    }
}

/// What an engine promises about the task it took on.
struct Ready {
    authenticated: bool,
    code: String,
}

/// Which engine to be.
pub enum Which {
    Sealmark,
    Copy,
    InMemory(InMemory),
    Tls(Alone),
    Record(Way),
    Program { name: String, engines: Option<PathBuf> },
    Fake(Script),
}

/// Serves until standard input ends.
pub fn serve(which: Which) -> Result<()> {
    match which {
        Which::Sealmark => converse(&mut Both::records(sealmark::Sealmark::default(), Scheme::Token)),
        Which::Copy => converse(&mut Both::tls(copy::Copy::new(), tls::Tls::copying())),
        #[cfg(feature = "openssl")]
        Which::InMemory(library @ InMemory::Openssl) => {
            converse(&mut Both::tls(library.engine(), tls::Tls::openssl()))
        }
        Which::InMemory(library @ InMemory::AwsLcRs) => {
            converse(&mut Both::records(library.engine(), Scheme::AwsLcRs))
        }
        Which::InMemory(library @ InMemory::Rustcrypto) => {
            converse(&mut Both::records(library.engine(), Scheme::RustCrypto))
        }
        Which::InMemory(library) => converse(&mut library.engine()),
        Which::Tls(library) => converse(&mut library.engine()),
        Which::Record(way) => converse(&mut way.engine()),
        Which::Program { name, engines } => converse(&mut program::Adapter::new(&name, engines.as_deref())?),
        Which::Fake(script) => converse(&mut fake::Fake::new(script)),
    }
}

/// An engine that has a part of its own for some jobs.
struct Both<E, P> {
    other: E,
    part: P,
    is_for_part: fn(Kind) -> bool,
    /// Which of them was prepared last.
    is_part: bool,
}

impl<E> Both<E, tls::Tls> {
    fn tls(other: E, part: tls::Tls) -> Self {
        Self { other, part, is_for_part: Kind::is_tls, is_part: false }
    }
}

impl<E> Both<E, record::Records> {
    fn records(other: E, scheme: Scheme) -> Self {
        let part = record::Records::new(scheme);
        Self { other, part, is_for_part: |job| job == Kind::Record, is_part: false }
    }
}

impl<E: Engine, P: Engine> Engine for Both<E, P> {
    fn hello(&self) -> std::result::Result<(String, String), Answer> {
        self.other.hello()
    }

    fn prepare(&mut self, job: Kind, task: &Task) -> std::result::Result<Ready, Answer> {
        self.is_part = (self.is_for_part)(job);
        if self.is_part { self.part.prepare(job, task) } else { self.other.prepare(job, task) }
    }

    fn run(&mut self, operation: Operation, input: &Path, output: &Path) -> Answer {
        if self.is_part {
            self.part.run(operation, input, output)
        } else {
            self.other.run(operation, input, output)
        }
    }

    fn check(&mut self, operation: Operation, number: u64, input: &Path) -> Answer {
        if self.is_part {
            self.part.check(operation, number, input)
        } else {
            self.other.check(operation, number, input)
        }
    }

    fn time(&mut self, operation: Operation, first: u64, count: u64) -> Answer {
        if self.is_part {
            self.part.time(operation, first, count)
        } else {
            self.other.time(operation, first, count)
        }
    }
}

fn converse(engine: &mut dyn Engine) -> Result<()> {
    let mut asks = stdin().lock();
    loop {
        let answer = match protocol::read_line(&mut asks) {
            Line::Text(text) => answer(engine, &text),
            Line::Broken(why) => return Err(Trouble::new(why)),
            Line::End => return Ok(()),
        };
        let mut out = stdout().lock();
        let sent = out.write_all(protocol::line(&answer).as_bytes()).and_then(|()| out.flush());
        sent.map_err(|error| because("cannot answer", error))?;
    }
}

fn answer(engine: &mut dyn Engine, text: &str) -> Answer {
    let answer = protocol::parse::<Ask>(text).map_err(not_understood).and_then(|ask| match ask {
        Ask::Hello { protocol: PROTOCOL } => {
            engine.hello().map(|(engine, version)| Answer::Hello { protocol: PROTOCOL, engine, version })
        }
        Ask::Hello { protocol } => Err(unsupported(format!("protocol {protocol}"))),
        Ask::Prepare(task) => {
            let job = Kind::named(&task.job).ok_or_else(|| unsupported("no such job"))?;
            let ready = engine.prepare(job, &task)?;
            Ok(Answer::Ready { authenticated: ready.authenticated, code: ready.code })
        }
        Ask::Check { operation, number, input } => Ok(engine.check(operation, number, Path::new(&input))),
        Ask::Time { operation, first, count } => Ok(engine.time(operation, first, count)),
        Ask::Run { operation, input, output } => {
            Ok(engine.run(operation, Path::new(&input), Path::new(&output)))
        }
    });
    answer.unwrap_or_else(|bad_news| bad_news)
}

/// A word that this version has no meaning for is something this engine does not do; anything else is a broken ask.
fn not_understood(why: String) -> Answer {
    if why.contains("unknown variant") { unsupported(why) } else { failed(why) }
}

fn unsupported(why: impl Into<String>) -> Answer {
    Answer::Unsupported { why: why.into() }
}

fn failed(why: impl std::fmt::Display) -> Answer {
    Answer::Failed { why: why.to_string() }
}
