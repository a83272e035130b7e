//! This project's library: tokens of a log session.

use super::slot::Sealer;
use crate::serve::memory::work::{Failure, Outcome};
use sealmark::record::{
    Context, Found, Label, LogKeys, LogOpener, LogSession, Outcome as Opened, Readers, SessionSettings,
    Sessions, Shape, TokenOpener, find,
};
use sealmark::{Identity, Kem, Result};
use std::sync::Arc;

/// One session that all threads share, sealed to one recipient, and what its header opens to.
#[derive(Clone)]
pub struct Session {
    session: Arc<LogSession>,
    sessions: Sessions,
    label: Label,
}

impl Session {
    pub fn begin() -> Result<Self> {
        let identity = Identity::generate(Kem::MlKem768X25519)?;
        let readers = Readers::recipients(&[identity.recipient()])?;
        let session = LogSession::begin(&readers, SessionSettings::default())?;
        let mut opener = LogOpener::new(LogKeys::identities(vec![identity]));
        opener.learn(session.header_lines(Shape::Plain).as_bytes());
        Ok(Self { session: Arc::new(session), sessions: opener.sessions(), label: Label::new("value")? })
    }

    pub fn sealer(&self) -> Tokens {
        Tokens { of: self.clone(), opener: TokenOpener::new(Context::Plain) }
    }
}

pub struct Tokens {
    of: Session,
    opener: TokenOpener,
}

impl Sealer for Tokens {
    fn seal(&mut self, value: &[u8], text: &mut Vec<u8>) -> Outcome {
        text.clear();
        self.of.session.seal_into(&self.of.label, value, text).map_err(|_| Failure::Failed)
    }

    fn open(&mut self, text: &[u8], value: &mut Vec<u8>) -> Outcome {
        let Some(Found::Token(token)) = find(text).next().filter(|found| is_all_of(found, text)) else {
            return Err(Failure::Refused);
        };
        value.clear();
        match self.opener.open_token(&self.of.sessions, &token, value) {
            Opened::Opened { .. } => Ok(()),
            _ => Err(Failure::Refused),
        }
    }

    /// A log is read once, and its report knows which values it had: one opener a reading.
    fn start_over(&mut self) {
        self.opener = TokenOpener::new(Context::Plain);
    }
}

fn is_all_of(found: &Found<'_>, text: &[u8]) -> bool {
    matches!(found, Found::Token(token) if token.range == (0..text.len()))
}
