//! OpenSSL, compiled from its source by the crate openssl, legacy provider included.

use super::work::Outcome;
use super::{Failure, Library, Use, Work, versions, work};
use crate::jobs;
use crate::model::Secrets;
use crate::protocol::Answer;
use crate::serve::payload::{self, Payload};
use ::openssl::cipher::{Cipher, CipherRef};
use ::openssl::cipher_ctx::{CipherCtx, CipherCtxRef};
use ::openssl::error::ErrorStack;
use ::openssl::provider::Provider;

/// Holds the providers it has loaded: loading one by name ends the automatic loading of the default.
#[derive(Default)]
pub struct OpenSsl {
    providers: Vec<Provider>,
}

impl Library for OpenSsl {
    fn name(&self) -> &'static str {
        "openssl"
    }

    fn version(&self) -> String {
        let version = ::openssl::version::version().trim_start_matches("OpenSSL ");
        format!("{version}, {}", ::openssl::version::c_flags())
    }

    fn work(
        &mut self,
        algorithm: &str,
        reuse: Use,
        secrets: &Secrets,
    ) -> Result<Option<Box<dyn Work>>, Answer> {
        let Some((name, key)) = named(algorithm) else { return Ok(None) };
        self.load_providers().map_err(super::failed)?;
        let plan = Plan {
            name,
            key,
            authenticated: (jobs::CIPHER.authenticates)(algorithm),
            secrets: secrets.clone(),
        };
        let made = match reuse {
            Use::AsWritten => Ok(as_written(plan)),
            Use::Tuned => tuned(plan),
        };
        made.map(Some).map_err(super::failed)
    }

    fn payload(
        &mut self,
        algorithm: &str,
        mode: &str,
        secrets: &Secrets,
    ) -> Result<Option<Box<dyn Payload>>, Answer> {
        self.load_providers().map_err(super::failed)?;
        Ok(payload::OpenSsl::in_mode(mode, algorithm, secrets))
    }

    fn code(&self, algorithm: &str) -> String {
        let library = ::openssl::version::version();
        let provider = match algorithm {
            "DES" | "Blowfish" | "RC2" | "RC4" => "legacy",
            _ => "default",
        };
        let name = named(algorithm).map_or(algorithm, |(name, _)| name);
        let wrapper = versions::named("openssl");
        format!("{library}, {name} of the {provider} provider, by {wrapper}, {}", versions::processor())
    }
}

impl OpenSsl {
    fn load_providers(&mut self) -> Result<(), ErrorStack> {
        if self.providers.is_empty() {
            self.providers = vec![Provider::load(None, "default")?, Provider::load(None, "legacy")?];
        }
        Ok(())
    }
}

/// OpenSSL's name and the bytes of the key.
fn named(algorithm: &str) -> Option<(&'static str, usize)> {
    Some(match algorithm {
        "DES" => ("DES-ECB", 8),
        "DESede" => ("DES-EDE3-ECB", 24),
        "AES" => ("AES-128-ECB", 16),
        "Blowfish" => ("BF-ECB", 16),
        "RC2" => ("RC2-ECB", 16),
        "RC4" => ("RC4", 16),
        "AES-128-GCM" => ("AES-128-GCM", 16),
        "AES-256-GCM" => ("AES-256-GCM", 32),
        "AES-256-GCM-SIV" => ("AES-256-GCM-SIV", 32),
        "ChaCha20-Poly1305" => ("ChaCha20-Poly1305", 32),
        _ => return None,
    })
}

#[derive(Clone)]
struct Plan {
    name: &'static str,
    key: usize,
    authenticated: bool,
    secrets: Secrets,
}

impl Plan {
    fn fetch(&self) -> Result<Cipher, ErrorStack> {
        Cipher::fetch(None, self.name, None)
    }

    fn key(&self) -> &[u8] {
        self.secrets.key(self.key)
    }

    fn nonce(&self, number: u64) -> Option<[u8; 12]> {
        self.authenticated.then(|| self.secrets.nonce(number))
    }

    /// The key, if each operation needs it again: RC4's state is used up, and only its key brings it back.
    fn key_again(&self) -> Option<&[u8]> {
        (self.name == "RC4").then(|| self.key())
    }
}

/// Fetches the implementation by name each time, which `openssl::symm` and the old `EVP_aes_128_gcm()` do unseen.
fn as_written(plan: Plan) -> Box<dyn Work> {
    let again = plan.clone();
    work(
        move |number, input, output| {
            let mut context = CipherCtx::new().map_err(|_| Failure::Failed)?;
            let (cipher, nonce) = (plan.fetch().map_err(|_| Failure::Failed)?, plan.nonce(number));
            let ready = context.encrypt_init(Some(&cipher), Some(plan.key()), slice(&nonce));
            ready.map_err(|_| Failure::Failed)?;
            *output = Vec::new();
            seal(&mut context, plan.authenticated, input, output)
        },
        move |number, input, output| {
            let mut context = CipherCtx::new().map_err(|_| Failure::Failed)?;
            let (cipher, nonce) = (again.fetch().map_err(|_| Failure::Failed)?, again.nonce(number));
            let ready = context.decrypt_init(Some(&cipher), Some(again.key()), slice(&nonce));
            ready.map_err(|_| Failure::Failed)?;
            *output = Vec::new();
            open(&mut context, again.authenticated, input, output)
        },
    )
}

/// One context for each direction, made with the key; then only a nonce.
fn tuned(plan: Plan) -> Result<Box<dyn Work>, ErrorStack> {
    let (cipher, again): (Cipher, Plan) = (plan.fetch()?, plan.clone());
    let cipher: &CipherRef = &cipher;
    let (mut sealing, mut opening) = (CipherCtx::new()?, CipherCtx::new()?);
    let nonce = plan.nonce(0);
    sealing.encrypt_init(Some(cipher), Some(plan.key()), slice(&nonce))?;
    opening.decrypt_init(Some(cipher), Some(plan.key()), slice(&nonce))?;
    Ok(work(
        move |number, input, output| {
            let nonce = plan.nonce(number);
            let ready = sealing.encrypt_init(None, plan.key_again(), slice(&nonce));
            ready.map_err(|_| Failure::Failed)?;
            seal(&mut sealing, plan.authenticated, input, output)
        },
        move |number, input, output| {
            let nonce = again.nonce(number);
            let ready = opening.decrypt_init(None, again.key_again(), slice(&nonce));
            ready.map_err(|_| Failure::Failed)?;
            open(&mut opening, again.authenticated, input, output)
        },
    ))
}

fn slice(nonce: &Option<[u8; 12]>) -> Option<&[u8]> {
    nonce.as_ref().map(<[u8; 12]>::as_slice)
}

const TAG: usize = 16;

fn seal(context: &mut CipherCtxRef, authenticated: bool, input: &[u8], output: &mut Vec<u8>) -> Outcome {
    let extra = if authenticated { TAG } else { context.block_size() };
    within_limit(input)?;
    output.resize(input.len() + extra, 0);
    let length = finish(context, input, output).map_err(|_| Failure::Failed)?;
    if authenticated {
        return context.tag(&mut output[length..]).map_err(|_| Failure::Failed);
    }
    output.truncate(length);
    Ok(())
}

fn open(context: &mut CipherCtxRef, authenticated: bool, input: &[u8], output: &mut Vec<u8>) -> Outcome {
    let tag = if authenticated { TAG } else { 0 };
    let (text, tag) = input.split_at_checked(input.len().wrapping_sub(tag)).ok_or(Failure::Refused)?;
    if authenticated {
        context.set_tag(tag).map_err(|_| Failure::Failed)?;
    }
    within_limit(input)?;
    output.resize(text.len() + context.block_size(), 0);
    let length = finish(context, text, output).map_err(|why| not_opened(&why, authenticated))?;
    output.truncate(length);
    Ok(())
}

/// For bad padding OpenSSL has words as for any other trouble, for a wrong tag it has none.
fn not_opened(why: &ErrorStack, authenticated: bool) -> Failure {
    if authenticated && !why.errors().is_empty() { Failure::Failed } else { Failure::Refused }
}

/// Lengths are C's `int`; the crate panics above.
fn within_limit(input: &[u8]) -> Outcome {
    i32::try_from(input.len()).map(|_| ()).map_err(|_| Failure::Limited)
}

fn finish(context: &mut CipherCtxRef, input: &[u8], output: &mut [u8]) -> Result<usize, ErrorStack> {
    let done = context.cipher_update(input, Some(output))?;
    Ok(done + context.cipher_final(&mut output[done..])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_wrong_tag_or_padding_is_the_datas_fault() {
        let with_words = Cipher::fetch(None, "ROT13", None).err().unwrap();
        assert_eq!(not_opened(&with_words, true), Failure::Failed);
        assert_eq!(not_opened(&with_words, false), Failure::Refused);
        assert_eq!(not_opened(&ErrorStack::get(), true), Failure::Refused);
    }
}
