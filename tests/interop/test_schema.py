"""docs/log.schema.json, with a validator that others wrote: it accepts and refuses what the program does."""

import json
import re
import subprocess
import tempfile
import tomllib
import unittest
from pathlib import Path

import jsonschema

from common import ROOT, SEALMARK

SCHEMA = json.loads((ROOT / "docs" / "log.schema.json").read_text())

VALID = [
    'format = "json"\nseal = ["a"]\nunparsed = "drop"\nrotate_after = "15m"\non_full = "wait"\nany_case = true',
    'preset = "docker"\nformat = "json"\nseal = ["a"]\ndrop = ["b"]\nkeep = ["c"]\npad = 16',
    'format = "json"\nseal = ["consent"]\npad = { "*" = 16, consent = 64, line = 0 }\nmetrics = "127.0.0.1:9000"',
    "log_format = '$remote_addr $request'\nseal = ['client']\nquery = ['all']\nsyslog = 'udp:127.0.0.1:5140'",
    *(f'format = "json"\nseal = ["a"]\nsyslog = "{socket}"' for socket in ("tcp:5140", "tcp:127.0.0.1:5140", "tcp:[::1]:5140")),
    'wrapper = "cri"\nformat = "text"\npatterns = [\'ip=(.*)\']\nunparsed = "pass"',
    'format = "json"\n[[within]]\nfield = "uri"\nquery = ["t"]\n[[within]]\nfield = "m"\npatterns = ["x."]\nunparsed = "seal"',
    'format = "json"\nseal = "a"\ndrop = "b"\nrecipients = "r"\nrecipients_files = "f"',
    "format = 'text'\npatterns = 'x(.)'",
    'format = "json"\nkeep = "a"\n[[within]]\nfield = "uri"\nquery = "all"',
    'format = "json"\n[[within]]\nfield = "a"\nformat = "json"\n[[within.within]]\nfield = "b"\nquery = ["t"]',
]
WRONG = [
    'sael = ["a"]',
    'format = "xml"\nseal = ["a"]',
    'format = "json"\nseal = [1]',
    'format = "json"\nlog_format = "$a"\nseal = ["a"]',
    'format = "json"\nseal = ["a"]\npad = -1',
    'format = "json"\nseal = ["a"]\npad = 1048577',
    'format = "json"\nseal = ["a"]\npad = "16"',
    'format = "json"\nseal = ["a"]\npad = { a = "16" }',
    'format = "json"\nseal = ["a"]\npad = [16]',
    'format = "json"\nseal = ["a"]\nfield = "b"',
    'format = "json"\nseal = ["a"]\nrotate_after = "soon"',
    'format = "json"\nseal = ["a"]\nsyslog = "tcp:x"',
    'format = "json"\nseal = ["a"]\non_full = "stop"',
    'format = "json"\nseal = ["a"]\nunparsed = "keep"',
    'format = "json"\nseal = ["a"]\nwrapper = "podman"',
    'format = "json"\nseal = ["a"]\nany_case = "yes"',
    'format = "text"\npatterns = [""]',
    'format = "text"\npatterns = ""',
    'format = "json"\nseal = 1',
    'format = "json"\nseal = ["a"]\nrecipients = [1]',
    'preset = "iis"',
    'format = "json"\n[[within]]\nquery = ["t"]',
    'format = "json"\n[[within]]\nfield = "a"\nquery = ["t"]\nunparsed = "drop"',
    'format = "json"\n[[within]]\nfield = "a"\nquery = ["t"]\npreset = "nothing"',
]
# Each preset, with a key that would replace a part of it.
PRESETS = SCHEMA["properties"]["preset"]["enum"]
VALID += [
    f'preset = "{preset}"' + ('\nformat = "json"\nseal = ["a"]' if preset in ("docker", "cri") else "") for preset in PRESETS
]
WRONG += [
    f'{outer}preset = "{preset}"\n{key}\nseal = ["client"]'
    for outer in ("", 'format = "json"\n[[within]]\nfield = "a"\n')
    for preset in PRESETS
    for key in (['wrapper = "cee"'] if preset in ("docker", "cri") else ['format = "ltsv"', "log_format = '$remote_addr'"])
]
# Each key of the whole run, in a place for rules of fields.
WRONG += [
    f'format = "json"\n[[within]]\nfield = "a"\nquery = ["t"]\n{key} = {value}'
    for key, value in {
        **dict.fromkeys(["psk", "side_file", "append", "user", "metrics"], '"x"'),
        **dict.fromkeys(["recipients", "recipients_files"], '["x"]'),
        **dict.fromkeys(["allow_mixed", "line_buffered"], "true"),
        "wrapper": '"cri"', "pad": "16", "rotate_after": '"1h"', "on_full": '"wait"', "syslog": '"systemd"',
    }.items()
]


def is_valid(text: str) -> bool:
    return jsonschema.Draft7Validator(SCHEMA).is_valid(tomllib.loads(text))


def checked(text: str) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / "log.toml").write_text(text)
        (Path(directory) / "sample").write_text("x\n")
        command = [SEALMARK, "log", "seal", "--config", "log.toml", "--check", "sample"]
        return subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=60)


class Schema(unittest.TestCase):
    def test_it_is_a_schema(self):
        jsonschema.Draft7Validator.check_schema(SCHEMA)

    def test_it_has_the_keys_that_the_program_knows(self):
        stderr = checked("no_such_key = 1").stderr
        known = set(re.search(r"the keys are ([\w, ]+);", stderr).group(1).split(", "))
        within = SCHEMA["definitions"]["within"]["properties"]
        self.assertGreater(len(known), 20)
        self.assertEqual(known, set(SCHEMA["properties"]) | set(within))
        self.assertEqual(set(within) - set(SCHEMA["properties"]), {"field"})
        for key, value in {**within, **SCHEMA["properties"]}.items():
            self.assertTrue(value["description"].endswith("."), key)

    def test_it_has_the_values_that_the_program_knows(self):
        lists = {key: value["enum"] for key, value in SCHEMA["properties"].items() if "enum" in value}
        self.assertGreaterEqual(len(lists), 5)
        for key, values in lists.items():
            with self.subTest(key):
                stderr = checked(f'{key} = "none"').stderr
                known = re.search(r"use one of ([\w, -]+)", stderr).group(1).split(", ")
                self.assertEqual(sorted(known), sorted(values))

    def test_both_take_the_same(self):
        page = (ROOT / "docs" / "logs.md").read_text()
        examples = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
        self.assertEqual(len(examples), 2)
        for text in VALID + examples:
            with self.subTest(text):
                self.assertTrue(is_valid(text))
                done = checked(text)
                # The rules find nothing in the sample.
                self.assertEqual(done.returncode, 5, done.stderr)

    def test_both_refuse_the_same(self):
        for text in WRONG:
            with self.subTest(text):
                self.assertFalse(is_valid(text))
                done = checked(text)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn('error: "log.toml", line ', done.stderr)


if __name__ == "__main__":
    unittest.main()
