//! What resuming a TLS session saves: full connections over resumed ones of the same blocks.

use super::plot::{self, Kind, Mark, Scale, percent};
use super::{Job, Run};
use crate::report::resumption::{self, Pair};
use crate::report::words;
use crate::stats::verdict::Verdict;
use crate::summary::{Cell, Ratio};
use crate::units::significant;
use maud::{Markup, html};

/// A table for each number of connections at once of which both are known.
pub fn section(run: &Run, job: &Job) -> Markup {
    let both = resumption::beside_each_other(&run.cells).into_iter();
    let told =
        both.filter(|(full, _)| full.job == job.name).filter_map(|(full, resumed)| table(full, resumed));
    let told: Vec<Markup> = told.collect();
    html! {
        @if !told.is_empty() {
            section .resumption {
                h3 id=(run.id(&format!("resumption {}", job.name))) { "What resuming saves" }
                p .remarks {
                    "The time of a full connection over that of a resumed one of the same block: above 1, resuming saves. Lines \
                     that waited for TCP are left out."
                }
                @for table in told { (table) }
            }
        }
    }
}

fn table(full: &Cell, resumed: &Cell) -> Option<Markup> {
    let mut pairs = resumption::pairs(full, resumed);
    pairs.sort_by(|a, b| b.ratio.median.total_cmp(&a.ratio.median));
    let ends = pairs.iter().flat_map(|pair| [pair.ratio.low, pair.ratio.high]);
    let scale = Scale::over(Kind::Log, ends.chain([1.0]))?;
    (!pairs.is_empty()).then(|| html! {
        table .plots data-sort="" {
            caption { (full.job) ", " (words::amount(&full.job, full.size)) (words::common_way(full)) }
            thead {
                tr {
                    th scope="col" { "line" }
                    th scope="col" .plotted {
                        "full ÷ resumed"
                        svg .plot .axis aria-hidden="true" {
                            (plot::x_labels(&scale, "0", plot::plain))
                        }
                    }
                    @for title in ["full ÷ resumed", "full/s", "resumed/s", "wire", "resumed"] { th scope="col" { (title) } }
                }
            }
            tbody { @for pair in &pairs { (row(full, pair, &scale)) } }
        }
    })
}

fn row(full: &Cell, pair: &Pair, scale: &Scale) -> Markup {
    let name = words::name(full, pair.full);
    let told = format!("{name}: full ÷ resumed {}", words::narrow(&pair.ratio));
    let rate = |ns: f64| significant(1e9 / ns);
    let wires = [pair.full, pair.resumed].map(|line| line.tls.and_then(|tls| tls.wire_bytes));
    html! {
        tr {
            th scope="row" { (name) }
            td .plotted { svg .plot .row role="img" aria-label=(told) { (drawn(&pair.ratio, scale)) } }
            td data-label="full ÷ resumed" data-value=(pair.ratio.median) { (words::narrow(&pair.ratio)) }
            td data-label="full/s" data-value=(1e9 / pair.full.time()) { (rate(pair.full.time())) }
            td data-label="resumed/s" data-value=(1e9 / pair.resumed.time()) { (rate(pair.resumed.time())) }
            @for (label, wire) in ["wire", "resumed"].into_iter().zip(wires) {
                td data-label=(label) data-value=[wire] { (wire.map(words::bytes).unwrap_or_default()) }
            }
        }
    }
}

fn drawn(ratio: &Ratio, scale: &Scale) -> Markup {
    // Who takes longer for a full one has saved by resuming.
    let (class, mark) = match ratio.verdict {
        Verdict::Slower => ("faster", Mark::Right),
        Verdict::Faster => ("slower", Mark::Left),
        Verdict::Same => ("same", Mark::Dot),
        Verdict::Undecided(_) => ("undecided", Mark::Ring),
    };
    let one = percent(scale.at(1.0));
    html! {
        line .one x1=(one) x2=(one) y1="0" y2="100%" {}
        line .interval .(class) x1=(percent(scale.at(ratio.low))) x2=(percent(scale.at(ratio.high))) y1="50%" y2="50%" {}
        (mark.at(class, scale.at(ratio.median), 50.0))
    }
}
