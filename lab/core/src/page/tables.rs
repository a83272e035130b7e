//! The tables of a document, with drawings beside the names of their rows or above them.

use super::plot::{self, Scale, Sign, percent};
use crate::document::Section;
use crate::format;
use crate::stats::verdict::Verdict;
use crate::table::{Drawn, Figure, Table, TableRow};
use maud::{Markup, html};

/// A table of a section, and its number there: a drawing beside the names of rows leaves room for few columns, and the others
/// follow in a table that scrolls.
pub fn table(section: &Section, at: usize, table: &Table) -> Markup {
    let most = if let Drawn::Marks(_, beside) = table.drawn { beside } else { 0 };
    let columns = table.told_columns().into_iter().filter(|at| *at > 0);
    let (beside, more): (Vec<usize>, Vec<usize>) = columns.partition(|at| *at <= most);
    // No two tables of a page are alike to who hears their names.
    let parts = [&*section.title, &*table.title].into_iter().filter(|part| !part.is_empty());
    let label = parts.collect::<Vec<_>>().join(", ");
    html! {
        @match table.drawn {
            Drawn::Marks(axis, _) => { (grid(&label, table, &beside, scale(table).map(|scale| (axis, scale)))) }
            Drawn::Sizes => { (plot::of_sizes(&format!("{}-{at}", section.id), table)) }
            Drawn::Nothing => {}
        }
        // A table that is wider than a phone scrolls within its own box, also by keyboard.
        @if !more.is_empty() {
            div .scrolled tabindex="0" role="region" aria-label=(label) { (grid(&label, table, &more, None)) }
        }
        @if let Some(rest) = format::rest(table.left_out, "more lines") { p .remarks { (rest) } }
    }
}

/// The names of rows and some columns, perhaps with an axis and a drawing of each row between; what no reader of screens sees of
/// a drawing stands in the columns beside it.
fn grid(label: &str, table: &Table, columns: &[usize], drawn: Option<(&str, Scale)>) -> Markup {
    html! {
        table .plots[drawn.is_some()] data-sort="" {
            caption .hidden[table.title.is_empty()] { @if table.title.is_empty() { (label) } @else { (table.title) } }
            thead {
                tr {
                    (head(table, 0))
                    @if let Some((axis, scale)) = &drawn {
                        th scope="col" .plotted {
                            span .axis-title { (axis) }
                            svg .plot .axis aria-hidden="true" { (plot::labels_at(scale, &scale.ticks(), "0", plot::plain)) }
                        }
                    }
                    @for at in columns { (head(table, *at)) }
                }
            }
            tbody {
                @for (at, row) in table.rows.iter().enumerate() {
                    @let about = drawn.as_ref().map(|_| (verdict(table, columns, row), &row.samples));
                    tr data-word=[about.and_then(|(word, _)| word)] data-samples=[about.and_then(|(_, samples)| samples.as_ref())] {
                        th scope="row" { @if table.drawn == Drawn::Sizes { (plot::key(at)) } (name(row)) }
                        @if let Some((_, scale)) = &drawn { td .plotted { (marked(row, scale)) } }
                        @for at in columns { (figure(table, row, *at)) }
                    }
                }
            }
        }
    }
}

fn head(table: &Table, at: usize) -> Markup {
    html! { th scope="col" class=[is_number(table, at).then_some("number")] { (table.columns[at].title) } }
}

fn is_number(table: &Table, at: usize) -> bool {
    at >= table.words && table.columns[at].key != "verdict"
}

/// A row without a name could not be told from the others.
fn name(row: &TableRow) -> &str {
    Some(row.told(0)).filter(|name| !name.is_empty()).unwrap_or("-")
}

fn figure(table: &Table, row: &TableRow, at: usize) -> Markup {
    let title = &table.columns[at].title;
    let told = row.figures.get(at).and_then(Option::as_ref);
    let class = match (told, table.columns[at].key.as_str()) {
        (Some(_), "verdict") => Some(format!("word {}", look(row).0)),
        _ => is_number(table, at).then(|| "number".into()),
    };
    html! {
        td class=[class] data-label=(title) data-value=[told.and_then(|it| it.value)] {
            @if let Some(Figure { told, why, .. }) = told {
                (told)
                @if !why.is_empty() { span .about { (why) } }
            }
        }
    }
}

/// The word by which rows are filtered.
fn verdict<'a>(table: &Table, columns: &[usize], row: &'a TableRow) -> Option<&'a str> {
    let at = *columns.iter().find(|at| table.columns[**at].key == "verdict")?;
    Some(row.figures.get(at)?.as_ref().map_or("not held", |it| it.told.as_str()))
}

/// The scale of all marks of a table.
pub fn scale(table: &Table) -> Option<Scale> {
    let rows = || table.rows.iter();
    let ends = rows().filter_map(TableRow::ratio).flat_map(|ratio| [ratio.low, ratio.high]);
    let noise = rows().filter_map(|row| row.noise).flat_map(|floor| [floor, 1.0 / floor]);
    Scale::over(ends.chain(noise).chain([1.0]))
}

pub fn marked(row: &TableRow, scale: &Scale) -> Markup {
    let one = percent(scale.at(1.0));
    let told = row.figures.iter().skip(1).flatten().take(2).map(|it| it.told.as_str());
    let told = told.collect::<Vec<_>>().join(": ");
    html! {
        svg .plot .row role="img" aria-label={ (name(row)) ": " (told) } {
            @if let Some(floor) = row.noise {
                // No difference within is called.
                @let (low, high) = (scale.at(1.0 / floor), scale.at(floor));
                rect .noise x=(percent(low)) y="0" width=(percent(high - low)) height="100%" {}
            }
            line .one x1=(one) x2=(one) y1="0" y2="100%" {}
            (interval(scale, row))
        }
    }
}

/// The colour of a row's verdict, and its shape, for who sees no colours.
fn look(row: &TableRow) -> (&'static str, Sign) {
    match row.ratio().map(|ratio| ratio.verdict) {
        None => ("reference", Sign::DIAMOND),
        Some(Verdict::Faster) => ("faster", Sign::LEFT),
        Some(Verdict::Slower) => ("slower", Sign::RIGHT),
        Some(Verdict::Same) => ("same", Sign::DOT),
        Some(Verdict::Undecided(_)) => ("undecided", Sign::RING),
    }
}

/// A ratio with its interval, which is dashed where it is only a range; the reference has none.
fn interval(scale: &Scale, row: &TableRow) -> Markup {
    let (class, sign) = look(row);
    let at = row.ratio().map(|ratio| ratio.median).or(row.is_reference.then_some(1.0));
    html! {
        @if let Some(ratio) = row.ratio() {
            line .interval .(class) x1=(percent(scale.at(ratio.low))) x2=(percent(scale.at(ratio.high))) y1="50%" y2="50%"
                stroke-dasharray=[ratio.interval.is_none().then_some("3 2")] {}
        }
        @if let Some(at) = at { (sign.at(class, scale.at(at), 50.0)) }
    }
}

#[cfg(test)]
mod tests;
