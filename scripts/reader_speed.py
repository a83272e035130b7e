#!/usr/bin/env python3
"""Compares the reader in Java with `sealmark log open`: both open the same sealed log of 1 GB in turn, on all cores.

usage: scripts/reader_speed.py PROGRAM JAR      (fails if the reader takes more than twice as long)
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BYTES = 1_000_000_000
ROUNDS = 5
LINE = ('{{"time":"2026-11-27T01:{0:02}:{1:02}.000Z","level":"INFO","ip":"192.0.2.{2}","user":"user{3}","method":"GET",'
        '"path":"/api/v1/orders/{3}","status":200,"agent":"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"}}\n')


def main() -> int:
    program, jar = (Path(name).resolve() for name in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(folder, program, "keygen", "--mode", "psk", "-o", "key.txt")
        (folder / "plain").write_text("".join(LINE.format(n // 60 % 60, n % 60, n % 256, n) for n in range(200_000)))
        run(folder, program, "log", "seal", "--psk", "key.txt", "--json", "ip", "--json", "user", "plain", "-o", "sealed")
        part = (folder / "sealed").read_bytes()
        with (folder / "log").open("wb") as log:
            for _ in range(-(-BYTES // len(part))):
                log.write(part)
        opens = {"sealmark": [program, "log", "open"], "reader": ["java", "-jar", jar, "open"]}
        times = {name: [] for name in opens}
        for _ in range(ROUNDS):
            for name, command in opens.items():
                start = time.perf_counter()
                run(folder, *command, "--psk", "key.txt", "log")
                times[name].append(time.perf_counter() - start)
    for name, taken in times.items():
        print(f"{name}: {statistics.median(taken):.2f} s ({', '.join(f'{one:.2f}' for one in taken)})")
    ratio = statistics.median(times["sealmark"]) / statistics.median(times["reader"])
    print(f"the reader opens {ratio:.2f} times as fast as `sealmark log open`")
    return 0 if ratio >= 0.5 else 1


def run(folder: Path, *command: object) -> None:
    subprocess.run([str(word) for word in command], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
