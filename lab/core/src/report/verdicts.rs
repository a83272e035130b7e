//! The few sentences that most readers need: which line to choose in each job, and what to avoid.

mod app;
mod log;
mod payload;
mod record;
pub mod tls;

use super::cells;
use super::growth::{self, Growing};
use super::warmth::Warmth;
use super::words;
use crate::engine::Role;
use crate::protocol::Operation;
use crate::stats::verdict::{Reason, Verdict};
use crate::summary::{Cell, Line, Ratio};
use sealmark::Mode;
use std::collections::BTreeMap;

/// Sentences by job, in the order of the run.
pub fn sentences(cells: &[Cell], warmth: &[Warmth], growing: &[Growing]) -> Vec<String> {
    let mut all = Vec::new();
    for cells in cells.chunk_by(|a, b| a.job == b.job).filter(|cells| cells[0].job != "empty") {
        let job = cells[0].job.as_str();
        all.extend(of_job(job, &cells.iter().collect::<Vec<_>>()));
        all.extend(growth::worst(job, growing));
        all.extend(Warmth::worst(warmth.iter().filter(|warmth| warmth.job == job)));
    }
    all
}

fn of_job(job: &str, cells: &[&Cell]) -> Vec<String> {
    let mut sentences: Vec<String> = match job {
        "tls-connect" | "tls-transfer" => tls::said(job, cells),
        _ if telling(cells).next().is_none() => vec![too_few_blocks(job)],
        "codec" => each(cells, codec),
        "cipher" => ciphers(&telling(cells).collect::<Vec<_>>()),
        "payload" => payload::said(cells),
        "log-json" | "log-combined" | "log-short" => each(cells, log::sentence),
        "log-app" => each(cells, app::sentences),
        "record" => each(cells, record::sentences),
        "file" | "pipe" => telling(cells).flat_map(file).collect(),
        _ => each(cells, fastest),
    };
    sentences.extend(unstable(job, cells));
    sentences.extend(too_few_at(job, cells));
    sentences
}

/// What each telling cell has to say.
fn each<T: IntoIterator<Item = String>>(cells: &[&Cell], sentences: fn(&Cell) -> T) -> Vec<String> {
    telling(cells).flat_map(sentences).collect()
}

/// The cells of the smallest and the largest size that can be judged: there different things cost time.
fn telling<'a>(cells: &[&'a Cell]) -> impl Iterator<Item = &'a Cell> {
    let judged: Vec<&Cell> = cells.iter().copied().filter(|cell| judged(cell).next().is_some()).collect();
    let sizes = || judged.iter().map(|cell| cell.size);
    let (smallest, largest) = (sizes().min(), sizes().max());
    judged.into_iter().filter(move |cell| [smallest, largest].contains(&Some(cell.size)))
}

/// The lines that may be called the best of something: of a single block there is no interval, and the smallest time is
/// luck.
pub fn judged(cell: &Cell) -> impl Iterator<Item = &Line> {
    cell.contestants().filter(|line| cell.has_intervals(line.wall.len()))
}

fn too_few_blocks(job: &str) -> String {
    format!("{job}: too few blocks for a verdict: no size has the two that an interval needs")
}

/// Sizes that were measured, but too little to be judged, where others are.
fn too_few_at(job: &str, cells: &[&Cell]) -> Option<String> {
    let is_judged = |size| cells.iter().any(|cell| cell.size == size && judged(cell).next().is_some());
    let measured = cells.iter().filter(|cell| cell.contestants().next().is_some()).map(|cell| cell.size);
    let mut sizes: Vec<u64> = measured.filter(|size| !is_judged(*size)).collect();
    sizes.dedup();
    if sizes.is_empty() || telling(cells).next().is_none() {
        return None;
    }
    let names: Vec<String> = sizes.into_iter().map(|size| words::amount(job, size)).collect();
    let few = words::few(&names, 4);
    Some(format!("{job}, {few}: not answered: fewer than the two blocks that an interval needs"))
}

/// How a sentence calls a line.
type Named = fn(&Cell, &Line) -> String;

/// Code outside the JVM, called from within.
pub const NATIVE: &str = "native-jni";

pub fn quickest<'a>(lines: impl Iterator<Item = &'a Line>) -> Option<&'a Line> {
    lines.min_by(|a, b| a.time().total_cmp(&b.time()))
}

fn fastest(cell: &Cell) -> Option<String> {
    let best = quickest(judged(cell))?;
    let ties = ties(cell, best, cell.contestants(), words::name);
    Some(format!(
        "{}: fastest is {}, {}{ties}",
        cells::name(cell),
        words::name(cell, best),
        words::time(best.time())
    ))
}

/// Those that cannot be told from the fastest: choosing the smallest median of many is choosing luck, too.
fn ties<'a>(cell: &'a Cell, best: &Line, lines: impl Iterator<Item = &'a Line>, named: Named) -> String {
    let is_slower =
        |line: &Line| cell.compare(line, best).is_some_and(|ratio| ratio.verdict == Verdict::Slower);
    let lines = lines.filter(|line| line.line != best.line && !is_slower(line));
    let names: Vec<String> = lines.map(|line| named(cell, line)).collect();
    if names.is_empty() { String::new() } else { format!(" (not told from it: {})", words::few(&names, 2)) }
}

/// "X takes 2.10 × its time (2.01 to 2.25): slower".
fn takes(cell: &Cell, line: &Line, best: &Line, named: Named) -> Option<String> {
    let ratio = cell.compare(line, best)?;
    Some(format!("{} takes {}", named(cell, line), words::compared(&ratio, "its time")))
}

/// Which library, and whether native code pays from within a JVM.
fn codec(cell: &Cell) -> Option<String> {
    let plain: Vec<&Line> = cell.contestants().filter(|line| line.algorithm() == "base64").collect();
    let (lines, named): (_, Named) = match plain.is_empty() {
        true => (cell.contestants().collect(), words::name),
        false => (plain, words::short_name),
    };
    let all = || lines.iter().copied();
    let judged = || judged(cell).filter(|line| all().any(|other| other.line == line.line));
    let best = quickest(judged())?;
    let jvm = quickest(judged().filter(|line| line.jdk.is_some() && line.family != NATIVE));
    let native = quickest(judged().filter(|line| line.family == NATIVE));
    let mut parts = vec![format!(
        "{}: fastest is {}, {}{}",
        cells::name(cell),
        named(cell, best),
        words::time(best.time()),
        ties(cell, best, all(), named)
    )];
    let own = jvm.and_then(|line| takes(cell, line, best, named));
    parts.extend(own.map(|words| format!("best within the JVM, {words}")));
    let across = native.zip(jvm).and_then(|(native, jvm)| {
        let ratio = cell.compare(native, jvm)?;
        let other = format!("the time of {}", named(cell, jvm));
        Some(format!("over JNI, {} takes {}", named(cell, native), words::compared(&ratio, &other)))
    });
    parts.extend(across);
    Some(parts.join("; "))
}

fn ciphers(cells: &[&Cell]) -> Vec<String> {
    let mut sentences = Vec::new();
    for cell in cells {
        let best = best_authenticated(cell).map(|line| &line.line);
        let sealing =
            cells.iter().find(|other| (other.size, other.operation) == (cell.size, Operation::Seal));
        // Of the other direction only what is different; the tables tell the rest.
        if cell.operation == Operation::Seal {
            sentences.extend(authenticated(cell));
            sentences.extend(providers(cell));
            sentences.extend(without_authentication(cell));
            sentences.extend(reuse(cell));
            sentences.extend(slowest(cell));
        } else if sealing.is_none_or(|sealing| best_authenticated(sealing).map(|line| &line.line) != best) {
            sentences.extend(authenticated(cell));
        }
    }
    sentences
}

fn best_authenticated(cell: &Cell) -> Option<&Line> {
    quickest(judged(cell).filter(|line| line.authenticated))
}

/// The fastest that refuses altered data, anywhere and within a JVM.
fn authenticated(cell: &Cell) -> Option<String> {
    let best = best_authenticated(cell)?;
    let lines = || cell.contestants().filter(|line| line.authenticated);
    let jvm = quickest(judged(cell).filter(|line| line.authenticated && line.jdk.is_some()));
    let own = jvm.and_then(|line| takes(cell, line, best, words::name));
    Some(format!(
        "{}: fastest authenticated is {}, {}{}{}",
        cells::name(cell),
        words::name(cell, best),
        words::time(best.time()),
        ties(cell, best, lines(), words::name),
        own.map(|words| format!("; best within a JVM, {words}")).unwrap_or_default()
    ))
}

/// What leaving out authentication gains: against the same engine and shape, where there is such a line.
fn without_authentication(cell: &Cell) -> Option<String> {
    let bare = quickest(judged(cell).filter(|line| !line.authenticated))?;
    let same = |line: &&Line| line.engine() == bare.engine() && line.line.shape == bare.line.shape;
    let near = quickest(judged(cell).filter(|line| line.authenticated).filter(same));
    let safe = near.or_else(|| best_authenticated(cell))?;
    let ratio = cell.compare(bare, safe)?;
    let advice = match ratio.verdict {
        Verdict::Slower | Verdict::Same => "and buys nothing: anyone can alter what it sealed",
        _ => "and anyone can alter what it sealed",
    };
    Some(format!(
        "{}: fastest without authentication, {} takes {}, {advice}",
        cells::name(cell),
        words::name(cell, bare),
        words::compared(&ratio, &format!("the time of {}", words::name(cell, safe)))
    ))
}

/// For each JDK the providers of one cipher, held against the fastest of them.
fn providers(cell: &Cell) -> Vec<String> {
    let mut jdks: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for line in judged(cell).filter(|line| line.family != NATIVE && line.authenticated) {
        if let Some(jdk) = &line.jdk {
            jdks.entry(jdk).or_default().push(line);
        }
    }
    jdks.iter().filter_map(|(jdk, lines)| on_jdk(cell, jdk, lines)).collect()
}

fn on_jdk(cell: &Cell, jdk: &str, lines: &[&Line]) -> Option<String> {
    let algorithm = most_offered(lines)?;
    let mut best: BTreeMap<&str, &Line> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.algorithm() == algorithm) {
        let known = best.entry(&line.family).or_insert(line);
        if line.time() < known.time() {
            *known = line;
        }
    }
    let first = quickest(best.values().copied())?;
    let mut others: Vec<&Line> = best.into_values().filter(|line| line.line != first.line).collect();
    others.sort_by(|a, b| a.time().total_cmp(&b.time()));
    let others: Vec<String> = others
        .into_iter()
        .filter_map(|line| {
            let ratio = cell.compare(line, first)?;
            Some(format!("{} {}", words::family_name(cell, line), words::compared(&ratio, "its time")))
        })
        .collect();
    if others.is_empty() {
        return None;
    }
    let best = words::family_name(cell, first);
    Some(format!("{} on JDK {jdk} with {algorithm}: take {best}; {}", cells::name(cell), others.join("; ")))
}

/// The cipher that most engines have; of several AES-256-GCM, which is what one would choose.
fn most_offered<'a>(lines: &[&'a Line]) -> Option<&'a str> {
    let engines = |algorithm: &str| {
        let mut names: Vec<&str> =
            lines.iter().filter(|line| line.algorithm() == algorithm).map(|line| line.engine()).collect();
        names.dedup();
        names.len()
    };
    let algorithms = lines.iter().map(|line| line.algorithm());
    algorithms.max_by_key(|algorithm| (engines(algorithm), *algorithm == "AES-256-GCM"))
}

/// What keeping instance and key schedule saves: where most, and where least.
fn reuse(cell: &Cell) -> Option<String> {
    let pairs = judged(cell).filter_map(|line| {
        use crate::protocol::Shape;
        let is_twin = |other: &&Line| {
            (other.engine(), other.algorithm()) == (line.engine(), line.algorithm())
                && (line.line.shape, other.line.shape) == (Shape::Tuned, Shape::AsWritten)
        };
        let twin = judged(cell).find(is_twin)?;
        Some((line, cell.compare(line, twin)?))
    });
    let mut pairs: Vec<(&Line, Ratio)> = pairs.collect();
    pairs.sort_by(|a, b| a.1.median.total_cmp(&b.1.median));
    let told = |(line, ratio): &(&Line, Ratio)| {
        let who = format!("{} {}", line.engine(), line.algorithm());
        format!("{who} tuned takes {}", words::compared(ratio, "its time as written"))
    };
    let most = told(pairs.first()?);
    let least = if pairs.len() > 1 { pairs.last().map(told) } else { None };
    let least = least.map(|words| format!("; least, {words}")).unwrap_or_default();
    Some(format!("{}: reuse saves most where {most}{least}", cells::name(cell)))
}

/// From here on a line is slow enough to be warned of.
const SLOW: f64 = 3.0;

fn slowest(cell: &Cell) -> Option<String> {
    let best = best_authenticated(cell).or_else(|| quickest(judged(cell)))?;
    let last = cell.contestants().max_by(|a, b| a.time().total_cmp(&b.time()))?;
    let ratio =
        cell.compare(last, best).filter(|ratio| ratio.verdict == Verdict::Slower && ratio.low > SLOW)?;
    let other = format!("the time of {}", words::name(cell, best));
    Some(format!(
        "{}: avoid {}: {}",
        cells::name(cell),
        words::name(cell, last),
        words::compared(&ratio, &other)
    ))
}

fn file(cell: &Cell) -> Vec<String> {
    if cell.operation != Operation::Seal {
        return Vec::new();
    }
    let modes = modes(cell);
    modes.into_iter().chain(programs(cell)).collect()
}

/// Which key mode: each mode's slowest key of our library, against the yardstick.
fn modes(cell: &Cell) -> Option<String> {
    let ours = |line: &&Line| line.role == Role::Ours && line.in_process;
    let of_mode = |mode| {
        let lines = judged(cell).filter(ours).filter(|line| line.mode() == Some(mode));
        lines.max_by(|a, b| a.time().total_cmp(&b.time()))
    };
    let told = |mode: Mode| {
        let line = of_mode(mode)?;
        let ratio = cell.compare(line, cell.yardstick()?)?;
        let against = words::compared(&ratio, &format!("the time of {}", cell.yardstick()?.engine()));
        Some(format!("{mode} {}", against.rsplit_once(": ").map_or(against.as_str(), |(figures, _)| figures)))
    };
    let parts: Vec<String> = [Mode::Ecc, Mode::Pqc, Mode::Hybrid].into_iter().filter_map(told).collect();
    if parts.is_empty() {
        return None;
    }
    let choice = of_mode(Mode::Hybrid).zip(of_mode(Mode::Ecc)).and_then(|(hybrid, ecc)| {
        Some(format!("; hybrid takes {}", words::compared(&cell.compare(hybrid, ecc)?, "the time of ecc")))
    });
    Some(format!("{}: {}{}", cells::name(cell), parts.join(", "), choice.unwrap_or_default()))
}

/// Our program against the others. What needs no start of a process is no peer of a program.
fn programs(cell: &Cell) -> Option<String> {
    let ours = cell.contestants().filter(|line| line.role == Role::Ours && !line.in_process);
    let lines: Vec<&Line> = ours.collect();
    let line = lines.iter().find(|line| line.mode() == Some(Mode::Hybrid)).or(lines.first())?;
    let is_peer =
        |other: &Line, name: &str| other.engine() == name && other.role != Role::Ours && !other.in_process;
    let peers = cell.engines().into_iter().filter(|name| cell.lines.iter().any(|other| is_peer(other, name)));
    let against: Vec<String> = peers
        .filter_map(|peer| {
            let other = cell.opponent(line, peer)?;
            Some(words::compared(
                &cell.compare(line, other)?,
                &format!("the time of {}", words::name(cell, other)),
            ))
        })
        .collect();
    if against.is_empty() {
        return None;
    }
    Some(format!("{}: {} takes {}", cells::name(cell), words::name(cell, line), against.join("; ")))
}

/// Lines whose best times say the opposite of their usual ones.
fn unstable(job: &str, cells: &[&Cell]) -> Option<String> {
    let names: Vec<String> = cells
        .iter()
        .flat_map(|cell| cell.contestants().map(move |line| (cell, line)))
        .filter(|(cell, line)| {
            let ratio = cell.reference_of(line).and_then(|reference| cell.compare(line, reference));
            ratio.is_some_and(|ratio| ratio.verdict == Verdict::Undecided(Reason::Unstable))
        })
        .map(|(cell, line)| {
            format!(
                "{} at {}, {}",
                words::name(cell, line),
                words::amount(&cell.job, cell.size),
                cell.operation
            )
        })
        .collect();
    if names.is_empty() {
        return None;
    }
    Some(format!("{job}: unstable, choose nothing by this run: {}", words::few(&names, 3)))
}

#[cfg(test)]
mod tests;
