//! Everything that is told of a line in numbers, each once: text, page and JSON go over this table.

use crate::format;
use crate::summary::{Cell, Line};
use crate::units::{decimal, significant};
use Unit::{Bytes, Count, Nanoseconds, PerSecond, Percent, Ratio, Released};

/// A number of a line. To add one: a row of [`METRICS`], and what an engine tells it by.
pub struct Metric {
    /// Its name for machines.
    pub key: &'static str,
    /// Its name at the head of a column.
    pub title: &'static str,
    pub unit: Unit,
    of: Taken,
    /// Its meaning, for readers of tables.
    pub meaning: &'static str,
}

/// How a number is taken from a line; None where nobody knows it, or where it means nothing in the job.
type Taken = fn(&Cell, &Line) -> Option<f64>;

/// How a number is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Nanoseconds,
    Bytes,
    BytesPerSecond,
    PerSecond,
    Count,
    Ratio,
    Exponent,
    /// A share of one.
    Percent,
    /// A share of the plaintext, in words where it is none or all.
    Released,
}

/// In the order of the columns.
pub const METRICS: [Metric; 19] = [
    Metric::named("time_ns", "time", Nanoseconds, |_, line| Some(line.time()))
        .means("the time of one operation; the median of the blocks, and within a block the median of its passes"),
    Metric::named("mean_ns", "total ÷ n", Nanoseconds, |_, line| line.mean)
        .means("the total time divided by the number of operations; includes the pauses of a garbage collector"),
    Metric::named("blocks", "blocks", Count, |cell, line| {
        (line.wall.len() < cell.blocks()).then_some(line.wall.len() as f64)
    })
    .means("the number of blocks, if a line has fewer than others"),
    Metric::named("times_yardstick", "× yardstick", Ratio, |cell, line| {
        Some(cell.compare(line, cell.yardstick_of(line)?).filter(|ratio| !ratio.is_unsteady())?.median)
    })
    .means("the time divided by that of the yardstick, which only moves the same bytes, or serves the same pages"),
    Metric::named("megabytes_per_second", "MB/s", PerSecond, |cell, line| {
        let is_of_bytes = cell.kind.is_in_bytes() && !cell.kind.is_own_cost;
        is_of_bytes.then(|| cell.size as f64 * 1e3 / line.time())
    })
    .means("input divided by time; 1 MB = 10^6 bytes"),
    Metric::named("operations_per_second", "per s", PerSecond, |cell, line| {
        (!cell.kind.is_in_bytes()).then(|| 1e9 / line.time())
    })
    .means("connections or requests per second, as many at once as the size says"),
    Metric::named("median_ns", "median", Nanoseconds, |_, line| line.request_median_ns)
        .means("the median latency of a request in a span; the median over the spans"),
    Metric::named("p99_ns", "99 %", Nanoseconds, |_, line| line.request_p99_ns)
        .means("the 99th percentile of the latency of requests in a span; the median over the spans"),
    Metric::named("stalled_share", "stalled", Percent, |_, line| line.stalled.filter(|share| *share > 0.0))
        .means("connections whose small writes waited for delayed acknowledgements: set TCP_NODELAY"),
    Metric::named("cold_ns", "cold", Nanoseconds, |_, line| line.first())
        .means("the first operation of a fresh process"),
    Metric::named("cpu_ns", "CPU", Nanoseconds, |_, line| line.cpu())
        .means("CPU time of one operation over all threads; for TLS and servers, of client and server together"),
    Metric::named("client_share", "client", Percent, |_, line| {
        let client = line.client_cpu_ns?;
        let both = line.server_cpu_ns.map(|server| client + server).or(line.cpu())?;
        Some(client / both.max(1.0))
    })
    .means("the clients' share of the CPU time, because they run on the same cores as the servers"),
    Metric::named("wire_bytes", "wire", Bytes, |_, line| line.wire_bytes)
        .means("bytes of a connection, or of a transfer, both ways, without TCP and IP"),
    Metric::named("allocated_bytes", "allocated", Bytes, |_, line| line.allocated_bytes)
        .means("bytes that one operation asks of a managed heap"),
    Metric::named("collecting_share", "collecting", Percent, |_, line| Some(line.gc_ns? / line.time()))
        .means("the share of the time that a garbage collector takes"),
    Metric::named("own_cost_share", "lab", Percent, |_, line| {
        let share = line.loop_ns.filter(|_| !line.is_yardstick())? / line.time();
        Some(share).filter(|share| *share >= 0.01)
    })
    .means("the share of the time that the lab's own loop takes (job empty), from 1 % on"),
    Metric::named("peak_bytes", "peak", Bytes, |_, line| Some(line.peak_bytes? as f64))
        .means("the peak memory of the whole process"),
    Metric::named("cold_peak_bytes", "cold peak", Bytes, |_, line| Some(line.cold_peak_bytes? as f64))
        .means("the peak memory of a fresh process after its first operation"),
    Metric::named("released_share", "early", Released, |cell, line| {
        let bytes = line.released_bytes.filter(|_| line.authenticated)?;
        (cell.operation == crate::protocol::Operation::Open).then(|| bytes as f64 / cell.size as f64)
    })
    .means("the plaintext that was written before a payload with an altered last bit was refused"),
];

impl Metric {
    const fn named(key: &'static str, title: &'static str, unit: Unit, of: Taken) -> Self {
        Self { key, title, unit, of, meaning: "" }
    }

    const fn means(self, meaning: &'static str) -> Self {
        Self { meaning, ..self }
    }

    /// None of what is no number.
    pub fn of(&self, cell: &Cell, line: &Line) -> Option<f64> {
        (self.of)(cell, line).filter(|value| value.is_finite())
    }
}

impl Unit {
    pub fn told(self, value: f64) -> String {
        match self {
            Self::Nanoseconds => format::time(value),
            Self::Bytes => format::bytes(value),
            Self::BytesPerSecond => decimal(value, ["kB/s", "MB/s", "GB/s"]),
            Self::PerSecond => significant(value),
            Self::Count => format!("{value}"),
            Self::Ratio => format::factor(value),
            Self::Exponent => format!("{value:.2}"),
            Self::Percent => format!("{:.0} %", value * 100.0),
            Self::Released if value <= 0.0 => "no".into(),
            Self::Released if value >= 1.0 => "all".into(),
            // Neither nothing nor all of it, however it rounds.
            Self::Released => format!("{:.0} %", (value * 100.0).clamp(1.0, 99.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::protocol::Operation;
    use crate::rows::Tls;
    use crate::summary::fixtures::{CONNECT, Made, TRANSFER};
    use std::collections::BTreeSet;

    const WAY: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";

    /// The titles and figures of the first line.
    fn told(made: &Made) -> Vec<(&'static str, String)> {
        let cell = &made.cells()[0];
        let known =
            METRICS.iter().filter_map(|it| Some((it.title, it.unit.told(it.of(cell, &cell.lines[0])?))));
        known.collect()
    }

    #[test]
    fn keys_and_titles_are_unique() {
        let keys: BTreeSet<&str> = METRICS.iter().map(|metric| metric.key).collect();
        let titles: BTreeSet<&str> = METRICS.iter().map(|metric| metric.title).collect();
        assert_eq!([keys.len(), titles.len()], [METRICS.len(); 2]);
    }

    #[test]
    fn connections_and_transfers_have_rates_ends_and_bytes() {
        let tls = |wire| Tls {
            client_cpu_ns: Some(400_000),
            server_cpu_ns: Some(600_000),
            wire_bytes: Some(wire),
            stalls: None,
        };
        let named = ("openssl", WAY, "memory");
        let mut made = Made::default();
        made.spent(CONNECT, 8, named, Operation::Full, 1_000_000, tls(2_010));
        let shares = [("per s", "1000"), ("CPU", "1.00 ms"), ("client", "40 %"), ("wire", "2.01 kB")];
        let known = told(&made);
        for (title, share) in shares {
            assert!(known.contains(&(title, share.to_owned())), "{title} {share}: {known:?}");
        }
        assert!(!known.iter().any(|(title, _)| *title == "MB/s"), "{known:?}");
        let mut made = Made::default();
        made.spent(TRANSFER, 1_000_000, named, Operation::Upload, 1_000_000, tls(1_001_400));
        let known = told(&made);
        assert!(
            known.contains(&("wire", "1.00 MB".into())) && known.contains(&("MB/s", "1000".into())),
            "{known:?}"
        );
    }

    /// The middle of two spans does not see that one of them waited for a collector; all of the time does.
    #[test]
    fn the_time_of_a_collector_is_in_the_total() {
        let mut made = Made::default();
        made.timed("cipher", 49, ("SunJCE", "AES", "tuned"), Operation::Seal, 1_000);
        for sample in made.samples() {
            sample.count = 10;
            sample.wall_ns = if sample.block == 7 { 90_000 } else { 10_000 };
        }
        let known = told(&made);
        assert!(known.contains(&("time", "1.00 µs".into())), "{known:?}");
        assert!(known.contains(&("total ÷ n", "2.00 µs".into())), "{known:?}");
    }

    #[test]
    fn servers_have_rates_and_latencies() {
        let known = told(&Made::served(|_| {}));
        for (title, figure) in
            [("per s", "10000"), ("median", "400 µs"), ("99 %", "1.50 ms"), ("client", "20 %")]
        {
            assert!(known.contains(&(title, figure.into())), "{title}: {known:?}");
        }
    }

    #[test]
    fn rates_read_as_expected() {
        assert_eq!(
            [12.0, 999_499.0, 999_999.0, 4.97e6, 2.449e9].map(|rate| Unit::BytesPerSecond.told(rate)),
            ["0.0120 kB/s", "999 kB/s", "1.00 MB/s", "4.97 MB/s", "2.45 GB/s"]
        );
    }

    #[test]
    fn what_was_released_is_told_in_words_where_it_is_none_or_all() {
        let metric = METRICS.iter().find(|metric| metric.key == "released_share").unwrap();
        let told = [0.0, 1e-9, 0.5, 0.999_99, 1.0, 2.0].map(|share| metric.unit.told(share));
        assert_eq!(told, ["no", "1 %", "50 %", "99 %", "all", "all"]);
    }
}
