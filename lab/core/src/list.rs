//! The verb `list`: what could be run here.

use crate::engine::{Engine, Engines, Kind, Missing};
use crate::jobfile::{self, Plan};
use crate::programs;
use crate::trouble::Result;
use std::fmt::Write;

/// Plans and, unless only those are wanted, engines as text.
pub fn list(engines: &Engines, presets_only: bool) -> Result<String> {
    let mut text = String::from("plans (sealmark-lab measure NAME)\n");
    for name in jobfile::built_in_names() {
        let _ = writeln!(text, "  {name}: {}", Plan::load(name)?.about);
    }
    if !presets_only {
        text.push_str("engines\n");
        for engine in &engines.all {
            let _ = writeln!(text, "  {}: {} ({})", engine.name, engine.about, whereabouts(engines, engine));
        }
    }
    Ok(text)
}

fn whereabouts(engines: &Engines, engine: &Engine) -> String {
    match (engines.command(engine), &engine.kind) {
        (Ok(_), Kind::Program(program)) => {
            programs::find(&program.program).map_or_else(String::new, |path| path.display().to_string())
        }
        (Ok(_), _) => match &engine.jdk {
            Some(jdk) => jdk.home.display().to_string(),
            None => "in the directory of the lab".into(),
        },
        (Err(Missing { why, hint }), _) => {
            format!("{why}{}", hint.map(|line| format!("; hint: {line}")).unwrap_or_default())
        }
    }
}
