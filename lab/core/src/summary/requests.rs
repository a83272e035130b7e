//! What a server tells besides time, and which of its lines may stand side by side.

use crate::rows::{Requests as Told, Sample};
use crate::stats;

/// Medians of steady spans.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Requests {
    /// The middle request of a span, and the slowest of 99 in a hundred.
    pub median_ns: f64,
    pub p99_ns: f64,
    /// What the clients had of the CPU time of one request.
    pub client_cpu_ns: Option<f64>,
}

impl Requests {
    /// None in every other job.
    pub fn of(steady: &[&Sample]) -> Option<Self> {
        let told: Vec<(Told, f64)> =
            steady.iter().filter_map(|sample| Some((sample.requests?, sample.count.max(1) as f64))).collect();
        let median = |field: fn(&Told, f64) -> Option<f64>| {
            stats::median(&told.iter().filter_map(|(told, count)| field(told, *count)).collect::<Vec<_>>())
        };
        Some(Self {
            median_ns: median(|told, _| Some(told.median_ns as f64))?,
            p99_ns: median(|told, _| Some(told.p99_ns as f64))?,
            client_cpu_ns: median(|told, count| Some(told.client_cpu_ns? as f64 / count)),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::summary::made::Made;

    #[test]
    fn figures_are_the_middle_of_the_spans_and_lines_are_held_against_their_own_jdk() {
        let cells = Made::served(|_| {}).cells();
        assert!(cells[0].is_by_jdk());
        let line =
            |engine: &str| cells[0].contestants_and_yardstick().find(|line| line.engine() == engine).unwrap();
        let sealed = line("tomcat-sealed 25");
        let expected = Requests { median_ns: 400_000.0, p99_ns: 1_500_000.0, client_cpu_ns: Some(20_000.0) };
        assert_eq!(sealed.requests, Some(expected));
        for engine in ["tomcat-plain", "tomcat-mask", "tomcat-sealed"] {
            for jdk in ["17", "25"] {
                let plain = cells[0].plain_of(line(&format!("{engine} {jdk}"))).unwrap();
                assert_eq!(plain.engine(), format!("tomcat-plain {jdk}"));
            }
        }
        assert_eq!(cells[0].reference_of(sealed).unwrap().engine(), "tomcat-plain 25");
        assert_eq!(cells[0].yardstick_of(sealed).unwrap().engine(), "tomcat-plain 25");
    }
}
