//! A publication beside a run: its figures, and what is found of its conclusions.

use super::{Chapter, Run, Section};
use crate::claims::{self, Claim, Finding, Judged, Measured, Part};
use crate::format;
use crate::history::Published;
use crate::jdks::major;
use crate::metrics::Unit;
use crate::rows::{self, Row};
use crate::summary::Cell;
use crate::summary::growths::Grown;
use crate::table::paragraph;
use crate::units;
use std::collections::BTreeSet;
use std::time::Duration;

/// The publication that the run repeats, if any.
pub fn chapter(Run { rows, cells, grown }: &Run) -> Option<Chapter> {
    let header = rows::header(rows)?;
    let published = Published::of(header.history.as_deref()?)?;
    let tested = |(number, (claim, ends)): (usize, Tested)| {
        let is_seen = |judged: &Judged| judged.parts.iter().any(|part| part.seen.is_some());
        let ends = ends.iter().filter(|(jdk, judged)| jdk.is_some() || is_seen(judged));
        let told = |(jdk, judged): &(Option<String>, Judged)| {
            let more = more(rows, claim, judged).unwrap_or_default();
            told_of(jdk.as_deref(), judged.finding, &(evidence(&judged.parts) + &more))
        };
        let mut held: Vec<String> = ends.map(told).collect();
        if held.is_empty() {
            held.push(told_of(None, Finding::Undecided, &published.untested));
        }
        let list = Section::list(&format!("conclusion-{number}"), &format!("{number}. {}", claim.says), held);
        Section { reading: format!("confirmed if {}", claim.confirmed_if), ..list }
    };
    let figures = Section {
        reading: published.reading.join(" "),
        tables: vec![published.table(cells, grown)],
        ..Section::list("published", "The published figures beside today's", published.notes.clone())
    };
    let conclusions = (1..).zip(conclusions(&published, cells, grown)).map(tested);
    let sections = [source(&published), figures].into_iter().chain(conclusions).collect();
    Some(Chapter { id: "then".into(), title: format!("Then and now: {}", published.what), sections })
}

/// A conclusion and its end on each JDK that it is about; one end if no line has a JDK.
type Tested<'a> = (&'a Claim, Vec<(Option<String>, Judged)>);

pub fn conclusions<'a>(published: &'a Published, cells: &[Cell], grown: &[Grown]) -> Vec<Tested<'a>> {
    let jdks = published.jdks(cells);
    let tested = |claim: &'a Claim| {
        let is_about = |jdk: &&Option<String>| jdk.as_deref().is_none_or(|jdk| claim.is_about(major(jdk)));
        let judged = |jdk: &Option<String>| {
            (jdk.clone(), claim.judge(&Measured { cells, grown, jdk: jdk.as_deref() }))
        };
        let ends = jdks.iter().filter(is_about).map(judged).collect();
        (claim, ends)
    };
    published.claims.iter().map(tested).collect()
}

fn source(Published { id, title, year, machine, note, .. }: &Published) -> Section {
    let facts = [
        format!("published: {title} ({year})"),
        format!("measured on: {machine}"),
        format!("how: {note}"),
        format!("told of in: lab/history/{id}.md, with its mistakes of method"),
    ];
    Section::list("source", "What was published", facts.to_vec())
}

/// A sign, for who sees it first, and the words for a conclusion, a promise and a figure.
fn words_of(finding: Finding) -> [&'static str; 4] {
    match finding {
        Finding::Confirmed => ["✓", "confirmed", "met", "holds"],
        Finding::Refuted => ["✕", "refuted", "missed", "does not hold"],
        Finding::Undecided => ["○", "undecided", "undecided", "open"],
    }
}

/// "JDK 17.0.15: ✓ confirmed: …".
fn told_of(jdk: Option<&str>, finding: Finding, evidence: &str) -> String {
    let place = jdk.map_or_else(|| "today".to_owned(), |jdk| format!("JDK {jdk}"));
    let [sign, word, ..] = words_of(finding);
    format!("{place}: {sign} {word}: {evidence}")
}

/// How long as many blocks again would take of the sizes that would decide it.
fn more(rows: &[Row], claim: &Claim, judged: &Judged) -> Option<String> {
    let about = |(test, part): &(usize, usize)| (claim.tests[*test].job.as_deref(), judged.parts[*part].size);
    let open: BTreeSet<_> = judged.open.iter().map(about).collect();
    let times = open.iter().map(|about| {
        let of_size = rows::blocks(rows).filter(|block| (Some(&*block.job), block.size) == *about);
        // The latest one timed the lines in doubt only, if there were enough for that.
        let (count, latest) = of_size.fold((0, 0), |(count, _), block| (count + 1, block.milliseconds));
        count * latest
    });
    let time = Duration::from_millis(times.sum());
    (!time.is_zero()).then(|| format!("; as many blocks again would take about {}", units::duration(time)))
}

/// The figures that decided it, or did not, those that do not hold first; many are counted, because the table shows each.
fn evidence(parts: &[Part]) -> String {
    if parts.iter().all(|part| part.seen.is_none()) {
        return "not measured".into();
    }
    let held = parts.iter().filter(|part| part.finding == Finding::Confirmed).count();
    let mut sorted: Vec<&Part> = parts.iter().collect();
    sorted.sort_by_key(|part| (part.finding == Finding::Confirmed, part.seen.is_none()));
    let told = |most| format::few(sorted.iter().map(|part| told(part)), most, "; ").unwrap_or_default();
    match parts.len() {
        ..=8 => told(8),
        all => format!("{held} of {all} hold: {}", told(2)),
    }
}

fn told(part: &Part) -> String {
    let Some(seen) = &part.seen else { return format!("{} not measured", part.what) };
    let [.., mark] = words_of(part.finding);
    let times = if seen.unit == Unit::Ratio { " ×" } else { "" };
    let [about, predicted] = if seen.is_predicted { ["≈ ", ", predicted"] } else { ["", ""] };
    let [middle, low, high] = [seen.median, seen.low, seen.high].map(|value| seen.unit.told(value));
    let middle = format!("{about}{middle}{times}{predicted}");
    // A count has no spread.
    let told = format::spread([middle, low, high], "", seen.is_interval && seen.low < seen.high);
    let beside = seen
        .beside
        .map(|(median, blocks)| format!(", measured in {blocks} blocks: {}{times}", seen.unit.told(median)));
    let spoilt = part.spoilt.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
    format!("{} {told}{} {mark}{spoilt}", part.what, beside.unwrap_or_default())
}

/// The promises that the run has figures for, and how many others there are.
pub fn goals(rows: &[Row]) -> String {
    let Run { cells, grown, .. } = &Run::of(rows);
    let all = claims::goals();
    let promised = |claim: &Claim| {
        let Judged { finding, parts, .. } = claim.judge(&Measured { cells, grown, jdk: None });
        let [_, _, word, ..] = words_of(finding);
        let is_tested = parts.iter().any(|part| part.seen.is_some());
        is_tested.then(|| format!("{word}: {}\n{}", claim.says, paragraph(&evidence(&parts))))
    };
    let mut told: Vec<String> = all.iter().filter_map(promised).collect();
    let rest = all.len() - told.len();
    told.extend((rest > 0).then(|| format!("{rest} of {} goals not tested by this run\n", all.len())));
    told.concat()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    const PLANS: [&str; 4] = ["nkcryptotool", "log-tuning", "peppol-gcm", "tls-2009"];

    fn sections(plan: &str) -> Vec<Section> {
        let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
        let path = std::path::Path::new(golden).join(format!("{plan}.jsonl"));
        let rows = crate::results::read(&path).unwrap();
        chapter(&Run::of(&rows)).map(|chapter| chapter.sections).unwrap_or_default()
    }

    /// The words of all rows.
    fn told(figures: &Section) -> String {
        let rows = figures.tables[0].rows.iter();
        let words = rows.map(|row| (0..row.figures.len()).map(|at| row.told(at).to_owned() + "|").collect());
        words.collect::<Vec<String>>().join("\n")
    }

    #[test]
    fn every_publication_is_told_with_its_source_and_the_fate_of_each_conclusion() {
        for (plan, count, figures) in [
            ("nkcryptotool", 4, ["|sealmark P-256|seal|1 KiB|16.6 ms|", "6.72 GB"]),
            ("log-tuning", 5, ["sun.misc.base64|", "49 bytes × 100000"]),
            ("peppol-gcm", 6, ["SunJCE, 100 MB|1.8.0_372|", "27.3 min"]),
            ("tls-2009", 4, ["SSL_RSA_WITH_RC4_128_MD5", "3.66 s"]),
        ] {
            let sections = sections(plan);
            let (source, conclusions) = (&sections[0].sentences, &sections[2..]);
            assert_eq!(conclusions.len(), count, "{plan}");
            assert!(conclusions.iter().all(|it| it.reading.starts_with("confirmed if ")), "{plan}");
            assert!(conclusions.iter().all(|it| !it.sentences.is_empty()), "{plan}");
            assert!(source.iter().any(|it| it.text.contains(&format!("lab/history/{plan}.md"))), "{plan}");
            let told = told(&sections[1]);
            for figure in figures {
                assert!(told.contains(figure), "{plan} lacks {figure}: {told}");
            }
        }
    }

    #[test]
    fn a_fate_has_a_sign_and_a_word() {
        let mut seen = [0; 3];
        for plan in PLANS {
            let held: Vec<String> = sections(plan)[2..]
                .iter()
                .flat_map(|section| section.sentences.iter().map(|sentence| sentence.text.clone()))
                .collect();
            let signs = [": ✓ confirmed: ", ": ✕ refuted: ", ": ○ undecided: "];
            for (seen, sign) in seen.iter_mut().zip(signs) {
                *seen += held.iter().filter(|held| held.contains(sign)).count();
            }
            assert!(held.iter().all(|held| signs.iter().any(|sign| held.contains(sign))), "{held:#?}");
        }
        assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
    }

    #[test]
    fn a_run_that_repeats_no_publication_has_no_such_chapter() {
        assert!(["files", "cliff"].map(sections).iter().all(Vec::is_empty));
    }
}
