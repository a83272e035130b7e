"""Where the lab is, how it is run, and a directory for each test."""

import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent
LAB = ROOT / "target" / "debug" / "sealmark-lab"
FIXED = ROOT / "lab" / "core" / "tests"


class LabTest(unittest.TestCase):
    """A test with a directory of its own."""

    @classmethod
    def setUpClass(cls):
        if not LAB.exists():
            raise FileNotFoundError(f"{LAB} is missing; hint: cd lab && cargo build")

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="sealmark-lab-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def file(self, name: str, content: str) -> Path:
        path = self.directory / name
        path.write_text(content)
        return path

    def path(self, name: str) -> Path:
        return self.directory / name


def run(*command) -> subprocess.CompletedProcess:
    """Runs a program to its end; the message of a failure has what it said."""
    done = subprocess.run([str(word) for word in command], capture_output=True, timeout=300)
    if done.returncode != 0:
        raise AssertionError(f"exit {done.returncode}: {' '.join(map(str, command))}\n{done.stderr.decode()}")
    return done
