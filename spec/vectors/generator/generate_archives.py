"""Writes spec/vectors/archive, one failure each, with pyca/cryptography >= 50.

usage: target/venv/bin/python spec/vectors/generator/generate_archives.py
"""

from pathlib import Path

import archives
import directory
from generate import text

TARGET = Path(__file__).resolve().parent.parent / "archive"


if __name__ == "__main__":
    directory.write(TARGET, archives.vectors(), text)
