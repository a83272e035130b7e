"""Holds spec/run.schema.json to what the lab writes and reads, by another's validator."""

import copy
import json
import subprocess
import unittest
from functools import cache
from pathlib import Path

from common import ROOT, InteropTest, run
from jsonschema import Draft202012Validator

LAB = ROOT / "target" / "debug" / "sealmark-lab"
SCHEMA = json.loads((ROOT / "spec" / "run.schema.json").read_text())
FIXED = sorted((ROOT / "crates" / "sealmark-lab" / "tests").glob("*/*.jsonl"))
ROWS = Draft202012Validator(SCHEMA)
KINDS = [kind["$ref"].rsplit("/", 1)[1] for kind in SCHEMA["oneOf"]]

# Faults of every kind that a scripted engine can be talked into, in the job that shows them.
MISDEEDS = {
    "codec": ["none", "die", "junk", "wrong-output", "wrong-count", "exaggerate", "unsupported", "no-start", "fail",
              "exhaust", "limit"],
    "cipher": ["none", "gullible"],
    "file": ["none", "hang"],
    "payload": ["none", "hasty"],
    "tls-connect": ["none", "stall", "other-suite"],
    "record": ["none", "lose"],
}
ALGORITHMS = {
    "codec": "none",
    "cipher": "AES-128-GCM",
    "file": "X25519",
    "payload": "AES-128-GCM",
    "tls-connect": "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256",
    "record": "AES-256-GCM-base64",
}
SHAPES = {"file": None, "tls-connect": "memory", "payload": "one-shot", "record": "1-thread"}


class RowsTest(InteropTest):
    def test_the_schema_is_one_of_2020_12(self):
        self.assertEqual(SCHEMA["$schema"], Draft202012Validator.META_SCHEMA["$id"])
        Draft202012Validator.check_schema(SCHEMA)

    def test_its_version_is_that_of_the_rows(self):
        version = SCHEMA["$defs"]["header"]["properties"]["schema"]["const"]
        self.assertEqual(SCHEMA["$id"], f"urn:sealmark:lab:run:{version}")
        self.assertIn(f"version {version}", SCHEMA["description"])

    def test_every_row_of_the_fixed_files_is_valid(self):
        self.assertGreater(len(FIXED), 5)
        for path in FIXED:
            for number, row in enumerate(whole_rows(path), 1):
                self.assert_valid(row, f"{path.name} line {number}")

    def test_every_row_that_the_lab_writes_is_valid(self):
        seen, faults = set(), set()
        for job, misdeeds in MISDEEDS.items():
            rows = self.measure(job, misdeeds)
            self.assertTrue(any(row["row"] == "sample" for row in rows), f"{job}: {rows}")
            for row in rows:
                self.assert_valid(row, job)
                seen.add(row["row"])
                faults.add(row.get("kind"))
        self.assertEqual(seen, set(KINDS) - {"note", "resumed"})
        self.assertGreaterEqual(len(faults), 10, faults)

    def test_another_member_is_no_part_of_a_row(self):
        for kind, row in examples().items():
            for owner in objects_in(row):
                owner["surprise"] = 1
                self.assert_invalid(row, f"{kind} with another member")
                del owner["surprise"]
            self.assert_valid(row, kind)

    def test_what_the_lab_refuses_to_read_is_invalid(self):
        """Every member of every kind of row taken away, and given values of other types."""
        header, tried, refused = examples()["header"], 0, 0
        for kind, row in examples().items():
            for what, altered in alterations(row):
                tried += 1
                rows = [altered] if kind == "header" else [header, altered]
                if not self.lab_reads(rows):
                    refused += 1
                    self.assert_invalid(altered, f"{kind}: {what}")
        self.assertGreater(tried, 900)
        self.assertGreater(refused, tried // 2)

    def test_another_version_is_another_schema(self):
        header = examples()["header"]
        for version in [1, 3, "2", None]:
            self.assert_invalid(header | {"schema": version}, f"version {version}")

    def measure(self, job: str, misdeeds: list[str]) -> list[dict]:
        engines, results = self.path("engines.toml"), self.path(f"{job}.jsonl")
        engines.write_text("".join(engine(job, misdeed) for misdeed in misdeeds))
        plan = self.file("job.toml", plan_of(job))
        run(LAB, "measure", plan, "--engines", engines, "--out", results, "--dir", self.path("scratch"))
        return whole_rows(results)

    def lab_reads(self, rows: list[dict]) -> bool:
        path = self.file("altered.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        done = subprocess.run([LAB, "table", path], capture_output=True, timeout=300)
        self.assertIn(done.returncode, [0, 2], done.stderr)
        return done.returncode == 0

    def assert_valid(self, row: dict, what: str):
        if not ROWS.is_valid(row):
            kind = SCHEMA["$defs"].get(row.get("row"), {}) | {"$defs": SCHEMA["$defs"]}
            errors = [error.message for error in Draft202012Validator(kind).iter_errors(row)]
            self.fail(f"{what}: {errors} in {row}")

    def assert_invalid(self, row: dict, what: str):
        self.assertFalse(ROWS.is_valid(row), f"{what} is valid: {row}")


def engine(job: str, misdeed: str) -> str:
    """A scripted engine as it would stand in engines.toml; the first one is what the others are held against."""
    shape = SHAPES.get(job, "tuned")
    shapes = f'shapes = ["{shape}"]\n' if shape else ""
    role = "yardstick" if misdeed == "none" else "peer"
    return (
        f'[[engine]]\nname = "{misdeed}"\nabout = "scripted"\nrole = "{role}"\njobs = ["{job}"]\n'
        f'algorithms = ["{ALGORITHMS[job]}"]\n{shapes}'
        f'serve = ["{{lab}}", "serve", "fake", "--misdeed", "{misdeed}"]\n'
    )


def plan_of(job: str) -> str:
    size = "bytes = 1\nconnections = 2" if job == "tls-connect" else "bytes = 49"
    algorithms = f'algorithms = ["{ALGORITHMS[job]}"]\n' if job == "tls-connect" else ""
    return (
        f'name = "rows"\nabout = "a test"\nseed = 7\n[[job]]\njob = "{job}"\n{algorithms}[[job.size]]\n{size}\n'
        "blocks = 2\nbudget_seconds = 5\ntimeout_seconds = 1\nramp_ms = 5\nsample_ms = 1\n"
    )


def whole_rows(path: Path) -> list[dict]:
    """The rows of a results file, without a last line that was cut short."""
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


@cache
def fixed_rows() -> list[dict]:
    return [row for path in FIXED for row in whole_rows(path)]


def examples() -> dict[str, dict]:
    """Of each kind of row the one with the most members, those inside its members included."""
    found = {}
    for kind in KINDS:
        rows = [row for row in fixed_rows() if row["row"] == kind]
        found[kind] = copy.deepcopy(max(rows, key=lambda row: sum(len(owner) for owner in objects_in(row))))
    return found


def objects_in(row: dict) -> list[dict]:
    return [row] + [found for value in row.values() if isinstance(value, dict) for found in objects_in(value)]


def alterations(row: dict):
    """The row with one member less, or with another value for one; and what was done to it."""
    for at, owner in enumerate(objects_in(row)):
        for name in owner:
            for value in [None, "x", -1, 1.5, 1 << 64, True, [1], {}]:
                altered = copy.deepcopy(row)
                objects_in(altered)[at][name] = value
                yield f"{name} = {value!r}", altered
            altered = copy.deepcopy(row)
            del objects_in(altered)[at][name]
            yield f"without {name}", altered


if __name__ == "__main__":
    unittest.main()
