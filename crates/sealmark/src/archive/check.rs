//! Comparing an archive with its index: the tar headers follow from the index, so only equal bytes are right.

use crate::archive::entry::{Kind, path_order};
use crate::archive::footer::{Footer, NO_INDEX};
use crate::archive::index::{Block, Located, read_block, read_table};
use crate::archive::tar::{archive_len, headers};
use crate::error::{Error, Malformed, Part, Result};
use crate::format::Mark;
use crate::input::Input;
use crate::job::Job;
use crate::payload::Payload;
use crate::run::Run;
use std::ops::Range;
use zeroize::Zeroizing;

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

/// Refuses headers other than those that follow from the index.
pub(crate) fn compare(file: &Located, found: &[u8]) -> Result<()> {
    if headers(&file.entry) == found { Ok(()) } else { Err(MISMATCH) }
}

const MISMATCH: Error = Error::Tampered(Part::Index);

/// Authenticates all of a payload, and compares the archive in it with its index. The content is read once, the index twice:
/// alone, and with the pieces of the archive that its blocks describe.
pub(crate) fn check(
    payload: &Payload<'_>,
    input: &Input,
    mark: &Mark,
    footer: &Footer,
    job: &Job<'_>,
) -> Result<()> {
    let blocks = table(payload, input, footer)?;
    let checker = Checker { payload, input, footer, blocks: &blocks };
    let Order { end, has_links } = checker.check_order()?;
    if has_links {
        // Progress is reported by the pass over all chunks.
        let job = Job { progress: None, ..*job }.with_threads_for(blocks.len() as u64);
        job.in_parallel(
            blocks.len() as u64,
            0,
            || (checker.buffers(), checker.buffers()),
            |index, (buffers, others)| checker.check_block_links(index as usize, buffers, others).map(|()| 0),
        )?;
    }
    let compare = |at, run: &Run, length, buffers: &mut Buffers| {
        checker.check_piece(&Piece { at, run, length }, end, buffers)
    };
    payload.open_each(input, footer.content, Some(mark), job, || checker.buffers(), compare)
}

struct Checker<'a> {
    payload: &'a Payload<'a>,
    input: &'a Input,
    footer: &'a Footer,
    blocks: &'a [Block],
}

/// Facts that are known once the whole index was read.
struct Order {
    /// Where the last entry ends.
    end: u64,
    has_links: bool,
}

struct Buffers {
    run: Run,
    bytes: Zeroizing<Vec<u8>>,
    /// The block that was read last: mostly, it describes the next piece, too.
    block: Option<(usize, Vec<Located>)>,
}

/// A part of the archive from `at` on, authenticated.
struct Piece<'a> {
    at: u64,
    run: &'a Run,
    length: usize,
}

impl Piece<'_> {
    /// The part of `range` that is in this piece.
    fn part(&self, range: Range<u64>) -> Range<u64> {
        range.start.max(self.at)..range.end.min(self.at + self.length as u64)
    }

    /// Bytes of the archive that are in this piece.
    fn copy(&self, range: &Range<u64>, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.resize(range.end.saturating_sub(range.start) as usize, 0);
        let mut copied = 0;
        while copied < bytes.len() {
            let from = (range.start - self.at) as usize + copied;
            copied += self.run.copy_plain(from, self.length, &mut bytes[copied..]);
        }
    }

    fn check_zeros(&self, range: Range<u64>, bytes: &mut Vec<u8>) -> Result<()> {
        self.copy(&self.part(range), bytes);
        if bytes.iter().all(|byte| *byte == 0) { Ok(()) } else { Err(MISMATCH) }
    }

    fn check_headers(&self, file: &Located, bytes: &mut Vec<u8>) -> Result<()> {
        let part = self.part(file.at..file.data);
        if part.is_empty() {
            return Ok(());
        }
        self.copy(&part, bytes);
        let from = (part.start - file.at) as usize;
        if headers(&file.entry)[from..].starts_with(bytes) { Ok(()) } else { Err(MISMATCH) }
    }
}

impl Checker<'_> {
    fn buffers(&self) -> Buffers {
        Buffers { run: self.payload.new_run(), bytes: Zeroizing::default(), block: None }
    }

    /// Reads a block unless it was the last one.
    fn read(&self, index: usize, buffers: &mut Buffers) -> Result<()> {
        if buffers.block.as_ref().is_some_and(|(last, _)| *last == index) {
            return Ok(());
        }
        buffers.block = None;
        let (block, bytes) = (&self.blocks[index], &mut buffers.bytes);
        bytes.clear();
        self.payload.read(self.input, block.range.clone(), &mut buffers.run, bytes)?;
        let entries = read_block(bytes, block, self.footer.content)?;
        block_end(&entries, self.blocks.get(index + 1), self.footer)?;
        buffers.block = Some((index, entries));
        Ok(())
    }

    /// An entry stands in the root or in a directory that comes before it, and all of them are counted.
    fn check_order(&self) -> Result<Order> {
        let (mut parents, mut count, mut buffers) = (Vec::<Vec<u8>>::new(), 0, self.buffers());
        let mut order = Order { end: 0, has_links: false };
        for index in 0..self.blocks.len() {
            self.read(index, &mut buffers)?;
            for located in buffers.block.take().map(|(_, entries)| entries).unwrap_or_default() {
                order.end = located.span().end;
                order.has_links |= matches!(located.entry.kind, Kind::HardLink { .. });
                let entry = located.entry;
                count += 1;
                let parent = entry.path.iter().rposition(|byte| *byte == b'/').map(|end| &entry.path[..end]);
                while parents.last().is_some_and(|known| Some(&known[..]) != parent) {
                    parents.pop();
                }
                if parent.is_some() && parents.is_empty() {
                    return Err(Malformed::Archive(
                        "an entry is in a directory that the archive does not contain",
                    )
                    .into());
                }
                if entry.kind == Kind::Directory {
                    parents.push(entry.path);
                }
            }
        }
        if count == self.footer.entries { Ok(order) } else { Err(NO_INDEX.into()) }
    }

    /// Refuses a hard link of a block if its target is not a file of the archive. The entry's own check has shown that the
    /// target comes before it. Targets may be in as many blocks as there are links, so only a pass over the whole archive can
    /// afford this.
    fn check_block_links(&self, index: usize, buffers: &mut Buffers, others: &mut Buffers) -> Result<()> {
        self.read(index, buffers)?;
        let target = |located: &Located| match &located.entry.kind {
            Kind::HardLink { target } => Some(target.clone()),
            _ => None,
        };
        let entries = buffers.block.iter().flat_map(|(_, entries)| entries);
        let mut targets: Vec<Vec<u8>> = entries.filter_map(target).collect();
        // In this order, each block is read once.
        targets.sort_unstable_by(|one, other| path_order(one, other));
        for target in &targets {
            let after = self.blocks.partition_point(|block| path_order(&block.first, target).is_le());
            let is_file = match after.checked_sub(1) {
                Some(block) => {
                    self.read(block, others)?;
                    others.block.as_ref().is_some_and(|(_, entries)| has_file(entries, target))
                }
                None => false,
            };
            if !is_file {
                return Err(Malformed::Archive("a hard link names no earlier file of the archive").into());
            }
        }
        Ok(())
    }

    /// Compares a part of the archive, whose last entry ends at `end`, with the entries that describe it.
    fn check_piece(&self, piece: &Piece<'_>, end: u64, buffers: &mut Buffers) -> Result<()> {
        let stop = piece.at + piece.length as u64;
        let before = self.blocks.partition_point(|block| block.tar <= piece.at);
        for index in before.saturating_sub(1)..self.blocks.len() {
            if self.blocks[index].tar >= stop {
                break;
            }
            self.read(index, buffers)?;
            let Buffers { bytes, block, .. } = buffers;
            let entries = block.as_ref().map_or(&[][..], |(_, entries)| entries);
            let first = entries.partition_point(|file| file.span().end <= piece.at);
            for file in entries[first..].iter().take_while(|file| file.at < stop) {
                piece.check_headers(file, bytes)?;
                piece.check_zeros(file.data + file.entry.stored()..file.span().end, bytes)?;
            }
        }
        piece.check_zeros(end..self.footer.content, &mut buffers.bytes)
    }
}

fn has_file(entries: &[Located], path: &[u8]) -> bool {
    let found = entries.binary_search_by(|located| path_order(&located.entry.path, path));
    found.is_ok_and(|at| matches!(entries[at].entry.kind, Kind::File { .. } | Kind::Sparse { .. }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use crate::archive::{Entry, Item, Time, seal_archive};
    use crate::file::verify_input;
    use crate::format::{FileKey, Format};
    use crate::key::{Identity, OpenWith};
    use crate::open::Opener;
    use crate::output::Output;
    use crate::seal::SealTo;
    use crate::stream;
    use crate::suite::Kem;
    use std::io::Read;

    /// Somebody who has the file key can alter the tar and seal it with the old index.
    #[test]
    fn each_byte_of_the_tar_that_the_index_describes_is_compared() {
        const MIB: u64 = 1 << 20;
        let file = |path: String, size| Entry::new(path, Kind::File { size }, 0o644, Time::default());
        // The headers of `b` lie in two pieces, and the ends of the others in the last.
        let entries = [
            file("a".into(), MIB - 1024),
            file("b".repeat(101), 2 * MIB),
            file("c".into(), 100),
            file("d".into(), 0),
        ];
        let items = entries.iter().map(|entry| Ok(Item::new(entry.clone(), std::io::repeat(b'x'))));
        let key = Identity::generate(Kem::X25519).unwrap();
        let to = SealTo::recipients(Format::Sealmark, &[key.recipient()]).unwrap();
        let with = OpenWith::identities(vec![key]);
        let job = Job::default().threads(std::num::NonZeroUsize::new(2));
        let mut sealed = Vec::new();
        seal_archive(items, Output::stream(&mut sealed), &to, &job, || unreachable!("the index is short"))
            .unwrap();

        let (mut opener, header) = Opener::begin(&sealed[..], &with).unwrap();
        let file_key = FileKey::generate(Format::Sealmark).unwrap();
        opener.keep_index(file_key.index_mark());
        let mut plaintext = Vec::new();
        opener.read_to_end(&mut plaintext).unwrap();
        let verified = |at: u64, change: u8| {
            let mut altered = plaintext.clone();
            altered[at as usize] ^= change;
            let (start, mut sealed) = (to.begin_with(&file_key, header.content).unwrap(), Vec::new());
            stream::seal_begun(start, &altered[..], &mut sealed, &to, &job, None).unwrap();
            let input = Input::from_ranges(sealed.len() as u64, move |out, at| {
                out.copy_from_slice(&sealed[at as usize..][..out.len()]);
                Ok(())
            });
            verify_input(&input, &with, &job).map(drop)
        };
        assert!(verified(0, 0).is_ok());
        let (b, c) = (MIB - 512, 3 * MIB + 1024);
        let d = c + 1024;
        let end = d + 512;
        for at in [
            0,
            511,
            b,
            b + 511,
            b + 512,
            b + 1535,
            c,
            c + 511,
            c + 612,
            c + 1023,
            d,
            d + 511,
            end,
            end + 1024,
        ] {
            assert!(matches!(verified(at, 1), Err(Error::Tampered(Part::Index))), "byte {at}");
        }
        for at in [512, b - 1, b + 1536, c - 1, c + 512, c + 611] {
            assert!(verified(at, 1).is_ok(), "byte {at} is content");
        }
    }
}
