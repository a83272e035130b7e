//! The signature of a sealed file: what it covers, and the block after the content that holds it.

use super::key::{ID, Id, SIGNATURE, SigningKey, VerifyingKey};
use super::signed::Signed;
use super::tree::{Hash, Leaves};
use crate::chunk::Layout;
use crate::error::{Error, Malformed, Part, Result};
use crate::format::{Content, Mark};
use crate::header::MAX_STANZAS;

/// The length of what is signed, and the number of recipients.
const FOOTER: usize = 16;
/// The most bytes of a block beside its leaves, so that a reader in order holds no more.
pub(crate) const MOST_BEFORE_LEAVES: usize = size_of::<Mark>() + ID * (MAX_STANZAS + 1) + SIGNATURE + FOOTER;

pub(crate) const NO_SIGNATURE: Malformed = Malformed::Payload("its signature is in the wrong place");
const BAD_RECIPIENTS: Malformed = Malformed::Payload("the recipients in its signature are out of order");
const BAD_PADDING: Malformed = Malformed::Payload("the bytes before its signature are not zeros");

/// A new header can say another kind of content, so the signature says it, too.
fn context(content: Content) -> &'static [u8] {
    match content {
        Content::File => b"sealmark/1 file",
        Content::Archive => b"sealmark/1 archive",
    }
}

/// The message that a signature of a sealed file signs.
fn message(signer: &VerifyingKey, prefix: &[u8], meant: &[Id], leaves: &Leaves) -> Vec<u8> {
    let numbers = [leaves.length.to_be_bytes(), (meant.len() as u64).to_be_bytes()];
    [signer.as_bytes(), prefix, &numbers.concat(), &meant.concat(), &leaves.root()].concat()
}

/// Signs one file.
pub(crate) struct FileSigner {
    key: SigningKey,
    content: Content,
    /// The recipients whom the signer means, ascending.
    meant: Vec<Id>,
    mark: Mark,
    /// The bytes before the first chunk, which commit to the file key.
    prefix: Vec<u8>,
}

impl FileSigner {
    pub fn new(key: &SigningKey, content: Content, mut meant: Vec<Id>, mark: Mark, prefix: &[u8]) -> Self {
        meant.sort_unstable();
        meant.dedup();
        Self { key: key.clone(), content, meant, mark, prefix: prefix.to_vec() }
    }

    /// Bytes of plaintext in all if `length` bytes are signed.
    pub fn plaintext(&self, length: u64) -> u64 {
        Place { length, recipients: self.meant.len() as u64 }.end()
    }

    /// All that follows the signed bytes: zeros and the block.
    pub fn after(&self, leaves: &Leaves) -> Result<Vec<u8>> {
        let place = Place { length: leaves.length, recipients: self.meant.len() as u64 };
        let signer = self.key.verifying_key();
        let signature =
            self.key.sign(context(self.content), &message(&signer, &self.prefix, &self.meant, leaves))?;
        Ok([
            &vec![0; (place.start() - leaves.length) as usize],
            &self.mark[..],
            &self.meant.concat(),
            &leaves.hashes.concat(),
            &signer.id(),
            &signature,
            &place.footer(),
        ]
        .concat())
    }
}

/// Where the block of a signature lies in the plaintext.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Bytes that are signed.
    pub length: u64,
    recipients: u64,
}

impl Place {
    /// Bytes at the end that [`Place::parse`] needs.
    pub const FOOTER: usize = FOOTER;

    /// `bytes` end a plaintext of `plaintext` bytes.
    pub fn parse(bytes: &[u8], plaintext: u64) -> Result<Self> {
        let footer: &[u8; FOOTER] = bytes.last_chunk().ok_or(NO_SIGNATURE)?;
        let number = |at: usize| footer[at..].first_chunk().map(|bytes| u64::from_be_bytes(*bytes));
        let (length, recipients) = (number(0).ok_or(NO_SIGNATURE)?, number(8).ok_or(NO_SIGNATURE)?);
        let place = Self { length, recipients };
        // The first comparison keeps the sum below from overflowing.
        let fits =
            length < plaintext && (1..=MAX_STANZAS as u64).contains(&recipients) && place.end() == plaintext;
        if fits { Ok(place) } else { Err(NO_SIGNATURE.into()) }
    }

    /// The block starts with a chunk.
    pub fn start(self) -> u64 {
        self.length.next_multiple_of(Layout::Cobblestone.chunk() as u64)
    }

    fn end(self) -> u64 {
        let ids = self.recipients + 1;
        let hashes = Leaves::count(self.length) * size_of::<Hash>() as u64;
        self.start() + size_of::<Mark>() as u64 + ids * ID as u64 + hashes + (SIGNATURE + FOOTER) as u64
    }

    fn footer(self) -> Vec<u8> {
        [self.length.to_be_bytes(), self.recipients.to_be_bytes()].concat()
    }
}

/// The facts about a signature that a reader knows before it finds the block.
#[derive(Clone)]
pub(crate) struct Expected {
    pub content: Content,
    pub mark: Mark,
    /// The bytes before the first chunk.
    pub prefix: Vec<u8>,
    /// The senders of whom one must have signed, if the caller asked for that.
    pub demand: Option<Demand>,
    /// The public keys of the caller's identities.
    pub mine: Vec<Id>,
    /// Bytes that are signed, if the block was read before: a second reading may find another block.
    pub length: Option<u64>,
}

#[derive(Clone)]
pub(crate) struct Demand {
    pub senders: Vec<VerifyingKey>,
    /// True if a file is accepted that was sealed to others.
    pub forwarded: bool,
}

/// The block, as it was read.
pub(crate) struct Block {
    pub leaves: Leaves,
    meant: Vec<Id>,
    signer: Id,
    signature: Box<[u8; SIGNATURE]>,
}

impl Block {
    /// `padding` stands before the block, `bytes` are the block.
    pub fn parse(place: Place, mark: &Mark, padding: &[u8], bytes: &[u8]) -> Result<Self> {
        if padding.iter().any(|byte| *byte != 0) {
            return Err(BAD_PADDING.into());
        }
        if bytes.len() as u64 != place.end() - place.start() || !bytes.starts_with(mark) {
            return Err(NO_SIGNATURE.into());
        }
        let (meant, rest) = bytes[mark.len()..].split_at(place.recipients as usize * ID);
        let (hashes, rest) = rest.split_at(Leaves::count(place.length) as usize * size_of::<Hash>());
        let (signer, rest) = rest.split_first_chunk().ok_or(NO_SIGNATURE)?;
        let signature = rest.first_chunk().ok_or(NO_SIGNATURE)?;
        let block = Self {
            leaves: Leaves { hashes: hashes.as_chunks().0.to_vec(), length: place.length },
            meant: meant.as_chunks().0.to_vec(),
            signer: *signer,
            signature: Box::new(*signature),
        };
        if block.meant.is_sorted_by(|one, other| one < other) {
            Ok(block)
        } else {
            Err(BAD_RECIPIENTS.into())
        }
    }

    /// If senders were named, refuses all but a valid signature of one of them. It covers the leaves, which are compared
    /// elsewhere.
    pub fn check(&self, expected: &Expected) -> Result<Signed> {
        let meant = expected.mine.iter().any(|id| self.meant.binary_search(id).is_ok());
        let Some(demand) = &expected.demand else { return Ok(Signed::Unchecked { meant }) };
        let sender =
            demand.senders.iter().position(|key| key.id() == self.signer).ok_or(Error::UnknownSender)?;
        let key = &demand.senders[sender];
        let message = message(key, &expected.prefix, &self.meant, &self.leaves);
        if !key.verifies(context(expected.content), &message, &self.signature) {
            return Err(Error::Tampered(Part::Signature));
        }
        if meant || demand.forwarded {
            Ok(Signed::By { sender, meant })
        } else {
            Err(Error::Forwarded { sender })
        }
    }
}
