"""Logs of writers of JSON and of container runtimes, with values of strangers in them: presets find each of these values."""

import base64
import json
import os
import re
import unittest
from pathlib import Path

import canary
from common import LIBRARIES, PEERS, PYTHON, SERVERS, ServerTest, run

HERE = Path(__file__).resolve().parent
# The writers of each preset, and the path of the address that the operator leaves out.
WRITERS = {
    "ecs": {"ecs": "contact"},
    "logstash": {"logstash-0": "@fields.contact", "logstash-1": "contact", "logstash-async": "extra.contact"},
    "gelf": {"gelf-graypy": "_contact", "gelf-pygelf": "_contact"},
}


class CanaryTest(unittest.TestCase):
    def test_it_is_found_in_every_encoding(self):
        word = canary.WORD.encode()
        for shift in range(3):
            self.assertTrue(canary.leaks(base64.b64encode(b"x" * shift + word + b"xyz")))
        others = [word[2:-2], word.upper(), word[::-1], word.hex().encode(), canary.WORD.encode("utf-16-le"), canary.WORD.encode("utf-16-be")]
        others += ["".join(template % letter for letter in word).encode() for template in ("%%%02X", "\\u%04x", "\\%03o")]
        for other in others:
            self.assertTrue(canary.leaks(b"~ " + other + b" ~"), other)
        self.assertEqual(canary.leaks(b"~s1a~email~kTmWHidDenxxxx~AAAAAJ5pcanary~"), [])


class WriterTest(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not PYTHON.exists():
            raise FileNotFoundError(f"{PYTHON} is missing; hint: scripts/servers.sh")

    def setUp(self):
        super().setUp()
        run(PYTHON, HERE / "json_lines.py", self.directory)
        self.container_output()

    def test_writers_of_json(self):
        for preset, writers in WRITERS.items():
            for name, field in writers.items():
                with self.subTest(name):
                    report = self.assert_no_canary(
                        self.directory / f"{name}.log",
                        f'preset = "{preset}"\nkeep = ["{field}"]',
                        [f'e-mail address in "{field}": {len(canary.VALUES)}, first in line 2'],
                    )
                    self.assertNotIn("not match the format", report)

    def container_output(self):
        """A container's program: records on one stream, text of the same values on the other, both with lines that are cut."""
        text = "".join(f"paid by {value}\nasked by {canary.OPEN}\n" for value in canary.VALUES)
        (self.directory / "text").write_bytes(text.encode() + b"\xff\xfe " + canary.WORD.encode() + b"\nno end of " + canary.WORD.encode())
        program = self.directory / "program"
        program.write_text(f'#!/bin/sh\ncd {self.directory}\ncat ecs.log & cat text >&2\nwait\n')
        program.chmod(0o755)

    def keep_by(self, host: str) -> Path:
        """The program's log, as docker or containerd writes it."""
        log, hosts = self.directory / "container.log", PEERS / "containers"
        if not hosts.exists():
            self.skipTest(f"GO IS MISSING: the log of {host} was NOT sealed")
        run(hosts, host, log, self.directory / "program")
        return log

    def test_docker(self):
        log = self.keep_by("docker")
        lines = [json.loads(line) for line in log.read_bytes().splitlines()]
        self.assertGreater(sum(not line["log"].endswith("\n") for line in lines), 10, "docker cuts no line")
        self.assertEqual({line["stream"] for line in lines}, {"stdout", "stderr"})
        self.assert_no_canary_in_container(log, "docker")

    def test_containerd(self):
        log = self.keep_by("containerd")
        self.assertIn(b" stderr P ", log.read_bytes(), "containerd cuts no line")
        self.assert_no_canary_in_container(log, "cri")

    def test_conmon(self):
        """conmon writes the logs of Podman and CRI-O, in the format of the Container Runtime Interface."""
        log, words = self.directory / "container.log", []
        for flag, value in {
            "--runtime": HERE / "conmon-runtime.sh",
            "--bundle": self.directory,
            "--cid": "container",
            "--cuuid": "container",
            "--name": "container",
            "--container-pidfile": self.directory / "container.pid",
            "--log-path": f"k8s-file:{log}",
            "--socket-dir-path": self.directory / "run",
        }.items():
            words += [flag, value]
        run(SERVERS / "usr" / "bin" / "conmon", "--sync", *words, env=os.environ | LIBRARIES)
        lines = log.read_bytes().split(b"\n")[:-1]
        self.assertGreater(sum(line.split(b" ")[2] == b"P" for line in lines), 10, "conmon cuts no line")
        self.assert_no_canary_in_container(log, "cri")

    def assert_no_canary_in_container(self, log: Path, wrapper: str):
        """Checks the program's lines as records of a preset, as JSON with named fields, and as text."""
        fields = '["message", "user", "email", "log", "error.message", "error.stack_trace"]'
        for keys in (
            f'wrapper = "{wrapper}"\npreset = "ecs"\nkeep = ["contact"]',
            f'preset = "{wrapper}"\nformat = "json"\nseal = {fields}',
        ):
            with self.subTest(keys):
                self.assert_no_canary(log, keys, ['e-mail address in "contact"'])
        with self.subTest("cut lines"):
            # Lines of another kind pass, but a piece of a record is not one of them.
            records, is_record = self.directory / "records.log", {"docker": rb'"stream":"stdout","time"', "cri": rb"^\S+ stdout "}[wrapper]
            records.write_bytes(b"".join(line for line in log.read_bytes().splitlines(True) if re.search(is_record, line)))
            keys = f'preset = "{wrapper}"\nformat = "json"\nunparsed = "pass"\nseal = {fields}'
            self.assert_no_canary(records, keys, ['e-mail address in "contact"'])
        with self.subTest("text"):
            # Records are text, too, but the pattern knows none of them: they are sealed as a whole.
            keys = f"preset = \"{wrapper}\"\nformat = \"text\"\npatterns = ['^(?:paid by (?<payer>.*)|asked by \\S+(?<more>.*))$']"
            self.assert_no_canary(log, keys, [f"e-mail address: {len(canary.VALUES)}, first in line"])


if __name__ == "__main__":
    unittest.main()
