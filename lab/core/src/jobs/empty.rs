//! Job `empty`: the loop with nothing in it, which tells what the lab itself costs.

use super::{Job, Proved};
use crate::protocol::Operation;
use crate::workload::fingerprint_of;

pub static EMPTY: Job = Job {
    name: "empty",
    operations: &[Operation::Loop],
    is_own_cost: true,
    expected: |algorithm, _, _, operation, _| {
        ((algorithm, operation) == ("none", Operation::Loop)).then(Vec::new)
    },
    check: |_, _| Ok(Proved::from(fingerprint_of(&[]))),
    ..Job::IN_MEMORY
};
