//! What was not measured, or not as planned: grouped, since one library without six ciphers is one fact.

use crate::jobs;
use crate::rows::{Engine, Fault, FaultKind, Note, Row};
use crate::ways::Ways;
use crate::words;
use std::collections::{BTreeMap, BTreeSet};

/// All that went wrong or was left out, in the order of the run: faults of one cause in one sentence.
pub fn sentences(faults: &[&Fault], families: &Families) -> Vec<String> {
    let mut numbers: BTreeMap<Cause, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<&Fault>> = Vec::new();
    for fault in faults.iter().copied() {
        let number = *numbers.entry(Cause::of(fault, families)).or_insert(groups.len());
        groups.resize_with(groups.len().max(number + 1), Vec::new);
        groups[number].push(fault);
    }
    let mut causes: Vec<(Cause, usize)> = numbers.into_iter().collect();
    causes.sort_by_key(|(_, number)| *number);
    causes.into_iter().zip(groups).map(|((cause, _), faults)| cause.in_words(&faults)).collect()
}

/// Each once.
pub fn notes<'a>(notes: impl IntoIterator<Item = &'a Note>) -> Vec<String> {
    let told = notes
        .into_iter()
        .map(|note| format!("{}, {}: {}", note.job, jobs::of(&note.job).amount(note.size), note.words()));
    distinct(told)
}

/// Engines by their names.
pub type Families<'a> = BTreeMap<&'a str, &'a Engine>;

pub fn families(rows: &[Row]) -> Families<'_> {
    let engines =
        rows.iter().filter_map(|row| if let Row::Engine(engine) = row { Some(engine) } else { None });
    engines.map(|engine| (engine.engine.as_str(), engine)).collect()
}

/// Faults with the same one are one sentence.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Cause {
    family: String,
    kind: &'static str,
    why: String,
}

impl Cause {
    fn of(fault: &Fault, families: &Families) -> Self {
        let family =
            families.get(fault.engine.as_str()).map_or(unversioned(&fault.engine), |engine| &engine.family);
        // "no cipher X" and "no cipher Y" are one cause: X and Y are named beside it.
        let named = fault.algorithm().filter(|name| *name != "none").unwrap_or_default();
        let mut why = fault.why.clone();
        if fault.kind == FaultKind::Unsupported && !named.is_empty() {
            why = why.replace(&format!("\"{named}\""), "these").replace(named, "these");
        }
        Self { family: family.to_owned(), kind: fault.kind.words(), why }
    }

    fn in_words(&self, faults: &[&Fault]) -> String {
        let first = faults[0];
        // A reason without its name would be no sentence.
        let others =
            if faults.iter().any(|fault| fault.why != first.why) { " (the others likewise)" } else { "" };
        let mut words = vec![engines(&self.family, faults)];
        words.extend(algorithms(faults));
        words.extend(
            listed(faults, |fault| fault.shape().map(|shape| shape.to_string()))
                .filter(|_| shapes_matter(faults)),
        );
        words.extend(listed(faults, |fault| fault.size.map(|size| jobs::of(&fault.job).amount(size))));
        words.extend(listed(faults, |fault| fault.operation.map(|operation| operation.to_string())));
        format!("{}: {}: {}{others}", words.join(", "), self.kind, first.why)
    }
}

/// Of each kind of names in a sentence so many are told; a sentence is for people, and the rows have all.
const MOST_NAMED: usize = 24;

/// Those of TLS have long names, and many of them.
fn algorithms(faults: &[&Fault]) -> Option<String> {
    const MOST_OF_TLS: usize = 2;
    let names = each(faults, |fault| fault.algorithm().filter(|name| *name != "none").map(str::to_owned));
    let is_of_tls = Ways::of(names.iter().take(1).map(String::as_str)).is_some();
    let most = if is_of_tls { MOST_OF_TLS } else { MOST_NAMED };
    (!names.is_empty()).then(|| words::few(&names, most))
}

/// An engine that never answered has no family but in its name: "sun.misc 25.0.3" is of "sun.misc".
fn unversioned(engine: &str) -> &str {
    match engine.rsplit_once(' ') {
        Some((name, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => name,
        _ => engine,
    }
}

/// Whether the shapes are told: where a job is about them, or where it has several and all of this struck one.
fn shapes_matter(faults: &[&Fault]) -> bool {
    let job = jobs::of(&faults[0].job);
    job.tells_shapes
        || job.shapes().len() > 1 && faults.iter().all(|fault| fault.shape() == faults[0].shape())
}

/// "SunJCE 17.0.15 and 25.0.3"; an engine that is its own family by its name.
fn engines(family: &str, faults: &[&Fault]) -> String {
    let version =
        |fault: &Fault| fault.engine.strip_prefix(family).unwrap_or(&fault.engine).trim().to_owned();
    let versions = each(faults, |fault| Some(version(fault)).filter(|version| !version.is_empty()));
    let told = words::few_by(&versions, MOST_NAMED, " and ");
    if told.is_empty() { family.to_owned() } else { format!("{family} {told}") }
}

fn listed(faults: &[&Fault], of: impl Fn(&Fault) -> Option<String>) -> Option<String> {
    let names = each(faults, of);
    (!names.is_empty()).then(|| words::few(&names, MOST_NAMED))
}

fn each(faults: &[&Fault], of: impl Fn(&Fault) -> Option<String>) -> Vec<String> {
    distinct(faults.iter().filter_map(|fault| of(fault)))
}

/// Each once, in the order of their first.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(name.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::by_job::ByJob;

    /// Faults and notes of the first job.
    fn sentences(rows: &[Row]) -> Vec<String> {
        let all = ByJob::of(rows);
        let of = all.get(all.told[0]);
        let faults = super::sentences(&of.faults, &all.families).into_iter();
        faults.chain(notes(of.notes.iter().copied())).collect()
    }

    use crate::protocol::Shape;

    fn unsupported(engine: &str, algorithm: &str, shape: Shape, why: &str) -> Row {
        Row::Fault(Fault {
            job: "cipher".into(),
            size: Some(49),
            engine: engine.into(),
            parameters: crate::parameters::Parameters::for_tests(Some(algorithm), Some(shape)),
            operation: None,
            kind: FaultKind::Unsupported,
            why: why.into(),
        })
    }

    #[test]
    fn one_library_without_many_ciphers_is_one_sentence() {
        let mut rows = Vec::new();
        for version in ["17.0.15", "25.0.3"] {
            for algorithm in ["DES", "RC2", "RC4"] {
                for shape in [Shape::AsWritten, Shape::Tuned] {
                    let why = format!("no cipher \"{algorithm}\"");
                    rows.push(unsupported(&format!("ACCP {version}"), algorithm, shape, &why));
                }
            }
        }
        rows.push(unsupported("ring", "DES", Shape::Tuned, "no cipher \"DES\""));
        assert_eq!(
            sentences(&rows),
            [
                "ACCP 17.0.15 and 25.0.3, DES, RC2, RC4, 49 bytes: unsupported: no cipher \"DES\" (the others likewise)",
                "ring, DES, tuned, 49 bytes: unsupported: no cipher \"DES\"",
            ]
        );
    }

    /// Which shapes a library refuses a size in is what a reader wants to know.
    #[test]
    fn of_payloads_the_shapes_are_told() {
        let limited = |shape| {
            Row::Fault(Fault {
                job: "payload".into(),
                size: Some((2 << 30) + 1),
                engine: "SunJCE 17.0.15".into(),
                parameters: crate::parameters::Parameters::for_tests(Some("AES-128-GCM"), Some(shape)),
                operation: Some(crate::protocol::Operation::Open),
                kind: FaultKind::Limited,
                why: "an array holds 2147483647 bytes at most".into(),
            })
        };
        let expected = "SunJCE 17.0.15, AES-128-GCM, one-shot, stream, 2 GiB + 1, open: refuses this size: an array holds \
                        2147483647 bytes at most";
        assert_eq!(sentences(&[limited(Shape::OneShot), limited(Shape::Stream)]), [expected]);
    }

    #[test]
    fn of_many_ways_to_connect_two_are_named() {
        let of = |group: &str| {
            let algorithm = format!("TLSv1.3 TLS_AES_128_GCM_SHA256 {group} Ed25519");
            unsupported("Go", &algorithm, Shape::Memory, "no Ed25519")
        };
        let told = sentences(&["X25519", "P-256", "X25519MLKEM768", "DH-2048"].map(of));
        let first =
            "Go, TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 Ed25519, TLSv1.3 TLS_AES_128_GCM_SHA256 P-256 Ed25519";
        assert_eq!(told, [format!("{first} and 2 more, memory, 49 bytes: unsupported: no Ed25519")]);
    }

    #[test]
    fn other_causes_stay_apart() {
        let rows = [
            unsupported("ring", "DES", Shape::Tuned, "no cipher \"DES\""),
            unsupported("ring", "RC4", Shape::Tuned, "broken: RC4 is off"),
            Row::Note(crate::rows::Note::new("cipher", 49, "2 of 8 blocks".into())),
        ];
        assert_eq!(sentences(&rows).len(), 3);
    }
}
