//! What resuming a TLS session saves: full connections over resumed ones of the same blocks.

use super::hover::{Samples, each};
use super::plot::{self, Kind, Mark, Scale, percent};
use super::{Job, Run};
use crate::report::resumption::{self, Pair};
use crate::report::words;
use crate::rows::{Phase, Sample};
use crate::stats::bootstrap::FEWEST_BLOCKS;
use crate::stats::verdict::Verdict;
use crate::summary::{Cell, Ratio};
use crate::units::significant;
use maud::{Markup, html};

/// A table for each number of connections at once of which both are known.
pub fn section(run: &Run, job: &Job) -> Markup {
    let samples = Samples::of(&run.by_job.get(job.name).samples);
    let both = resumption::beside_each_other(&run.cells).into_iter();
    let both = both.filter(|(full, _)| full.job == job.name);
    let told: Vec<Markup> = both.filter_map(|(full, resumed)| table(full, resumed, &samples)).collect();
    html! {
        @if !told.is_empty() {
            section .resumption {
                h3 id=(run.id(&format!("resumption {}", job.name))) { "What resuming saves" }
                p .remarks {
                    "The time of a full connection over that of a resumed one of the same block: above 1, resuming saves. Lines \
                     that waited for TCP are left out. The line is the 95 % interval; dashed, where there are fewer blocks than the " (FEWEST_BLOCKS) " \
                     that make one, the range from the least to the most."
                }
                @for table in told { (table) }
            }
        }
    }
}

fn table(full: &Cell, resumed: &Cell, samples: &Samples) -> Option<Markup> {
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
                    th scope="col" { (RATIO) (if full.blocks() < FEWEST_BLOCKS { " (range)" } else { " (95 %)" }) }
                    @for title in RATES.into_iter().chain(WIRES) { th scope="col" { (title) } }
                }
            }
            tbody { @for pair in &pairs { (row((full, resumed), pair, &scale, samples)) } }
        }
    })
}

const RATIO: &str = "full ÷ resumed";
const RATES: [&str; 2] = ["full, connections/s", "resumed, connections/s"];
const WIRES: [&str; 2] = ["full, bytes on the wire", "resumed, bytes on the wire"];

fn row((full, resumed): (&Cell, &Cell), pair: &Pair, scale: &Scale, samples: &Samples) -> Markup {
    let name = words::name(full, pair.full);
    let ratio = words::spanned(&pair.ratio);
    let told = format!("{name}: {RATIO} {ratio}");
    let steady = |sample: &Sample| (sample.phase == Phase::Steady).then(|| words::time(each(sample)));
    let rates = [(full, pair.full), (resumed, pair.resumed)].map(|(cell, line)| {
        (1e9 / line.time(), samples.told((cell.size, cell.operation, &line.line), steady))
    });
    let wires = [pair.full, pair.resumed].map(|line| line.tls.and_then(|tls| tls.wire_bytes));
    html! {
        tr {
            th scope="row" { (name) }
            td .plotted { svg .plot .row role="img" aria-label=(told) { (drawn(&pair.ratio, scale)) } }
            td data-label=(RATIO) data-value=(pair.ratio.median) { (ratio) }
            @for (label, (rate, raw)) in RATES.into_iter().zip(rates) {
                td data-label=(label) data-value=(rate) title=[raw] { (significant(rate)) }
            }
            @for (label, wire) in WIRES.into_iter().zip(wires) {
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
        line .interval .(class) x1=(percent(scale.at(ratio.low))) x2=(percent(scale.at(ratio.high))) y1="50%" y2="50%"
            stroke-dasharray=[ratio.interval.is_none().then_some("3 2")] {}
        (mark.at(class, scale.at(ratio.median), 50.0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{attributes, drawn};
    use super::*;
    use crate::protocol::{Operation, Shape};
    use crate::rows::{Row, Tls};
    use crate::summary::made::{CONNECT, Made};

    const WAY: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";

    /// Full connections take three times what resumed ones do.
    fn both() -> Made {
        let mut made = Made::default();
        for (operation, ns, bytes) in [(Operation::Full, 300_000, 2_010), (Operation::Resumed, 100_000, 950)]
        {
            let wire = Tls { wire_bytes: Some(bytes), ..Tls::default() };
            made.spent(CONNECT, 1, ("openssl", WAY, Shape::Memory), operation, ns, wire);
        }
        made
    }

    #[test]
    fn each_column_says_of_what_it_is_and_rates_have_their_samples() {
        let page = drawn(&both().rows, section);
        for told in [
            "<th scope=\"col\">full ÷ resumed (95 %)</th>",
            "<th scope=\"col\">resumed, connections/s</th>",
            "<th scope=\"col\">full, bytes on the wire</th>",
            "data-label=\"resumed, bytes on the wire\" data-value=\"950\">950 B</td>",
            "title=\"8 samples: 300 µs, 300 µs, ",
            ">3333</td>",
            "tls-connect, 1 at a time, TLSv1.3, TLS_AES_128_GCM_SHA256, X25519, ECDSA-P-256</caption>",
        ] {
            assert!(page.contains(told), "{told} is not in {page}");
        }
        assert_eq!(attributes(&page, "interval", "stroke-dasharray").len(), 0);
    }

    #[test]
    fn below_six_blocks_the_interval_is_wide_and_of_one_a_dashed_range() {
        let mut made = both();
        made.rows.retain(|row| !matches!(row, Row::Sample(sample) if sample.block > 4));
        let few = drawn(&made.rows, section);
        assert_eq!(attributes(&few, "interval", "stroke-dasharray").len(), 0);
        assert!(few.contains(">3.00 (2.27..3.97)<"), "{few}");
        made.rows.retain(|row| !matches!(row, Row::Sample(sample) if sample.block > 0));
        let page = drawn(&made.rows, section);
        assert_eq!(attributes(&page, "interval", "stroke-dasharray"), ["3 2"]);
        assert!(
            page.contains("full ÷ resumed (range)</th>") && page.contains(">3.00 (range 3.00..3.00)<"),
            "{page}"
        );
    }
}
