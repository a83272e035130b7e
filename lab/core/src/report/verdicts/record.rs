//! What a token costs beside what people write by hand.

use super::{Named, judged, quickest, takes};
use crate::engine::Role;
use crate::protocol::Shape;
use crate::report::{cells, words};
use crate::summary::{Cell, Line};

/// One thread tells the cost; what more threads gain is told by the goals. A JVM is a world of its own, each JDK another.
pub fn sentences(cell: &Cell) -> Vec<String> {
    let mut jdks: Vec<&str> = alone(cell).filter_map(|line| line.jdk.as_deref()).collect();
    jdks.sort_unstable();
    jdks.dedup();
    native(cell).into_iter().chain(jdks.into_iter().filter_map(|jdk| on_jdk(cell, jdk))).collect()
}

/// Into a buffer is another question, which the goals ask.
fn alone(cell: &Cell) -> impl Iterator<Item = &Line> {
    let is_meant =
        |line: &&Line| line.line.shape == Shape::OneThread && !line.algorithm().ends_with("-bytes");
    judged(cell).filter(is_meant)
}

fn on_jdk(cell: &Cell, jdk: &str) -> Option<String> {
    let here = || alone(cell).filter(|line| line.jdk.as_deref() == Some(jdk));
    let mut ours: Vec<&Line> = here().filter(|line| line.role == Role::Ours).collect();
    ours.sort_by(|a, b| a.time().total_cmp(&b.time()));
    let (first, rest) = ours.split_first()?;
    let taken = format!(
        "{} on JDK {jdk}: on one thread {} takes {}{}",
        cells::name(cell),
        first.family,
        words::time(first.time()),
        allocated(first),
    );
    let rest: Vec<String> = rest.iter().filter_map(|line| takes(cell, line, first, family)).collect();
    let by_hand =
        |is_safe| by_hand(cell, first, here().filter(move |line| line.authenticated == is_safe), family);
    let mut parts = vec![taken];
    parts.extend(rest);
    parts.extend(by_hand(true).map(|told| format!("by hand, {told}")));
    parts.extend(by_hand(false).map(|told| format!("without authentication, {told}")));
    Some(parts.join("; "))
}

fn allocated(line: &Line) -> String {
    let told = line.allocated_bytes.map(words::bytes);
    told.map(|told| format!(" and {told}")).unwrap_or_default()
}

/// One provider of ciphers is used in more than one way.
fn family(_: &Cell, line: &Line) -> String {
    let as_written = if line.algorithm().ends_with("-as-written") { " as written" } else { "" };
    format!("{}{as_written}", line.family)
}

fn native(cell: &Cell) -> Option<String> {
    let alone = || alone(cell).filter(|line| line.jdk.is_none());
    let ours = quickest(alone().filter(|line| line.role == Role::Ours))?;
    let by_hand = |is_safe| {
        let lines = alone().filter(move |line| line.authenticated == is_safe);
        by_hand(cell, ours, lines, |_, line| line.engine().into())
    };
    let beside_bare = cell.yardstick().and_then(|bare| cell.compare(ours, bare));
    let mut parts = vec![format!(
        "{}: on one thread {} takes {}{}",
        cells::name(cell),
        ours.engine(),
        words::time(ours.time()),
        beside_bare.map(|ratio| format!(", {}", words::compared(&ratio, "bare"))).unwrap_or_default(),
    )];
    parts.extend(by_hand(true).map(|told| format!("by hand, {told}")));
    parts.extend(by_hand(false).map(|told| format!("without authentication, {told}")));
    Some(parts.join("; "))
}

fn by_hand<'a>(
    cell: &Cell,
    ours: &Line,
    lines: impl Iterator<Item = &'a Line>,
    named: Named,
) -> Option<String> {
    let mut lines: Vec<&Line> = lines.filter(|line| line.role == Role::Peer).collect();
    lines.sort_by(|a, b| a.time().total_cmp(&b.time()));
    let told: Vec<String> = lines.into_iter().filter_map(|line| takes(cell, line, ours, named)).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

#[cfg(test)]
mod tests {
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
        let told = sentences(&made.cells()[0]).remove(0);
        let start = "record, 49 bytes, seal: on one thread sealmark takes 125 ns, 1.25 × bare (1.25 to 1.25): slower; ";
        assert!(told.starts_with(start), "{told}");
        let (go, aws) = (told.find("Go takes 3.20 × its time"), told.find("aws-lc-rs takes 4.00 × its time"));
        assert!(go.is_some() && go < aws, "{told}");
        assert!(told[start.len()..].starts_with("without authentication, "), "{told}");
    }

    #[test]
    fn each_jdk_has_a_sentence_of_its_own() {
        let mut made = Made::default();
        made.role("bare", Role::Yardstick);
        made.timed("record", 49, ("bare", "any", Shape::OneThread), Operation::Seal, 100);
        for jdk in ["17.0.15", "25.0.3"] {
            for (family, algorithm, ns) in [
                ("sealmark-java", "token", 200),
                ("sealmark-java-pure", "token", 400),
                ("sealmark-java", "token-bytes", 10),
                ("SunJCE", "AES-256-GCM-base64", 500),
                ("SunJCE", "AES-256-GCM-base64-as-written", 1_800),
            ] {
                let engine = made.jvm(family, jdk);
                made.timed("record", 49, (&engine, algorithm, Shape::OneThread), Operation::Seal, ns);
            }
        }
        made.engines().filter(|row| row.family.starts_with("sealmark")).for_each(|row| row.role = Role::Ours);
        let told = sentences(&made.cells()[0]);
        assert_eq!(told.len(), 2, "{told:?}");
        let start = "record, 49 bytes, seal on JDK 17.0.15: on one thread sealmark-java takes 200 ns; \
                     sealmark-java-pure takes 2.00 × its time ";
        assert!(told[0].starts_with(start), "{told:?}");
        let rest = &told[1];
        let (tuned, written) = (rest.find("SunJCE takes 2.50"), rest.find("SunJCE as written takes 9.00"));
        assert!(tuned.is_some() && tuned < written, "{told:?}");
    }
}
