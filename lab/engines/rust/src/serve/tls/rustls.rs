//! rustls with aws-lc-rs, by its own `Stream`.

use super::library::{End, Library, Offer, Proof, Wire};
use super::way::Way;
use super::{Job, Prepared, Source};
use crate::protocol::Answer;
use crate::serve::memory::versions;
use crate::serve::{failed, unsupported};
use ::rustls::client::{ClientConnectionData, Resumption};
use ::rustls::crypto::{CryptoProvider, aws_lc_rs};
use ::rustls::pki_types::pem::PemObject;
use ::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use ::rustls::server::{ServerConnectionData, ServerSessionMemoryCache};
use ::rustls::version::{TLS12, TLS13};
use ::rustls::{
    CipherSuite, ClientConfig, ClientConnection, ConnectionCommon, HandshakeKind, NamedGroup,
    ProtocolVersion, RootCertStore, ServerConfig, ServerConnection, SideData, Stream,
    SupportedProtocolVersion,
};
use std::io::{self, ErrorKind, Read, Write};
use std::ops::DerefMut;
use std::path::Path;
use std::sync::Arc;

pub struct Rustls;

impl Source for Rustls {
    fn name(&self) -> &'static str {
        "rustls"
    }

    fn version(&self) -> String {
        versions::locked("rustls").into()
    }

    fn prepare(&self, task: Prepared) -> Result<(Box<dyn Job>, String), Answer> {
        let way = task.way()?;
        let (provider, protocol) = provider(&way)?;
        let configs = Configs::read(provider, protocol, &task.directory, task.concurrency, way.group)
            .map_err(|error| failed(format!("{error}")))?;
        let code = format!(
            "{} by {}, {}",
            versions::named("rustls"),
            versions::named("aws-lc-rs"),
            versions::processor()
        );
        Ok((task.around(configs), code))
    }
}

/// aws-lc-rs cut to the one suite and group.
pub fn provider(way: &Way) -> Result<(CryptoProvider, &'static SupportedProtocolVersion), Answer> {
    let protocol = match way.protocol.as_str() {
        "TLSv1.3" => &TLS13,
        "TLSv1.2" => &TLS12,
        other => return Err(unsupported(format!("protocol {other}"))),
    };
    let groups = aws_lc_rs::ALL_KX_GROUPS.iter().filter(|it| group_name(it.name().into()) == way.group);
    let suites = aws_lc_rs::ALL_CIPHER_SUITES.iter().filter(|it| suite_name(it.suite().into()) == way.suite);
    let provider = CryptoProvider {
        kx_groups: groups.copied().collect(),
        cipher_suites: suites.copied().collect(),
        ..aws_lc_rs::default_provider()
    };
    if provider.kx_groups.is_empty() {
        return Err(unsupported(format!("group {}", way.group)));
    }
    if provider.cipher_suites.is_empty() {
        return Err(unsupported(format!("suite {}", way.suite)));
    }
    Ok((provider, protocol))
}

/// Each client thread has so many tickets in the server's cache.
const TICKETS: usize = 4_096;

/// Everything ready before the first connection.
pub struct Configs {
    full: Arc<ClientConfig>,
    /// One a client thread: a store holds eight tickets of TLS 1.3 for a server, and each is used once.
    resuming: Vec<Arc<ClientConfig>>,
    server: Arc<ServerConfig>,
    name: ServerName<'static>,
    group: String,
}

impl Configs {
    fn read(
        provider: CryptoProvider,
        protocol: &'static SupportedProtocolVersion,
        directory: &Path,
        clients: usize,
        group: String,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let provider = Arc::new(provider);
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(directory.join("ca.pem"))?)?;
        let mut client = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[protocol])?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[protocol])?
            .with_no_client_auth()
            .with_single_cert(
                vec![CertificateDer::from_pem_file(directory.join("certificate.pem"))?],
                PrivateKeyDer::from_pem_file(directory.join("key.pem"))?,
            )?;
        if clients > 1 {
            // The default's 256 sessions are 128 connections: a client thread that has to wait for so long while others run
            // would come with a ticket that is forgotten.
            server.session_storage = ServerSessionMemoryCache::new(TICKETS * clients);
        }
        let mut resuming = || {
            client.resumption = Resumption::default();
            Arc::new(client.clone())
        };
        let resuming = (0..clients).map(|_| resuming()).collect();
        client.resumption = Resumption::disabled();
        let name = ServerName::try_from("localhost")?;
        Ok(Self { full: Arc::new(client), resuming, server: Arc::new(server), name, group })
    }
}

impl Library for Configs {
    type Client<W: Wire> = Side<ClientConnection, W>;
    type Server<W: Wire> = Side<ServerConnection, W>;

    fn client<W: Wire>(&self, wire: W, offer: Offer, slot: usize) -> io::Result<Self::Client<W>> {
        let config = match offer {
            Offer::Nothing => &self.full,
            Offer::Session => &self.resuming[slot],
        };
        let connection =
            ClientConnection::new(config.clone(), self.name.clone()).map_err(io::Error::other)?;
        Ok(Side { connection, wire })
    }

    fn server<W: Wire>(&self, wire: W) -> io::Result<Self::Server<W>> {
        let connection = ServerConnection::new(self.server.clone()).map_err(io::Error::other)?;
        Ok(Side { connection, wire })
    }

    /// Its configuration has done so.
    fn keep_session<W: Wire>(&self, _client: &mut Self::Client<W>, _slot: usize) {}

    fn proof<W: Wire>(&self, client: &Self::Client<W>) -> Option<Proof> {
        proof(&client.connection)
    }

    fn names(&self, proof: Proof) -> [String; 3] {
        let [protocol, suite, group] = names(proof);
        [protocol, suite, if proof.is_without_group(&self.group) { self.group.clone() } else { group }]
    }
}

/// The negotiated parameters of a connection, by the numbers of the registries.
pub fn proof(client: &ClientConnection) -> Option<Proof> {
    let group = client.negotiated_key_exchange_group().map(|group| u16::from(group.name()));
    Some(Proof {
        protocol: u16::from(client.protocol_version()?).into(),
        suite: u16::from(client.negotiated_cipher_suite()?.suite()).into(),
        group: group.unwrap_or(0).into(),
        resumed: client.handshake_kind()? == HandshakeKind::Resumed,
    })
}

/// The same in words.
pub fn names(proof: Proof) -> [String; 3] {
    let protocol = match ProtocolVersion::from(proof.protocol as u16) {
        ProtocolVersion::TLSv1_3 => "TLSv1.3".into(),
        ProtocolVersion::TLSv1_2 => "TLSv1.2".into(),
        other => format!("{other:?}"),
    };
    [protocol, suite_name(proof.suite as u16), group_name(proof.group as u16)]
}

/// IANA's names; rustls calls those of TLS 1.3 TLS13_….
fn suite_name(suite: u16) -> String {
    format!("{:?}", CipherSuite::from(suite)).replace("TLS13_", "TLS_")
}

fn group_name(group: u16) -> String {
    match NamedGroup::from(group) {
        NamedGroup::X25519 => "X25519".into(),
        NamedGroup::secp256r1 => "P-256".into(),
        NamedGroup::X25519MLKEM768 => "X25519MLKEM768".into(),
        other => format!("{other:?}"),
    }
}

/// One end of a connection.
pub struct Side<C, W> {
    connection: C,
    wire: W,
}

/// Either kind of connection, by what they have in common.
pub trait Connection: DerefMut<Target = ConnectionCommon<Self::Data>> {
    type Data: SideData;
}

impl Connection for ClientConnection {
    type Data = ClientConnectionData;
}

impl Connection for ServerConnection {
    type Data = ServerConnectionData;
}

impl<C: Connection, W: Wire> Side<C, W> {
    fn stream(&mut self) -> Stream<'_, C, W> {
        Stream { conn: &mut self.connection, sock: &mut self.wire }
    }
}

impl<C: Connection, W: Wire> End<W> for Side<C, W> {
    fn handshake(&mut self) -> io::Result<()> {
        while self.connection.is_handshaking() {
            self.connection.complete_io(&mut self.wire)?;
        }
        Ok(())
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream().read(buffer)
    }

    fn write_all(&mut self, data: &[u8]) -> io::Result<()> {
        self.stream().write_all(data)
    }

    fn say_goodbye(&mut self) -> io::Result<()> {
        self.connection.send_close_notify();
        while self.connection.wants_write() {
            self.connection.write_tls(&mut self.wire)?;
        }
        Ok(())
    }

    fn hear_goodbye(&mut self) -> io::Result<()> {
        match self.read(&mut [0; 64])? {
            0 => Ok(()),
            _ => Err(ErrorKind::InvalidData.into()),
        }
    }

    fn wire(&mut self) -> &mut W {
        &mut self.wire
    }
}
