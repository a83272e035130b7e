//! Plugins of age (c2sp.org/age-plugin): programs that keep keys in devices and elsewhere, and speak over their standard
//! streams.

use crate::fault::{Fault, plain};
use crate::folder::show;
use crate::ranges::ended;
use crate::{say, tty};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use sealmark::{PluginIdentity, PluginName, Plugins, Stanza, StanzaReader, Wrapped};
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::time::{Duration, Instant};
use std::{env, error, mem, thread};
use zeroize::{Zeroize, Zeroizing};

/// A conversation waits for the plugin so long in all: a person may have to find a device and touch it. Time in which we ask the
/// user does not count.
const PATIENCE: Duration = Duration::from_secs(300);
/// A plugin that has said all has this long to end by itself.
const GRACE: Duration = Duration::from_secs(2);
/// The most commands of one conversation, and the most bytes of a message that is shown.
const MAX_COMMANDS: usize = 2000;
const MAX_MESSAGE: usize = 4096;

/// Runs plugins, with the identities that files are opened with.
#[derive(Debug)]
pub struct Runner {
    identities: Vec<PluginIdentity>,
    patience: Duration,
}

impl Runner {
    pub fn new(identities: Vec<PluginIdentity>) -> Self {
        Self { identities, patience: PATIENCE }
    }
}

type Answer<T> = Result<T, Box<dyn error::Error + Send + Sync>>;

impl Plugins for Runner {
    fn wrap(&self, name: &PluginName, recipient: &str, key: &[u8; 16]) -> Answer<Wrapped> {
        let plugin = Conversation::start(name, "recipient-v1", self.patience)?;
        plugin.tell("add-recipient", &[recipient], b"");
        plugin.tell("wrap-file-key", &[], key);
        plugin.tell("extension-labels", &[], b"");
        plugin.tell("done", &[], b"");
        Ok(plugin.wrapped()?)
    }

    fn unwrap(&self, stanzas: &[Stanza]) -> Answer<Option<Zeroizing<[u8; 16]>>> {
        let mut names: Vec<_> = Vec::new();
        for name in self.identities.iter().map(PluginIdentity::name) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut first_fault = None;
        for name in names {
            match self.unwrap_with(name, stanzas) {
                Ok(Some(key)) => return Ok(Some(key)),
                Ok(None) => {}
                // Another plugin may have the key.
                Err(fault) => first_fault = first_fault.or(Some(fault)),
            }
        }
        first_fault.map_or(Ok(None), |fault| Err(fault.into()))
    }
}

impl Runner {
    fn unwrap_with(
        &self,
        name: &PluginName,
        stanzas: &[Stanza],
    ) -> Result<Option<Zeroizing<[u8; 16]>>, Fault> {
        let plugin = Conversation::start(name, "identity-v1", self.patience)?;
        for identity in self.identities.iter().filter(|identity| identity.name() == name) {
            plugin.tell("add-identity", &[&identity.to_secret_string()], b"");
        }
        for Stanza { kind, args, body } in stanzas {
            let words: Vec<_> = ["0", kind].into_iter().chain(args.iter().map(String::as_str)).collect();
            plugin.tell("recipient-stanza", &words, body);
        }
        plugin.tell("done", &[], b"");
        plugin.file_key()
    }
}

/// A command of a plugin. Its body may be a key, so it is wiped wherever it is left.
struct Said {
    kind: String,
    args: Vec<String>,
    body: Zeroizing<Vec<u8>>,
}

impl From<Stanza> for Said {
    fn from(Stanza { kind, args, body }: Stanza) -> Self {
        Self { kind, args, body: Zeroizing::new(body) }
    }
}

/// A running plugin. It ends with this value.
struct Conversation {
    name: PluginName,
    child: Child,
    /// Dropped to close the plugin's standard input.
    told: Option<Sender<Zeroizing<Vec<u8>>>>,
    heard: Receiver<sealmark::Result<Option<Said>>>,
    errors: Receiver<Vec<u8>>,
    commands: usize,
    patience: Duration,
}

impl Conversation {
    fn start(name: &PluginName, state_machine: &str, patience: Duration) -> Result<Self, Fault> {
        let program = find(&name.program(), env::var_os("PATH").as_deref()).ok_or_else(|| {
            Fault::usage(format!("the plugin {:?} is not installed", name.to_string())).hint(format!(
                "install the program {} in a directory whose absolute path is in PATH",
                name.program()
            ))
        })?;
        Self::with(&program, name, state_machine, patience)
    }

    fn with(
        program: &Path,
        name: &PluginName,
        state_machine: &str,
        patience: Duration,
    ) -> Result<Self, Fault> {
        let mut command = Command::new(program);
        command
            .arg(format!("--age-plugin={state_machine}"))
            // A plugin must not depend on the directory, which may be anybody's.
            .current_dir(env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        end_with_us(&mut command);
        let not_started = |error| of_plugin(name, Fault::io(format!("cannot be started: {}", plain(&error))));
        let mut child = command.spawn().map_err(not_started)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (told, telling) = mpsc::channel::<Zeroizing<Vec<u8>>>();
        // One stanza waits, so a plugin that talks without end has to wait as well.
        let (hearing, heard) = mpsc::sync_channel(1);
        let (failing, errors) = mpsc::sync_channel(1);
        let conversation =
            Self { name: name.clone(), child, told: Some(told), heard, errors, commands: 0, patience };
        // Threads, because a plugin that neither reads nor writes must not stop us.
        if let Some(mut stdin) = stdin {
            let tell = move || telling.iter().try_for_each(|text| stdin.write_all(&text));
            thread::Builder::new().spawn(tell).map_err(not_started)?;
        }
        if let Some(stdout) = stdout {
            thread::Builder::new().spawn(move || hear(stdout, &hearing)).map_err(not_started)?;
        }
        if let Some(stderr) = stderr {
            let listen = move || failing.send(last_words(stderr));
            thread::Builder::new().spawn(listen).map_err(not_started)?;
        }
        Ok(conversation)
    }

    /// A plugin that has gone is noticed when it is listened to.
    fn tell(&self, kind: &str, args: &[&str], body: &[u8]) {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        let mut stanza = Stanza { kind: kind.to_owned(), args, body: body.to_vec() };
        // Reserved at once: growing would leave copies of a key behind.
        let words: usize = stanza.args.iter().map(|arg| arg.len() + 1).sum();
        let mut text = Zeroizing::new(Vec::with_capacity(64 + kind.len() + words + 2 * body.len()));
        let _in_memory = write!(text, "{stanza}");
        stanza.args.zeroize();
        stanza.body.zeroize();
        if let Some(told) = &self.told {
            let _ = told.send(text);
        }
    }

    fn ok(&self) {
        self.tell("ok", &[], b"");
    }

    /// The stanzas and labels for a recipient.
    fn wrapped(mut self) -> Result<Wrapped, Fault> {
        let (mut wrapped, mut labelled) = (Wrapped::default(), false);
        loop {
            let Said { kind, args, mut body } = self.hear()?;
            match (kind.as_str(), &args[..]) {
                ("recipient-stanza", [index, kind, args @ ..]) if index == "0" => {
                    let body = mem::take(&mut *body);
                    wrapped.stanzas.push(Stanza { kind: kind.clone(), args: args.to_vec(), body });
                    self.ok();
                }
                ("labels", labels) if !labelled => {
                    wrapped.labels = labels.iter().cloned().collect();
                    labelled = wrapped.labels.len() == labels.len();
                    if !labelled {
                        return Err(self.fault("repeats a label"));
                    }
                    self.ok();
                }
                ("error", _) => {
                    self.ok();
                    self.end();
                    return Err(self.told_us(&body));
                }
                ("done", []) if wrapped.stanzas.is_empty() => return Err(self.fault("returned no stanza")),
                ("done", []) => {
                    self.end();
                    return Ok(wrapped);
                }
                _ => self.serve(&kind, &args, &body)?,
            }
        }
    }

    /// The key in one of the stanzas.
    fn file_key(mut self) -> Result<Option<Zeroizing<[u8; 16]>>, Fault> {
        let (mut key, mut failure) = (None, None);
        loop {
            let Said { kind, args, body } = self.hear()?;
            match (kind.as_str(), &args[..]) {
                ("file-key", [index]) if index == "0" && key.is_none() => {
                    let bytes = <[u8; 16]>::try_from(&body[..]).map(Zeroizing::new);
                    key = Some(bytes.map_err(|_| self.fault("returned a key that does not have 16 bytes"))?);
                    self.ok();
                }
                ("error", _) => {
                    failure = failure.or_else(|| Some(self.told_us(&body)));
                    self.ok();
                }
                ("done", []) => {
                    self.end();
                    return match (key, failure) {
                        (None, Some(fault)) => Err(fault),
                        (key, _) => Ok(key),
                    };
                }
                _ => self.serve(&kind, &args, &body)?,
            }
        }
    }

    /// The next command.
    fn hear(&mut self) -> Result<Said, Fault> {
        self.commands += 1;
        if self.commands > MAX_COMMANDS {
            return Err(self.fault(&format!("sent more than {MAX_COMMANDS} commands")));
        }
        let began = Instant::now();
        let heard = self.heard.recv_timeout(self.patience);
        self.patience = self.patience.saturating_sub(began.elapsed());
        match heard {
            Ok(Ok(Some(said))) => Ok(said),
            Ok(Ok(None)) => {
                let end = self.ended().map_or_else(|| "closed its output".to_owned(), ended);
                Err(self.with_last_words(&format!("{end} too early")))
            }
            Ok(Err(error)) => Err(self.with_last_words(&format!("does not follow the protocol: {error}"))),
            Err(RecvTimeoutError::Timeout) => Err(self.with_last_words("took too long")),
            Err(RecvTimeoutError::Disconnected) => Err(self.fault("closed its output")),
        }
    }

    /// Answers what a plugin may ask in both state machines.
    fn serve(&self, kind: &str, args: &[String], body: &[u8]) -> Result<(), Fault> {
        let text = message(body);
        let question = text.trim_end_matches([':', ' ']);
        let prompt = |what: &str| format!("plugin {}: {question}{what}: ", self.name);
        match (kind, args) {
            ("msg", []) => {
                say::note(&format!("plugin {}: {text}", self.name));
                self.ok();
            }
            ("request-public" | "request-secret", []) => {
                let asked = if kind == "request-secret" { tty::ask } else { tty::ask_openly };
                match asked(&prompt("")) {
                    Ok(answer) => self.tell("ok", &[], answer.as_bytes()),
                    Err(_) => self.tell("fail", &[], b""),
                }
            }
            ("confirm", [yes] | [yes, _]) => {
                let no = args.get(1);
                let option = |text: &str| {
                    let bytes = STANDARD_NO_PAD.decode(text);
                    bytes.map(|bytes| message(&bytes)).map_err(|_| self.fault("sent a choice without text"))
                };
                let no = no.map(|no| option(no)).transpose()?;
                let no = no.map(|no| format!(", n: {no}")).unwrap_or_default();
                let choice = tty::ask_openly(&prompt(&format!(" (y: {}{no})", option(yes)?)));
                match choice.as_deref().map(String::as_str) {
                    Ok("y" | "Y") => self.tell("ok", &["yes"], b""),
                    Ok("n" | "N") if args.len() == 2 => self.tell("ok", &["no"], b""),
                    _ => self.tell("fail", &[], b""),
                }
            }
            // A known command of another form, or at a wrong time. To go on could take a wrong answer for the right one.
            ("msg" | "request-public" | "request-secret" | "confirm" | "done" | "labels", _)
            | ("recipient-stanza" | "file-key", _) => {
                return Err(self.fault(&format!("sent an invalid command: {kind}")));
            }
            _ => self.tell("unsupported", &[], b""),
        }
        Ok(())
    }

    /// The plugin's own words about why it cannot do it.
    fn told_us(&self, body: &[u8]) -> Fault {
        of_plugin(&self.name, Fault::no_key(format!("says: {}", message(body))))
    }

    fn fault(&self, message: &str) -> Fault {
        of_plugin(&self.name, Fault::io(message))
    }

    /// With what the plugin wrote to standard error.
    fn with_last_words(&mut self, message: &str) -> Fault {
        self.end();
        let words = self.errors.recv_timeout(GRACE).unwrap_or_default();
        match words.trim_ascii() {
            [] => self.fault(message),
            words => self.fault(&format!("{message}; it wrote: {}", show::name(words))),
        }
    }

    /// The exit status of a plugin that has ended, or ends now.
    fn ended(&mut self) -> Option<ExitStatus> {
        let until = Instant::now() + GRACE / 4;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(5)),
                status => return status.ok().flatten(),
            }
        }
    }

    /// Closes its standard input, and kills it if it does not end by itself.
    fn end(&mut self) {
        self.told = None;
        let until = Instant::now() + GRACE;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        self.kill();
    }

    /// A child that nobody waits for stays in the table of processes. One that has been waited for is not killed: its number
    /// may be another's.
    fn kill(&mut self) {
        let _ended_by_itself = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Lets the kernel end a plugin that outlives us, even if we are killed.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the only way to make a system call in the child")]
fn end_with_us(command: &mut Command) {
    use rustix::process::{Signal, set_parent_process_death_signal};
    use std::os::unix::process::CommandExt;
    let in_child = || Ok(set_parent_process_death_signal(Some(Signal::TERM))?);
    // SAFETY: the closure makes one system call and takes no memory, which is all that may be done after a fork.
    unsafe { command.pre_exec(in_child) };
}

/// Elsewhere, a plugin learns it from the end of its input.
#[cfg(not(target_os = "linux"))]
fn end_with_us(_: &mut Command) {}

fn of_plugin(name: &PluginName, fault: Fault) -> Fault {
    fault.within(&format!("plugin {:?}", name.to_string())).hint(format!(
        "run {} --help, or ask its authors: sealmark only passes on what it says",
        name.program()
    ))
}

/// The program in the first absolute directory of `PATH` that has it. A relative one would be looked for in the directory of
/// the sealed file, which somebody else may have filled.
fn find(program: &str, path: Option<&std::ffi::OsStr>) -> Option<PathBuf> {
    let runs = |file: &PathBuf| {
        file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    env::split_paths(path?)
        .filter(|directory| directory.is_absolute())
        .map(|path| path.join(program))
        .find(runs)
}

fn hear(stdout: impl Read, hearing: &SyncSender<sealmark::Result<Option<Said>>>) {
    // A buffer of one byte, because nobody wipes it, and a key may pass through. The reader of stanzas wipes the text.
    let mut reader = StanzaReader::new(BufReader::with_capacity(1, stdout));
    loop {
        let said = reader.read().map(|stanza| stanza.map(Said::from));
        let last = !matches!(said, Ok(Some(_)));
        if hearing.send(said).is_err() || last {
            return;
        }
    }
}

/// The start of standard error. All of it is read, because a full pipe would stop the plugin.
fn last_words(mut stderr: ChildStderr) -> Vec<u8> {
    let mut words = Vec::new();
    let _ = stderr.by_ref().take(MAX_MESSAGE as u64).read_to_end(&mut words);
    let _ = io::copy(&mut stderr, &mut io::sink());
    words
}

/// Text of a plugin, which must not drive the terminal.
fn message(text: &[u8]) -> String {
    let (start, rest) = text.split_at(text.len().min(MAX_MESSAGE));
    let end = if rest.is_empty() { "" } else { "…" };
    show::name(start) + end
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;
    use std::fs;

    /// A conversation with a shell that runs `script`, and the directory that has it.
    fn conversation(script: &str) -> (Conversation, tempfile::TempDir) {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("plugin");
        fs::write(&program, format!("#!/bin/sh\n{script}")).unwrap();
        fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        let name = "test".parse().unwrap();
        let plugin = Conversation::with(&program, &name, "identity-v1", Duration::from_millis(300)).unwrap();
        (plugin, directory)
    }

    #[test]
    fn a_plugin_that_takes_too_long_is_ended() {
        let drips = "while :; do printf -- '-> msg\\n\\n'; sleep 0.1; done";
        for script in
            [drips, "exec sleep 60", "exec 1>&-; exec sleep 60", "printf -- '-> done'; exec sleep 60"]
        {
            let (plugin, _directory) = conversation(script);
            let (began, pid) = (Instant::now(), plugin.child.id());
            let fault = plugin.file_key().unwrap_err();
            assert!(fault.message.contains("plugin \"test\""), "{script}: {fault}");
            assert!(began.elapsed() < Duration::from_secs(10), "{script} took {:?}", began.elapsed());
            assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "{script} is still there");
        }
    }

    /// More than a pipe holds is written, and nobody reads it.
    #[test]
    fn a_plugin_that_does_not_listen_is_ended() {
        let (plugin, _directory) = conversation("exec sleep 60");
        (0..100).for_each(|_| plugin.tell("recipient-stanza", &["0", "x"], &[0; 4096]));
        let fault = plugin.file_key().unwrap_err();
        assert!(fault.message.contains("took too long"), "{fault}");
    }

    #[test]
    fn a_long_message_is_cut() {
        assert_eq!(message(b"a\x1b\xffb"), "a\\u{1b}\\xffb");
        assert_eq!(message(&[b'x'; 5000]).chars().count(), MAX_MESSAGE + 1);
    }
}
