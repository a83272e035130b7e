//! OpenSSL by the crate openssl, by the interface its users are shown first, `symm`.

use super::{Payload, TAG, VECTOR, key, no_room, read_whole, tampered, too_short, write_whole};
use crate::model::Secrets;
use crate::protocol::Answer;
use crate::serve::failed;
use ::openssl::error::ErrorStack;
use ::openssl::rand::rand_bytes;
use ::openssl::symm::{Cipher, Crypter, Mode, decrypt_aead, encrypt_aead};
use std::fs::File;
use std::hint::black_box;
use std::io::{Read, Write};
use std::path::Path;

const PIECE: usize = 8192;

/// The key for OpenSSL's AES-GCM; the modes are made of it.
pub struct OpenSsl {
    key: Vec<u8>,
}

impl OpenSsl {
    /// Modes `one-shot` and `update`.
    pub fn in_mode(mode: &str, algorithm: &str, secrets: &Secrets) -> Option<Box<dyn Payload>> {
        let plan = Self { key: key(algorithm, secrets)? };
        match mode {
            "one-shot" => Some(Box::new(OneShot(plan))),
            "update" => Some(Box::new(Update(plan))),
            _ => None,
        }
    }

    fn cipher(&self) -> Cipher {
        if self.key.len() == 16 { Cipher::aes_128_gcm() } else { Cipher::aes_256_gcm() }
    }

    fn crypter(&self, mode: Mode, vector: &[u8]) -> Result<Crypter, Answer> {
        Crypter::new(self.cipher(), mode, &self.key, Some(vector)).map_err(failed)
    }
}

fn new_vector() -> Result<[u8; VECTOR], Answer> {
    let mut vector = [0; VECTOR];
    rand_bytes(&mut vector).map(|()| vector).map_err(failed)
}

/// `encrypt_aead` and `decrypt_aead`: they put their output into a buffer of their own, for which room is asked first.
struct OneShot(OpenSsl);

impl Payload for OneShot {
    fn seal(&self, input: &Path, output: &Path) -> Result<(), Answer> {
        let plain = read_whole(input, 0)?;
        within_limit(&plain)?;
        room_for(plain.len())?;
        let (vector, mut tag) = (new_vector()?, [0; TAG]);
        let text = encrypt_aead(self.0.cipher(), &self.0.key, Some(&vector), b"", &plain, &mut tag);
        write_whole(output, &[&vector, &text.map_err(failed)?, &tag])
    }

    fn open(&self, input: &Path, output: &Path) -> Result<(), Answer> {
        let sealed = read_whole(input, 0)?;
        let (vector, text) = sealed.split_at_checked(VECTOR).ok_or_else(too_short)?;
        let (text, tag) = text.split_at_checked(text.len().wrapping_sub(TAG)).ok_or_else(too_short)?;
        within_limit(text)?;
        room_for(text.len())?;
        let plain = decrypt_aead(self.0.cipher(), &self.0.key, Some(vector), b"", text, tag);
        write_whole(output, &[&plain.map_err(not_opened)?])
    }
}

/// Lengths are C's `int`; the crate panics above.
fn within_limit(text: &[u8]) -> Result<(), Answer> {
    let why = || format!("{} bytes are more than OpenSSL's int counts", text.len());
    i32::try_from(text.len()).map(|_| ()).map_err(|_| Answer::Limited { why: why() })
}

/// The crate's own allocation ends the process where there is no room, so what it is about to take is taken and given
/// back here: a buffer of ours for a `Crypter` would have to be filled with zeros first, which its `calloc` is spared.
fn room_for(text: usize) -> Result<(), Answer> {
    let mut probe = Vec::<u8>::new();
    let room = probe.try_reserve_exact(text.saturating_add(TAG));
    // The compiler may leave out an allocation that nobody sees, and then says that there is room.
    black_box(&mut probe);
    room.map_err(|_| no_room(text))
}

/// A wrong tag is the one error for which OpenSSL has no words.
fn not_opened(why: ErrorStack) -> Answer {
    if why.errors().is_empty() { tampered() } else { failed(why) }
}

/// A `Crypter` between the files: what it gives back is written at once, in either direction.
struct Update(OpenSsl);

impl Payload for Update {
    fn seal(&self, input: &Path, output: &Path) -> Result<(), Answer> {
        let (vector, mut tag) = (new_vector()?, [0; TAG]);
        let mut crypter = self.0.crypter(Mode::Encrypt, &vector)?;
        let mut input = File::open(input).map_err(failed)?;
        let mut output = File::create_new(output).map_err(failed)?;
        output.write_all(&vector).map_err(failed)?;
        pass(&mut crypter, &mut input, &mut output)?;
        finish(&mut crypter, &mut output, failed)?;
        crypter.get_tag(&mut tag).map_err(failed)?;
        output.write_all(&tag).map_err(failed)
    }

    fn open(&self, input: &Path, output: &Path) -> Result<(), Answer> {
        let mut input = File::open(input).map_err(failed)?;
        let length = input.metadata().map_err(failed)?.len();
        let text = length.checked_sub((VECTOR + TAG) as u64).ok_or_else(too_short)?;
        let (mut vector, mut tag) = ([0; VECTOR], [0; TAG]);
        input.read_exact(&mut vector).map_err(failed)?;
        let mut crypter = self.0.crypter(Mode::Decrypt, &vector)?;
        let mut output = File::create_new(output).map_err(failed)?;
        pass(&mut crypter, &mut (&input).take(text), &mut output)?;
        input.read_exact(&mut tag).map_err(failed)?;
        crypter.set_tag(&tag).map_err(failed)?;
        finish(&mut crypter, &mut output, not_opened)
    }
}

fn pass(crypter: &mut Crypter, input: &mut impl Read, output: &mut File) -> Result<(), Answer> {
    let (mut piece, mut done) = ([0; PIECE], [0; PIECE + TAG]);
    loop {
        let length = input.read(&mut piece).map_err(failed)?;
        if length == 0 {
            return Ok(());
        }
        let length = crypter.update(&piece[..length], &mut done).map_err(failed)?;
        output.write_all(&done[..length]).map_err(failed)?;
    }
}

/// GCM has nothing left to give here, but a cipher may.
fn finish(
    crypter: &mut Crypter,
    output: &mut File,
    why: impl FnOnce(ErrorStack) -> Answer,
) -> Result<(), Answer> {
    let mut rest = [0; TAG];
    let length = crypter.finalize(&mut rest).map_err(why)?;
    output.write_all(&rest[..length]).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_that_is_no_int_is_the_librarys_limit() {
        // Never touched, so never really there.
        let text = vec![0; 1 << 31];
        assert_eq!(within_limit(&text[1..]), Ok(()));
        assert!(matches!(within_limit(&text), Err(Answer::Limited { .. })));
    }

    #[test]
    fn what_the_library_has_words_for_is_not_the_datas_fault() {
        let unknown = ::openssl::cipher::Cipher::fetch(None, "ROT13", None).err().unwrap();
        assert!(matches!(not_opened(unknown), Answer::Failed { .. }));
        assert!(matches!(not_opened(ErrorStack::get()), Answer::Refused { .. }));
    }
}
