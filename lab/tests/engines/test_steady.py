"""Holds the lab's word "steady" to the log of the JVM's own compiler.

The lab knows no compiler: it calls a span steady by the times of its series alone. Here the JVM also writes down, by the clock
of proxy.py, when it compiles which method. In the window of a span that counts, from its ask to its answer, the compiler may
not begin with the last form (tier 4, C2) of a method that the operation runs, nor throw code of one away ("made not entrant":
what replaces it has just become ready, or an assumption of it was wrong). Other methods may be compiled at any time.

For that, the JVM compiles in the foreground (-Xbatch), so that counters alone say after how many operations a method is
compiled. In the background, a compiler that gets no CPU time from a busy machine is late by any time, and the lab cannot see
that slow code is going to be replaced; what it can see is that the code was faster before.
"""

import collections
import dataclasses
import json
import re
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from programs import ROOT

LAB = ROOT / "target" / "debug" / "sealmark-lab"
PROXY = Path(__file__).resolve().parent / "proxy.py"

# Two lines of JVMs: the job and the algorithm of each.
LINES = {"java.util.Base64": ("codec", "base64"), "SunJCE": ("cipher", "AES-256-GCM")}
# Methods that an operation runs, by the beginnings of their names; the loop and its fence are the engine's own.
LOOP = ("sealmark.lab.engine.Operation::", "sealmark.lab.engine.Fence::")
BASE64 = (*LOOP, "java.util.Base64", "sealmark.lab.engine.JavaBase64")
CIPHER = (*LOOP, "com.sun.crypto.provider.", "javax.crypto.", "sealmark.lab.engine.Cipher")
METHODS = {"encode": BASE64, "decode": BASE64, "seal": CIPHER, "open": CIPHER}

STANZA = """
[[engine]]
name = "{name}"
about = "watched"
role = "peer"
jobs = ["{job}"]
serve = ["{python}", "{proxy}", "--notes", "{notes}", "{{java}}", {options}
         "-Xlog:jit+compilation=debug:file={notes}/%p.log:timenanos", "-jar", "{{target}}/java/engine.jar", "{name}"]
"""

PLAN = """
name = "steady"
about = "JVMs whose compiler is watched"
seed = 20261121
"""
JOB = """
[[job]]
job = "{job}"
jdks = ["newest"]
lines = ["{name}/{algorithm}/as-written"]
[[job.size]]
bytes = {size}
blocks = 2
budget_seconds = 60
timeout_seconds = 20
ramp_ms = {ramp_ms}
"""

COMPILED = re.compile(r"\[(?P<ns>\d+)ns\] *\d+ [%sbn! ]*(?P<tier>[0-4]) +(?P<method>\S+::\S+)[^()]*\([^()]*\) *(?P<told>.*)")


@dataclasses.dataclass(frozen=True)
class Event:
    """A change that the compiler made to the code of a method, and when."""

    ns: int
    tier: int
    method: str
    told: str

    def changes_what_runs(self) -> bool:
        return self.told.startswith("made not entrant") or (self.tier == 4 and not self.told)


@dataclasses.dataclass(frozen=True)
class Span:
    """A timed span of an engine's process, what the compiler did to the operation's methods meanwhile, and the phases of its
    rows: none where the lab only waits for the process to become steady."""

    process: str
    operation: str
    window: tuple[int, int]
    events: list[Event]
    phases: set[str]

    def __str__(self):
        events = ", ".join(f"{event.method} {event.told or 'compiled'} after {(event.ns - self.window[0]) / 1e6:.3f} ms"
                           for event in self.events)
        return f"{self.process} {self.operation} of {(self.window[1] - self.window[0]) / 1e6:.3f} ms: {events}"


class Steady(unittest.TestCase):
    def setUp(self):
        for needed in (LAB, ROOT / "target" / "java" / "engine.jar"):
            if not needed.exists():
                self.fail(f"{needed} is missing; hint: cd lab && cargo build && scripts/java.sh")
        directory = tempfile.TemporaryDirectory(prefix="sealmark-steady-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.notes = self.directory / "notes"
        self.notes.mkdir()

    def test_no_code_changes_while_a_span_that_counts_is_timed(self):
        spans = spans_of(self.notes, self.measure(ramp_ms=600))
        for process in {span.process for span in spans}:
            # Both clocks are one, and the log has the methods that are looked for: warming up shows them in every process.
            seen = [span for span in spans if span.process == process and "steady" not in span.phases and span.events]
            self.assertTrue(seen, process)
        # On a busy machine an operation may have no steady span, which the lab then says; not all four of them.
        self.assertTrue({span.operation for span in spans if "steady" in span.phases})
        self.assertEqual(counted_while_compiled(spans), [])

    def test_a_lab_that_does_not_look_at_its_series_is_caught(self):
        """Passes that begin at once are unsteady: such a lab would call them steady."""
        rows = self.measure(ramp_ms=0)
        caught = [row for row in rows if row.get("phase") == "unsteady"]
        for row in caught:
            row["phase"] = "steady"
        self.assertTrue(counted_while_compiled(spans_of(self.notes, rows)), f"{len(caught)} unsteady spans")

    def test_code_that_is_slow_for_a_while_is_not_steady(self):
        """In the background, the compiler of JDK 27 replaces fast code of this line by slow code for some tenths of a second:
        1.5, 5.3 and again 1.5 µs."""
        rows = self.measure(ramp_ms=1_200, size=8_404, lines={"SunJCE": LINES["SunJCE"]}, options="")
        for operation in ("seal", "open"):
            of = [row for row in rows if row.get("operation") == operation]
            ramp = [row["wall_ns"] / row["count"] for row in of if row["row"] == "ramp"]
            fastest = min(statistics.median(ramp[at:at + 5]) for at in range(len(ramp) - 4))
            blocks = collections.defaultdict(list)
            for row in of:
                if row.get("phase") == "steady":
                    blocks[row["block"]].append(row["wall_ns"] / row["count"])
            times = {block: statistics.median(passes) for block, passes in blocks.items()}
            self.assertTrue(all(time < 2 * fastest for time in times.values()), f"{operation}: {fastest:.0f} ns, then {times}")

    def measure(self, ramp_ms: int, size: int = 49, lines: dict = LINES, options: str = '"-Xbatch",') -> list[dict]:
        engines, plan, results = (self.directory / file for file in ("engines.toml", "plan.toml", "run.jsonl"))
        lines = [{"name": name, "job": job, "algorithm": algorithm} for name, (job, algorithm) in lines.items()]
        places = {"python": sys.executable, "proxy": PROXY, "notes": self.notes, "options": options}
        engines.write_text("".join(STANZA.format(**line, **places) for line in lines))
        plan.write_text(PLAN + "".join(JOB.format(**line, ramp_ms=ramp_ms, size=size) for line in lines))
        command = [LAB, "measure", plan, "--engines", engines, "--out", results, "--dir", self.directory / "scratch"]
        done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in results.read_text().splitlines()]


def counted_while_compiled(spans: list[Span]) -> list[str]:
    return [str(span) for span in spans if "steady" in span.phases and span.events]


def spans_of(notes: Path, rows: list[dict]) -> list[Span]:
    """All timed spans of all processes. Their rows are found by operation, count and time to the nanosecond."""
    phases = collections.defaultdict(set)
    for row in rows:
        if row["row"] in ("sample", "ramp"):
            phases[of_a_row(row)].add(row.get("phase", "ramp"))
    spans = []
    for file in sorted(notes.glob("*.jsonl")):
        events = events_of(file.with_suffix(".log").read_text())
        for note in map(json.loads, file.read_text().splitlines()):
            window = note["begun_ns"], note["ended_ns"]
            meanwhile = [event for event in events if window[0] <= event.ns <= window[1]
                         and event.method.startswith(METHODS[note["operation"]]) and event.changes_what_runs()]
            spans.append(Span(file.stem, note["operation"], window, meanwhile, phases.pop(of_a_row(note), set())))
    assert not phases, f"rows without a span: {sorted(phases)[:3]}"
    return spans


def of_a_row(row: dict) -> tuple:
    return row["operation"], row["count"], row["wall_ns"]


def events_of(log: str) -> list[Event]:
    found = map(COMPILED.match, log.splitlines())
    return [Event(int(it["ns"]), int(it["tier"]), it["method"], it["told"]) for it in found if it]


if __name__ == "__main__":
    unittest.main()
