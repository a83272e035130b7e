//! Where lines come from and where counts go, as it is typed.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

/// Where to listen, as it is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    Unix(PathBuf),
    Udp(SocketAddr),
    Tcp(SocketAddr),
    /// The one that systemd hands over, and keeps while the service is restarted.
    Systemd,
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "systemd" => Ok(Self::Systemd),
            Some(("unix", path)) if !path.is_empty() => Ok(Self::Unix(path.into())),
            Some(("udp", address)) => match address.parse::<SocketAddr>() {
                Ok(address) if address.ip().is_loopback() => Ok(Self::Udp(address)),
                Ok(_) => {
                    Err("UDP listens only on 127.0.0.1 or [::1], because a log in transit is in the clear; \
                     relay it to that address, or use tcp:ADDRESS:PORT"
                        .into())
                }
                Err(_) => Err("write an address and a port, such as udp:127.0.0.1:5140".into()),
            },
            Some(("tcp", address)) => match (address.parse(), address.parse()) {
                (Ok(port), _) => Ok(Self::Tcp((Ipv4Addr::LOCALHOST, port).into())),
                (_, Ok(address)) => Ok(Self::Tcp(address)),
                _ => Err("write a port, such as tcp:5140, or an address and a port".into()),
            },
            _ => Err("use unix:PATH, udp:127.0.0.1:PORT, tcp:PORT or systemd".into()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Udp(address) => write!(f, "udp:{address}"),
            Self::Tcp(address) => write!(f, "tcp:{address}"),
            Self::Systemd => f.write_str("systemd"),
        }
    }
}

/// Where counts are told, as it is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CountsTo {
    File(PathBuf),
    Address(SocketAddr),
}

impl FromStr for CountsTo {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<SocketAddr>() {
            Ok(address) if address.ip().is_loopback() => Ok(Self::Address(address)),
            Ok(_) => Err("metrics are served only on 127.0.0.1 or [::1]".into()),
            Err(_) if text.is_empty() => Err("write a file name, or 127.0.0.1:PORT".into()),
            Err(_) => Ok(Self::File(text.into())),
        }
    }
}
