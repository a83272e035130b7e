//! How a fresh process warms up: watched once from its first operation, then repeated for each block.

use crate::jobs::runner::{Outcome, Runner, Warmth};
use crate::plan::{FEWEST_BLOCKS, Size};
use crate::protocol::Operation;
use crate::rows::{self, Phase, Row, Sample};
use crate::stats::median;
use std::collections::{BTreeMap, BTreeSet};

/// Into how many spans a ramp is cut, each operation's own: enough to see where it ends, few enough to keep.
const SPANS: u64 = 100;

/// Code that was compiled before it was started warms up caches and clocks only, and is watched for this part of the
/// time.
pub const COMPILED_BEFORE: u64 = 5;

/// A line that needs so many spans has operations that take no time; none of them tells anything more.
const MOST_SPANS: usize = 5_000;

/// Warms up a process that has just been started, and adds what was seen to its rows as it is seen. Where the job asks for it,
/// processes of a line are watched for the ramp's time until one has become steady. The phase is that of the spans which come now.
pub fn warm(runner: &mut Runner, operations: &[Operation]) -> Outcome<Phase> {
    let is_known = operations.iter().all(|operation| runner.warmth.settled.contains(operation));
    // The short spans of a ramp would show how long a crowd takes to wake.
    let is_watched = runner.cell.size.ramp_ms > 0 && !runner.line.is_crowd() && !is_known;
    let had = begin(runner, operations, is_watched)?;
    settle(runner, had)
}

/// The warming up that each operation has had.
type Had = BTreeMap<Operation, Warmed>;

/// Times the first operation of each kind, the cold one. A process that is watched goes on for the ramp's time.
fn begin(runner: &mut Runner, operations: &[Operation], is_watched: bool) -> Outcome<Had> {
    let share = if runner.compiles_as_it_runs { 1 } else { COMPILED_BEFORE };
    let ramp_ns = if is_watched { runner.cell.size.ramp_ms * 1_000_000 / share } else { 0 };
    let span_ns = ramp_ns / SPANS / operations.len() as u64;
    let mut had = Had::new();
    let (mut spans_taken, mut spent) = (0, 0);
    while spans_taken == 0 || spent < ramp_ns && spans_taken < MOST_SPANS {
        for &operation in operations {
            let warmed = had.entry(operation).or_default();
            let timed = time(runner, operation, warmed.next_count(span_ns))?;
            spent += timed.wall_ns.max(1);
            spans_taken += 1;
            warmed.add(&timed);
            if warmed.operations == 1 {
                let start_ns = Some(runner.start_ns);
                runner.rows.push(Row::Sample(Sample { phase: Phase::Cold, start_ns, ..timed }));
            }
        }
    }
    Ok(had)
}

/// Nanoseconds; never quite nothing, which has neither a logarithm nor an inverse.
fn per_operation(timed: &Sample) -> f64 {
    (timed.wall_ns as f64 / timed.count as f64).max(0.01)
}

/// A span of warming up; in the first blocks, if the job asks for a ramp, it becomes a row: what one process does once may be
/// chance.
fn time(runner: &mut Runner, operation: Operation, count: u64) -> Outcome<Sample> {
    let (done, ramp_ms) = (runner.done(operation), runner.cell.size.ramp_ms);
    let timed = runner.time(operation, count)?;
    if ramp_ms > 0 && !runner.line.is_crowd() && runner.turn.block < FEWEST_BLOCKS as u64 {
        let Sample { job, size, line, operation, count, wall_ns, .. } = timed.clone();
        runner.rows.push(Row::Ramp(rows::Ramp { job, size, line, operation, done, count, wall_ns }));
    }
    Ok(timed)
}

impl Warmth {
    /// How many operations a span should hold.
    pub fn count(&self, operation: Operation, size: &Size) -> u64 {
        let usual = self.nanoseconds.get(&operation).copied().unwrap_or(1.0);
        let fitting = ((size.sample_ms * 1_000_000) as f64 / usual).ceil().max(1.0) as u64;
        fitting.min(size.connections.unwrap_or(u64::MAX))
    }
}

/// The next process needs this many times the operations of one before it, which hold for it only roughly.
const MARGIN: f64 = 1.25;

/// Every engine gets at least this long of each operation: caches, branch predictors and clocks warm up too.
const LEAST_NS: u64 = 10_000_000;

/// Runs operations until the process is steady; their times are not kept.
fn settle(runner: &mut Runner, mut had: Had) -> Outcome<Phase> {
    let needs = Needs::of(runner, had.len());
    // Taken in turns, as the timed spans will be: the one that has had the least comes next.
    for _ in 0..MOST_SPANS {
        let cold = had.iter().filter(|(operation, had)| runner.warmth.is_cold(**operation, had, &needs));
        let coldest = cold.min_by_key(|(_, had)| had.nanoseconds);
        let Some((&operation, warmed)) = coldest else { break };
        // Each span costs a question, an answer and a digest: longer ones tell a step of a later time as well.
        let count = warmed.next_count((needs.least_ns / 4).max(warmed.nanoseconds / 16));
        let timed = time(runner, operation, count)?;
        had.entry(operation).or_default().add(&timed);
    }
    let mut phase = Phase::Steady;
    for (&operation, warmed) in &had {
        let is_steady = !needs.compiles || runner.warmth.is_steady(operation, warmed, &needs);
        runner.warmth.nanoseconds.entry(operation).or_insert(median(&warmed.latest).unwrap_or_default());
        if !is_steady {
            phase = Phase::Unsteady;
        } else if runner.warmth.settled.insert(operation) && needs.compiles {
            runner.warmth.operations.insert(operation, warmed.changed_after);
            // Code that a compiler replaces may be slow for a while after it was fast.
            warmed.fastest.into_iter().for_each(|time| runner.warmth.reached(operation, time));
        }
    }
    Ok(phase)
}

/// A process is warm when it is nearly as fast as the one that was watched: on a busy machine its compiler may come late.
const NEARLY: f64 = 1.2;

/// A process whose code is compiled as it runs may be farther from the fastest span of its line, because chance makes spans
/// fast, too, and a compiler's step is larger.
const COMPILED_ANEW: f64 = 1.5;

/// Spans that take so much less than the fastest before them are a step of the compiler's.
const STEP: f64 = 0.9;

/// Code that is compiled as it runs is settled when, since the last step, half as much time has passed as before it; and at
/// least this.
const SETTLED_NS: u64 = 30_000_000;

/// A compiler's steps are counted in calls: after fewer operations than these its code is watched for as long as this. HotSpot
/// compiles a method for the last time after 5,000 calls (`Tier4InvocationThreshold`), of which a stream makes one for 8 KiB. A
/// few operations on many bytes are watched for a third of that time, because some of them make few calls.
const MANY_CALLS: u64 = 12_000;
const MANY_BYTES: u64 = MANY_CALLS << 13;
const MANY: u64 = 200;
const LONG_NS: u64 = 2_000_000_000;

/// The operations of connections and requests, the time for fewer of them, and the least patience. A connection calls many methods
/// once: they are compiled one after the other until that threshold. JSSE takes 2.6 ms for a handshake after 1.7 seconds, 1.4
/// after 7 and 1.25 after 15.
const CONNECTIONS: (u64, u64, u64) = (5_000, 10_000_000_000, 16_000_000_000);

/// For how many times the ramp's length it is waited for, and for how many operations at least: the first of those that take
/// longer than that would be the last.
pub const PATIENCE: u64 = 2;
const LEAST_OPERATIONS: u64 = 3;

/// The warm-up of an operation so far.
#[derive(Default)]
struct Warmed {
    operations: u64,
    nanoseconds: u64,
    /// How long one took in each of the last three spans, the latest last.
    latest: Vec<f64>,
    /// The time of one operation in the fastest three spans until the last step; then the time of that step.
    fastest: Option<f64>,
    stepped_ns: u64,
    /// The operations before the last step, or until it was last much slower than before.
    changed_after: u64,
    /// The first operation loads code; how long a compiler takes begins behind it.
    first_ns: Option<u64>,
}

/// So many spans are looked at together.
const LATEST: usize = 3;

impl Warmed {
    fn last(&self) -> f64 {
        self.latest.last().copied().unwrap_or_default()
    }

    /// For a span of so many nanoseconds. The first operation is alone: it is the cold one. Then spans grow threefold at most.
    fn next_count(&self, span_ns: u64) -> u64 {
        ((span_ns as f64 / self.last()) as u64).clamp(1, (self.operations * 2).max(1))
    }

    fn add(&mut self, timed: &Sample) {
        let before = self.operations;
        let before_ns = self.nanoseconds.max(*self.first_ns.get_or_insert(timed.wall_ns.max(1)));
        self.operations += timed.count;
        self.nanoseconds += timed.wall_ns.max(1);
        if self.latest.len() == LATEST {
            self.latest.remove(0);
        }
        self.latest.push(per_operation(timed));
        // Chance makes a span fast now and then, but not two of three.
        let Some(latest) = median(&self.latest) else { return };
        if self.fastest.is_none_or(|fastest| latest < fastest * STEP) {
            self.fastest = Some(latest);
            // A span that is faster as a whole ran the new code from its beginning.
            (self.stepped_ns, self.changed_after) = (before_ns, before);
        } else if self.fastest.is_some_and(|fastest| latest > fastest * COMPILED_ANEW) {
            self.changed_after = self.operations;
        }
    }
}

impl Warmth {
    /// Learns from a timed span: a process is waited for until it is nearly as fast as the fastest of its line.
    pub fn reached(&mut self, operation: Operation, nanoseconds: f64) {
        let usual = self.nanoseconds.entry(operation).or_insert(nanoseconds);
        *usual = usual.min(nanoseconds);
    }

    /// True where its passes were slow beside those of other blocks.
    pub fn is_slow(&self, operation: Operation, nanoseconds: f64) -> bool {
        self.nanoseconds.get(&operation).is_some_and(|usual| nanoseconds > usual * COMPILED_ANEW)
    }

    /// True where the latest spans show what those that follow will.
    fn is_steady(&self, operation: Operation, warmed: &Warmed, needs: &Needs) -> bool {
        // Threads that wake each other late make every other span slow, however warm they are.
        let quickest = warmed.latest.iter().copied().fold(f64::INFINITY, f64::min);
        let is_slower = warmed.fastest.is_some_and(|fastest| quickest > fastest * COMPILED_ANEW);
        let is_slow = is_slower || self.is_slow(operation, quickest);
        // Another process of the line showed for long how fast it becomes.
        let usual = self.nanoseconds.get(&operation).filter(|_| self.settled.contains(&operation));
        let latest = median(&warmed.latest).unwrap_or(f64::INFINITY);
        let is_known = usual.is_some_and(|usual| latest * STEP <= *usual);
        let compiled_ns = if is_known { 0 } else { warmed.stepped_ns - warmed.first_ns.unwrap_or(0) };
        let (calls, ns) = (warmed.operations, warmed.nanoseconds);
        let is_long = ns >= needs.long_ns || calls >= needs.many && (calls >= MANY || ns >= LONG_NS / 3);
        let is_settled = ns >= warmed.stepped_ns + SETTLED_NS.max(compiled_ns / 2);
        !is_slow && (is_known || is_long) && is_settled
    }

    /// True if an operation needs more, and has not yet been waited for as long as anybody waits.
    fn is_cold(&self, operation: Operation, warmed: &Warmed, needs: &Needs) -> bool {
        let operations = (self.operations.get(&operation).copied().unwrap_or(0) as f64 * MARGIN).floor();
        let is_settled = match (needs.compiles, self.nanoseconds.get(&operation)) {
            (true, _) => self.is_steady(operation, warmed, needs),
            (false, usual) => usual.is_none_or(|usual| warmed.last() <= usual * NEARLY),
        };
        let is_warm =
            warmed.operations as f64 >= operations && warmed.nanoseconds >= needs.least_ns && is_settled;
        let is_short = needs.compiles && warmed.operations < LEAST_OPERATIONS;
        !is_warm && (is_short || warmed.nanoseconds < needs.patience_ns.max(needs.least_ns))
    }
}

/// A span of a block, by the runner that it is of.
pub type Span = (usize, Sample);

/// Places of the spans that do not count: those up to the last one that takes longer than the later half of its series,
/// because its code was compiled anew meanwhile. Where that half is slow beside other blocks it is all of them.
pub fn unsteady(spans: &[Span], runners: &[Runner]) -> BTreeSet<usize> {
    let mut series: BTreeMap<(usize, Operation), Vec<usize>> = BTreeMap::new();
    for (number, (at, span)) in spans.iter().enumerate() {
        series.entry((*at, span.operation)).or_default().push(number);
    }
    let of_series = |((at, operation), series): ((usize, Operation), Vec<usize>)| -> Vec<usize> {
        // A collector's pauses are the program's own.
        let time = |number: &usize| {
            let span = &spans[*number].1;
            span.wall_ns.saturating_sub(span.used.gc_ns.unwrap_or(0)) as f64 / span.count as f64
        };
        let late: Vec<f64> = series[series.len() / 2..].iter().map(time).collect();
        let usual = median(&late).unwrap_or(f64::INFINITY);
        let is_slow = runners[at].warmth.is_slow(operation, usual);
        let begins = series.iter().take_while(|number| time(number) > usual * NEARLY).count();
        let last = series.iter().rposition(|number| time(number) > usual * COMPILED_ANEW);
        let unsteady = if is_slow { series.len() } else { begins.max(last.map_or(0, |last| last + 1)) };
        series.into_iter().take(unsteady).collect()
    };
    series.into_iter().flat_map(of_series).collect()
}

/// Passes of a runner that count.
pub fn steady_passes(spans: &[Span], runners: &[Runner], at: usize) -> usize {
    let unsteady = unsteady(spans, runners);
    let mut passes: BTreeMap<Operation, usize> = BTreeMap::new();
    for (number, (_, span)) in spans.iter().enumerate().filter(|(_, span)| span.0 == at) {
        *passes.entry(span.operation).or_default() += usize::from(!unsteady.contains(&number));
    }
    // A line that failed has no passes, and needs none.
    passes.into_values().min().unwrap_or(usize::MAX)
}

/// The warming up that a line asks for.
struct Needs {
    compiles: bool,
    /// Operations after which code is watched no longer than it takes to settle.
    many: u64,
    /// The time after which fewer operations suffice.
    long_ns: u64,
    least_ns: u64,
    patience_ns: u64,
}

impl Needs {
    fn of(runner: &Runner, operations: usize) -> Self {
        let (job, size) = (runner.cell.job, runner.cell.size);
        // Where there is one block only, nothing is told but how it warms up.
        let compiles = runner.compiles_as_it_runs && size.ramp_ms > 0 && size.blocks > 1;
        // An ask that wakes a crowd of threads takes longer than most operations: only a span as long as the timed ones
        // tells how long one takes.
        let sample_ns = if job.wakes_a_crowd { size.sample_ms * 1_000_000 } else { 0 };
        // Nobody has watched how long a compiler takes for a crowd: as long as for one thread.
        let is_unseen = runner.line.is_crowd() && runner.compiles_as_it_runs;
        let ramp_ns = if is_unseen { size.ramp_ms * 1_000_000 / 2 } else { 0 };
        let of_bytes = (MANY_CALLS.min(MANY_BYTES / size.amount), LONG_NS, LEAST_PATIENCE_NS);
        let (many, long_ns, least) = if job.is_in_bytes() { of_bytes } else { CONNECTIONS };
        let least = if compiles { least } else { 0 };
        // Each operation has its share.
        let patience_ns = (PATIENCE * size.ramp_ms * 1_000_000 / operations as u64).max(least);
        Self { compiles, many, long_ns, least_ns: LEAST_NS.max(sample_ns).max(ramp_ns), patience_ns }
    }
}

/// For so long every operation of a compiler's is waited for, should it take as long.
const LEAST_PATIENCE_NS: u64 = 2_500_000_000;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::simulate::{self, Actor, Weather, World};
    use serde_json::json;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn warm_is_who_has_had_enough_operations_and_time_and_is_nearly_as_fast() {
        let warmth = Warmth {
            operations: BTreeMap::from([(Operation::Seal, 100)]),
            nanoseconds: BTreeMap::from([(Operation::Seal, 1_000.0)]),
            settled: BTreeSet::new(),
        };
        let patience_ns = 100_000_000;
        let needs =
            |compiles| Needs { compiles, many: MANY, long_ns: LONG_NS, least_ns: LEAST_NS, patience_ns };
        let warmed = |operations, nanoseconds, last, stepped_ns| Warmed {
            operations,
            nanoseconds,
            latest: vec![last],
            stepped_ns,
            ..Warmed::default()
        };
        for (operations, nanoseconds, last, is_cold) in [
            (125, 10_000_000, 1_200.0, false),
            (124, 10_000_000, 1_200.0, true),
            (125, 9_999_999, 1_200.0, true),
            (125, 10_000_000, 1_201.0, true),
            (124, 99_999_999, 1_201.0, true),
            (124, 100_000_000, 1_201.0, false),
        ] {
            let warmed = warmed(operations, nanoseconds, last, 0);
            let seen = warmth.is_cold(Operation::Seal, &warmed, &needs(false));
            assert_eq!(seen, is_cold, "{operations} in {nanoseconds} ns, last {last}");
        }
        // Code that is compiled as it runs has to have made its last step long ago.
        for (nanoseconds, stepped_ns, is_cold) in [
            (29_999_999, 0, true),
            (30_000_000, 0, false),
            (69_999_999, 40_000_000, true),
            (70_000_000, 40_000_000, false),
            (89_999_999, 60_000_000, true),
            (90_000_000, 60_000_000, false),
            (100_000_000, 90_000_000, false),
        ] {
            let warmed = warmed(MANY, nanoseconds, 1_000.0, stepped_ns);
            let seen = warmth.is_cold(Operation::Seal, &warmed, &needs(true));
            assert_eq!(seen, is_cold, "a step at {stepped_ns} of {nanoseconds} ns");
        }
        // Few operations suffice once another process was watched, but only if they are as fast as its own.
        let known = Warmth { settled: [Operation::Seal].into(), ..warmth };
        // One span may be fast by chance.
        for (latest, is_cold) in
            [([1_111.0; 3], false), ([1_112.0; 3], true), ([1_000.0, 1_450.0, 1_450.0], true)]
        {
            let warmed = Warmed { latest: latest.to_vec(), ..warmed(125, 30_000_000, 0.0, 0) };
            assert_eq!(known.is_cold(Operation::Seal, &warmed, &needs(true)), is_cold, "{latest:?} ns");
        }
        // Where no ramp was watched, the least time is all that is asked for.
        let needs = Needs { patience_ns: 0, ..needs(false) };
        let is_cold =
            |nanoseconds| Warmth::default().is_cold(Operation::Open, &warmed(1, nanoseconds, 1.0, 0), &needs);
        assert!(is_cold(9_999_999) && !is_cold(10_000_000));
    }

    /// Milliseconds as JVMs took to open and seal so many MiB: the last of them goes on.
    #[test]
    fn operations_that_take_longer_than_the_patience_become_steady() {
        for (mib, series, usual, expected) in [
            (5, &[15_402, 14_188][..], 14_506, (2, true)),
            (100, &[1_599, 1_258], 1_258, (2, true)),
            (100, &[2_678, 1_619, 1_422], 1_422, (2, true)),
            (100, &[672, 97], 97, (2, true)),
            (20, &[325, 201, 147], 147, (5, true)),
            // Its compiler comes with the twelfth operation of 5 MiB, and with the seventh of 10: before, nothing changes.
            (5, &[94, 59, 55, 54, 54, 55, 54, 54, 54, 53, 16, 5], 5, (64, true)),
            (5, &[125, 79, 77, 82, 86, 79, 78, 79, 79, 78, 79, 5], 5, (93, true)),
            (10, &[199, 155, 153, 154, 153, 154, 10], 10, (46, true)),
            // Slow beside other processes of the line.
            (5, &[4_000, 3_500], 2_000, (3, false)),
        ] {
            let nanoseconds = [(Operation::Open, 1e6 * f64::from(usual))].into();
            let warmth = Warmth { nanoseconds, ..Warmth::default() };
            let many = MANY_BYTES / (mib << 20);
            let needs = Needs {
                compiles: true,
                many,
                long_ns: LONG_NS,
                least_ns: LEAST_NS,
                patience_ns: LEAST_PATIENCE_NS,
            };
            let (mut warmed, mut rest) = (Warmed::default(), series.iter());
            let mut milliseconds = 0_u64;
            while warmed.operations == 0 || warmth.is_cold(Operation::Open, &warmed, &needs) {
                milliseconds = *rest.next().unwrap_or(&milliseconds);
                let timed = json!({
                    "job": "payload", "size": 1, "block": 0, "pass": 0, "place": 0, "engine": "one", "parameters": {},
                    "operation": "open", "phase": "cold", "count": 1, "wall_ns": 1_000_000 * milliseconds,
                });
                warmed.add(&serde_json::from_value(timed).unwrap());
            }
            let seen = (warmed.operations, warmth.is_steady(Operation::Open, &warmed, &needs));
            assert_eq!(seen, expected, "{mib} MiB: {series:?}");
        }
    }

    /// Milliseconds of a handshake of JSSE on JDK 27 after so many: it is fast after 7 seconds. Before, it looks steady for a while.
    #[test]
    fn a_handshake_of_a_jvm_is_steady_late_or_not_at_all() {
        const SEEN: [(u64, f64); 16] = [
            (0, 164.0),
            (1, 22.0),
            (39, 5.16),
            (159, 3.99),
            (304, 2.64),
            (522, 2.94),
            (731, 2.12),
            (1_003, 2.32),
            (1_290, 1.75),
            (1_620, 1.8),
            (1_953, 1.6),
            (2_316, 1.5),
            (2_702, 1.41),
            (3_517, 1.34),
            (8_995, 1.25),
            (12_327, 1.23),
        ];
        let (many, long_ns, patience) = CONNECTIONS;
        let ends_with = |patience_ns| {
            let needs = Needs { compiles: true, many, long_ns, least_ns: LEAST_NS, patience_ns };
            let (warmth, mut warmed) = (Warmth::default(), Warmed::default());
            while warmed.operations == 0 || warmth.is_cold(Operation::Full, &warmed, &needs) {
                let count = warmed.next_count((LEAST_NS / 4).max(warmed.nanoseconds / 16));
                let (_, each) = SEEN.iter().rfind(|(done, _)| *done <= warmed.operations).unwrap();
                let timed = json!({
                    "job": "tls-connect", "size": 1, "block": 0, "pass": 0, "place": 0, "engine": "one", "parameters": {},
                    "operation": "full", "phase": "cold", "count": count, "wall_ns": (each * 1e6) as u64 * count,
                });
                warmed.add(&serde_json::from_value(timed).unwrap());
            }
            (warmth.is_steady(Operation::Full, &warmed, &needs), warmed.last() / 1e6)
        };
        let (is_steady, last) = ends_with(patience);
        assert!(is_steady && last < 1.35, "{is_steady}: {last} ms");
        let (is_steady, last) = ends_with(LEAST_PATIENCE_NS);
        assert!(!is_steady && last > 2.0, "{is_steady}: {last} ms");
    }

    #[test]
    fn an_engine_that_tells_of_no_time_is_not_asked_for_ever() {
        static ASKS: AtomicUsize = AtomicUsize::new(0);
        let nothing = |_, _| {
            assert!(ASKS.fetch_add(1, Ordering::Relaxed) < 10 * MOST_SPANS, "asked for ever");
            0.0
        };
        let weather = Weather { drift: 0.0, bursts: 0.0, burst: 1.0, span_noise: 0.0, process_noise: 0.0 };
        let world = World::new(weather, &[("liar", Actor { nanoseconds: nothing, second_mode: 0.0 })], 1);
        let scratch = tempfile::tempdir().unwrap();
        simulate::run(&world, &["liar"], &simulate::job(&[49], 2, 0), scratch.path());
        assert!(ASKS.load(Ordering::Relaxed) > MOST_SPANS);
    }
}
