//! The access log of one span, line by line.

use super::recipe::{AGENT, Request, TELLTALES};
use crate::parameters::like;
use memchr::memmem;

/// The requests that the log must be about.
pub struct Expected {
    pub seed: u64,
    pub first: u64,
    pub count: u64,
    pub connections: u64,
}

type Verdict = Result<(), String>;

/// Longer than any line with its tokens.
const LONGEST_LINE: u64 = 4_096;
/// Headers of sessions.
const OWN_LINES: u64 = 1 << 16;

impl Expected {
    /// No log is longer; what is need not be read.
    pub fn most_bytes(&self) -> u64 {
        OWN_LINES + self.count.saturating_mul(LONGEST_LINE)
    }

    /// Each request as it was sent.
    pub fn must_be_plain(&self, log: &[u8]) -> Verdict {
        self.must_have_each(log, |request, text| text == logged(request, &request.target()))
    }

    /// Each request with the names of its parameters, and something in the place of each value.
    pub fn must_be_masked(&self, log: &[u8]) -> Verdict {
        self.must_have_each(log, |request, text| {
            let form = logged(request, &format!("{}?page=2&email=*&name=*&card=*", request.path()));
            let is_empty = ["=&", "= "].iter().any(|end| text.contains(end));
            like(&form, text) && text.matches('&').count() == 3 && !is_empty
        })
    }

    /// No private value, nor what stands around it, wherever in the log.
    pub fn must_be_hidden(&self, log: &[u8]) -> Verdict {
        let found = TELLTALES.iter().find(|word| memmem::find(log, word.as_bytes()).is_some());
        if let Some(word) = found {
            return Err(format!("\"{word}\" is in the clear in the log"));
        }
        // In a line of its own or of another request: each secret is looked for where it would be written.
        for (at, line) in lines(log).enumerate() {
            let Some(request) = number(line).map(|number| Request::new(self.seed, number)) else { continue };
            if request.secrets().iter().any(|secret| memmem::find(line, secret.as_bytes()).is_some()) {
                return Err(format!("a value is in the clear in line {}", at + 1));
            }
        }
        Ok(())
    }

    /// One line for each request, those of a connection in their order; what is behind host and time is judged.
    fn must_have_each(&self, log: &[u8], is_right: impl Fn(&Request, &str) -> bool) -> Verdict {
        let mut next: Vec<u64> = (self.first..self.first + self.connections).collect();
        if !log.ends_with(b"\n") {
            return Err("the last line of the log has no line feed".into());
        }
        for (at, line) in lines(log).enumerate() {
            let wrong = |what: &str| format!("line {} of the log {what}", at + 1);
            let number = number(line).ok_or_else(|| wrong("belongs to no request"))?;
            let connection = (number.wrapping_sub(self.first) % self.connections) as usize;
            if next[connection] != number || number >= self.first + self.count {
                let why = format!("belongs to request {number}, which is not the next one of its connection");
                return Err(wrong(&why));
            }
            let text = std::str::from_utf8(line).ok().and_then(behind_the_time);
            if !text.is_some_and(|text| is_right(&Request::new(self.seed, number), text)) {
                return Err(wrong(&format!("is not that of request {number}")));
            }
            next[connection] += self.connections;
        }
        match lines(log).count() as u64 {
            seen if seen == self.count => Ok(()),
            seen => Err(format!("the log has lines of {seen} requests, not {}", self.count)),
        }
    }
}

/// The part of a line that a server logs of a request after its time.
fn logged(request: &Request, target: &str) -> String {
    format!("\"GET {target} HTTP/1.1\" 200 {} \"-\" \"{AGENT}\"", request.answer_bytes())
}

fn lines(log: &[u8]) -> impl Iterator<Item = &[u8]> {
    log.split_inclusive(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// The number in the path of a line's request.
fn number(line: &[u8]) -> Option<u64> {
    const BEFORE: &[u8] = b"\"GET /orders/";
    let start = memmem::find(line, BEFORE)? + BEFORE.len();
    let digits = line[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&line[start..start + digits]).ok()?.parse().ok()
}

/// The part of a line behind `127.0.0.1 - - [22/Nov/2026:00:43:18 +0000] `.
fn behind_the_time(line: &str) -> Option<&str> {
    let (time, rest) = line.strip_prefix("127.0.0.1 - - [")?.split_once("] ")?;
    let is_time =
        time.len() == 26 && time.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/:+- ".contains(&byte));
    is_time.then_some(rest)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    const SPAN: Expected = Expected { seed: 7, first: 10, count: 5, connections: 2 };

    fn line(number: u64, query: impl Fn(String) -> String) -> String {
        let request = Request::new(SPAN.seed, number);
        let (target, bytes) = (query(request.target()), request.answer_bytes());
        format!(
            "127.0.0.1 - - [22/Nov/2026:00:43:18 +0000] \"GET {target} HTTP/1.1\" 200 {bytes} \"-\" \"{AGENT}\"\n"
        )
    }

    fn plain(numbers: &[u64]) -> String {
        numbers.iter().map(|number| line(*number, |target| target)).collect()
    }

    fn masked() -> String {
        let mask = |target: String| {
            let (path, _) = target.split_once("&email").unwrap();
            format!("{path}&email=****&name=****&card=****")
        };
        (10..15).map(|number| line(number, mask)).collect()
    }

    #[test]
    fn each_request_has_a_line_in_the_order_of_its_connection() {
        let verdict = |numbers: &[u64]| SPAN.must_be_plain(plain(numbers).as_bytes());
        for good in [[10, 11, 12, 13, 14], [11, 13, 10, 12, 14], [10, 12, 14, 11, 13]] {
            assert_eq!(verdict(&good), Ok(()));
        }
        for bad in [[12, 10, 11, 13, 14], [10, 11, 12, 12, 14], [10, 11, 12, 13, 15], [10, 11, 12, 14, 16]] {
            assert!(verdict(&bad).is_err(), "{bad:?}");
        }
        for bad in [&[10, 11, 12, 13][..], &[10, 11, 12, 13, 14, 15], &[9, 10, 11, 12, 13], &[]] {
            assert!(verdict(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn what_is_not_as_it_was_sent_is_seen() {
        let good = plain(&[10, 11, 12, 13, 14]);
        for (was, is) in [
            (" 200 ", " 404 "),
            ("card=", "card=1"),
            ("127.0.0.1", "127.0.0.2"),
            ("2026:00:43:18 +0000", "2026:00:43:18"),
            ("GET", "POST"),
            ("Firefox/140.0\"\n", "Firefox/140.0\" 3\n"),
        ] {
            assert!(
                good.contains(was) && SPAN.must_be_plain(good.replacen(was, is, 1).as_bytes()).is_err(),
                "{was}"
            );
        }
        let header = format!("~s1h~x~\n{good}");
        assert_eq!(
            SPAN.must_be_plain(header.as_bytes()),
            Err("line 1 of the log belongs to no request".into())
        );
        assert!(SPAN.must_be_plain(good.trim_end().as_bytes()).is_err());
        assert!(SPAN.must_be_masked(good.replace("page=2&", "").as_bytes()).is_err());
    }

    #[test]
    fn a_masked_log_has_names_and_nothing_private() {
        let good = masked();
        assert_eq!(SPAN.must_be_masked(good.as_bytes()), Ok(()));
        assert_eq!(SPAN.must_be_hidden(good.as_bytes()), Ok(()));
        assert!(SPAN.must_be_hidden(plain(&[10]).as_bytes()).is_err());
        for secret in Request::new(SPAN.seed, 12).secrets() {
            let leaks = good.replacen(
                "/orders/12?page=2&email=****",
                &format!("/orders/12?page=2&email={secret}"),
                1,
            );
            assert_eq!(
                SPAN.must_be_hidden(leaks.as_bytes()),
                Err("a value is in the clear in line 3".into())
            );
        }
        let elsewhere = format!("{good}# guest.x\n");
        assert!(SPAN.must_be_hidden(elsewhere.as_bytes()).is_err());
        for (was, is) in [
            ("&card=****", ""),
            ("email=****", "email="),
            ("card=****", "card="),
            ("name=", "nome="),
            ("&email", "&x=1&email"),
            ("page=2&", ""),
        ] {
            assert!(SPAN.must_be_masked(good.replacen(was, is, 1).as_bytes()).is_err(), "{was}");
        }
    }
}
