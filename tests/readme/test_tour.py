"""Types the tours of README.md, line by line as printed, into a shell in an empty directory each."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = ROOT / "target" / "debug"
TOURS = {"## A tour of five minutes": 6, "## A tour of logs": 5}


class Tour(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tours = {heading: typed(heading) for heading in TOURS}

    def test_every_command_works(self):
        for heading, blocks in self.tours.items():
            self.assertGreaterEqual(len(blocks), TOURS[heading], f"{heading} lost its commands, or is called otherwise")
            for block, done in blocks.items():
                with self.subTest(block=block):
                    self.assertEqual(done.returncode, 0, f"\n{done.stdout}")

    def printed(self) -> list[str]:
        return [done.stdout for blocks in self.tours.values() for done in blocks.values()]

    def test_a_range_is_printed_as_the_text_says(self):
        self.assertIn("1\n2\n3\n4\n5\n6", self.printed(), "no block printed the first eleven bytes of numbers.txt")

    def test_a_search_finds_the_opened_line(self):
        found = '{"path":"/login","user":{"email":"a@b.example","age":42}}\n'
        self.assertTrue(any(out.startswith(found) for out in self.printed()), "no block printed the line that was sealed")

    def test_what_was_dropped_is_not_there(self):
        opened = '192.0.2.7 - - [21/Nov/2026:12:00:01 +0000] "GET /pay?id=7&cvv= HTTP/1.1" 200 5 "-" "curl/8"\n'
        counted = "note: values in 1 line: --query all 1, --header client 1, --drop cvv 1\n"
        self.assertIn(counted + opened, self.printed(), "no block printed the access log without its code")


def typed(heading: str) -> dict[str, subprocess.CompletedProcess]:
    with tempfile.TemporaryDirectory() as directory:
        return {block: type_into_shell(block, directory) for block in shell_blocks(section(heading))}


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
