"""Real servers from Debian's packages, run as children of the tests in a directory of their own."""

import gzip
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import canary

ROOT = Path(__file__).resolve().parent.parent.parent
SEALMARK = ROOT / "target" / "debug" / "sealmark"
EXAMPLES = ROOT / "examples"
PEERS = ROOT / "target" / "peers" / "bin"
SERVERS = ROOT / "target" / "peers" / "servers"
# This Python has libraries that write logs.
PYTHON = ROOT / "target" / "venv" / "bin" / "python"
LIBRARIES = {"LD_LIBRARY_PATH": ":".join(map(str, sorted(SERVERS.glob("**/lib/*-linux-gnu"))))}
IS_ROOT = os.geteuid() == 0
USER = "www-data"
# This is longer than anything here takes on a busy machine, and only a failing test waits for it.
PATIENCE = 60


class ServerTest(unittest.TestCase):
    """A test with a directory that the server's own user may enter, a key, and a sealed log beside a plain one."""

    @classmethod
    def setUpClass(cls):
        if not SEALMARK.exists():
            raise FileNotFoundError(f"{SEALMARK} is missing; hint: cargo build")
        if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
            raise unittest.SkipTest("THIS IS NOT DEBIAN: the logs of servers and applications were NOT sealed")
        if not (SERVERS / "complete").exists():
            raise FileNotFoundError(f"{SERVERS} is missing; hint: scripts/servers.sh")

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="sealmark-servers-")
        self.addCleanup(directory.cleanup)
        self.directory, self.port = Path(directory.name), free_port()
        self.directory.chmod(0o755)
        for name in ("www", "sealed", "run"):
            (self.directory / name).mkdir()
        (self.directory / "www" / "index.html").write_text("seen\n")
        if IS_ROOT:
            shutil.chown(self.directory / "sealed", USER)
        self.plain, self.sealed = self.directory / "plain.log", self.directory / "sealed" / "access.log"
        run(SEALMARK, "keygen", "-o", self.directory / "ops.key")
        (self.directory / "ops.pub").write_bytes(run(SEALMARK, "keygen", "-y", self.directory / "ops.key").stdout)

    def example(self, name: str) -> str:
        """A file of examples/ with paths of ours in place of its own."""
        text = (EXAMPLES / name).read_text()
        paths = {
            "/usr/bin/sealmark": SEALMARK,
            "/etc/sealmark/ops.pub": self.directory / "ops.pub",
            "/var/log/sealed/": f"{self.sealed.parent}/",
            "/var/log/nginx/": f"{self.directory}/",
            "/run/sealmark/": f"{self.directory}/run/",
        }
        text = re.sub("|".join(paths), lambda found: str(paths[found[0]]), text)
        self.assertIn(str(self.directory), text)
        return text if IS_ROOT else text.replace(f" --user {USER}", "")

    def start(self, *command, **environment) -> subprocess.Popen:
        """A program that is ended by its process id if the test did not end it."""
        output = open(self.directory / "output.txt", "ab")
        self.addCleanup(output.close)
        program = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=os.environ | environment,
            # httpd in prefork signals its whole process group when it ends.
            start_new_session=True,
        )
        self.addCleanup(end, program)
        return program

    def wait_until(self, is_so, what: str):
        limit = time.monotonic() + PATIENCE
        while not is_so():
            self.assertLess(time.monotonic(), limit, f"{what}\n{self.output()}")
            time.sleep(0.02)

    def wait_for_port(self):
        self.wait_until(lambda: answers(self.port), "the server does not answer")

    def finish(self, program: subprocess.Popen, number: int) -> int:
        program.send_signal(number)
        return program.wait(PATIENCE)

    def output(self) -> str:
        files = [self.directory / "output.txt", self.directory / "error.log"]
        return "\n".join(file.read_text(errors="replace")[-1000:] for file in files if file.exists())

    def logs(self) -> list[bytes]:
        """The pieces of the sealed log after its roll-overs, oldest first."""
        paths = self.sealed.parent.glob("access.log*")
        oldest_first = sorted(paths, key=lambda path: -int((re.search(r"[0-9]+", path.name) or "0")[0]))
        unpacked = {".gz": gzip.decompress}
        return [unpacked.get(path.suffix, bytes)(path.read_bytes()) for path in oldest_first]

    def seal_by(self, log: Path, keys: str, silent: frozenset = frozenset()) -> tuple[bytes, str]:
        """Returns the log, sealed with a configuration, and the report of --check. The sealed log opens to the original, and
        verifies. Only `silent` rules may find nothing."""
        config, plain, key = self.directory / "log.toml", log.read_bytes(), self.directory / "ops.key"
        config.write_text(f'recipients_files = ["ops.pub"]\n{keys}\n')
        words = (SEALMARK, "log", "seal", "--config", config)
        checked = subprocess.run([*words, "--check", log], capture_output=True, text=True, timeout=PATIENCE)
        found_nothing = re.findall(r"found nothing: (.*)", checked.stderr)
        self.assertLessEqual(set(found_nothing), silent, checked.stderr)
        self.assertEqual(checked.returncode, 5 if found_nothing else 0, checked.stderr)
        sealed = run(*words, log).stdout
        # In text, a carriage return of a value comes back as it was only with --raw.
        raw = ["--raw"] if b"\r" in plain else []
        opened = run(SEALMARK, "log", "open", *raw, "-i", key, input=sealed).stdout
        self.assertTrue(opened == plain, f"{log} opens otherwise\n{keys}")
        self.assertIn("sealed values verified", run(SEALMARK, "log", "verify", "-i", key, input=sealed).stdout.decode())
        return sealed, checked.stdout

    def assert_no_canary(self, log: Path, keys: str, left_out: list[str], silent: frozenset = frozenset()) -> str:
        """A configuration seals each of the canary's values, and --check names those that it leaves out on purpose."""
        self.assertEqual(canary.marks(log.read_bytes()), set(range(len(canary.VALUES))), log)
        sealed, report = self.seal_by(log, keys, silent)
        self.assertEqual(canary.leaks(sealed), [], f"{log}\n{keys}\n{report}")
        self.assertIn(canary.OPEN.encode(), sealed)
        for hint in left_out:
            self.assertIn(hint, report)
        return report

    def assert_sealed(self, lines: int, in_order: bool):
        """The sealed log opens to the plain one, each piece alone, and shows nothing of it before."""
        plain, sealed, key = self.plain.read_bytes(), self.logs(), self.directory / "ops.key"
        pieces = [run(SEALMARK, "log", "open", "-i", key, input=piece).stdout for piece in sealed]
        opened, expected = b"".join(pieces).split(b"\n"), plain.split(b"\n")
        self.assertGreater(len(expected), lines, self.output())
        self.assertEqual(len(opened), len(expected), self.output())
        if not in_order:  # Threads of a server write to two logs in two orders.
            opened, expected = sorted(opened), sorted(expected)
        for number, (found, wanted) in enumerate(zip(opened, expected)):
            self.assertEqual(found, wanted, f"line {number}")
        self.assertGreater(plain.count(b"hidden"), lines)
        for secret in (b"hidden", b"127.0.0.1", b"~s1x~"):
            self.assertNotIn(secret, b"".join(sealed))
        self.assertNotIn(b"hidden", (self.directory / "error.log").read_bytes())
        # The same lines are sealed by their queries: only the path stays.
        fields = ("--query", "all", "--header", "client", "--header", "user", "--header", "Referer", "--header", "User-Agent")
        by_query = run(SEALMARK, "log", "seal", "-R", self.directory / "ops.pub", *fields, input=plain).stdout
        for secret in (b"hidden", b"127.0.0.1", b"~s1x~"):
            self.assertNotIn(secret, by_query.replace(b" /hidden-", b""))
        self.assertEqual(run(SEALMARK, "log", "open", "-i", key, input=by_query).stdout, plain)


def run(*command, **options) -> subprocess.CompletedProcess:
    done = subprocess.run([str(word) for word in command], capture_output=True, timeout=300, **options)
    if done.returncode:
        output = done.stderr.decode(errors="replace")
        raise AssertionError(f"exit {done.returncode}: {' '.join(map(str, command))}\n{output}")
    return done


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
        return True
    except OSError:
        return False


def end(program: subprocess.Popen):
    if program.poll() is None:
        program.send_signal(signal.SIGTERM)
        try:
            program.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()


def children(pid: int, name: str) -> list[int]:
    """The processes of that name that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, comm, rest = re.fullmatch(r"(\d+) \((.*)\) (.*)\n?", stat.read_text(), re.DOTALL).groups()
        except OSError:
            continue
        if comm == name and int(rest.split()[1]) == pid:
            found.append(int(number))
    return found


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
