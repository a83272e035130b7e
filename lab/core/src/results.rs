//! Reads results files, and writes files that are made from them: these can be made again, so they replace what was there, but
//! never the results.

use crate::rows::{Row, SCHEMA};
use crate::trouble::{Result, Trouble, because};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The longest line of a results file, its line feed included: what an engine may answer fits in many times over.
const LONGEST_LINE: u64 = 1 << 20;

/// Millions of samples: a larger file is a mistake, and would not fit into memory as rows.
const LARGEST: u64 = 512 << 20;

/// In memory a row takes about half a kilobyte, however few bytes it has in a file.
const MOST_ROWS: usize = 2_000_000;

/// Reads a results file. A last line cut short by an interruption is no row and no error.
pub fn read(path: &Path) -> Result<Vec<Row>> {
    let file = File::open(path).map_err(|error| cannot_read(path, error))?;
    read_from(BufReader::new(file), path, LARGEST, MOST_ROWS)
}

const ONE_RUN: &str = "write each run to a file of its own: sealmark-lab compare one.jsonl two.jsonl";

fn cannot_read(path: &Path, error: std::io::Error) -> Trouble {
    because(format!("cannot read \"{}\"", path.display()), error)
}

/// Memory holds no more of the input than a line and the rows that were read. A whole file may have so many bytes and rows.
fn read_from(mut input: impl BufRead, path: &Path, bytes: u64, most_rows: usize) -> Result<Vec<Row>> {
    let mut left = bytes;
    let name = path.display();
    let (mut rows, mut line) = (Vec::new(), Vec::new());
    while next_line(&mut input, &mut line).map_err(|error| cannot_read(path, error))? {
        let place = || format!("\"{name}\" line {}", rows.len() + 1);
        if !line.ends_with(b"\n") {
            return Err(because(place(), format!("it is longer than {} MiB", LONGEST_LINE >> 20)));
        }
        left = left
            .checked_sub(line.len() as u64)
            .ok_or_else(|| Trouble::new(format!("\"{name}\" is larger than {} MiB", LARGEST >> 20)))?;
        if rows.len() == most_rows {
            return Err(Trouble::new(format!("\"{name}\" has more than {most_rows} rows")));
        }
        if rows.is_empty() {
            must_be_readable(&line, path)?;
        }
        let row = serde_json::from_slice(&line).map_err(|error| because(place(), error))?;
        if matches!(&row, Row::Sample(sample) if sample.wall_ns == 0 || sample.count == 0) {
            return Err(because(place(), "a sample of no operation, or of no time"));
        }
        if !rows.is_empty() && matches!(row, Row::Header(_)) {
            return Err(because(place(), "a second header: a file contains one run").hint(ONE_RUN));
        }
        rows.push(row);
    }
    let no_results = |why| Err(because(format!("\"{name}\" is not a results file"), why));
    match rows.first() {
        Some(Row::Header(_)) => Ok(rows),
        Some(_) => no_results("it does not begin with a header row"),
        None => no_results("it has no whole line"),
    }
}

/// The next line, or as much of one as a line may have; false where no whole line is left.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    let length = input.take(LONGEST_LINE).read_until(b'\n', line)? as u64;
    Ok(line.ends_with(b"\n") || length == LONGEST_LINE)
}

/// Rows of another version may not be readable at all; then this is what has to be said of them.
fn must_be_readable(header: &[u8], path: &Path) -> Result<()> {
    let header: Value = serde_json::from_slice(header).unwrap_or_default();
    let schema = header["schema"].as_u64().filter(|schema| header["row"] == "header" && *schema != SCHEMA);
    let Some(schema) = schema else { return Ok(()) };
    let why = format!("\"{}\" has rows of version {schema}", path.display());
    let error = because(why, format!("this lab reads version {SCHEMA}"));
    Err(error.hint("read it with the lab that wrote it"))
}

/// Samples are worth more than a page. `instead` is a name that could be chosen.
pub fn must_not_be_results(out: &Path, results: &[PathBuf], instead: &str) -> Result<()> {
    let real = |path: &Path| path.canonicalize().ok();
    if results.iter().any(|path| path == out || real(path).is_some_and(|path| real(out) == Some(path))) {
        let why = format!("\"{}\" is one of the results files", out.display());
        return Err(Trouble::new(why).hint(format!("choose another name: -o {instead}")));
    }
    Ok(())
}

/// A reader of the old file never sees half of the new one. Links stay, and what they name is replaced; devices and pipes
/// are written to.
pub fn replace(out: &Path, text: &str) -> Result<()> {
    let failed = |error| because(format!("cannot write \"{}\"", out.display()), error);
    let real = out.canonicalize().unwrap_or_else(|_| out.to_owned());
    if real.metadata().is_ok_and(|known| !known.is_file()) {
        return std::fs::write(&real, text).map_err(failed);
    }
    let mut half = real.clone().into_os_string();
    half.push(format!(".{}.part", std::process::id()));
    let half = PathBuf::from(half);
    let written = std::fs::write(&half, text).and_then(|()| std::fs::rename(&half, &real));
    written.inspect_err(|_| drop(std::fs::remove_file(&half))).map_err(failed)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::machine::Machine;
    use crate::rows::{End, Header, Note, Results};
    use crate::summary::fixtures;
    use std::fs;
    use std::io::Write;
    use std::process::Command;

    fn note(text: &str) -> Row {
        Row::Note(Note::new("file", 1, text.into()))
    }

    fn header(schema: u64) -> Row {
        Row::Header(Header { schema, ..fixtures::header(Machine::default()) })
    }

    #[test]
    fn rows_come_back_as_written_and_a_cut_last_line_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.jsonl");
        let mut results = Results::create(&path).unwrap();
        results.append(&header(SCHEMA)).unwrap();
        results.append(&note("a \"b\"\nc")).unwrap();
        assert_eq!(read(&path).unwrap(), [header(SCHEMA), note("a \"b\"\nc")]);
        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(b"{\"row\":\"note\",\"jo").unwrap();
        assert_eq!(read(&path).unwrap().len(), 2);
    }

    #[test]
    fn results_are_never_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.jsonl");
        Results::create(&path).unwrap();
        let Err(again) = Results::create(&path) else { panic!("overwritten") };
        assert!(again.to_string().contains("hint: choose another --out FILE"), "{again}");
    }

    #[test]
    fn a_line_may_be_as_long_as_nobody_needs_and_no_longer() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.jsonl");
        let longest = {
            let empty = crate::protocol::line(&note("")).len();
            note(&"x".repeat(LONGEST_LINE as usize - empty))
        };
        let text = crate::protocol::line(&header(SCHEMA)) + &crate::protocol::line(&longest);
        std::fs::write(&path, &text).unwrap();
        assert_eq!(read(&path).unwrap(), [header(SCHEMA), longest]);
        std::fs::write(&path, text.replace("xx", "xxx")).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.ends_with("results.jsonl\" line 2: it is longer than 1 MiB"), "{error}");
    }

    /// Four gibibytes that nobody has: were they read, this test would not end well.
    #[test]
    fn a_line_without_end_is_refused_and_not_held() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.jsonl");
        std::fs::write(&path, crate::protocol::line(&header(SCHEMA))).unwrap();
        File::options().write(true).open(&path).unwrap().set_len(4 << 30).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.ends_with("line 2: it is longer than 1 MiB"), "{error}");
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 4 << 30);
    }

    #[test]
    fn rows_without_end_are_refused() {
        struct Endless(Vec<u8>);
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let length = buffer.len().min(self.0.len());
                buffer[..length].copy_from_slice(&self.0[..length]);
                self.0.rotate_left(length);
                Ok(length)
            }
        }
        let begin = crate::protocol::line(&header(SCHEMA));
        let endless = Endless(crate::protocol::line(&note("again")).into_bytes());
        let input = BufReader::new(begin.as_bytes().chain(endless));
        let error = read_from(input, Path::new("endless.jsonl"), 100_000, MOST_ROWS).unwrap_err().to_string();
        assert_eq!(error, "\"endless.jsonl\" is larger than 512 MiB");
    }

    /// The shortest rows take the most memory for their bytes.
    #[test]
    fn more_rows_than_anybody_needs_are_refused() {
        let end = Row::End(End { seconds: 1, ..End::default() });
        let text = crate::protocol::line(&header(SCHEMA)) + &crate::protocol::line(&end).repeat(3);
        let read = |rows| read_from(text.as_bytes(), Path::new("rows.jsonl"), LARGEST, rows);
        assert_eq!(read(4).unwrap().len(), 4);
        assert_eq!(read(3).unwrap_err().to_string(), "\"rows.jsonl\" has more than 3 rows");
        assert!(MOST_ROWS * size_of::<Row>() < 1 << 30, "{} bytes a row", size_of::<Row>());
    }

    #[test]
    fn two_runs_in_one_file_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("both.jsonl");
        let run = crate::protocol::line(&header(SCHEMA)) + &crate::protocol::line(&note("n"));
        std::fs::write(&path, run.repeat(2)).unwrap();
        let error = read(&path).unwrap_err().to_string();
        let told = "both.jsonl\" line 3: a second header: a file contains one run\nhint: write each run to a file of its own: ";
        assert!(error.contains(told), "{error}");
    }

    /// An engine that reports no time is a fault, so the lab writes no such sample.
    #[test]
    fn a_sample_of_nothing_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.jsonl");
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/cliff.jsonl");
        let rows = read(&golden).unwrap();
        let at = rows.iter().position(|row| matches!(row, Row::Sample(_))).unwrap();
        for member in ["wall_ns", "count"] {
            let mut sample = serde_json::to_value(&rows[at]).unwrap();
            sample[member] = 0.into();
            std::fs::write(&path, crate::protocol::line(&rows[0]) + &crate::protocol::line(&sample)).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains("line 2: a sample of no operation, or of no time"), "{error}");
        }
    }

    #[test]
    fn other_files_and_other_versions_are_told_apart() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.jsonl");
        for (text, part) in [
            (crate::protocol::line(&note("n")), "not a results file"),
            (String::new(), "not a results file"),
            (
                crate::protocol::line(&header(2)),
                "rows of version 2: this lab reads version 3\nhint: read it with",
            ),
            // A later one may say anything behind these two.
            (
                "{\"row\":\"header\",\"schema\":4,\"wonder\":[]}\n{\"row\":\"marvel\"}\n".into(),
                "rows of version 4",
            ),
            ("{\"row\":\"header\",\"sch".into(), "it has no whole line"),
            (crate::protocol::line(&header(SCHEMA)) + "nonsense\n", "line 2"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn files_are_replaced_and_links_stay_links() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("page.html"), directory.path().join("link.html"));
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace(&file, "old").unwrap();
        replace(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 2);
    }

    #[test]
    fn pipes_are_written_to_and_stay_pipes() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe)
        });
        replace(&pipe, "text").unwrap();
        assert_eq!(reader.join().unwrap().unwrap(), "text");
        assert!(!pipe.symlink_metadata().unwrap().is_file());
        assert!(replace(directory.path(), "text").is_err());
    }
}
