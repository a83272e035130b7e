//! Keys outside the library: the seam for plugins of age (c2sp.org/age-plugin), which the caller runs.

use crate::error::{Error, KeyMisuse, Result};
use crate::header::Stanza;
use crate::keystring::decode_bech32;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// The label of stanzas that resist a quantum computer.
const POST_QUANTUM: &str = "postquantum";

/// Runs plugins of age for the library, which starts no process.
///
/// A plugin wraps and unwraps a key of 16 bytes in stanzas of age: the file key of an age file; in a `sealmark/1` file, a
/// key that wraps the file key (spec/file.md, "Stanzas of age").
///
/// ```
/// use sealmark::{PluginName, Plugins, Stanza, Wrapped, Zeroizing};
///
/// type Answer<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;
/// # fn ask_device(_recipient: &str, _key: &[u8; 16]) -> Vec<u8> { Vec::new() }
///
/// #[derive(Debug)]
/// struct Device;
///
/// impl Plugins for Device {
///     fn wrap(&self, _: &PluginName, recipient: &str, key: &[u8; 16]) -> Answer<Wrapped> {
///         let stanza = Stanza { kind: "device".into(), args: vec![], body: ask_device(recipient, key) };
///         let mut wrapped = Wrapped::default();
///         wrapped.stanzas.push(stanza);
///         Ok(wrapped)
///     }
///
///     fn unwrap(&self, _: &[Stanza]) -> Answer<Option<Zeroizing<[u8; 16]>>> {
///         Ok(None) // no stanza is for this device
///     }
/// }
/// ```
pub trait Plugins: fmt::Debug + Send + Sync {
    /// Wraps `key` for the recipient of a plugin, as its string.
    fn wrap(&self, name: &PluginName, recipient: &str, key: &[u8; 16]) -> Answer<Wrapped>;

    /// The key in one of the stanzas of a file, or `None` if none of them is for the identities at hand.
    fn unwrap(&self, stanzas: &[Stanza]) -> Answer<Option<Zeroizing<[u8; 16]>>>;
}

/// The answer of a caller's code; an error is returned in [`Error::Plugin`], or in [`Error::Passphrase`].
pub(crate) type Answer<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// The stanzas for one recipient.
///
/// [`Plugins`] has an example.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wrapped {
    /// At least one.
    pub stanzas: Vec<Stanza>,
    /// Labels that the stanzas of all recipients of a file must share; `postquantum` is one.
    pub labels: BTreeSet<String>,
}

impl Wrapped {
    pub(crate) fn new(stanza: Stanza, post_quantum: bool) -> Self {
        let labels = post_quantum.then(|| POST_QUANTUM.to_owned());
        Self { stanzas: vec![stanza], labels: labels.into_iter().collect() }
    }

    pub(crate) fn is_post_quantum(&self) -> bool {
        self.labels.contains(POST_QUANTUM)
    }

    /// The labels that must be those of the other recipients even if post-quantum and classic keys may be mixed.
    fn other_labels(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().map(String::as_str).filter(|label| *label != POST_QUANTUM)
    }
}

/// Labels must be the same for all recipients; with `mixed`, post-quantum and classic ones may stand side by side.
pub(crate) fn check_labels(all: &[Wrapped], mixed: bool) -> Result<()> {
    let Some((first, rest)) = all.split_first() else { return Ok(()) };
    if rest.iter().any(|one| !one.other_labels().eq(first.other_labels())) {
        return Err(KeyMisuse::Labels.into());
    }
    if !mixed && rest.iter().any(|one| one.is_post_quantum() != first.is_post_quantum()) {
        return Err(KeyMisuse::MixedRecipients.into());
    }
    Ok(())
}

/// The name of a plugin. Its program is `age-plugin-NAME`, so the name is never a path.
///
/// ```
/// let name: sealmark::PluginName = "yubikey".parse()?;
/// assert_eq!(name.program(), "age-plugin-yubikey");
/// # Ok::<(), sealmark::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PluginName(String);

impl PluginName {
    /// The name of its program, to be looked for in `PATH`.
    pub fn program(&self) -> String {
        format!("age-plugin-{}", self.0)
    }
}

impl FromStr for PluginName {
    type Err = Error;

    /// Takes letters, digits, and `+-._` after the first character, and makes letters small.
    fn from_str(text: &str) -> Result<Self> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte);
        if text.is_empty() || text.starts_with('.') || !text.bytes().all(allowed) {
            return Err(KeyMisuse::KeyString("the key names a plugin that cannot exist").into());
        }
        Ok(Self(text.to_ascii_lowercase()))
    }
}

impl fmt::Display for PluginName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The identity string of a plugin, `AGE-PLUGIN-NAME-1…`. It may contain a secret key or only say where one is, so it is
/// wiped when it is dropped and not printed by `Debug`.
///
/// ```
/// let identity: sealmark::PluginIdentity = "AGE-PLUGIN-OPEN-1LJEPJA".parse()?;
/// assert_eq!(identity.name().program(), "age-plugin-open");
/// # Ok::<(), sealmark::Error>(())
/// ```
#[derive(Clone)]
pub struct PluginIdentity {
    name: PluginName,
    text: Zeroizing<String>,
}

impl PluginIdentity {
    /// The plugin that understands it.
    pub fn name(&self) -> &PluginName {
        &self.name
    }

    /// The string, to be kept secret.
    pub fn to_secret_string(&self) -> Zeroizing<String> {
        self.text.clone()
    }
}

impl ZeroizeOnDrop for PluginIdentity {}

impl FromStr for PluginIdentity {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (prefix, _) = decode_bech32(text)?;
        let name = prefix.strip_prefix("age-plugin-").and_then(|rest| rest.strip_suffix('-'));
        match name {
            Some(name) if !text.bytes().any(|byte| byte.is_ascii_lowercase()) => {
                Ok(Self { name: name.parse()?, text: Zeroizing::new(text.to_owned()) })
            }
            _ => Err(KeyMisuse::KeyString("this is not the identity of a plugin").into()),
        }
    }
}

impl fmt::Debug for PluginIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PluginIdentity({})", self.name)
    }
}
