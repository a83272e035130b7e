//! A publication beside a run: its figures and the fate of its conclusions.

use super::{Chapter, Run, Section};
use crate::claims::{self, Claim, Fate, Judged, Measured, Part};
use crate::history::{Published, Source};
use crate::jdks::major;
use crate::rows::{self, History, Row};
use crate::table::paragraph;
use crate::words;

/// The publication that the run repeats, if any. Beside a run of files that was no repetition stands what was published,
/// and nothing follows.
pub fn chapter(Run { rows, cells, grown }: &Run) -> Option<Chapter> {
    let header = rows::header(rows)?;
    let files = (header.plan == "files").then_some(History::Nkcryptotool);
    let published = Published::of(header.history.or(files)?);
    let jdks = published.jdks(cells);
    let claims = header.history.map(claims::concluded).unwrap_or_default();
    let tested = |(number, claim): (usize, Claim)| {
        let held = |jdk: Option<&str>| {
            let Judged { fate, parts, .. } = claim.judge(&Measured { cells, grown, jdk });
            let is_seen = parts.iter().any(|part| part.seen.is_some());
            (is_seen || jdk.is_some()).then(|| told_of(jdk, fate, &evidence(&parts)))
        };
        let about = jdks.iter().filter(|jdk| claim.is_about(major(jdk))).map(|jdk| Some(jdk.as_str()));
        let about: Vec<Option<&str>> = if jdks.is_empty() { vec![None] } else { about.collect() };
        let mut held: Vec<String> = about.into_iter().filter_map(held).collect();
        if held.is_empty() {
            held.push(told_of(None, Fate::Undecided, &published.untested));
        }
        let list = Section::list(format!("conclusion-{number}"), format!("{number}. {}", claim.says), held);
        Section { reading: format!("confirmed if {}", claim.confirmed_if), ..list }
    };
    let figures = Section {
        reading: published.reading.join(" "),
        tables: vec![published.table(cells, grown)],
        ..Section::list("published", "The published figures beside today's", published.notes.clone())
    };
    let sections =
        [source(&published.source), figures].into_iter().chain((1..).zip(claims).map(tested)).collect();
    Some(Chapter { id: "then".into(), title: format!("Then and now: {}", published.what), sections })
}

fn source(Source { id, title, year, machine, note }: &Source) -> Section {
    let facts = [
        format!("published: {title} ({year})"),
        format!("measured on: {machine}"),
        format!("how: {note}"),
        format!("told of in: lab/history/{id}.md, with its mistakes of method"),
    ];
    Section::list("source", "What was published", facts.to_vec())
}

/// "JDK 17.0.15: ✓ confirmed: …": a sign and a word, for who sees one of them first.
fn told_of(jdk: Option<&str>, fate: Fate, evidence: &str) -> String {
    let place = jdk.map_or_else(|| "today".to_owned(), |jdk| format!("JDK {jdk}"));
    let sign = match fate {
        Fate::Confirmed => "✓",
        Fate::Refuted => "✕",
        Fate::Undecided => "○",
    };
    format!("{place}: {sign} {}: {evidence}", fate.word())
}

/// The figures that decided it, or did not.
fn evidence(parts: &[Part]) -> String {
    if parts.iter().all(|part| part.seen.is_none()) {
        return "not measured".into();
    }
    if parts.len() > MOST_PARTS { counted(parts) } else { listed(parts) }
}

/// More of them are counted; the table shows each.
const MOST_PARTS: usize = 8;

fn listed<'a>(parts: impl IntoIterator<Item = &'a Part>) -> String {
    parts.into_iter().map(told).collect::<Vec<_>>().join("; ")
}

/// "20 of 22 hold, 2 do not": and the two that lie farthest apart.
fn counted(parts: &[Part]) -> String {
    let count = |fate: Fate| parts.iter().filter(|part| part.seen.is_some() && part.fate == fate).count();
    let of = parts.len();
    let told = [
        (count(Fate::Confirmed), "hold"),
        (count(Fate::Refuted), "do not hold"),
        (count(Fate::Undecided), "are open"),
        (parts.iter().filter(|part| part.seen.is_none()).count(), "were not measured"),
    ];
    let told: Vec<String> = told
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} of {of} {what}"))
        .collect();
    let mut seen: Vec<(f64, &Part)> =
        parts.iter().filter_map(|part| Some((part.seen?.median, part))).collect();
    seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ends = seen.first().into_iter().chain(seen.last()).map(|(_, part)| *part);
    format!("{}: from {}", told.join(", "), listed(ends).replacen("; ", " to ", 1))
}

fn told(part: &Part) -> String {
    let Some(seen) = &part.seen else { return format!("{} not measured", part.what) };
    let mark = match part.fate {
        Fate::Confirmed => "holds",
        Fate::Refuted => "does not hold",
        Fate::Undecided => "open",
    };
    let [middle, low, high] = [seen.median, seen.low, seen.high].map(|value| seen.unit.told(value));
    let middle = if seen.is_predicted { format!("≈ {middle}, predicted") } else { middle };
    let beside = seen
        .beside
        .map(|(median, blocks)| format!(", measured in {blocks} blocks: {}", seen.unit.told(median)));
    let [low, high] = [low, high].map(|end| end.trim_end_matches(" ×").to_owned());
    let told =
        if seen.low == seen.high { middle } else { words::spread([middle, low, high], "", seen.is_interval) };
    let beside = beside.unwrap_or_default();
    let spoilt = part.spoilt.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
    format!("{} {told}{beside} {mark}{spoilt}", part.what)
}

/// The promises that the run has figures for, and how many others there are.
pub fn goals(rows: &[Row]) -> String {
    let Run { cells, grown, .. } = &Run::of(rows);
    let run = Measured { cells, grown, jdk: None };
    let all = claims::goals();
    let told: Vec<String> = all.iter().filter_map(|claim| promised(claim, &run)).collect();
    let rest = all.len() - told.len();
    let rest = if rest > 0 {
        format!("{rest} of {} goals not tested by this run\n", all.len())
    } else {
        String::new()
    };
    told.concat() + &rest
}

fn promised(claim: &Claim, run: &Measured) -> Option<String> {
    let judged = claim.judge(run);
    let word = match judged.fate {
        Fate::Confirmed => "met",
        Fate::Refuted => "missed",
        Fate::Undecided => "undecided",
    };
    let is_tested = judged.parts.iter().any(|part| part.seen.is_some());
    is_tested.then(|| format!("{word}: {}\n{}", claim.says, paragraph(&evidence(&judged.parts))))
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
    fn a_run_of_files_has_the_figures_and_no_conclusion() {
        let files = sections("files");
        assert!(files.len() == 2 && told(&files[1]).contains("|1 KiB|"), "{files:#?}");
        assert!(sections("cliff").is_empty());
    }
}
