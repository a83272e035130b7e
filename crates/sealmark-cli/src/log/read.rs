//! The parts that the verbs that read logs share: `input` gives the text of several logs as one, `compressed` that of one, whatever
//! compressed it, and `follow` that of one that grows; `batches` cuts it at line ends, `lanes` hands the batches to threads and takes
//! their results in order, after `ahead` has looked for headers that come later; `keys` is what opens them, and `tell` says what stayed closed; `place`, what a line calls
//! the place of a token; `wanted` tells which lines and tokens are asked for, `times` when.

mod ahead;
mod batches;
mod compressed;
mod follow;
mod input;
pub mod keys;
pub mod lanes;
pub mod place;
pub mod report;
pub mod times;
mod wanted;
mod work;

use crate::args::Out;
use crate::fault::{Exit, Fault};
use crate::screen::Screen;
use crate::stdio::{self, Gone};
use crate::target::{Source, Target};
pub use batches::{Batch, Buffer, Cutter, Kind};
pub use compressed::{Compressed, fault_of, reader};
pub use input::Input;
use sealmark::Existing;
use std::io::Write;
use std::path::PathBuf;
pub use wanted::{Kept, Wanted};
use zeroize::Zeroizing;

/// All inputs, each seen to be there before anything is written.
pub fn sources(inputs: &[PathBuf]) -> Result<Vec<Source>, Fault> {
    let stdin = [PathBuf::from("-")];
    let inputs = if inputs.is_empty() { &stdin } else { inputs };
    inputs.iter().map(|input| Source::new(input).map_err(|fault| fault.about(input))).collect()
}

/// Empties what the last line was opened into. It does not keep the room of a long line, and does not grow, which would
/// leave copies behind, unless values need escapes.
pub fn make_room(opened: &mut Zeroizing<Vec<u8>>, line: usize) {
    const KEPT: usize = 1 << 20;
    if opened.capacity() > KEPT {
        *opened = Zeroizing::default();
    }
    opened.clear();
    opened.reserve(line);
}

/// Like [`Target::fill`]; what a terminal gets cannot drive it.
pub fn fill(
    target: &Target,
    existing: Existing,
    fill: impl FnOnce(&mut (dyn Write + Send)) -> Result<Exit, Fault>,
) -> Result<Exit, Fault> {
    if !target.is_unforced_terminal() {
        return target.fill(existing, Gone::Enough, fill);
    }
    let mut screen = Screen::new(stdio::output()?);
    let filled = fill(&mut screen)?;
    screen.finish()?;
    Ok(filled)
}

/// One output for all inputs, none of which it is.
pub fn target(sources: &[Source], out: &Out) -> Result<Target, Fault> {
    let name = out.output.as_deref();
    let mut targets = sources.iter().map(|source| Target::one_of_many(name, out.force, source));
    let first = targets.next().unwrap_or_else(|| Err(Fault::usage("there is no input")))?;
    targets.try_fold(first, |_, target| target)
}
