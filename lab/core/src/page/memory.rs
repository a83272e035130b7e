//! What a line holds at its peak, what one operation allocates, the time that goes into collecting it, and how much an
//! altered payload had given away when it was refused.

use super::forest::{MOST_LINES, left_out};
use super::hover::Samples;
use super::plot::{Kind, Mark, Scale, percent};
use super::{Job, Run, markup};
use crate::report::{cells, words};
use crate::rows::{Phase, Sample};
use crate::summary::{Cell, Line};
use maud::{Markup, html};

/// A table for each cell of which any of it is known: the largest size stands open, the others are a click away.
pub fn section(run: &Run, job: &Job) -> Markup {
    let largest = job.cells.iter().map(|cell| cell.size).max();
    let samples = Samples::of(&run.by_job.get(job.name).samples);
    let tables =
        job.cells.iter().filter_map(|cell| Some((Some(cell.size) == largest, of_cell(run, cell, &samples)?)));
    let (open, folded): (Vec<_>, Vec<_>) = tables.partition(|(is_largest, _)| *is_largest);
    let all = |tables: &[(bool, Markup)]| html! { @for (_, table) in tables { (table) } };
    html! {
        @if !(open.is_empty() && folded.is_empty()) {
            section .memory {
                h3 id=(run.id(&format!("memory {}", job.name))) { "Memory, CPU time and bytes" }
                p .remarks { (reading(job)) }
                (all(&open))
                @if !folded.is_empty() { (markup::folded("Memory at other sizes", &all(&folded))) }
            }
        }
    }
}

/// Only of what is drawn.
fn reading(job: &Job) -> String {
    let is_known = |known: fn(&Line) -> bool| {
        job.cells.iter().any(|cell| cell.lines.iter().chain(&cell.cold_only).any(known))
    };
    let cold = is_known(|line| line.cold_peak_bytes.is_some()).then_some(
        ", the ring that of a fresh process after its first one; a runtime's own start is a part of both",
    );
    let allocated = is_known(|line| line.allocated_bytes.is_some()).then_some(
        " Allocated is what one operation asks of a managed heap; collecting is the time that it spends on giving that back, and \
         its share of the operation's.",
    );
    let released = is_known(|line| line.released_bytes.is_some()).then_some(
        " Released unauthenticated are plain bytes that were out when a payload altered at its very end was refused.",
    );
    let cpu = is_known(|line| line.cpu().is_some())
        .then_some(" CPU time is one operation's, of all threads; in TLS and of servers that of both ends.");
    let wire = is_known(|line| line.tls.is_some_and(|tls| tls.wire_bytes.is_some()))
        .then_some(" On the wire is what both ends sent, without TCP and IP.");
    let parts = [cold, Some("."), allocated, released, cpu, wire].into_iter().flatten();
    format!("The bar is the peak of the whole process after all its operations{}", parts.collect::<String>())
}

/// From here on the smallest of linear bars cannot be seen.
const WIDE: f64 = 20.0;

fn of_cell(run: &Run, cell: &Cell, samples: &Samples) -> Option<Markup> {
    let mut lines: Vec<&Line> = cell.contestants_and_yardstick().collect();
    lines.extend(cell.cold_only.iter().filter(|line| !line.line.again));
    lines.retain(|line| is_known(line));
    let scale = scale(&lines);
    let columns: Vec<&Column> = COLUMNS.iter().filter(|column| column.is_told(cell, &lines)).collect();
    lines.sort_by_key(|line| {
        (line.peak_bytes.or(line.cold_peak_bytes), line.allocated_bytes.map(|bytes| bytes as u64))
    });
    (!lines.is_empty()).then(|| {
        html! {
            table .plots data-sort="" id=(run.id_in("memory", cell)) {
                caption { (cells::name(cell)) }
                thead {
                    tr {
                        th scope="col" { "line" }
                        @if let Some((kind, _)) = scale {
                            th scope="col" .plotted { @if kind == Kind::Log { "peak, log scale" } @else { "peak" } }
                        }
                        @for column in &columns { th scope="col" { (column.title) } }
                    }
                }
                tbody { @for line in lines.iter().take(MOST_LINES) { (row(cell, line, scale, (&columns, samples))) } }
            }
            (left_out(lines.len()))
        }
    })
}

fn is_known(line: &Line) -> bool {
    line.peak_bytes.or(line.cold_peak_bytes).is_some()
        || line.allocated_bytes.is_some()
        || line.released_bytes.is_some()
        || line.tls.is_some_and(|tls| tls.wire_bytes.is_some())
}

fn peaks<'a>(lines: &'a [&Line]) -> impl Iterator<Item = f64> + 'a {
    lines.iter().flat_map(|line| [line.peak_bytes, line.cold_peak_bytes]).flatten().map(|bytes| bytes as f64)
}

/// None without a peak.
fn scale(lines: &[&Line]) -> Option<(Kind, Scale)> {
    let (low, high) = (peaks(lines).min_by(f64::total_cmp)?, peaks(lines).max_by(f64::total_cmp)?);
    let kind = if high > low * WIDE { Kind::Log } else { Kind::Linear };
    Some((kind, Scale::over(kind, peaks(lines))?))
}

/// What stands beside the bars, as far as anybody knows it.
struct Column {
    title: &'static str,
    /// The text, and the number by which it is sorted.
    told: fn(&Cell, &Line) -> Option<(String, f64)>,
}

const COLUMNS: [Column; 7] = [
    Column { title: "peak", told: |_, line| Some(in_bytes(line.peak_bytes? as f64)) },
    Column { title: "cold peak", told: |_, line| Some(in_bytes(line.cold_peak_bytes? as f64)) },
    Column { title: "allocated", told: |_, line| Some(in_bytes(line.allocated_bytes?)) },
    Column { title: "collecting", told: |_, line| Some(collecting(line.gc_ns?, line.time())) },
    Column { title: "released unauthenticated", told: released },
    Column { title: "CPU time", told: |_, line| line.cpu().map(|ns| (words::time(ns), ns)) },
    Column { title: "on the wire", told: |_, line| line.tls?.wire_bytes.map(in_bytes) },
];

impl Column {
    /// Nobody's silence is worth a column.
    fn is_told(&self, cell: &Cell, lines: &[&Line]) -> bool {
        lines.iter().any(|line| (self.told)(cell, line).is_some())
    }
}

fn in_bytes(bytes: f64) -> (String, f64) {
    (words::bytes(bytes), bytes)
}

/// "1.20 µs (8 %)". Collectors count milliseconds, of thousands of operations.
fn collecting(gc_ns: f64, time: f64) -> (String, f64) {
    let told = match 100.0 * gc_ns / time {
        _ if gc_ns < 0.01 => "0".into(),
        share if share.is_finite() => format!("{} ({share:.0} %)", words::time(gc_ns)),
        // Of an operation that took no time there is no share.
        _ => words::time(gc_ns),
    };
    (told, gc_ns)
}

/// Of the plain bytes, when a tag altered at the very end was refused.
fn released(cell: &Cell, line: &Line) -> Option<(String, f64)> {
    let bytes = line.released_bytes.filter(|_| line.authenticated)?;
    let told = match words::released(cell, line).as_str() {
        "no" => "nothing".into(),
        "all" => "all of it".into(),
        share => format!("{share} of it"),
    };
    Some((told, bytes as f64))
}

fn row(
    cell: &Cell,
    line: &Line,
    scale: Option<(Kind, Scale)>,
    (columns, samples): (&[&Column], &Samples),
) -> Markup {
    let name = words::name(cell, line);
    let raw = samples.told((cell.size, cell.operation, &line.line), peak);
    html! {
        tr {
            th scope="row" { (name) }
            @if let Some(scale) = scale { td .plotted title=[raw] { (drawn(line, &name, scale)) } }
            @for column in columns {
                @let told = (column.told)(cell, line);
                td data-label=(column.title) data-value=[told.as_ref().map(|(_, value)| value)] {
                    (told.as_ref().map(|(text, _)| text.as_str()).unwrap_or_default())
                }
            }
        }
    }
}

/// Of one sample.
fn peak(sample: &Sample) -> Option<String> {
    let peak = words::bytes(sample.peak_bytes? as f64);
    Some(if sample.phase == Phase::Cold { format!("{peak} cold") } else { peak })
}

fn drawn(line: &Line, name: &str, (kind, scale): (Kind, Scale)) -> Markup {
    let place = |bytes: Option<u64>| bytes.map(|bytes| scale.at(bytes as f64));
    let told =
        |bytes: Option<u64>| bytes.map_or_else(|| "not known".into(), |bytes| words::bytes(bytes as f64));
    let text = format!("{name}: peak {}, cold {}", told(line.peak_bytes), told(line.cold_peak_bytes));
    html! {
        svg .plot .row role="img" aria-label=(text) {
            @if let Some(end) = place(line.peak_bytes) { (bar(kind, end)) }
            @if let Some(end) = place(line.cold_peak_bytes) { (Mark::Ring.at("reference", end, 50.0)) }
        }
    }
}

/// A logarithmic scale begins nowhere: what counts there is where the bar ends.
fn bar(kind: Kind, end: f64) -> Markup {
    html! {
        @match kind {
            Kind::Linear => { rect .bar .c2 x="0" y="10" height="14" width=(percent(end)) {} }
            Kind::Log => { rect .bar .c2 x="0" y="16" height="2" width=(percent(end)) {} (Mark::Square.at("c2", end, 50.0)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_within, attributes, drawn};
    use super::*;
    use crate::protocol::{Operation, Shape};
    use crate::rows::{self, Row};
    use crate::summary::made::{Made, line};

    /// A line that peaks at so many megabytes, at each of these sizes.
    fn peaking(made: &mut Made, engine: &str, megabytes: u64, sizes: &[u64]) {
        for size in sizes {
            for phase in [Phase::Cold, Phase::Steady] {
                made.sample("payload", *size, (engine, "AES", Shape::Stream), Operation::Open, 0, |sample| {
                    let is_steady = phase == Phase::Steady;
                    sample.phase = phase;
                    sample.peak_bytes = Some(megabytes * if is_steady { 1_000_000 } else { 500_000 });
                    sample.allocated_bytes = is_steady.then_some(2_100);
                    sample.gc_ns = is_steady.then_some(250);
                });
            }
        }
    }

    fn checked(engine: &str, released: u64) -> Row {
        Row::Checked(rows::Checked {
            job: "payload".into(),
            size: 1_000,
            line: line((engine, "AES", Shape::Stream)),
            authenticated: true,
            code: String::new(),
            output_bytes: 1_000,
            sha256: String::new(),
            released_bytes: Some(released),
        })
    }

    #[test]
    fn peaks_are_drawn_and_told_cold_and_steady() {
        let mut made = Made::default();
        peaking(&mut made, "small", 10, &[1_000]);
        peaking(&mut made, "large<b>", 100, &[1_000]);
        let page = drawn(&made.rows, section);
        assert_within(&page);
        assert_eq!(attributes(&page, "bar", "width"), ["9.6%", "96.2%"]);
        assert_eq!(attributes(&page, "mark", "x"), ["4.8%", "48.1%"]);
        let labels = attributes(&page, "row", "aria-label");
        let raw = attributes(&page, "plotted", "title");
        assert_eq!(raw, ["2 samples: 5.0 MB cold, 10 MB", "2 samples: 50 MB cold, 100 MB"]);
        assert_eq!(labels[1], "large&lt;b&gt; AES (stream): peak 100 MB, cold 50 MB");
        assert!(page.contains(">2.1 kB</td>") && page.contains(">250 ns (25 %)</td>"), "{page}");
        assert!(page.contains("the ring that of a fresh process") && page.contains("Allocated is"), "{page}");
        assert!(!page.to_lowercase().contains("released unauthenticated") && !page.contains("<b>"), "{page}");
    }

    #[test]
    fn of_an_operation_without_time_no_share_is_told() {
        let mut made = Made::default();
        peaking(&mut made, "timeless", 10, &[1_000]);
        let steady = made.samples().filter(|sample| sample.phase == Phase::Steady);
        steady.for_each(|sample| sample.wall_ns = 0);
        peaking(&mut made, "timed", 10, &[1_000]);
        let page = drawn(&made.rows, section);
        assert!(page.contains(">250 ns</td>") && !page.contains("inf"), "{page}");
    }

    #[test]
    fn a_wide_range_is_logarithmic_and_says_so() {
        let mut made = Made::default();
        peaking(&mut made, "small", 4, &[1_000]);
        assert!(!drawn(&made.rows, section).contains("log scale"));
        peaking(&mut made, "large", 400, &[1_000]);
        let page = drawn(&made.rows, section);
        assert!(page.contains("peak, log scale") && attributes(&page, "mark", "x").len() == 4, "{page}");
        assert_within(&page);
    }

    #[test]
    fn what_is_released_before_it_is_authenticated_is_told_in_words() {
        let mut made = Made::default();
        for (engine, released) in [("careful", 0), ("leaking", 1_000), ("half", 500)] {
            peaking(&mut made, engine, 10, &[1_000]);
            made.rows.push(checked(engine, released));
        }
        let page = drawn(&made.rows, section);
        let told = ["nothing", "all of it", "50 % of it"];
        assert!(told.iter().all(|told| page.contains(&format!(">{told}</td>"))), "{page}");
    }

    #[test]
    fn the_largest_size_stands_open_and_nothing_is_said_of_what_nobody_knows() {
        let mut made = Made::default();
        peaking(&mut made, "one", 10, &[1_000, 4_000_000]);
        let page = drawn(&made.rows, section);
        let (open, folded) = page.split_once("<details>").unwrap_or_default();
        let told = |part: &str| {
            ["payload, 4.00 MB, open", "payload, 1000 bytes, open"].map(|name| part.contains(name))
        };
        assert_eq!([told(open), told(folded)], [[true, false], [false, true]], "{page}");
        let mut made = Made::default();
        made.timed("codec", 49, ("e", "base64", Shape::Tuned), Operation::Encode, 1_000);
        assert_eq!(drawn(&made.rows, section), "");
    }

    #[test]
    fn lines_told_apart_by_their_shape_alone_are_named_with_it() {
        let mut made = Made::default();
        made.role("copy", crate::engine::Role::Yardstick);
        for named in
            [("copy", "none", Shape::Memory), ("copy", "none", Shape::Nodelay), ("Go", "A", Shape::Nodelay)]
        {
            made.sample("tls-transfer", 64, named, Operation::Upload, 0, |sample| {
                sample.peak_bytes = Some(5_000_000);
            });
        }
        let page = drawn(&made.rows, section);
        for name in ["copy (memory)", "copy (nodelay)", "Go A"] {
            assert!(page.contains(&format!("<th scope=\"row\">{name}</th>")), "{name} in {page}");
        }
    }
}
