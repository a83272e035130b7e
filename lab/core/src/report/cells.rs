//! One table for each job, size and operation, its lines by time.

mod connections;
mod payloads;
mod requests;

use super::grid::{Grid, paragraph};
use super::warmth::Warmth;
use super::words;
use crate::engine::Role;
use crate::history::Then;
use crate::protocol::Shape;
use crate::summary::{Cell, Line};
use crate::units::significant;

/// What the columns mean.
const READING: &str = "\
Times are medians of one operation; a block's is the middle of its passes. \"× ref\" is the time as a multiple of the
reference's in the same block, the median of the blocks with its 95 % interval (below 6 blocks the smallest and largest,
and no verdict): below 1 is faster. alloc is one operation's, MB is the peak of the process.
";

const READING_OTHERS: &str = "\
MB/s is input by time, 1 MB = 10^6 bytes. \"× copy\" is the time as a multiple of that of merely copying the bytes. CPU is
one operation's.
";

const READING_RECORDS: &str = "\
Of values of a log, GC is the time spent collecting, by operations: other threads' operations wait for it, too.
";

const READING_PAYLOADS: &str = "\
Of payloads, cold is the first operation of a fresh process and time the steady one; cores is its CPU time by its time,
GC the share of it spent collecting, MB the peak when warm. early is how much of the plain bytes had been released when
a tag altered at the very end was refused: what a receiver must not use.
";

const READING_CONNECTIONS: &str = "\
Of TLS, cold is the first connection of a fresh process, and of resumed ones the first that resumes, after a full one.
conn/s is connections in a second, one after the other or so many at once, and × ref holds them against the
reference's over the same wire. CPU is that of the whole process for one
connection or transfer, ends the shares of client and server in what both spent; wire is what one connection sent both
ways without TCP and IP, or what TLS added to a transfer.
";

const READING_REQUESTS: &str = "\
Of servers, cold is the first request of a fresh process, req/s requests in a second by all of its connections together.
median and 99 % are of the times of single requests in a span, the middle of the spans. CPU is that of the whole process for
one request, clients their share of it: they run on the same cores. alloc is the server's.
";

/// What the columns of this run mean.
pub fn reading(cells: &[Cell]) -> String {
    let of = |is_told: bool, reading: &'static str| if is_told { reading } else { "" };
    let others =
        of(cells.iter().any(|cell| !is_payload(cell) && !cell.is_tls() && !cell.is_served()), READING_OTHERS);
    let records = of(cells.iter().any(collects), READING_RECORDS);
    let payloads = of(cells.iter().any(is_payload), READING_PAYLOADS);
    let connections = of(cells.iter().any(Cell::is_tls), READING_CONNECTIONS);
    let requests = of(cells.iter().any(Cell::is_served), READING_REQUESTS);
    format!("\n{READING}{others}{records}{payloads}{connections}{requests}")
}

fn collects(cell: &Cell) -> bool {
    cell.job == "record" && cell.lines.iter().any(|line| line.gc_ns.is_some())
}

fn is_payload(cell: &Cell) -> bool {
    cell.job == "payload"
}

const NO_NOISE_KNOWN: &str = "no line was measured against itself; nothing is called faster or slower";

/// Everything but the lab's own loop, which has a section of its own.
pub fn sections(cells: &[Cell], then: Option<&Then>, warmth: &[Warmth]) -> String {
    let told = cells.iter().filter(|cell| cell.job != "empty");
    told.map(|cell| match cell {
        cell if is_payload(cell) => payloads::section(cell, warmth),
        cell if cell.is_tls() => connections::sections(cell),
        cell if cell.is_served() => requests::section(cell),
        cell => section(cell, then),
    })
    .collect()
}

fn section(cell: &Cell, then: Option<&Then>) -> String {
    let reference = cell.reference();
    let yardstick =
        cell.yardstick().filter(|yardstick| reference.is_none_or(|line| line.line != yardstick.line));
    let peers = peers(cell);
    let figure =
        |line: &Line| then.and_then(|then| then.milliseconds(line.algorithm(), cell.size, cell.operation));
    let on_files = cell.job == "file";
    let mut grid = Grid::new(3, titles(cell, yardstick, &peers));
    for line in by_time(cell) {
        let mut row = words::columns(&line.line, words::is_shaped(cell));
        row.extend(measured(line, cell.size));
        row.extend(judged(cell, line, reference));
        let ratio =
            |other: Option<&Line>| cell.compare(line, other?).map(|ratio| words::factor(ratio.median));
        row.push(ratio(yardstick).unwrap_or_default());
        row.extend(spent(cell, line));
        // Only our own lines are held against each of the peers.
        let ours = |peer: &&str| if line.role == Role::Ours { cell.opponent(line, peer) } else { None };
        row.extend(peers.iter().map(|peer| ratio(ours(peer)).unwrap_or_default()));
        row.push(if on_files { figure(line).map(significant).unwrap_or_default() } else { String::new() });
        grid.push(row);
    }
    format!("\n{}\n{}{}", title(cell), grid.text(), remarks(cell))
}

fn by_time(cell: &Cell) -> Vec<&Line> {
    let mut lines: Vec<&Line> = cell.lines.iter().collect();
    lines.sort_by(|a, b| a.time().total_cmp(&b.time()));
    lines
}

/// Jobs that programs do from file to file, each in one way.
pub fn is_of_programs(job: &str) -> bool {
    matches!(job, "file" | "pipe" | "log-json" | "log-combined" | "log-short")
}

/// Whole programs and ours meet on files alone.
fn peers(cell: &Cell) -> Vec<&str> {
    if !is_of_programs(&cell.job) {
        return Vec::new();
    }
    let is_peer = |name: &&str| cell.lines.iter().any(|l| l.engine() == *name && l.role == Role::Peer);
    cell.engines().into_iter().filter(is_peer).collect()
}

fn titles(cell: &Cell, yardstick: Option<&Line>, peers: &[&str]) -> Vec<String> {
    let fixed = ["engine", "algorithm", "shape", "time", "MB/s"].map(str::to_owned);
    let against = [to_reference(cell), "verdict".into()];
    let yardstick = yardstick.map_or("×", |line| line.engine());
    let spent = [format!("× {yardstick}"), "CPU".into(), "alloc".into(), "GC".into(), "MB".into()];
    let peers = peers.iter().map(|name| format!("× {name}"));
    fixed.into_iter().chain(against).chain(spent).chain(peers).chain(["then ms".to_owned()]).collect()
}

/// The title of the column of ratios.
fn to_reference(cell: &Cell) -> String {
    let range = if cell.has_intervals(cell.blocks()) { "95 %" } else { "range" };
    format!("× ref ({range})")
}

fn measured(line: &Line, size: u64) -> [String; 2] {
    [words::time(line.time()), significant(size as f64 * 1e3 / line.time())]
}

fn judged(cell: &Cell, line: &Line, reference: Option<&Line>) -> [String; 2] {
    match reference {
        Some(reference) if reference.line == line.line => [String::new(), "reference".into()],
        Some(reference) => match cell.compare(line, reference) {
            Some(ratio) => [words::in_column(cell, &ratio), ratio.word().into()],
            None => Default::default(),
        },
        None => Default::default(),
    }
}

/// Collectors count milliseconds, of thousands of operations.
const LEAST_TOLD: f64 = 0.01;

/// What is collected for a log is time that its service waits.
fn spent(cell: &Cell, line: &Line) -> [String; 4] {
    let [alloc, peak] = memory(line);
    let none_or = |ns: f64| if ns < LEAST_TOLD { "0".to_owned() } else { words::time(ns) };
    let collecting = line.gc_ns.filter(|_| cell.job == "record").map(none_or);
    [line.cpu().map(words::time).unwrap_or_default(), alloc, collecting.unwrap_or_default(), peak]
}

fn memory(line: &Line) -> [String; 2] {
    [
        line.allocated_bytes.map(words::bytes).unwrap_or_default(),
        line.peak_bytes.map(|bytes| significant(bytes as f64 / 1e6)).unwrap_or_default(),
    ]
}

/// "codec, 49 bytes, encode": how every sentence about a cell begins.
pub fn name(cell: &Cell) -> String {
    format!("{}, {}, {}", cell.job, words::amount(&cell.job, cell.size), cell.operation)
}

/// Where it belongs, and what its lines are held against.
pub fn title(cell: &Cell) -> String {
    let algorithm = words::the_algorithm(cell).map(|algorithm| format!(", {algorithm}")).unwrap_or_default();
    headed(&format!("{}{algorithm}", name(cell)), cell, cell.reference().map(|line| words::name(cell, line)))
}

/// Where a table belongs, how many blocks it has, and what its lines are held against.
fn headed(place: &str, cell: &Cell, reference: Option<String>) -> String {
    let blocks = cell.blocks();
    let plural = if blocks == 1 { "" } else { "s" };
    let company = match cell.company {
        0 => String::new(),
        some => format!(" ({some} with company)"),
    };
    let against = reference.map(|name| format!(", ref is {name}")).unwrap_or_default();
    format!("{place}: {blocks} block{plural}{company}{against}")
}

fn remarks(cell: &Cell) -> String {
    remarked(cell).iter().map(|remark| paragraph(remark)).collect()
}

/// What the figures alone do not say.
pub fn remarked(cell: &Cell) -> Vec<String> {
    noises(cell).into_iter().chain(short_lines(cell)).collect()
}

/// In TLS each shape has noise of its own, where anything is held against anything.
fn noises(cell: &Cell) -> Vec<String> {
    let shapes = cell.shapes().into_iter();
    if !cell.is_tls() {
        let noise = |shape| noise(cell, shape, cell.reference());
        return shapes.take(1).filter_map(noise).map(|noise| format!("noise: {noise}")).collect();
    }
    let place = |shape| if words::is_shaped(cell) { format!("noise ({shape})") } else { "noise".to_owned() };
    let of = |shape| Some(format!("{}: {}", place(shape), noise(cell, shape, cell.reference_in(shape))?));
    shapes.filter_map(of).collect()
}

fn noise(cell: &Cell, shape: Shape, reference: Option<&Line>) -> Option<String> {
    let Some((again, _)) = cell.again_in(shape).next() else {
        let unjudged = reference.is_some() && cell.has_intervals(cell.blocks());
        return unjudged.then(|| NO_NOISE_KNOWN.to_owned());
    };
    let others = cell.again_in(shape).count() - 1;
    let more = if others == 0 { String::new() } else { format!(" (and {others} more)") };
    let name = words::name(cell, again);
    Some(match cell.noise_in(shape) {
        Some((floor, interval)) => format!(
            "{name}{more} differs from itself by {percent:.1} % ({} to {}); no difference up to {percent:.1} % is called",
            words::factor(interval.low),
            words::factor(interval.high),
            percent = (floor - 1.0) * 100.0
        ),
        None => format!("too few blocks to know how far {name}{more} differs from itself"),
    })
}

/// Those that have fewer blocks than the others.
fn short_lines(cell: &Cell) -> Option<String> {
    let all = cell.blocks();
    let short: Vec<String> = cell
        .lines
        .iter()
        .filter(|line| line.wall.len() < all)
        .map(|line| format!("{} {}", words::name(cell, line), line.wall.len()))
        .collect();
    if short.is_empty() { None } else { Some(format!("fewer than {all} blocks: {}", words::few(&short, 6))) }
}
