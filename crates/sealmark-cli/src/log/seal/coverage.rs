//! How many values each rule found, so that a name which matches nothing is not silent.

use crate::log::args_seal::Unparsed;
use crate::log::read::tell::many;
use crate::log::selection::typed;
use crate::say;
use sealmark_fields::{Fields, Rule};

#[derive(Default)]
pub struct Coverage {
    parsed: u64,
    sealed_whole: u64,
    passed: u64,
    dropped: u64,
    /// Lines when something was said last.
    told: u64,
    /// By rule: whether it was warned of, and a path that may have been meant.
    rules: Vec<(bool, Option<String>)>,
}

impl Coverage {
    /// A line of the fields' kind. A few of them are searched for names that may have been meant.
    #[inline]
    pub fn parsed(&mut self, fields: &Fields, line: &[u8]) {
        self.parsed += 1;
        if self.parsed.is_power_of_two() {
            self.look_closer(fields, line);
        }
    }

    #[cold]
    fn look_closer(&mut self, fields: &Fields, line: &[u8]) {
        self.know_rules(fields);
        for ((rule, values), (_, near)) in fields.rules().zip(&mut self.rules) {
            if values == 0 && near.is_none() {
                *near = fields.near_miss(line, rule);
            }
        }
    }

    fn know_rules(&mut self, fields: &Fields) {
        self.rules.resize(fields.rules().count(), (false, None));
    }

    pub fn unparsed(&mut self, manner: Unparsed) {
        *match manner {
            Unparsed::Seal => &mut self.sealed_whole,
            Unparsed::Pass => &mut self.passed,
            Unparsed::Drop => &mut self.dropped,
        } += 1;
    }

    /// Says what was found so far, and warns, once, of a rule that found nothing; nothing where no line came meanwhile.
    pub fn tell(&mut self, fields: &Fields) {
        let unparsed = [
            (self.sealed_whole, "sealed as a whole"),
            (self.passed, "passed on unsealed"),
            (self.dropped, "dropped"),
        ];
        let lines = self.parsed + unparsed.iter().map(|(count, _)| count).sum::<u64>();
        if std::mem::replace(&mut self.told, lines) == lines {
            return;
        }
        let found = fields.rules().map(|(rule, values)| format!("{} {values}", shown(rule)));
        let alike = Some(fields.look_alikes()).filter(|count| *count > 0);
        let found: Vec<_> =
            found.chain(alike.map(|count| format!("text that looks like a token {count}"))).collect();
        say::note(&format!("values in {}: {}", many(lines, "line"), found.join(", ")));
        if fields.rests() > 0 {
            say::note(&format!("{} whose rest was sealed as a whole", many(fields.rests(), "line")));
        }
        for (count, became) in unparsed.into_iter().filter(|(count, _)| *count > 0) {
            say::note(&format!("{}, {became}", many(count, "unparsed line")));
        }
        self.know_rules(fields);
        for ((rule, values), (warned, near)) in fields.rules().zip(&mut self.rules) {
            if values == 0 && rule.is_free && !std::mem::replace(warned, true) {
                let rule_name = shown(rule);
                // Where there are patterns, what none of them matches is unparsed.
                let searched = if rule.flag == "--regex" { lines } else { self.parsed };
                if searched == 0 {
                    let none = many(lines, "line");
                    say::warning(&format!("{rule_name} found nothing: {none}, none of its kind"), OTHER_KIND);
                    continue;
                }
                let hint = near.as_ref().map(|near| typed(rule.flag, std::slice::from_ref(near)));
                say::warning(
                    &format!("{rule_name} found nothing in {}", many(searched, "line")),
                    &hint.unwrap_or_else(|| advice(rule.flag).into()),
                );
            }
        }
    }
}

const OTHER_KIND: &str =
    "name fields of the kind that the log has: --json, --logfmt, --ltsv, --query or --header; or try --regex";

/// The advice about a name that found nothing.
fn advice(flag: &str) -> &'static str {
    match flag {
        "--regex" => "try the pattern on a line of the log: as long as none matches, nothing is sealed by it",
        "--drop" => {
            "compare the name with those in the log: as long as none is found, nothing is taken out by it"
        }
        "--header" => {
            "see which field in quotes behind the size it is: NAME=N is the N-th; as long as that is \"-\" or not there, \
             nothing is sealed by it"
        }
        _ => "compare the name with those in the log: as long as none is found, nothing is sealed by it",
    }
}

fn shown(rule: &Rule) -> String {
    typed(rule.flag, std::slice::from_ref(&rule.name))
}
