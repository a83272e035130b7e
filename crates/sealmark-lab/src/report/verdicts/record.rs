//! What a token costs beside what people write by hand.

use super::{judged, quickest, takes};
use crate::engine::Role;
use crate::protocol::Shape;
use crate::report::{cells, words};
use crate::summary::{Cell, Line};

/// One thread tells the cost; what more threads gain is told by the goals.
pub fn sentence(cell: &Cell) -> Option<String> {
    let alone = || judged(cell).filter(|line| line.line.shape == Shape::OneThread);
    let ours = quickest(alone().filter(|line| line.role == Role::Ours))?;
    let by_hand = |is_safe| by_hand(cell, ours, alone().filter(move |line| line.authenticated == is_safe));
    let beside_bare = cell.yardstick().and_then(|bare| cell.compare(ours, bare));
    let mut parts = vec![format!(
        "{}: on one thread {} takes {}{}",
        cells::name(cell),
        ours.engine(),
        words::time(ours.time()),
        beside_bare.map(|ratio| format!(", {} × bare", words::factor(ratio.median))).unwrap_or_default(),
    )];
    parts.extend(by_hand(true).map(|told| format!("by hand, {told}")));
    parts.extend(by_hand(false).map(|told| format!("without authentication, {told}")));
    Some(parts.join("; "))
}

fn by_hand<'a>(cell: &Cell, ours: &Line, lines: impl Iterator<Item = &'a Line>) -> Option<String> {
    let mut lines: Vec<&Line> = lines.filter(|line| line.role == Role::Peer).collect();
    lines.sort_by(|a, b| a.time().total_cmp(&b.time()));
    let told: Vec<String> = lines
        .into_iter()
        .filter_map(|line| takes(cell, line, ours, |_, line| line.engine().into()))
        .collect();
    (!told.is_empty()).then(|| told.join(", "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::protocol::Operation;
    use crate::summary::made::Made;

    #[test]
    fn a_token_is_told_beside_bare_and_beside_what_is_written_by_hand() {
        let mut made = Made::default();
        for (engine, role) in [
            ("sealmark", Role::Ours),
            ("bare", Role::Yardstick),
            ("Go", Role::Peer),
            ("aws-lc-rs", Role::Peer),
        ] {
            made.role(engine, role);
        }
        for (engine, shape, ns) in [
            ("bare", Shape::OneThread, 100),
            ("sealmark", Shape::OneThread, 125),
            ("sealmark", Shape::TwoThreads, 70),
            ("aws-lc-rs", Shape::OneThread, 500),
            ("Go", Shape::OneThread, 400),
        ] {
            made.timed("record", 49, (engine, "any", shape), Operation::Seal, ns);
        }
        let told = sentence(&made.cells()[0]).unwrap();
        let start = "record, 49 bytes, seal: on one thread sealmark takes 125 ns, 1.25 × bare; ";
        assert!(told.starts_with(start), "{told}");
        let (go, aws) = (told.find("Go takes 3.20 × its time"), told.find("aws-lc-rs takes 4.00 × its time"));
        assert!(go.is_some() && go < aws, "{told}");
        assert!(told[start.len()..].starts_with("without authentication, "), "{told}");
    }
}
