//! Figures and lines in words.

use crate::jobs;
use crate::parameters::{NONE, Parameters, is_what};
use crate::rows;
use crate::stats::verdict::{Reason, Verdict};
use crate::summary::{Cell, Here, Line, Place, Ratio};
pub use crate::units::size;
use crate::units::{decimal, significant};
use std::collections::BTreeMap;

/// Nanoseconds as "12.3 ns", "4.56 µs", "7.89 ms", "1.23 s" or, from two minutes on, "12.4 min".
pub fn time(ns: f64) -> String {
    let (unit, factor) = match ns {
        ns if ns < 999.5 => ("ns", 1.0),
        ns if ns < 999.5e3 => ("µs", 1e3),
        ns if ns < 999.5e6 => ("ms", 1e6),
        ns if ns < 120e9 => ("s", 1e9),
        _ => ("min", 60e9),
    };
    format!("{} {unit}", significant(ns / factor))
}

/// Bytes allocated, as "48 B", "8.40 kB", "1.00 MB" or "430 GB".
pub fn bytes(bytes: f64) -> String {
    if bytes < 999.5 { format!("{bytes:.0} B") } else { decimal(bytes, ["kB", "MB", "GB"]) }
}

/// A ratio in at most five characters where that is enough.
pub fn factor(ratio: f64) -> String {
    match ratio {
        ratio if ratio < 0.0995 => format!("{ratio:.3}"),
        ratio if ratio < 0.9995 => format!("{ratio:.2}"),
        _ => significant(ratio),
    }
}

/// "2.10 × X (2.01–2.25)": a figure, what it is of, and the ends of its interval; where they are none it says so. One block has
/// no range.
pub fn spread([middle, low, high]: [String; 3], of: &str, is_interval: bool) -> String {
    let range = if is_interval { "" } else { "range " };
    let ends = if is_interval || low != high { format!(" ({range}{low}–{high})") } else { String::new() };
    format!("{middle}{of}{ends}")
}

/// A ratio, written in the same way.
pub fn ratio(ratio: &Ratio, of: &str) -> String {
    spread([ratio.median, ratio.low, ratio.high].map(factor), of, ratio.interval.is_some())
}

/// "3.55 × cp (2.94–4.42)"; where it is beside the choice, "3.55 × (2.94–4.42)".
pub fn beside(ratio: &Ratio, other: &str, is_open: bool) -> String {
    if ratio.is_unsteady() {
        return WARMING.into();
    }
    let told = self::ratio(ratio, format!(" × {other}").trim_end());
    if is_open { told + ", undecided" } else { told }
}

/// "2.10 (2.01–2.25): slower"; who reads that nothing is said wants to know why.
pub fn judged(ratio: &Ratio, of: &str) -> String {
    let told = match verdict(ratio.verdict) {
        (word, "") => word.to_owned(),
        (word, why) => format!("{word} ({why})"),
    };
    format!("{}: {told}", self::ratio(ratio, of))
}

/// A line none of whose processes became steady; nothing is told by its times.
pub const WARMING: &str = "still warming up";

/// "slower"; "undecided", and why.
pub fn verdict(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Faster => ("faster", ""),
        Verdict::Slower => ("slower", ""),
        Verdict::Same => ("the same", ""),
        Verdict::Undecided(Reason::Unstable) => ("unstable", "the best times show the opposite"),
        Verdict::Undecided(Reason::Unsteady) => (WARMING, ""),
        Verdict::Undecided(Reason::TooFewBlocks) => ("undecided", "there is no interval yet"),
        Verdict::Undecided(Reason::TooWide) => ("undecided", "the interval is too wide"),
        Verdict::Undecided(Reason::NoNoiseKnown) => ("undecided", "the noise was not measured"),
        Verdict::Undecided(Reason::InsideNoise) => ("undecided", "within the noise"),
        Verdict::Undecided(Reason::Unconfirmed) => ("undecided", "the best times do not show it"),
    }
}

/// Why a verdict is open, as it follows "because".
pub fn reason(verdict: Verdict) -> &'static str {
    Some(self::verdict(verdict).1).filter(|why| !why.is_empty()).unwrap_or("a line was still warming up")
}

/// "SunJCE 25.0.3 AES-128-GCM (tuned)": as much of it as tells the line from the others of its cell.
pub fn name(cell: &Cell, line: &Line) -> String {
    let short = ways(cell).map(|ways| ways.short(&line.line.parameters));
    let algorithm = short.as_deref().unwrap_or(line.algorithm());
    named(&line.line, algorithm, cell.tells_how() || cell.has_namesake(line))
}

/// The words that tell the lines of a cell of TLS apart; none in other jobs.
pub fn ways(cell: &Cell) -> Option<Ways> {
    if cell.is_by_transport() { Ways::of(cell.lines.iter().map(|line| &line.line.parameters)) } else { None }
}

/// "codec, 49 bytes, encode": how every sentence about a cell begins.
pub fn place((job, size, operation): Place) -> String {
    format!("{job}, {}, {operation}", jobs::of(job).amount(size))
}

/// "codec, 49 bytes, encode: ours base64".
pub fn here((cell, line): Here) -> String {
    format!("{}: {}", place(cell.place()), name(cell, line))
}

/// The name of a line outside of a cell.
pub fn full_name(line: &rows::Line, tells_how: bool) -> String {
    named(line, line.algorithm(), tells_how)
}

fn named(line: &rows::Line, algorithm: &str, tells_how: bool) -> String {
    let how = Some(line.how()).filter(|how| tells_how && !how.is_empty());
    let how = how.map(|how| format!("({how})")).unwrap_or_default();
    let again = if line.again { "(again)" } else { "" };
    let parts = [line.engine.as_str(), algorithm, &how, again];
    parts.into_iter().filter(|part| !matches!(*part, "" | "none")).collect::<Vec<_>>().join(" ")
}

/// "SunJCE" and "25.0.3" of "SunJCE 25.0.3".
pub fn family_and_version(engine: &str) -> (&str, Option<&str>) {
    let is_version = |version: &str| version.starts_with(|it: char| it.is_ascii_digit());
    let parts = engine.rsplit_once(' ').filter(|(_, version)| is_version(version));
    parts.map_or((engine, None), |(family, version)| (family, Some(version)))
}

/// A text on one line of a terminal. Rows of others may have control characters, and marks that turn text around.
pub fn shown(text: &str) -> String {
    let turns = |letter: char| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_harmful = |letter: char| letter.is_control() || turns(letter);
    let escaped = |it: char| if is_harmful(it) { it.escape_default().to_string() } else { it.to_string() };
    text.chars().map(escaped).collect()
}

/// "1 block", "2 blocks".
pub fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// "and 3 more sizes, all of which are in the results file"; nothing of none.
pub fn rest(count: usize, things: &str) -> Option<String> {
    (count > 0).then(|| format!("and {count} {things}, all of which are in the results file"))
}

/// "Missing: a, b, c and 3 more."; nothing of none.
pub fn list(what: &str, names: impl IntoIterator<Item = String>, separator: &str) -> Option<String> {
    Some(format!("{what}: {}.", few(names, 3, separator)?))
}

/// "a, b and 3 more"; nothing of none.
pub fn few(names: impl IntoIterator<Item = String>, most: usize, separator: &str) -> Option<String> {
    let mut names: Vec<String> = names.into_iter().collect();
    let more = names.len().saturating_sub(most);
    names.truncate(most);
    let told = names.join(separator);
    let told = if more > 0 { format!("{told} and {more} more") } else { told };
    (!names.is_empty()).then_some(told)
}

/// Parameters of TLS that tell some lines apart; each is named once: what all lines have in common stands in the title.
pub struct Ways {
    /// "TLSv1.3, TLS_AES_128_GCM_SHA256", or nothing.
    pub common: String,
    /// The names of what differs.
    told: Vec<String>,
}

impl Ways {
    /// None where there is no TLS. A parameter that follows from the suite is not told beside it.
    pub fn of<'a>(all: impl Iterator<Item = &'a Parameters>) -> Option<Self> {
        let all: Vec<&Parameters> = all.filter(|way| way.get("suite").is_some_and(|it| it != NONE)).collect();
        let first = all.first()?;
        let follows = |name: &str| {
            let mut known = BTreeMap::new();
            all.iter().all(|way| *known.entry(way.get("suite")).or_insert(way.get(name)) == way.get(name))
        };
        let (common, mut told): (Vec<_>, Vec<_>) = first
            .iter()
            .filter(|(name, _)| is_what(name))
            .partition(|(name, value)| all.iter().all(|way| way.get(name) == Some(value)));
        told.retain(|(name, _)| *name == "suite" || !follows(name));
        let named = common.into_iter().map(|(_, value)| value).filter(|value| *value != NONE);
        let told = told.into_iter().map(|(name, _)| name.to_owned()).collect();
        Some(Self { common: named.collect::<Vec<_>>().join(", "), told })
    }

    /// "TLS_AES_128_GCM_SHA256 X25519", for a sentence whose beginning has told the rest.
    pub fn short(&self, way: &Parameters) -> String {
        let told = self.told.iter().filter_map(|name| way.get(name)).filter(|value| *value != NONE);
        told.collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    #[test]
    fn figures_read_as_expected() {
        let times = [0.321, 12.34, 999.6, 4.56e3, 7.891e6, 1.234e9].map(time);
        assert_eq!([119e9, 744.6e9].map(time), ["119 s", "12.4 min"]);
        assert_eq!(times, ["0.321 ns", "12.3 ns", "1.00 µs", "4.56 µs", "7.89 ms", "1.23 s"]);
        assert_eq!(
            [0.0, 48.2, 8_404.0, 25_000.0, 1.05e6, 4.3e11].map(bytes),
            ["0 B", "48 B", "8.40 kB", "25.0 kB", "1.05 MB", "430 GB"]
        );
        assert_eq!(
            [0.0123, 0.1, 0.534, 1.0, 21.04, 312.4].map(factor),
            ["0.012", "0.10", "0.53", "1.00", "21.0", "312"]
        );
    }

    #[test]
    fn one_block_has_no_range() {
        let told = |ends: [&str; 3], is_interval| spread(ends.map(str::to_owned), " ×", is_interval);
        assert_eq!(told(["1.70"; 3], false), "1.70 ×");
        assert_eq!(told(["1.70", "1.60", "1.80"], false), "1.70 × (range 1.60–1.80)");
        assert_eq!(told(["1.00"; 3], true), "1.00 × (1.00–1.00)");
    }

    #[test]
    fn lists_read_as_expected() {
        let names = ["a", "b", "c"].map(String::from);
        let told = [3, 1].map(|most| few(names.clone(), most, ", ").unwrap_or_default());
        assert_eq!(told, ["a, b, c", "a and 2 more"]);
        assert_eq!(few(Vec::new(), 1, ", "), None);
    }

    const X25519: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";

    fn way(algorithm: &str) -> Parameters {
        Parameters::for_tests(Some(algorithm), None)
    }

    fn of(algorithms: &[&str]) -> Option<Ways> {
        let all: Vec<Parameters> = algorithms.iter().map(|text| way(text)).collect();
        Ways::of(all.iter())
    }

    #[test]
    fn what_all_have_in_common_is_told_once() {
        let hybrid = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519MLKEM768 ECDSA-P-256";
        let ways = of(&[X25519, "none", hybrid]).unwrap();
        assert_eq!(ways.common, "TLSv1.3, TLS_AES_128_GCM_SHA256, ECDSA-P-256");
        assert_eq!([X25519, "none"].map(|text| ways.short(&way(text))), ["X25519", ""]);
        assert!(of(&["none", "AES"]).is_none());
    }

    #[test]
    fn what_follows_from_the_suite_is_not_told() {
        let all = [
            "TLSv1 TLS_RSA_WITH_RC4_128_MD5 none RSA-1024",
            "TLSv1 TLS_DHE_RSA_WITH_AES_128_CBC_SHA DH-768 RSA-1024",
            "TLSv1 TLS_DH_anon_WITH_RC4_128_MD5 DH-768 none",
        ];
        let ways = of(&all).unwrap();
        assert_eq!(ways.common, "TLSv1");
        assert_eq!(ways.short(&way(all[1])), "TLS_DHE_RSA_WITH_AES_128_CBC_SHA");
        let other = "TLSv1 TLS_RSA_WITH_RC4_128_MD5 none RSA-2048";
        let ways = of(&[&all[..], &[other]].concat()).unwrap();
        assert_eq!(ways.short(&way(other)), "TLS_RSA_WITH_RC4_128_MD5 RSA-2048");
    }
}
