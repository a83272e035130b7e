//! Stanzas: how a file key is wrapped for a recipient or a passphrase, and unwrapped again.

use crate::aead::{self, WrapCipher};
use crate::error::{Error, KeyMisuse, Malformed, Part, Result};
use crate::format::{AgeKey, FileKey, Format};
use crate::header::{Header, Stanza, decode, encode, malformed};
use crate::kem::{self, Enc};
use crate::key::{Identity, OpenWith, Public, Recipient};
use crate::passphrase::Passphrase;
use crate::plugin::{Plugins, Wrapped};
use crate::ssh;
use crate::suite::Kem;
use argon2::{Algorithm, Argon2, Params, Version};
use nested::{InAge, nest};
use zeroize::Zeroizing;

pub(crate) mod nested;
mod tag;

/// Argon2id as it is written: 256 MiB, three passes, four lanes; about age's scrypt in memory, RFC 9106 in form.
const ARGON2ID: Cost = Cost { memory_kib: 256 * 1024, passes: 3, lanes: 4 };
/// The most that a file may ask of its reader: 1 GiB at once, 4 GiB written in all, 16 lanes.
const MAX_MEMORY_KIB: u32 = 1 << 20;
const MAX_WORK_KIB: u64 = 4 << 20;
const MAX_LANES: u32 = 16;
/// scrypt in age files: N = 2^18 is written, as by age; up to 2^20 (1 GiB) is read.
const SCRYPT_LOG_N: u8 = 18;
const MAX_SCRYPT_LOG_N: u8 = 20;

const AGE_X25519: &str = "X25519";
const SALT: usize = 16;

/// Wraps `file_key` for a recipient.
pub(crate) fn wrap_for(
    recipient: &Recipient,
    file_key: &FileKey,
    plugins: Option<&dyn Plugins>,
) -> Result<Wrapped> {
    if let (Format::Sealmark, Public::Kem(kem, public)) = (file_key.format(), recipient.public()) {
        let stanza = wrap_hpke(Format::Sealmark, *kem, public, file_key.as_bytes())?;
        return Ok(Wrapped::new(stanza, kem.is_post_quantum()));
    }
    match file_key.format() {
        Format::Age => {
            let key = Zeroizing::new(file_key.as_bytes().try_into().expect("age's file keys have 16 bytes"));
            wrap_in_age(recipient, &key, plugins)
        }
        Format::Sealmark => {
            let key = Zeroizing::new(aead::random()?);
            let mut wrapped = wrap_in_age(recipient, &key, plugins)?;
            wrapped.stanzas = wrapped.stanzas.into_iter().map(|age| nest(age, &key, file_key)).collect();
            Ok(wrapped)
        }
    }
}

/// Wraps `key` in stanzas of age.
fn wrap_in_age(recipient: &Recipient, key: &AgeKey, plugins: Option<&dyn Plugins>) -> Result<Wrapped> {
    let stanza = match recipient.public() {
        Public::Kem(Kem::X25519, public) => wrap_age_x25519(public, key)?,
        Public::Kem(kem, public) => wrap_hpke(Format::Age, *kem, public, &key[..])?,
        Public::Tag(kem, public) => tag::wrap(*kem, public, key)?,
        Public::Ssh(public) => public.wrap(key)?,
        Public::Plugin(name, text) => {
            let plugins = plugins.ok_or_else(|| KeyMisuse::PluginNeeded(name.to_string()))?;
            let wrapped = plugins.wrap(name, text, key).map_err(|error| Error::Plugin { error })?;
            // Beside other recipients, nobody would notice that this one was left out.
            return if wrapped.stanzas.is_empty() {
                Err(KeyMisuse::PluginStanzas.into())
            } else {
                Ok(wrapped)
            };
        }
    };
    Ok(Wrapped::new(stanza, recipient.is_post_quantum() == Some(true)))
}

fn wrap_hpke(format: Format, kem: Kem, public: &[u8], key: &[u8]) -> Result<Stanza> {
    let (enc, body) = kem::seal(kem, public, format.facts().wrap_cipher, &hpke_info(format, kem), key)?;
    Ok(Stanza { kind: kem.stanza().into(), args: vec![encode(&enc)], body })
}

/// Wraps `file_key` under a passphrase.
pub(crate) fn wrap_with(passphrase: &Passphrase, file_key: &FileKey) -> Result<Stanza> {
    let salt = aead::random::<SALT>()?;
    let (wrap_key, cost) = match file_key.format() {
        Format::Sealmark => (argon2id(passphrase, &salt, ARGON2ID)?, ARGON2ID.to_args()),
        Format::Age => (scrypt(passphrase, &salt, SCRYPT_LOG_N)?, vec![SCRYPT_LOG_N.to_string()]),
    };
    let body = aead::wrap_once(file_key.format().facts().wrap_cipher, &wrap_key, file_key.as_bytes());
    let args = [vec![encode(&salt)], cost].concat();
    Ok(Stanza { kind: file_key.format().facts().passphrase_stanza.into(), args, body })
}

/// The file key of `header`, authenticated by the header's MAC.
pub(crate) fn unwrap(header: &Header, with: &OpenWith<'_>) -> Result<FileKey> {
    let bytes =
        if header.has_passphrase() { with_passphrase(header, with)? } else { first_match(header, with)? };
    let file_key = FileKey::from_bytes(header.format, bytes).ok_or(Error::NoKey)?;
    header.verify(&file_key)?;
    Ok(file_key)
}

/// The content of a passphrase stanza. A plugin may keep the passphrase, but is started only if there is no other way.
fn with_passphrase(header: &Header, with: &OpenWith<'_>) -> Result<Zeroizing<Vec<u8>>> {
    let unwrap = |passphrase| unwrap_passphrase(header.format, &header.stanzas[0], &passphrase);
    let here = match with.passphrase_for_file().and_then(unwrap) {
        Err(error @ (Error::WrongPassphrase | Error::PassphraseNeeded | Error::Passphrase { .. })) => error,
        result => return result,
    };
    match ask_plugins(&nested::stanzas(header)?, with) {
        Err(error @ Error::Plugin { .. }) if matches!(here, Error::PassphraseNeeded) => Err(error),
        asked => asked.map_err(|_| here),
    }
}

type Attempt<'a> = Box<dyn Fn() -> Result<Zeroizing<Vec<u8>>> + 'a>;

/// The content of the first stanza that fits a key. The form of every stanza of a key's type is checked before one is opened.
fn first_match(header: &Header, with: &OpenWith<'_>) -> Result<Zeroizing<Vec<u8>>> {
    let age = nested::stanzas(header)?;
    let mut attempts: Vec<Attempt<'_>> = Vec::new();
    for identity in &with.identities {
        let kem = identity.kem();
        let own = header.stanzas.iter().filter(|stanza| stanza.kind == kem.stanza());
        for stanza in own.filter(|_| header.format == Format::Sealmark) {
            let enc = check_form(Format::Sealmark, kem, stanza)?;
            attempts.push(Box::new(move || unwrap_one(Format::Sealmark, stanza, &enc, identity)));
        }
        for in_age in age.iter().filter(|age| kem.in_age() && age.stanza.kind == kind_of(Format::Age, kem)) {
            let enc = check_form(Format::Age, kem, &in_age.stanza)?;
            attempts.push(Box::new(move || {
                in_age.file_key(&unwrap_one(Format::Age, &in_age.stanza, &enc, identity)?)
            }));
        }
    }
    let (locked, unlocked): (Vec<_>, Vec<_>) = with.ssh.iter().partition(|identity| identity.is_locked());
    for identity in unlocked.into_iter().chain(locked) {
        for in_age in age.iter().filter(|age| age.stanza.kind == ssh::ED25519) {
            let share = ssh::check_form(&in_age.stanza)?;
            attempts.push(Box::new(move || in_age.file_key(&identity.unwrap(&in_age.stanza, &share)?)));
        }
    }
    let mut locked = None;
    for attempt in attempts {
        match attempt() {
            Err(Error::NoKey) => {}
            // Another key may open the file.
            Err(error @ Error::Passphrase { .. }) => locked = locked.or(Some(error)),
            result => return result,
        }
    }
    match (ask_plugins(&age, with), locked) {
        (Err(Error::NoKey), Some(error)) => Err(error),
        (result, _) => result,
    }
}

/// The file key from the first stanza that a plugin's key fits.
fn ask_plugins(age: &[InAge], with: &OpenWith<'_>) -> Result<Zeroizing<Vec<u8>>> {
    let Some(plugins) = with.plugins.filter(|_| !age.is_empty()) else { return Err(Error::NoKey) };
    let stanzas: Vec<_> = age.iter().map(|age| age.stanza.clone()).collect();
    let key = plugins.unwrap(&stanzas).map_err(|error| Error::Plugin { error })?.ok_or(Error::NoKey)?;
    age.iter().find_map(|age| age.file_key(&key[..]).ok()).ok_or(Error::Tampered(Part::Header))
}

/// The stanza type a KEM writes in a format.
pub(crate) fn kind_of(format: Format, kem: Kem) -> &'static str {
    match (format, kem) {
        (Format::Age, Kem::X25519) => AGE_X25519,
        _ => kem.stanza(),
    }
}

/// The encapsulated key of a stanza with one argument and a body of the right length.
fn check_form(format: Format, kem: Kem, stanza: &Stanza) -> Result<Enc> {
    let [enc] = &stanza.args[..] else {
        return Err(malformed("a stanza has the wrong number of arguments"));
    };
    let enc = Enc::parse(kem, decode(enc.as_bytes())?)?;
    stanza.check_body(format)?;
    Ok(enc)
}

fn unwrap_one(format: Format, stanza: &Stanza, enc: &Enc, identity: &Identity) -> Result<Zeroizing<Vec<u8>>> {
    let kem = identity.kem();
    match (format, kem) {
        (Format::Age, Kem::X25519) => unwrap_age_x25519(enc.as_bytes(), &stanza.body, identity),
        _ => kem::open(
            kem,
            identity.secret(),
            format.facts().wrap_cipher,
            &hpke_info(format, kem),
            enc,
            &stanza.body,
        ),
    }
}

fn hpke_info(format: Format, kem: Kem) -> Vec<u8> {
    let family = match format {
        Format::Sealmark => "sealmark/1 file ",
        Format::Age => "age-encryption.org/",
    };
    [family.as_bytes(), kem.stanza().as_bytes()].concat()
}

fn wrap_age_x25519(public: &[u8], key: &AgeKey) -> Result<Stanza> {
    let public: [u8; 32] = public.try_into().expect("checked when the key was made");
    let (ephemeral, share) = kem::x25519_ephemeral()?;
    let shared = kem::x25519(&ephemeral, &public).ok_or(KeyMisuse::WeakRecipient)?;
    let wrap_key = age_x25519_wrap_key(&shared, &share, &public);
    let body = aead::wrap_once(WrapCipher::ChaCha20Poly1305, &wrap_key, &key[..]);
    Ok(Stanza { kind: AGE_X25519.into(), args: vec![encode(&share)], body })
}

fn unwrap_age_x25519(share: &[u8], body: &[u8], identity: &Identity) -> Result<Zeroizing<Vec<u8>>> {
    let share: [u8; 32] = share.try_into().expect("length was checked");
    let secret =
        Zeroizing::new(<[u8; 32]>::try_from(identity.secret()).expect("checked when the key was made"));
    let shared = kem::x25519(&secret, &share).ok_or_else(|| malformed("a stanza's share is degenerate"))?;
    let public = kem::x25519_public(&secret);
    let wrap_key = age_x25519_wrap_key(&shared, &share, &public);
    aead::unwrap_once(WrapCipher::ChaCha20Poly1305, &wrap_key, body).ok_or(Error::NoKey)
}

fn age_x25519_wrap_key(shared: &[u8; 32], share: &[u8; 32], public: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    aead::hkdf_sha256(shared, &[&share[..], public].concat(), b"age-encryption.org/v1/X25519")
}

fn unwrap_passphrase(format: Format, stanza: &Stanza, passphrase: &Passphrase) -> Result<Zeroizing<Vec<u8>>> {
    let (salt, cost) =
        stanza.args.split_first().ok_or_else(|| malformed("a passphrase stanza without a salt"))?;
    let salt: [u8; SALT] =
        decode(salt.as_bytes())?.try_into().map_err(|_| malformed("a salt has the wrong length"))?;
    stanza.check_body(format)?;
    let wrap_key = match format {
        Format::Sealmark => argon2id(passphrase, &salt, Cost::from_args(cost)?)?,
        Format::Age => scrypt(passphrase, &salt, scrypt_cost(cost)?)?,
    };
    aead::unwrap_once(format.facts().wrap_cipher, &wrap_key, &stanza.body).ok_or(Error::WrongPassphrase)
}

/// Argon2id's parameters, in the units of RFC 9106.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

impl Cost {
    fn to_args(self) -> Vec<String> {
        [self.memory_kib, self.passes, self.lanes].iter().map(u32::to_string).collect()
    }

    /// Refuses before memory is spent whatever lies outside the limits.
    fn from_args(args: &[String]) -> Result<Self> {
        let [memory, passes, lanes] = args else {
            return Err(malformed("an argon2id stanza has the wrong number of arguments"));
        };
        let (memory_kib, passes, lanes) = (decimal(memory)?, decimal(passes)?, decimal(lanes)?);
        let work = u64::from(memory_kib) * u64::from(passes);
        if memory_kib > MAX_MEMORY_KIB || work > MAX_WORK_KIB || lanes > MAX_LANES {
            return Err(Malformed::KdfCost {
                asked: format!("argon2id with {memory_kib} KiB, {passes} passes, {lanes} lanes"),
            }
            .into());
        }
        if memory_kib < 8 * lanes {
            return Err(malformed("argon2id needs at least 8 KiB of memory per lane"));
        }
        Ok(Self { memory_kib, passes, lanes })
    }
}

fn scrypt_cost(args: &[String]) -> Result<u8> {
    let [log_n] = args else {
        return Err(malformed("a scrypt stanza has the wrong number of arguments"));
    };
    match decimal(log_n)? {
        log_n if log_n <= u32::from(MAX_SCRYPT_LOG_N) => Ok(log_n as u8),
        log_n => Err(Malformed::KdfCost { asked: format!("scrypt 2^{log_n}") }.into()),
    }
}

/// A positive number without sign or leading zero. A number of more than 32 bits is beyond every limit.
fn decimal(text: &str) -> Result<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0') && !text.is_empty();
    if plain {
        text.parse().map_err(|_| {
            Malformed::KdfCost { asked: "more memory or time than any machine has".into() }.into()
        })
    } else {
        Err(malformed("a work factor is not a plain decimal number"))
    }
}

fn argon2id(passphrase: &Passphrase, salt: &[u8; SALT], cost: Cost) -> Result<Zeroizing<[u8; 32]>> {
    let salt = [b"sealmark/1 file argon2id", &salt[..]].concat();
    let params = Params::new(cost.memory_kib, cost.passes, cost.lanes, Some(32))
        .map_err(|_| malformed("argon2id does not allow these parameters"))?;
    let mut key = Zeroizing::new([0; 32]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(passphrase.as_bytes(), &salt, &mut key[..])
        .map_err(|error| match error {
            // The file is as it should be, and this machine too small for it.
            argon2::Error::OutOfMemory => Error::OutOfMemory,
            _ => malformed("argon2id does not allow these parameters"),
        })?;
    Ok(key)
}

fn scrypt(passphrase: &Passphrase, salt: &[u8; SALT], log_n: u8) -> Result<Zeroizing<[u8; 32]>> {
    let salt = [b"age-encryption.org/v1/scrypt", &salt[..]].concat();
    let params =
        scrypt::Params::new(log_n, 8, 1).map_err(|_| malformed("scrypt does not allow this work factor"))?;
    // scrypt would end the process where it gets no memory.
    Vec::<u8>::new().try_reserve_exact((128 * 8) << log_n).map_err(|_| Error::OutOfMemory)?;
    let mut key = Zeroizing::new([0; 32]);
    scrypt::scrypt(passphrase.as_bytes(), &salt, &params, &mut key[..])
        .map_err(|_| malformed("scrypt does not allow this work factor"))?;
    Ok(key)
}
