//! How near a line comes to what the machine can do: to merely moving the bytes, and to the fastest AES-GCM of the run.

use super::plot::{Kind, Scale, percent};
use super::{Job, Run};
use crate::report::{cells, words};
use crate::summary::{Cell, Line};
use maud::{Markup, html};

/// A table for each cell that has a yardstick.
pub fn section(_run: &Run, job: &Job) -> Markup {
    let told: Vec<Markup> = job.cells.iter().filter_map(|cell| of_cell(cell)).collect();
    html! {
        @if !told.is_empty() {
            section .shares {
                h3 { "Share of the yardstick's speed" }
                p .remarks {
                    "A yardstick does the least that has to be done: it moves the same bytes, or serves the same pages. 50 % is \
                     twice its time. Beside it stands the fastest authenticated AES-GCM of the table."
                }
                @for table in told { (table) }
            }
        }
    }
}

/// The speed of a line as a share of two others', in per cent; of the median of the blocks' ratios.
struct Shares<'a> {
    line: &'a Line,
    of_yardstick: f64,
    of_gcm: Option<f64>,
}

fn of_cell(cell: &Cell) -> Option<Markup> {
    let gcm = fastest_gcm(cell);
    let mut all: Vec<Shares> = cell.contestants().filter_map(|line| shares(cell, line, gcm)).collect();
    all.sort_by(|a, b| b.of_yardstick.total_cmp(&a.of_yardstick));
    let ends = all.iter().flat_map(|shares| [Some(shares.of_yardstick), shares.of_gcm]).flatten();
    let scale = Scale::over(Kind::Linear, ends.chain([100.0]))?;
    if all.is_empty() {
        return None;
    }
    let yardstick = cell.yardstick().map_or("yardstick", Line::engine);
    let beside = gcm.map(|line| words::name(cell, line));
    Some(html! {
        table .plots data-sort="" {
            caption {
                (cells::name(cell))
                @if let Some(beside) = beside { ": the upper bar is of " (yardstick) ", the lower of " (beside) }
            }
            thead {
                tr {
                    th scope="col" { "line" }
                    th scope="col" .plotted { "0 to 100 % and beyond" }
                    th scope="col" { "of " (yardstick) }
                    @if gcm.is_some() { th scope="col" { "of AES-GCM" } }
                }
            }
            tbody { @for shares in &all { (row(cell, shares, &scale, gcm.is_some(), yardstick)) } }
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
    let share = |other: &Line| Some(100.0 / cell.compare(line, other)?.median);
    let yardstick = cell.yardstick_of(line)?;
    let of_gcm = gcm.and_then(|gcm| if gcm.line == line.line { Some(100.0) } else { share(gcm) });
    Some(Shares { line, of_yardstick: share(yardstick)?, of_gcm })
}

fn row(cell: &Cell, shares: &Shares, scale: &Scale, beside: bool, yardstick: &str) -> Markup {
    let name = words::name(cell, shares.line);
    let told = format!("{name}: {} of the speed of {yardstick}", percentage(shares.of_yardstick));
    html! {
        tr {
            th scope="row" { (name) }
            td .plotted {
                svg .plot .row role="img" aria-label=(told) {
                    rect .bar .c0 x="0" y=(if beside { "6" } else { "10" }) height="10" width=(percent(scale.at(shares.of_yardstick))) {}
                    @if let Some(share) = shares.of_gcm {
                        rect .bar .c1 x="0" y="18" height="10" width=(percent(scale.at(share))) {}
                    }
                    @let whole = percent(scale.at(100.0));
                    line .one x1=(whole) x2=(whole) y1="0" y2="100%" {}
                }
            }
            td data-label={ "of " (yardstick) } data-value=(shares.of_yardstick) { (percentage(shares.of_yardstick)) }
            @if beside {
                td data-label="of AES-GCM" data-value=[shares.of_gcm] { (shares.of_gcm.map(percentage).unwrap_or_default()) }
            }
        }
    }
}

fn percentage(share: f64) -> String {
    if share < 9.95 { format!("{share:.1} %") } else { format!("{share:.0} %") }
}
