"""Types the tour of README.md, line by line as printed, into a shell in an empty directory."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = ROOT / "target" / "debug"
TOUR = "## A tour of five minutes"


class Tour(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as directory:
            cls.blocks = {block: type_into_shell(block, directory) for block in shell_blocks(section(TOUR))}

    def test_every_command_works(self):
        self.assertGreaterEqual(len(self.blocks), 5, "the tour lost its commands, or its heading changed")
        for block, done in self.blocks.items():
            with self.subTest(block=block):
                self.assertEqual(done.returncode, 0, f"\n{done.stdout}")

    def test_a_range_is_printed_as_the_text_says(self):
        printed = [done.stdout for done in self.blocks.values()]
        self.assertIn("1\n2\n3\n4\n5\n6", printed, "no block printed the first eleven bytes of numbers.txt")


def section(heading: str) -> str:
    """The text under a heading, up to the next one of its rank."""
    _, _, rest = (ROOT / "README.md").read_text().partition(f"\n{heading}\n")
    return rest.partition("\n## ")[0]


def shell_blocks(text: str) -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def type_into_shell(block: str, directory: str) -> subprocess.CompletedProcess:
    path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=directory,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )


if __name__ == "__main__":
    unittest.main()
