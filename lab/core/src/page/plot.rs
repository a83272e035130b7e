//! The scales, axes and marks that all plots share, and the plot of lines at their sizes. A plot is an `<svg>` without a `viewBox`: places are percentages of its
//! box, sizes are pixels.
//! So lines, marks and letters keep their size however narrow the screen is, and nothing has to be drawn again.
//!
//! Around the box the style leaves room for labels (class `axes`), which are drawn outside of it. Colours come by class:
//! `c0` to `c7` for series, `faster`, `slower`, `same`, `undecided` for verdicts; shapes come by [`Sign`], because a
//! colour alone says nothing to many.

use crate::document::per_byte;
use crate::format;
use crate::table::{Series, Table};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Values along a logarithmic axis, to percentages of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// Over all values, and a little beyond; none without a value that can be drawn.
    pub fn over(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let is_drawn = |value: &f64| (1.0 / MOST..=MOST).contains(value);
        let values: Vec<f64> = values.into_iter().filter(is_drawn).collect();
        let low = values.iter().copied().min_by(f64::total_cmp)?;
        let high = values.iter().copied().max_by(f64::total_cmp)?;
        // At least a tenth either way: what is equal should look equal.
        let room = ((high / low).ln() * 0.04).max(0.1).exp();
        Some(Self { low: low / room, high: high * room })
    }

    /// 0 to 100; what lies outside is drawn at the edge.
    pub fn at(&self, value: f64) -> f64 {
        let share = (value / self.low).ln() / (self.high / self.low).ln();
        if share.is_nan() { 0.0 } else { 100.0 * share.clamp(0.0, 1.0) }
    }

    /// Round values within, at most about six of them: more labels would not fit on a phone.
    pub fn ticks(&self) -> Vec<f64> {
        let all = |digits: &[f64], every: i32| -> Vec<f64> {
            let powers = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
            let powers = powers.filter(|power| power.rem_euclid(every) == 0);
            let ticks = powers.flat_map(|power| digits.iter().map(move |digit| times_ten_to(*digit, power)));
            ticks.filter(|tick| (self.low..=self.high).contains(tick)).collect()
        };
        let fine: &[f64] = &[1.0, 1.1, 1.2, 1.3, 1.5, 1.7, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        let coarser: [&[f64]; 3] = [&[1.0, 2.0, 5.0], &[1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 7.0], &[1.0, 3.0]];
        let fits = |ticks: &Vec<f64>| ticks.len() <= MOST_TICKS;
        // A single tick says nothing of a scale, where others would fit.
        let tells = |ticks: &Vec<f64>| fits(ticks) && ticks.len() > 1;
        let within_decades = [fine].into_iter().chain(coarser).map(|digits| all(digits, 1)).find(tells);
        within_decades.or_else(|| (1..).map(|every| all(&[1.0], every)).find(fits)).unwrap_or_default()
    }
}

const MOST_TICKS: usize = 7;

/// Beyond it nothing is a time, a size or a ratio, and arithmetic with it would leave the numbers that there are.
const MOST: f64 = 1e100;

/// Exact where it can be: 3 · 0.1 is not 0.3, but 3 / 10 is.
fn times_ten_to(digit: f64, power: i32) -> f64 {
    if power < 0 { digit / 10f64.powi(-power) } else { digit * 10f64.powi(power) }
}

/// A tick in as few digits as it has: "0.3", "20", "100000".
pub fn plain(tick: f64) -> String {
    format!("{tick:.3e}").parse::<f64>().map_or_else(|_| tick.to_string(), |tick| tick.to_string())
}

/// A percentage as the attributes of a drawing have it, to a thousandth of the box.
pub fn percent(at: f64) -> String {
    format!("{}%", (at * 10.0).round() / 10.0)
}

/// Lines through the box and labels below it, at values in ascending order.
pub fn x_axis_at(scale: &Scale, values: &[f64], label: impl Fn(f64) -> String) -> Markup {
    html! {
        @for value in values {
            @let x = percent(scale.at(*value));
            line .grid x1=(x) x2=(x) y1="0" y2="100%" {}
        }
        (labels_at(scale, values, "100%", label))
    }
}

/// Labels below that height. That of 1 comes first: ratios mean nothing without it.
pub fn labels_at(scale: &Scale, values: &[f64], y: &str, label: impl Fn(f64) -> String) -> Markup {
    let mut values = values.to_vec();
    values.sort_by_key(|value| (value - 1.0).abs() > 1e-9);
    let labels = values.into_iter().map(|value| (scale.at(value), label(value)));
    html! {
        @for (at, label) in untouched(labels.collect()) {
            @let side = Some(anchor(at).0).filter(|side| *side != USUAL_ANCHOR);
            text .tick x=(percent(at)) y=(y) dy="16" text-anchor=[side] { (label) }
        }
    }
}

/// The labels that touch none before them, on a phone.
fn untouched(mut labels: Vec<(f64, String)>) -> Vec<(f64, String)> {
    let mut taken: Vec<(f64, f64)> = Vec::new();
    labels.retain(|(at, label)| {
        let width = LETTER * label.chars().count() as f64;
        let left = at - width * anchor(*at).1;
        let right = left + width;
        let is_free = taken.iter().all(|(begin, end)| left >= end + LETTER || right + LETTER <= *begin);
        taken.extend(is_free.then_some((left, right)));
        is_free
    });
    labels
}

/// How wide a letter of a label is in the narrowest box, 250 pixels on a phone of 360, in percent.
const LETTER: f64 = 2.9;

/// The anchor of a label, and the share of the label that is left of its place: beside an end of the axis a phone has no room
/// for the other half.
fn anchor(at: f64) -> (&'static str, f64) {
    match at {
        ..6.0 => ("start", 0.0),
        94.0.. => ("end", 1.0),
        _ => (USUAL_ANCHOR, 0.5),
    }
}

/// The style has it for all labels that do not say otherwise.
const USUAL_ANCHOR: &str = "middle";

/// A shape that is told from the others without colour: its outline around the origin, in pixels.
#[derive(Clone, Copy)]
pub struct Sign {
    id: &'static str,
    path: &'static str,
}

impl Sign {
    pub const DOT: Self = Self { id: "m-dot", path: "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z" };
    pub const RING: Self = Self { id: "m-ring", path: Self::DOT.path };
    pub const SQUARE: Self = Self { id: "m-square", path: "M-4 -4h8v8h-8z" };
    pub const DIAMOND: Self = Self { id: "m-diamond", path: "M0 -5.5L5.5 0L0 5.5L-5.5 0z" };
    pub const LEFT: Self = Self { id: "m-left", path: "M-5.5 0L4 -5.5V5.5z" };
    pub const RIGHT: Self = Self { id: "m-right", path: "M5.5 0L-4 -5.5V5.5z" };
    pub const UP: Self = Self { id: "m-up", path: "M0 -5.5L5.5 4H-5.5z" };
    pub const DOWN: Self = Self { id: "m-down", path: "M0 5.5L5.5 -4H-5.5z" };
    pub const CROSS: Self = Self { id: "m-cross", path: "M-4 -4L4 4M-4 4L4 -4" };

    /// At a place in percentages from the left and from the top.
    pub fn at(self, class: &str, x: f64, y: f64) -> Markup {
        html! { use class={ "mark " (class) } href={ "#" (self.id) } x=(percent(x)) y=(percent(y)) {} }
    }
}

/// The most lines of a plot that have a colour and a shape of their own.
pub const SERIES: [Sign; 8] =
    [Sign::DOT, Sign::SQUARE, Sign::DIAMOND, Sign::UP, Sign::DOWN, Sign::LEFT, Sign::RIGHT, Sign::CROSS];

/// Drawn once, used by every plot of the page.
pub fn marks() -> Markup {
    html! {
        svg .marks width="0" height="0" aria-hidden="true" focusable="false" {
            defs { @for sign in SERIES.iter().chain([&Sign::RING]) { path id=(sign.id) class=(sign.id) d=(sign.path) {} } }
        }
    }
}

/// The plot above a table of lines at their sizes: time divided by size, both axes logarithmic, so that what grows in
/// proportion to its input is level, and lines that differ by a tenth are not all one diagonal. Nothing where nothing can be
/// drawn.
pub fn of_sizes(id: &str, table: &Table) -> Markup {
    let all: Vec<&Series> = table.rows.iter().filter_map(|row| row.series.as_ref()).collect();
    let points = || all.iter().flat_map(|series| &series.measured).copied();
    let sizes: BTreeSet<u64> = points().map(|(size, _)| size).collect();
    let in_bytes: Vec<f64> = sizes.iter().map(|size| *size as f64).collect();
    let x = Scale::over(in_bytes.iter().copied());
    let Some((x, y)) = x.zip(Scale::over(points().map(per_byte))) else { return html! {} };
    let place = |point: &(u64, f64)| (x.at(point.0 as f64), 100.0 - y.at(per_byte(*point)));
    html! {
        p .axis-title { "ns a byte" }
        // Read as one picture: its title is what a screen reader says, its description tells the rest.
        svg .plot .axes role="img" aria-labelledby={ (id) "-t " (id) "-d" } {
            title id={ (id) "-t" } { (table.title) " by size" }
            desc id={ (id) "-d" } {
                (all.len().min(SERIES.len())) " of " (all.len()) " lines are drawn. All figures are in the table below."
            }
            (x_axis_at(&x, &in_bytes, |size| format::size(size as u64).replace(" bytes", " B")))
            // Labels to the left; the scale's low end is at the bottom.
            @for tick in y.ticks() {
                @let y = percent(100.0 - y.at(tick));
                line .grid x1="0" x2="100%" y1=(y) y2=(y) {}
                text .tick x="0" y=(y) dx="-6" dy="4" text-anchor="end" { (plain(tick)) }
            }
            @for (at, (series, sign)) in all.iter().zip(SERIES).enumerate() {
                g .{ "c" (at) } {
                    @for (class, points) in [("fitted", &series.fitted), ("series", &series.measured)] {
                        @for (from, to) in points.windows(2).map(|pair| (place(&pair[0]), place(&pair[1]))) {
                            line class=(class) x1=(percent(from.0)) y1=(percent(from.1)) x2=(percent(to.0)) y2=(percent(to.1)) {}
                        }
                    }
                    @for point in &series.measured { @let (x, y) = place(point); (sign.at("", x, y)) }
                }
            }
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
