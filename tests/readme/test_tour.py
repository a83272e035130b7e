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
    def test_every_command_of_the_tour_works(self):
        blocks = shell_blocks(section(TOUR))
        self.assertGreaterEqual(len(blocks), 5, "the tour lost its commands, or its heading changed")
        with tempfile.TemporaryDirectory() as directory:
            for number, block in enumerate(blocks, start=1):
                with self.subTest(block=number):
                    done = type_into_shell(block, directory)
                    self.assertEqual(done.returncode, 0, f"\n{block}\n{done.stdout}")

    def test_the_range_of_the_tour_prints_what_the_text_says(self):
        with tempfile.TemporaryDirectory() as directory:
            outputs = [type_into_shell(block, directory).stdout for block in shell_blocks(section(TOUR))]
        self.assertIn("1\n2\n3\n4\n5\n6", outputs, "no block printed the first eleven bytes of numbers.txt")


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
