//! The published tables of tls-2009 in their own shape, and which of today's lines they are about.

use super::published::{Published, Source};
use crate::protocol::{Operation, Shape};
use crate::summary::tls::across;
use crate::summary::{Cell, Line, Ratio};
use serde::Deserialize;

/// One cell of the published tables.
#[derive(Debug, Clone, Deserialize)]
pub struct Figure {
    pub job: String,
    pub suite: String,
    pub total_ms: u64,
    /// Of connections: whether their session was reused.
    #[serde(default)]
    pub resumed: bool,
}

pub fn figures() -> Vec<Figure> {
    published().figures
}

pub fn source() -> Source {
    published().source
}

fn published() -> Published<Figure> {
    Published::of(include_str!("../../../history/tls-2009.json"))
}

/// "100 MB".
pub const BYTES: u64 = 100 << 20;
/// So many connections are in a published figure.
pub const CONNECTIONS: f64 = 1_000.0;

/// The stanza of the engine that has all these suites, and the protocol of that time.
const FAMILY: &str = "SunJSSE-legacy";
const PROTOCOL: &str = "TLSv1";

/// The sockets whose times are the library's.
pub const SHAPE: Shape = Shape::Nodelay;

/// What a published figure is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Transfer,
    New,
    Reused,
}

impl What {
    fn is_of(self, figure: &Figure) -> bool {
        match self {
            Self::Transfer => figure.job == "tls-transfer",
            Self::New => figure.job == "tls-connect" && !figure.resumed,
            Self::Reused => figure.job == "tls-connect" && figure.resumed,
        }
    }

    fn place(self) -> (&'static str, u64, Operation) {
        match self {
            Self::Transfer => ("tls-transfer", BYTES, Operation::Upload),
            Self::New => ("tls-connect", 1, Operation::Full),
            Self::Reused => ("tls-connect", 1, Operation::Resumed),
        }
    }
}

/// The 22 suites by their published names, in the order of the tables.
pub fn suites(figures: &[Figure]) -> Vec<&str> {
    figures.iter().filter(|figure| What::Transfer.is_of(figure)).map(|figure| figure.suite.as_str()).collect()
}

/// Published milliseconds: of 100 MB, or of a thousand connections.
pub fn milliseconds(figures: &[Figure], suite: &str, what: What) -> Option<f64> {
    let is_it = |figure: &&Figure| figure.suite == suite && what.is_of(figure);
    figures.iter().find(is_it).map(|figure| figure.total_ms as f64)
}

/// The name in the registry of a suite that Java still calls as SSL 3 did.
pub fn registered(suite: &str) -> String {
    suite.strip_prefix("SSL_").map_or_else(|| suite.to_owned(), |rest| format!("TLS_{rest}"))
}

pub fn cell(cells: &[Cell], what: What) -> Option<&Cell> {
    let place = what.place();
    cells.iter().find(|cell| (cell.job.as_str(), cell.size, cell.operation) == place)
}

/// The line of a published suite on one of today's JDKs.
pub fn line<'a>(cell: &'a Cell, jdk: &str, suite: &str, shape: Shape) -> Option<&'a Line> {
    let suite = registered(suite);
    let is_way = |line: &Line| line.way().is_some_and(|way| way.protocol == PROTOCOL && way.suite == suite);
    cell.contestants().find(|line| {
        line.family == FAMILY && line.line.shape == shape && line.jdk.as_deref() == Some(jdk) && is_way(line)
    })
}

/// Time of a new connection over that of one that reuses a session, in one kind of sockets.
pub fn speed_up(cells: &[Cell], jdk: &str, suite: &str, shape: Shape) -> Option<Ratio> {
    let [new, reused] = [What::New, What::Reused].map(|what| cell(cells, what));
    let (new, reused) = (new?, reused?);
    let of = |cell| line(cell, jdk, suite, shape);
    across((new, of(new)?), (reused, of(reused)?))
}

/// The JDKs that took part, oldest first.
pub fn jdks(cells: &[Cell]) -> Vec<String> {
    let told = cells.iter().filter(|cell| cell.is_by_shape()).flat_map(Cell::contestants);
    let mut jdks: Vec<String> =
        told.filter(|line| line.family == FAMILY).filter_map(|line| line.jdk.clone()).collect();
    jdks.sort_by_key(|version| crate::jdks::numbers(version));
    jdks.dedup();
    jdks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::Way;

    #[test]
    fn the_published_tables_are_whole() {
        let figures = figures();
        assert_eq!((figures.len(), suites(&figures).len()), (66, 22));
        let told = |suite, what| milliseconds(&figures, suite, what);
        for what in [What::Transfer, What::New, What::Reused] {
            assert!(suites(&figures).iter().all(|suite| told(suite, what).is_some()), "{what:?}");
        }
        let dhe = "TLS_DHE_RSA_WITH_AES_128_CBC_SHA";
        let all = [What::Transfer, What::New, What::Reused].map(|what| told(dhe, what));
        assert_eq!(all, [Some(7_140.0), Some(24_360.0), Some(1_312.0)]);
    }

    #[test]
    fn every_suite_has_a_name_that_the_registry_knows() {
        for suite in suites(&figures()) {
            let way = format!("{PROTOCOL} {} none RSA-1024", registered(suite));
            assert!(Way::parse(&way).is_ok(), "{way}");
        }
        assert_eq!(registered("SSL_RSA_WITH_NULL_MD5"), "TLS_RSA_WITH_NULL_MD5");
    }
}
