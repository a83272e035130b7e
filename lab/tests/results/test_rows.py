"""Holds lab/spec/run.schema.json to what the lab writes and reads, by another's validator."""

import copy
import gzip
import json
import re
import unittest
from base64 import b64decode
from functools import cache
from pathlib import Path

from common import FIXED, LAB, ROOT, LabTest, run
from jsonschema import Draft202012Validator

SCHEMA = json.loads((ROOT / "lab" / "spec" / "run.schema.json").read_text())
FILES = sorted(FIXED.rglob("*.jsonl"))
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
PARAMETERS = {
    "codec": ("reuse", "tuned"), "cipher": ("reuse", "tuned"), "tls-connect": ("transport", "memory"),
    "payload": ("mode", "one-shot"), "record": ("threads", "1-thread"),
}

COUNTS = [1, (1 << 64) - 1], [0]
PERMILLES = [0, 1000, None], [1001]
TIMES = ["2026-11-21T10:00:00Z", "2028-02-29T23:59:59Z"], [
    "", "yesterday", "2026-11-21", "2026-11-21 10:00:00Z", "2026-11-21T10:00:00", "2026-11-21T10:00:00+01:00",
    "2026-13-21T10:00:00Z", "2026-11-32T10:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T10:60:00Z", "1-1-1T1:1:1Z",
    "x2026-11-21T10:00:00Z",
]
DIGESTS = ["", "0123456789abcdef" * 4], ["0", "x" * 64, "A" * 64, "0" * 65]

# Where a value stands, some within its bounds, and some beyond them.
BOUNDS = [
    (("header", "started"), *TIMES),
    (("header", "plan_sha256"), *DIGESTS),
    (("header", "machine", "cores"), *COUNTS),
    (("checked", "sha256"), *DIGESTS),
    (("ramp", "count"), *COUNTS),
    (("sample", "count"), *COUNTS),
    (("sample", "wall_ns"), *COUNTS),
    (("block", "stolen_permille"), *PERMILLES),
    (("block", "others_permille"), *PERMILLES),
    (("end", "stolen_permille"), *PERMILLES),
    (("end", "others_permille"), *PERMILLES),
]


class RowsTest(LabTest):
    def test_the_schema_is_one_of_2020_12(self):
        self.assertEqual(SCHEMA["$schema"], Draft202012Validator.META_SCHEMA["$id"])
        Draft202012Validator.check_schema(SCHEMA)

    def test_its_version_is_that_of_the_rows(self):
        version = SCHEMA["$defs"]["header"]["properties"]["schema"]["const"]
        self.assertEqual(SCHEMA["$id"], f"urn:sealmark:lab:run:{version}")
        self.assertIn(f"version {version}", SCHEMA["description"])

    def test_every_row_of_the_fixed_files_is_valid(self):
        self.assertGreater(len(FILES), 5)
        for path in FILES:
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
        # Older labs wrote the last one.
        self.assertEqual(seen, set(KINDS) - {"note", "finished"})
        self.assertGreaterEqual(len(faults), 10, faults)

    def test_another_member_is_no_part_of_a_row(self):
        for kind, row in examples().items():
            for owner in objects_in(row):
                owner["surprise"] = 1
                self.assert_invalid(row, f"{kind} with another member")
                del owner["surprise"]
            self.assertTrue(ROWS.is_valid(row), kind)

    def test_what_the_lab_refuses_to_read_is_invalid(self):
        """Every member of every kind of row taken away, and given values of other types: what is still valid is read."""
        header, tried, valid = examples()["header"], 0, []
        for kind, row in examples().items():
            altered = list(alterations(row))
            left = [row for row in altered if ROWS.is_valid(row)]
            tried += len(altered)
            valid += left
            if kind == "header":
                for row in left:
                    self.assert_read([row])
            else:
                self.assert_read([header, *left])
        self.assertGreater(tried, 900)
        self.assertGreater(tried, 3 * len(valid))

    def test_values_beyond_their_bounds_are_invalid(self):
        for (kind, *owners, name), inside, outside in BOUNDS:
            row = examples()[kind]
            owner = row
            for member in owners:
                owner = owner[member]
            for value in inside:
                owner[name] = value
                self.assert_valid(row, f"{kind} with {name} {value!r}")
            for value in outside:
                owner[name] = value
                self.assert_invalid(row, f"{kind} with {name} {value!r}")

    def test_another_version_is_another_schema(self):
        header = examples()["header"]
        for version in [1, 2, 4, "3", None]:
            self.assert_invalid(header | {"schema": version}, f"version {version}")

    def test_a_page_gives_back_the_rows_of_its_file(self):
        """By what spec/run.md says of the rows in a page."""
        for path in FILES:
            page = self.path("page.html")
            run(LAB, "report", path, "-o", page)
            embedded = re.search(r'<script type="application/gzip" id="rows">(.*?)</script>', page.read_text())
            found = [json.loads(line) for line in gzip.decompress(b64decode(embedded[1])).splitlines()]
            for row in found:
                self.assert_valid(row, path.name)
            kept = [known(row) for row in whole_rows(path) if row["row"] != "ramp"]
            self.assertEqual([known(row) for row in found], kept, path.name)

    def measure(self, job: str, misdeeds: list[str]) -> list[dict]:
        engines, results = self.path("engines.toml"), self.path(f"{job}.jsonl")
        engines.write_text("".join(engine(job, misdeed) for misdeed in misdeeds))
        plan = self.file("job.toml", plan_of(job))
        run(LAB, "measure", plan, "--engines", engines, "--out", results, "--dir", self.path("scratch"))
        return whole_rows(results)

    def assert_read(self, rows: list[dict]):
        path = self.file("altered.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        run(LAB, "table", path)

    def assert_valid(self, row: dict, what: str):
        errors = [error.message for error in of_kind(row["row"]).iter_errors(row)]
        self.assertEqual(errors, [], f"{what}: {row}")

    def assert_invalid(self, row: dict, what: str):
        self.assertFalse(ROWS.is_valid(row), f"{what} is valid: {row}")


@cache
def of_kind(kind: str) -> Draft202012Validator:
    """The part of the schema that is about rows of one kind: all of it tries each kind in turn."""
    return Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]})


def engine(job: str, misdeed: str) -> str:
    """A scripted engine as it would stand in engines.toml; the first one is what the others are held against."""
    parameters = "parameters.{} = [\"{}\"]\n".format(*PARAMETERS[job]) if job in PARAMETERS else ""
    role = "yardstick" if misdeed == "none" else "peer"
    return (
        f'[[engine]]\nname = "{misdeed}"\nabout = "scripted"\nrole = "{role}"\njobs = ["{job}"]\n'
        f'algorithms = ["{ALGORITHMS[job]}"]\n{parameters}'
        f'serve = ["{{lab}}-fake", "--misdeed", "{misdeed}"]\n'
    )


def plan_of(job: str) -> str:
    size = "concurrency = 1\nconnections = 2" if job == "tls-connect" else "bytes = 49"
    algorithms = f'algorithms = ["{ALGORITHMS[job]}"]\n' if job == "tls-connect" else ""
    return (
        f'name = "rows"\nabout = "a test"\nseed = 7\n[[job]]\njob = "{job}"\n{algorithms}[[job.size]]\n{size}\n'
        "blocks = 2\nbudget_seconds = 7\ntimeout_seconds = 1\nramp_ms = 5\nsample_ms = 1\n"
    )


def whole_rows(path: Path) -> list[dict]:
    """The rows of a results file, without a last line that was cut short."""
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


def known(row):
    """Without what says as much as its absence."""
    if not isinstance(row, dict):
        return row
    return {name: known(value) for name, value in row.items() if value not in (None, "", [])}


@cache
def fixed_rows() -> list[dict]:
    return [row for path in FILES for row in whole_rows(path)]


def examples() -> dict[str, dict]:
    """The row of each kind with the most members, those inside its members included."""
    found = {}
    for kind in KINDS:
        rows = [row for row in fixed_rows() if row["row"] == kind]
        found[kind] = copy.deepcopy(max(rows, key=lambda row: sum(len(owner) for owner in objects_in(row))))
    return found


def objects_in(row: dict) -> list[dict]:
    return [row] + [found for value in row.values() if isinstance(value, dict) for found in objects_in(value)]


def alterations(row: dict):
    """The row with one member less, or with another value for one."""
    for at, owner in enumerate(objects_in(row)):
        for name in owner:
            for value in [None, "x", -1, 1.5, 1 << 64, True, [1], {}]:
                altered = copy.deepcopy(row)
                objects_in(altered)[at][name] = value
                yield altered
            altered = copy.deepcopy(row)
            del objects_in(altered)[at][name]
            yield altered


if __name__ == "__main__":
    unittest.main()
