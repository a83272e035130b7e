//! Connections that waited for TCP, in words.

use crate::protocol::Shape;
use crate::rows::Stalls;
use crate::summary::tls::added;
use crate::summary::{Cell, Line};
use crate::words;
use std::collections::BTreeMap;

/// One sentence for each engine and shape of a cell of which a good part of the connections stalled.
pub fn sentences(cell: &Cell) -> Vec<String> {
    let mut groups: BTreeMap<(&str, Shape), (usize, Vec<&Line>)> = BTreeMap::new();
    for (at, line) in cell.lines.iter().enumerate().filter(|(_, line)| !line.line.again) {
        groups.entry((line.engine(), line.line.shape())).or_insert((at, Vec::new())).1.push(line);
    }
    let mut groups: Vec<(usize, Vec<&Line>)> = groups.into_values().collect();
    groups.sort_by_key(|(at, _)| *at);
    groups.into_iter().filter_map(|(_, lines)| sentence(cell, &lines)).collect()
}

fn sentence(cell: &Cell, all: &[&Line]) -> Option<String> {
    let (engine, shape) = (all[0].engine(), all[0].line.shape());
    let stalled: Vec<&Line> = all.iter().copied().filter(|line| line.has_stalled()).collect();
    let Stalls { seen, stalled: count, usual_ns } = added(stalled.iter().filter_map(|line| line.stalls))?;
    let name = match (&stalled[..], all.len()) {
        ([_], 1) => format!("{engine} ({shape})"),
        ([line], _) => words::name(cell, line),
        (lines, of) => format!("{engine} ({shape}), {} of {of} lines", lines.len()),
    };
    let usual_ms = usual_ns.div_ceil(1_000_000);
    Some(format!("{name}: {count} of {seen} connections stalled for about {usual_ms} ms: {}", why(shape)))
}

fn why(shape: Shape) -> &'static str {
    match shape {
        Shape::DefaultSockets => "small writes waited for delayed acknowledgements; set TCP_NODELAY",
        _ => "as if small writes waited for delayed acknowledgements, though TCP_NODELAY was asked for",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::protocol::Operation;
    use crate::rows::Tls;
    use crate::summary::made::{CONNECT, Made};

    const WAYS: [&str; 2] =
        ["TLSv1 TLS_RSA_WITH_RC4_128_MD5 none RSA-1024", "TLSv1 TLS_RSA_WITH_NULL_MD5 none RSA-1024"];

    fn stalled(made: &mut Made, named: (&str, &str, Shape), stalled: u64) {
        let stalls = Some(Stalls { seen: 12, stalled, usual_ns: 44_000_000 });
        for block in 0..2 {
            made.sample(CONNECT, 1, named, Operation::Full, block, |sample| {
                sample.tls = Some(Tls { stalls, ..Tls::default() });
            });
        }
    }

    #[test]
    fn a_good_part_of_the_connections_is_told_with_its_remedy() {
        let mut made = Made::default();
        for (shape, stalls) in [(Shape::Nodelay, 0), (Shape::DefaultSockets, 12)] {
            stalled(&mut made, ("Go", WAYS[0], shape), stalls);
        }
        stalled(&mut made, ("Go", WAYS[1], Shape::DefaultSockets), 6);
        stalled(&mut made, ("openssl", WAYS[0], Shape::DefaultSockets), 1);
        let cell = made.cells().remove(0);
        let why = "small writes waited for delayed acknowledgements; set TCP_NODELAY";
        let told = "Go (default-sockets), 2 of 2 lines: 36 of 48 connections stalled for about 44 ms";
        assert_eq!(sentences(&cell), [format!("{told}: {why}")]);
        assert_eq!(cell.lines.iter().filter(|line| line.has_stalled()).count(), 2);
    }

    #[test]
    fn one_line_is_named_and_sockets_without_delay_are_suspected() {
        let mut made = Made::default();
        stalled(&mut made, ("Go", WAYS[0], Shape::Nodelay), 12);
        stalled(&mut made, ("Go", WAYS[1], Shape::Nodelay), 0);
        let told = sentences(&made.cells().remove(0));
        let expected = "Go TLS_RSA_WITH_RC4_128_MD5: 24 of 24 connections stalled for about 44 ms: as if";
        assert!(told.len() == 1 && told[0].starts_with(expected), "{told:?}");
    }
}
