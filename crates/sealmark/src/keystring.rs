//! Key strings: Bech32 without its limit on length.

use crate::error::{KeyMisuse, Result};
use bech32::primitives::checksum::Checksum;
use bech32::primitives::decode::CheckedHrpstring;
use bech32::{Bech32, Hrp};
use zeroize::Zeroizing;

/// BIP 173's checksum without its limit of 90 characters, as age uses it: post-quantum keys are long.
enum LongBech32 {}

impl Checksum for LongBech32 {
    type MidstateRepr = <Bech32 as Checksum>::MidstateRepr;
    type CorrectionField = <Bech32 as Checksum>::CorrectionField;
    const ROOT_GENERATOR: Self::CorrectionField = <Bech32 as Checksum>::ROOT_GENERATOR;
    const ROOT_EXPONENTS: std::ops::RangeInclusive<usize> = <Bech32 as Checksum>::ROOT_EXPONENTS;
    const CODE_LENGTH: usize = MAX_KEY_STRING;
    const CHECKSUM_LENGTH: usize = <Bech32 as Checksum>::CHECKSUM_LENGTH;
    const GENERATOR_SH: [Self::MidstateRepr; 5] = <Bech32 as Checksum>::GENERATOR_SH;
    const TARGET_RESIDUE: Self::MidstateRepr = <Bech32 as Checksum>::TARGET_RESIDUE;
}

/// Longer than any key string; text beyond it is refused unread.
const MAX_KEY_STRING: usize = 4096;

pub(crate) fn encode_bech32(prefix: &str, bytes: &[u8]) -> String {
    let hrp = Hrp::parse(prefix).expect("prefixes are fixed and valid");
    bech32::encode_lower::<LongBech32>(hrp, bytes).expect("keys are shorter than the code")
}

/// Secret keys are written so.
pub(crate) fn encode_secret(prefix: &str, secret: &[u8]) -> Zeroizing<String> {
    let mut text = encode_bech32(prefix, secret);
    text.make_ascii_uppercase();
    Zeroizing::new(text)
}

/// The lower-case prefix and the bytes behind it.
pub(crate) fn decode_bech32(text: &str) -> Result<(String, Zeroizing<Vec<u8>>)> {
    if text.len() > MAX_KEY_STRING {
        return Err(KeyMisuse::KeyString("the key is too long").into());
    }
    let parsed = CheckedHrpstring::new::<LongBech32>(text)
        .map_err(|_| KeyMisuse::KeyString("not a valid key: mistyped or cut short"))?;
    // BIP 173's: short and zero.
    parsed
        .validate_segwit_padding()
        .map_err(|_| KeyMisuse::KeyString("the key is mistyped: its last character is not canonical"))?;
    // With room for all: a vector that grows leaves what it held behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len()));
    bytes.extend(parsed.byte_iter());
    Ok((parsed.hrp().to_lowercase(), bytes))
}
