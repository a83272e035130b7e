//! Then and now of tls-2009: the published tables in their own shape, beside today's JDKs.

use super::publication::{self, Publication};
use crate::claims;
use crate::history::tls_2009::{self as published, CONNECTIONS, Figure, SHAPE, What, speed_up};
use crate::protocol::Shape;
use crate::rows::History;
use crate::stats::bootstrap::FEWEST_BLOCKS;
use crate::summary::{Cell, Line};
use crate::table::Table;
use crate::units::significant;
use crate::words;

const READING: &str = "\
ms are for 100 MB, and for a thousand connections with one byte each: what one takes, times a thousand. Then is one run of \
JDK 1.6 on a Core 2 Duo of 2.4 GHz and Windows 2000; × is then over now. Names are those that were published; the registry \
has TLS_ for SSL_. All are spoken on TLS 1.0, with an RSA key of 1,024 bits and groups of 768 bits.";

const SOCKETS: &str = "\
In 2009 both ends had the sockets that the system gave them, on Windows 2000, and did not stall: a reused connection took \
1.0 to 1.8 ms, and a delayed acknowledgement alone would have been 200 ms there. Such sockets on today's Linux hold small \
writes back for 40 ms at a time, under every suite alike. Their table shows that wait and no library; what may be held \
against 2009 is the table with TCP_NODELAY, and the conclusions go by it.";

const NOT_RUN: [&str; 2] = [
    "Ten KRB5 suites are in the list that was published and in none of its tables. They are not run: they left the JDK with \
     version 11 (JDK-8206170).",
    "Five DSS suites are in the list, too, and could not be measured: there was an RSA key only. They are not run, either.",
];

pub fn publication(cells: &[Cell]) -> Publication {
    let (figures, jdks) = (published::figures(), published::jdks(cells));
    let transfers = transfers(&figures, cells, &jdks);
    let places = jdks.iter().flat_map(|jdk| [SHAPE, Shape::DefaultSockets].map(|shape| (jdk, shape)));
    let connections = places.map(|(jdk, shape)| connections(&figures, cells, jdk, shape));
    Publication {
        source: published::source(),
        what: "tls-2009 as published".into(),
        reading: vec![READING.into()],
        tables: std::iter::once(transfers).chain(connections).collect(),
        notes: std::iter::once(SOCKETS).chain(NOT_RUN).map(str::to_owned).collect(),
        conclusions: publication::tested(
            claims::concluded(History::Tls2009),
            (cells, &[]),
            &jdks,
            "no JDK took part with these suites; it takes --legacy",
        ),
    }
}

fn transfers(figures: &[Figure], cells: &[Cell], jdks: &[String]) -> Table {
    let fixed = ["published", "then ms"].map(str::to_owned);
    let today = jdks.iter().flat_map(|jdk| [format!("{jdk} ms"), "×".to_owned()]);
    let mut grid = Table::titled("Transfer of 100 MB", 1, fixed.into_iter().chain(today));
    for suite in published::suites(figures) {
        let then = published::milliseconds(figures, suite, What::Transfer);
        let mut row = vec![suite.to_owned(), then.map(whole).unwrap_or_default()];
        for jdk in jdks {
            row.extend(now(line(cells, What::Transfer, jdk, suite, SHAPE), 1.0, then));
        }
        grid.push(row);
    }
    grid
}

fn connections(figures: &[Figure], cells: &[Cell], jdk: &str, shape: Shape) -> Table {
    let blocks = published::cell(cells, What::New).map_or(0, Cell::blocks);
    let range = if blocks < FEWEST_BLOCKS { "range" } else { "95 %" };
    let title = format!("new ÷ reused ({range})");
    let titles = ["published", "then new", "reused", "÷", "now new", "×", "reused", "×", &title, "stalled"];
    let place = format!("1,000 connections, new and reused: JDK {jdk}, {shape}");
    let mut grid = Table::titled(place, 1, titles);
    for suite in published::suites(figures) {
        let then = [What::New, What::Reused].map(|what| published::milliseconds(figures, suite, what));
        let quotient = then[0].zip(then[1]).map(|(new, reused)| words::factor(new / reused));
        let mut row = vec![suite.to_owned()];
        row.extend(then.map(|ms| ms.map(whole).unwrap_or_default()));
        row.push(quotient.unwrap_or_default());
        let lines = [What::New, What::Reused].map(|what| line(cells, what, jdk, suite, shape));
        for (line, then) in lines.into_iter().zip(then) {
            row.extend(now(line, CONNECTIONS, then));
        }
        let ratio = speed_up(cells, jdk, suite, shape);
        row.push(ratio.map(|ratio| words::narrow(&ratio)).unwrap_or_default());
        row.push(lines.iter().flatten().find_map(|line| stalled(line)).unwrap_or_default());
        grid.push(row);
    }
    grid
}

fn line<'a>(cells: &'a [Cell], what: What, jdk: &str, suite: &str, shape: Shape) -> Option<&'a Line> {
    published::line(published::cell(cells, what)?, jdk, suite, shape)
}

/// Milliseconds of so many, and how many times the published ones were as many.
fn now(line: Option<&Line>, count: f64, then: Option<f64>) -> [String; 2] {
    let Some(ms) = line.map(|line| line.time() * count / 1e6) else { return ["-".into(), String::new()] };
    [significant(ms), then.map(|then| words::factor(then / ms)).unwrap_or_default()]
}

fn whole(ms: f64) -> String {
    format!("{ms:.0}")
}

/// "12 of 12".
fn stalled(line: &Line) -> Option<String> {
    let stalls = line.tls?.stalled()?;
    Some(format!("{} of {}", stalls.stalled, stalls.seen))
}
