//! What a token may cost on a JVM beside what the JDK's own ciphers take for the same value, and what threads must gain.

use super::{Limit, judged, met_or_missed};
use crate::protocol::{Operation, Shape};
use crate::report::words;
use crate::stats::Spread;
use crate::summary::{Cell, Line};
use crate::units::{self, significant};

const NATIVE: &str = "sealmark-java";
const PURE: &str = "sealmark-java-pure";
const JDK: &str = "SunJCE";

/// One promise about sealing a value on one thread, against the JDK's own ciphers on the same JDK.
struct Goal {
    family: &'static str,
    algorithm: &'static str,
    sizes: std::ops::RangeInclusive<u64>,
    against: &'static str,
    words: &'static str,
    limit: Limit,
}

/// Above it the cipher outweighs the call, and who cares for speed has a buffer.
const SHORT: u64 = 1_024;

const GOALS: [Goal; 4] = [
    Goal {
        family: NATIVE,
        algorithm: "token",
        sizes: 0..=SHORT,
        against: "AES-256-GCM-base64",
        words: "SunJCE, tuned, from String to String",
        limit: Limit::Faster(2.0),
    },
    Goal {
        family: NATIVE,
        algorithm: "token",
        sizes: 0..=SHORT,
        against: "AES-256-GCM-base64-as-written",
        words: "SunJCE as people write it, from String to String",
        limit: Limit::Faster(8.0),
    },
    Goal {
        family: NATIVE,
        algorithm: "token-bytes",
        sizes: SHORT..=u64::MAX,
        against: "AES-256-GCM-base64-bytes",
        words: "SunJCE, tuned, from buffer to buffer",
        limit: Limit::Faster(2.0),
    },
    Goal {
        family: PURE,
        algorithm: "token",
        sizes: 0..=u64::MAX,
        against: "AES-256-GCM-base64",
        words: "SunJCE's AES-256-GCM and java.util.Base64, tuned, from String to String",
        limit: Limit::Times(1.15),
    },
];

/// On two cores, any number of threads from two on.
const THREADS_AS_FAST: f64 = 1.8;

/// What a span allocates besides, its threads' way to work, is less than this of an operation; the loop itself allocates
/// nothing.
const NO_BYTES: f64 = 1.0;

/// `~s1a~value~`, session, `~` and `~`; between the last two is the body.
const AROUND_BODY: u64 = 11 + 16 + 2;
/// In a body, beside the value: counter and tag.
const BESIDE_VALUE: u64 = 4 + 16;

/// Lines for each size and JDK on which values were sealed.
pub fn verdicts(cells: &[Cell]) -> Vec<String> {
    let sealed =
        cells.iter().filter(|cell| (cell.job.as_str(), cell.operation) == ("record", Operation::Seal));
    sealed
        .flat_map(|cell| jdks(cell).into_iter().flat_map(|jdk| on(cell, &jdk)).collect::<Vec<_>>())
        .collect()
}

/// Those that this project's library was measured on, in their order.
fn jdks(cell: &Cell) -> Vec<String> {
    let ours = cell.lines.iter().filter(|line| [NATIVE, PURE].contains(&line.family.as_str()));
    let mut jdks: Vec<String> = ours.filter_map(|line| line.jdk.clone()).collect();
    jdks.sort();
    jdks.dedup();
    jdks
}

fn on(cell: &Cell, jdk: &str) -> Vec<String> {
    let goals = GOALS.iter().filter_map(|goal| goal.verdict(cell, jdk));
    goals.chain(threads(cell, jdk)).chain(allocation(cell, jdk)).collect()
}

impl Goal {
    fn verdict(&self, cell: &Cell, jdk: &str) -> Option<String> {
        if !self.sizes.contains(&cell.size) {
            return None;
        }
        let alone = |family, algorithm| line(cell, (family, jdk), algorithm, Shape::OneThread);
        let ratio = alone(self.family, self.algorithm)?.ratio(alone(JDK, self.against)?)?;
        Some(format!(
            "{}: {}",
            place(cell, self.family, self.algorithm, jdk),
            judged(ratio, self.limit, self.words)
        ))
    }
}

/// "seal 49 bytes with sealmark-java on JDK 25.0.3".
fn place(cell: &Cell, family: &str, algorithm: &str, jdk: &str) -> String {
    let buffer = if algorithm.ends_with("-bytes") { " into a buffer" } else { "" };
    format!("{} {}{buffer} with {family} on JDK {jdk}", cell.operation, units::size(cell.size))
}

/// The slowest of all crowds is held to it.
fn threads(cell: &Cell, jdk: &str) -> Option<String> {
    let on = |shape| line(cell, (NATIVE, jdk), "token", shape);
    let alone = on(Shape::OneThread)?;
    let crowds = [Shape::TwoThreads, Shape::SixteenThreads, Shape::ManyThreads, Shape::VirtualThreads];
    let gains: Vec<(Shape, Spread)> =
        crowds.into_iter().filter_map(|shape| Some((shape, on(shape)?.ratio(alone)?))).collect();
    let (_, worst) = gains.iter().max_by(|a, b| a.1.median.total_cmp(&b.1.median))?;
    let told: Vec<String> =
        gains.iter().map(|(shape, ratio)| format!("{shape} {}", significant(1.0 / ratio.median))).collect();
    let verdict = judged(*worst, Limit::Faster(THREADS_AS_FAST), "one thread");
    Some(format!("{} in crowds: {verdict}; {}", place(cell, NATIVE, "token", jdk), told.join(", ")))
}

/// Into a buffer nothing, else the token's String.
fn allocation(cell: &Cell, jdk: &str) -> Vec<String> {
    let told = |algorithm, goal: u64, words: String| {
        let bytes = line(cell, (NATIVE, jdk), algorithm, Shape::OneThread)?.allocated_bytes?;
        let outcome = met_or_missed(bytes < goal as f64 + NO_BYTES);
        let place = place(cell, NATIVE, algorithm, jdk);
        Some(format!("{place} allocates {} (goal {words}): {outcome}", words::bytes(bytes)))
    };
    let string = string_bytes(token_characters(cell.size));
    let words = format!("at most {}, the token's String", words::bytes(string as f64));
    [told("token-bytes", 0, "none".into()), told("token", string, words)].into_iter().flatten().collect()
}

fn token_characters(value_bytes: u64) -> u64 {
    AROUND_BODY + ((BESIDE_VALUE + value_bytes) * 4).div_ceil(3)
}

/// Of ASCII characters, in a JVM with compressed pointers: the object, and its array with a head.
fn string_bytes(characters: u64) -> u64 {
    24 + (16 + characters).next_multiple_of(8)
}

fn line<'a>(cell: &'a Cell, (family, jdk): (&str, &str), algorithm: &str, shape: Shape) -> Option<&'a Line> {
    cell.contestants().find(|line| {
        (line.family.as_str(), line.jdk.as_deref()) == (family, Some(jdk))
            && (line.algorithm(), line.line.shape) == (algorithm, shape)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::made::Made;

    const TUNED: &str = "AES-256-GCM-base64";

    /// Family, algorithm, shape and nanoseconds.
    type Timed = (&'static str, &'static str, Shape, u64);

    fn told(size: u64, lines: &[Timed], allocated: Option<u64>) -> Vec<String> {
        let mut made = Made::default();
        for (family, algorithm, shape, ns) in lines {
            let engine = made.jvm(family, "25.0.3");
            made.timed("record", size, (&engine, algorithm, *shape), Operation::Seal, *ns);
            made.timed("record", size, (&engine, algorithm, *shape), Operation::Open, 10 * ns);
        }
        made.samples().for_each(|sample| sample.allocated_bytes = allocated);
        verdicts(&made.cells())
    }

    #[test]
    fn short_values_are_held_against_the_jdk_tuned_and_as_written() {
        let lines = |native, pure| {
            [
                (NATIVE, "token", Shape::OneThread, native),
                (PURE, "token", Shape::OneThread, pure),
                (JDK, TUNED, Shape::OneThread, 400),
                (JDK, "AES-256-GCM-base64-as-written", Shape::OneThread, 1_600),
            ]
        };
        assert_eq!(
            told(49, &lines(198, 456), None),
            [
                "seal 49 bytes with sealmark-java on JDK 25.0.3: 2.02 × as fast as SunJCE, tuned, from String to String \
                 (goal at least 2): met",
                "seal 49 bytes with sealmark-java on JDK 25.0.3: 8.08 × as fast as SunJCE as people write it, from \
                 String to String (goal at least 8): met",
                "seal 49 bytes with sealmark-java-pure on JDK 25.0.3: 1.14 × the time of SunJCE's AES-256-GCM and \
                 java.util.Base64, tuned, from String to String (goal at most 1.15): met",
            ]
        );
        let undecided = told(49, &lines(200, 460), None);
        assert!(undecided.iter().all(|line| line.ends_with("undecided (median met)")), "{undecided:?}");
        let missed = told(49, &lines(210, 470), None);
        assert_eq!(missed.iter().filter(|line| line.ends_with("missed")).count(), 3, "{missed:?}");
    }

    #[test]
    fn long_values_are_held_against_it_into_a_buffer() {
        let lines = [
            (NATIVE, "token-bytes", Shape::OneThread, 700),
            (NATIVE, "token", Shape::OneThread, 1_400),
            (JDK, "AES-256-GCM-base64-bytes", Shape::OneThread, 2_100),
            (JDK, TUNED, Shape::OneThread, 2_100),
        ];
        let told = told(8_404, &lines, None);
        let start = "seal 8404 bytes into a buffer with sealmark-java on JDK 25.0.3: 3.00 × as fast";
        assert_eq!((told.len(), told[0].starts_with(start)), (1, true), "{told:?}");
    }

    #[test]
    fn the_slowest_crowd_counts_and_all_are_told() {
        let lines = |virtual_threads| {
            [
                (NATIVE, "token", Shape::OneThread, 1_800),
                (NATIVE, "token", Shape::TwoThreads, 900),
                (NATIVE, "token", Shape::VirtualThreads, virtual_threads),
            ]
        };
        let start = "seal 49 bytes with sealmark-java on JDK 25.0.3 in crowds: ";
        assert_eq!(
            told(49, &lines(990), None),
            [format!(
                "{start}1.82 × as fast as one thread (goal at least 1.8): met; 2-threads 2.00, 4096-virtual 1.82"
            )]
        );
        let missed = told(49, &lines(1_200), None);
        let end =
            "1.50 × as fast as one thread (goal at least 1.8): missed; 2-threads 2.00, 4096-virtual 1.50";
        assert_eq!(missed, [format!("{start}{end}")]);
    }

    #[test]
    fn what_is_allocated_is_held_to_nothing_or_the_string() {
        let each = |algorithm, bytes| {
            let lines = [(NATIVE, algorithm, Shape::OneThread, 200)];
            let told = told(49, &lines, Some(bytes));
            assert_eq!(told.len(), 1, "{told:?}");
            told[0].clone()
        };
        let on = "with sealmark-java on JDK 25.0.3 allocates";
        for (bytes, told) in [(0, "0 B (goal none): met"), (24, "24 B (goal none): missed")] {
            assert_eq!(each("token-bytes", bytes), format!("seal 49 bytes into a buffer {on} {told}"));
        }
        for (bytes, told) in [(168, "met"), (176, "missed")] {
            let told = format!("{on} {bytes} B (goal at most 168 B, the token's String): {told}");
            assert_eq!(each("token", bytes), format!("seal 49 bytes {told}"));
        }
    }

    #[test]
    fn a_token_of_one_byte_is_as_long_as_the_specification_says() {
        let token = "~s1a~value~7gQ2mJ0cXbVtR4aL~AAAAAHk3AAAAAHk3AAAAAHk3AAAA~";
        assert_eq!(token_characters(1), token.len() as u64);
        assert_eq!([57, 64, 65].map(string_bytes), [104, 104, 112]);
    }
}
