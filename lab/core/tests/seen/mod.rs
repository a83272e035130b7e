//! Readings of a page as a reader sees it, with a check of its links and labels.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
#![allow(dead_code, reason = "each test program uses its part of it")]

use std::path::Path;

/// The page without the style and the script that every page has, and without its rows, which another library compresses.
pub fn said(page: &str) -> String {
    let without = |page: &str, begin: &str, end: &str| {
        let Some((before, rest)) = page.split_once(begin) else { return page.to_owned() };
        let (_, after) = rest.split_once(end).unwrap();
        format!("{before}{begin}{end}{after}")
    };
    let page = without(page, "<script type=\"application/gzip\" id=\"rows\">", "</script>");
    let page = without(&without(&page, "<style>", "</style>"), "<script>", "</script>");
    let (before, rest) = page.split_once("style-src '").unwrap();
    let (_, after) = rest.split_once("; base-uri").unwrap();
    // One element a line: what differs is to be seen.
    format!("{before}…; base-uri{after}").replace("><", ">\n<")
}

/// Holds a page to the one that is kept; SEALMARK_GOLDEN=write keeps this one.
pub fn assert_golden(golden: &Path, seen: &str) {
    if std::env::var("SEALMARK_GOLDEN").is_ok_and(|wish| wish == "write") {
        std::fs::write(golden, seen).unwrap();
    }
    let expected = std::fs::read_to_string(golden).unwrap();
    let differs = seen.lines().zip(expected.lines()).find(|(seen, expected)| seen != expected);
    assert!(seen == expected, "{} is another page now, first in {differs:#?}", golden.display());
}

/// The values of an attribute, wherever it stands.
pub fn values(page: &str, name: &str) -> Vec<String> {
    let begin = format!(" {name}=\"");
    page.split(&begin).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
}

/// The words of some markup, without tags, scripts and what only machines read.
pub fn words_of(markup: &str) -> String {
    let mut words = String::new();
    let mut parts = markup.split('<');
    words.push_str(parts.next().unwrap());
    for (tag, text) in parts.filter_map(|part| part.split_once('>')) {
        if !tag.starts_with("script") {
            words.push(' ');
            words.push_str(text);
        }
    }
    words
}

/// The part of a page that an id names: all up to the next heading that is as high, or a table.
pub fn part_of<'a>(page: &'a str, id: &str) -> &'a str {
    let (before, rest) = page.split_once(&format!(" id=\"{id}\"")).unwrap();
    let tag = before.rsplit('<').next().unwrap().split(' ').next().unwrap();
    let Some(level) = tag.strip_prefix('h').map(|level| level.parse::<u32>().unwrap()) else {
        return rest.split(&format!("</{tag}>")).next().unwrap();
    };
    let headings = (1..=level).flat_map(|level| [format!("<h{level} "), format!("<h{level}>")]);
    let end = headings.filter_map(|heading| rest.find(&heading)).min();
    &rest[..end.unwrap_or(rest.len())]
}

/// "1.30" is another figure than "1.3": so they are written.
pub fn numbers_of(words: &str) -> std::collections::BTreeSet<&str> {
    let digits = |text: &&str| text.contains(|letter: char| letter.is_ascii_digit());
    let numbers = words.split(|letter: char| !letter.is_ascii_digit() && letter != '.');
    numbers
        .flat_map(|number| number.split(".."))
        .map(|number| number.trim_matches('.'))
        .filter(digits)
        .collect()
}

/// Counts ids and links. The target of each link and label must exist, and each id must stand once.
pub fn links_of(page: &str) -> (usize, usize) {
    let mut ids = values(page, "id");
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(count, ids.len(), "ids that stand twice");
    let links = values(page, "href");
    for link in &links {
        assert!(ids.iter().any(|id| Some(id.as_str()) == link.strip_prefix('#')), "{link} leads nowhere");
    }
    for id in values(page, "aria-labelledby").join(" ").split_whitespace() {
        assert!(ids.iter().any(|known| known == id), "nothing has the id {id}");
    }
    (count, links.len())
}
