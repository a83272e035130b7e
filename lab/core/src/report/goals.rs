//! The verb `goals`: which of this project's promises a run bears out.

use super::Run;
use super::publication::evidence;
use crate::claims::{self, Claim, Fate, Measured};
use crate::rows::Row;
use crate::table::paragraph;

/// The promises that the run has figures for, and how many others there are.
pub fn goals(rows: &[Row]) -> String {
    let Run { cells, grown, .. } = &Run::of(rows);
    let run = Measured { cells, grown, jdk: None };
    let all = claims::goals();
    let told: Vec<String> = all.iter().filter_map(|claim| told(claim, &run)).collect();
    let rest = all.len() - told.len();
    let rest = if rest > 0 {
        format!("{rest} of {} goals not tested by this run\n", all.len())
    } else {
        String::new()
    };
    told.concat() + &rest
}

fn told(claim: &Claim, run: &Measured) -> Option<String> {
    let judged = claim.judge(run);
    let word = match judged.fate {
        Fate::Confirmed => "met",
        Fate::Refuted => "missed",
        Fate::Undecided => "undecided",
    };
    let is_tested = judged.parts.iter().any(|part| part.seen.is_some());
    is_tested.then(|| format!("{word}: {}\n{}", claim.says, paragraph(&evidence(&judged.parts))))
}
