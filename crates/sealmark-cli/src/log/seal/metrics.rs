//! Counts for monitoring, as Prometheus text (text exposition format 0.0.4): in a file, as the node exporter's textfile collector
//! reads them, or over HTTP on this machine.

use crate::fault::Fault;
use crate::log::addresses::CountsTo;
use crate::{deadly, say};
use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Where counts are put.
pub enum Metrics {
    /// A file, and whether it was said that it cannot be written.
    File(PathBuf, Cell<bool>),
    Served(Arc<Mutex<String>>),
}

/// A client that sends or takes nothing is not waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// A longer request is not one of ours.
const LONGEST: usize = 8 << 10;

impl Metrics {
    pub fn open(place: &CountsTo) -> Result<Self, Fault> {
        match place {
            CountsTo::File(path) => Ok(Self::File(path.clone(), Cell::new(false))),
            CountsTo::Address(address) => {
                let listener = TcpListener::bind(address)
                    .map_err(|error| Fault::from(error).within(&format!("--metrics {address}")))?;
                let text = Arc::new(Mutex::new(String::new()));
                let served = Arc::clone(&text);
                deadly::spawn_without_signals("metrics", move || serve(&listener, &served))?;
                Ok(Self::Served(text))
            }
        }
    }

    /// Replaces what was told before. A disk that is full must not end the log: the next second has another chance.
    pub fn put(&self, text: &str) {
        match self {
            Self::File(path, failed) => {
                let put = replace(path, text);
                let is_new = !failed.replace(put.is_err());
                if let Some(error) = put.err().filter(|_| is_new) {
                    let fault = Fault::from(error).about(path);
                    say::warning(
                        &format!("cannot write metrics: {fault}"),
                        "sealmark retries every second; fix the cause meanwhile",
                    );
                }
            }
            Self::Served(served) => {
                text.clone_into(&mut served.lock().unwrap_or_else(PoisonError::into_inner))
            }
        }
    }
}

/// The file is made anew beside the old one, and never opened where it stands: in a directory of another user's, that could be a
/// link to a file that only this process may write.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut beside = path.to_owned().into_os_string();
    beside.push(".new");
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::options().write(true).create_new(true).open(&beside)?.write_all(text.as_bytes())?;
    fs::rename(&beside, path)
}

/// One request after another: a scraper asks every few seconds.
fn serve(listener: &TcpListener, text: &Mutex<String>) {
    for stream in listener.incoming() {
        match stream {
            Ok(stream) => drop(answer(stream, text)),
            // No file is left to accept with: others will be closed.
            Err(_) => thread::sleep(Duration::from_millis(100)),
        }
    }
}

fn answer(mut stream: TcpStream, text: &Mutex<String>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let (mut request, mut piece) = (Vec::new(), [0; 1024]);
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < LONGEST {
        match stream.read(&mut piece)? {
            0 => break,
            length => request.extend_from_slice(&piece[..length]),
        }
    }
    let (status, body) = if request.starts_with(b"GET ") {
        ("200 OK", text.lock().unwrap_or_else(PoisonError::into_inner).clone())
    } else {
        ("405 Method Not Allowed", String::new())
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    #[test]
    fn only_this_machine_is_told() {
        assert_eq!("127.0.0.1:9".parse(), Ok(CountsTo::Address(([127, 0, 0, 1], 9).into())));
        assert_eq!("x/y.prom".parse(), Ok(CountsTo::File("x/y.prom".into())));
        for refused in ["0.0.0.0:9", "[::]:9", ""] {
            assert!(refused.parse::<CountsTo>().is_err());
        }
    }

    #[test]
    fn a_scraper_gets_what_was_put_last() {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let metrics = Metrics::open(&CountsTo::Address(free)).unwrap();
        metrics.put("a 1\n");
        metrics.put("a 2\n");
        for (request, expected) in
            [("GET /metrics HTTP/1.1\r\n\r\n", "a 2\n"), ("POST / HTTP/1.1\r\n\r\n", "")]
        {
            let mut stream = TcpStream::connect(free).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert_eq!(answer.split_once("\r\n\r\n").unwrap().1, expected, "{answer}");
        }
        assert!(Metrics::open(&CountsTo::Address(free)).is_err());
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("sealmark.prom");
        let metrics = Metrics::open(&CountsTo::File(path.clone())).unwrap();
        metrics.put("a 1\n");
        metrics.put("a 2\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), "a 2\n");
        assert_eq!(fs::read_dir(room.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_beside_the_file_is_not_followed() {
        let room = tempfile::tempdir().unwrap();
        let [path, beside, theirs] =
            ["sealmark.prom", "sealmark.prom.new", "theirs"].map(|name| room.path().join(name));
        fs::write(&theirs, "theirs").unwrap();
        let metrics = Metrics::open(&CountsTo::File(path.clone())).unwrap();
        for make in [
            &|| std::os::unix::fs::symlink(&theirs, &beside) as io::Result<()>,
            &|| std::os::unix::fs::symlink(room.path().join("none"), &beside),
            &|| fs::hard_link(&theirs, &beside),
        ] as [&dyn Fn() -> io::Result<()>; 3]
        {
            make().unwrap();
            metrics.put("a 1\n");
            assert_eq!(fs::read_to_string(&path).unwrap(), "a 1\n");
            assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
            assert!(!path.is_symlink());
            assert_eq!(fs::read_dir(room.path()).unwrap().count(), 2);
            fs::remove_file(&path).unwrap();
        }
    }
}
