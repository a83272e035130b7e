//! Rows grouped into cells: what was measured at one size and operation, line by line, and how lines compare.

use crate::core_latency;
use crate::jobs::{self, Beside, Job};
use crate::protocol::Operation;
use crate::rows::{self, Phase, Role, Row, Sample, Stalls};
use crate::stats::bootstrap;
use crate::stats::verdict::Terms;
use crate::stats::{self, ByBlock};
use indexmap::{IndexMap, IndexSet};
use std::collections::{BTreeMap, BTreeSet};

#[cfg(test)]
pub mod fixtures;
pub mod growths;
mod places;
mod ratio;
pub mod warmth;

pub use places::Group;
pub use ratio::Ratio;
use warmth::Stretch;

/// Where figures stand: job, size and operation.
pub type Place<'a> = (&'a str, u64, Operation);

/// A line where it was measured.
pub type Here<'a> = (&'a Cell, &'a Line);

/// All lines of a place.
pub struct Cell {
    pub job: String,
    pub kind: &'static Job,
    pub size: u64,
    pub operation: Operation,
    /// In the order of the engines.
    pub lines: Vec<Line>,
    /// Lines that have first operations of fresh processes and no steady ones: their times are no figures but those.
    pub cold: Vec<Line>,
    /// True where some of its lines have no figure, because the budget was too small or the cores were apart.
    pub is_partial: bool,
    /// The number of samples that do not count, because the cores were apart; None where nobody knows how far they were.
    pub apart: Option<usize>,
    reference: Option<rows::Line>,
    wall: Noise,
    cpu: Noise,
    places: places::Places,
}

/// How far times stray where nothing differs.
#[derive(Default)]
struct Noise {
    /// How far blocks of lines stray, beside the reference or else the first line; a logarithm. Lines whose code is compiled as
    /// it runs stray farther.
    unrest: Option<f64>,
    unrest_without_jvms: Option<f64>,
    /// How far lines of a group differ from themselves, a factor, by the JDK that runs them.
    floors: BTreeMap<Group, BTreeMap<Option<String>, f64>>,
}

impl Noise {
    /// The unrest that two lines are judged by.
    fn unrest(&self, line: &Line, other: &Line) -> Option<f64> {
        let has_jvm = line.jdk.is_some() || other.jdk.is_some();
        if has_jvm { self.unrest } else { self.unrest_without_jvms.or(self.unrest) }
    }

    /// The floor of what runs a line; where none of its lines ran twice, that of the noisiest.
    fn floor(&self, group: &str, jdk: &Option<String>) -> Option<f64> {
        let floors = self.floors.get(group)?;
        floors.get(jdk).copied().or_else(|| floors.values().copied().max_by(f64::total_cmp))
    }
}

/// One line in a cell. Times are nanoseconds of one operation.
pub struct Line {
    pub line: rows::Line,
    pub role: Role,
    pub family: String,
    pub jdk: Option<String>,
    pub in_process: bool,
    pub authenticated: bool,
    /// Blocks in which its process did not become steady; they count only where there is no other.
    pub unsteady_blocks: usize,
    pub is_steady: bool,
    /// The middle of the passes of each block.
    pub wall: ByBlock,
    /// How far the passes of a block usually stray from their middle; a logarithm.
    within: f64,
    /// The best pass of all.
    pub least: f64,
    /// All time by all operations; None of nothing.
    pub mean: Option<f64>,
    pub cpu: ByBlock,
    pub allocated_bytes: Option<f64>,
    /// The time of one operation that went into collecting garbage.
    pub gc_ns: Option<f64>,
    /// The empty operation of its engine.
    pub loop_ns: Option<f64>,
    pub peak_bytes: Option<u64>,
    /// That of a fresh process after its first operation.
    pub cold_peak_bytes: Option<u64>,
    /// Plain bytes that an altered payload of this size had left behind when it was refused; None where nobody looked.
    pub released_bytes: Option<u64>,
    /// The first operation of a fresh process.
    pub cold: ByBlock,
    /// CPU time of the ends of a connection, and what went over the wire; of a server, the clients' alone.
    pub client_cpu_ns: Option<f64>,
    pub server_cpu_ns: Option<f64>,
    pub wire_bytes: Option<f64>,
    /// The share of connections that waited for a delayed acknowledgement, where they were timed one by one.
    pub stalled: Option<f64>,
    /// The beginnings of its first processes, where they were watched.
    pub ramps: Vec<Vec<Stretch>>,
    /// The middle request of a span, and the slowest of 99 in a hundred: the middle of the spans.
    pub request_median_ns: Option<f64>,
    pub request_p99_ns: Option<f64>,
}

/// The cells of a results file: jobs in the order they were measured, sizes ascending, seals before opens, lines in the
/// order of the engines.
pub fn cells(rows: &[Row]) -> Vec<Cell> {
    let mut names: IndexSet<&str> = IndexSet::new();
    let mut samples: BTreeMap<(usize, u64, Operation), BTreeMap<&rows::Line, Vec<&Sample>>> = BTreeMap::new();
    let known = Known::of(rows);
    for row in rows {
        let Row::Sample(sample) = row else { continue };
        if !known.is_wrong(sample) {
            let (job, _) = names.insert_full(&sample.job);
            let cell = samples.entry((job, sample.size, sample.operation)).or_default();
            cell.entry(&sample.line).or_default().push(sample);
        }
    }
    let cell = |((job, size, operation), mut lines): ((usize, u64, Operation), BTreeMap<_, Vec<&Sample>>)| {
        let (job, kind) = (names[job].to_owned(), jobs::of(names[job]));
        let latencies = lines.values().flatten().filter_map(|sample| sample.core_ns).collect();
        let usual = core_latency::usual(latencies);
        let mut is_partial = known.partial.contains(&(job.as_str(), size));
        let apart = usual.map(|usual| {
            let left_out = |samples: &mut Vec<&Sample>| {
                let count = leave_out(samples, usual);
                is_partial |= count > 0 && samples.iter().all(|sample| sample.phase == Phase::Cold);
                count
            };
            lines.values_mut().map(left_out).sum()
        });
        let lines = lines.into_iter().filter_map(|(line, samples)| Line::of(line, &samples, &known));
        let (mut lines, mut cold): (Vec<Line>, Vec<Line>) = lines.partition(|line| !line.wall.is_empty());
        for lines in [&mut lines, &mut cold] {
            lines.sort_by_cached_key(|line| {
                let (engine, algorithm) = (line.engine().to_owned(), line.algorithm().to_owned());
                let rank = known.engines.get_index_of(line.engine()).unwrap_or(usize::MAX);
                let key = jobs::KEYS.iter().position(|(name, _)| *name == algorithm).unwrap_or(usize::MAX);
                (rank, key, engine, algorithm, kind.rank(line.line.how()), line.line.clone())
            });
        }
        let reference = known.references.get(&(job.as_str(), size)).map(|line| (*line).clone());
        let (wall, cpu, places) = Default::default();
        let mut cell =
            Cell { job, kind, size, operation, lines, cold, is_partial, apart, reference, wall, cpu, places };
        cell.places = places::Places::of(&cell);
        cell.wall = cell.noise_of(|line| &line.wall, |line| line.within);
        cell.cpu = cell.noise_of(|line| &line.cpu, |_| 0.0);
        cell
    };
    let mut cells: Vec<Cell> = samples.into_iter().map(cell).filter(|cell| !cell.lines.is_empty()).collect();
    let (loops, others): (Vec<&mut Cell>, Vec<_>) = cells.iter_mut().partition(|cell| cell.kind.is_own_cost);
    let loops = loops.iter().flat_map(|cell| &cell.lines);
    let loops: BTreeMap<&str, f64> = loops.map(|line| (line.engine(), line.time())).collect();
    for line in others.into_iter().flat_map(|cell| &mut cell.lines).filter(|line| line.in_process) {
        line.loop_ns = loops.get(line.engine()).copied();
    }
    cells
}

/// The figures of the rows, by engine, size and line.
#[derive(Default)]
struct Known<'a> {
    engines: IndexMap<&'a str, &'a rows::Engine>,
    references: BTreeMap<(&'a str, u64), &'a rows::Line>,
    checked: BTreeMap<(&'a str, u64, &'a rows::Line), &'a rows::Checked>,
    ramps: BTreeMap<(&'a str, u64, Operation, &'a rows::Line), Vec<Vec<Stretch>>>,
    /// Lines that were proven wrong at a size: their times are those of other work, whenever it showed.
    wrong: BTreeMap<(&'a str, &'a str), Vec<&'a rows::Fault>>,
    contended: BTreeSet<(&'a str, u64, u64)>,
    /// Sizes some of whose lines were left out.
    partial: BTreeSet<(&'a str, u64)>,
}

impl<'a> Known<'a> {
    fn of(rows: &'a [Row]) -> Self {
        let mut known = Self::default();
        for row in rows {
            match row {
                Row::Engine(row) => drop(known.engines.entry(&row.engine).or_insert(row)),
                Row::Size(rows::Size { job, size, reference: Some(line) }) => {
                    known.references.entry((job, *size)).or_insert(line);
                }
                Row::Ramp(row) => {
                    let key = (&*row.job, row.size, row.operation, &row.line);
                    let ramps = known.ramps.entry(key).or_default();
                    // Another process is watched from its beginning, too.
                    if row.done == 0 || ramps.is_empty() {
                        ramps.push(Vec::new());
                    }
                    let ns_per_operation = row.wall_ns.max(1) as f64 / row.count.max(1) as f64;
                    let stretch = Stretch { operations: row.count, ns_per_operation };
                    ramps.last_mut().into_iter().for_each(|stretches| stretches.push(stretch));
                }
                Row::Block(row) if is_contended(row) => {
                    known.contended.insert((&row.job, row.size, row.block));
                }
                Row::Checked(row) => drop(known.checked.insert((&row.job, row.size, &row.line), row)),
                Row::Note(rows::Note { job, size, unmeasured: Some(_), .. })
                | Row::Fault(rows::Fault { job, size: Some(size), kind: rows::FaultKind::NotRun, .. }) => {
                    known.partial.insert((job, *size));
                }
                Row::Fault(fault) if fault.kind.is_wrong() => {
                    known.wrong.entry((&fault.job, &fault.engine)).or_default().push(fault);
                }
                _ => {}
            }
        }
        known
    }

    fn is_wrong(&self, Sample { job, size, line, .. }: &Sample) -> bool {
        let faults = self.wrong.get(&(job.as_str(), line.engine.as_str()));
        faults.is_some_and(|faults| faults.iter().any(|fault| fault.is_about(line, *size)))
    }
}

impl Line {
    fn of(line: &rows::Line, samples: &[&Sample], known: &Known) -> Option<Self> {
        let of = |phase| samples.iter().copied().filter(move |it| it.phase == phase).collect::<Vec<_>>();
        let [mut steady, unsteady, cold] = [Phase::Steady, Phase::Unsteady, Phase::Cold].map(of);
        let blocks = |samples: &[&Sample]| samples.iter().map(|it| it.block).collect::<BTreeSet<_>>().len();
        let unsteady_blocks = blocks(&unsteady);
        // Never beside those that were: one figure is of one kind.
        let is_steady = !steady.is_empty();
        if !is_steady {
            steady = unsteady;
        }
        let Sample { job, size, operation, .. } = samples.first()?;
        // A line that has enough others is judged without the blocks that other work disturbed.
        let is_quiet = |it: &&Sample| !known.contended.contains(&(job.as_str(), *size, it.block));
        let quiet: Vec<&Sample> = steady.iter().copied().filter(is_quiet).collect();
        let has_interval = blocks(&steady) >= bootstrap::FEWEST_BLOCKS;
        let enough = if has_interval { bootstrap::FEWEST_BLOCKS } else { jobs::of(job).telling_blocks() };
        if blocks(&quiet) >= enough {
            steady = quiet;
        }
        let each = |of: fn(&Sample) -> Option<u64>| {
            figures(&steady, |sample| Some(of(sample)? as f64 / sample.count as f64))
        };
        let usual = |figures: Vec<(u64, f64)>| stats::median(figures.iter().map(|it| it.1));
        let of_requests = |of: fn(&rows::Requests) -> u64| {
            usual(figures(&steady, |sample| Some(of(sample.requests.as_ref()?) as f64)))
        };
        let walls = each(|sample| Some(sample.wall_ns));
        let engine = known.engines.get(&*line.engine);
        let first = line.first();
        let checked = known.checked.get(&(job.as_str(), *size, &first));
        Some(Self {
            line: line.clone(),
            role: engine.map_or(Role::Peer, |engine| engine.role),
            unsteady_blocks,
            is_steady,
            family: engine.map_or_else(|| line.engine.clone(), |engine| engine.family.clone()),
            jdk: engine.and_then(|engine| engine.jdk.clone()),
            in_process: engine.is_some_and(|engine| engine.in_process),
            authenticated: checked.is_some_and(|checked| checked.authenticated),
            least: walls.iter().map(|(_, ns)| *ns).min_by(f64::total_cmp).unwrap_or(f64::NAN),
            mean: mean(&steady),
            within: within(&walls),
            wall: middles(&walls),
            // A clock of CPU time that is too coarse for a block tells nothing: no time makes no ratio and no rate.
            cpu: Some(middles(&each(|sample| sample.used.cpu_ns)))
                .filter(|cpu| cpu.values().all(|ns| *ns > 0.0))
                .unwrap_or_default(),
            allocated_bytes: usual(each(|sample| sample.used.allocated_bytes)),
            gc_ns: usual(each(|sample| sample.used.gc_ns)),
            loop_ns: None,
            peak_bytes: steady.iter().filter_map(|sample| sample.used.peak_bytes).max(),
            cold_peak_bytes: cold.iter().filter_map(|sample| sample.used.peak_bytes).max(),
            released_bytes: checked.and_then(|checked| checked.released_bytes),
            cold: cold.iter().map(|it| (it.block, it.wall_ns as f64 / it.count as f64)).collect(),
            client_cpu_ns: usual(each(|sample| match &sample.requests {
                Some(requests) => requests.client_cpu_ns,
                None => sample.tls?.client_cpu_ns,
            })),
            server_cpu_ns: usual(each(|sample| sample.tls?.server_cpu_ns)),
            wire_bytes: usual(each(|sample| sample.tls?.wire_bytes)),
            stalled: stalled(&steady.iter().filter_map(|sample| sample.tls?.stalls).collect::<Vec<_>>()),
            ramps: known.ramps.get(&(job.as_str(), *size, *operation, line)).cloned().unwrap_or_default(),
            request_median_ns: of_requests(|requests| requests.median_ns),
            request_p99_ns: of_requests(|requests| requests.p99_ns),
        })
    }

    pub fn engine(&self) -> &str {
        &self.line.engine
    }

    pub fn algorithm(&self) -> &str {
        self.line.algorithm()
    }

    /// The family of its key; two names joined by "+" are a hybrid of somebody's own.
    pub fn mode(&self) -> Option<&'static str> {
        let own = self.algorithm().contains('+').then_some(jobs::HYBRID);
        own.or_else(|| Some(jobs::KEYS.iter().find(|(name, _)| *name == self.algorithm())?.1))
    }

    pub fn is_yardstick(&self) -> bool {
        self.role == Role::Yardstick
    }

    fn is_contestant(&self) -> bool {
        !self.is_yardstick() && !self.line.again
    }

    /// True where its process did not become steady in each block, and the least that was seen of it took longer than another
    /// line usually does.
    pub fn is_late_beside(&self, other: &Self) -> bool {
        self.unsteady_blocks > 0 && self.least > other.time()
    }

    /// True if its times are those of waiting, because a good part of its connections stalled.
    pub fn has_stalled(&self) -> bool {
        self.stalled.is_some_and(|share| share >= GOOD_PART)
    }

    /// True if its times are no library's speed: it stalled, or had sockets with which small writes may.
    pub fn is_waiting(&self) -> bool {
        self.parameter("transport") == "default-sockets" || self.has_stalled()
    }

    /// The value of a parameter; nothing where it has no such one.
    pub fn parameter(&self, name: &str) -> &str {
        self.line.parameters.get(name).unwrap_or_default()
    }

    /// The usual time of one operation, in nanoseconds.
    pub fn time(&self) -> f64 {
        stats::median(self.wall.values()).unwrap_or(f64::NAN)
    }

    /// The usual first operation of a fresh process, in nanoseconds.
    pub fn first(&self) -> Option<f64> {
        stats::median(self.cold.values())
    }

    /// The usual CPU time of one operation, in nanoseconds.
    pub fn cpu(&self) -> Option<f64> {
        stats::median(self.cpu.values())
    }
}

/// From this share on stalls are no accident: on a busy machine a few connections wait as long for other reasons.
const GOOD_PART: f64 = 0.25;

/// The share of connections that stalled in some spans. A results file may hold any number.
fn stalled(stalls: &[Stalls]) -> Option<f64> {
    let sum = |of: fn(&Stalls) -> u64| stalls.iter().map(|it| of(it) as f64).sum::<f64>();
    (!stalls.is_empty()).then(|| sum(|it| it.stalled) / sum(|it| it.seen).max(1.0))
}

/// A pause that falls into one span of four is in it, too.
fn mean(samples: &[&Sample]) -> Option<f64> {
    let sum = |of: fn(&Sample) -> u64| samples.iter().map(|sample| of(sample) as f64).sum::<f64>();
    let (time, operations) = (sum(|sample| sample.wall_ns), sum(|sample| sample.count));
    Some(time / operations).filter(|mean| mean.is_finite() && *mean > 0.0)
}

/// A figure of the samples that have it, with their blocks.
fn figures(samples: &[&Sample], of: impl Fn(&Sample) -> Option<f64>) -> Vec<(u64, f64)> {
    samples.iter().filter_map(|sample| Some((sample.block, of(sample)?))).collect()
}

fn by_block(values: &[(u64, f64)]) -> BTreeMap<u64, Vec<f64>> {
    let mut blocks: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    values.iter().for_each(|(block, value)| blocks.entry(*block).or_default().push(*value));
    blocks
}

/// The median of the passes of each block: a burst that falls into one of four leaves no trace.
fn middles(values: &[(u64, f64)]) -> ByBlock {
    let blocks = by_block(values).into_iter();
    blocks.filter_map(|(block, passes)| Some((block, stats::median(&passes)?))).collect()
}

/// Passes that disagree tell of a disturbed machine even where few blocks happen to agree.
fn within(values: &[(u64, f64)]) -> f64 {
    let logs: Vec<(u64, f64)> = values.iter().map(|(block, value)| (*block, value.ln())).collect();
    let strays: Vec<f64> = by_block(&logs).values().filter_map(|logs| bootstrap::unrest(logs)).collect();
    stats::median(&strays).unwrap_or(0.0)
}

/// From here on other work, or the host, bends ratios as much as engines differ (permille of the machine's time).
pub const BUSY_OTHERS: u64 = 50;
pub const BUSY_HOST: u64 = 10;

/// True for a block during which other work had a part of the machine.
pub fn is_contended(block: &rows::Block) -> bool {
    let is_above = |share: Option<u64>, most| share.is_some_and(|share| share > most);
    is_above(block.others_permille, BUSY_OTHERS) || is_above(block.stolen_permille, BUSY_HOST)
}

/// Leaves out what was measured while the cores were not where they usually were: it tells of the machine, and not of a library.
/// Without any steady sample, the unsteady ones of a line would be those of another state. Returns the number of what is left out.
fn leave_out(samples: &mut Vec<&Sample>, usual_core_ns: u64) -> usize {
    let count = samples.len();
    let is_steady = |samples: &[&Sample]| samples.iter().any(|sample| sample.phase == Phase::Steady);
    let was_steady = is_steady(samples);
    let is_other = |latency| core_latency::is_other(latency, usual_core_ns);
    samples.retain(|sample| !sample.core_ns.is_some_and(is_other));
    if was_steady && !is_steady(samples) {
        samples.retain(|sample| sample.phase == Phase::Cold);
    }
    count - samples.len()
}

impl Cell {
    /// True where lines are compared with others over their transport only.
    pub fn is_by_transport(&self) -> bool {
        self.kind.beside == Beside::SameTransport
    }

    pub fn place(&self) -> Place<'_> {
        (&self.job, self.size, self.operation)
    }

    /// Lines that compete: neither yardsticks nor lines that run a second time.
    pub fn contestants(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.is_contestant())
    }

    /// Contestants, also those that have no steady time.
    pub fn contestants_or_cold(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().chain(&self.cold).filter(|line| line.is_contestant())
    }

    pub fn contestants_and_yardstick(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| !line.line.again)
    }

    /// True where so many blocks tell a time that is no luck, and their ratios have an interval.
    pub fn has_intervals(&self, blocks: usize) -> bool {
        blocks >= bootstrap::FEWEST_BLOCKS || blocks > 1 && self.wall.unrest.is_some()
    }

    /// The unrest that ratios of so few blocks are judged by; none where they tell nothing.
    pub fn unrest(&self, line: &Line, other: &Line, blocks: usize) -> Option<f64> {
        self.wall.unrest(line, other).filter(|_| blocks >= self.kind.telling_blocks())
    }

    /// The reference, or else the first line: it has all blocks.
    pub fn beside(&self) -> Option<&Line> {
        let is_reference = |line: &&Line| self.reference.as_ref() == Some(&line.line);
        self.lines.iter().find(is_reference).or(self.lines.first())
    }

    /// The fastest first, by the blocks that each shares with the reference: lines that were told early have fewer blocks, and
    /// the machine may be slower since.
    pub fn by_pace<'a>(&self, lines: Vec<&'a Line>) -> Vec<&'a Line> {
        let Some(beside) = self.beside() else { return lines };
        let pace = |line: &Line| {
            let ratio = stats::median(stats::paired_ratios(&line.wall, &beside.wall));
            ratio.unwrap_or_else(|| line.time() / beside.time())
        };
        let mut paced: Vec<(f64, &Line)> = lines.into_iter().map(|line| (pace(line), line)).collect();
        paced.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        paced.into_iter().map(|(_, line)| line).collect()
    }

    fn noise_of(&self, times: fn(&Line) -> &ByBlock, within: fn(&Line) -> f64) -> Noise {
        let steady = || self.lines.iter().filter(|line| line.is_steady);
        let reference = self.beside().filter(|line| line.is_steady).or(steady().next());
        let Some(beside) = reference else { return Noise::default() };
        let unrest = |line: &Line| {
            let ratios = stats::paired_ratios(times(line), times(beside));
            let stray = bootstrap::unrest(&ratios.iter().map(|ratio| ratio.ln()).collect::<Vec<_>>())?;
            Some((line.jdk.is_some(), stray.max(within(line))))
        };
        // A yardstick that waits in sockets says nothing of libraries.
        let is_telling =
            |line: &&Line| line.line != beside.line && !(self.is_by_transport() && line.is_yardstick());
        let unrests: Vec<(bool, f64)> = steady().filter(is_telling).filter_map(unrest).collect();
        let of_most = |with_jvms: bool| {
            let each = unrests.iter().filter(|(is_jvm, _)| with_jvms || !is_jvm).map(|(_, unrest)| unrest);
            let has_threads = self.lines.iter().any(|line| (self.kind.has_threads)(&line.line));
            let least = if self.apart.is_none() && has_threads { self.kind.unrest } else { 0.0 };
            stats::quantile(each, bootstrap::UNREST_OF_LINES).map(|unrest| unrest.max(least))
        };
        let floors = BTreeMap::new();
        let mut noise = Noise { unrest: of_most(true), unrest_without_jvms: of_most(false), floors };
        for again in steady().filter(|line| line.line.again) {
            let Some(line) = self.line(&again.line.first()).filter(|line| line.is_steady) else { continue };
            let terms = Terms { unrest: noise.unrest(again, line), ..Terms::default() };
            let ratio = Ratio::of(&stats::paired_ratios(times(again), times(line)), 1.0, terms);
            let Some(interval) = ratio.and_then(|ratio| ratio.interval) else { continue };
            // Only transports have noise of their own.
            let groups = if self.is_by_transport() { [self.group(line)].into() } else { self.groups() };
            for group in groups {
                let floor = noise.floors.entry(group).or_default().entry(line.jdk.clone()).or_insert(1.0);
                *floor = floor.max(interval.noise_floor());
            }
        }
        noise
    }

    /// How far lines of what runs this one differ from themselves.
    pub fn floor_of(&self, line: &Line) -> Option<f64> {
        self.wall.floor(&self.group(line), &line.jdk)
    }

    /// The bounds that a difference of two lines has to exceed. If no line of a group was measured against itself they are not
    /// known, and no difference is called.
    fn terms(&self, noise: &Noise, lines: [&Line; 2], unrest: Option<f64>, blocks: usize) -> Terms {
        let [one, other] = lines.map(|line| noise.floor(&self.group(line), &line.jdk));
        let noise_floor = one.zip(other).map(|(one, other)| one.max(other));
        let unrest = unrest.filter(|_| blocks >= self.kind.telling_blocks());
        Terms { noise_floor, unrest, ..Terms::default() }
    }

    /// Time of a line over that of another of this cell; none where they are the same line, or share no block.
    pub fn compare(&self, line: &Line, other: &Line) -> Option<Ratio> {
        self.compare_by(line, other, self.wall.unrest(line, other))
    }

    /// The ratio by what disturbs blocks of the lines around; without it there is no interval of fewer than six blocks.
    pub fn compare_by(&self, line: &Line, other: &Line, unrest: Option<f64>) -> Option<Ratio> {
        let ratios = stats::paired_ratios(&line.wall, &other.wall);
        let terms = self.terms(&self.wall, [line, other], unrest, ratios.len());
        let ratio = Ratio::of(&ratios, line.least / other.least, terms).filter(|_| line.line != other.line);
        ratio.map(|ratio| ratio.of_steady([line, other]))
    }

    /// The ratio of CPU times, which have a noise of their own.
    pub fn compare_cpu(&self, line: &Line, other: &Line) -> Option<Ratio> {
        let ratios = stats::paired_ratios(&line.cpu, &other.cpu);
        let least = |line: &Line| line.cpu.values().copied().min_by(f64::total_cmp);
        let terms = self.terms(&self.cpu, [line, other], self.cpu.unrest(line, other), ratios.len());
        Ratio::of(&ratios, least(line)? / least(other)?, terms).map(|ratio| ratio.of_steady([line, other]))
    }
}

/// Time of a line over that of the same line in another cell of the same blocks: full over resumed.
pub fn across((cell, line): Here, (other_cell, other): Here) -> Option<Ratio> {
    let ratios = stats::paired_ratios(&line.wall, &other.wall);
    let floors = cell.floor_of(line).zip(other_cell.floor_of(other));
    let blocks = ratios.len();
    let unrests = cell.unrest(line, line, blocks).zip(other_cell.unrest(other, other, blocks));
    let [noise_floor, unrest] = [floors, unrests].map(|both| both.map(|(one, other)| one.max(other)));
    let terms = Terms { noise_floor, unrest, ..Terms::default() };
    let ratio = Ratio::of(&ratios, line.least / other.least, terms);
    ratio.map(|ratio| ratio.of_steady([line, other]))
}

#[cfg(test)]
mod tests;
