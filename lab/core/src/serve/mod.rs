//! The engine's end of spec/engine.md, on standard input and output; and the engine that runs programs which do not speak it.

mod program;

use crate::jobs::{self, Job};
use crate::protocol::{self, Answer, Ask, Line, Operation, PROTOCOL, Ready, Task};
use crate::trouble::{Result, Trouble, because};
use std::io::{Write, stdin, stdout};
use std::path::Path;

pub use program::Adapter;

/// An engine behind the wire. Errors are the answers with bad news.
pub trait Engine {
    /// Its name and the version of the code that does the work.
    fn hello(&self) -> std::result::Result<(String, String), Answer>;
    /// Makes keys; says whether altered data will be refused and which code will do the work.
    fn prepare(&mut self, job: &'static Job, task: &Task) -> std::result::Result<Ready, Answer>;
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

/// Serves until standard input ends.
pub fn converse(engine: &mut dyn Engine) -> Result<()> {
    let mut asks = stdin().lock();
    loop {
        let answer = match protocol::read_line(&mut asks) {
            Line::Text(text) => answer(engine, &text),
            Line::Broken(why) => return Err(Trouble::new(why)),
            Line::End => return Ok(()),
        };
        let mut out = stdout().lock();
        let sent = out.write_all(protocol::message(&answer).as_bytes()).and_then(|()| out.flush());
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
            let job = jobs::named(&task.job).ok_or_else(|| unsupported("no such job"))?;
            engine.prepare(job, &task).map(Answer::Ready)
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

pub fn unsupported(why: impl Into<String>) -> Answer {
    Answer::Unsupported { why: why.into() }
}

pub fn failed(why: impl std::fmt::Display) -> Answer {
    Answer::Failed { why: why.to_string() }
}
