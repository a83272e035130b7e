//! The verb `list`: what could be run here.

use crate::engine::{self, Engine, Kind};
use crate::trouble::Result;
use crate::workload::{self, Plan};
use std::fmt::Write;

/// Jobs and engines as text.
pub fn list(engines: &[Engine]) -> Result<String> {
    let mut text = String::from("jobs\n");
    for name in workload::built_in_names() {
        let plan = Plan::load(name)?;
        let _ = writeln!(text, "  {name}: {}", plan.about);
    }
    text.push_str("engines\n");
    for engine in engines {
        let _ = writeln!(text, "  {}: {} ({})", engine.name, engine.about, whereabouts(engine));
    }
    Ok(text)
}

fn whereabouts(engine: &Engine) -> String {
    let Kind::Program(program) = &engine.kind else { return "built in".into() };
    let missing = || match &engine.install {
        Some(line) => format!("not here; to install: {line}"),
        None => "not here".into(),
    };
    engine::find(&program.program).map_or_else(missing, |path| path.display().to_string())
}
