//! What all plots share. A plot is an `<svg>` without a `viewBox`: places are percentages of its box, sizes are pixels.
//! So lines, marks and letters keep their size however narrow the screen is, and nothing has to be drawn again.
//!
//! Around the box the style leaves room for labels (class `axes`), which are drawn outside of it. Colours come by class:
//! `c0` to `c7` for series, `faster`, `slower`, `same`, `undecided` for verdicts; shapes come by [`Mark`], because a
//! colour alone says nothing to many.

use maud::{Markup, html};

/// Values along an axis, to percentages of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    kind: Kind,
    low: f64,
    high: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// From zero.
    Linear,
    Log,
}

impl Scale {
    /// Over all values, and a little beyond where it is logarithmic; none without a value that can be drawn.
    pub fn over(kind: Kind, values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let drawn = |value: &f64| match kind {
            Kind::Linear => value.abs() <= MOST,
            Kind::Log => (1.0 / MOST..=MOST).contains(value),
        };
        let values: Vec<f64> = values.into_iter().filter(drawn).collect();
        let low = values.iter().copied().min_by(f64::total_cmp)?;
        let high = values.iter().copied().max_by(f64::total_cmp)?;
        Some(match kind {
            Kind::Linear => {
                Self { kind, low: low.min(0.0), high: if high > 0.0 { high * 1.04 } else { 1.0 } }
            }
            Kind::Log => {
                // At least a tenth either way: what is equal should look equal.
                let room = ((high / low).ln() * 0.04).max(0.1).exp();
                Self { kind, low: low / room, high: high * room }
            }
        })
    }

    /// 0 to 100; what lies outside is drawn at the edge.
    pub fn at(&self, value: f64) -> f64 {
        let share = match self.kind {
            Kind::Linear => (value - self.low) / (self.high - self.low),
            Kind::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        if share.is_nan() { 0.0 } else { 100.0 * share.clamp(0.0, 1.0) }
    }

    /// Round values within, at most about six of them: more labels would not fit on a phone.
    pub fn ticks(&self) -> Vec<f64> {
        match self.kind {
            Kind::Linear => self.linear_ticks(),
            Kind::Log => self.log_ticks(),
        }
    }

    fn linear_ticks(&self) -> Vec<f64> {
        let rough = (self.high - self.low) / MOST_TICKS;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        (first..=last).map(|at| at as f64 * step).collect()
    }

    fn log_ticks(&self) -> Vec<f64> {
        let all = |digits: &[f64], every: i32| -> Vec<f64> {
            let powers = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
            let powers = powers.filter(|power| power.rem_euclid(every) == 0);
            let ticks = powers.flat_map(|power| digits.iter().map(move |digit| times_ten_to(*digit, power)));
            ticks.filter(|tick| (self.low..=self.high).contains(tick)).collect()
        };
        let fine: &[f64] = &[1.0, 1.1, 1.2, 1.3, 1.5, 1.7, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        let coarser: [&[f64]; 3] = [&[1.0, 2.0, 5.0], &[1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 7.0], &[1.0, 3.0]];
        let fits = |ticks: &Vec<f64>| ticks.len() <= MOST_TICKS as usize + 1;
        // A single tick says nothing of a scale, where others would fit.
        let tells = |ticks: &Vec<f64>| fits(ticks) && ticks.len() > 1;
        let within_decades = [fine].into_iter().chain(coarser).map(|digits| all(digits, 1)).find(tells);
        within_decades.or_else(|| (1..).map(|every| all(&[1.0], every)).find(fits)).unwrap_or_default()
    }
}

const MOST_TICKS: f64 = 6.0;

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

/// A drawing that is read as one picture: its title is what a screen reader says, its description tells the rest. The id
/// must be the page's own ([`super::Run::id`]).
pub fn plot(id: &str, class: &str, title: &str, description: &str, drawing: &Markup) -> Markup {
    html! {
        svg class={ "plot " (class) } role="img" aria-labelledby={ (id) "-t " (id) "-d" } {
            title id={ (id) "-t" } { (title) }
            desc id={ (id) "-d" } { (description) }
            (drawing)
        }
    }
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

/// The labels alone, below that height.
pub fn x_labels(scale: &Scale, y: &str, label: impl Fn(f64) -> String) -> Markup {
    labels_at(scale, &scale.ticks(), y, label)
}

/// Where 1 is among the values, it has its label whoever has to go: ratios mean nothing without it.
fn labels_at(scale: &Scale, values: &[f64], y: &str, label: impl Fn(f64) -> String) -> Markup {
    let one = values.iter().position(|value| (value - 1.0).abs() < 1e-9);
    drawn(untouched(values.iter().map(|value| (scale.at(*value), label(*value))).collect(), one), y)
}

/// Those that have room, at percentages from the left, below a height.
pub fn labels(all: Vec<(f64, String)>, y: &str) -> Markup {
    drawn(untouched(all, None), y)
}

fn drawn(labels: Vec<(f64, String)>, y: &str) -> Markup {
    html! {
        @for (at, label) in labels {
            @let side = Some(anchor(at)).filter(|side| *side != USUAL_ANCHOR);
            text .tick x=(percent(at)) y=(y) dy="16" text-anchor=[side] { (label) }
        }
    }
}

/// The labels that touch none before them, on a phone; one of them may be set first.
fn untouched(ticks: Vec<(f64, String)>, first: Option<usize>) -> Vec<(f64, String)> {
    let mut taken: Vec<(f64, f64)> = first.iter().map(|at| extent(&ticks[*at])).collect();
    let mut fits = |(at, tick): &(usize, (f64, String))| {
        let (left, right) = extent(tick);
        let is_free = taken.iter().all(|(begin, end)| left >= end + LETTER || right + LETTER <= *begin);
        if is_free {
            taken.push((left, right));
        }
        is_free || Some(*at) == first
    };
    ticks.into_iter().enumerate().filter(|tick| fits(tick)).map(|(_, tick)| tick).collect()
}

/// From where to where a label goes.
fn extent((at, label): &(f64, String)) -> (f64, f64) {
    let width = LETTER * label.chars().count() as f64;
    let left = match anchor(*at) {
        "start" => *at,
        "end" => at - width,
        _ => at - width / 2.0,
    };
    (left, left + width)
}

/// How wide a letter of a label is in the narrowest box, 250 pixels on a phone of 360, in percent.
const LETTER: f64 = 2.9;

/// Beside an end of the axis a phone has no room for the other half of a label.
fn anchor(at: f64) -> &'static str {
    match at {
        ..6.0 => "start",
        94.0.. => "end",
        _ => USUAL_ANCHOR,
    }
}

/// As the style has it for all that does not say otherwise.
const USUAL_ANCHOR: &str = "middle";

/// The same to the left of the box; the scale's low end is at the bottom.
pub fn y_axis(scale: &Scale, label: impl Fn(f64) -> String) -> Markup {
    html! {
        @for tick in scale.ticks() {
            @let y = percent(100.0 - scale.at(tick));
            line .grid x1="0" x2="100%" y1=(y) y2=(y) {}
            text .tick x="0" y=(y) dx="-6" dy="4" text-anchor="end" { (label(tick)) }
        }
    }
}

/// A straight line between two places, in percentages from the left and from the top.
pub fn segment(class: &str, from: (f64, f64), to: (f64, f64)) -> Markup {
    html! {
        line class=(class) x1=(percent(from.0)) y1=(percent(from.1)) x2=(percent(to.0)) y2=(percent(to.1)) {}
    }
}

/// Shapes that are told apart without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Dot,
    Ring,
    Square,
    Diamond,
    Left,
    Right,
    Up,
    Down,
    Cross,
}

impl Mark {
    pub const ALL: [Self; 9] = [
        Self::Dot,
        Self::Ring,
        Self::Square,
        Self::Diamond,
        Self::Left,
        Self::Right,
        Self::Up,
        Self::Down,
        Self::Cross,
    ];

    fn id(self) -> &'static str {
        match self {
            Self::Dot => "m-dot",
            Self::Ring => "m-ring",
            Self::Square => "m-square",
            Self::Diamond => "m-diamond",
            Self::Left => "m-left",
            Self::Right => "m-right",
            Self::Up => "m-up",
            Self::Down => "m-down",
            Self::Cross => "m-cross",
        }
    }

    /// Around the origin, in pixels.
    fn path(self) -> &'static str {
        match self {
            Self::Dot | Self::Ring => "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
            Self::Square => "M-4 -4h8v8h-8z",
            Self::Diamond => "M0 -5.5L5.5 0L0 5.5L-5.5 0z",
            Self::Left => "M-5.5 0L4 -5.5V5.5z",
            Self::Right => "M5.5 0L-4 -5.5V5.5z",
            Self::Up => "M0 -5.5L5.5 4H-5.5z",
            Self::Down => "M0 5.5L5.5 -4H-5.5z",
            Self::Cross => "M-4 -4L4 4M-4 4L4 -4",
        }
    }

    /// At a place in percentages from the left and from the top.
    pub fn at(self, class: &str, x: f64, y: f64) -> Markup {
        html! { use class={ "mark " (class) } href={ "#" (self.id()) } x=(percent(x)) y=(percent(y)) {} }
    }
}

/// Drawn once, used by every plot of the page.
pub fn marks() -> Markup {
    html! {
        svg .marks width="0" height="0" aria-hidden="true" focusable="false" {
            defs { @for mark in Mark::ALL { path id=(mark.id()) class=(mark.id()) d=(mark.path()) {} } }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn scales_have_known_places() {
        let log = Scale { kind: Kind::Log, low: 0.1, high: 10.0 };
        assert_eq!(
            [0.01, 0.1, 1.0, 10.0, 99.0].map(|value| log.at(value).round()),
            [0.0, 0.0, 50.0, 100.0, 100.0]
        );
        let linear = Scale { kind: Kind::Linear, low: 0.0, high: 8.0 };
        assert_eq!([0.0, 2.0, 8.0, f64::NAN].map(|value| linear.at(value)), [0.0, 25.0, 100.0, 0.0]);
        assert_eq!(Scale::over(Kind::Log, [0.0, f64::NAN, -1.0]), None);
        assert_eq!(Scale::over(Kind::Linear, []), None);
    }

    #[test]
    fn equal_values_have_room_around_them() {
        let log = Scale::over(Kind::Log, [1.0, 1.0]).unwrap();
        assert!((log.at(1.0) - 50.0).abs() < 0.1 && log.at(1.05) < 100.0, "{log:?}");
        let linear = Scale::over(Kind::Linear, [0.0, 0.0]).unwrap();
        assert_eq!((linear.at(0.0), linear.at(1.0)), (0.0, 100.0));
    }

    #[test]
    fn ticks_are_round_and_few() {
        let log = |low, high| Scale { kind: Kind::Log, low, high }.ticks();
        assert_eq!(log(0.09, 12.0), [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]);
        assert_eq!(log(0.09, 40.0), [0.1, 0.3, 1.0, 3.0, 10.0, 30.0]);
        assert_eq!(log(0.95, 1.25), [1.0, 1.1, 1.2]);
        assert_eq!(log(0.9, 6.0), [1.0, 2.0, 5.0]);
        assert_eq!(log(0.78, 1.9), [1.0, 1.2, 1.5]);
        assert_eq!(log(1.0, 1e6).len(), 7);
        let linear = |high| Scale { kind: Kind::Linear, low: 0.0, high }.ticks();
        assert_eq!(linear(10.4), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        for high in [1e-9, 0.37, 1.0, 7.7, 123_456.0, 1e18] {
            let (wide, narrow) = (linear(high), log(high, high * 1.3e9));
            assert!((2..=7).contains(&wide.len()) && (2..=7).contains(&narrow.len()), "{wide:?} {narrow:?}");
        }
    }

    #[test]
    fn what_no_scale_can_hold_is_left_out() {
        for kind in [Kind::Linear, Kind::Log] {
            let scale =
                Scale::over(kind, [1e-300, 2.0, 3.0, 1e300, f64::MAX, f64::INFINITY, f64::NAN]).unwrap();
            assert!(scale.high < 4.0 && scale.ticks().len() > 1, "{:?}", scale.ticks());
            assert!(Scale::over(kind, [1e-99, 1e99]).unwrap().ticks().len() <= 8);
            assert_eq!([scale.at(-1e308), scale.at(f64::MAX)].map(f64::is_nan), [false; 2]);
        }
        assert!(Scale::over(Kind::Log, [1e-300, 0.0, -1.0]).is_none());
    }

    #[test]
    fn ticks_have_few_digits() {
        let ticks = [0.1 + 0.2, 20.0, 0.001, 1e5, 0.0].map(plain);
        assert_eq!(ticks, ["0.3", "20", "0.001", "100000", "0"]);
    }

    #[test]
    fn labels_stay_apart() {
        let labels = |ticks: &[(f64, &str)]| -> Vec<String> {
            let ticks = ticks.iter().map(|(at, label)| (*at, (*label).to_owned())).collect();
            untouched(ticks, None).into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(labels(&[(0.0, "1.0"), (50.0, "1.1"), (100.0, "1.2")]), ["1.0", "1.1", "1.2"]);
        assert_eq!(labels(&[(80.0, "10000"), (97.0, "100000")]), ["10000"]);
        assert_eq!(labels(&[(20.0, "123456"), (30.0, "1"), (40.0, "2")]), ["123456", "2"]);
    }

    /// Left of it would be the labels that came first.
    #[test]
    fn an_axis_of_ratios_keeps_the_label_of_one() {
        let scale = Scale { kind: Kind::Log, low: 0.9, high: 1.9 };
        let told = |values: &[f64]| x_axis_at(&scale, values, |value| format!("{value:.2}")).into_string();
        assert!(told(&[0.95]).contains(">0.95</text>"));
        let page = told(&[0.95, 1.0, 1.05, 1.5]);
        let labels = ["0.95", "1.00", "1.05", "1.50"].map(|label| page.contains(&format!(">{label}</text>")));
        assert_eq!((labels, page.matches("<line").count()), ([false, true, false, true], 4), "{page}");
    }

    #[test]
    fn places_are_told_to_a_thousandth() {
        assert_eq!([0.0, 33.333, 100.0].map(percent), ["0%", "33.3%", "100%"]);
    }
}
