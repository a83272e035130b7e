//! The binary header: one session key, wrapped for each reader (spec/record.md, "Header").

use super::counters::Order;
use super::keys::{LogKeys, PreSharedKey, Readers, Wrapping};
use super::token::{DIGEST, ID, SessionId};
use crate::aead::{self, ValueCipher, WrapCipher};
use crate::error::{Error, Part, Result};
use crate::header::{MAX_STANZAS, malformed};
use crate::kem::{self, Enc};
use crate::key::Identity;
use crate::suite::Kem;
use zeroize::Zeroizing;

/// The most bytes of a header. A thousand of the largest stanzas fit.
pub(super) const MAX_HEADER: usize = 1_900_000;

const VERSION: u8 = 1;
const MAC: usize = 32;
const SALT: usize = 32;
const COUNT: usize = 8;
const TIME: usize = 8;
const ORDERED: u8 = 0x01;
const PREVIOUS: u8 = 0x02;
const COUNTED: u8 = 0x04;
/// A later time counts as this one, the last that `java.time.Instant` has (spec/record.md, "Header").
const LAST_SECOND: u64 = 31_556_889_864_403_199;
const TIMED: u8 = 0x08;
/// A wrapped session key with its tag.
const WRAPPED: usize = 32 + aead::TAG;
/// The type of a stanza that a pre-shared key opens.
pub(super) const PRE_SHARED: u16 = 0;

/// The session before another one in the same log.
///
/// [`SessionSettings`](crate::record::SessionSettings) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Previous {
    /// Which session it is.
    pub session: SessionId,
    /// The count of its closing token, one more than its highest counter; `None` if it may still seal values, or if that is
    /// unknown.
    pub count: Option<u64>,
}

/// The facts in a header besides its session's key, authenticated by its MAC.
///
/// [`LogInspector`](crate::record::LogInspector) has an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct HeaderFacts {
    /// The order that the writer promises.
    pub order: Order,
    /// The session before this one, where the writer knew it.
    pub previous: Option<Previous>,
    /// When the session began by the writer's clock, in seconds since 1970 (UTC); `None` if the header has no time. A later
    /// time than any that readers can show is reduced to the last one.
    pub began: Option<u64>,
}

impl Previous {
    /// The session, and the count of its closing token, if it is known.
    pub fn new(session: SessionId, count: Option<u64>) -> Self {
        Self { session, count }
    }
}

impl HeaderFacts {
    fn write(&self, bytes: &mut Vec<u8>) {
        let count = self.previous.and_then(|previous| previous.count);
        let flags = [
            (self.order == Order::Kept, ORDERED),
            (self.previous.is_some(), PREVIOUS),
            (count.is_some(), COUNTED),
            (self.began.is_some(), TIMED),
        ];
        bytes.push(flags.into_iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum());
        bytes.extend_from_slice(&self.previous.map_or([0; ID], |previous| previous.session.to_bytes()));
        bytes.extend_from_slice(&count.unwrap_or(0).to_be_bytes());
        bytes.extend_from_slice(&self.began.unwrap_or(0).to_be_bytes());
    }

    /// One form only: a field whose flag is not set is zero.
    fn parse(flags: u8, previous: [u8; ID], count: [u8; COUNT], began: [u8; TIME]) -> Result<Self> {
        let has = |flag| flags & flag != 0;
        let canonical = flags & !(ORDERED | PREVIOUS | COUNTED | TIMED) == 0
            && (has(PREVIOUS) || !has(COUNTED) && previous == [0; ID])
            && (has(COUNTED) || count == [0; COUNT])
            && (has(TIMED) || began == [0; TIME]);
        if !canonical {
            return Err(malformed("the flags contradict the rest of the header"));
        }
        let count = has(COUNTED).then(|| u64::from_be_bytes(count));
        Ok(Self {
            order: if has(ORDERED) { Order::Kept } else { Order::Unpromised },
            previous: has(PREVIOUS).then_some(Previous { session: SessionId::from_bytes(&previous), count }),
            began: has(TIMED).then(|| u64::from_be_bytes(began).min(LAST_SECOND)),
        })
    }
}

/// Tells the parts of one header from those of another: the beginning of the header's SHA-256.
pub(super) fn digest(header: &[u8]) -> [u8; DIGEST] {
    *aead::sha256(header).first_chunk().expect("longer than a digest")
}

/// The one secret of a log session. Wiped when dropped.
#[derive(Clone)]
pub(super) struct SessionKey(Zeroizing<[u8; 32]>);

impl SessionKey {
    pub fn generate() -> Result<Self> {
        Ok(Self(Zeroizing::new(aead::random()?)))
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self(Zeroizing::new(*<&[u8; 32]>::try_from(bytes).ok()?)))
    }

    /// Derived, so that no header can give this key under another session's id.
    pub fn id(&self) -> SessionId {
        SessionId::from_bytes(
            self.derive(b"sealmark/1 log session").first_chunk().expect("longer than an id"),
        )
    }

    pub fn cipher(&self) -> ValueCipher {
        ValueCipher::new(&self.derive(b"sealmark/1 log value"))
    }

    /// A header that wraps this key for `readers`.
    pub fn header(&self, readers: &Readers, facts: &HeaderFacts) -> Result<Vec<u8>> {
        let stanzas = match &readers.0 {
            Wrapping::Recipients(recipients) => {
                recipients.iter().map(|(kem, public)| self.wrap_for(*kem, public)).collect::<Result<_>>()?
            }
            Wrapping::PreShared(key) => vec![self.wrap_under(key)?],
        };
        Ok(self.write(facts, &stanzas))
    }

    fn wrap_for(&self, kem: Kem, public: &[u8]) -> Result<Stanza> {
        let (enc, ciphertext) = kem::seal(kem, public, WrapCipher::Aes256Gcm, &hpke_info(kem), &self.0[..])?;
        Ok(Stanza { kind: kem::id(kem), data: [enc, ciphertext].concat() })
    }

    fn wrap_under(&self, key: &PreSharedKey) -> Result<Stanza> {
        let salt = aead::random::<SALT>()?;
        let ciphertext = aead::wrap_once(WrapCipher::Aes256Gcm, &key.wrap_key(&salt), &self.0[..]);
        Ok(Stanza { kind: PRE_SHARED, data: [&salt[..], &ciphertext].concat() })
    }

    fn write(&self, facts: &HeaderFacts, stanzas: &[Stanza]) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&self.id().to_bytes());
        facts.write(&mut bytes);
        bytes.extend_from_slice(&short(stanzas.len()));
        for stanza in stanzas {
            bytes.extend_from_slice(&stanza.kind.to_be_bytes());
            bytes.extend_from_slice(&short(stanza.data.len()));
            bytes.extend_from_slice(&stanza.data);
        }
        let mac = self.mac(&bytes);
        bytes.extend_from_slice(&mac);
        bytes
    }

    fn mac(&self, authenticated: &[u8]) -> [u8; MAC] {
        aead::hmac_sha256(&self.derive(b"sealmark/1 log header"), authenticated)
    }

    fn derive(&self, info: &[u8]) -> Zeroizing<[u8; 32]> {
        aead::hkdf_sha256(&self.0[..], b"", info)
    }
}

/// One wrapped copy of the session key.
struct Stanza {
    kind: u16,
    data: Vec<u8>,
}

/// A header as it was read; not believed until [`Header::unwrap`] has found its key.
pub(super) struct Header {
    pub session: SessionId,
    pub facts: HeaderFacts,
    stanzas: Vec<Stanza>,
    authenticated: Vec<u8>,
    mac: [u8; MAC],
}

impl Header {
    /// Checks everything that can be checked without a key.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        if bytes.len() > MAX_HEADER {
            return Err(malformed("more bytes than a log header may have"));
        }
        let (authenticated, mac) = bytes.split_last_chunk().ok_or(SHORT).map_err(malformed)?;
        let mut rest = authenticated;
        let [version] = take(&mut rest)?;
        if version != VERSION {
            return Err(malformed("a log header of unknown version"));
        }
        let session = SessionId::from_bytes(&take(&mut rest)?);
        let [flags] = take(&mut rest)?;
        let facts = HeaderFacts::parse(flags, take(&mut rest)?, take(&mut rest)?, take(&mut rest)?)?;
        let count = usize::from(take_short(&mut rest)?);
        if count == 0 || count > MAX_STANZAS {
            return Err(malformed("no stanza, or too many"));
        }
        let stanzas = (0..count).map(|_| Stanza::parse(&mut rest)).collect::<Result<Vec<_>>>()?;
        if !rest.is_empty() {
            return Err(malformed("extra bytes after the MAC"));
        }
        if count > 1 && stanzas.iter().any(|stanza| stanza.kind == PRE_SHARED) {
            return Err(malformed("a pre-shared key's stanza is not alone"));
        }
        Ok(Self { session, facts, stanzas, authenticated: authenticated.to_vec(), mac: *mac })
    }

    /// The session key, which fits the header's id and its MAC.
    pub fn unwrap(&self, keys: &LogKeys) -> Result<SessionKey> {
        let key = self.first_match(keys)?;
        if key.id() == self.session && aead::equal(&key.mac(&self.authenticated), &self.mac) {
            Ok(key)
        } else {
            Err(Error::Tampered(Part::Header))
        }
    }

    /// The types of its stanzas.
    pub fn kinds(&self) -> impl Iterator<Item = u16> {
        self.stanzas.iter().map(|stanza| stanza.kind)
    }

    /// True if a quantum computer opens none of its stanzas. One of a type that this library does not know may be classic.
    pub fn is_post_quantum(&self) -> bool {
        self.kinds().all(|kind| kind == PRE_SHARED || kem::of_id(kind).is_some_and(Kem::is_post_quantum))
    }

    /// All stanzas of an identity's type have their form before the first is opened.
    fn first_match(&self, keys: &LogKeys) -> Result<SessionKey> {
        let mut candidates = Vec::new();
        for identity in &keys.identities {
            let kind = kem::id(identity.kem());
            for stanza in self.stanzas.iter().filter(|stanza| stanza.kind == kind) {
                let (enc, ciphertext) = stanza.data.split_at(stanza.data.len() - WRAPPED);
                candidates.push((identity, Enc::parse(identity.kem(), enc.to_vec())?, ciphertext));
            }
        }
        for (identity, enc, ciphertext) in candidates {
            match open_for(identity, &enc, ciphertext) {
                Err(Error::NoKey) => {}
                result => return result,
            }
        }
        self.pre_shared_match(keys).ok_or(Error::NoKey)
    }

    fn pre_shared_match(&self, keys: &LogKeys) -> Option<SessionKey> {
        let stanza = self.stanzas.iter().find(|stanza| stanza.kind == PRE_SHARED)?;
        let (salt, ciphertext) = stanza.data.split_first_chunk()?;
        keys.pre_shared.iter().find_map(|key| {
            SessionKey::from_bytes(&aead::unwrap_once(
                WrapCipher::Aes256Gcm,
                &key.wrap_key(salt),
                ciphertext,
            )?)
        })
    }
}

const SHORT: &str = "a log header is too short";

impl Stanza {
    fn parse(rest: &mut &[u8]) -> Result<Self> {
        let (kind, length) = (take_short(rest)?, usize::from(take_short(rest)?));
        // Before anything is opened: a longer ciphertext could open under several keys (partitioning oracle).
        if length_of(kind).is_some_and(|expected| expected != length) {
            return Err(malformed("a stanza has the wrong length for its type"));
        }
        let (data, behind) = rest.split_at_checked(length).ok_or(SHORT).map_err(malformed)?;
        *rest = behind;
        Ok(Self { kind, data: data.to_vec() })
    }
}

/// `None` for types that this library does not know, which any length suits.
fn length_of(kind: u16) -> Option<usize> {
    match kind {
        PRE_SHARED => Some(SALT + WRAPPED),
        _ => kem::of_id(kind).map(|kem| kem::enc_len(kem) + WRAPPED),
    }
}

fn open_for(identity: &Identity, enc: &Enc, ciphertext: &[u8]) -> Result<SessionKey> {
    let opened = kem::open(
        identity.kem(),
        identity.secret(),
        WrapCipher::Aes256Gcm,
        &hpke_info(identity.kem()),
        enc,
        ciphertext,
    )?;
    SessionKey::from_bytes(&opened).ok_or(Error::NoKey)
}

fn hpke_info(kem: Kem) -> Vec<u8> {
    [b"sealmark/1 log ", kem.stanza().as_bytes()].concat()
}

fn short(length: usize) -> [u8; 2] {
    u16::try_from(length).expect("counts and lengths are below their limits").to_be_bytes()
}

fn take_short(rest: &mut &[u8]) -> Result<u16> {
    Ok(u16::from_be_bytes(take(rest)?))
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N]> {
    let (bytes, behind) = rest.split_first_chunk().ok_or(SHORT).map_err(malformed)?;
    *rest = behind;
    Ok(*bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    #[test]
    fn a_stanza_of_an_unknown_type_may_be_classic() {
        let (key, facts) = (SessionKey::generate().unwrap(), HeaderFacts::default());
        let identity = Identity::generate(Kem::MlKem768X25519).unwrap();
        let public = kem::public_key(identity.kem(), identity.secret());
        let known = || key.wrap_for(identity.kem(), &public).unwrap();
        let is_post_quantum = |stanzas: &[Stanza]| {
            let header = Header::parse(&key.write(&facts, stanzas)).unwrap();
            assert!(header.unwrap(&LogKeys::identities(vec![identity.clone()])).is_ok());
            header.is_post_quantum()
        };
        assert!(is_post_quantum(&[known()]));
        assert!(!is_post_quantum(&[known(), Stanza { kind: 0x7777, data: Vec::new() }]));
    }
}
