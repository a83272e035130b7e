//! How many values each rule found, so that a name which matches nothing is not silent.

use crate::log::args_seal::Unparsed;
use crate::log::selection::{Naming, typed};
use crate::say::{self, many};
use sealmark_fields::{Fields, List};

#[derive(Default)]
pub struct Coverage {
    naming: Naming,
    parsed: u64,
    sealed_whole: u64,
    passed: u64,
    dropped: u64,
    /// Lines that have nothing to hide.
    blank: u64,
    /// Lines when something was said last.
    reported: u64,
    /// By rule: whether it was warned of, and a path that may have been meant.
    rules: Vec<(bool, Option<String>)>,
}

impl Coverage {
    pub fn new(naming: Naming) -> Self {
        Self { naming, ..Self::default() }
    }

    /// A line of the fields' kind. A few of them are searched for names that may have been meant.
    #[inline]
    pub fn parsed(&mut self, fields: &Fields, line: &[u8]) {
        self.parsed += 1;
        if self.parsed.is_power_of_two() {
            self.look_closer(fields, line);
        }
    }

    /// True once, where a rule may have been told to have found nothing by now.
    fn is_time_to_warn(&self) -> bool {
        self.parsed == WARN_AFTER
    }

    #[cold]
    fn look_closer(&mut self, fields: &Fields, line: &[u8]) {
        self.know_rules(fields);
        for ((rule, values), (_, near)) in fields.rules().zip(&mut self.rules) {
            if values == 0 && near.is_none() {
                *near = fields.near_miss(line, rule);
            }
        }
        if self.is_time_to_warn() {
            self.warn(fields, self.parsed);
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

    /// A line that is of no format and of any.
    pub fn blank(&mut self) {
        self.blank += 1;
    }

    /// Lines so far.
    pub fn lines(&self) -> u64 {
        self.parsed + self.sealed_whole + self.passed + self.dropped + self.blank
    }

    /// Says what was found so far, though it may have been said.
    pub fn tell_again(&mut self, fields: &Fields) {
        self.reported = u64::MAX;
        self.report(fields);
    }

    /// The counts as Prometheus text, with others behind them.
    pub fn measured(&self, fields: &Fields, others: &[(&str, &str, u64)]) -> String {
        let mut text = String::new();
        let mut family = |name: &str, help: &str, samples: &mut dyn Iterator<Item = (String, u64)>| {
            text += &format!(
                "# HELP sealmark_log_{name}_total {help}\n# TYPE sealmark_log_{name}_total counter\n"
            );
            for (labels, count) in samples {
                text += &format!("sealmark_log_{name}_total{labels} {count}\n");
            }
        };
        let lines = [
            ("parsed", self.parsed),
            ("unparsed_sealed", self.sealed_whole),
            ("unparsed_passed", self.passed),
            ("unparsed_dropped", self.dropped),
            ("blank", self.blank),
        ];
        let outcome = |(name, count): (&str, u64)| (format!("{{outcome=\"{name}\"}}"), count);
        family("lines", "Lines read, by outcome.", &mut lines.into_iter().map(outcome));
        let mut rules = fields
            .rules()
            .map(|(rule, values)| (format!("{{rule=\"{}\"}}", quoted(&self.naming.rule(rule))), values));
        family("values", "Values that each rule found.", &mut rules);
        let alike = [(String::new(), fields.look_alikes())];
        family(
            "lookalikes",
            "Pieces of text that looked like a token and were sealed.",
            &mut alike.into_iter(),
        );
        for (name, help, count) in others {
            family(name, help, &mut [(String::new(), *count)].into_iter());
        }
        text
    }

    /// Says what was found so far, and warns, once, of a rule that found nothing; false, and nothing, where no line came
    /// meanwhile.
    pub fn report(&mut self, fields: &Fields) -> bool {
        let unparsed = [
            (self.sealed_whole, "sealed as a whole"),
            (self.passed, "passed on in the clear"),
            (self.dropped, "dropped"),
        ];
        let lines = self.lines();
        if std::mem::replace(&mut self.reported, lines) == lines {
            return false;
        }
        let found = fields.rules().map(|(rule, values)| format!("{} {values}", self.naming.rule(rule)));
        let alike = Some(fields.look_alikes()).filter(|count| *count > 0);
        let found: Vec<_> =
            found.chain(alike.map(|count| format!("text that looks like a token {count}"))).collect();
        say::note(&format!("{} read; values found: {}", many(lines, "line"), found.join(", ")));
        if fields.rests() > 0 {
            say::note(&format!(
                "{} recognised only in part: the remainder was sealed as one value",
                many(fields.rests(), "line")
            ));
        }
        for (count, became) in unparsed.into_iter().filter(|(count, _)| *count > 0) {
            say::note(&format!("{}, {became}", many(count, "unparsed line")));
        }
        self.warn(fields, lines);
        true
    }

    /// Warns, once, of each rule that found nothing; of several for one reason together.
    fn warn(&mut self, fields: &Fields, lines: u64) {
        self.know_rules(fields);
        let mut silent: Vec<Silent> = Vec::new();
        for ((rule, values), (warned, near)) in fields.rules().zip(&mut self.rules) {
            if values > 0 || !rule.is_free || std::mem::replace(warned, true) {
                continue;
            }
            // Where there are patterns, what none of them matches is unparsed.
            let searched = if rule.list == List::Patterns { lines } else { self.parsed };
            let searched = Some(searched).filter(|searched| *searched > 0);
            let list = self.naming.list(rule.list);
            let meant = near.as_ref().filter(|_| searched.is_some()).map(|near| match self.naming {
                Naming::Flags => typed(list, std::slice::from_ref(near)),
                Naming::Keys => format!("{list} = [{near:?}]"),
            });
            let hint = match (searched, &meant) {
                (None, _) => OTHER_KIND,
                (_, Some(_)) => "",
                (_, None) => advice(rule.list, self.naming),
            };
            let name = self.naming.rule(rule);
            match silent.iter_mut().find(|known| (known.searched, known.hint) == (searched, hint)) {
                Some(known) => {
                    known.names.push(name);
                    known.meant.extend(meant);
                }
                None => silent.push(Silent {
                    searched,
                    hint,
                    names: vec![name],
                    meant: meant.into_iter().collect(),
                }),
            }
        }
        for Silent { searched, hint, names, meant } in silent {
            let its = if names.len() == 1 { "its" } else { "their" };
            let names = names.join(", ");
            let text = match searched {
                Some(searched) => format!("{names} found nothing in {}", many(searched, "line")),
                None => format!("{names} found nothing: {} read, none in {its} format", many(lines, "line")),
            };
            let meant = meant.join(" ");
            say::warning(&text, if meant.is_empty() { hint } else { &meant });
        }
    }
}

/// Rules that found nothing for one reason.
struct Silent {
    /// The lines of their format; none where there was none.
    searched: Option<u64>,
    hint: &'static str,
    names: Vec<String>,
    /// The names that may have been meant, as they are to be typed.
    meant: Vec<String>,
}

/// A rule that found nothing in so many lines is told while the log goes on.
const WARN_AFTER: u64 = 1 << 14;

/// A label's value in Prometheus text.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

const OTHER_KIND: &str = "name the format that this log has: with a flag (--json, --logfmt, --ltsv, --query, --header or \
                          --regex), or with preset, format or log_format in the configuration";

/// The advice about a name that found nothing.
fn advice(list: List, naming: Naming) -> &'static str {
    match (list, naming) {
        (List::Patterns, _) => "try the pattern on a line of the log: until it matches one, it seals nothing",
        (List::Dropped, _) => {
            "compare the names with those in the log: a rule deletes nothing until its name matches"
        }
        (List::Headers, Naming::Flags) => {
            "count the quoted fields after the size: NAME=N is the N-th; while that field is \"-\" or missing, \
             this rule seals nothing"
        }
        _ => "compare the names with those in the log: a rule seals nothing until its name matches",
    }
}
