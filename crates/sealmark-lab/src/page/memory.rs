//! What a line holds at its peak, and what one operation allocates.

use super::plot::{Kind, Scale, percent};
use super::{Job, Run};
use crate::report::{cells, words};
use crate::summary::{Cell, Line};
use maud::{Markup, html};

/// A table for each cell of which either is known.
pub fn section(_run: &Run, job: &Job) -> Markup {
    let told: Vec<Markup> = job.cells.iter().filter_map(|cell| of_cell(cell)).collect();
    html! {
        @if !told.is_empty() {
            section .memory {
                h3 { "Memory" }
                p .remarks {
                    "The bar is the peak of the whole process, of which a runtime's own start is a part; allocated is what one \
                     operation asks of a managed heap."
                }
                @for table in told { (table) }
            }
        }
    }
}

fn of_cell(cell: &Cell) -> Option<Markup> {
    let is_known = |line: &&Line| line.peak_bytes.is_some() || line.allocated_bytes.is_some();
    let mut lines: Vec<&Line> = cell.contestants_and_yardstick().filter(is_known).collect();
    lines.sort_by_key(|line| (line.peak_bytes, line.allocated_bytes.map(|bytes| bytes as u64)));
    let peaks = lines.iter().filter_map(|line| line.peak_bytes).map(|bytes| bytes as f64);
    let scale = Scale::over(Kind::Linear, peaks.chain([1.0]))?;
    let allocates = lines.iter().any(|line| line.allocated_bytes.is_some());
    let row = |line: &Line| {
        let name = words::name(cell, line);
        let peak = line.peak_bytes.map(|bytes| bytes as f64);
        let told = peak.map_or_else(|| "not known".into(), words::bytes);
        html! {
            tr {
                th scope="row" { (name) }
                td .plotted {
                    svg .plot .row role="img" aria-label={ (name) ": peak " (told) } {
                        rect .bar .c2 x="0" y="10" height="14" width=(percent(peak.map_or(0.0, |peak| scale.at(peak)))) {}
                    }
                }
                td data-label="peak" data-value=[peak] { (peak.map(words::bytes).unwrap_or_default()) }
                @if allocates {
                    td data-label="allocated" data-value=[line.allocated_bytes] {
                        (line.allocated_bytes.map(words::bytes).unwrap_or_default())
                    }
                }
            }
        }
    };
    (!lines.is_empty()).then(|| {
        html! {
            table .plots data-sort="" {
                caption { (cells::name(cell)) }
                thead {
                    tr {
                        th scope="col" { "line" }
                        th scope="col" .plotted { "peak" }
                        th scope="col" { "peak" }
                        @if allocates { th scope="col" { "allocated" } }
                    }
                }
                tbody { @for line in &lines { (row(line)) } }
            }
        }
    })
}
