#!/usr/bin/env python3
"""Counts the code of the Java library and its adapters: lines of the main sources, without blank lines and comments.

The sources are formatted as they are committed, with lines of at most 128 columns; a longer one counts as the lines that it
would be broken into, so that nothing is gained by writing wider.

usage: scripts/java_size.py [MODULE…]       modules of java/; those of MODULES if none is named
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULES = ["log", "log-reader", "logback", "log4j2", "tomcat", "spark"]
WIDEST = 128
# Strings first, so that what they hold is no comment; characters, so that a quote is no string.
TOKENS = re.compile(r'""".*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.[^\']*|[^\'\\])\'|//[^\n]*|/\*.*?\*/', re.S)


def main() -> None:
    counts = {module: count(ROOT / "java" / module / "src" / "main") for module in sys.argv[1:] or MODULES}
    for module, lines in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"{lines:7} {module}")
    print(f"{sum(counts.values()):7} in all")


def count(source: Path) -> int:
    files = sorted(source.rglob("*.java"))
    if not files:
        sys.exit(f"error: no Java files in {source}\nhint: scripts/java_size.py log logback")
    return sum(lines_of(path.read_text()) for path in files)


def lines_of(text: str) -> int:
    without = TOKENS.sub(lambda token: "" if token[0].startswith("/") else token[0], text)
    return sum(-(-len(line) // WIDEST) for line in without.splitlines() if line.strip())


if __name__ == "__main__":
    main()
