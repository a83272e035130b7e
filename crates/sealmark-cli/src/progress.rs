//! A bar with rate and time left, for people who wait: only on a terminal, and only after a second.

use crate::target;
use indicatif::{ProgressBar, ProgressStyle};
use sealmark::Progress;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(1);

/// Runs a job that may take long. Where nobody watches, or the job itself writes to the terminal, nothing is
/// counted and nothing drawn.
pub fn watched<T>(name: &Path, silent: bool, job: impl FnOnce(Option<&(dyn Fn(Progress) + Sync)>) -> T) -> T {
    if silent || !std::io::stderr().is_terminal() {
        return job(None);
    }
    let meter = Meter::new(name);
    job(Some(&|progress| meter.tell(progress)))
}

/// Counts one job; what it drew is wiped away when it is dropped.
struct Meter {
    name: String,
    started: Instant,
    bar: OnceLock<ProgressBar>,
}

impl Meter {
    fn new(name: &Path) -> Self {
        let name = if target::is_dash(name) { Path::new("stdin") } else { name };
        let name = name.file_name().unwrap_or(name.as_os_str()).to_string_lossy();
        // A name may hold anything; the terminal should not obey it.
        let name = name.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect();
        Self { name, started: Instant::now(), bar: OnceLock::new() }
    }

    /// Called by the workers, often; indicatif itself limits how often it draws.
    fn tell(&self, progress: Progress) {
        if self.started.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_init(|| bar(&self.name, progress.total, self.started.elapsed()));
        bar.set_position(progress.done);
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn bar(name: &str, total: Option<u64>, elapsed: Duration) -> ProgressBar {
    let template = match total {
        Some(_) => "{prefix} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta} left",
        None => "{prefix} {spinner} {bytes} {bytes_per_sec} {elapsed}",
    };
    let bar = ProgressBar::no_length().with_elapsed(elapsed).with_prefix(name.to_owned());
    if let Some(total) = total {
        bar.set_length(total);
    }
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
