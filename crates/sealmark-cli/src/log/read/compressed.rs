//! The text of a log that gzip or zstd compressed, or nothing did.

use crate::fault::Fault;
use crate::target::Source;
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufReader, Cursor, Read};

/// Memory that a frame of zstd may ask for, as its logarithm: what the `zstd` program grants.
const ZSTD_WINDOW: u32 = 27;

/// A log to its end.
pub fn reader(source: &Source) -> io::Result<(Compressed, Box<dyn Read + Send>)> {
    plain(Box::new(source.open()?))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compressed {
    Not,
    Gzip,
    Zstd,
}

/// The first bytes of something else than plain text.
enum Start {
    Compressed(Compressed),
    /// A file that `sealmark seal` or age wrote.
    Sealed,
}

const STARTS: [(&[u8], Start); 6] = [
    (b"\x1f\x8b", Start::Compressed(Compressed::Gzip)),
    (b"\x28\xb5\x2f\xfd", Start::Compressed(Compressed::Zstd)),
    (b"sealmark/1\n", Start::Sealed),
    (b"age-encryption.org/v1\n", Start::Sealed),
    (b"-----BEGIN SEALMARK ENCRYPTED FILE-----", Start::Sealed),
    (b"-----BEGIN AGE ENCRYPTED FILE-----", Start::Sealed),
];

impl Compressed {
    /// The compression of a log that begins so.
    pub fn of(start: &[u8]) -> Self {
        let known = STARTS.iter().find(|(magic, _)| start.starts_with(magic));
        known.map_or(Self::Not, |(_, start)| match start {
            Start::Compressed(compressed) => *compressed,
            Start::Sealed => Self::Not,
        })
    }
}

/// The text of a log, by its first bytes.
pub fn plain(mut input: Box<dyn Read + Send>) -> io::Result<(Compressed, Box<dyn Read + Send>)> {
    let start = start_of(&mut *input)?;
    let compressed = match STARTS.iter().find(|(magic, _)| start.starts_with(magic)) {
        None => Compressed::Not,
        Some((_, Start::Compressed(compressed))) => *compressed,
        Some((_, Start::Sealed)) => {
            let fault = Fault::usage("this is a sealed file, not a log")
                .hint("leave out `log`: sealmark open, verify, rekey or inspect");
            return Err(io::Error::other(fault));
        }
    };
    let whole = BufReader::with_capacity(1 << 16, Cursor::new(start).chain(input));
    let reader: Box<dyn Read + Send> = match compressed {
        // Large reads pass the buffer by.
        Compressed::Not => Box::new(whole),
        Compressed::Gzip => Box::new(MultiGzDecoder::new(whole)),
        Compressed::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(whole)?;
            decoder.window_log_max(ZSTD_WINDOW)?;
            Box::new(decoder)
        }
    };
    Ok((compressed, reader))
}

/// No more than it takes to tell: a log that grows slowly is not waited for.
fn start_of(input: &mut dyn Read) -> io::Result<Vec<u8>> {
    const LONGEST: usize = 40;
    let (mut start, mut buffer) = (Vec::new(), [0; LONGEST]);
    loop {
        let undecided = |(magic, _): &(&[u8], _)| magic.len() > start.len() && magic.starts_with(&start);
        if !STARTS.iter().any(undecided) {
            return Ok(start);
        }
        match input.read(&mut buffer[start.len()..]) {
            Ok(0) => return Ok(start),
            Ok(length) => {
                let end = start.len() + length;
                start.extend_from_slice(&buffer[start.len()..end]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// An error of the system is about the file, and one of a decoder about its content.
pub fn fault_of(error: io::Error, compressed: Compressed) -> Fault {
    match compressed {
        Compressed::Not => error.into(),
        _ if error.raw_os_error().is_some() => error.into(),
        _ if error.kind() == io::ErrorKind::UnexpectedEof => {
            Fault::damaged("the compressed log is cut off").hint("get it again from where it was compressed")
        }
        _ => {
            Fault::damaged("the compressed log is damaged").hint("get it again from where it was compressed")
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    /// With the check sum that the `zstd` program adds.
    fn zst(text: &[u8]) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn read(bytes: Vec<u8>) -> Result<(Compressed, Vec<u8>), Fault> {
        let (compressed, mut reader) = plain(Box::new(Cursor::new(bytes)))?;
        let mut text = Vec::new();
        reader.read_to_end(&mut text).map_err(|error| fault_of(error, compressed))?;
        Ok((compressed, text))
    }

    #[test]
    fn members_and_frames_follow_each_other() {
        for text in [&b""[..], b"\x1f", b"\x28\xb5\x2f", b"\x1e\x8b", b"plain\n"] {
            assert_eq!(read(text.to_vec()).unwrap(), (Compressed::Not, text.to_vec()));
        }
        for text in [&b"sealmark/1.2 started\n"[..], b"-----BEGIN", &[b'-'; 100]] {
            assert_eq!(read(text.to_vec()).unwrap(), (Compressed::Not, text.to_vec()));
        }
        let gz = [gzip(b"one\n"), gzip(b""), gzip(b"two\n")].concat();
        assert_eq!(read(gz).unwrap(), (Compressed::Gzip, b"one\ntwo\n".to_vec()));
        let zst = [zst(b"one\n"), zst(b""), zst(b"two\n")].concat();
        assert_eq!(read(zst).unwrap(), (Compressed::Zstd, b"one\ntwo\n".to_vec()));
    }

    #[test]
    fn damage_is_told_from_what_the_system_says() {
        let text: Vec<u8> = (0..20_000u32).flat_map(|n| (n * n).to_le_bytes()).collect();
        let message = |bytes| read(bytes).map(drop).unwrap_err().message;
        for whole in [gzip(&text), zst(&text)] {
            assert_eq!(message(whole[..whole.len() - 1].to_vec()), "the compressed log is cut off");
            let mut altered = whole.clone();
            altered[whole.len() - 6] ^= 0x55;
            assert_eq!(message(altered), "the compressed log is damaged");
        }
    }
}
