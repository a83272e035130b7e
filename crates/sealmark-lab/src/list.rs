//! The verb `list`: what could be run here.

use crate::engine::{self, Engine, Kind};
use crate::trouble::Result;
use crate::units;
use crate::workload::{self, Job};
use std::fmt::Write;

/// Jobs and engines as text.
pub fn list(engines: &[Engine]) -> Result<String> {
    let mut text = String::from("jobs\n");
    for name in workload::built_in_names() {
        let _ = writeln!(text, "  {name}: {}", sizes(&Job::load(name)?));
    }
    text.push_str("engines\n");
    for engine in engines {
        let _ = writeln!(text, "  {}: {} ({})", engine.name, engine.about, whereabouts(engine));
    }
    Ok(text)
}

fn sizes(job: &Job) -> String {
    let words = job.sizes.iter().map(|size| {
        let full = if size.full { " (--full)" } else { "" };
        format!("{} × {}{full}", units::size(size.bytes), size.blocks)
    });
    words.collect::<Vec<_>>().join(", ")
}

fn whereabouts(engine: &Engine) -> String {
    let Kind::Program(program) = &engine.kind else { return "built in".into() };
    let missing = || match &engine.install {
        Some(line) => format!("not here; to install: {line}"),
        None => "not here".into(),
    };
    engine::find(&program.program).map_or_else(missing, |path| path.display().to_string())
}
