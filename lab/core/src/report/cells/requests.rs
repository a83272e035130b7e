//! The table of servers under load: each beside the one on the same JDK whose log hides nothing.

use super::super::grid::Grid;
use super::super::words;
use super::{by_time, headed, judged, memory, name, remarks, to_reference};
use crate::summary::{Cell, Line};
use crate::units::significant;

pub fn section(cell: &Cell) -> String {
    let mut grid = Grid::new(1, titles(cell));
    for line in by_time(cell) {
        grid.push(row(cell, line));
    }
    let place = headed(&name(cell), cell, None);
    format!("\n{place}, ref is the plain log on the same JDK\n{}{}", grid.text(), remarks(cell))
}

fn titles(cell: &Cell) -> Vec<String> {
    let first = ["engine", "cold", "req/s"].map(str::to_owned).into_iter().chain([to_reference(cell)]);
    let rest = ["verdict", "median", "99 %", "CPU", "clients", "alloc", "MB"];
    first.chain(rest.map(str::to_owned)).collect()
}

fn row(cell: &Cell, line: &Line) -> Vec<String> {
    let again = if line.line.again { " (again)" } else { "" };
    let cold = line.cold().map(|cold| words::time(cold.median)).unwrap_or_default();
    let mut row = vec![format!("{}{again}", line.engine()), cold, significant(1e9 / line.time())];
    row.extend(judged(cell, line, cell.plain_of(line)));
    row.extend(latencies(line));
    row.push(line.cpu().map(words::time).unwrap_or_default());
    row.push(share_of_clients(line).unwrap_or_default());
    row.extend(memory(line));
    row
}

fn latencies(line: &Line) -> [String; 2] {
    line.requests.map(|requests| [requests.median_ns, requests.p99_ns].map(words::time)).unwrap_or_default()
}

fn share_of_clients(line: &Line) -> Option<String> {
    let share = line.requests?.client_cpu_ns? / line.cpu()?;
    Some(format!("{:.0} %", share * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::made::Made;

    #[test]
    fn servers_have_rates_and_latencies_and_are_held_against_their_own_jdk() {
        let text = section(&Made::served(|_| {}).cells()[0]);
        let expected = [
            "",
            "log-app, 8 at once, serve: 8 blocks, ref is the plain log on the same JDK",
            "  engine                   req/s        × ref (95 %)    verdict  median     99 %      CPU  clients",
            "  tomcat-plain 17          10000                      reference  400 µs  1.50 ms   100 µs     20 %",
            "  tomcat-plain 17 (again)  10000   1.00 (1.00..1.00)   the same  400 µs  1.50 ms   100 µs     20 %",
            "",
        ];
        for (at, line) in expected.iter().take(4).enumerate() {
            assert_eq!(text.lines().nth(at).map(normal), Some(normal(line)), "{text}");
        }
        assert!(text.contains("tomcat-sealed 25") && text.contains("2.00"), "{text}");
        assert!(text.contains("noise: tomcat-plain 17 differs from itself by 0.0 %"), "{text}");
    }

    /// Widths are those of the longest, which this test does not care for.
    fn normal(line: &str) -> String {
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
