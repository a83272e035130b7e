//! What a server may lose by sealing its log.

use super::{Limit, cpu_time};
use crate::engine::Role;
use crate::summary::{Cell, Line};
use crate::units;

/// Of the requests that a server with a plain log answers in a second.
const KEPT: f64 = 0.97;

/// One line for each server of ours beside which a plain one ran on the same JDK.
pub fn verdicts(cells: &[Cell]) -> Vec<String> {
    let served = cells.iter().filter(|cell| cell.is_served());
    served.flat_map(|cell| cell.contestants().filter_map(|line| verdict(cell, line))).collect()
}

fn verdict(cell: &Cell, line: &Line) -> Option<String> {
    let plain = cell.plain_of(line).filter(|_| line.role == Role::Ours)?;
    let time = line.ratio(plain)?;
    // More time is fewer requests.
    let kept = Limit::Faster(KEPT);
    Some(format!(
        "{} {}, {}: {} answers {:.1} % of the requests per second of {} (goal at least {:.0} %): {}{}",
        cell.operation,
        units::amount(&cell.job, cell.size),
        cell.job,
        line.engine(),
        kept.shown(time) * 100.0,
        plain.engine(),
        KEPT * 100.0,
        kept.outcome(time),
        cpu_time(line, plain),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::made::Made;

    #[test]
    fn a_sealed_log_is_held_against_the_plain_one_of_its_jdk() {
        let told = |ns: u64| {
            let of_sealed = |line: &str| line == "tomcat-sealed 17";
            verdicts(
                &Made::served(|sample| {
                    if of_sealed(&sample.line.engine) {
                        sample.wall_ns = ns * 10
                    }
                })
                .cells(),
            )
        };
        let place = "serve 8 at once, log-app: tomcat-sealed 17 answers";
        let of = "of the requests per second of tomcat-plain 17 (goal at least 97 %)";
        assert_eq!(told(103_000)[0], format!("{place} 97.1 % {of}: met (1.00 × the CPU time)"));
        assert_eq!(told(103_200)[0], format!("{place} 96.9 % {of}: missed (1.00 × the CPU time)"));
        // The other JDK's, and nobody else's.
        assert_eq!(told(103_000).len(), 2);
        assert!(told(103_000)[1].contains("tomcat-sealed 25 answers 50.0 %"), "{:?}", told(103_000));
    }

    #[test]
    fn a_goal_within_the_spread_is_undecided() {
        let told = |most_ns: u64| {
            let made = Made::served(|sample| {
                if sample.line.engine == "tomcat-sealed 17" {
                    sample.wall_ns = 1_000_000 + (most_ns - 1_000_000) * (sample.block % 2);
                }
            });
            verdicts(&made.cells())
        };
        for (most_ns, median) in [(1_060_000, "met"), (1_064_000, "missed")] {
            let end = format!("(goal at least 97 %): undecided (median {median}) (1.00 × the CPU time)");
            assert!(told(most_ns)[0].ends_with(&end), "{:?}", told(most_ns));
        }
    }
}
