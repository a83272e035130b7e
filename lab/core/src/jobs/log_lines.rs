//! Lines of logs as web applications write them, made from a seed. Each has one value that nobody should read: an
//! address of mail, in a member or a parameter called `email`.

use crate::trouble::Result;
use crate::workload::{self, Fingerprint, SplitMix64};
use std::path::Path;

/// The beginning and the end of every value, which nothing else in a line has.
pub const TELLTALES: [&str; 2] = ["guest.", "@mail.example"];

/// Bytes of a value.
const VALUE: usize = 49;

/// Writes as many lines as fit, and one at least.
pub fn write(path: &Path, format: Format, seed: u64, bytes: u64) -> Result<Fingerprint> {
    workload::create(path, |file| {
        let (mut lines, mut written) = (Lines { random: SplitMix64::new(seed), time: MIDNIGHT }, 0);
        loop {
            let line = lines.next(format);
            if written > 0 && written + line.len() as u64 > bytes {
                return Ok(());
            }
            file.write_all(line.as_bytes())?;
            written += line.len() as u64;
        }
    })
}

/// Makes the next line.
pub type Format = fn(&mut Lines) -> String;

pub struct Lines {
    random: SplitMix64,
    /// Milliseconds since 1970.
    time: u64,
}

/// 21 November 2026, 0:00.
const MIDNIGHT: u64 = 1_795_219_200_000;
const DAY: u64 = 86_400_000;

impl Lines {
    fn next(&mut self, format: Format) -> String {
        self.time = MIDNIGHT + (self.time + 1 + self.random.next() % 40 - MIDNIGHT) % DAY;
        format(self)
    }

    /// A JSON object of some twenty-five members, about 1,000 bytes.
    pub fn json(&mut self) -> String {
        let (clock, milliseconds) = (self.clock(), self.time % 1_000);
        let [trace, span, session] = [(); 3].map(|()| self.random.next());
        let (address, value, message) = (self.address(), self.value(), self.message());
        let (method, path, agent) = (self.one_of(&METHODS), self.one_of(&PATHS), self.one_of(&AGENTS));
        let [item, port, thread, worker, user] =
            [90_000, 40_000, 64, 16, 2_000_000].map(|most| self.below(most));
        let [bytes_in, bytes_out, micros, rows] = [4_000, 90_000, 900_000, 50].map(|most| self.below(most));
        let (status, cached) = (self.one_of(&STATUSES), self.below(2) == 0);
        format!(
            "{{\"time\":\"2026-11-21T{clock}.{milliseconds:03}Z\",\"level\":\"INFO\",\"logger\":\"com.shop.web.AccessLog\",\
             \"thread\":\"http-nio-8443-exec-{thread}\",\"host\":\"web-{worker:02}.fra.shop.internal\",\"pid\":{port},\
             \"trace_id\":\"{trace:016x}{span:016x}\",\"span_id\":\"{span:016x}\",\"remote_addr\":\"{address}\",\
             \"remote_port\":{port},\"method\":\"{method}\",\"path\":\"{path}/{item}\",\"protocol\":\"HTTP/2.0\",\
             \"status\":{status},\"bytes_in\":{bytes_in},\"bytes_out\":{bytes_out},\"duration_us\":{micros},\
             \"user\":{{\"id\":{user},\"email\":\"{value}\",\"session\":\"{session:016x}\",\"roles\":[\"customer\",\"newsletter\"]}},\
             \"user_agent\":\"{agent}\",\"referer\":\"https://shop.example{path}?from=list&position={rows}\",\
             \"upstream\":{{\"name\":\"catalogue\",\"address\":\"10.20.{thread}.{worker}:9000\",\"attempts\":1,\
             \"time_us\":{bytes_in}}},\"cache\":{{\"hit\":{cached},\"key\":\"{path}:{item}:en\"}},\"tls\":\"TLSv1.3\",\
             \"rows\":{rows},\"feature_flags\":[\"new-basket\",\"fast-search\"],\"message\":\"{message}\"}}\n"
        )
    }

    /// The combined format of access logs, about 200 bytes, the value in the query.
    pub fn combined(&mut self) -> String {
        let (clock, address, value) = (self.clock(), self.address(), self.value());
        let (path, agent, status) = (self.one_of(&PATHS), self.one_of(&AGENTS), self.one_of(&STATUSES));
        let [item, bytes, page] = [90_000, 90_000, 20].map(|most| self.below(most));
        format!(
            "{address} - - [21/Nov/2026:{clock} +0000] \"GET {path}/{item}?lang=en&email={value}&page={page} HTTP/1.1\" \
             {status} {bytes} \"-\" \"{agent}\"\n"
        )
    }

    /// A JSON object of exactly 100 bytes, 49 of them the value's.
    pub fn short(&mut self) -> String {
        let (value, status, bytes) = (self.value(), self.one_of(&STATUSES), self.below(90_000) + 10_000);
        format!("{{\"t\":{},\"st\":{status},\"by\":{bytes},\"email\":\"{value}\"}}\n", self.time)
    }

    fn below(&mut self, most: u64) -> u64 {
        self.random.next() % most
    }

    fn one_of(&mut self, all: &[&'static str]) -> &'static str {
        all[self.random.below(all.len())]
    }

    fn clock(&self) -> String {
        let seconds = self.time / 1_000 % 86_400;
        format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
    }

    /// An address of the networks that are for documentation (RFC 5737).
    fn address(&mut self) -> String {
        let network = self.one_of(&["192.0.2", "198.51.100", "203.0.113"]);
        format!("{network}.{}", self.below(254) + 1)
    }

    fn value(&mut self) -> String {
        let [begin, end] = TELLTALES;
        let name = VALUE - begin.len() - end.len();
        let digits = format!("{:016x}{:016x}", self.random.next(), self.random.next());
        format!("{begin}{}{end}", &digits[..name])
    }

    /// A message of an application; now and then one with something that JSON has to escape.
    fn message(&mut self) -> &'static str {
        let is_escaped = self.below(8) == 0;
        self.one_of(if is_escaped { &ESCAPED } else { &PLAIN })
    }
}

const METHODS: [&str; 4] = ["GET", "GET", "POST", "PUT"];
const STATUSES: [&str; 6] = ["200", "200", "200", "204", "302", "404"];
const PATHS: [&str; 5] =
    ["/catalogue/items", "/basket", "/account/orders", "/search/suggestions", "/checkout/payment/methods"];
const AGENTS: [&str; 3] = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0",
    "ShopApp/7.4.1 (Android 16)",
];
const PLAIN: [&str; 3] = [
    "request completed, response written in one piece",
    "request completed after the basket was loaded from the session store",
    "request completed; recommendations came from the cache of this node and were not computed anew",
];
const ESCAPED: [&str; 3] = [
    "request completed, filter was \\\"price<100\\\" and nothing else",
    "template C:\\\\templates\\\\basket.html not found, took the default one",
    "retried once:\\n\\tread timed out after 250 ms\\n\\tsecond attempt succeeded",
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    fn made(format: Format, bytes: u64) -> String {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let told = write(&path, format, 7, bytes).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(told, crate::workload::fingerprint_of(text.as_bytes()));
        text
    }

    #[test]
    fn lines_are_of_their_length_and_each_has_one_value() {
        for (format, shortest, longest) in
            [(Lines::json as Format, 900, 1_250), (Lines::combined, 150, 290), (Lines::short, 100, 100)]
        {
            let text = made(format, 300_000);
            assert!(text.ends_with('\n') && (298_700..=300_000).contains(&text.len()), "{}", text.len());
            for line in text.split_inclusive('\n') {
                assert!((shortest..=longest).contains(&line.len()), "{} {line}", line.len());
                let [begin, end] =
                    TELLTALES.map(|part| line.match_indices(part).map(|(at, _)| at).collect::<Vec<_>>());
                assert_eq!((begin.len(), end.len()), (1, 1), "{line}");
                assert_eq!(end[0] + TELLTALES[1].len() - begin[0], VALUE, "{line}");
                assert_eq!(line.matches("email").count(), 1, "{line}");
            }
        }
    }

    #[test]
    fn json_is_json_with_the_value_at_its_path_and_is_written_again_the_same() {
        for (format, path, members) in
            [(Lines::json as Format, "/user/email", 20..30), (Lines::short, "/email", 4..5)]
        {
            for line in made(format, 100_000).lines() {
                let object: serde_json::Value = serde_json::from_str(line).unwrap();
                let value = object.pointer(path).and_then(|value| value.as_str()).unwrap();
                assert_eq!(value.len(), VALUE);
                assert!(members.contains(&object.as_object().unwrap().len()), "{line}");
            }
        }
        assert!(made(Lines::json, 100_000).contains("\\\\templates"));
    }

    #[test]
    fn one_line_is_there_however_small_the_file() {
        assert_eq!(made(Lines::short, 1).len(), 100);
    }
}
