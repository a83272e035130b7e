//! The tar headers of an entry. They follow from the entry alone, so that a reader compares bytes and parses no header.

use crate::archive::entry::{Entry, Kind};
use crate::chunk::Layout;

pub(crate) const BLOCK: usize = 512;
/// The largest number in a field of eight and of twelve bytes.
const SEVEN_DIGITS: u64 = 0o7777777;
const ELEVEN_DIGITS: u64 = 0o77777777777;
const NAME: usize = 100;

/// All that stands before the content: a pax header if one is needed, the header, and the map of a sparse file.
pub(crate) fn headers(entry: &Entry) -> Vec<u8> {
    let map = match &entry.kind {
        Kind::Sparse { size, data } => sparse_map(*size, data),
        _ => Vec::new(),
    };
    let size = map.len() as u64 + entry.stored();
    let name = match entry.kind {
        Kind::Directory => [&entry.path[..], b"/"].concat(),
        _ => entry.path.clone(),
    };
    let target: &[u8] = match &entry.kind {
        Kind::SymbolicLink { target } | Kind::HardLink { target } => target,
        _ => b"",
    };
    let (kind, sparse) = match &entry.kind {
        Kind::File { .. } => (b'0', None),
        Kind::Sparse { size, .. } => (b'0', Some(*size)),
        Kind::HardLink { .. } => (b'1', None),
        Kind::SymbolicLink { .. } => (b'2', None),
        Kind::Directory => (b'5', None),
    };
    let seconds = entry.modified.seconds;
    let mut records = Vec::new();
    let mut record = |needed: bool, key: &str, value: &[u8]| {
        if needed {
            push_record(&mut records, key.as_bytes(), value);
        }
    };
    if let Some(size) = sparse {
        record(true, "GNU.sparse.major", b"1");
        record(true, "GNU.sparse.minor", b"0");
        record(true, "GNU.sparse.name", &name);
        record(true, "GNU.sparse.realsize", size.to_string().as_bytes());
    } else {
        record(name.len() > NAME, "path", &name);
    }
    record(target.len() > NAME, "linkpath", target);
    record(size > ELEVEN_DIGITS, "size", size.to_string().as_bytes());
    record(u64::from(entry.uid) > SEVEN_DIGITS, "uid", entry.uid.to_string().as_bytes());
    record(u64::from(entry.gid) > SEVEN_DIGITS, "gid", entry.gid.to_string().as_bytes());
    let seconds_fit = u64::try_from(seconds).is_ok_and(|seconds| seconds <= ELEVEN_DIGITS);
    record(!seconds_fit, "mtime", seconds.to_string().as_bytes());
    for (name, value) in &entry.attributes {
        push_record(&mut records, &[b"SCHILY.xattr.", &name[..]].concat(), value);
    }

    let mut out = Vec::with_capacity(BLOCK);
    if !records.is_empty() {
        let fields = Fields {
            name: b"PaxHeader",
            mode: 0o644,
            size: records.len() as u64,
            kind: b'x',
            ..Fields::default()
        };
        out.extend(fields.block());
        out.extend(&records);
        pad(&mut out);
    }
    let fields = Fields {
        name: if sparse.is_some() { b"GNUSparseFile.0/file" } else { &name },
        mode: entry.mode,
        uid: entry.uid,
        gid: entry.gid,
        size,
        seconds,
        kind,
        target,
    };
    out.extend(fields.block());
    out.extend(map);
    out
}

/// The length of [`headers`].
pub(crate) fn headers_len(entry: &Entry) -> u64 {
    let (name, target) = (
        entry.path.len(),
        match &entry.kind {
            Kind::SymbolicLink { target } | Kind::HardLink { target } => target.len(),
            Kind::Directory | Kind::File { .. } => 0,
            Kind::Sparse { .. } => usize::MAX,
        },
    );
    let numbers = [u64::from(entry.uid) << 12, u64::from(entry.gid) << 12, entry.size()];
    let seconds = u64::try_from(entry.modified.seconds).is_ok_and(|seconds| seconds <= ELEVEN_DIGITS);
    // Most entries need no record, and an index has many entries.
    let plain = name < NAME
        && target <= NAME
        && seconds
        && numbers.iter().all(|number| *number <= ELEVEN_DIGITS)
        && entry.attributes.is_empty();
    if plain { BLOCK as u64 } else { headers(entry).len() as u64 }
}

/// Bytes from the end of `length` bytes to the next block.
pub(crate) fn padding(length: u64) -> u64 {
    length.next_multiple_of(BLOCK as u64) - length
}

/// The length of an archive whose last entry ends at `end`: two empty blocks, and no more than the rest of a chunk.
pub(crate) fn archive_len(end: u64) -> u64 {
    (end + 2 * BLOCK as u64).next_multiple_of(Layout::Cobblestone.chunk() as u64)
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
}

/// `LENGTH KEY=VALUE LF`; the length counts its own digits.
fn push_record(records: &mut Vec<u8>, key: &[u8], value: &[u8]) {
    let rest = key.len() + value.len() + 3;
    let mut length = rest + 1;
    while length.to_string().len() + rest > length {
        length += 1;
    }
    records.extend(format!("{length} ").into_bytes());
    records.extend(key);
    records.push(b'=');
    records.extend(value);
    records.push(b'\n');
}

/// GNU's format 1.0. A hole at the end is followed by an empty piece, from which readers learn the size.
fn sparse_map(size: u64, data: &[std::ops::Range<u64>]) -> Vec<u8> {
    let end = data.last().is_none_or(|piece| piece.end < size).then_some(size..size);
    let mut map = format!("{}\n", data.len() + usize::from(end.is_some())).into_bytes();
    for piece in data.iter().chain(&end) {
        map.extend(format!("{}\n{}\n", piece.start, piece.end - piece.start).into_bytes());
    }
    pad(&mut map);
    map
}

#[derive(Default)]
struct Fields<'a> {
    name: &'a [u8],
    mode: u32,
    uid: u32,
    gid: u32,
    size: u64,
    seconds: i64,
    kind: u8,
    target: &'a [u8],
}

impl Fields<'_> {
    /// A block of POSIX ustar. A name that is too long is cut, and a number that is too large is zero; a record has them.
    fn block(&self) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        let text = |field: &mut [u8], text: &[u8]| {
            let length = text.len().min(field.len());
            field[..length].copy_from_slice(&text[..length]);
        };
        text(&mut block[..NAME], self.name);
        octal(&mut block[100..108], self.mode.into());
        octal(&mut block[108..116], self.uid.into());
        octal(&mut block[116..124], self.gid.into());
        octal(&mut block[124..136], self.size);
        octal(&mut block[136..148], u64::try_from(self.seconds).unwrap_or(0));
        block[148..156].fill(b' ');
        block[156] = self.kind;
        text(&mut block[157..257], self.target);
        block[257..265].copy_from_slice(b"ustar\x0000");
        octal(&mut block[329..337], 0);
        octal(&mut block[337..345], 0);
        let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
        octal(&mut block[148..155], sum);
        block
    }
}

/// Digits with leading zeros and a NUL at the end.
fn octal(field: &mut [u8], number: u64) {
    let digits = field.len() - 1;
    let number = if number >> (3 * digits) == 0 { number } else { 0 };
    let text = format!("{number:0digits$o}\0");
    field.copy_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::entry::Time;

    #[test]
    fn the_length_of_a_record_counts_its_digits() {
        for length in [1, 80, 89, 90, 91, 980, 989, 990, 9990] {
            let mut records = Vec::new();
            push_record(&mut records, b"path", &vec![b'a'; length]);
            let written: usize =
                String::from_utf8_lossy(&records).split(' ').next().unwrap_or("").parse().unwrap_or(0);
            assert_eq!(written, records.len());
        }
    }

    #[test]
    fn a_length_is_known_without_the_headers() {
        let sparse = Kind::Sparse { size: 9, data: vec![1..2, 4..6] };
        let link = |length| Kind::SymbolicLink { target: vec![b'b'; length] };
        let kinds = [
            Kind::Directory,
            Kind::File { size: 1 << 33 },
            Kind::File { size: (1 << 33) - 1 },
            sparse,
            link(100),
            link(101),
        ];
        for kind in kinds {
            for (length, uid, seconds) in [
                (1, 0, 0),
                (99, 0o7777777, 0),
                (100, 0, (1 << 33) - 1),
                (99, 0o10000000, 0),
                (9, 0, 1 << 33),
                (9, 0, -1),
            ] {
                let mut entry =
                    Entry::new("a".repeat(length), kind.clone(), 0o644, Time { seconds, nanoseconds: 0 });
                entry.uid = uid;
                assert_eq!(headers_len(&entry), headers(&entry).len() as u64, "{entry:?}");
                entry.attributes =
                    vec![(b"user.a".to_vec(), b"b".to_vec()), (b"user.c".to_vec(), vec![0; 999])];
                assert_eq!(headers_len(&entry), headers(&entry).len() as u64, "{entry:?}");
            }
        }
    }

    #[test]
    fn an_entry_that_fits_has_one_block() {
        let entry = |path: String| Entry::new(path, Kind::File { size: 3 }, 0o644, Time::default());
        assert_eq!(headers(&entry("a".repeat(100))).len(), BLOCK);
        assert_eq!(headers(&entry("a".repeat(101))).len(), 3 * BLOCK);
    }
}
