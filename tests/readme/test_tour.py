"""Types the tours of README.md and docs/, line by line as printed, into a shell in an empty directory each."""

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


class Logs(unittest.TestCase):
    """docs/logs.md: each section, from nothing to the first opened line in five commands."""

    PAGE = (ROOT / "docs" / "logs.md").read_text()
    # The last command prints the line that was sealed.
    LAST = {
        "nginx": "203.0.113.9 - ann [",
        "Apache httpd": "203.0.113.9 - - [",
        "A service that writes JSON": '{"user":{"email":"ann@example.org"}',
        "docker": '{"log":"{\\"email\\":\\"ann@example.org\\"',
        "Kubernetes": '2026-11-23T12:00:00.5Z stdout F {"email":"ann@example.org"',
    }

    def test_five_commands_lead_to_an_opened_line(self):
        for heading, last in self.LAST.items():
            with self.subTest(heading):
                (block,) = shell_blocks(part(self.PAGE, heading))
                self.assertLessEqual(len(block.splitlines()), 5)
                with tempfile.TemporaryDirectory() as directory:
                    done = type_into_shell(block, directory)
                    self.assertEqual(done.returncode, 0, done.stdout)
                    self.assertTrue(done.stdout.splitlines()[-1].startswith(last), done.stdout)
                    sealed = (Path(directory) / "sealed.log").read_text()
                    self.assertIn("~s1a~", sealed)
                    for secret in ("203.0.113.9", "ann@example.org", "t0p"):
                        self.assertNotIn(secret, sealed)
                    if heading == "A service that writes JSON":
                        suggested = re.search(r"```toml\n(.*?)```", part(self.PAGE, heading), re.DOTALL)[1]
                        written = "\n".join((Path(directory) / "log.toml").read_text().splitlines()[1:])
                        self.assertEqual(written.strip(), re.sub(r" +#.*", "", suggested).strip())

    def test_rules_are_tried_out_as_the_page_shows(self):
        section = part(self.PAGE, "Try it out")
        (block,) = shell_blocks(section)
        shown = re.search(r"```\n(rule .*?)```", section, re.DOTALL)[1]
        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(type_into_shell(block, directory).stdout, shown)

    def test_a_sealed_log_is_read_as_the_page_shows(self):
        section = part(self.PAGE, "Read it")
        (block,) = shell_blocks(section)
        shown = re.search(r"```\n(\d:.*?)```", section, re.DOTALL)[1]
        with tempfile.TemporaryDirectory() as directory:
            printed = type_into_shell(block, directory).stdout
        self.assertEqual(printed[-len(shown) :], shown)

    def test_every_key_is_on_the_page(self):
        with tempfile.TemporaryDirectory() as directory:
            block = "echo 'no_such_key = 1' > bad.toml; sealmark log seal --config bad.toml < /dev/null || true"
            said = type_into_shell(block, directory).stdout
        known = re.findall(r"`(\w+)`", said.partition("expected one of")[2])
        self.assertGreater(len(known), 20)
        for key in known:
            self.assertIn(f"`{key}", part(self.PAGE, "The configuration").replace("`[[within]]`", "`within`"), key)


def part(page: str, heading: str) -> str:
    return page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


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
