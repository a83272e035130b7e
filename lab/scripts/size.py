#!/usr/bin/env python3
"""Counts the code of the lab's core: lines after rustfmt, without blank lines, comments and tests.

The core is all Rust in lab/core/src. Tests are modules under
`#[cfg(test)]`, whether in the file or in one of their own, and files that only such a module names.

usage: lab/scripts/size.py [DIRECTORY]      DIRECTORY holds src/; it is lab/core if none is named
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

TEST_MODULE = re.compile(r"#\[cfg\((?:all\()?test\b[^\n]*\]\s*(?:#\[[^\n]*\]\s*)*(?:pub(?:\([a-z]+\))? )?mod (\w+)(;| \{)")
# Strings first, so that what they hold is no comment; characters, so that a quote is no string.
TOKENS = re.compile(r'r(#*)".*?"\1|"(?:\\.|[^"\\])*"|\'(?:\\.[^\']*|[^\'\\])\'|//[^\n]*|/\*.*?\*/', re.S)


def main() -> None:
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "lab" / "core"
    counts = count(place / "src")
    for name, lines in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"{lines:7} {name}")
    print(f"{sum(counts.values()):7} in all")


def count(source: Path) -> dict[str, int]:
    """Lines by the first name below the source directory."""
    files = sorted(source.rglob("*.rs"))
    if not files:
        sys.exit(f"error: no Rust files in {source}\nhint: lab/scripts/size.py lab/core")
    tests = {test for path in files for test in files_of_tests(path)}
    counts: dict[str, int] = {}
    for path in files:
        if path not in tests and not any(test in path.parents for test in tests):
            name = path.relative_to(source).parts[0].removesuffix(".rs")
            counts[name] = counts.get(name, 0) + lines_of(formatted(path))
    return counts


def files_of_tests(path: Path) -> set[Path]:
    """The files, or directories, of the modules that are compiled for tests only."""
    is_root = path.name in ("main.rs", "lib.rs", "mod.rs")
    place = path.parent if is_root else path.with_suffix("")
    names = [name for name, end in TEST_MODULE.findall(path.read_text()) if end == ";"]
    return {found for name in names for found in (place / f"{name}.rs", place / name)}


def formatted(path: Path) -> str:
    command = ["rustfmt", "--edition", "2024", "--config-path", str(ROOT), "--emit", "stdout", "--quiet"]
    return subprocess.run(command, input=path.read_bytes(), stdout=subprocess.PIPE, check=True).stdout.decode()


def lines_of(text: str) -> int:
    without = TOKENS.sub(lambda token: "" if token[0].startswith("/") else token[0], text)
    return sum(1 for line in without_tests(without).splitlines() if line.strip())


def without_tests(text: str) -> str:
    """Without modules of tests that stand in the file: rustfmt ends each with a brace as far left as it began."""
    kept, is_test = [], False
    lines = text.splitlines()
    for at, line in enumerate(lines):
        rest = "\n".join(lines[at : at + 6])
        if not is_test and line.startswith("#[cfg(") and (found := TEST_MODULE.match(rest)):
            is_test = True
        elif is_test and (line == "}" or line.startswith(("mod ", "pub mod ", "pub(crate) mod ")) and line.endswith(";")):
            is_test = False
        elif not is_test:
            kept.append(line)
    return "\n".join(kept)


if __name__ == "__main__":
    main()
