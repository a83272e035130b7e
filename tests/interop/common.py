"""Paths of the programs, ways to run them, and contents for them."""

import random
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SEALMARK = ROOT / "target" / "debug" / "sealmark"
PEERS = ROOT / "target" / "peers" / "bin"
GO_SOURCE = ROOT / "tests" / "interop" / "go"
KEMS = ["x25519", "p256", "mlkem768", "mlkem1024", "mlkem768x25519", "mlkem768p256", "mlkem1024p384"]

# Lengths around the chunks of both formats (16 KiB here, 64 KiB in age), at their edges, and zero.
LENGTHS = [0, 1, 16383, 16384, 16385, 65535, 65536, 65537, (1 << 20) + 7]
PASSPHRASE = "correct horse battery staple"


class InteropTest(unittest.TestCase):
    """A test with a directory of its own and the program under test."""

    @classmethod
    def setUpClass(cls):
        if not SEALMARK.exists():
            raise FileNotFoundError(f"{SEALMARK} is missing; hint: cargo build")

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="sealmark-interop-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def file(self, name: str, content: bytes | str = b"") -> Path:
        path = self.directory / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def path(self, name: str) -> Path:
        return self.directory / name

    def key(self, kem: str) -> tuple[Path, Path]:
        """A new secret key file and its recipient file."""
        secret = self.path(f"{kem}.key")
        run(SEALMARK, "keygen", "--kem", kem, "-o", secret)
        return secret, self.file(f"{kem}.pub", run(SEALMARK, "keygen", "-y", secret).stdout)

    def words(self) -> Path:
        return self.file("words.txt", PASSPHRASE + "\n")

    def assert_same(self, found: bytes, expected: bytes, what: str):
        """assertEqual without a megabyte of bytes in the message."""
        first = next((i for i, (a, b) in enumerate(zip(found, expected)) if a != b), min(len(found), len(expected)))
        message = f"{what}: {len(found)} bytes instead of {len(expected)}, different from byte {first} on"
        self.assertTrue(found == expected, message)


def run(*command, expect: int = 0, **options) -> subprocess.CompletedProcess:
    """Runs a program to its end. If the exit code is not the expected one, the error contains what it printed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, timeout=300, **options)
    if done.returncode != expect:
        output = done.stderr.decode(errors="replace") or f"({len(done.stdout)} bytes on standard output)"
        raise AssertionError(f"exit {done.returncode} instead of {expect}: {' '.join(map(str, command))}\n{output}")
    return done


def bech32(prefix: str, data: bytes = b"") -> str:
    """Bech32 (BIP 173) without its limit on length, in small letters."""
    letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
    bits = "".join(f"{byte:08b}" for byte in data)
    bits += "0" * (-len(bits) % 5)
    values = [int(bits[start : start + 5], 2) for start in range(0, len(bits), 5)]
    checksum = 1
    for value in [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix] + values + [0] * 6:
        top, checksum = checksum >> 25, (checksum & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            checksum ^= generator if top >> bit & 1 else 0
    checksum ^= 1
    return prefix + "1" + "".join(letters[v] for v in values + [checksum >> 5 * (5 - i) & 31 for i in range(6)])


def secret_line(key_file: Path) -> str:
    return key_file.read_text().splitlines()[-1]


def content(length: int) -> bytes:
    """The same bytes for the same length, on every run."""
    return random.Random(length).randbytes(length)


def skip_without_go():
    """Go is the only prerequisite that make test does without; a Go that is too old has no crypto/hpke."""
    has_go = shutil.which("go") is not None
    if not has_go or subprocess.run(["go", "list", "crypto/hpke"], cwd=GO_SOURCE, capture_output=True).returncode:
        raise unittest.SkipTest("GO 1.26 IS MISSING: age and the opener written in Go were NOT run")
