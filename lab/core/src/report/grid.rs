//! Columns of equal width.

use super::words;

/// The widest a table should be: two of them fit on a wide screen, one on a page.
pub const WIDEST: usize = 120;

/// A table: some columns of words to the left, then columns of numbers.
pub struct Grid {
    titles: Vec<String>,
    words: usize,
    rows: Vec<Vec<String>>,
}

impl Grid {
    pub fn new<T: Into<String>>(words: usize, titles: impl IntoIterator<Item = T>) -> Self {
        Self { titles: titles.into_iter().map(Into::into).collect(), words, rows: Vec::new() }
    }

    pub fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Lines with two spaces before them. A column in which nobody says anything vanishes; columns move closer together
    /// where the table would be too wide.
    pub fn text(&self) -> String {
        let columns = self.columns();
        let widths: Vec<usize> = columns.iter().map(|column| self.width(*column)).collect();
        let wide = 2 + widths.iter().sum::<usize>() + 2 * columns.len().saturating_sub(1) > WIDEST;
        let gap = if wide { " " } else { "  " };
        let line = |row: &Vec<String>| {
            let cells = columns.iter().zip(&widths).map(|(column, width)| {
                let text = text_of(row, *column);
                if *column < self.words { format!("{text:<width$}") } else { format!("{text:>width$}") }
            });
            format!("  {}", cells.collect::<Vec<_>>().join(gap)).trim_end().to_owned() + "\n"
        };
        std::iter::once(&self.titles).chain(&self.rows).map(line).collect()
    }

    /// Those in which somebody says something.
    fn columns(&self) -> Vec<usize> {
        let said =
            |column: &usize| self.rows.iter().any(|row| row.get(*column).is_some_and(|t| !t.is_empty()));
        (0..self.titles.len()).filter(said).collect()
    }

    /// The same columns as texts: the titles, then the rows. Those of words come first, so many.
    pub fn told(&self) -> (usize, Vec<Vec<&str>>) {
        let columns = self.columns();
        let words = columns.iter().filter(|column| **column < self.words).count();
        (
            words,
            std::iter::once(&self.titles)
                .chain(&self.rows)
                .map(|row| columns.iter().map(|column| text_of(row, *column)).collect())
                .collect(),
        )
    }

    fn width(&self, column: usize) -> usize {
        let texts = std::iter::once(&self.titles).chain(&self.rows).filter_map(|row| row.get(column));
        texts.map(|text| text.chars().count()).max().unwrap_or(0)
    }
}

/// Rows need not be as long as the titles.
fn text_of(row: &[String], column: usize) -> &str {
    row.get(column).map_or("", String::as_str)
}

/// A sentence as lines of at most the widest, with two spaces before the first and four before the others.
pub fn paragraph(sentence: &str) -> String {
    let mut text = String::from(" ");
    let mut width = 1;
    for word in sentence.split(' ') {
        let length = word.chars().count() + 1;
        if width + length > WIDEST && width > 4 {
            text.push_str("\n   ");
            width = 3;
        }
        text.push(' ');
        text.push_str(word);
        width += length;
    }
    text.push('\n');
    text
}

/// More sentences nobody reads.
const MOST_SENTENCES: usize = 200;

/// Sentences under a title; nothing without sentences.
pub fn list(title: &str, sentences: &[String]) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    let sentences = words::at_most(sentences.to_vec(), MOST_SENTENCES);
    format!("\n{title}\n{}", sentences.iter().map(|sentence| paragraph(sentence)).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(texts: [&str; 3]) -> Vec<String> {
        texts.map(str::to_owned).to_vec()
    }

    #[test]
    fn words_stand_left_numbers_right_and_silent_columns_vanish() {
        let mut grid = Grid::new(1, ["name", "nobody", "µs"]);
        grid.push(row(["a", "", "1.0"]));
        grid.push(row(["longer", "", ""]));
        assert_eq!(grid.text(), "  name     µs\n  a       1.0\n  longer\n");
        assert_eq!(grid.told(), (1, vec![vec!["name", "µs"], vec!["a", "1.0"], vec!["longer", ""]]));
    }

    #[test]
    fn a_table_too_wide_moves_together() {
        let mut grid = Grid::new(3, ["a", "b", "c"]);
        let long = "x".repeat(50);
        grid.push(row([&long, &long, "123456789012345"]));
        assert!(grid.text().lines().all(|line| line.chars().count() <= 119 && !line.contains("x  x")));
    }

    #[test]
    fn sentences_are_broken_between_words() {
        let text = paragraph(&"word ".repeat(60));
        let widths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.len() == 3 && widths.iter().all(|width| *width <= WIDEST), "{widths:?}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("    w")), "{text}");
        assert_eq!(list("t", &[]), "");
    }
}
