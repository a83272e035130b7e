//! The five conclusions of log-tuning, each with the rule that decides it today, on one JDK.

use super::fate::{Claim, Fate, Part};
use super::log_tuning::{cell, conclusions, line};
use crate::protocol::Operation;
use crate::summary::{Cell, Line};

/// A published sentence, put to the test.
pub struct Conclusion {
    pub sentence: String,
    /// What has to be seen for it to be confirmed.
    pub rule: &'static str,
    pub fate: Fate,
    pub parts: Vec<Part>,
}

const SMALL: u64 = 49;
const LARGE: u64 = 8_404;
const CODEC: [Operation; 2] = [Operation::Encode, Operation::Decode];
const CIPHER: [Operation; 2] = [Operation::Seal, Operation::Open];
/// What was published of the ciphers; RC4 is what the conclusions are about.
const OTHERS: [&str; 5] = ["DES", "DESede", "AES", "Blowfish", "RC2"];

/// "About as good": at most half as much time again, either way.
const ALIKE: Claim = Claim { least: 1.0 / 1.5, most: 1.5 };
/// "Far ahead".
const FAR: f64 = 2.0;
/// A gain worth the name: beyond what the lab calls the same.
const GAIN: f64 = 1.02;
/// "Unfit": so many times the time of the fastest.
const UNFIT: f64 = 3.0;
/// "Little": milliseconds of one operation on 8,404 bytes, as published.
const LITTLE_MS: f64 = 0.1;

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
        let small = self.tests(ALIKE, "codec", SMALL, pair);
        let parts: Vec<Part> = small.chain(self.tests(Claim::at_least(FAR), "codec", LARGE, pair)).collect();
        let rule = "commons-codec takes 0.67 to 1.5 × the time of native at 49 bytes, at least 2 × at 8,404";
        (rule, Fate::of_all(&parts), parts)
    }

    /// At 49 bytes there is no line to break: 68 characters fit into one of 76.
    fn chunking(&self) -> Decided {
        let native = [("native-jni", "base64-mime"), ("native-jni", "base64")];
        let java = [("java.util.Base64", "base64-mime"), ("java.util.Base64", "base64")];
        let measured = |parts: &[Part]| parts.iter().any(|part| part.ratio.is_some());
        let mut parts: Vec<Part> = self.tests(Claim::at_least(GAIN), "codec", LARGE, native).collect();
        if !measured(&parts) {
            parts = self.tests(Claim::at_least(GAIN), "codec", LARGE, java).collect();
        }
        let rule = "lines of 76 columns take at least 1.02 × the time of none, at 8,404 bytes";
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
        parts.extend(CIPHER.map(|operation| self.saved_by_native(operation)));
        let rule =
            "RC4 takes less time than the fastest other, and native RC4 saves at most 0.1 ms at 8,404 bytes";
        (rule, Fate::of_all(&parts), parts)
    }

    /// What native code takes may at its least be 0.1 ms less than the JCE's.
    fn saved_by_native(&self, operation: Operation) -> Part {
        let cell = self.cell("cipher", LARGE, operation);
        let jce = self.line(cell, "SunJCE", "RC4");
        let pair = self.line(cell, "native-jni", "RC4").zip(jce);
        let least = jce.map_or(0.0, |line| 1.0 - LITTLE_MS * 1e6 / line.time());
        let what = format!("{}: native-jni RC4 against SunJCE RC4", at(LARGE, operation));
        Claim::at_least(least).test(what, cell, pair)
    }

    fn both_sizes(&self) -> Decided {
        let parts = self.against_fastest("RC4", &["RC4"], Claim::at_most(ALIKE.most));
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
            Part { fate, what: String::new(), ratio: None }
        });
        ("each takes at least 3 × the time of the fastest other somewhere", Fate::of_all(&fates), parts)
    }
}
