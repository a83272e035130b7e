//! The requests of spec/engine.md, "log-app": what is asked for, what of it is private, and what is answered.

use crate::workload::{SplitMix64, hex};

/// The clients' user agent, which stands at the end of every line of the log.
pub const AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/// Words that stand around private values and nowhere else.
pub const TELLTALES: [&str; 3] = ["guest.", "mail.example", "Zo%C3%AB"];

/// One request.
pub struct Request {
    number: u64,
    /// Random, in hexadecimal: what the private values are cut from.
    digits: String,
}

impl Request {
    /// The request of that number.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut bytes = [0; 32];
        SplitMix64::new(seed.wrapping_add(3).wrapping_add(number)).fill(&mut bytes);
        Self { number, digits: hex(&bytes) }
    }

    /// The path that tells its number.
    pub fn path(&self) -> String {
        format!("/orders/{}", self.number)
    }

    /// The target of the request: its path and query.
    pub fn target(&self) -> String {
        let [email, name, card] = self.secrets();
        let path = self.path();
        format!("{path}?page=2&email=guest.{email}%40mail.example&name=Zo%C3%AB+{name}&card={card}")
    }

    /// The random parts of the private values, which tell them from those of all other requests.
    pub fn secrets(&self) -> [String; 3] {
        let decimal = |digit: char| if digit < 'a' { digit } else { (digit as u8 - b'a' + b'0') as char };
        let card = self.digits[48..].chars().map(decimal).collect();
        [self.digits[..30].to_owned(), self.digits[30..46].to_owned(), card]
    }

    /// Bytes of the answer's body.
    pub fn answer_bytes(&self) -> usize {
        format!("{{\"order\":{},\"contact\":49,\"state\":\"shipped\"}}\n", self.number).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_made_as_the_specification_says() {
        // The first published number of splitmix64 for 1234567 is 6457827717110365317, 0x599ed017fb08fc85.
        let request = Request::new(1_234_560, 4);
        let expected = "/orders/4?page=2&email=guest.85fc08fb17d09e59a50f545884f073%40mail.example&name=Zo%C3%AB+2c777cf2a3e5bc3e\
                        &card=3571174940571435";
        assert_eq!(request.target(), expected);
        assert_eq!(request.answer_bytes(), 43);
        assert!(request.secrets().iter().all(|secret| request.target().contains(secret)));
        assert!(
            ["email=", "name=", "card="].iter().chain(&TELLTALES).all(|word| request.target().contains(word))
        );
    }
}
