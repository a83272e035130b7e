//! The raw rows, in the page itself: what the figures were computed from travels with them.
//!
//! A hundred thousand samples say the same names again and again, so rows of one kind are columns. `script.js` reads
//! them, and gives the rows back.

use super::Run;
use crate::protocol::Operation;
use crate::rows::{Line, Row};
use maud::{Markup, PreEscaped, html};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The element with the rows.
pub const ID: &str = "rows";
/// The part that tells of it.
pub const ID_OF_TEXT: &str = "raw";

pub fn section(run: &Run) -> Markup {
    html! {
        section .raw {
            h2 id=(run.id(ID_OF_TEXT)) { "Raw rows" }
            p {
                @match run.rows.len() { 1 => "The one row of ", count => { "All " (count) " rows of " } }
                code { (run.name) } " can be read in this file (lab/spec/run.md), in the element "
                code { "#" (run.id(ID)) } "; " code { "sealmark-lab table" } " prints them as text."
            }
            // Inert: every character that could end the element or begin another is escaped.
            script type="application/json" id=(run.id(ID)) { (PreEscaped(escaped(&run.measured.json(run.rows)))) }
        }
    }
}

/// JSON that no parser of HTML, and none of JavaScript, takes for anything else.
fn escaped(value: &Value) -> String {
    let mut text = String::new();
    for character in value.to_string().chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                text.push_str(&format!("\\u{:04x}", character as u32))
            }
            _ => text.push(character),
        }
    }
    text
}

/// What a sample is of: job, size, operation, line; numbered in the order in which they first appear.
#[derive(Default)]
pub struct Numbered {
    numbers: BTreeMap<Of, usize>,
}

type Of = (String, u64, Operation, Line);

/// The members of a row that say what it is of.
const NAMES: [&str; 7] = ["job", "size", "operation", "engine", "algorithm", "shape", "again"];

impl Numbered {
    pub fn of(rows: &[Row]) -> Self {
        let mut measured = Self::default();
        for row in rows {
            let of = match row {
                Row::Sample(row) => (row.job.clone(), row.size, row.operation, row.line.clone()),
                Row::Ramp(row) => (row.job.clone(), row.size, row.operation, row.line.clone()),
                _ => continue,
            };
            let next = measured.numbers.len();
            measured.numbers.entry(of).or_insert(next);
        }
        measured
    }

    pub fn number(&self, job: &str, size: u64, operation: Operation, line: &Line) -> Option<usize> {
        self.numbers.get(&(job.to_owned(), size, operation, line.clone())).copied()
    }

    /// `order`: for each stretch of rows of one table, which one, and how many; `tables`: rows with the same members,
    /// column by column; `of`: what samples and ramps are of.
    fn json(&self, rows: &[Row]) -> Value {
        let mut tables: Vec<Table> = Vec::new();
        let mut order: Vec<[usize; 2]> = Vec::new();
        for row in rows {
            let members = self.members(row);
            let at = tables.iter().position(|table| table.holds(&members)).unwrap_or_else(|| {
                tables.push(Table::like(&members));
                tables.len() - 1
            });
            tables[at].push(members);
            match order.last_mut() {
                Some([table, count]) if *table == at => *count += 1,
                _ => order.push([at, 1]),
            }
        }
        json!({
            "of": self.named(),
            "order": order,
            "tables": tables.into_iter().map(Table::json).collect::<Vec<_>>(),
        })
    }

    /// A row's members, the names of a sample's or ramp's line as one number.
    fn members(&self, row: &Row) -> Map<String, Value> {
        let Ok(Value::Object(mut members)) = serde_json::to_value(row) else { return Map::new() };
        let number = match row {
            Row::Sample(row) => self.number(&row.job, row.size, row.operation, &row.line),
            Row::Ramp(row) => self.number(&row.job, row.size, row.operation, &row.line),
            _ => None,
        };
        if let Some(number) = number {
            NAMES.iter().for_each(|name| drop(members.remove(*name)));
            members.insert("of".into(), number.into());
        }
        members
    }

    fn named(&self) -> Vec<Value> {
        let mut named: Vec<(&Of, &usize)> = self.numbers.iter().collect();
        named.sort_by_key(|(_, number)| **number);
        let told = named.into_iter().map(|((job, size, operation, line), _)| {
            let mut members = json!({ "job": job, "size": size, "operation": operation });
            if let (Some(members), Ok(Value::Object(line))) =
                (members.as_object_mut(), serde_json::to_value(line))
            {
                members.extend(line);
            }
            members
        });
        told.collect()
    }
}

/// Rows with the same members, by column.
struct Table {
    row: Value,
    columns: Vec<(String, Vec<Value>)>,
}

impl Table {
    fn like(members: &Map<String, Value>) -> Self {
        let columns = members.keys().filter(|name| *name != "row").map(|name| (name.clone(), Vec::new()));
        Self { row: members.get("row").cloned().unwrap_or_default(), columns: columns.collect() }
    }

    fn holds(&self, members: &Map<String, Value>) -> bool {
        members.get("row") == Some(&self.row)
            && members.len() == self.columns.len() + 1
            && self.columns.iter().all(|(name, _)| members.contains_key(name))
    }

    fn push(&mut self, mut members: Map<String, Value>) {
        for (name, values) in &mut self.columns {
            values.push(members.remove(name).unwrap_or_default());
        }
    }

    fn json(self) -> Value {
        let length = self.columns.first().map_or(0, |(_, values)| values.len());
        let is_sum = self.is_done_the_sum_of_counts() == Some(true);
        let encoded = |(name, values): (String, Vec<Value>)| {
            let is_sum = is_sum && name == "done";
            let column = if is_sum { json!({ "sum": "count" }) } else { column(values) };
            (name, column)
        };
        let columns = self.columns.into_iter().map(encoded);
        json!({ "row": self.row, "length": length, "columns": columns.collect::<Map<_, _>>() })
    }
}

impl Table {
    /// Ramps tell what their line had done before: what their earlier rows count, unless a line was watched twice.
    fn is_done_the_sum_of_counts(&self) -> Option<bool> {
        let column =
            |wanted: &str| self.columns.iter().find(|(name, _)| name == wanted).map(|(_, values)| values);
        let (of, count, done) = (column("of")?, column("count")?, column("done")?);
        let mut sums: BTreeMap<u64, u64> = BTreeMap::new();
        for ((of, count), done) in of.iter().zip(count).zip(done) {
            let sum = sums.entry(of.as_u64()?).or_default();
            if done.as_u64()? != *sum {
                return Some(false);
            }
            *sum = sum.checked_add(count.as_u64()?)?;
        }
        Some(true)
    }
}

/// One value where all are the same, `{"all": …}`; else the shortest of: all of them; each once, by number, `{"names": […],
/// "at": […]}`; patterns, and how often each comes in a row, `{"runs": [[value, …], count, …]}`.
fn column(values: Vec<Value>) -> Value {
    if values.windows(2).all(|pair| pair[0] == pair[1]) {
        return json!({ "all": values.first() });
    }
    let ways = [named(&values), Some(runs(&values))];
    let shortest =
        ways.into_iter().flatten().map(|way| (way.to_string().len(), way)).min_by_key(|(length, _)| *length);
    match shortest {
        Some((length, way)) if length < length_of(&values) => way,
        _ => Value::Array(values),
    }
}

fn length_of(values: &[Value]) -> usize {
    values.iter().map(|value| value.to_string().len() + ",".len()).sum()
}

/// None where there are too many different ones.
fn named(values: &[Value]) -> Option<Value> {
    let mut names: Vec<&Value> = Vec::new();
    let mut at: Vec<usize> = Vec::new();
    for value in values {
        let known = names.iter().position(|name| *name == value);
        at.push(known.unwrap_or(names.len()));
        if known.is_none() {
            names.push(value);
        }
        if names.len() > MOST_NAMES {
            return None;
        }
    }
    Some(json!({ "names": names, "at": at }))
}

/// Patterns of a few values, each with how often it comes: lines are watched in turns.
fn runs(values: &[Value]) -> Value {
    let mut runs: Vec<Value> = Vec::new();
    let mut rest = values;
    while !rest.is_empty() {
        let (length, times) = (1..=LONGEST_PATTERN.min(rest.len()))
            .map(|length| (length, times(rest, length)))
            .max_by_key(|(length, times)| (length * times, std::cmp::Reverse(*length)))
            .unwrap_or((1, 1));
        runs.extend([rest[..length].into(), times.into()]);
        rest = &rest[length * times..];
    }
    json!({ "runs": runs })
}

/// How often the first values come before others do.
fn times(values: &[Value], length: usize) -> usize {
    values.chunks_exact(length).take_while(|chunk| *chunk == &values[..length]).count()
}

const LONGEST_PATTERN: usize = 8;
const MOST_NAMES: usize = 128;
