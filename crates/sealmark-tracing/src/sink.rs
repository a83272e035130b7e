//! Writes the headers and closing tokens of a sealed log.

use sealmark::record::OwnLines;
use std::io::{self, Write};
use tracing_subscriber::fmt::MakeWriter;

/// A sink for [`sealmark::record::LogSealer`]: it writes headers and closing tokens to `writers` at once.
///
/// Pass the writer that the subscriber has in `with_writer`, so that the headers are in the log with their tokens:
/// `std::io::stdout`, which is the subscriber's default, or a clone of an `Arc<File>`. Such a writer writes each record with
/// one call, so that lines do not mix.
pub fn sink<W>(writers: W) -> impl Fn(OwnLines<'_>) -> io::Result<()> + Send + Sync + 'static
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    move |own| {
        let mut writer = writers.make_writer();
        writer.write_all(own.text().as_bytes())?;
        writer.flush()
    }
}
