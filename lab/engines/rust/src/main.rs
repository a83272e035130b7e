//! `sealmark-lab-rust`: libraries in Rust as engines of the lab, each by its name (lab/spec/engine.md).

mod serve;

use clap::{Parser, Subcommand};
use sealmark_lab::{jobs, model, protocol, trouble, usage, workload};
use serve::Which;
use std::io::{Write, stderr};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "sealmark-lab-rust", version, about)]
struct Arguments {
    #[command(subcommand)]
    engine: Served,
}

#[derive(Subcommand)]
enum Served {
    /// This project's library.
    Sealmark,
    /// The same bytes moved without a cipher or code: the library's way with files, the standard library's in memory.
    Copy,
    #[command(flatten)]
    InMemory(serve::InMemory),
    #[command(flatten)]
    Tls(serve::Alone),
    #[command(flatten)]
    Record(serve::Way),
    /// Write the certificate of a TLS algorithm's server, its authority and its key.
    #[command(hide = true)]
    Certificate {
        /// "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 Ed25519".
        algorithm: String,
        /// Where to.
        directory: PathBuf,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().engine {
        Served::Sealmark => serve::serve(Which::Sealmark),
        Served::Copy => serve::serve(Which::Copy),
        Served::InMemory(library) => serve::serve(Which::InMemory(library)),
        Served::Tls(library) => serve::serve(Which::Tls(library)),
        Served::Record(way) => serve::serve(Which::Record(way)),
        Served::Certificate { algorithm, directory } => serve::credentials::write(&algorithm, &directory),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            let _ = writeln!(stderr(), "error: {trouble}");
            ExitCode::from(2)
        }
    }
}
