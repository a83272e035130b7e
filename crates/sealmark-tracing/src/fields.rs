//! A formatter of fields that seals some of them.

use sealmark::record::{LOOK_ALIKE, Label, LogSealer, OwnLines, look_alikes};
use std::error::Error;
use std::fmt::{self, Debug, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{io, iter};
use tracing_core::field::{Field, Visit};
use tracing_subscriber::field::{RecordFields, VisitOutput};
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultVisitor, Writer};

/// Formats the fields of events and spans like `tracing_subscriber`, and seals the fields that it was created with.
///
/// A token replaces the text between the quotes of a string, or all text after the equals sign of any other value,
/// without colours.
pub struct SealedFields<S> {
    sealer: Arc<LogSealer<S>>,
    labels: Vec<Label>,
    clock: Clock,
}

impl<S: Fn(OwnLines<'_>) -> io::Result<()>> SealedFields<S> {
    /// Seals the fields of these names, which must be labels: `email`, `user.email`.
    ///
    /// # Errors
    /// [`sealmark::RecordMisuse::Label`].
    pub fn new<'a>(
        sealer: Arc<LogSealer<S>>,
        names: impl IntoIterator<Item = &'a str>,
    ) -> sealmark::Result<Self> {
        let labels = names.into_iter().map(Label::new).collect::<Result<_, _>>()?;
        Ok(Self { sealer, labels, clock: Clock::default() })
    }

    fn label(&self, field: &Field) -> Option<&Label> {
        let name = field.name();
        let name = name.strip_prefix("r#").unwrap_or(name);
        self.labels.iter().find(|label| label.as_str() == name)
    }
}

// Spans come here, too: when they begin and, by the trait's `add_fields`, when they record more.
impl<'writer, S: Fn(OwnLines<'_>) -> io::Result<()>> FormatFields<'writer> for SealedFields<S> {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut visitor = SealingVisitor { fields: self, plain: DefaultVisitor::new(writer, true) };
        fields.record(&mut visitor);
        visitor.plain.finish()
    }
}

impl<S> Debug for SealedFields<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealedFields({:?})", self.labels)
    }
}

/// Hands on what it is given, with tokens in the place of some values.
struct SealingVisitor<'a, 'writer, S> {
    fields: &'a SealedFields<S>,
    plain: DefaultVisitor<'writer>,
}

// All other kinds of values come to `record_debug`, in the plain visitor as well.
impl<S: Fn(OwnLines<'_>) -> io::Result<()>> Visit for SealingVisitor<'_, '_, S> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let value = LaidOut::new(format_args!("{value:?}"));
        self.record(field, &value.text, |visitor| visitor.record_debug(field, &value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record(field, value, |visitor| visitor.record_str(field, value));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        let value = LaidOut::error(value);
        let all = iter::successors(Some(&value), |error| error.source.as_deref());
        let all = all.map(|error| &*error.text).collect::<Vec<_>>().join("\n");
        self.record(field, &all, |visitor| visitor.record_error(field, &value));
    }
}

impl<S: Fn(OwnLines<'_>) -> io::Result<()>> SealingVisitor<'_, '_, S> {
    /// Writes a field whose value has this text in it, unless it is to be sealed.
    fn record(&mut self, field: &Field, text: &str, write: impl Fn(&mut DefaultVisitor<'_>)) {
        let sealer = &self.fields.sealer;
        let is_strange = || look_alikes(text.as_bytes(), Some(sealer.session().0)).next().is_some();
        let label = match self.fields.label(field) {
            Some(label) => label,
            None if text.contains('~') && is_strange() => &Label::new(LOOK_ALIKE).expect("letters only"),
            None => return write(&mut self.plain),
        };
        let Ok(text) = written(&write) else {
            return self.plain.record_debug(field, &format_args!("{}", label.unsealed()));
        };
        self.fields.clock.tick(sealer);
        let (quote, value) = value(field.name(), &text);
        let token = sealer.sealed(label, value);
        self.plain.record_debug(field, &format_args!("{quote}{token}{quote}"));
    }
}

/// A value that was asked for its text once: another time it could give another one, which nobody looked at.
struct LaidOut {
    text: String,
    failed: bool,
    source: Option<Box<Self>>,
}

impl LaidOut {
    fn new(value: fmt::Arguments<'_>) -> Self {
        let mut text = String::new();
        let failed = text.write_fmt(value).is_err();
        Self { text, failed, source: None }
    }

    fn error(error: &dyn Error) -> Self {
        let source = error.source().map(|source| Box::new(Self::error(source)));
        Self { source, ..Self::new(format_args!("{error}")) }
    }
}

impl Debug for LaidOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if self.failed { Err(fmt::Error) } else { Ok(()) }
    }
}

impl fmt::Display for LaidOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(self, f)
    }
}

impl Error for LaidOut {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// A field as it would be without us.
fn written(write: impl FnOnce(&mut DefaultVisitor<'_>)) -> Result<String, fmt::Error> {
    let mut text = String::new();
    let mut visitor = DefaultVisitor::new(Writer::new(&mut text), true);
    write(&mut visitor);
    visitor.finish().map(|()| text)
}

/// The value of a field that was written, and the quotes around it. The message has neither.
fn value<'a>(name: &str, text: &'a str) -> (&'static str, &'a str) {
    let name = name.strip_prefix("r#").unwrap_or(name);
    let value = text.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')).filter(|_| name != MESSAGE);
    let inner = value.and_then(|value| value.strip_prefix('"')?.strip_suffix('"'));
    match inner {
        Some(inner) => ("\"", inner),
        None => ("", value.unwrap_or(text)),
    }
}

/// The one field that is written without its name.
const MESSAGE: &str = "message";

/// Bounds the lines that nobody can open, if a header was lost, or somebody emptied the log's file.
const REPEAT_SECONDS: u64 = 300;

/// Tells the time to the sealer, whose sessions end by age, at most once a second, and has it repeat its header.
struct Clock {
    origin: Instant,
    /// Seconds from there.
    told: AtomicU64,
    /// When the header was last repeated, in seconds from there.
    repeated: AtomicU64,
}

impl Default for Clock {
    fn default() -> Self {
        Self { origin: Instant::now(), told: AtomicU64::new(0), repeated: AtomicU64::new(0) }
    }
}

impl Clock {
    fn tick<S: Fn(OwnLines<'_>) -> io::Result<()>>(&self, sealer: &LogSealer<S>) {
        let seconds = self.origin.elapsed().as_secs();
        if self.told.fetch_max(seconds, Ordering::Relaxed) < seconds {
            // Where the next session cannot begin, the current one goes on.
            let _ = sealer.tick(self.origin + Duration::from_secs(seconds));
            let repeated = self.repeated.load(Ordering::Relaxed);
            let is_due = seconds.saturating_sub(repeated) >= REPEAT_SECONDS;
            // Only one of the threads that seal now repeats it.
            let swap =
                |at: &AtomicU64| at.compare_exchange(repeated, seconds, Ordering::Relaxed, Ordering::Relaxed);
            if is_due && swap(&self.repeated).is_ok() {
                // Where the sink fails, the log has lost lines anyway, and the header comes again later.
                let _ = sealer.repeat_header();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

    use super::*;
    use sealmark::record::{PreSharedKey, Readers, SealerSettings, Shape};
    use std::sync::Mutex;

    /// A tool that empties the file takes the header with it.
    #[test]
    fn a_header_comes_again_after_five_minutes_with_the_next_value() {
        let headers = Mutex::new(0);
        let readers = Readers::pre_shared(PreSharedKey::generate().unwrap());
        let sink = |own: OwnLines<'_>| {
            *headers.lock().unwrap() += u32::from(matches!(own, OwnLines::Header(_)));
            Ok(())
        };
        let now = Instant::now();
        let sealer = LogSealer::new(readers, SealerSettings::new(Shape::Plain), sink, now).unwrap();
        let mut clock = Clock::default();
        for (minutes, expected) in [(0, 1), (4, 1), (5, 2), (9, 2), (10, 3)] {
            clock.origin = now - Duration::from_secs(60 * minutes + 1);
            clock.tick(&sealer);
            assert_eq!(*headers.lock().unwrap(), expected, "after {minutes} minutes");
        }
    }
}
