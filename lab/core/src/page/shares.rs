//! How near a line comes to what the machine can do: to merely moving the bytes, and to the fastest AES-GCM of the run.

use super::plot::{self, Kind, Scale, percent};
use super::{Job, Run, markup};
use crate::report::{cells, words};
use crate::stats::bootstrap::FEWEST_BLOCKS;
use crate::summary::{Cell, Line, Ratio};
use maud::{Markup, html};

/// A table for each cell that has a yardstick; those of sizes below the largest are a click away.
pub fn section(run: &Run, job: &Job) -> Markup {
    let tables: Vec<(&Cell, Markup)> =
        job.cells.iter().filter_map(|cell| Some((*cell, of_cell(run, cell)?))).collect();
    let largest = tables.iter().map(|(cell, _)| cell.size).max();
    let (open, others): (Vec<_>, Vec<_>) = tables.iter().partition(|(cell, _)| Some(cell.size) == largest);
    html! {
        @if !tables.is_empty() {
            section .shares {
                h3 { "Share of the yardstick's speed" }
                p .remarks {
                    "A yardstick does the least that has to be done: it moves the same bytes, or serves the same pages. It is the \
                     line at 100 %; at 50 % one takes twice its time. The thin line on a bar is the 95 % interval, wide where there \
                     are fewer blocks than " (FEWEST_BLOCKS) "; dashed, where there is none, the range from the least to the most."
                }
                @for (_, table) in open { (table) }
                @if !others.is_empty() {
                    (markup::folded("At smaller sizes", &html! { @for (_, table) in others { (table) } }))
                }
            }
        }
    }
}

/// The speed of a line by that of two others.
struct Shares<'a> {
    line: &'a Line,
    of_yardstick: Share,
    of_gcm: Option<Share>,
}

/// In per cent; from the blocks' ratios of times, with their interval.
#[derive(Clone, Copy)]
struct Share {
    median: f64,
    low: f64,
    high: f64,
    /// Where one block makes no interval the ends are the least and the most.
    is_range: bool,
}

fn of_cell(run: &Run, cell: &Cell) -> Option<Markup> {
    let gcm = fastest_gcm(cell);
    let mut all: Vec<Shares> = cell.contestants().filter_map(|line| shares(cell, line, gcm)).collect();
    all.sort_by(|a, b| b.of_yardstick.median.total_cmp(&a.of_yardstick.median));
    // On another JDK another process of the same family.
    let yardstick = cell.yardstick_of(all.first()?.line)?.family.as_str();
    let ends = all.iter().flat_map(|shares| [Some(shares.of_yardstick), shares.of_gcm]).flatten();
    let scale = Scale::over(Kind::Linear, ends.map(|share| share.high).chain([100.0]))?;
    Some(html! {
        table .plots .share-table data-sort="" {
            caption {
                (cells::name(cell))
                @if let Some(gcm) = gcm {
                    ": the upper bar is of " (yardstick) ", the lower of the fastest AES-GCM here, " (words::name(cell, gcm))
                }
            }
            thead {
                tr {
                    th scope="col" { "line" }
                    th scope="col" .plotted { (axis(&scale)) }
                    th scope="col" { "of " (yardstick) }
                    @if gcm.is_some() { th scope="col" { "of AES-GCM" } }
                }
            }
            tbody { @for shares in &all { (row(run, cell, shares, &scale, (yardstick, gcm.is_some()))) } }
        }
    })
}

fn fastest_gcm(cell: &Cell) -> Option<&Line> {
    let lines = cell.contestants().filter(|line| {
        line.authenticated && line.algorithm().starts_with("AES-") && line.algorithm().ends_with("-GCM")
    });
    lines.min_by(|a, b| a.time().total_cmp(&b.time()))
}

fn shares<'a>(cell: &'a Cell, line: &'a Line, gcm: Option<&Line>) -> Option<Shares<'a>> {
    let of_gcm = |gcm: &Line| if gcm.line == line.line { Some(Share::WHOLE) } else { share(cell, line, gcm) };
    let of_yardstick = share(cell, line, cell.yardstick_of(line)?)?;
    Some(Shares { line, of_yardstick, of_gcm: gcm.and_then(of_gcm) })
}

/// None of times that are no figure: what took no time at all has no speed.
fn share(cell: &Cell, line: &Line, other: &Line) -> Option<Share> {
    let Ratio { median, low, high, interval, .. } = cell.compare(line, other)?;
    let is_range = interval.is_none();
    let share = Share { median: 100.0 / median, low: 100.0 / high, high: 100.0 / low, is_range };
    [share.median, share.low, share.high].iter().all(|percent| percent.is_finite()).then_some(share)
}

impl Share {
    const WHOLE: Self = Self { median: 100.0, low: 100.0, high: 100.0, is_range: false };

    /// "42.1 % (41.3..43.0)", or "42.1 % (range 41.3..43.0)"
    fn words(&self) -> String {
        if self.low == self.high {
            return format!("{} %", words::factor(self.median));
        }
        let [median, low, high] = [self.median, self.low, self.high].map(words::factor);
        format!("{median} % ({}{low}..{high})", if self.is_range { "range " } else { "" })
    }
}

fn axis(scale: &Scale) -> Markup {
    let ticks = [0.0, 50.0, 100.0].into_iter().chain(scale.ticks().into_iter().filter(|tick| *tick > 100.0));
    let labels = ticks.map(|tick| (scale.at(tick), format!("{} %", plot::plain(tick))));
    html! {
        span .axis-title { "of the yardstick's speed" }
        svg .plot .axis aria-hidden="true" { (plot::labels(labels.collect(), "0")) }
    }
}

fn row(run: &Run, cell: &Cell, shares: &Shares, scale: &Scale, (yardstick, beside): (&str, bool)) -> Markup {
    let name = words::name(cell, shares.line);
    let told = format!("{name}: {} of the speed of {yardstick}", shares.of_yardstick.words());
    let whole = percent(scale.at(100.0));
    html! {
        tr data-samples=[run.samples(cell, &shares.line.line)] {
            th scope="row" { (name) }
            td .plotted {
                svg .plot .row role="img" aria-label=(told) {
                    (bar(scale, "c0", &shares.of_yardstick, if beside { 6 } else { 12 }))
                    @if let Some(share) = &shares.of_gcm { (bar(scale, "c1", share, 18)) }
                    line .one x1=(whole) x2=(whole) y1="0" y2="100%" {}
                }
            }
            td data-label={ "of " (yardstick) } data-value=(shares.of_yardstick.median) { (shares.of_yardstick.words()) }
            @if beside {
                td data-label="of AES-GCM" data-value=[shares.of_gcm.map(|share| share.median)] {
                    (shares.of_gcm.map(|share| share.words()).unwrap_or_default())
                }
            }
        }
    }
}

/// At so many pixels from the top.
fn bar(scale: &Scale, class: &str, share: &Share, top: u32) -> Markup {
    html! {
        rect .bar .(class) x="0" y=(top) height="10" width=(percent(scale.at(share.median))) {}
        @if share.low < share.high {
            line .whisker x1=(percent(scale.at(share.low))) x2=(percent(scale.at(share.high))) y1=(top + 5) y2=(top + 5)
                stroke-dasharray=[share.is_range.then_some("3 2")] {}
        }
    }
}

#[cfg(test)]
mod tests;
