//! Key strings: there is one way to write a key, and a secret key and a recipient are never taken for each other.

use sealmark::{Identity, Recipient};

/// A text that parses as a key prints as itself.
pub fn keystring(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let identity = text.parse::<Identity>().inspect(|identity| check_identity(identity, text));
    let recipient = text.parse::<Recipient>().inspect(|recipient| check_recipient(recipient, text));
    assert!(identity.is_err() || recipient.is_err(), "one text is a secret key and a recipient");
    identity.is_ok() || recipient.is_ok()
}

fn check_identity(identity: &Identity, text: &str) {
    assert_eq!(identity.to_secret_string().as_str(), text, "a second way to write a secret key");
    let recipient = identity.recipient();
    assert_eq!(recipient.kem(), Some(identity.kem()));
    assert_eq!(
        recipient.to_string().parse::<Recipient>().ok(),
        Some(recipient),
        "its recipient is not readable"
    );
}

fn check_recipient(recipient: &Recipient, text: &str) {
    // A comment after a key of SSH is not kept, and there may be more blanks before it.
    if text.starts_with("ssh-") {
        assert_eq!(recipient.to_string().parse().ok().as_ref(), Some(recipient));
    } else {
        assert_eq!(recipient.to_string(), text, "a second way to write a recipient");
    }
}
