//! The plainest loop of handshakes over rustls in memory. It shares names and the meter with the frame, outside the loop, so
//! that the difference is the frame's cost.

use super::rustls::{names, proof, provider};
use super::tally::{Meter, nanoseconds};
use super::{Between, Job, Prepared, Source};
use crate::jobs;
use crate::protocol::{self, Answer, Connected, Operation};
use crate::serve::memory::versions;
use crate::serve::{failed, unsupported};
use crate::workload::{Fingerprint, fingerprint_of};
use ::rustls::client::Resumption;
use ::rustls::crypto::CryptoProvider;
use ::rustls::pki_types::pem::PemObject;
use ::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use ::rustls::{
    ClientConfig, ClientConnection, ConnectionCommon, HandshakeKind, RootCertStore, ServerConfig,
    ServerConnection, SideData, SupportedProtocolVersion,
};
use std::error::Error;
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Instant;

pub struct RustlsLoop;

impl Source for RustlsLoop {
    fn name(&self) -> &'static str {
        "rustls-loop"
    }

    fn version(&self) -> String {
        versions::locked("rustls").into()
    }

    fn prepare(&self, task: Prepared) -> Result<(Box<dyn Job>, String), Answer> {
        if task.job != &jobs::TLS_CONNECT || task.transport != Between::Memory || task.peer.is_some() {
            return Err(unsupported("anything but connections in memory"));
        }
        let made = Loop::read(&task, provider(&task.way()?)?).map_err(|error| failed(error.to_string()))?;
        Ok((Box::new(made), format!("{}, the plainest loop", versions::named("rustls"))))
    }
}

struct Loop {
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
    name: ServerName<'static>,
}

impl Loop {
    fn read(
        task: &Prepared,
        (provider, protocol): (CryptoProvider, &'static SupportedProtocolVersion),
    ) -> Result<Self, Box<dyn Error>> {
        let file = |name: &str| task.directory.join(name);
        let provider = Arc::new(provider);
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(file("ca.pem"))?)?;
        let mut client = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[protocol])?
            .with_root_certificates(roots)
            .with_no_client_auth();
        client.resumption = Resumption::disabled();
        let certificate = CertificateDer::from_pem_file(file("certificate.pem"))?;
        let server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[protocol])?
            .with_no_client_auth()
            .with_single_cert(vec![certificate], PrivateKeyDer::from_pem_file(file("key.pem"))?)?;
        Ok(Self { client: client.into(), server: server.into(), name: "localhost".try_into()? })
    }

    /// One connection; the client, the byte it read, and how many bytes went from one to the other.
    fn once(&self, number: u8) -> Result<(ClientConnection, u8, usize), Box<dyn Error>> {
        let mut client = ClientConnection::new(self.client.clone(), self.name.clone())?;
        let mut server = ServerConnection::new(self.server.clone())?;
        let (mut there, mut back, mut moved, mut byte) = (Vec::new(), Vec::new(), 0, [number]);
        while client.is_handshaking() || server.is_handshaking() {
            moved += carry(&mut client, &mut server, &mut there)?;
            moved += carry(&mut server, &mut client, &mut back)?;
        }
        client.writer().write_all(&byte)?;
        moved += carry(&mut client, &mut server, &mut there)?;
        server.reader().read_exact(&mut byte)?;
        server.writer().write_all(&byte)?;
        moved += carry(&mut server, &mut client, &mut back)?;
        client.reader().read_exact(&mut byte)?;
        client.send_close_notify();
        moved += carry(&mut client, &mut server, &mut there)?;
        server.send_close_notify();
        moved += carry(&mut server, &mut client, &mut back)?;
        Ok((client, byte[0], moved))
    }
}

/// Everything that one end has to say, to the other.
fn carry<A: SideData, B: SideData>(
    from: &mut ConnectionCommon<A>,
    to: &mut ConnectionCommon<B>,
    buffer: &mut Vec<u8>,
) -> Result<usize, Box<dyn Error>> {
    buffer.clear();
    while from.wants_write() {
        from.write_tls(buffer)?;
    }
    let mut rest = &buffer[..];
    while !rest.is_empty() {
        to.read_tls(&mut rest)?;
        to.process_new_packets()?;
    }
    Ok(buffer.len())
}

impl Job for Loop {
    fn time(&mut self, operation: Operation, first: u64, count: u64) -> Result<Connected, Answer> {
        match operation {
            Operation::Full => self.repeat(first, count).map_err(|error| failed(error.to_string())),
            other => Err(unsupported(format!("{other} in the plainest loop"))),
        }
    }
}

impl Loop {
    fn repeat(&self, first: u64, count: u64) -> Result<Connected, Box<dyn Error>> {
        let (mut full, mut wire_bytes, mut last) = (0, 0, None);
        let meter = Meter::start();
        let start = Instant::now();
        for number in first..first + count {
            let (client, byte, moved) = self.once(number as u8)?;
            full += u64::from(client.handshake_kind() == Some(HandshakeKind::Full));
            wire_bytes += moved as u64;
            last = Some((client, byte));
        }
        let wall_ns = nanoseconds(start.elapsed());
        let (cpu_ns, peak_bytes) = meter.stop();
        let (client, byte) = last.ok_or("nothing to time")?;
        let [protocol, suite, group] = names(proof(&client).ok_or("no handshake was made")?);
        let Fingerprint { bytes, sha256 } = fingerprint_of(&[byte]);
        Ok(Connected {
            count,
            span: protocol::Span { wall_ns, used: crate::usage::Used::of(cpu_ns, peak_bytes) },
            bytes,
            sha256,
            protocol,
            suite,
            group,
            full,
            resumed: count - full,
            tls: protocol::Tls { wire_bytes: Some(wire_bytes), ..Default::default() },
            each_ns: None,
        })
    }
}
