//! Raw samples as a title, for who points at a mark whose row has several kinds of them.

use crate::protocol::Operation;
use crate::rows::{Line, Sample};
use std::collections::BTreeMap;

/// Those of a job, by what they are of.
pub struct Samples<'a> {
    of: BTreeMap<(u64, Operation, &'a Line), Vec<&'a Sample>>,
}

/// A title is read at a glance, and there are thousands of marks.
const MOST: usize = 12;

impl<'a> Samples<'a> {
    pub fn of(samples: &[&'a Sample]) -> Self {
        let mut of: BTreeMap<_, Vec<&Sample>> = BTreeMap::new();
        for sample in samples {
            of.entry((sample.size, sample.operation, &sample.line)).or_default().push(sample);
        }
        Self { of }
    }

    /// "3 samples: 1.00 ms, 1.01 ms, 0.99 ms" of those that have the figure; none where none has it.
    pub fn told(
        &self,
        of: (u64, Operation, &Line),
        figure: impl Fn(&Sample) -> Option<String>,
    ) -> Option<String> {
        let mut all = self.of.get(&of)?.iter().filter_map(|sample| figure(sample));
        let shown: Vec<String> = all.by_ref().take(MOST).collect();
        let more = all.count();
        let count = shown.len() + more;
        let samples = if count == 1 { "sample" } else { "samples" };
        let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
        (count > 0).then(|| format!("{count} {samples}: {}{rest}", shown.join(", ")))
    }
}

/// Nanoseconds of one operation.
pub fn each(sample: &Sample) -> f64 {
    sample.wall_ns as f64 / sample.count.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Shape;
    use crate::summary::made::{line, steady};

    #[test]
    fn the_first_are_told_and_the_others_counted() {
        let line = line(("one", "AES", Shape::Tuned));
        let of = |count: u64| {
            let all: Vec<Sample> =
                (0..count).map(|at| steady("codec", 49, &line, Operation::Encode, at, at)).collect();
            let samples = Samples::of(&all.iter().collect::<Vec<_>>());
            samples.told((49, Operation::Encode, &line), |sample| {
                (sample.wall_ns != 1).then(|| sample.wall_ns.to_string())
            })
        };
        assert_eq!([0, 1, 2].map(of), [None, Some("1 sample: 0".into()), Some("1 sample: 0".into())]);
        assert_eq!(of(4), Some("3 samples: 0, 2, 3".into()));
        assert_eq!(of(40), Some("39 samples: 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 27 more".into()));
    }
}
