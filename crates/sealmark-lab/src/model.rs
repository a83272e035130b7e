use crate::protocol::Operation;
use crate::workload::{Kind, SplitMix64};
pub fn expected(
    _job: Kind,
    algorithm: &str,
    seed: u64,
    bytes: u64,
    _operation: Operation,
    _number: u64,
) -> Option<Vec<u8>> {
    if algorithm != "none" {
        return None;
    }
    let mut r = SplitMix64::new(seed);
    let mut v = vec![0; bytes as usize];
    r.fill(&mut v);
    Some(v)
}
