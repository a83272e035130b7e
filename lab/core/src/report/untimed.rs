//! Lines that ran and took no time, as their rows say: there is no ratio, rate or verdict of what was not measured.

use crate::jobs;
use crate::protocol::Operation;
use crate::rows::{self, Row, Sample};
use crate::words;
use std::collections::BTreeMap;

/// So many are named.
const NAMED: usize = 6;

/// One sentence for each job that has such lines, with the job.
pub fn sentences(rows: &[Row]) -> Vec<(&str, String)> {
    let mut jobs: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let untimed = spans(rows).into_iter().filter(|(_, is_timed)| !is_timed);
    for ((job, size, operation, line), _) in untimed {
        let name = words::full_name(line, true);
        jobs.entry(job).or_default().push(format!("{name}, {}, {operation}", jobs::of(job).amount(size)));
    }
    let told = |names: &[String]| words::few_by(names, NAMED, "; ");
    jobs.into_iter()
        .map(|(job, names)| (job, format!("{job}: no time was measured: {}", told(&names))))
        .collect()
}

type Span<'a> = (&'a str, u64, Operation, &'a rows::Line);

/// Whether any of its samples took time.
fn spans(rows: &[Row]) -> BTreeMap<Span<'_>, bool> {
    let mut spans = BTreeMap::new();
    for row in rows {
        let Row::Sample(Sample { job, size, operation, line, wall_ns, .. }) = row else { continue };
        *spans.entry((job.as_str(), *size, *operation, line)).or_default() |= *wall_ns > 0;
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::long;
    use crate::protocol::Shape;
    use crate::summary::made::Made;

    /// Two lines, of which one took no time and no CPU.
    fn half_timed() -> Made {
        let mut made = Made::default();
        for (engine, ns) in [("Go", 1_000), ("ring", 0)] {
            made.timed("cipher", 49, (engine, "AES-256-GCM", Shape::Tuned), Operation::Seal, ns);
        }
        made
    }

    #[test]
    fn what_took_no_time_is_named_and_nothing_else_is_said_of_it() {
        let made = half_timed();
        let told = "cipher: no time was measured: ring AES-256-GCM (tuned), 49 bytes, seal";
        assert_eq!(sentences(&made.rows), [("cipher", told.to_owned())]);
        let cells = made.cells();
        assert_eq!(cells[0].contestants().map(|line| line.engine()).collect::<Vec<_>>(), ["Go"]);
        let table = long(&made.rows);
        assert!(table.contains(told) && table.matches("ring").count() == 1, "{table}");
    }

    #[test]
    fn one_sample_that_took_time_is_a_figure() {
        let mut made = half_timed();
        let mut untimed = made.samples().filter(|sample| sample.wall_ns == 0);
        let one = untimed.next();
        one.into_iter().for_each(|sample| sample.wall_ns = 1_000);
        drop(untimed);
        assert!(sentences(&made.rows).is_empty());
        let cells = made.cells();
        let blocks = cells[0].contestants().map(|line| (line.wall.len(), line.least));
        assert_eq!(blocks.collect::<Vec<_>>(), [(8, 1_000.0), (1, 1_000.0)]);
    }

    #[test]
    fn a_clock_of_cpu_time_that_misses_a_block_tells_nothing_of_the_line() {
        let mut made = half_timed();
        made.samples().for_each(|sample| sample.used.cpu_ns = Some(sample.block));
        assert_eq!(made.cells()[0].lines[0].cpu(), None);
        made.samples().for_each(|sample| sample.used.cpu_ns = Some(sample.block + 1));
        assert!(made.cells()[0].lines[0].cpu().is_some());
    }
}
