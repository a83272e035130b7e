//! For callers that read and write a payload themselves, such as the JVM: they pass it in pieces, in order.

use super::cipher::{Cipher, Print};
use super::extent::{BLOCK, Extent, IV, TAG};
use super::join::Tag;
use super::key::Key;
use crate::aead::{equal, random};
use crate::error::{Error, Part, Result};
use std::fmt;

/// The first pass over a payload. It takes the ciphertext in pieces of any number of 16-byte blocks; only the last piece may
/// end within a block.
///
/// ```
/// use sealmark::gcm::{Key, PieceSealer, Verifier};
///
/// # fn main() -> sealmark::Result<()> {
/// let key = Key::new(&[7; 16])?;
/// let mut piece = *b"private";
/// let mut sealer = PieceSealer::new(key.clone())?;
/// let iv = *sealer.iv();
/// sealer.seal(&mut piece)?;
/// let tag = sealer.finish();
///
/// let mut verifier = Verifier::new(key, iv);
/// verifier.authenticate(&piece)?;
/// let mut verified = verifier.verify(&tag)?;
/// verified.release(&mut piece)?;
/// assert_eq!(&piece, b"private");
/// # Ok(())
/// # }
/// ```
pub struct Verifier {
    place: Place,
    tag: Tag,
    prints: Vec<Print>,
}

/// The second pass: it decrypts the pieces that the first has authenticated, and nothing else.
///
/// [`Verifier`] has an example.
pub struct Verified {
    place: Place,
    prints: Vec<Print>,
    released: usize,
}

/// Seals pieces under a random IV. Only the last may end within a block of 16 bytes.
///
/// [`Verifier`] has an example.
pub struct PieceSealer {
    place: Place,
    tag: Tag,
}

impl Verifier {
    /// Begins with the IV, which is in front of the ciphertext.
    pub fn new(key: Key, iv: [u8; IV]) -> Self {
        let place = Place { key, iv, extent: Extent::EMPTY };
        let tag = place.cipher().begin_tag();
        Self { place, tag, prints: Vec::with_capacity(16) }
    }

    /// Takes the next piece.
    ///
    /// # Errors
    /// [`FileMisuse::TooLong`](crate::FileMisuse::TooLong) after [`MAX_PLAINTEXT`](super::MAX_PLAINTEXT) bytes.
    ///
    /// # Panics
    /// If the piece before it ended within a block.
    pub fn authenticate(&mut self, ciphertext: &[u8]) -> Result<()> {
        if ciphertext.is_empty() {
            return Ok(());
        }
        self.place.advance(ciphertext.len())?;
        let print = self.place.cipher().print(ciphertext);
        self.tag.add(&print, ciphertext.len());
        if self.prints.len() == self.prints.capacity() {
            // A vector that grows by itself would leave the secrets that it held behind.
            let mut more = Vec::with_capacity(2 * self.prints.len());
            more.extend(self.prints.iter().cloned());
            self.prints = more;
        }
        self.prints.push(print);
        Ok(())
    }

    /// Ends the first pass.
    ///
    /// # Errors
    /// [`Error::Tampered`] if the tag does not match.
    pub fn verify(self, tag: &[u8; TAG]) -> Result<Verified> {
        if !equal(&self.tag.finish()[..], tag) {
            return Err(Error::Tampered(Part::Payload));
        }
        let place = Place { extent: Extent::EMPTY, ..self.place };
        Ok(Verified { place, prints: self.prints, released: 0 })
    }
}

impl Verified {
    /// Decrypts the next piece in place. An error leaves it unchanged.
    ///
    /// # Errors
    /// [`Error::Tampered`] if it is not what the first pass saw there.
    ///
    /// # Panics
    /// If the piece before it ended within a block.
    pub fn release(&mut self, piece: &mut [u8]) -> Result<()> {
        if piece.is_empty() {
            return Ok(());
        }
        let print = self.prints.get(self.released).ok_or(Error::Tampered(Part::Payload))?;
        if !equal(&self.place.cipher().print(piece)[..], &print[..]) {
            return Err(Error::Tampered(Part::Payload));
        }
        let before = self.place.extent.plaintext();
        self.place.advance(piece.len())?;
        self.place.cipher().apply_key_stream_after(before, piece);
        self.released += 1;
        Ok(())
    }
}

impl PieceSealer {
    /// Draws an IV.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub fn new(key: Key) -> Result<Self> {
        let place = Place { key, iv: random()?, extent: Extent::EMPTY };
        let tag = place.cipher().begin_tag();
        Ok(Self { place, tag })
    }

    /// The IV, to be written in front.
    pub fn iv(&self) -> &[u8; IV] {
        &self.place.iv
    }

    /// Encrypts the next piece in place.
    ///
    /// # Errors
    /// [`FileMisuse::TooLong`](crate::FileMisuse::TooLong) after [`MAX_PLAINTEXT`](super::MAX_PLAINTEXT) bytes.
    ///
    /// # Panics
    /// If the piece before it ended within a block.
    pub fn seal(&mut self, piece: &mut [u8]) -> Result<()> {
        if piece.is_empty() {
            return Ok(());
        }
        let before = self.place.extent.plaintext();
        self.place.advance(piece.len())?;
        let cipher = self.place.cipher();
        cipher.apply_key_stream_after(before, piece);
        self.tag.add(&cipher.print(piece), piece.len());
        Ok(())
    }

    /// The tag, to be written at the end.
    pub fn finish(self) -> [u8; TAG] {
        *self.tag.finish()
    }
}

/// The key, and the bytes that have passed.
struct Place {
    key: Key,
    iv: [u8; IV],
    extent: Extent,
}

impl Place {
    fn cipher(&self) -> Cipher<'_> {
        Cipher::new(&self.key, self.iv)
    }

    fn advance(&mut self, bytes: usize) -> Result<()> {
        let before = self.extent.plaintext();
        assert!(before.is_multiple_of(BLOCK as u64), "only the last piece may end within a block");
        self.extent = Extent::of_plaintext(before + bytes as u64)?;
        Ok(())
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Verifier({:?})", self.place.key)
    }
}

impl fmt::Debug for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Verified({:?})", self.place.key)
    }
}

impl fmt::Debug for PieceSealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PieceSealer({:?})", self.place.key)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;
    use crate::gcm;
    use crate::job::Job;
    use std::io::Cursor;

    const PIECE: usize = 4096;

    fn key() -> Key {
        Key::new(&[7; 32]).unwrap()
    }

    fn sealed(plaintext: &[u8]) -> Vec<u8> {
        let mut sealer = PieceSealer::new(key()).unwrap();
        let mut sealed = sealer.iv().to_vec();
        sealer.seal(&mut []).unwrap();
        for piece in plaintext.chunks(PIECE) {
            let mut piece = piece.to_vec();
            sealer.seal(&mut piece).unwrap();
            sealed.extend(piece);
        }
        sealed.extend(sealer.finish());
        sealed
    }

    fn verified(sealed: &[u8]) -> Result<Verified> {
        let (iv, text) = sealed.split_first_chunk::<IV>().unwrap();
        let (text, tag) = text.split_last_chunk::<TAG>().unwrap();
        let mut verifier = Verifier::new(key(), *iv);
        text.chunks(PIECE).try_for_each(|piece| verifier.authenticate(piece))?;
        verifier.authenticate(&[])?;
        verifier.verify(tag)
    }

    #[test]
    fn pieces_and_streams_are_the_same_payload() {
        for length in [0, 1, 16, PIECE - 1, PIECE, PIECE + 1, 40 * PIECE + 5] {
            let plaintext: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let sealed = sealed(&plaintext);
            let mut opened = Vec::new();
            gcm::open_seekable(Cursor::new(&sealed), &mut opened, &key(), &Job::default()).unwrap();
            assert_eq!(opened, plaintext);

            let mut verified = verified(&sealed).unwrap();
            let mut text = sealed[IV..IV + length].to_vec();
            text.chunks_mut(PIECE).for_each(|piece| verified.release(piece).unwrap());
            verified.release(&mut []).unwrap();
            assert_eq!(text, plaintext);
            assert!(matches!(verified.release(&mut [0; 16]), Err(Error::Tampered(_))), "no piece is left");
        }
    }

    #[test]
    fn a_forgery_is_not_verified_and_a_changed_piece_not_released() {
        let sealed = sealed(&[1; 3 * PIECE]);
        for at in [0, IV, IV + PIECE, sealed.len() - 1] {
            let mut forged = sealed.clone();
            forged[at] ^= 1;
            assert!(matches!(verified(&forged), Err(Error::Tampered(_))));
        }
        let mut verified = verified(&sealed).unwrap();
        let mut second = sealed[IV + PIECE..][..PIECE].to_vec();
        assert!(matches!(verified.release(&mut second), Err(Error::Tampered(_))), "out of order");
        assert_eq!(second, &sealed[IV + PIECE..][..PIECE], "left alone");
    }
}
