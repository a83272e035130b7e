//! Of TLS: what a run says of libraries, suites, groups, resumption and sockets.

use crate::report::{cells, stalls};
use crate::summary::Cell;

pub fn sentences(cells: &[&Cell]) -> Vec<String> {
    cells.iter().filter_map(|cell| stalled(cell)).collect()
}

fn stalled(cell: &Cell) -> Option<String> {
    Some(format!("{}: {}", cells::name(cell), stalls::sentence(cell)?))
}
