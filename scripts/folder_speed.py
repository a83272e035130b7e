#!/usr/bin/env python3
"""Measures sealed folders beside tar, age and cp: each command in turn with those that it is compared with, in an order that
changes from round to round.

usage: scripts/folder_speed.py [--row ROW]... [--folder DIR] [--part F] [--rounds N] [--lab LAB] [--age AGE] PROGRAM

  --row     a row of the list below; all of them if none is named
  --folder  where the files are made; in the directory for temporary files if it is not named
  --part    makes only this part of the files, such as 0.01 to try the script
  --lab     the program sealmark-lab, which holds memory so that no output waits for the host of a virtual machine
  --age     the program age, which the row `small` needs

  small     100,000 files of 4 KiB into one archive, in at most the time of `tar c`, and 0.8 x that of `tar c | age`
  large     10 GiB in 10,000 files, in at most 0.6 x the time of `cp -r` (30 GiB of disk)
  one       one file out of an archive of 10 GiB in 100,000 files, in 20 ms and 2 MB read (21 GiB of disk)
  list      the 100,000 names of the first archive, in 50 ms
  memory    64 MB for sealing, verifying, listing and extracting these files (Linux counts at least this script's, 20 MB)

Fails if a bound is missed. The files of `large` and `one` are more than Linux keeps in memory before it makes programs wait for
the disk (vm.dirty_ratio), so these rows measure the disk, too, unless the folder is on tmpfs.
"""

import argparse
import contextlib
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS = ("small", "large", "one", "list", "memory")
FILES_IN_A_DIRECTORY = 1_000
# More than the outputs of most rows take.
HELD_MIB = 6 << 10


class Workspace:
    """A folder with keys, files and archives, and the programs to run there."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.folder, self.options = folder, options
        self.program = str(Path(options.program).resolve())
        (self.folder / "to.txt").write_text(self.key("key.txt", "hybrid"))
        self.age_to = self.key("age.txt", "ecc").strip() if options.age else ""

    def key(self, file: str, mode: str) -> str:
        """Makes a key pair, and returns its public key."""
        for arguments in (["--mode", mode, "-o", file], ["-y", file]):
            command = [self.program, "keygen", *arguments]
            made = subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True)
        return made.stdout

    def run(self, *command: str) -> "Run":
        """Runs a command to its end; it must succeed."""
        with open(os.devnull, "r+b") as null:
            start = time.perf_counter()
            child = subprocess.Popen(command, cwd=self.folder, stdin=null, stdout=null)
            # The counters of a process are there until somebody waits for it.
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
            seconds = time.perf_counter() - start
        counters = dict(line.split(": ") for line in Path(f"/proc/{child.pid}/io").read_text().splitlines())
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"error: {' '.join(command)} ended with exit code {child.returncode}")
        return Run(seconds, int(counters["rchar"]), usage.ru_maxrss * 1024)

    def make(self, name: str, files: int, size: int) -> None:
        """Files of random bytes, which no file system compresses."""
        if (self.folder / name).exists():
            return
        files = max(round(files * self.options.part), 1)
        for number in range(files):
            directory = self.folder / name / f"{number // FILES_IN_A_DIRECTORY:04}"
            if number % FILES_IN_A_DIRECTORY == 0:
                directory.mkdir(parents=True)
            (directory / f"{number:06}").write_bytes(random.randbytes(size))

    def seal(self, name: str) -> tuple[str, ...]:
        return (self.program, "seal", "-R", "to.txt", "-o", "out/sealed", name)

    def archive(self, name: str) -> str:
        """The sealed folder, made once."""
        sealed = f"{name}.tar.sealed"
        if not (self.folder / sealed).exists():
            self.run(self.program, "seal", "-R", "to.txt", name)
        return sealed

    def rounds(self, commands: dict[str, tuple[str, ...]]) -> dict[str, list["Run"]]:
        """Runs each command in each round, with an empty directory for its output; the first round only warms up."""
        runs: dict[str, list[Run]] = {name: [] for name in commands}
        out = self.folder / "out"
        for number in range(self.options.rounds + 1):
            for name in random.sample(list(commands), len(commands)):
                shutil.rmtree(out, ignore_errors=True)
                out.mkdir()
                run = self.run(*commands[name])
                if number > 0:
                    runs[name].append(run)
        shutil.rmtree(out, ignore_errors=True)
        return runs


class Run:
    """A command that ended: its time, the bytes that it read, and the memory that it held at most."""

    def __init__(self, seconds: float, read: int, memory: int) -> None:
        self.seconds, self.read, self.memory = seconds, read, memory


class Report:
    """Prints figures with their bounds, and counts those that are missed."""

    def __init__(self) -> None:
        self.missed = 0

    def bound(self, what: str, figure: float, most: float, unit: str) -> None:
        is_met = figure <= most
        self.missed += not is_met
        print(f"  {what}: {figure:.3g} {unit} (at most {most:g}): {'met' if is_met else 'MISSED'}", flush=True)

    def times(self, runs: dict[str, list[Run]]) -> None:
        for name, each in runs.items():
            seconds = sorted(run.seconds for run in each)
            print(f"  {name}: median {statistics.median(seconds):.4g} s, {seconds[0]:.4g} to {seconds[-1]:.4g}", flush=True)


def ratio(ours: list[Run], theirs: list[Run]) -> float:
    """The median of the ratios within a round, because noise between rounds is unknown."""
    return statistics.median(our.seconds / their.seconds for our, their in zip(ours, theirs))


def small(workspace: Workspace, report: Report) -> None:
    workspace.make("small", 100_000, 4096)
    commands = {"seal": workspace.seal("small"), "tar": ("tar", "-cf", "out/tar", "small")}
    if workspace.age_to:
        commands["tar | age"] = ("sh", "-c", f"tar -c small | '{workspace.options.age}' -r {workspace.age_to} >out/age")
    runs = workspace.rounds(commands)
    report.times(runs)
    report.bound("seal over tar", ratio(runs["seal"], runs["tar"]), 1.0, "x")
    if workspace.age_to:
        report.bound("seal over tar | age", ratio(runs["seal"], runs["tar | age"]), 0.8, "x")


def large(workspace: Workspace, report: Report) -> None:
    workspace.make("large", 10_000, 1 << 20)
    runs = workspace.rounds({"seal": workspace.seal("large"), "cp": ("cp", "-r", "large", "out/copy")})
    shutil.rmtree(workspace.folder / "large")
    report.times(runs)
    report.bound("seal over cp -r", ratio(runs["seal"], runs["cp"]), 0.6, "x")


def one(workspace: Workspace, report: Report) -> None:
    # One file of 4 KiB among others, which make 10 GiB.
    workspace.make("one", 100_000, (10 << 30) // 100_000)
    (workspace.folder / "one" / "0000" / "wanted").write_bytes(random.randbytes(4096))
    sealed = workspace.archive("one")
    shutil.rmtree(workspace.folder / "one")
    open_one = (workspace.program, "open", "-i", "key.txt", "--into", "out/new", "--only", "one/0000/wanted", sealed)
    runs = workspace.rounds({"open --only": open_one})
    (workspace.folder / sealed).unlink()
    report.times(runs)
    report.bound("time", statistics.median(run.seconds for run in runs["open --only"]) * 1000, 20, "ms")
    report.bound("read", max(run.read for run in runs["open --only"]) / 1e6, 2, "MB")


def names(workspace: Workspace, report: Report) -> None:
    workspace.make("small", 100_000, 4096)
    runs = workspace.rounds({"list": (workspace.program, "list", "-i", "key.txt", workspace.archive("small"))})
    report.times(runs)
    report.bound("time", statistics.median(run.seconds for run in runs["list"]) * 1000, 50, "ms")


def memory(workspace: Workspace, report: Report) -> None:
    workspace.make("small", 100_000, 4096)
    sealed = workspace.archive("small")
    with_key = ("-i", "key.txt")
    runs = workspace.rounds({
        "seal": workspace.seal("small"),
        "verify": (workspace.program, "verify", *with_key, sealed),
        "list": (workspace.program, "list", *with_key, sealed),
        "open --into": (workspace.program, "open", *with_key, "--into", "out/new", sealed),
    })
    report.times(runs)
    for name, each in runs.items():
        report.bound(f"memory of {name}", max(run.memory for run in each) / 1e6, 64, "MB")


@contextlib.contextmanager
def held_memory(lab: str | None):
    """Lays out memory that the host backs, if there is a lab."""
    if lab is None:
        yield
        return
    holder = subprocess.Popen([lab, "hold-memory", str(HELD_MIB)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    holder.stdout.readline()
    try:
        yield
    finally:
        holder.communicate()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--row", action="append", choices=ROWS)
    parser.add_argument("--folder")
    parser.add_argument("--part", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--lab")
    parser.add_argument("--age")
    options = parser.parse_args()
    report = Report()
    measures = {"small": small, "large": large, "one": one, "list": names, "memory": memory}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder, held_memory(options.lab):
        workspace = Workspace(Path(folder), options)
        for row in options.row or ROWS:
            print(f"{row}:", flush=True)
            measures[row](workspace, report)
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
