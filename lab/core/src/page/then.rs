//! What was published elsewhere beside what this run says: tables in the shape in which they were published, and what
//! became of each conclusion.

use super::{Run, tables};
use crate::claims::Fate;
use crate::history::Source;
use crate::report::publication::{Held, Publication, Tested};
use maud::{Markup, html};

pub const ID: &str = "then";

/// Nothing where the run repeats no publication.
pub fn section(run: &Run) -> Markup {
    html! { @if let Some(publication) = &run.document.publication { (of(run, publication)) } }
}

fn of(run: &Run, publication: &Publication) -> Markup {
    html! {
        section .then {
            h2 id=(run.id(ID)) { "Then and now: " (publication.what) }
            (source(publication))
            (conclusions(run, &publication.conclusions))
            h3 id=(run.id("then tables")) { "The published figures beside today's" }
            @for sentence in &publication.reading { p .remarks { (sentence) } }
            (tables::of_words(&publication.table, &run.label(&publication.what)))
            @for sentence in &publication.notes { p .remarks { (sentence) } }
        }
    }
}

fn source(publication: &Publication) -> Markup {
    let Source { title, year, machine, note, .. } = &publication.source;
    html! {
        dl .facts {
            div { dt { "published" } dd { (title) " (" (year) ")" } }
            div { dt { "measured on" } dd { (machine) } }
            div { dt { "how" } dd { (note) } }
            div { dt { "told of in" } dd { code { (publication.file()) } ", with its mistakes of method" } }
        }
    }
}

fn conclusions(run: &Run, conclusions: &[Tested]) -> Markup {
    html! {
        @if !conclusions.is_empty() {
            h3 id=(run.id("then conclusions")) { "What became of its conclusions" }
            ol .conclusions { @for tested in conclusions { li { (conclusion(tested)) } } }
        }
    }
}

/// The sentence as it was published; what decided its fate is a click away.
fn conclusion(tested: &Tested) -> Markup {
    html! {
        p .sentence { (tested.sentence) }
        p .remarks { "confirmed if " (tested.rule) }
        @for Held { place, fate, evidence } in &tested.held {
            details {
                summary { (place) ": " (word(*fate)) }
                p .remarks { (evidence) }
            }
        }
    }
}

/// A sign and a word; the colour says nothing that they do not.
fn word(fate: Fate) -> Markup {
    let (class, sign) = match fate {
        Fate::Confirmed => ("confirmed", "✓"),
        Fate::Refuted => ("refuted", "✕"),
        Fate::Undecided => ("undecided", "○"),
    };
    html! { strong .fate .(class) { span aria-hidden="true" { (sign) } " " (fate.word()) } }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::rows::Row;

    const PLANS: [&str; 4] = ["nkcryptotool", "log-tuning", "peppol-gcm", "tls-2009"];

    fn rows(plan: &str) -> Vec<Row> {
        let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
        crate::results::read(&std::path::Path::new(golden).join(format!("{plan}.jsonl"))).unwrap()
    }

    fn page_of(rows: &[Row]) -> String {
        section(&Run::of("run.jsonl", rows, 0)).into_string()
    }

    /// The texts between tags.
    fn told(page: &str) -> String {
        let texts = page.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text);
        texts.map(str::trim).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn every_publication_is_told_with_its_source_and_the_fate_of_each_conclusion() {
        for (plan, count, figures) in [
            ("nkcryptotool", 4, ["|sealmark P-256|seal|1 KiB|16.6 ms|", "6.72 GB"]),
            ("log-tuning", 5, ["sun.misc.base64|", "49 bytes × 100000"]),
            ("peppol-gcm", 6, ["SunJCE, 100 MB|1.8.0_372|", "27.3 min"]),
            ("tls-2009", 4, ["SSL_RSA_WITH_RC4_128_MD5", "3.66 s"]),
        ] {
            let page = page_of(&rows(plan));
            let told = told(&page);
            assert_eq!(page.matches("class=\"sentence\"").count(), count, "{plan}");
            assert!(page.matches("class=\"fate").count() >= count, "{plan}");
            assert!(page.contains(&format!("<code>lab/history/{plan}.md</code>")), "{plan}");
            for figure in figures {
                assert!(told.contains(figure), "{plan} lacks {figure}: {told}");
            }
        }
    }

    /// What text and page say of a conclusion is the same.
    #[test]
    fn a_fate_has_a_sign_and_the_word_of_the_text() {
        let mut seen = [0; 3];
        for plan in PLANS {
            let page = told(&page_of(&rows(plan)));
            let text =
                std::fs::read_to_string(format!("{}/tests/golden/{plan}.txt", env!("CARGO_MANIFEST_DIR")));
            let text = text.unwrap();
            for (at, (sign, word)) in
                [("✓", "confirmed"), ("✕", "refuted"), ("○", "undecided")].into_iter().enumerate()
            {
                let count = page.matches(&format!("{sign}|{word}|")).count();
                assert_eq!(count, text.matches(&format!(": {word}: ")).count(), "{plan} {word}");
                seen[at] += count;
            }
        }
        assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
    }

    #[test]
    fn a_run_of_files_has_the_figures_and_no_conclusion() {
        let page = page_of(&rows("files"));
        assert!(page.contains("<td>1 KiB</td>") && !page.contains("confirmed if"), "{page}");
        assert_eq!(page_of(&rows("cliff")), "");
    }

    #[test]
    fn a_jdk_that_answers_with_markup_stays_a_name() {
        let mut rows = rows("log-tuning");
        for row in &mut rows {
            if let Row::Engine(engine) = row {
                engine.jdk = engine.jdk.as_ref().map(|_| "17<script>".into());
            }
        }
        let page = page_of(&rows);
        assert!(page.contains("17&lt;script&gt;") && !page.contains("<script"), "{page}");
    }
}
