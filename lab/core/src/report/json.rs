//! What a run came to, as one JSON document for machines. Times are nanoseconds of one operation.

use super::Run;
use super::advice::{self, Evidence};
use super::growth::Growing;
use super::head;
use super::peppol;
use super::resumption;
use super::tls_2009;
use super::warmth::Warmth;
use crate::document::Document;
use crate::jobfile::History;
use crate::protocol::Operation;
use crate::rows::{self, Row};
use crate::summary::growths::Grown;
use crate::summary::requests::Requests;
use crate::summary::tls::Connections;
use crate::summary::{Cell, Line, Ratio};
use serde_json::{Value, json};

/// The version of the document.
const SUMMARY: u64 = 1;

/// The document, with a line feed.
pub fn json(rows: &[Row]) -> String {
    let run = Run::of(rows);
    let Run { cells, warmth, grown, growing, .. } = &run;
    let rows_of = |wanted: fn(&Row) -> bool| rows.iter().filter(|row| wanted(row)).collect::<Vec<_>>();
    let document = json!({
        "summary": SUMMARY,
        "header": rows_of(|row| matches!(row, Row::Header(_))).first(),
        "resumed": rows_of(|row| matches!(row, Row::Resumed(_))),
        "finished": rows.iter().any(|row| matches!(row, Row::End(_))),
        "engines": rows_of(|row| matches!(row, Row::Engine(_))),
        "codes": head::codes(rows),
        "document": Document::of(&run),
        "advice": advice::json(Evidence { rows, cells, grown }),
        "cells": cells.iter().map(|cell| of_cell(cell, warmth)).collect::<Vec<_>>(),
        "growth": growing.iter().map(Growing::json).collect::<Vec<_>>(),
        "resumption": resumption::json(cells),
        "then_and_now": then_and_now(rows, cells, grown),
        "faults": rows_of(|row| matches!(row, Row::Fault(_))),
        "notes": rows_of(|row| matches!(row, Row::Note(_))),
    });
    format!("{document:#}\n")
}

fn then_and_now(rows: &[Row], cells: &[Cell], grown: &[Grown]) -> Option<Value> {
    match rows::header(rows)?.history? {
        History::PeppolGcm => Some(peppol::json(cells, grown)),
        History::Tls2009 => Some(tls_2009::json(cells)),
        _ => None,
    }
}

fn of_cell(cell: &Cell, warmth: &[Warmth]) -> Value {
    let mut value = json!({
        "job": cell.job,
        "operation": cell.operation,
        "blocks": cell.blocks(),
        "blocks_with_company": cell.company,
        "noise_floor": cell.noise_floor,
        "reference": cell.reference().map(|line| &line.line),
        "lines": cell.lines.iter().map(|line| of_line(cell, line, warmth)).collect::<Vec<_>>(),
    });
    value[size_key(&cell.job)] = json!(cell.size);
    value
}

/// What the size of a job counts.
pub fn size_key(job: &str) -> &'static str {
    if ["tls-connect", "log-app"].contains(&job) { "at_once" } else { "bytes" }
}

fn of_line(cell: &Cell, line: &Line, warmth: &[Warmth]) -> Value {
    let against = |other: Option<&Line>| cell.compare(line, other?);
    let wall = line.wall();
    let place = (cell.job.as_str(), cell.size, cell.operation, &line.line);
    json!({
        "line": line.line,
        "family": line.family,
        "jdk": line.jdk,
        "role": line.role,
        "authenticated": line.authenticated,
        "blocks": line.wall.len(),
        "ns": wall.map(|wall| json!({ "median": wall.median, "low": wall.low, "high": wall.high })),
        "least_ns": line.least,
        "bytes_per_second": (size_key(&cell.job) == "bytes").then(|| cell.size as f64 * 1e9 / line.time()),
        "cpu_ns": line.cpu(),
        "cold_ns": line.cold().map(|cold| json!({ "median": cold.median, "low": cold.low, "high": cold.high })),
        "allocated_bytes": line.allocated_bytes,
        "gc_ns": line.gc_ns,
        "released_bytes": line.released_bytes,
        "peak_bytes": line.peak_bytes,
        "cold_peak_bytes": line.cold_peak_bytes,
        "tls": line.tls.map(|tls| of_connections(cell, line, &tls)),
        "requests": line.requests.map(|requests| of_requests(line, &requests)),
        "noise_floor": cell.noise_floor_in(line.line.shape),
        "to_reference": against(cell.reference_of(line)).as_ref().map(of_ratio),
        "to_yardstick": against(cell.yardstick_of(line)).as_ref().map(of_ratio),
        "warmth": warmth.iter().find(|warmth| is_of(warmth, place)).map(Warmth::json),
    })
}

fn of_connections(cell: &Cell, line: &Line, tls: &Connections) -> Value {
    let stalls = tls
        .stalls
        .map(|stalls| json!({ "seen": stalls.seen, "stalled": stalls.stalled, "usual_ns": stalls.usual_ns }));
    json!({
        "connections_per_second": (size_key(&cell.job) == "at_once").then(|| 1e9 / line.time()),
        "client_cpu_ns": tls.client_cpu_ns,
        "server_cpu_ns": tls.server_cpu_ns,
        "wire_bytes": tls.wire_bytes,
        "stalls": stalls,
    })
}

fn of_requests(line: &Line, requests: &Requests) -> Value {
    json!({
        "requests_per_second": 1e9 / line.time(),
        "median_ns": requests.median_ns,
        "p99_ns": requests.p99_ns,
        "client_cpu_ns": requests.client_cpu_ns,
    })
}

fn is_of(warmth: &Warmth, place: (&str, u64, Operation, &rows::Line)) -> bool {
    (warmth.job.as_str(), warmth.size, warmth.operation, &warmth.line) == place
}

/// A ratio with its interval, or with its range where it has none.
pub fn of_ratio(ratio: &Ratio) -> Value {
    json!({
        "median": ratio.median,
        "low": ratio.low,
        "high": ratio.high,
        "is_interval": ratio.interval.is_some(),
        "blocks": ratio.blocks,
        "verdict": ratio.word(),
    })
}
