//! Writes the headers and closing tokens of a sealed log.

use std::io::{self, Write};

use sealmark::record::OwnLines;
use tracing_subscriber::fmt::MakeWriter;

/// A sink for [`sealmark::record::LogSealer`]: headers and closing tokens go where `writers` says, at once.
///
/// Give it what the subscriber has in `with_writer`, so that they stand in the log that they belong to:
/// `std::io::stdout`, which is the subscriber's own choice, or a clone of an `Arc<File>`. Such a writer writes each
/// record by one call, so that the lines do not mix.
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
