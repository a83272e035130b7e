//! The tables of TLS: one for each shape, since a socket's cost is nobody's merit.

use super::super::grid::{Grid, paragraph};
use super::super::stalls;
use super::super::ways::{self, Ways};
use super::super::words;
use super::{by_time, headed, judged, remarks, to_reference};
use crate::protocol::Shape;
use crate::summary::{Cell, Line};
use crate::units::significant;

pub fn sections(cell: &Cell) -> String {
    let parts = cell.shapes().into_iter().flat_map(|shape| {
        let lines = by_time(cell).into_iter().filter(|line| line.line.shape == shape).collect();
        ways::parts(lines).into_iter().map(move |(ways, lines)| Part { shape, ways, lines })
    });
    let of_libraries = parts.filter(|part| part.lines.iter().any(|line| !line.is_yardstick()));
    let told: String = of_libraries.map(|part| part.text(cell)).collect();
    let remarked: String = stalls::sentences(cell).iter().map(|remark| paragraph(remark)).collect();
    told + &remarks(cell) + &remarked
}

/// The lines of one table, fastest first.
struct Part<'a> {
    shape: Shape,
    ways: Option<Ways>,
    lines: Vec<&'a Line>,
}

impl Part<'_> {
    fn text(&self, cell: &Cell) -> String {
        let mut grid = Grid::new(5, titles(cell));
        for line in &self.lines {
            grid.push(row(cell, line, self.ways.as_ref()));
        }
        let common = self.ways.as_ref().map(Ways::common).filter(|common| !common.is_empty());
        let place = [Some(super::name(cell)), common, Some(self.shape.to_string())];
        let place = place.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let reference = cell.reference_in(self.shape).map(|line| self.name(cell, line));
        // Suites have long names.
        let title = paragraph(&headed(&place, cell, reference));
        format!("\n{}{}", title.trim_start(), grid.text())
    }
}

impl Part<'_> {
    /// What the title does not say of a line; all of it where the line is of another suite.
    fn name(&self, cell: &Cell, line: &Line) -> String {
        let mine = self.ways.as_ref().filter(|_| self.lines.iter().any(|mine| mine.line == line.line));
        let short = mine.map(|ways| ways.short(line.algorithm()));
        let short = short.or_else(|| words::ways(cell).map(|ways| ways.short(line.algorithm())));
        [line.engine(), &short.unwrap_or_default()].join(" ").trim_end().to_owned()
    }
}

fn titles(cell: &Cell) -> Vec<String> {
    let words = ["engine", "protocol", "suite", "group", "certificate", "cold", rate_title(cell)];
    let spent = ["verdict", "CPU", "ends", "wire"];
    let all = words.map(str::to_owned).into_iter().chain([to_reference(cell)]);
    all.chain(spent.map(str::to_owned)).collect()
}

fn rate_title(cell: &Cell) -> &'static str {
    if words::is_connect(cell) { "conn/s" } else { "MB/s" }
}

fn row(cell: &Cell, line: &Line, ways: Option<&Ways>) -> Vec<String> {
    let again = if line.line.again { " (again)" } else { "" };
    let mut row = vec![format!("{}{again}", line.engine())];
    row.extend(ways.map(|ways| ways.columns(line.algorithm())).unwrap_or_default());
    row.push(line.cold().map(|cold| words::time(cold.median)).unwrap_or_default());
    row.push(rate(cell, line));
    row.extend(judged(cell, line, cell.reference_of(line)));
    row.extend(spent(cell, line));
    row
}

/// Connections, or megabytes, in a second.
fn rate(cell: &Cell, line: &Line) -> String {
    let of = if words::is_connect(cell) { 1e9 } else { cell.size as f64 * 1e3 };
    significant(of / line.time())
}

/// CPU time of the whole process, and what share of theirs each end had: in memory the ends' times are those of their calls,
/// which other work on the machine makes longer.
fn spent(cell: &Cell, line: &Line) -> [String; 3] {
    let tls = line.tls;
    let ends = tls.and_then(|tls| Some([tls.client_cpu_ns?, tls.server_cpu_ns?]));
    let share = |[client, server]: [f64; 2]| {
        let client = client * 100.0 / (client + server).max(1.0);
        format!("{client:.0}+{:.0} %", 100.0 - client.round())
    };
    let wire = tls.and_then(|tls| tls.wire_bytes).map(|bytes| on_the_wire(cell, bytes));
    [
        line.cpu().map(words::time).unwrap_or_default(),
        ends.map(share).unwrap_or_default(),
        wire.unwrap_or_default(),
    ]
}

/// Bytes of a connection; of a transfer what is more than was to be sent.
fn on_the_wire(cell: &Cell, bytes: f64) -> String {
    if words::is_connect(cell) {
        return words::bytes(bytes);
    }
    format!("+{:.2} %", (bytes / cell.size as f64 - 1.0) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Role;
    use crate::protocol::Operation;
    use crate::rows::Tls;
    use crate::summary::made::{CONNECT, Made, TRANSFER};

    const X25519: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";
    const HYBRID: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519MLKEM768 ECDSA-P-256";

    fn told(wire: u64) -> Tls {
        Tls {
            client_cpu_ns: Some(400_000),
            server_cpu_ns: Some(600_000),
            wire_bytes: Some(wire),
            stalls: None,
        }
    }

    #[test]
    fn connections_have_rates_ends_and_bytes() {
        let mut made = Made::default();
        made.role("copy", Role::Yardstick);
        let (full, both) = (Operation::Full, [Shape::Memory, Shape::Nodelay]);
        for (shape, times) in both.into_iter().zip([1, 2]) {
            made.spent(CONNECT, 8, ("openssl", X25519, shape), full, times * 1_000_000, told(2_010));
            made.spent(CONNECT, 8, ("openssl", HYBRID, shape), full, times * 1_500_000, told(4_260));
            made.timed(CONNECT, 8, ("copy", "none", shape), full, 20_000);
        }
        made.reference(CONNECT, 8, ("openssl", X25519, Shape::Memory));
        let text = made.cells().iter().map(sections).collect::<String>();
        let expected = [
            "",
            "tls-connect, 8 at once, full, TLSv1.3, TLS_AES_128_GCM_SHA256, ECDSA-P-256, memory: 8 blocks, ref is openssl \
             X25519",
            "  engine           group           conn/s          × ref (95 %)    verdict      CPU     ends    wire",
            "  copy                              50000  0.020 (0.020..0.020)     faster  20.0 µs",
            "  openssl          X25519            1000                        reference  1.00 ms  40+60 %  2.0 kB",
            "  openssl (again)  X25519            1000     1.00 (1.00..1.00)   the same  1.00 ms  40+60 %  2.0 kB",
            "  openssl          X25519MLKEM768     667     1.50 (1.50..1.50)     slower  1.50 ms  40+60 %  4.3 kB",
            "",
            "tls-connect, 8 at once, full, TLSv1.3, TLS_AES_128_GCM_SHA256, ECDSA-P-256, nodelay: 8 blocks, ref is openssl \
             X25519",
            "  engine           group           conn/s          × ref (95 %)    verdict      CPU     ends    wire",
            "  copy                              50000  0.010 (0.010..0.010)     faster  20.0 µs",
            "  openssl          X25519             500                        reference  2.00 ms  40+60 %  2.0 kB",
            "  openssl (again)  X25519             500     1.00 (1.00..1.00)   the same  2.00 ms  40+60 %  2.0 kB",
            "  openssl          X25519MLKEM768     333     1.50 (1.50..1.50)     slower  3.00 ms  40+60 %  4.3 kB",
            "  noise (memory): openssl X25519 (memory) differs from itself by 0.0 % (1.00 to 1.00); no difference up to 0.0 % is",
            "    called",
            "  noise (nodelay): openssl X25519 (nodelay) differs from itself by 0.0 % (1.00 to 1.00); no difference up to 0.0 % is",
            "    called",
            "",
        ];
        assert_eq!(text, expected.join("\n"));
    }

    #[test]
    fn transfers_have_rates_of_bytes_and_what_records_add() {
        let mut made = Made::default();
        let named = ("openssl", X25519, Shape::Memory);
        made.spent(TRANSFER, 1_000_000, named, Operation::Upload, 1_000_000, told(1_001_400));
        let text = made.cells().iter().map(sections).collect::<String>();
        assert!(text.contains("MB/s") && text.contains("1000") && text.contains("+0.14 %"), "{text}");
    }
}
