//! The tables of a document, with drawings beside the names of their rows or above them.

use super::plot::{Scale, Sign, percent};
use super::{plot, sizes};
use crate::document::Section;
use crate::stats::verdict::Verdict;
use crate::table::{Drawn, Figure, Mark, Table, TableRow};
use maud::{Markup, html};

/// A table of a section, and its number there: a drawing beside the names of rows leaves room for few columns, and the others
/// follow in a table that scrolls.
pub fn table(section: &Section, at: usize, table: &Table) -> Markup {
    let columns: Vec<usize> = (1..table.columns.len()).collect();
    let beside = if let Drawn::Marks(_, beside) = table.drawn { beside.min(columns.len()) } else { 0 };
    let (beside, more) = columns.split_at(beside);
    // No two tables of a page are alike to who hears their names.
    let parts = [&*section.title, &*table.title].into_iter().filter(|part| !part.is_empty());
    let label = parts.collect::<Vec<_>>().join(", ");
    html! {
        @match table.drawn {
            Drawn::Marks(axis, _) => { (grid(&label, table, beside, Some(marks(table, axis)))) }
            Drawn::Sizes => { (sizes::plot(&format!("{}-{at}", section.id), table)) }
            Drawn::Nothing => {}
        }
        // A table that is wider than a phone scrolls within its own box, also by keyboard.
        @if !more.is_empty() {
            div .scrolled tabindex="0" role="region" aria-label=(label) { (grid(&label, table, more, None)) }
        }
        @if table.left_out > 0 { p .remarks { "and " (table.left_out) " more lines, all of which are in the results file" } }
    }
}

/// The names of rows and some columns, perhaps with an axis and a drawing of each row between; what no reader of screens sees of
/// a drawing stands in the columns beside it.
fn grid(label: &str, table: &Table, columns: &[usize], drawn: Option<(Markup, Vec<Markup>)>) -> Markup {
    let (axis, drawings) = drawn.unzip();
    let row = |at: usize, row: &TableRow| {
        let drawing = drawings.as_ref().and_then(|drawings| drawings.get(at));
        html! {
            tr data-word=[drawing.and_then(|_| verdict(table, row))] data-samples=[row.samples.as_ref().filter(|_| drawing.is_some())] {
                th scope="row" { @if table.drawn == Drawn::Sizes { (sizes::key(at)) } (name(row)) }
                @if let Some(drawing) = drawing { td .plotted { (drawing) } }
                @for at in columns { (figure(table, row, *at)) }
            }
        }
    };
    html! {
        table .plots[axis.is_some()] data-sort="" {
            caption .hidden[table.title.is_empty()] { @if table.title.is_empty() { (label) } @else { (table.title) } }
            thead {
                tr {
                    (head(table, 0))
                    @if let Some(axis) = &axis { th scope="col" .plotted { (axis) } }
                    @for at in columns { (head(table, *at)) }
                }
            }
            tbody { @for (at, it) in table.rows.iter().enumerate() { (row(at, it)) } }
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
        (Some(_), "verdict") => Some(format!("word {}", class_of(row))),
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

fn class_of(row: &TableRow) -> &'static str {
    look(row.mark.and_then(|mark| mark.verdict)).0
}

/// The word by which rows are filtered.
fn verdict<'a>(table: &Table, row: &'a TableRow) -> Option<&'a str> {
    let at = table.columns.iter().position(|column| column.key == "verdict")?;
    Some(row.figures.get(at)?.as_ref().map_or("not held", |it| it.told.as_str()))
}

/// The axis of all marks of a table, and a drawing of each.
pub fn marks(table: &Table, axis: &str) -> (Markup, Vec<Markup>) {
    let rows = || table.rows.iter();
    let ends = rows().filter_map(|row| row.mark).flat_map(|mark| mark.ends);
    let noise = rows().filter_map(|row| row.noise).flat_map(|floor| [floor, 1.0 / floor]);
    let Some(scale) = Scale::over(ends.chain(noise).chain([1.0])) else {
        return (html! {}, table.rows.iter().map(|_| html! {}).collect());
    };
    let axis = html! {
        span .axis-title { (axis) }
        svg .plot .axis aria-hidden="true" { (plot::labels_at(&scale, &scale.ticks(), "0", plot::plain)) }
    };
    (axis, table.rows.iter().map(|row| marked(row, &scale)).collect())
}

fn marked(row: &TableRow, scale: &Scale) -> Markup {
    let one = percent(scale.at(1.0));
    let told = row.figures.iter().skip(1).flatten().take(2).map(|it| it.told.as_str());
    let told = told.collect::<Vec<_>>().join(": ");
    html! {
        svg .plot .row role="img" aria-label={ (name(row)) ": " (told) } {
            @if let Some(floor) = row.noise { (band(scale, floor)) }
            line .one x1=(one) x2=(one) y1="0" y2="100%" {}
            @if let Some(mark) = &row.mark { (interval(scale, mark)) }
        }
    }
}

/// How far a line differs from itself: no difference within is called.
fn band(scale: &Scale, floor: f64) -> Markup {
    let (low, high) = (scale.at(1.0 / floor), scale.at(floor));
    html! { rect .noise x=(percent(low)) y="0" width=(percent(high - low)) height="100%" {} }
}

/// The colour of a verdict, and its shape, for who sees no colours.
fn look(verdict: Option<Verdict>) -> (&'static str, Sign) {
    match verdict {
        None => ("reference", Sign::DIAMOND),
        Some(Verdict::Faster) => ("faster", Sign::LEFT),
        Some(Verdict::Slower) => ("slower", Sign::RIGHT),
        Some(Verdict::Same) => ("same", Sign::DOT),
        Some(Verdict::Undecided(_)) => ("undecided", Sign::RING),
    }
}

/// A mark with its interval, which is dashed where it is only a range.
fn interval(scale: &Scale, mark: &Mark) -> Markup {
    let (class, sign) = look(mark.verdict);
    let [low, high] = mark.ends.map(|end| percent(scale.at(end)));
    html! {
        @if mark.verdict.is_some() {
            line .interval .(class) x1=(low) x2=(high) y1="50%" y2="50%"
                stroke-dasharray=[(!mark.is_interval).then_some("3 2")] {}
        }
        (sign.at(class, scale.at(mark.at), 50.0))
    }
}

#[cfg(test)]
mod tests;
