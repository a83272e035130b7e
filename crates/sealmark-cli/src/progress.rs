//! A bar with rate and time left, for people who wait: only on a terminal, and only after a second.

use crate::stdio;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sealmark::{Job, Progress};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(1);

/// Runs a job that may take long. Where nobody watches, or the job itself writes to the terminal, nothing is
/// counted and nothing drawn.
pub fn watched<T>(name: &Path, silent: bool, work: impl FnOnce(Job<'_>) -> T) -> T {
    if silent || !std::io::stderr().is_terminal() {
        return work(Job::default());
    }
    let meter = Meter::new(name);
    work(Job::default().progress(&|progress| meter.report(progress)))
}

/// Counts one job; what it drew is wiped away when it is dropped.
struct Meter {
    name: String,
    started: Instant,
    bar: OnceLock<ProgressBar>,
}

impl Meter {
    fn new(name: &Path) -> Self {
        let name = if stdio::is_dash(name) { Path::new("stdin") } else { name };
        let name = name.file_name().unwrap_or(name.as_os_str()).to_string_lossy();
        // A name may hold anything; the terminal should not obey it.
        let name = name.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect();
        Self { name, started: Instant::now(), bar: OnceLock::new() }
    }

    /// Called by the workers, often; indicatif itself limits how often it draws. A job that took its second before
    /// the first byte (a key derivation) and is done by now needs no bar.
    fn report(&self, progress: Progress) {
        let done = progress.total == Some(progress.done) && self.bar.get().is_none();
        if done || self.started.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let bar = bar(&self.name, progress.total, self.started.elapsed());
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar
        });
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

/// Hidden until it is whole, for every setting draws.
fn bar(name: &str, total: Option<u64>, elapsed: Duration) -> ProgressBar {
    let template = match total {
        Some(_) => "{prefix} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta} left",
        None => "{prefix} {spinner} {bytes} {bytes_per_sec} {elapsed}",
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::hidden().with_elapsed(elapsed).with_prefix(name.to_owned()).with_style(style);
    match total {
        Some(total) => bar.set_length(total),
        None => bar.unset_length(),
    }
    bar
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use indicatif::TermLike;
    use std::io;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Debug, Default)]
    struct Screen(Arc<Mutex<String>>);

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            80
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    fn shown(total: Option<u64>) -> String {
        let screen = Screen::default();
        let bar = bar("big", total, Duration::from_secs(2));
        bar.set_draw_target(ProgressDrawTarget::term_like(Box::new(screen.clone())));
        bar.set_position(5 << 20);
        bar.tick();
        screen.0.lock().unwrap().clone()
    }

    #[test]
    fn a_job_of_known_size_shows_share_rate_and_time_left() {
        let shown = shown(Some(20 << 20));
        for part in ["big ", "5.00 MiB/20.00 MiB", "/s ", " left"] {
            assert!(shown.contains(part), "{part:?} is missing: {shown}");
        }
    }

    #[test]
    fn a_stream_shows_amount_and_rate() {
        let shown = shown(None);
        assert!(shown.contains("5.00 MiB") && shown.contains("/s") && !shown.contains("left"), "{shown}");
    }
}
