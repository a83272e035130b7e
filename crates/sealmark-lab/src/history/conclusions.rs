//! The five conclusions of log-tuning, each with the rule that decides it today, on one JDK.

use super::fate::{Claim, Fate, Part};
use super::log_tuning::{cell, conclusions, line};
use crate::protocol::Operation;
use crate::summary::{Cell, Line};
use serde_json::{Value, json};

/// A published sentence, put to the test.
pub struct Conclusion {
    pub sentence: String,
    /// What has to be seen for it to be confirmed.
    pub rule: &'static str,
    pub fate: Fate,
    pub parts: Vec<Part>,
}

impl Conclusion {
    /// For machines.
    pub fn json(&self, jdk: &str) -> Value {
        json!({
            "jdk": jdk,
            "sentence": self.sentence,
            "rule": self.rule,
            "fate": self.fate.word(),
            "parts": self.parts.iter().map(Part::json).collect::<Vec<_>>(),
        })
    }
}

const SMALL: u64 = 49;
const LARGE: u64 = 8_404;
const CODEC: [Operation; 2] = [Operation::Encode, Operation::Decode];
const CIPHER: [Operation; 2] = [Operation::Seal, Operation::Open];
/// What was published of the ciphers; RC4 is what the conclusions are about.
const OTHERS: [&str; 5] = ["DES", "DESede", "AES", "Blowfish", "RC2"];

/// "About as good", either way; beyond it, "far ahead". The published table itself has to bear out what was said of it,
/// and calls 718 against 265 ms about as good, 5,640 against 1,125 far ahead.
const ALIKE: f64 = 2.75;
/// RC4 "holds its speed" while the fastest other is no further ahead.
const HOLDS: f64 = 1.5;
/// A gain worth the name: beyond what the lab calls the same.
const GAIN: f64 = 1.02;
/// "Unfit": so many times the time of the fastest.
const UNFIT: f64 = 3.0;
/// "Gains little": native code takes at least this share of the JCE's time. The published 0.1 ms were 35 and 49 % of it;
/// as milliseconds they could not be refuted today, when all of it takes less.
const LITTLE: f64 = 0.5;

/// All five, in the published order.
pub fn on(cells: &[Cell], jdk: &str) -> Vec<Conclusion> {
    let today = Today { cells, jdk };
    let decided: [(&'static str, Fate, Vec<Part>); 5] =
        [today.native_codec(), today.chunking(), today.fastest(), today.both_sizes(), today.unfit()];
    let sentences = conclusions().into_iter();
    sentences
        .zip(decided)
        .map(|(sentence, (rule, fate, parts))| Conclusion { sentence, rule, fate, parts })
        .collect()
}

struct Today<'a> {
    cells: &'a [Cell],
    jdk: &'a str,
}

type Decided = (&'static str, Fate, Vec<Part>);

fn at(size: u64, operation: Operation) -> String {
    format!("{operation}, {} bytes", size)
}

impl<'a> Today<'a> {
    fn cell(&self, job: &str, size: u64, operation: Operation) -> Option<&'a Cell> {
        cell(self.cells, job, size, operation)
    }

    fn line(&self, cell: Option<&'a Cell>, family: &str, algorithm: &str) -> Option<&'a Line> {
        line(cell?, self.jdk, family, algorithm)
    }

    /// One family's line against another's, both operations of a job.
    fn tests(
        &self,
        claim: Claim,
        job: &str,
        size: u64,
        [this, that]: [(&str, &str); 2],
    ) -> impl Iterator<Item = Part> {
        let operations = if job == "codec" { CODEC } else { CIPHER };
        operations
            .map(|operation| {
                let cell = self.cell(job, size, operation);
                let pair = self.line(cell, this.0, this.1).zip(self.line(cell, that.0, that.1));
                let what =
                    format!("{}: {} {} against {} {}", at(size, operation), this.0, this.1, that.0, that.1);
                claim.test(what, cell, pair)
            })
            .into_iter()
    }

    fn native_codec(&self) -> Decided {
        let pair = [("commons-codec", "base64"), ("native-jni", "base64")];
        let alike = Claim { least: 1.0 / ALIKE, most: ALIKE };
        let small = self.tests(alike, "codec", SMALL, pair);
        let parts: Vec<Part> =
            small.chain(self.tests(Claim::at_least(ALIKE), "codec", LARGE, pair)).collect();
        let rule = "commons-codec takes 0.36 to 2.75 × the time of native at 49 bytes (published: 1.55 and 2.71), at \
                    least 2.75 × at 8,404 (published: 7.25 and 5.01)";
        (rule, Fate::of_all(&parts), parts)
    }

    /// At 49 bytes there is no line to break: 68 characters fit into one of 76.
    fn chunking(&self) -> Decided {
        let java = [("java.util.Base64", "base64-mime"), ("java.util.Base64", "base64")];
        let parts: Vec<Part> = self.tests(Claim::at_least(GAIN), "codec", LARGE, java).collect();
        let rule = "lines of 76 columns take at least 1.02 × the time of none, at 8,404 bytes; decided by \
                    java.util.Base64: the native library of the lab has no lines";
        (rule, Fate::of_all(&parts), parts)
    }

    /// A cipher of the JCE against the fastest published one that is not among those left out.
    fn against_fastest(&self, algorithm: &str, left_out: &[&str], claim: Claim) -> Vec<Part> {
        let places = [SMALL, LARGE].into_iter().flat_map(|size| CIPHER.map(|operation| (size, operation)));
        places
            .map(|(size, operation)| {
                let cell = self.cell("cipher", size, operation);
                let others = OTHERS.iter().chain(&["RC4"]).filter(|other| !left_out.contains(*other));
                let fastest = others
                    .filter_map(|other| self.line(cell, "SunJCE", other))
                    .min_by(|a, b| a.time().total_cmp(&b.time()));
                let name = fastest.map_or("any other", |line| line.algorithm());
                let what = format!("{}: SunJCE {algorithm} against {name}", at(size, operation));
                claim.test(what, cell, self.line(cell, "SunJCE", algorithm).zip(fastest))
            })
            .collect()
    }

    fn fastest(&self) -> Decided {
        let mut parts = self.against_fastest("RC4", &["RC4"], Claim::at_most(1.0));
        let pair = [("native-jni", "RC4"), ("SunJCE", "RC4")];
        parts.extend(self.tests(Claim::at_least(LITTLE), "cipher", LARGE, pair));
        let rule = "RC4 takes less time than the fastest other, and native RC4 at least 0.5 × the time of the JCE's at \
                    8,404 bytes (published: 0.65 and 0.51)";
        (rule, Fate::of_all(&parts), parts)
    }

    fn both_sizes(&self) -> Decided {
        let parts = self.against_fastest("RC4", &["RC4"], Claim::at_most(HOLDS));
        ("RC4 takes at most 1.5 × the time of the fastest other, at both sizes", Fate::of_all(&parts), parts)
    }

    /// An access log has values of both sizes: unfit for one is unfit.
    fn unfit(&self) -> Decided {
        let mut parts = Vec::new();
        let unfit = ["DESede", "Blowfish"];
        let fates = unfit.map(|cipher| {
            let seen = self.against_fastest(cipher, &unfit, Claim::at_least(UNFIT));
            let fate = Fate::of_any(&seen);
            parts.extend(seen);
            Part { fate, what: String::new(), seen: None, is_of_machine: false }
        });
        ("each takes at least 3 × the time of the fastest other somewhere", Fate::of_all(&fates), parts)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::super::log_tuning::{Figure, SHAPE, figures, today};
    use super::*;
    use crate::engine::Role;
    use crate::rows::{self, Row, Sample};
    use crate::summary;
    use crate::summary::made::steady;

    const JDK: &str = "1.4";

    /// The published table as eight blocks without any noise, so that every interval is the ratio itself.
    fn published(change: impl Fn(&mut Figure)) -> Vec<Cell> {
        let mut rows = Vec::new();
        for mut figure in figures() {
            change(&mut figure);
            let (families, algorithm) = today(&figure.engine);
            rows.push(Row::Engine(rows::Engine {
                engine: families[0].into(),
                family: families[0].into(),
                about: String::new(),
                role: Role::Peer,
                version: "1".into(),
                jdk: Some(JDK.into()),
                in_process: true,
            }));
            rows.extend((0..8).map(|block| sample(&figure, families[0], algorithm, block)));
        }
        summary::cells(&rows)
    }

    fn sample(figure: &Figure, engine: &str, algorithm: &str, block: u64) -> Row {
        let line =
            rows::Line { engine: engine.into(), algorithm: algorithm.into(), shape: SHAPE, again: false };
        Row::Sample(Sample {
            count: figure.count,
            ..steady(
                &figure.job,
                figure.size_bytes,
                &line,
                figure.operation,
                block,
                figure.total_ms * 1_000_000,
            )
        })
    }

    fn fates(cells: &[Cell]) -> Vec<Fate> {
        on(cells, JDK).iter().map(|conclusion| conclusion.fate).collect()
    }

    /// Of the second it has no figures: nobody published what native code took with lines.
    #[test]
    fn the_published_table_confirms_what_was_concluded_from_it() {
        use Fate::{Confirmed, Undecided};
        let cells = published(|_| {});
        assert_eq!(fates(&cells), [Confirmed, Undecided, Confirmed, Confirmed, Confirmed]);
        let parts: Vec<Part> = on(&cells, JDK).into_iter().flat_map(|conclusion| conclusion.parts).collect();
        assert_eq!(parts.iter().filter(|part| part.seen.is_some()).count(), 22);
    }

    #[test]
    fn each_of_them_can_be_refuted() {
        for (at, engine, size, share) in [
            (0, "nativeBase64", SMALL, 0.9),
            (0, "nativeBase64", LARGE, 3.0),
            // Far less than 0.1 ms in all, as today.
            (2, "nativeRC4", LARGE, 0.7),
            (2, "JCE AES", LARGE, 0.1),
            (3, "JCE RC4", SMALL, 2.0),
        ] {
            let cells = published(|figure| {
                figure.count *= 100;
                if (figure.engine.as_str(), figure.size_bytes) == (engine, size) {
                    figure.total_ms = (figure.total_ms as f64 * share) as u64;
                }
            });
            assert_eq!(fates(&cells)[at], Fate::Refuted, "{engine} {size} {share}");
        }
        let harmless = published(|figure| {
            let unfit = ["JCE DESede", "JCE BLOWFISH"].contains(&figure.engine.as_str());
            figure.total_ms = if unfit { 1000 } else { figure.total_ms };
        });
        assert_eq!(fates(&harmless)[4], Fate::Refuted);
    }
}
