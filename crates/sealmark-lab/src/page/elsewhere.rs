//! What other tools measured, beside our runs and never against them: nothing of it shared a block with a line of ours.

use super::plot::{self, Kind, Mark, Scale, percent};
use crate::interchange::{Benchmark, Elsewhere, Figures, Range, Unit};
use maud::{Markup, html};

pub const ID: &str = "elsewhere";

/// Who has more has a tool of that kind; the page must stay one that a browser draws at once.
const MOST_BENCHMARKS: usize = 500;

/// Nobody sees more of them in a row.
const MOST_TICKS: usize = 100;

const LONGEST_NAME: usize = 300;

/// A unit stands beside every figure.
const LONGEST_UNIT: usize = 30;

/// All files of other tools; nothing where there is none.
pub fn section(files: &[Elsewhere]) -> Markup {
    html! {
        @if !files.is_empty() {
            section .elsewhere {
                h2 id=(ID) { "Measured elsewhere, not paired" }
                p {
                    "Figures as other tools wrote them. None shared a block with a line of ours, and perhaps not even a \
                     machine: what differs may be the day and not the library. So no ratio is told between them and \
                     anything else on this page, and nothing in them was checked."
                }
                @for (at, file) in files.iter().enumerate() { (of_file(file, at + 1)) }
            }
        }
    }
}

fn of_file(file: &Elsewhere, number: usize) -> Markup {
    let shown = &file.benchmarks[..file.benchmarks.len().min(MOST_BENCHMARKS)];
    let left = file.benchmarks.len() - shown.len();
    html! {
        h3 id={ (ID) "-" (number) } { (shortened(&file.tool)) ": " (file.from) }
        @for unit in units(shown) { (table(unit, shown)) }
        @if left > 0 { p { "And " (left) " more benchmarks, which are not shown." } }
    }
}

/// In the order of the benchmarks; each has an axis of its own.
fn units(benchmarks: &[Benchmark]) -> Vec<&Unit> {
    let mut units = Vec::new();
    for benchmark in benchmarks {
        if !units.contains(&&benchmark.unit) {
            units.push(&benchmark.unit);
        }
    }
    units
}

fn table(unit: &Unit, benchmarks: &[Benchmark]) -> Markup {
    let of_unit: Vec<&Benchmark> = benchmarks.iter().filter(|one| one.unit == *unit).collect();
    let scale = Scale::over(Kind::Log, of_unit.iter().flat_map(|one| values(&one.figures)));
    let unit = &brief(unit);
    html! {
        table .forest data-sort="" {
            caption { (title(unit)) }
            thead {
                tr {
                    th scope="col" { "benchmark" }
                    th scope="col" .plotted { (axis(unit, scale.as_ref())) }
                    th scope="col" { "mean" }
                    th scope="col" { "interval or range" }
                    th scope="col" { "values" }
                }
            }
            tbody { @for one in of_unit { (row(one, unit, scale.as_ref())) } }
        }
    }
}

fn title(unit: &Unit) -> String {
    match unit {
        Unit::Time => "Time of an operation: less is faster".into(),
        Unit::Other(name) if name.starts_with("ops/") => format!("In {name}: more is faster"),
        Unit::Other(name) => format!("In {name}, as the tool tells it"),
    }
}

/// As much of a unit as somebody reads.
fn brief(unit: &Unit) -> Unit {
    match unit {
        Unit::Time => Unit::Time,
        Unit::Other(name) => Unit::Other(cut(name, LONGEST_UNIT)),
    }
}

/// What is to be seen of a benchmark.
fn values(figures: &Figures) -> impl Iterator<Item = f64> {
    let (low, high) = figures.range.between().unwrap_or((figures.mean, figures.mean));
    figures.samples.iter().map(|(value, _)| *value).chain([low, figures.mean, high])
}

fn axis(unit: &Unit, scale: Option<&Scale>) -> Markup {
    html! {
        span .axis-title { "log scale" }
        @if let Some(scale) = scale {
            svg .plot .axis aria-hidden="true" { (plot::x_labels(scale, "0", |figure| unit.tick(figure))) }
        }
    }
}

fn row(one: &Benchmark, unit: &Unit, scale: Option<&Scale>) -> Markup {
    let Figures { mean, range, samples } = &one.figures;
    let (mean_words, range_words) = (unit.words(*mean), told(unit, *range));
    let count: u64 = samples.iter().map(|(_, count)| count).fold(0, |sum, count| sum.saturating_add(*count));
    html! {
        tr {
            th scope="row" { (shortened(&one.name)) span .about { (shortened(&one.about.join(", "))) } }
            td .plotted {
                @if let Some(scale) = scale {
                    svg .plot .row role="img" aria-label={ (shortened(&one.name)) ": " (mean_words) " " (range_words) } {
                        (drawn(&one.figures, scale))
                    }
                }
            }
            td data-value=(mean) { (mean_words) }
            td { (range_words) }
            td data-value=(count) { @if count > 0 { (count) } }
        }
    }
}

/// As much of a name as somebody reads; commands may be scripts.
fn shortened(name: &str) -> String {
    cut(name, LONGEST_NAME)
}

fn cut(name: &str, longest: usize) -> String {
    match name.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// Which of the two it is: they look alike and mean something else.
fn told(unit: &Unit, range: Range) -> String {
    let between = |low, high| format!("{} to {}", unit.words(low), unit.words(high));
    match range {
        Range::Interval { low, high } if low < 0.0 => {
            format!("99.9 % interval {}, below zero", between(low, high))
        }
        Range::Interval { low, high } => format!("99.9 % interval {}", between(low, high)),
        Range::Ends { low, high } => format!("smallest to largest {}", between(low, high)),
        Range::None => "a single value".into(),
    }
}

fn drawn(figures: &Figures, scale: &Scale) -> Markup {
    let dashes = matches!(figures.range, Range::Ends { .. }).then_some("3 2");
    html! {
        @for value in few(&figures.samples) {
            @let x = percent(scale.at(value));
            line .sample x1=(x) x2=(x) y1="25%" y2="75%" {}
        }
        @if let Some((low, high)) = figures.range.between() {
            line .interval .undecided x1=(percent(scale.at(low))) x2=(percent(scale.at(high))) y1="50%" y2="50%"
                stroke-dasharray=[dashes] {}
        }
        (Mark::Square.at("undecided", scale.at(figures.mean), 50.0))
    }
}

/// All values, or as many of them that show how they lie, the ends among them.
fn few(samples: &[(f64, u64)]) -> Vec<f64> {
    let mut values: Vec<f64> = samples.iter().map(|(value, _)| *value).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    match values.len() {
        0..=MOST_TICKS => values,
        many => (0..MOST_TICKS).map(|at| values[at * (many - 1) / (MOST_TICKS - 1)]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(benchmarks: Vec<Benchmark>) -> Vec<Elsewhere> {
        vec![Elsewhere { tool: "JMH 1.37".into(), from: "jmh.json".into(), benchmarks }]
    }

    fn benchmark(unit: Unit, range: Range, samples: Vec<(f64, u64)>) -> Benchmark {
        let figures = Figures { mean: 2_000.0, range, samples };
        Benchmark { name: "a.b".into(), about: vec!["size = 49".into()], unit, figures }
    }

    #[test]
    fn nothing_measured_elsewhere_is_no_section() {
        assert_eq!(section(&[]).into_string(), "");
    }

    #[test]
    fn each_unit_has_a_table_and_each_range_its_name() {
        let ends = Range::Ends { low: 1_000.0, high: 3_000.0 };
        let interval = Range::Interval { low: -1_000.0, high: 5_000.0 };
        let rate = Unit::Other("ops/s".into());
        let page = section(&file(vec![
            benchmark(Unit::Time, ends, vec![(1_000.0, 2), (3_000.0, 5)]),
            benchmark(rate, interval, vec![]),
            benchmark(Unit::Time, Range::None, vec![(2_000.0, 1)]),
        ]))
        .into_string();
        assert_eq!(page.matches("<table").count(), 2, "{page}");
        for part in [
            "not paired",
            "In ops/s: more is faster",
            "Time of an operation: less is faster",
            "JMH 1.37: jmh.json",
            "a.b<span class=\"about\">size = 49</span>",
            "smallest to largest 1.00 µs to 3.00 µs",
            "99.9 % interval -1000 ops/s to 5000 ops/s, below zero",
            "a single value",
            "<td data-value=\"7\">7</td>",
        ] {
            assert!(page.contains(part), "{part} is missing in {page}");
        }
        assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
    }

    /// Names are whatever a stranger wrote.
    #[test]
    fn names_are_inert() {
        let mut one = benchmark(Unit::Other("<b>".into()), Range::None, vec![]);
        one.name = "</script><script>alert(1)</script>".into();
        one.about = vec!["\"><img src=x onerror=alert(1)>".into()];
        let page =
            section(&[Elsewhere { tool: "<i>".into(), from: "'\"><b>".into(), benchmarks: vec![one] }]);
        let page = page.into_string();
        assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("<b>"), "{page}");
        assert!(!page.contains("<i>"), "{page}");
    }

    #[test]
    fn many_values_are_drawn_by_a_few_and_many_benchmarks_are_counted() {
        let samples: Vec<_> = (0..1_000_000).map(|at| (f64::from(at), 1)).collect();
        let drawn = few(&samples);
        assert_eq!((drawn.len(), drawn[0], drawn[MOST_TICKS - 1]), (MOST_TICKS, 0.0, 999_999.0));
        let many = (0..MOST_BENCHMARKS + 7).map(|_| benchmark(Unit::Time, Range::None, vec![])).collect();
        let page = section(&file(many)).into_string();
        assert!(page.contains("And 7 more benchmarks") && page.len() < 1_000_000, "{}", page.len());
    }

    #[test]
    fn what_nobody_reads_is_cut_off() {
        let mut one = benchmark(Unit::Time, Range::None, vec![]);
        one.name = "ä".repeat(1_000_000);
        one.about = vec!["b".repeat(1_000_000)];
        one.unit = Unit::Other("c".repeat(1_000_000));
        let page = section(&file(vec![one])).into_string();
        assert!(
            page.contains("ää…") && page.contains("bb…") && page.contains("cc…") && page.len() < 5_000,
            "{}",
            page.len()
        );
    }

    /// Log scales have no place for them.
    #[test]
    fn figures_that_no_scale_has_are_told_in_words() {
        let mut one = benchmark(Unit::Time, Range::Ends { low: -2.0, high: -1.0 }, vec![]);
        one.figures.mean = -1.5;
        let page = section(&file(vec![one])).into_string();
        assert!(page.contains("-1.50 ns") && !page.contains("NaN"), "{page}");
    }
}
