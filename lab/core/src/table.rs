//! Tables: what evidence is made of. Text, page and JSON show the same ones.

use crate::format;
use crate::rows;
use crate::summary::Ratio;
use serde::Serialize;

/// The widest that text should be: two tables fit on a wide screen, one on a page.
pub const WIDEST: usize = 120;

/// Nobody reads more of them in a table, and a browser must draw them at once.
const MOST_ROWS: usize = 500;

#[derive(Debug, Default, Serialize)]
pub struct Table {
    pub title: String,
    /// So many columns of words come first, the names of rows among them; the others are numbers.
    pub words: usize,
    pub columns: Vec<Column>,
    pub rows: Vec<TableRow>,
    /// Rows of which it has no room.
    pub left_out: usize,
    /// The drawing beside the names of rows on a page.
    #[serde(skip)]
    pub drawn: Drawn,
}

/// A drawing of each row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Drawn {
    #[default]
    Nothing,
    /// A mark with its interval, on an axis of this title, and so many columns beside it: a screen has no room for more.
    Marks(&'static str, usize),
    /// All rows in one plot above the table.
    Sizes,
}

#[derive(Debug, Serialize)]
pub struct Column {
    pub key: String,
    pub title: String,
}

#[derive(Debug, Default, Serialize)]
pub struct TableRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<rows::Line>,
    /// The key of its samples among the rows of a page.
    #[serde(skip)]
    pub samples: Option<String>,
    pub figures: Vec<Option<Figure>>,
    /// It is the line that the others are compared with.
    #[serde(skip)]
    pub is_reference: bool,
    /// How far the line differs from itself.
    #[serde(skip)]
    pub noise: Option<f64>,
    #[serde(skip)]
    pub series: Option<Series>,
}

/// A line at its sizes, in nanoseconds of one operation.
#[derive(Debug, Default)]
pub struct Series {
    pub measured: Vec<(u64, f64)>,
    pub fitted: Vec<(u64, f64)>,
}

/// One of a row's figures or words.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Figure {
    pub told: String,
    /// The number that is told, in the unit of its column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The ends of its interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends: Option<[f64; 2]>,
    /// All that is known of it, if it is one of times.
    #[serde(skip)]
    pub ratio: Option<Ratio>,
    /// Said in small letters below it.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub why: &'static str,
}

impl Figure {
    pub fn word(told: impl Into<String>) -> Self {
        Self { told: told.into(), ..Self::default() }
    }

    pub fn number(told: String, value: f64) -> Self {
        Self { told, value: Some(value).filter(|value| value.is_finite()), ..Self::default() }
    }

    pub fn with_ends(told: String, value: f64, ends: [f64; 2]) -> Self {
        Self { ends: Some(ends), ..Self::number(told, value) }
    }

    pub fn ratio(ratio: &Ratio) -> Self {
        let told = format::ratio(ratio, "");
        Self { ratio: Some(*ratio), ..Self::with_ends(told, ratio.median, [ratio.low, ratio.high]) }
    }

    pub fn verdict(ratio: &Ratio) -> Self {
        let (word, why) = format::verdict(ratio.verdict);
        Self { why, ..Self::word(word) }
    }
}

impl Table {
    /// Columns that have no names but their titles.
    pub fn titled<T: Into<String>>(title: &str, words: usize, titles: impl IntoIterator<Item = T>) -> Self {
        let titles = titles.into_iter().map(Into::<String>::into);
        let columns = titles.map(|title| Column { key: title.clone(), title }).collect();
        Self { title: title.into(), words, columns, ..Self::default() }
    }

    /// A row of texts, however many there are; what is empty says nothing.
    pub fn push(&mut self, texts: impl IntoIterator<Item = String>) {
        let figure = |text: String| (!text.is_empty()).then(|| Figure::word(text));
        self.rows.push(TableRow { figures: texts.into_iter().map(figure).collect(), ..TableRow::default() });
    }

    /// A row about a line, if there is room for it.
    pub fn push_row(&mut self, row: TableRow) {
        let has_room = self.rows.len() < MOST_ROWS;
        self.rows.extend(has_room.then_some(row));
        self.left_out += usize::from(!has_room);
    }

    /// Columns in which somebody says something: people see no others.
    pub fn told_columns(&self) -> Vec<usize> {
        let is_told =
            |at: &usize| self.rows.iter().any(|row| row.figures.get(*at).is_some_and(Option::is_some));
        (0..self.columns.len()).filter(is_told).collect()
    }

    /// The table below its title, if it has one.
    pub fn titled_text(&self) -> String {
        let text = self.text();
        if self.title.is_empty() { text } else { format!("\n{}\n{text}", format::shown(&self.title)) }
    }

    /// Lines with two spaces before them. Columns beyond the width go on below, the names once more.
    pub fn text(&self) -> String {
        let mut columns = self.told_columns().into_iter().map(|at| (at, self.width(at)));
        let Some((first, width)) = columns.next() else { return String::new() };
        let mut parts = vec![vec![(first, width)]];
        for column in columns {
            let last = parts.last_mut().filter(|part| {
                let taken: usize = part.iter().chain([&column]).map(|(_, width)| 2 + width).sum();
                taken <= WIDEST || part.len() == 1
            });
            match last {
                Some(part) => part.push(column),
                // The whole names stand above.
                None => parts.push(vec![(first, width.min(MOST_OF_A_NAME)), column]),
            }
        }
        let text = parts.iter().map(|part| self.text_of(part)).collect::<Vec<_>>().join("\n");
        format::rest(self.left_out, "more lines").map(|rest| format!("{text}  {rest}\n")).unwrap_or(text)
    }

    /// Columns with their widths.
    fn text_of(&self, columns: &[(usize, usize)]) -> String {
        let line = |texts: Vec<&str>| {
            let cells = columns.iter().zip(texts).map(|(&(at, width), text)| {
                let text = cut(&format::shown(text), width);
                if at < self.words { format!("{text:<width$}") } else { format!("{text:>width$}") }
            });
            format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_owned() + "\n"
        };
        let titles = line(columns.iter().map(|(at, _)| self.columns[*at].title.as_str()).collect());
        let told = |row: &TableRow| line(columns.iter().map(|(at, _)| row.told(*at)).collect());
        std::iter::once(titles).chain(self.rows.iter().map(told)).collect()
    }

    fn width(&self, at: usize) -> usize {
        let told = self.rows.iter().map(|row| row.told(at)).chain([&*self.columns[at].title]);
        let widest = told.map(|text| format::shown(text).chars().count()).max();
        // The first names the rows: cut, they could not be told apart.
        widest.unwrap_or(0).min(if at == 0 { usize::MAX } else { MOST_OF_A_COLUMN })
    }
}

impl TableRow {
    /// The first of its ratios, which is what is drawn.
    pub fn ratio(&self) -> Option<&Ratio> {
        self.figures.iter().flatten().find_map(|figure| figure.ratio.as_ref())
    }

    /// Rows need not be as long as the titles.
    pub fn told(&self, at: usize) -> &str {
        self.figures.get(at).and_then(Option::as_ref).map_or("", |figure| &figure.told)
    }
}

/// More bars than these are a table, which the evidence has.
pub const MOST_BARS: usize = 8;

/// A name, and the figure that stands beside it and is drawn.
pub type Bar = (String, Figure);

/// "3.55 ×".
pub fn bar(name: String, ratio: &Ratio) -> Bar {
    (name, Figure { told: format!("{} ×", format::factor(ratio.median)), ..Figure::ratio(ratio) })
}

/// Marks stand for multiples of a unit.
pub fn pictured(unit: &str, bars: impl IntoIterator<Item = Bar>) -> Table {
    let mut table = Table::titled(&format!("× {unit}"), 1, ["line", "told"]);
    table.drawn = Drawn::Marks("", 1);
    for (name, figure) in bars {
        let is_reference = figure.ratio.is_none();
        let figures = vec![Some(Figure::word(name)), Some(figure)];
        table.push_row(TableRow { figures, is_reference, ..TableRow::default() });
    }
    table
}

/// A table that goes on below another has so much room for names, and for a column of words.
const MOST_OF_A_NAME: usize = 40;
const MOST_OF_A_COLUMN: usize = WIDEST - MOST_OF_A_NAME - 4;

fn cut(text: &str, width: usize) -> String {
    let is_whole = text.chars().count() <= width;
    if is_whole { text.to_owned() } else { text.chars().take(width - 1).chain(['…']).collect() }
}

/// A sentence as lines of at most the widest, with two spaces before the first and four before the others.
pub fn paragraph(sentence: &str) -> String {
    let options = whole_words(WIDEST).break_words(false).initial_indent("  ").subsequent_indent("    ");
    textwrap::fill(&format::shown(sentence), options) + "\n"
}

/// Lines end where words do.
pub fn whole_words<'a>(columns: usize) -> textwrap::Options<'a> {
    let options = textwrap::Options::new(columns).word_separator(textwrap::WordSeparator::AsciiSpace);
    options
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(texts: [&str; 3]) -> Vec<String> {
        texts.map(str::to_owned).to_vec()
    }

    #[test]
    fn words_stand_left_numbers_right_and_silent_columns_vanish() {
        let mut table = Table::titled("t", 1, ["name", "nobody", "µs"]);
        table.push(row(["a", "", "1.0"]));
        table.push(row(["longer", "", ""]));
        let expected = "  name     µs\n  a       1.0\n  longer\n";
        assert_eq!(table.text(), expected);
        assert_eq!(table.told_columns(), [0, 2]);
    }

    #[test]
    fn a_table_too_wide_goes_on_below() {
        let mut table = Table::titled("t", 1, ["a", "b", "c"]);
        let long = "x".repeat(70);
        table.push(row(["name", &long, &long]));
        let lines: Vec<String> = table.text().lines().map(str::to_owned).collect();
        assert!(lines.len() == 5 && lines.iter().all(|line| line.chars().count() <= WIDEST), "{lines:?}");
        assert!(
            lines[1].starts_with("  name  x") && lines[4].starts_with("  name  x") && lines[2].is_empty()
        );
    }

    #[test]
    fn rows_that_nobody_reads_are_counted() {
        let mut table = Table::titled("t", 1, ["a"]);
        (0..MOST_ROWS + 7).for_each(|_| {
            table.push_row(TableRow { figures: vec![Some(Figure::word("a"))], ..TableRow::default() })
        });
        assert_eq!((table.rows.len(), table.left_out), (MOST_ROWS, 7));
        assert!(table.text().ends_with("and 7 more lines, all of which are in the results file\n"));
    }

    #[test]
    fn sentences_are_broken_between_words() {
        let text = paragraph(&"word ".repeat(60));
        let widths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.len() == 3 && widths.iter().all(|width| *width <= WIDEST), "{widths:?}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("    w")), "{text}");
    }
}
