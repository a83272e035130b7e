//! The four conclusions of tls-2009, each with the rule that decides it today, on one JDK.

use super::conclusions::Conclusion;
use super::fate::{Claim, Fate, Part, Seen};
use super::tls_2009::{self as published, Figure, SHAPE, What, conclusions, figures, suites};
use crate::protocol::Shape;
use crate::summary::tls::across;
use crate::summary::{Cell, Line, Ratio};

/// What has to be seen, conclusion by conclusion, for it to be confirmed. lab/history/tls-2009.md has the same text.
pub const RULES: [&str; 4] = [
    "to transfer 100 MB, NULL with MD5 takes less time than the fastest other suite, RC4 with MD5 less than AES-128, DES more \
     than the slowest of RC4 and AES, 3DES more than the slowest other suite; those named are with RSA, the others all that there \
     are (published: 0.67, 0.54, 1.43 and 2.10 ×)",
    "a new connection with DHE takes at least 2 × the time of one with RSA, under each of four ciphers (published: 2.81 to \
     2.88); the milliseconds belong to that machine",
    "under each of the 22 suites a new connection takes 4.5 to 22.5 × the time of one that reuses a session, with TCP_NODELAY \
     (published: 4.78 to 21.6)",
    "under each of the 22 suites the transfer computes for at least 0.95 × its time, both ends together: on average one core \
     at least is busy. Two ends in two threads may use up to 2; of how many the published 100 % was nobody told",
];

/// Bounds of the rules above.
const MUCH: f64 = 2.0;
const CHEAPER: Claim = Claim { least: 4.5, most: 22.5 };
const BUSY: f64 = 0.95;

const NULL: &str = "SSL_RSA_WITH_NULL_MD5";
const RC4: &str = "SSL_RSA_WITH_RC4_128_MD5";
const AES: &str = "TLS_RSA_WITH_AES_128_CBC_SHA";
const DES: &str = "SSL_RSA_WITH_DES_CBC_SHA";
const TRIPLE_DES: &str = "SSL_RSA_WITH_3DES_EDE_CBC_SHA";

/// All four in the published order.
pub fn on(cells: &[Cell], jdk: &str) -> Vec<Conclusion> {
    let figures = figures();
    let today = Today { cells, jdk, figures: &figures };
    let parts = [today.order(), today.set_up(), today.reuse(), today.busy()];
    let decided = conclusions().into_iter().zip(RULES).zip(parts);
    let conclusion = |((sentence, rule), parts): ((String, &'static str), Vec<Part>)| {
        let fate = Fate::of_all(&parts);
        Conclusion { sentence, rule, fate, parts }
    };
    decided.map(conclusion).collect()
}

/// Time of a new connection over that of one that reuses a session, in one kind of sockets.
pub fn speed_up(cells: &[Cell], jdk: &str, suite: &str, shape: Shape) -> Option<Ratio> {
    let [new, reused] = [What::New, What::Reused].map(|what| published::cell(cells, what));
    let (new, reused) = (new?, reused?);
    let of = |cell| published::line(cell, jdk, suite, shape);
    across((new, of(new)?), (reused, of(reused)?))
}

struct Today<'a> {
    cells: &'a [Cell],
    jdk: &'a str,
    figures: &'a [Figure],
}

impl<'a> Today<'a> {
    fn line(&self, what: What, suite: &str) -> Option<&'a Line> {
        published::line(published::cell(self.cells, what)?, self.jdk, suite, SHAPE)
    }

    fn against(&self, what: What, suite: &str, other: &str, claim: Claim) -> Part {
        let cell = published::cell(self.cells, what);
        let pair = self.line(what, suite).zip(self.line(what, other));
        claim.test(format!("{suite} against {other}"), cell, pair)
    }

    fn order(&self) -> Vec<Part> {
        let all = suites(self.figures);
        let others = |left_out: fn(&str) -> bool| all.iter().copied().filter(move |suite| !left_out(suite));
        let fastest = self.extreme(others(|suite| suite == NULL), Extreme::Fastest);
        let slowest = self.extreme(others(|suite| suite.contains("_3DES_")), Extreme::Slowest);
        let plain =
            ["SSL_RSA_WITH_RC4_128_MD5", "SSL_RSA_WITH_RC4_128_SHA", AES, "TLS_RSA_WITH_AES_256_CBC_SHA"];
        let last = self.extreme(plain.into_iter(), Extreme::Slowest);
        let test = |suite, other: Option<&str>, claim| {
            self.against(What::Transfer, suite, other.unwrap_or("any other"), claim)
        };
        vec![
            test(NULL, fastest, Claim::at_most(1.0)),
            test(RC4, Some(AES), Claim::at_most(1.0)),
            test(DES, last, Claim::at_least(1.0)),
            test(TRIPLE_DES, slowest, Claim::at_least(1.0)),
        ]
    }

    /// Of some suites the one whose transfer takes least, or most; none where one of them was not measured.
    fn extreme<'s>(&self, suites: impl Iterator<Item = &'s str>, which: Extreme) -> Option<&'s str> {
        let timed: Option<Vec<(&str, f64)>> =
            suites.map(|suite| Some((suite, self.line(What::Transfer, suite)?.time()))).collect();
        let by_time = |a: &&(&str, f64), b: &&(&str, f64)| a.1.total_cmp(&b.1);
        let timed = timed?;
        let chosen = match which {
            Extreme::Fastest => timed.iter().min_by(by_time),
            Extreme::Slowest => timed.iter().max_by(by_time),
        };
        chosen.map(|(suite, _)| *suite)
    }

    /// Suites that differ in nothing but the agreement on a key.
    fn set_up(&self) -> Vec<Part> {
        let with_dhe = suites(self.figures).into_iter().filter(|suite| suite.contains("_DHE_RSA_WITH_"));
        let part = |suite: &str| {
            self.against(What::New, suite, &suite.replacen("_DHE_RSA_", "_RSA_", 1), Claim::at_least(MUCH))
        };
        with_dhe.map(part).collect()
    }

    fn reuse(&self) -> Vec<Part> {
        let part = |suite: &&str| {
            let ratio = speed_up(self.cells, self.jdk, suite, SHAPE);
            CHEAPER.judge(format!("{suite}: new against reused"), ratio.map(Seen::from))
        };
        suites(self.figures).iter().map(part).collect()
    }

    fn busy(&self) -> Vec<Part> {
        let part = |suite: &&str| {
            let ratio =
                self.line(What::Transfer, suite).and_then(|line| Ratio::paired(&line.cpu, &line.wall));
            Claim::at_least(BUSY).judge(format!("{suite}: CPU against time"), ratio.map(Seen::from))
        };
        suites(self.figures).iter().map(part).collect()
    }
}

#[derive(Clone, Copy)]
enum Extreme {
    Fastest,
    Slowest,
}

#[cfg(test)]
mod tests;
