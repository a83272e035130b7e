#!/usr/bin/env python3
"""Runs one of the Java programs beside this file on each Java that `make jdks` has unpacked, or else on that of the system.

usage: lab/causes/run.py [--jdk VERSION,...] [--flag=JVM_FLAG]... PROGRAM [name=value]...
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = sorted(Path(__file__).parent.glob("*.java"))
CLASSES = ROOT / "target/causes"
# The programs find Bouncy Castle, Amazon's provider and the lab's native library here, once the lab's engines are built.
CLASS_PATH = f"{CLASSES}:{ROOT}/target/java/engine.jar:{ROOT}/target/java/lib/*"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jdk", default="", help="only these versions, as in 8,25")
    parser.add_argument("--flag", action="append", default=[], help="a flag of the JVM (repeatable)")
    parser.add_argument("program", choices=[path.stem for path in SOURCES if "void main" in path.read_text()])
    parser.add_argument("arguments", nargs="*", metavar="name=value")
    asked = parser.parse_args()
    compile_all()
    failed = False
    for version, java in javas(asked.jdk.split(",") if asked.jdk else []):
        print(f"Java {version}", flush=True)
        failed |= subprocess.run(command(java, asked.flag, asked.program, asked.arguments), cwd=ROOT).returncode != 0
    sys.exit(failed)


def compile_all() -> None:
    """Once, for Java 8 and everything after it: the unpacked runtimes have no compiler."""
    newest = max(path.stat().st_mtime for path in SOURCES)
    stamp = CLASSES / "compiled"
    if not stamp.exists() or stamp.stat().st_mtime < newest:
        if not shutil.which("javac"):
            sys.exit("error: no Java compiler\nhint: make engines")
        subprocess.run(["javac", "-Xlint:-options", "--release", "8", "-d", CLASSES, *SOURCES], check=True)
        stamp.touch()


def javas(versions: list[str]) -> list[tuple[str, Path]]:
    """The runtimes asked for, oldest first."""
    found = {path.name: path / "bin/java" for path in (ROOT / "target/jdks").glob("[0-9]*")}
    if not found:
        found = {"of the system": Path("java")}
    missing = [version for version in versions if version not in found]
    if missing:
        sys.exit(f"error: Java {', '.join(missing)} is not under target/jdks\nhint: make jdks")
    wanted = versions or sorted(found, key=lambda version: int(version) if version.isdigit() else 0)
    return [(version, found[version]) for version in wanted]


def command(java: Path, flags: list[str], program: str, arguments: list[str]) -> list:
    return [java, *flags, "-cp", CLASS_PATH, program, *arguments]


if __name__ == "__main__":
    main()
