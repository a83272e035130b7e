//! The page of the main job, of a run that was really measured: `tests/page/quick.jsonl.gz`, what `make bench` wrote.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Command;

const LIMIT: usize = 1_000_000;
/// The plan asks for so many blocks, for which a busy machine has no time.
const BLOCKS: u64 = 6;

#[test]
fn the_page_of_the_main_job_is_below_one_megabyte_however_idle_the_machine() {
    let rows = stretched(measured());
    let blocks = rows.iter().filter(|row| row["row"] == "sample" && row["block"] == BLOCKS - 1).count();
    assert!(rows.len() > 14_000 && blocks > 400, "{} rows, {blocks} in the last block", rows.len());
    let page = page_of(&rows);
    assert!(page.len() < LIMIT, "{} bytes", page.len());
}

fn measured() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page/quick.jsonl.gz");
    let mut text = String::new();
    GzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Sizes of which there are fewer blocks get more, a little different from their first.
fn stretched(rows: Vec<Value>) -> Vec<Value> {
    let mut blocks: BTreeMap<(String, u64), u64> = BTreeMap::new();
    for row in rows.iter().filter(|row| row["row"] == "sample") {
        let most = blocks.entry(place(row)).or_default();
        *most = (*most).max(row["block"].as_u64().unwrap() + 1);
    }
    let mut stretched = Vec::new();
    for row in rows {
        if row["row"] == "sample" && row["block"] == 0 {
            let more = blocks[&place(&row)]..BLOCKS;
            stretched.extend(more.map(|block| again(&row, block)));
        }
        stretched.push(row);
    }
    stretched
}

fn place(row: &Value) -> (String, u64) {
    (row["job"].as_str().unwrap().to_owned(), row["size"].as_u64().unwrap())
}

fn again(row: &Value, block: u64) -> Value {
    let mut row = row.clone();
    let wall = row["wall_ns"].as_u64().unwrap();
    row["wall_ns"] = (wall + wall * block / 1_009).into();
    row["block"] = block.into();
    row
}

fn page_of(rows: &[Value]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let (results, page) = (directory.path().join("quick.jsonl"), directory.path().join("quick.html"));
    std::fs::write(&results, rows.iter().map(|row| format!("{row}\n")).collect::<String>()).unwrap();
    let program = env!("CARGO_BIN_EXE_sealmark-lab");
    let ended = Command::new(program).arg("report").arg(&results).arg("-o").arg(&page).output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    std::fs::read_to_string(page).unwrap()
}
