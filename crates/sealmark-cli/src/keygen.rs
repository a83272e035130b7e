//! `sealmark keygen`: a new key pair, or the public keys of a secret key file.

use crate::args::{self, KeyMode, Keygen};
use crate::fault::{Exit, Fault};
use crate::keys::Secret;
use crate::secret::Asker;
use crate::{keys, say, stdio, target};
use sealmark::record::PreSharedKey;
use sealmark::{
    Error, Existing, FileMisuse, Format, Identity, Output, Passphrase, PluginName, SealTo, Sealer, SigningKey,
};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use zeroize::Zeroizing;

pub fn run(args: &Keygen) -> Result<Exit, Fault> {
    match &args.public_of {
        Some(file) => print_public_keys(args, file)?,
        None if args.source.is_given() && !args.passphrase => {
            return Err(args::unused_passphrase().hint("add -p"));
        }
        None => make_key(args)?,
    }
    Ok(Exit::Done)
}

fn print_public_keys(args: &Keygen, file: &Path) -> Result<(), Fault> {
    target::one_reader_of_stdin(&[file.to_owned()], &[], &[args.source.passphrase_file.as_slice()])?;
    let lines = |key: Secret<'_>| match key {
        Secret::Line(line) => match line.parse::<SigningKey>() {
            Ok(key) => Ok(format!("{}\n", key.verifying_key())),
            Err(_) => keys::identity(line).map(|identity| format!("{}\n", identity.recipient())),
        },
        Secret::Plugin(identity, _) => Err(only_the_plugin_knows(identity.name())),
        Secret::Ssh(identity) => {
            // The public half of a locked key is in the clear, where nothing shows that it is that of the secret one.
            identity.unlock()?;
            Ok(format!("{}\n", identity.recipient()))
        }
    };
    let lines = keys::secrets_of(file, &Asker::new(&args.source), lines)?.concat();
    match named_output(args) {
        Some(output) => write_new(output, lines.as_bytes()),
        None => stdio::result(&lines),
    }
}

fn only_the_plugin_knows(name: &PluginName) -> Fault {
    Fault::usage(format!("only the plugin {:?} knows the public key", name.to_string()))
        .hint(format!("see the comments in the file, or ask the plugin: {} --help", name.program()))
}

/// Without a name, or named `-`, it is standard output.
fn named_output(args: &Keygen) -> Option<&Path> {
    args.output.as_deref().filter(|output| !stdio::is_dash(output))
}

fn make_key(args: &Keygen) -> Result<(), Fault> {
    if args.passphrase && args.kem.is_none() && matches!(args.mode, KeyMode::PreShared) {
        return Err(Fault::usage(
            "-p cannot be used with --mode psk: the programs that log must read the key without a prompt",
        )
        .hint("leave out -p, and let only those programs read the file"));
    }
    let output = named_output(args);
    check_output(output)?;
    let (mut file, public) = new_key(args)?;
    if args.passphrase {
        file = locked(&file, Asker::new(&args.source).for_sealing()?)?;
    }
    match output {
        Some(output) => write_new(output, &file)?,
        None => print(&file, args.passphrase)?,
    }
    if let Some(public) = public.filter(|_| output.is_some() || !stdio::result_is_terminal()) {
        say::line(&format!("Public key: {public}"));
    }
    Ok(())
}

/// The file of a new key, and its public half if it has one.
fn new_key(args: &Keygen) -> Result<(Zeroizing<Vec<u8>>, Option<String>), Fault> {
    let now = SystemTime::now();
    if args.sign {
        let key = SigningKey::generate()?;
        let public = key.verifying_key().to_string();
        return Ok((
            key_file("ML-DSA-65 with Ed25519 (signatures)", &public, &key.to_secret_string(), now),
            Some(public),
        ));
    }
    let kem = match (args.kem, args.mode) {
        (Some(kem), _) => kem,
        (None, KeyMode::Pair(mode)) => mode.default_kem(),
        (None, KeyMode::PreShared) => return Ok((pre_shared_file(&PreSharedKey::generate()?, now), None)),
    };
    let identity = Identity::generate(kem)?;
    let (kind, public) = (format!("{kem} ({})", kem.mode()), identity.recipient().to_string());
    Ok((key_file(&kind, &public, &identity.to_secret_string(), now), Some(public)))
}

/// Before a passphrase is asked for, twice.
fn check_output(output: Option<&Path>) -> Result<(), Fault> {
    match output {
        None => stdio::output_file().map(drop)?,
        Some(output) if output.symlink_metadata().is_ok() => return Err(exists(output)),
        Some(output) => drop(target::new_file(output)?),
    }
    Ok(())
}

fn key_file(kind: &str, public: &str, secret: &str, now: SystemTime) -> Zeroizing<Vec<u8>> {
    // Reserved at once: growing would leave copies of the secret behind.
    let mut file = Zeroizing::new(Vec::with_capacity(16 << 10));
    file.extend(format!("# created: {}\n", rfc3339(now)).bytes());
    file.extend(format!("# key: {kind}\n").bytes());
    file.extend(format!("# public key: {public}\n").bytes());
    file.extend(secret.bytes());
    file.push(b'\n');
    file
}

fn pre_shared_file(key: &PreSharedKey, now: SystemTime) -> Zeroizing<Vec<u8>> {
    let mut file = Zeroizing::new(Vec::with_capacity(512));
    file.extend(format!("# created: {}\n# key: pre-shared, for logs\n", rfc3339(now)).bytes());
    file.extend(key.to_secret_string().bytes());
    file.push(b'\n');
    file
}

fn locked(file: &[u8], passphrase: Passphrase) -> Result<Zeroizing<Vec<u8>>, Fault> {
    let to = SealTo::passphrase(Format::Sealmark, passphrase).armored();
    let mut sealer = Sealer::new(Vec::new(), &to)?;
    sealer.write_all(file)?;
    Ok(Zeroizing::new(sealer.finish()?))
}

fn print(file: &[u8], protected: bool) -> Result<(), Fault> {
    if !protected {
        warn_if_others_can_read_stdout();
    }
    stdio::output()?.write_all(file).map_err(|error| Fault::output(error).about_stdout())
}

fn warn_if_others_can_read_stdout() {
    let readable = |meta: std::fs::Metadata| meta.is_file() && meta.permissions().mode() & 0o044 != 0;
    if stdio::output_file().and_then(|out| out.metadata()).is_ok_and(readable) {
        say::warning(
            "other users can read the file that this secret key is written to",
            "write it with -o FILE instead of >",
        );
    }
}

/// Never over another file, for its owner alone, and whole or not at all.
fn write_new(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let written = Output::create_private(path, Existing::Refuse).and_then(|mut output| {
        output.write_all(bytes).map_err(Fault::output)?;
        output.commit()
    });
    written.map_err(|error| match error {
        Error::File(FileMisuse::OutputExists(_)) => exists(path),
        error => Fault::from(error).about(path),
    })
}

fn exists(path: &Path) -> Fault {
    Fault::usage(format!("{path:?} already exists; keygen never overwrites"))
        .named()
        .hint("choose another name with -o, or move the old file away")
}

/// UTC to the second, by the civil calendar of days since 1970 (eras of 400 years that begin in March).
fn rfc3339(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z", second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let date = |seconds| rfc3339(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(date(0), "1970-01-01T00:00:00Z");
        assert_eq!(date(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(date(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(date(1_704_067_199), "2023-12-31T23:59:59Z");
        assert_eq!(date(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
