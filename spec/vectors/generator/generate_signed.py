"""Writes spec/vectors/signed, one failure each, with pyca/cryptography >= 50 and blake3.

usage: target/venv/bin/python spec/vectors/generator/generate_signed.py
"""

from pathlib import Path

import directory
import signed
from generate import text

TARGET = Path(__file__).resolve().parent.parent / "signed"


if __name__ == "__main__":
    directory.write(TARGET, signed.vectors(), text)
