//! The plot above a table of lines at their sizes: time divided by size, both axes logarithmic, so that what grows in
//! proportion to its input is level, and lines that differ by a tenth are not all one diagonal.

use super::plot::{self, SERIES, Scale, segment};
use crate::document::per_byte;
use crate::table::{Series, Table};
use crate::words;
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Nothing where nothing can be drawn.
pub fn plot(id: &str, table: &Table) -> Markup {
    let all: Vec<&Series> = table.rows.iter().filter_map(|row| row.series.as_ref()).collect();
    let points = || all.iter().flat_map(|series| &series.measured).copied();
    let sizes: BTreeSet<u64> = points().map(|(size, _)| size).collect();
    let in_bytes: Vec<f64> = sizes.iter().map(|size| *size as f64).collect();
    let x = Scale::over(in_bytes.iter().copied());
    let Some((x, y)) = x.zip(Scale::over(points().map(per_byte))) else { return html! {} };
    let drawing = html! {
        (plot::x_axis_at(&x, &in_bytes, |size| short(size as u64)))
        (plot::y_axis(&y, plot::plain))
        @for (at, series) in all.iter().enumerate().take(SERIES.len()) { (drawn(series, at, (&x, &y))) }
    };
    html! {
        p .axis-title { "ns a byte" }
        // Read as one picture: its title is what a screen reader says, its description tells the rest.
        svg .plot .axes role="img" aria-labelledby={ (id) "-t " (id) "-d" } {
            title id={ (id) "-t" } { (table.title) " by size" }
            desc id={ (id) "-d" } {
                (all.len().min(SERIES.len())) " of " (all.len()) " lines are drawn. All figures are in the table below."
            }
            (drawing)
        }
    }
}

fn short(size: u64) -> String {
    words::size(size).replace(" bytes", " B")
}

fn drawn(series: &Series, at: usize, (x, y): (&Scale, &Scale)) -> Markup {
    let place = |point: (u64, f64)| (x.at(point.0 as f64), 100.0 - y.at(per_byte(point)));
    html! {
        g .{ "c" (at) } {
            @for pair in series.fitted.windows(2) { (segment("fitted", place(pair[0]), place(pair[1]))) }
            @for pair in series.measured.windows(2) { (segment("series", place(pair[0]), place(pair[1]))) }
            @for point in &series.measured { @let (x, y) = place(*point); (SERIES[at].at("", x, y)) }
        }
    }
}

/// The mark of a line of the table, where it is drawn.
pub fn key(at: usize) -> Markup {
    html! {
        @if let Some(sign) = SERIES.get(at) {
            svg .key .{ "c" (at) } aria-hidden="true" width="14" height="14" { (sign.at("", 50.0, 50.0)) }
            " "
        }
    }
}

#[cfg(test)]
mod tests;
