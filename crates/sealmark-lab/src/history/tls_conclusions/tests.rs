use super::*;
use crate::protocol::Operation;
use crate::summary::made::{BLOCKS, CONNECT, Made, TRANSFER};

const JDK: &str = "1.6";

/// The published tables as blocks without any noise, so that every interval is the ratio itself. What the ends computed
/// nobody published: so many cores.
fn published_on(cores: f64, change: impl Fn(&mut Figure)) -> Vec<Cell> {
    let mut made = Made::default();
    let engine = made.jvm("SunJSSE-legacy", JDK);
    for mut figure in figures() {
        change(&mut figure);
        let way = format!("TLSv1 {} none RSA-1024", published::registered(&figure.suite));
        let (job, size, operation) = match (figure.job.as_str(), figure.resumed) {
            (TRANSFER, _) => (TRANSFER, published::BYTES, Operation::Upload),
            (_, false) => (CONNECT, 1, Operation::Full),
            (_, true) => (CONNECT, 1, Operation::Resumed),
        };
        for block in 0..BLOCKS {
            made.sample(job, size, (&engine, &way, SHAPE), operation, block, |sample| {
                sample.wall_ns = figure.total_ms * 1_000;
                sample.cpu_ns = Some((figure.total_ms as f64 * 1_000.0 * cores) as u64);
            });
        }
    }
    made.cells()
}

fn fates(cells: &[Cell]) -> Vec<Fate> {
    on(cells, JDK).iter().map(|conclusion| conclusion.fate).collect()
}

#[test]
fn the_published_tables_confirm_what_was_concluded_from_them() {
    let cells = published_on(1.0, |_| {});
    assert_eq!(fates(&cells), [Fate::Confirmed; 4]);
    let parts: Vec<usize> = on(&cells, JDK).iter().map(|conclusion| conclusion.parts.len()).collect();
    assert_eq!(parts, [4, 4, 22, 22]);
    assert_eq!(published::jdks(&cells), [JDK]);
}

#[test]
fn each_of_them_can_be_refuted() {
    for (at, suite, resumed, share) in [
        (0, NULL, false, 1.5),
        (0, RC4, false, 1.9),
        (0, DES, false, 0.69),
        (0, TRIPLE_DES, false, 0.47),
        (1, "SSL_DHE_RSA_WITH_DES_CBC_SHA", false, 0.7),
        (2, RC4, true, 1.07),
        (2, "SSL_DHE_RSA_WITH_DES_CBC_SHA", true, 0.95),
    ] {
        let job = if at == 0 { TRANSFER } else { CONNECT };
        let cells = published_on(1.0, |figure| {
            if (figure.job.as_str(), figure.suite.as_str(), figure.resumed) == (job, suite, resumed) {
                figure.total_ms = (figure.total_ms as f64 * share) as u64;
            }
        });
        assert_eq!(fates(&cells)[at], Fate::Refuted, "{suite} {share}");
    }
    assert_eq!(fates(&published_on(0.94, |_| {}))[3], Fate::Refuted);
    assert_eq!(fates(&published_on(1.9, |_| {}))[3], Fate::Confirmed);
}

/// A run of some suites, or on a JDK that did not take part.
#[test]
fn what_was_not_measured_is_undecided() {
    let mut few = published_on(1.0, |_| {});
    for cell in &mut few {
        cell.lines.retain(|line| line.algorithm().contains("_AES_"));
    }
    use Fate::{Confirmed, Undecided};
    assert_eq!(fates(&few), [Undecided; 4]);
    let with_des = |line: &Line| !line.algorithm().contains("_NULL_");
    let mut some = published_on(1.0, |_| {});
    some.iter_mut().for_each(|cell| cell.lines.retain(with_des));
    assert_eq!(fates(&some), [Undecided, Confirmed, Undecided, Undecided]);
    assert!(on(&some, "17").iter().all(|conclusion| conclusion.fate == Undecided));
}

#[test]
fn default_sockets_decide_nothing() {
    let mut cells = published_on(1.0, |_| {});
    for line in cells.iter_mut().flat_map(|cell| &mut cell.lines) {
        line.line.shape = Shape::DefaultSockets;
    }
    assert_eq!(fates(&cells), [Fate::Undecided; 4]);
    let ratio = speed_up(&cells, JDK, RC4, Shape::DefaultSockets).map(|ratio| (ratio.median * 100.0).round());
    assert_eq!(ratio, Some(478.0));
}
