//! OpenSSL by the crate openssl.

use super::library::{End, Library, Offer, Proof, Wire};
use super::way::{Certificate, Way};
use super::{Job, Prepared, Source};
use crate::protocol::Answer;
use crate::serve::memory::versions;
use crate::serve::{failed, unsupported};
use ::openssl::bn::BigNum;
use ::openssl::dh::Dh;
use ::openssl::error::ErrorStack;
use ::openssl::nid::Nid;
use ::openssl::ssl::{
    self, ErrorCode, Ssl, SslContext, SslContextBuilder, SslFiletype, SslMethod, SslRef, SslSession,
    SslStream, SslVerifyMode, SslVersion,
};
use foreign_types::ForeignTypeRef;
use std::ffi::c_int;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::ptr;
use std::sync::{Mutex, PoisonError};

pub struct OpenSsl;

impl Source for OpenSsl {
    fn name(&self) -> &'static str {
        "openssl"
    }

    fn version(&self) -> String {
        let version = ::openssl::version::version().trim_start_matches("OpenSSL ");
        format!("{version}, {}", ::openssl::version::c_flags())
    }

    fn prepare(&self, task: Prepared) -> Result<(Box<dyn Job>, String), Answer> {
        let way = task.way()?;
        let settings = Settings::of(&way)?;
        let contexts = Contexts::read(way, &settings, &task.directory, task.concurrency).map_err(failed)?;
        let wrapper = versions::named("openssl");
        let code = format!("{} by {wrapper}, {}", ::openssl::version::version(), versions::processor());
        Ok((task.around(contexts), code))
    }
}

/// A way in OpenSSL's words.
pub struct Settings {
    pub version: SslVersion,
    /// IANA's name: OpenSSL takes it beside its own.
    pub suite: String,
    pub client_groups: &'static str,
    pub server_groups: &'static str,
}

impl Settings {
    pub fn of(way: &Way) -> Result<Self, Answer> {
        let version = match way.protocol.as_str() {
            "TLSv1.3" => SslVersion::TLS1_3,
            "TLSv1.2" => SslVersion::TLS1_2,
            other => return Err(unsupported(format!("protocol {other} at security level 2"))),
        };
        let server_groups = match way.group.as_str() {
            "X25519" => "X25519",
            "X25519MLKEM768" => "X25519MLKEM768",
            "P-256" => "P-256",
            "DH-2048" => "ffdhe2048",
            // Not asked, but a list may not be empty.
            "none" => "X25519",
            other => return Err(unsupported(format!("group {other} at security level 2"))),
        };
        // Before TLS 1.3 the client's list also holds for the server's certificate (RFC 8422 section 5.1.1); the server
        // still accepts the one group alone.
        let for_certificate = version == SslVersion::TLS1_2 && way.certificate == Certificate::EcdsaP256;
        let client_groups =
            if for_certificate && server_groups == "X25519" { "X25519:P-256" } else { server_groups };
        let settings = Self { version, suite: way.suite.clone(), client_groups, server_groups };
        let mut trial = SslContextBuilder::new(SslMethod::tls()).map_err(failed)?;
        let known = settings.apply(&mut trial, server_groups);
        known.map(|()| settings).map_err(|_| unsupported(format!("suite {}", way.suite)))
    }

    pub fn apply(&self, builder: &mut SslContextBuilder, groups: &str) -> Result<(), ErrorStack> {
        builder.set_min_proto_version(Some(self.version))?;
        builder.set_max_proto_version(Some(self.version))?;
        match self.version {
            SslVersion::TLS1_3 => builder.set_ciphersuites(&self.suite)?,
            _ => builder.set_cipher_list(&self.suite)?,
        }
        builder.set_groups_list(groups)
    }
}

/// Everything ready before the first connection.
pub struct Contexts {
    client: SslContext,
    server: SslContext,
    /// One a client thread: the newest, as TLS 1.3 wants each ticket used once (RFC 8446 appendix C.4).
    sessions: Vec<Mutex<Option<SslSession>>>,
    way: Way,
}

impl Contexts {
    fn read(way: Way, settings: &Settings, directory: &Path, clients: usize) -> Result<Self, ErrorStack> {
        let mut client = SslContextBuilder::new(SslMethod::tls_client())?;
        settings.apply(&mut client, settings.client_groups)?;
        client.set_ca_file(directory.join("ca.pem"))?;
        client.set_verify(SslVerifyMode::PEER);
        let mut server = SslContextBuilder::new(SslMethod::tls_server())?;
        settings.apply(&mut server, settings.server_groups)?;
        server.set_certificate_file(directory.join("certificate.pem"), SslFiletype::PEM)?;
        server.set_private_key_file(directory.join("key.pem"), SslFiletype::PEM)?;
        // TLS 1.2 negotiates no finite field; this is RFC 3526's group 14.
        let (prime, two) = (BigNum::get_rfc3526_prime_2048()?, BigNum::from_u32(2)?);
        server.set_tmp_dh(&*Dh::from_pqg(prime, None, two)?)?;
        let sessions = (0..clients).map(|_| Mutex::new(None)).collect();
        Ok(Self { client: client.build(), server: server.build(), sessions, way })
    }
}

impl Library for Contexts {
    type Client<W: Wire> = Side<W>;
    type Server<W: Wire> = Side<W>;

    fn client<W: Wire>(&self, wire: W, offer: Offer, slot: usize) -> io::Result<Side<W>> {
        let mut ssl = Ssl::new(&self.client)?;
        ssl.set_connect_state();
        ssl.set_hostname("localhost")?;
        ssl.param_mut().set_host("localhost")?;
        let session = self.sessions[slot].lock().unwrap_or_else(PoisonError::into_inner);
        if let (Offer::Session, Some(session)) = (offer, &*session) {
            offer_session(&mut ssl, session)?;
        }
        Ok(Side { stream: SslStream::new(ssl, wire)? })
    }

    fn server<W: Wire>(&self, wire: W) -> io::Result<Side<W>> {
        let mut ssl = Ssl::new(&self.server)?;
        ssl.set_accept_state();
        Ok(Side { stream: SslStream::new(ssl, wire)? })
    }

    fn keep_session<W: Wire>(&self, client: &mut Side<W>, slot: usize) {
        let session = client.stream.ssl().session().map(|session| session.to_owned());
        *self.sessions[slot].lock().unwrap_or_else(PoisonError::into_inner) = session;
    }

    fn proof<W: Wire>(&self, client: &Side<W>) -> Option<Proof> {
        let ssl = client.stream.ssl();
        let group = match negotiated_group(ssl) {
            // Finite fields before TLS 1.3 have a size and no name; their key is there after a full handshake only.
            0 => ssl.peer_tmp_key().map_or(0, |key| FINITE_FIELD | key.bits()),
            group => group,
        };
        Some(Proof {
            protocol: ssl.version2().and_then(protocol_number)?,
            suite: u16::from_be_bytes(ssl.current_cipher()?.protocol_id()).into(),
            group,
            resumed: ssl.session_reused(),
        })
    }

    fn names(&self, proof: Proof) -> [String; 3] {
        names(proof, &self.way)
    }
}

/// The negotiated parameters in the words of spec/engine.md, from OpenSSL's own numbers.
pub fn names(proof: Proof, way: &Way) -> [String; 3] {
    let suite = suite_name(proof.suite).unwrap_or_else(|| format!("{:#06x}", proof.suite));
    let protocol = PROTOCOLS.iter().find(|(_, number, _)| *number == proof.protocol);
    let protocol = protocol.map_or("unknown", |(_, _, name)| name);
    let group = match proof.group {
        _ if proof.is_without_group(&way.group) => way.group.clone(),
        0 => "unknown".into(),
        group => group_name(group),
    };
    [protocol.into(), suite, group]
}

/// With their numbers on the wire.
const PROTOCOLS: [(SslVersion, u32, &str); 2] =
    [(SslVersion::TLS1_2, 0x0303, "TLSv1.2"), (SslVersion::TLS1_3, 0x0304, "TLSv1.3")];

/// A version's number on the wire.
pub fn protocol_number(version: SslVersion) -> Option<u32> {
    PROTOCOLS.iter().find(|(known, _, _)| *known == version).map(|(_, number, _)| *number)
}

/// By a list of this one number, as a client would send it.
fn suite_name(number: u32) -> Option<String> {
    let ssl = Ssl::new(&SslContextBuilder::new(SslMethod::tls()).ok()?.build()).ok()?;
    let list = ssl.bytes_to_cipher_list(&(number as u16).to_be_bytes(), false).ok()?;
    Some(list.suites.iter().next()?.standard_name()?.to_owned())
}

/// Ours, above the numbers of groups and below the mark of those without a number of OpenSSL's own.
const FINITE_FIELD: u32 = 1 << 20;

/// SSL_get_negotiated_group's figures: a NID, or 1 << 24 and the number of the registry.
fn group_name(group: u32) -> String {
    // The crate has no name for these two: NID_X25519 and NID_ffdhe2048.
    const X25519: u32 = 1034;
    const FFDHE2048: u32 = 1126;
    const P_256: u32 = Nid::X9_62_PRIME256V1.as_raw() as u32;
    const X25519MLKEM768: u32 = 1 << 24 | 0x11EC;
    match group {
        X25519 => "X25519".into(),
        P_256 => "P-256".into(),
        X25519MLKEM768 => "X25519MLKEM768".into(),
        FFDHE2048 => "DH-2048".into(),
        field if field & FINITE_FIELD != 0 => format!("DH-{}", field & !FINITE_FIELD),
        other => format!("group {other}"),
    }
}

#[allow(unsafe_code, reason = "the crate openssl has no words for the group")]
fn negotiated_group(ssl: &SslRef) -> u32 {
    const SSL_CTRL_GET_NEGOTIATED_GROUP: c_int = 134;
    // SAFETY: the reference is a live SSL; this control takes no argument and changes nothing.
    let group =
        unsafe { openssl_sys::SSL_ctrl(ssl.as_ptr(), SSL_CTRL_GET_NEGOTIATED_GROUP, 0, ptr::null_mut()) };
    u32::try_from(group).unwrap_or(0)
}

#[allow(unsafe_code, reason = "the crate cannot know whose session it is")]
fn offer_session(ssl: &mut SslRef, session: &SslSession) -> Result<(), ErrorStack> {
    // SAFETY: sessions are kept from connections of this same client context only.
    unsafe { ssl.set_session(session) }
}

/// One end of a connection.
pub struct Side<W> {
    stream: SslStream<W>,
}

impl<W: Wire> End<W> for Side<W> {
    fn handshake(&mut self) -> io::Result<()> {
        self.stream.do_handshake().map_err(plain)
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.stream.ssl_read(buffer) {
            Err(error) if error.code() == ErrorCode::ZERO_RETURN => Ok(0),
            outcome => outcome.map_err(plain),
        }
    }

    /// A library that has not been told otherwise writes all or nothing.
    fn write_all(&mut self, data: &[u8]) -> io::Result<()> {
        self.stream.ssl_write(data).map(drop).map_err(plain)
    }

    fn say_goodbye(&mut self) -> io::Result<()> {
        self.stream.shutdown().map(drop).map_err(plain)
    }

    fn hear_goodbye(&mut self) -> io::Result<()> {
        match self.read(&mut [0; 64])? {
            0 => Ok(()),
            _ => Err(ErrorKind::InvalidData.into()),
        }
    }

    fn wire(&mut self) -> &mut W {
        self.stream.get_mut()
    }
}

fn plain(error: ssl::Error) -> io::Error {
    match error.code() {
        ErrorCode::WANT_READ | ErrorCode::WANT_WRITE => ErrorKind::WouldBlock.into(),
        _ => error.into_io_error().unwrap_or_else(io::Error::other),
    }
}
