//! What a server loses by hiding what its log must not have, JDK by JDK.

use super::judged;
use crate::report::{cells, words};
use crate::summary::{Cell, Line};

/// One sentence for each plain log.
pub fn sentences(cell: &Cell) -> Vec<String> {
    let plain = cell.contestants_and_yardstick().filter(|line| line.is_yardstick());
    plain.filter_map(|plain| sentence(cell, plain)).collect()
}

fn sentence(cell: &Cell, plain: &Line) -> Option<String> {
    let beside: Vec<String> = judged(cell)
        .filter(|line| line.jdk == plain.jdk)
        .filter_map(|line| {
            Some(format!("{} takes {}{}", line.engine(), told(cell, line, plain)?, slowest(line, plain)))
        })
        .collect();
    let start =
        format!("{}: {} takes {} a request", cells::name(cell), plain.engine(), words::time(plain.time()));
    (!beside.is_empty()).then(|| format!("{start}; {}", beside.join("; ")))
}

fn told(cell: &Cell, line: &Line, plain: &Line) -> Option<String> {
    Some(words::compared(&cell.compare(line, plain)?, "its time"))
}

fn slowest(line: &Line, plain: &Line) -> String {
    let told = line.requests.zip(plain.requests).map(|(ours, theirs)| {
        let [ours, theirs] = [ours.p99_ns, theirs.p99_ns].map(words::time);
        let told = format!("{ours} against {theirs}");
        format!(", 99 % within {told}")
    });
    told.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::made::Made;

    #[test]
    fn each_jdk_has_a_sentence() {
        let told = sentences(&Made::served(|_| {}).cells()[0]);
        let expected = "log-app, 8 at once, serve: tomcat-plain 25 takes 100 µs a request; tomcat-mask 25 takes 1.00 × its \
                        time (1.00 to 1.00): the same, 99 % within 1.50 ms against 1.50 ms; tomcat-sealed 25 takes 2.00 × \
                        its time (2.00 to 2.00): slower, 99 % within 1.50 ms against 1.50 ms";
        assert_eq!(told.len(), 2);
        assert_eq!(told[1], expected);
    }
}
