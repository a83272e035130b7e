//! A plain loop in C over the same OpenSSL (openssl_loop.c): what the crate and the lab's frame cost shows beside it.

use super::library::Proof;
use super::openssl::{OpenSsl, Settings, names, protocol_number};
use super::socket::Delay;
use super::tally::Meter;
use super::way::Way;
use super::{Between, Job, Prepared, Source, buffer_of};
use crate::jobs;
use crate::protocol::{self, Answer, Connected, Operation};
use crate::serve::{failed, unsupported};
use crate::workload::{Fingerprint, fingerprint_of};
use std::ffi::{CStr, CString, c_char, c_int, c_uchar};
use std::path::Path;

pub struct OpenSslLoop;

impl Source for OpenSslLoop {
    fn name(&self) -> &'static str {
        "openssl-loop"
    }

    fn version(&self) -> String {
        OpenSsl.version()
    }

    fn prepare(&self, task: Prepared) -> Result<(Box<dyn Job>, String), Answer> {
        if task.job != &jobs::TLS_TRANSFER
            || task.transport != Between::Sockets(Delay::None)
            || task.peer.is_some()
        {
            return Err(unsupported("anything but transfers over sockets without delay"));
        }
        let way = task.way()?;
        let words = Words::of(&way, &task.directory)?;
        let buffer = buffer_of(task.input.len());
        let code = format!("OpenSSL {}, a loop in C", self.version());
        Ok((Box::new(Loop { way, words, input: task.input, buffer }), code))
    }
}

/// The constant arguments of the loop.
struct Words {
    files: [CString; 3],
    suite: CString,
    groups: [CString; 2],
    version: c_int,
}

impl Words {
    fn of(way: &Way, directory: &Path) -> Result<Self, Answer> {
        let settings = Settings::of(way)?;
        let text = |text: &str| CString::new(text).map_err(failed);
        let file = |name: &str| text(&directory.join(name).display().to_string());
        Ok(Self {
            files: [file("ca.pem")?, file("certificate.pem")?, file("key.pem")?],
            suite: text(&settings.suite)?,
            groups: [text(settings.client_groups)?, text(settings.server_groups)?],
            version: protocol_number(settings.version).map_or(0, |number| number as c_int),
        })
    }
}

struct Loop {
    way: Way,
    words: Words,
    input: Vec<u8>,
    buffer: Vec<u8>,
}

impl Job for Loop {
    fn time(&mut self, operation: Operation, _first: u64, count: u64) -> Result<Connected, Answer> {
        let upload = match operation {
            Operation::Upload => 1,
            Operation::Download => 0,
            other => return Err(unsupported(format!("{other} in job tls-transfer"))),
        };
        // The last span's bytes must not pass for this one's.
        self.buffer.fill(0xA5);
        let meter = Meter::start();
        let told = self.run(upload, count).map_err(failed)?;
        // Its CPU time would hold threads, contexts and the handshake too.
        let (_, peak_bytes) = meter.stop();
        Ok(self.connected(&told, count, peak_bytes))
    }
}

impl Loop {
    #[allow(unsafe_code, reason = "the loop is C")]
    fn run(&mut self, upload: c_int, count: u64) -> Result<Told, String> {
        let Words { files: [ca, certificate, key], suite, groups: [client_groups, server_groups], version } =
            &self.words;
        let asked = Asked {
            ca: ca.as_ptr(),
            certificate: certificate.as_ptr(),
            key: key.as_ptr(),
            suite: suite.as_ptr(),
            client_groups: client_groups.as_ptr(),
            server_groups: server_groups.as_ptr(),
            version: *version,
            input: self.input.as_ptr(),
            buffer: self.buffer.as_mut_ptr(),
            length: self.input.len(),
            count,
            upload,
        };
        let mut told = Told::default();
        // SAFETY: every pointer lives beyond the call and is of the length it says; both of the loop's threads have ended
        // when it returns.
        match unsafe { sealmark_lab_openssl_loop(&asked, &mut told) } {
            1 => Ok(told),
            _ => Err(told.why()),
        }
    }

    fn connected(&self, told: &Told, count: u64, peak_bytes: Option<u64>) -> Connected {
        let proof = Proof {
            protocol: told.version as u32,
            suite: told.suite as u32,
            group: told.group as u32,
            resumed: told.resumed != 0,
        };
        let [protocol, suite, group] = names(proof, &self.way);
        let Fingerprint { bytes, sha256 } = fingerprint_of(&self.buffer);
        Connected {
            count,
            span: protocol::Span {
                wall_ns: told.wall_ns,
                used: crate::usage::Used::of(Some(told.client_cpu_ns + told.server_cpu_ns), peak_bytes),
            },
            bytes,
            sha256,
            protocol,
            suite,
            group,
            full: u64::from(!proof.resumed),
            resumed: u64::from(proof.resumed),
            tls: protocol::Tls {
                client_cpu_ns: Some(told.client_cpu_ns),
                server_cpu_ns: Some(told.server_cpu_ns),
                wire_bytes: Some(told.wire_bytes),
                stalls: None,
            },
            each_ns: None,
        }
    }
}

/// `struct asked` of openssl_loop.c.
#[repr(C)]
struct Asked {
    ca: *const c_char,
    certificate: *const c_char,
    key: *const c_char,
    suite: *const c_char,
    client_groups: *const c_char,
    server_groups: *const c_char,
    version: c_int,
    input: *const c_uchar,
    buffer: *mut c_uchar,
    length: usize,
    count: u64,
    upload: c_int,
}

/// `struct told` of openssl_loop.c.
#[repr(C)]
struct Told {
    wall_ns: u64,
    client_cpu_ns: u64,
    server_cpu_ns: u64,
    wire_bytes: u64,
    version: c_int,
    suite: c_int,
    group: c_int,
    resumed: c_int,
    why: [u8; 256],
}

impl Default for Told {
    fn default() -> Self {
        Self {
            wall_ns: 0,
            client_cpu_ns: 0,
            server_cpu_ns: 0,
            wire_bytes: 0,
            version: 0,
            suite: 0,
            group: 0,
            resumed: 0,
            why: [0; 256],
        }
    }
}

impl Told {
    fn why(&self) -> String {
        CStr::from_bytes_until_nul(&self.why)
            .map_or_else(|_| String::new(), |why| why.to_string_lossy().into())
    }
}

#[allow(unsafe_code, reason = "the loop is C")]
unsafe extern "C" {
    fn sealmark_lab_openssl_loop(asked: *const Asked, told: *mut Told) -> c_int;
}
