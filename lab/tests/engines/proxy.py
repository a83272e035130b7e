#!/usr/bin/env python3
"""Stands between the lab and an engine (lab/spec/engine.md), and hands on each ask and each answer.

--notes DIRECTORY   writes a line of JSON for each timed span to DIRECTORY/PID.jsonl, PID being the engine's process: the span,
                    and the times of its ask and its answer by CLOCK_MONOTONIC, the clock of a JVM's -Xlog with `timenanos`
--times FACTOR      makes an engine slower: each timed span takes, and is told to take, FACTOR × its time
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

OF_A_SPAN = ("operation", "count", "wall_ns")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=Path)
    parser.add_argument("--times", type=float, default=1.0)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    engine = subprocess.Popen(asked.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    notes = open(asked.notes / f"{engine.pid}.jsonl", "w") if asked.notes else None
    for ask in sys.stdin.buffer:
        begun = time.monotonic_ns()
        engine.stdin.write(ask)
        engine.stdin.flush()
        answer = engine.stdout.readline()
        ended = time.monotonic_ns()
        if not answer:
            break
        told = json.loads(answer)
        if told["answer"] == "timed":
            if asked.times != 1.0:
                # The lab refuses a span that is longer than it waited for it.
                more_ns = round(told["wall_ns"] * (asked.times - 1.0))
                time.sleep(more_ns / 1e9)
                told["wall_ns"] += more_ns
                answer = json.dumps(told).encode() + b"\n"
            if notes:
                span = json.loads(ask) | told
                # The lab ends its engines without a word: no line may wait.
                print(json.dumps({key: span[key] for key in OF_A_SPAN} | {"begun_ns": begun, "ended_ns": ended}),
                      file=notes, flush=True)
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    engine.stdin.close()
    return engine.wait()


if __name__ == "__main__":
    sys.exit(main())
