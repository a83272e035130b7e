//! Every line of a cell as a multiple of its reference: the ratio with its interval, beside the noise that the lab saw
//! between a line and itself.

use super::figures;
use super::plot::{self, Kind, Mark, Scale, percent};
use super::{Job, Run};
use crate::protocol::Shape;
use crate::report::{cells, stalls, words};
use crate::stats::verdict::Verdict;
use crate::summary::{Cell, Line, Ratio};
use maud::{Markup, html};

/// A table for each cell of a job, and in TLS for each shape: there each has a reference of its own.
pub fn section(run: &Run, job: &Job) -> Markup {
    html! { @for cell in &job.cells { (of_cell(run, cell)) } }
}

fn of_cell(run: &Run, cell: &Cell) -> Markup {
    let groups = if cell.is_tls() { cell.shapes().into_iter().map(Some).collect() } else { vec![None] };
    html! {
        section .cell {
            h3 id=(run.id_in("forest", cell)) { (cells::title(cell)) }
            @for shape in groups { (table(run, cell, shape)) }
            (super::markup::list("remarks", &cells::remarked(cell)))
            (super::markup::list("remarks", &stalls::sentences(cell)))
            (figures::table(run, cell))
        }
    }
}

/// Nobody reads more of them in a table, and a browser must draw them at once.
pub const MOST_LINES: usize = 500;

/// How many of them are left out.
pub fn left_out(lines: usize) -> Markup {
    let more = lines.saturating_sub(MOST_LINES);
    html! { @if more > 0 { p .remarks { "and " (more) " more lines: the rows have them all" } } }
}

/// A line beside what it is held against.
struct Held<'a> {
    line: &'a Line,
    reference: Option<&'a Line>,
    ratio: Option<Ratio>,
}

fn table(run: &Run, cell: &Cell, shape: Option<Shape>) -> Markup {
    let (held, count) = held(cell, shape);
    let Some(scale) = scale(cell, &held) else { return html! {} };
    let place = shape.map(|shape| format!(", {shape}{}", words::common_way(cell))).unwrap_or_default();
    html! {
        table .forest data-sort="" {
            caption .hidden[shape.is_none()] { (cells::name(cell)) (place) }
            thead {
                tr {
                    th scope="col" { "line" }
                    th scope="col" .plotted { (axis(&scale)) }
                    th scope="col" { "× ref " (range(cell)) }
                    th scope="col" { "verdict" }
                    th scope="col" { "time" }
                }
            }
            tbody { @for held in &held { (row(run, cell, held, &scale)) } }
        }
        (left_out(count))
    }
}

/// The fastest first; and how many lines there are, which may be more.
fn held(cell: &Cell, shape: Option<Shape>) -> (Vec<Held<'_>>, usize) {
    let lines = cell.lines.iter().filter(|line| shape.is_none_or(|shape| line.line.shape == shape));
    let mut lines: Vec<&Line> = lines.collect();
    lines.sort_by(|a, b| a.time().total_cmp(&b.time()));
    let held = lines.iter().take(MOST_LINES).map(|line| {
        let reference = cell.reference_of(line);
        Held { line, reference, ratio: reference.and_then(|reference| cell.compare(line, reference)) }
    });
    (held.collect(), lines.len())
}

/// Over all intervals of a table, the reference, and the noise.
fn scale(cell: &Cell, held: &[Held]) -> Option<Scale> {
    let ends = held.iter().filter_map(|held| held.ratio).flat_map(|ratio| [ratio.low, ratio.high]);
    let noise = cell.noise_floor.into_iter().flat_map(|floor| [floor, 1.0 / floor]);
    Scale::over(Kind::Log, ends.chain(noise).chain([1.0]))
}

fn range(cell: &Cell) -> &'static str {
    if cell.has_intervals(cell.blocks()) { "(95 %)" } else { "(range)" }
}

fn axis(scale: &Scale) -> Markup {
    html! {
        span .axis-title { "time ÷ that of ref, log scale" }
        svg .plot .axis aria-hidden="true" {
            (plot::x_labels(scale, "0", plot::plain))
        }
    }
}

fn row(run: &Run, cell: &Cell, held: &Held, scale: &Scale) -> Markup {
    let word = held.word();
    let name = name(cell, held.line);
    html! {
        tr data-word=(word) data-samples=[run.samples(cell, &held.line.line)] {
            th scope="row" { (name) }
            td .plotted { (drawn(cell, held, scale, &format!("{name}: {}", held.told()))) }
            td data-value=[held.ratio.map(|ratio| ratio.median.to_string())] {
                @if let Some(ratio) = &held.ratio { (words::in_column(cell, ratio)) }
            }
            td .word .(held.class()) { (word) @if let Some(ratio) = &held.ratio { (why(ratio)) } }
            td data-value=(held.line.time()) { (words::time(held.line.time())) }
        }
    }
}

fn name(cell: &Cell, line: &Line) -> String {
    let again = if line.line.again { " (again)" } else { "" };
    format!("{}{again}", words::name(cell, line))
}

fn drawn(cell: &Cell, held: &Held, scale: &Scale, told: &str) -> Markup {
    let one = percent(scale.at(1.0));
    html! {
        svg .plot .row role="img" aria-label=(told) {
            @if let Some(floor) = cell.noise_floor_in(held.line.line.shape) { (band(scale, floor)) }
            line .one x1=(one) x2=(one) y1="0" y2="100%" {}
            @if let Some(ratio) = &held.ratio {
                (interval(scale, ratio))
            } @else if held.is_reference() {
                (Mark::Diamond.at("reference", scale.at(1.0), 50.0))
            }
        }
    }
}

/// How far a line differs from itself: no difference within is called.
pub fn band(scale: &Scale, floor: f64) -> Markup {
    let (low, high) = (scale.at(1.0 / floor), scale.at(floor));
    html! { rect .noise x=(percent(low)) y="0" width=(percent(high - low)) height="100%" {} }
}

impl Held<'_> {
    fn is_reference(&self) -> bool {
        self.reference.is_some_and(|reference| reference.line == self.line.line)
    }

    fn word(&self) -> &'static str {
        match &self.ratio {
            Some(ratio) => ratio.word(),
            None if self.is_reference() => "reference",
            None if self.line.is_waiting() => "waited",
            None => "not held",
        }
    }

    /// What a screen reader says of the picture.
    fn told(&self) -> String {
        match &self.ratio {
            Some(ratio) => words::compared(ratio, "the time of the reference"),
            None => self.word().into(),
        }
    }

    fn class(&self) -> &'static str {
        self.ratio.map_or("reference", |ratio| class(ratio.verdict))
    }
}

/// Why nothing is said, where nothing is.
pub fn why(ratio: &Ratio) -> Markup {
    html! { @if let Verdict::Undecided(reason) = ratio.verdict { span .about { (words::why(reason)) } } }
}

/// The colour of a verdict.
pub fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Same => "same",
        Verdict::Undecided(_) => "undecided",
    }
}

/// Its shape, for who sees no colours.
fn mark(verdict: Verdict) -> Mark {
    match verdict {
        Verdict::Faster => Mark::Left,
        Verdict::Slower => Mark::Right,
        Verdict::Same => Mark::Dot,
        Verdict::Undecided(_) => Mark::Ring,
    }
}

/// A ratio with its interval, which is dashed where it is only a range.
pub fn interval(scale: &Scale, ratio: &Ratio) -> Markup {
    let class = class(ratio.verdict);
    html! {
        line .interval .(class) x1=(percent(scale.at(ratio.low))) x2=(percent(scale.at(ratio.high))) y1="50%" y2="50%"
            stroke-dasharray=[ratio.interval.is_none().then_some("3 2")] {}
        (mark(ratio.verdict).at(class, scale.at(ratio.median), 50.0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::drawn;
    use crate::protocol::{Operation, Shape};
    use crate::rows::Row;
    use crate::summary::made::Made;

    /// Two lines of so many blocks.
    fn told(blocks: u64) -> String {
        let mut made = Made::default();
        for (engine, ns) in [("whole", 1_000), ("short", 2_000)] {
            made.timed("cipher", 49, (engine, "AES", Shape::Tuned), Operation::Seal, ns);
        }
        made.reference("cipher", 49, ("whole", "AES", Shape::Tuned));
        let is_lost = |row: &Row| matches!(row, Row::Sample(sample) if sample.block >= blocks);
        made.rows.retain(|row| !is_lost(row));
        drawn(&made.rows, super::section)
    }

    #[test]
    fn one_block_alone_says_that_its_ends_are_no_interval() {
        let figures = [">2.00 (2.00..2.00)<", ">2.00 (1.51..2.65)<", ">2.00 (2.00..2.00)<"];
        for (blocks, figure) in [8, 3, 1].into_iter().zip(figures) {
            let page = told(blocks);
            assert_eq!(page.contains("× ref (95 %)"), blocks > 1, "{blocks}: {page}");
            assert!(page.contains(figure), "{blocks}: {page}");
        }
    }

    /// A title is read by a mouse alone.
    #[test]
    fn why_nothing_is_called_stands_beside_it() {
        for (blocks, reasons) in [(8, 0), (1, 2)] {
            let page = told(blocks);
            let told = page.matches(">undecided<span class=\"about\">too few blocks</span></td>").count();
            assert_eq!((told, page.matches("title=").count()), (reasons, 0), "{page}");
        }
    }
}
