//! The verb `gate`: whether any line has become slower than is allowed, for continuous integration.
//!
//! A line's ratio to the yardstick (to the reference where the yardstick is not in both runs, or is the line itself) is
//! compared with the same ratio of the baseline. It fails when the whole interval of that change lies above the limit: a
//! noisy day is no failure, and neither is it a pass in silence, for what may be slower is named. A gate that could judge
//! nothing at all has not passed anything: that fails. Yardsticks themselves are not judged.

use crate::changes::{self, Against, Change, Changes, Lack};
use crate::document::conditions;
use crate::rows::{self, Row};
use crate::summary::{self, Here};
use crate::trouble::{Result, Trouble};
use crate::words;

/// The judgement of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Finding {
    Slower,
    /// The limit lies inside the interval.
    Undecided,
    NoInterval,
    Within,
}

/// The words, and whether all is well: no line may have become slower by more than this share.
pub fn gate(baseline: &[Row], results: &[Row], max_slower: f64) -> Result<(String, bool)> {
    let cells = [baseline, results].map(summary::cells);
    let mut changes = Changes::between(&cells[0], &cells[1], Against::Yardstick);
    changes.of.retain(|change| !change.of.1.is_yardstick());
    let missing = changes.lacking(Lack::OnlyInBase).chain(changes.lacking(Lack::Lost));
    let missing: Vec<Here> = missing.filter(|(_, line)| !line.is_yardstick()).collect();
    if changes.of.is_empty() && missing.is_empty() {
        let trouble = Trouble::new("the baseline compares no line with another");
        return Err(trouble.hint("sealmark-lab measure quick --out BASELINE"));
    }
    let of =
        |wanted| changes.of.iter().filter(|change| finding(change, max_slower) == wanted).collect::<Vec<_>>();
    let all = [Finding::Slower, Finding::Undecided, Finding::NoInterval, Finding::Within];
    let [slower, undecided, without, within] = all.map(of);
    let judged = slower.len() + within.len();
    let all_well = judged > 0 && slower.is_empty() && missing.is_empty();
    let warnings = conditions::warnings(baseline, results).into_iter();
    let mut lines: Vec<String> = warnings.map(|warning| format!("warning: {warning}")).collect();
    lines.extend(slower.iter().map(|change| in_words("slower", change)));
    let faults: Vec<_> = rows::faults(results).collect();
    let why = |here| changes::why_missing(&faults, here).unwrap_or_else(|| "not in the results".into());
    lines.extend(missing.iter().map(|it| format!("missing: {}: {}", words::here(*it), why(*it))));
    lines.extend(undecided.iter().map(|change| in_words("undecided", change)));
    if !without.is_empty() {
        // One line for all of them: a run too short to judge by would fill the screen.
        let many = words::count(without.len(), "line");
        lines.push(format!("undecided: {many} with fewer than six blocks in one of the runs"));
        lines.push("hint: measure both with --full, which gives each line all blocks of its plan".into());
    }
    if judged == 0 {
        let why = match (undecided.len(), without.len()) {
            (0, 0) => "every line is missing",
            (0, _) => "fewer than six blocks",
            _ => "the limit lies inside every interval",
        };
        lines.push(format!("nothing could be judged: {why}"));
    }
    lines.push(format!(
        "{}: {} slower by more than {} %, {} missing, {} undecided, {} within the limit",
        if all_well { "passed" } else { "failed" },
        slower.len(),
        rounded(max_slower * 100.0),
        missing.len(),
        undecided.len() + without.len(),
        within.len(),
    ));
    Ok((lines.iter().map(|line| words::shown(line) + "\n").collect(), all_well))
}

fn finding(change: &Change, max_slower: f64) -> Finding {
    let limit = 1.0 + max_slower;
    match change.change.interval {
        Some(interval) if interval.low > limit => Finding::Slower,
        Some(interval) if interval.high <= limit => Finding::Within,
        Some(_) => Finding::Undecided,
        None => Finding::NoInterval,
    }
}

fn in_words(finding: &str, change: &Change) -> String {
    let [new, base, ratio] = [&change.new, &change.base, &change.change].map(|ratio| words::ratio(ratio, ""));
    let (here, other) = (words::here(change.of), change.other());
    format!("{finding}: {here}: {ratio} × its ratio before: now {new} × the time of {other}, before {base} ×")
}

/// "5", "0.5": no more decimals than the limit was given with, and no traces of binary fractions.
fn rounded(percent: f64) -> f64 {
    (percent * 1000.0).round() / 1000.0
}
