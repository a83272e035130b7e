#!/usr/bin/env python3
"""Gates real runs of one build against each other: `sealmark-lab gate` must find what became slower, and nothing else. It takes
a quarter of an hour and a machine that does nothing else, so that a person runs it and `make test` does not.

usage: lab/tests/engines/gate.py [--quiet-only] [--pairs N] [--budget TIME] [--keep DIRECTORY]
           (after `make engines`; JVM lines run on the newest JDK found)

  unchanged   six runs, each of which is gated against the one before
  loaded      five more, during which a process computes half of the time
  ours        five pairs: the second run has 5 % put into our own sealing and opening in Rust
  JVM         five pairs: the second run has 10 % put into our own sealing and opening in a JVM

Nothing is really slower there: a proxy between lab and engine (proxy.py) waits that much longer after each span, and adds it to
the time that it tells. So the change is exact, and the noise is that of the machine. Both runs of such a pair have the proxy.
"""

import argparse
import contextlib
import dataclasses
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from programs import ROOT

LAB = ROOT / "target" / "release" / "sealmark-lab"
ENGINES = ROOT / "lab" / "engines.toml"
PROXY = Path(__file__).resolve().parent / "proxy.py"
# Our own lines of job record in plan quick. The gate needs six blocks, of which a JVM's may turn out to be unsteady.
PLAN = """
name = "gate"
about = "our own sealing of log values"
seed = 20261121

[[job]]
job = "record"
jdks = ["newest"]
reference = "bare/*/1-thread"
lines = ["sealmark/token/1-thread", "sealmark-java/token/1-thread"]
[[job.size]]
bytes = 49
blocks = 8
budget_seconds = 27
timeout_seconds = 20
sample_ms = 20
ramp_ms = 600
"""
# The changes that must be found, and the limits that find them: those of the simulated machine (lab/core/src/simulate.rs).
CHANGES = {"ours": ("sealmark", 1.05, "2%"), "JVM": ("sealmark-java", 1.10, "4%")}
PASSES, NOT_SLOWER = "5%", "2%"
COMPUTES = """
import time
while True:
    end = time.monotonic() + 0.05
    while time.monotonic() < end:
        pass
    time.sleep(0.05)
"""


@dataclasses.dataclass(frozen=True)
class Run:
    """A results file, and the share of CPU time that other work took meanwhile, in percent."""

    rows: Path
    others: float


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The gate's verdict on a run, beside its baseline."""

    passed: bool
    lines: list[str]

    def slower(self) -> list[str]:
        return [line for line in self.lines if line.startswith("slower: ")]


class Wrong(Exception):
    """The fault as the user reads it, and the next step."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quiet-only", action="store_true", help="no run beside a process that computes")
    parser.add_argument("--pairs", type=int, default=5, metavar="N", help="pairs of each kind [default: 5]")
    parser.add_argument("--budget", default="27s", metavar="TIME", help="of each run [default: 27s]")
    parser.add_argument("--keep", type=Path, metavar="DIRECTORY", help="keep the results files in a new directory")
    asked = parser.parse_args()
    try:
        if not LAB.exists():
            raise Wrong(f"{LAB} is missing\nhint: make engines")
        with place(asked.keep) as directory:
            wrong = Gates(directory, asked.budget).all(asked.pairs, asked.quiet_only)
    except Wrong as told:
        sys.exit(f"error: {told}")
    print("all as expected" if not wrong else f"{wrong} pairs are not as expected")
    sys.exit(wrong > 0)


def place(keep: Path | None):
    if keep is None:
        return tempfile.TemporaryDirectory(prefix="sealmark-gate-")
    keep.mkdir(parents=True)
    return contextlib.nullcontext(keep)


class Gates:
    """Measures and gates one pair after the other, and tells each on a line of its own."""

    def __init__(self, directory: Path, budget: str):
        self.directory = Path(directory).resolve()
        self.budget = budget
        self.plan = self.directory / "plan.toml"
        self.plan.write_text(PLAN)
        self.runs = 0
        self.wrong = 0

    def all(self, pairs: int, quiet_only: bool) -> int:
        print(f"{'pair':<12}{'other work':>16}  {'expected':<10}{'':<7}the gate", flush=True)
        last = self.measure(ENGINES)
        for beside in [False] if quiet_only else [False, True]:
            with computing() if beside else contextlib.nullcontext():
                for _ in range(pairs):
                    before, last = last, self.measure(ENGINES)
                    self.judge_unchanged("loaded" if beside else "unchanged", before, last)
        for _ in range(pairs):
            before = self.measure(self.engines({}))
            for kind, (engine, factor, limit) in CHANGES.items():
                self.judge_changed(kind, engine, limit, before, self.measure(self.engines({engine: factor})))
        return self.wrong

    def judge_unchanged(self, kind: str, before: Run, after: Run):
        """It passes; and no line is called slower, not even by less."""
        verdict, sharper = (self.gate(before, after, limit) for limit in (PASSES, NOT_SLOWER))
        is_right = verdict.passed and not sharper.slower()
        self.tell(kind, before, after, sharper if sharper.slower() else verdict, "passed", is_right)

    def judge_changed(self, kind: str, engine: str, limit: str, before: Run, after: Run):
        """It fails because of this engine's lines alone."""
        verdict = self.gate(before, after, limit)
        is_right = bool(verdict.slower()) and all(f": {engine} " in line for line in verdict.slower())
        self.tell(kind, before, after, verdict, "failed", is_right)

    def tell(self, kind: str, before: Run, after: Run, verdict: Verdict, expected: str, is_right: bool):
        self.wrong += not is_right
        others = f"{before.others:.1f}, {after.others:.1f} %"
        print(f"{kind:<12}{others:>16}  {expected:<10}{'right' if is_right else 'WRONG':<7}{verdict.lines[-1]}")
        if not is_right:
            print("".join(f"    {line}\n" for line in verdict.lines[:-1]), end="")
        sys.stdout.flush()

    def engines(self, factors: dict[str, float]) -> Path:
        """The lab's own engines, those that may become slower behind the proxy."""
        text = ENGINES.read_text()
        for engine, _, _ in CHANGES.values():
            before, name, stanza = text.partition(f'name = "{engine}"\n')
            own, serve, rest = stanza.partition("serve = [")
            if not serve or "[[engine]]" in own:
                raise Wrong(f'no engine "{engine}" with a command is in {ENGINES}\nhint: name another one in {__file__}')
            proxy = f'"{sys.executable}", "{PROXY}", "--times", "{factors.get(engine, 1.0)}", '
            text = before + name + own + serve + proxy + rest
        file = self.directory / f"engines-{self.runs}.toml"
        file.write_text(text)
        return file

    def measure(self, engines: Path) -> Run:
        self.runs += 1
        rows = self.directory / f"{self.runs:02}.jsonl"
        place = ["--budget", self.budget, "--out", rows, "--dir", self.directory / "scratch"]
        command = [LAB, "measure", self.plan, "--full", "--engines", engines, *place]
        done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            raise Wrong(f"run {self.runs} did not end well: {done.stderr.strip()}\nhint: make engines")
        end = json.loads(rows.read_text().splitlines()[-1])
        return Run(rows, end["others_permille"] / 10)

    def gate(self, before: Run, after: Run, limit: str) -> Verdict:
        command = [LAB, "gate", after.rows, "--baseline", before.rows, "--max-slower", limit]
        done = subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise Wrong(f"the gate did not judge: {done.stderr.strip()}")
        lines = [line for line in done.stdout.splitlines() if not line.startswith("warning: ")]
        return Verdict(done.returncode == 0, lines)


@contextlib.contextmanager
def computing():
    """A process that computes half of the time, on whichever core it gets."""
    process = subprocess.Popen([sys.executable, "-c", COMPUTES])
    try:
        yield
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    main()
