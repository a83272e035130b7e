//! Comparing an archive with its index: the tar headers follow from the index, so only equal bytes are right.

use zeroize::Zeroizing;

use crate::{
    archive::{
        entry::{Kind, path_order},
        footer::{Footer, NO_INDEX},
        index::{Block, Located, read_block, read_table},
        tar::{archive_len, headers},
    },
    error::{Error, Malformed, Part, Result},
    format::IndexMark,
    input::Input,
    job::Job,
    payload::Payload,
    run::Run,
};

/// Entries that are read together when a whole archive is compared.
const WINDOW: u64 = 1 << 20;

/// The table of an index.
pub(crate) fn table(payload: &Payload<'_>, input: &Input, footer: &Footer) -> Result<Vec<Block>> {
    let mut run = payload.new_run();
    let mut bytes = Zeroizing::new(Vec::new());
    payload.read(input, footer.table..footer.end, &mut run, &mut bytes)?;
    let blocks = read_table(&bytes, footer)?;
    let fits = match footer.entries {
        0 => blocks.is_empty() && footer.content == archive_len(0),
        _ => !blocks.is_empty(),
    };
    if fits { Ok(blocks) } else { Err(NO_INDEX.into()) }
}

/// Refuses a block whose last entry does not end where the next block says that it begins, or the archive ends.
pub(crate) fn block_end(entries: &[Located], next: Option<&Block>, footer: &Footer) -> Result<()> {
    let Some(last) = entries.last() else { return Err(MISMATCH) };
    let end = last.span().end;
    let fits = match next {
        Some(next) => end == next.tar && path_order(&last.entry.path, &next.first).is_lt(),
        None => archive_len(end) == footer.content,
    };
    if fits { Ok(()) } else { Err(MISMATCH) }
}

/// Refuses a hard link of a block if its target is not a file of the archive. `read` gives a block's entries; an entry's own
/// check has shown that the target comes before it. Targets may be in as many blocks as there are links, so only a pass over
/// the whole archive can afford this.
fn check_links<'a>(
    entries: &'a [Located],
    blocks: &[Block],
    mut read: impl FnMut(&Block) -> Result<Vec<Located>>,
) -> Result<()> {
    let target = |located: &'a Located| match &located.entry.kind {
        Kind::HardLink { target } => Some(&target[..]),
        _ => None,
    };
    let mut targets: Vec<&[u8]> = entries.iter().filter_map(target).collect();
    // In this order, each block is read once.
    targets.sort_unstable_by(|one, other| path_order(one, other));
    let (mut at, mut files) = (usize::MAX, Vec::new());
    for target in targets {
        let block = blocks.partition_point(|block| path_order(&block.first, target).is_le()).wrapping_sub(1);
        if block != at {
            (at, files) = (block, blocks.get(block).map_or(Ok(Vec::new()), &mut read)?);
        }
        let found = files.binary_search_by(|located| path_order(&located.entry.path, target));
        let kind = found.map(|at| &files[at].entry.kind);
        if !matches!(kind, Ok(Kind::File { .. } | Kind::Sparse { .. })) {
            return Err(Malformed::Archive("a hard link names no earlier file of the archive").into());
        }
    }
    Ok(())
}

/// Refuses headers other than those that follow from the index.
pub(crate) fn compare(file: &Located, found: &[u8]) -> Result<()> {
    if headers(&file.entry) == found { Ok(()) } else { Err(MISMATCH) }
}

const MISMATCH: Error = Error::Tampered(Part::Index);

/// Authenticates all of a payload, and compares the archive in it with its index.
pub(crate) fn check(
    payload: &Payload<'_>,
    input: &Input,
    mark: &IndexMark,
    footer: &Footer,
    job: &Job<'_>,
) -> Result<()> {
    payload.open_to(input, footer.content, Some(mark), None, job)?;
    let blocks = table(payload, input, footer)?;
    let checker = Checker { payload, input, footer, blocks: &blocks };
    checker.check_order()?;
    // Progress was reported by the pass over all chunks.
    let job = Job { progress: None, ..*job };
    job.with_threads_for(blocks.len() as u64).in_parallel(
        blocks.len() as u64,
        0,
        || checker.buffers(),
        |index, buffers| checker.check_block(index as usize, buffers).map(|()| 0),
    )?;
    checker.check_end()
}

struct Checker<'a> {
    payload: &'a Payload<'a>,
    input: &'a Input,
    footer: &'a Footer,
    blocks: &'a [Block],
}

struct Buffers {
    run: Run,
    bytes: Zeroizing<Vec<u8>>,
}

impl Checker<'_> {
    fn buffers(&self) -> Buffers {
        Buffers { run: self.payload.new_run(), bytes: Zeroizing::default() }
    }

    fn block(&self, block: &Block, Buffers { run, bytes }: &mut Buffers) -> Result<Vec<Located>> {
        bytes.clear();
        self.payload.read(self.input, block.range.clone(), run, bytes)?;
        read_block(bytes, block, self.footer.content)
    }

    fn entries(&self, index: usize, buffers: &mut Buffers) -> Result<Vec<Located>> {
        let entries = self.block(&self.blocks[index], buffers)?;
        block_end(&entries, self.blocks.get(index + 1), self.footer)?;
        Ok(entries)
    }

    /// An entry stands in the root or in a directory that comes before it, and all of them are counted.
    fn check_order(&self) -> Result<()> {
        let (mut parents, mut count, mut buffers) = (Vec::<Vec<u8>>::new(), 0, self.buffers());
        for index in 0..self.blocks.len() {
            for Located { entry, .. } in self.entries(index, &mut buffers)? {
                count += 1;
                let parent = entry.path.iter().rposition(|byte| *byte == b'/').map(|end| &entry.path[..end]);
                while parents.last().is_some_and(|known| Some(&known[..]) != parent) {
                    parents.pop();
                }
                if parent.is_some() && parents.is_empty() {
                    return Err(Malformed::Archive("an entry is in a directory that it does not have").into());
                }
                if entry.kind == Kind::Directory {
                    parents.push(entry.path);
                }
            }
        }
        if count == self.footer.entries { Ok(()) } else { Err(NO_INDEX.into()) }
    }

    fn check_block(&self, index: usize, buffers: &mut Buffers) -> Result<()> {
        let entries = self.entries(index, buffers)?;
        check_links(&entries, self.blocks, |block| self.block(block, buffers))?;
        let mut rest = &entries[..];
        while let Some(first) = rest.first() {
            let fit = rest.iter().take_while(|entry| entry.span().end - first.at <= WINDOW).count();
            match fit {
                0 => {
                    self.check_large(first, buffers)?;
                    rest = &rest[1..];
                }
                _ => {
                    self.check_window(&rest[..fit], buffers)?;
                    rest = &rest[fit..];
                }
            }
        }
        Ok(())
    }

    fn check_window(&self, entries: &[Located], Buffers { run, bytes }: &mut Buffers) -> Result<()> {
        let (start, end) = (entries[0].at, entries[entries.len() - 1].span().end);
        bytes.clear();
        self.payload.read(self.input, start..end, run, bytes)?;
        for file in entries {
            compare(file, &bytes[(file.at - start) as usize..(file.data - start) as usize])?;
            let padding = file.data + file.entry.stored() - start..file.span().end - start;
            zeros(&bytes[padding.start as usize..padding.end as usize])?;
        }
        Ok(())
    }

    fn check_large(&self, file: &Located, Buffers { run, bytes }: &mut Buffers) -> Result<()> {
        bytes.clear();
        self.payload.read(self.input, file.at..file.data, run, bytes)?;
        compare(file, bytes)?;
        bytes.clear();
        self.payload.read(self.input, file.data + file.entry.stored()..file.span().end, run, bytes)?;
        zeros(bytes)
    }

    fn check_end(&self) -> Result<()> {
        let Buffers { mut run, mut bytes } = self.buffers();
        let end = match self.blocks.len().checked_sub(1) {
            Some(last) => self.entries(last, &mut self.buffers())?.last().map_or(0, |entry| entry.span().end),
            None => 0,
        };
        self.payload.read(self.input, end..self.footer.content, &mut run, &mut bytes)?;
        zeros(&bytes)
    }
}

fn zeros(bytes: &[u8]) -> Result<()> {
    if bytes.iter().all(|byte| *byte == 0) { Ok(()) } else { Err(MISMATCH) }
}
