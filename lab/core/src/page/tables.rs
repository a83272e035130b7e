//! The tables of a document, with drawings beside the names of their rows or above them.

use super::plot::{Scale, Sign, percent};
use super::{Run, markup, plot, raw, sizes};
use crate::document::Section;
use crate::report::said::Proof;
use crate::stats::verdict::Verdict;
use crate::table::{Drawn, Figure, Mark, Table, TableRow};
use maud::{Markup, html};

/// A section of the evidence of a job.
pub fn section(run: &Run, job: &str, section: &Section) -> Markup {
    let of_table = |(at, it): (usize, &Table)| table(&Place { run, job, section, at }, it);
    let tables: Vec<Markup> = section.tables.iter().enumerate().map(of_table).collect();
    html! {
        section .evidence {
            @if section.at == Proof::Command {
                pre .command tabindex="0" role="region" aria-label=(run.label("command")) {
                    code { (section.title) }
                }
            } @else {
                h3 id=(run.id_of(job, section.at)) { (section.title) }
            }
            @if !section.reading.is_empty() { p .remarks { (section.reading) } }
            @for table in tables { (table) }
            (markup::list("remarks", &section.remarks))
        }
    }
}

/// Where a table stands.
struct Place<'a> {
    run: &'a Run<'a>,
    job: &'a str,
    section: &'a Section,
    at: usize,
}

impl Place<'_> {
    /// The samples of a row, for the attribute `data-samples`.
    fn samples(&self, row: &TableRow) -> Option<String> {
        let (Proof::Cell(size, operation) | Proof::Warmth(size, operation)) = self.section.at else {
            return None;
        };
        let has_rows = !self.run.rows.is_empty();
        let line = row.line.as_ref().filter(|_| has_rows)?;
        Some(raw::key(self.job, size, operation, line))
    }

    /// The name that a screen reader has for it: no two tables of a page are alike.
    fn label(&self, table: &Table) -> String {
        let title = [self.job, self.section.title.as_str(), table.title.as_str()];
        self.run.label(&title.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", "))
    }
}

fn table(place: &Place, table: &Table) -> Markup {
    let columns: Vec<usize> = (1..table.columns.len()).collect();
    let told = match table.drawn {
        Drawn::Marks(axis, beside) => {
            let (beside, more) = columns.split_at(beside.min(columns.len()));
            html! {
                (drawn(place, table, beside, axis))
                @if !more.is_empty() { (plain(place, table, more, "Speed, CPU time and memory")) }
            }
        }
        Drawn::Sizes => {
            let id = format!("{}-{}", place.run.id_of(place.job, place.section.at), place.at);
            html! { (sizes::plot(&id, table)) (plain(place, table, &columns, &table.title)) }
        }
        Drawn::Nothing if place.job.is_empty() => of_words(table, &place.label(table)),
        Drawn::Nothing => plain(place, table, &columns, &table.title),
    };
    let told = html! {
        (told)
        @if table.left_out > 0 { p .remarks { "and " (table.left_out) " more lines, all of which are in the results file" } }
    };
    if !table.is_folded {
        return told;
    }
    let plural = if table.rows.len() == 1 { "" } else { "s" };
    markup::folded(&format!("{} line{plural} without a late step", table.rows.len()), &told)
}

/// A table as somebody else had it: named by the first of a row's texts, what several rows have in common is said once.
pub fn of_words(table: &Table, label: &str) -> Markup {
    let row = |row: &TableRow| {
        let named = row.figures.iter().position(Option::is_some);
        html! {
            @for at in 0..table.columns.len() {
                @if Some(at) == named && at < table.words {
                    th scope="row" { (row.told(at)) }
                } @else {
                    td class=[(at >= table.words).then_some("number")] { (row.told(at)) }
                }
            }
        }
    };
    let inner = html! {
        table {
            caption { @if table.title.is_empty() { (label) } @else { (table.title) } }
            thead { tr { @for at in 0..table.columns.len() { (head(table, at)) } } }
            tbody { @for it in &table.rows { tr { (row(it)) } } }
        }
    };
    markup::scrolled(label, &inner)
}

/// Columns of figures behind the names of rows.
fn plain(place: &Place, table: &Table, columns: &[usize], caption: &str) -> Markup {
    let key = |at| html! { @if table.drawn == Drawn::Sizes { (sizes::key(at)) } };
    let row = |(at, row): (usize, &TableRow)| {
        html! { tr { th scope="row" { (key(at)) (name(row)) } (figures(table, row, columns)) } }
    };
    let inner = html! {
        table data-sort="" {
            caption { (caption) }
            thead { tr { (head(table, 0)) @for at in columns { (head(table, *at)) } } }
            tbody { @for it in table.rows.iter().enumerate() { (row(it)) } }
        }
    };
    markup::scrolled(&format!("{}, {caption}", place.label(table)), &inner)
}

/// With an axis, and a drawing beside each name; what no reader of screens sees of it stands in the columns.
fn drawn(place: &Place, table: &Table, columns: &[usize], axis: &str) -> Markup {
    let caption = if table.title.is_empty() { &place.section.title } else { &table.title };
    let (axis, drawings) = marks(table, axis);
    html! {
        table .plots data-sort="" {
            caption .hidden[table.title.is_empty()] { (caption) }
            thead {
                tr {
                    (head(table, 0))
                    th scope="col" .plotted { (axis) }
                    @for at in columns { (head(table, *at)) }
                }
            }
            tbody {
                @for (row, drawing) in table.rows.iter().zip(drawings) {
                    tr data-word=[verdict(table, row)] data-samples=[place.samples(row)] {
                        th scope="row" { (name(row)) }
                        td .plotted { (drawing) }
                        (figures(table, row, columns))
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

fn figures(table: &Table, row: &TableRow, columns: &[usize]) -> Markup {
    html! { @for at in columns { (figure(table, row, *at)) } }
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
    look(row.beside.mark.and_then(|mark| mark.verdict)).0
}

/// The word by which rows are filtered.
fn verdict<'a>(table: &Table, row: &'a TableRow) -> Option<&'a str> {
    let at = table.columns.iter().position(|column| column.key == "verdict")?;
    Some(row.figures.get(at)?.as_ref().map_or("not held", |it| it.told.as_str()))
}

/// The axis of all marks of a table, and a drawing of each.
pub fn marks(table: &Table, axis: &str) -> (Markup, Vec<Markup>) {
    let rows = || table.rows.iter().map(|row| &row.beside);
    let ends = rows().filter_map(|row| row.mark).flat_map(|mark| mark.ends);
    let noise = rows().filter_map(|row| row.noise).flat_map(|floor| [floor, 1.0 / floor]);
    let Some(scale) = Scale::over(ends.chain(noise).chain([1.0])) else {
        return (html! {}, table.rows.iter().map(|_| html! {}).collect());
    };
    let axis = html! {
        span .axis-title { (axis) }
        svg .plot .axis aria-hidden="true" { (plot::x_labels(&scale, "0", plot::plain)) }
    };
    (axis, table.rows.iter().map(|row| marked(row, &scale)).collect())
}

fn marked(row: &TableRow, scale: &Scale) -> Markup {
    let one = percent(scale.at(1.0));
    let told = row.figures.iter().skip(1).flatten().take(2).map(|it| it.told.as_str());
    let told = told.collect::<Vec<_>>().join(": ");
    html! {
        svg .plot .row role="img" aria-label={ (name(row)) ": " (told) } {
            @if let Some(floor) = row.beside.noise { (band(scale, floor)) }
            line .one x1=(one) x2=(one) y1="0" y2="100%" {}
            @if let Some(mark) = &row.beside.mark { (interval(scale, mark)) }
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
