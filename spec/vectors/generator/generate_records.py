"""Writes spec/vectors/record, one rule each, with pyca/cryptography >= 50.

usage: target/venv/bin/python spec/vectors/generator/generate_records.py
"""

import hashlib
import zlib
from pathlib import Path

import directory
import record_damaged
import record_sound
from record_vector import Record

TARGET = Path(__file__).resolve().parent.parent / "record"


def main():
    vectors = [*record_sound.vectors(), *record_damaged.vectors()]
    directory.write(TARGET, vectors, text)


def text(vector: Record) -> bytes:
    """What shrinks to less than half is compressed."""
    packed = zlib.compress(vector.log, 9)
    small = 2 * len(packed) < len(vector.log)
    counts = ("opened", "orphan", "no key", "tampered", "not text", "cut off")
    lines = [f"{name}: {number}" for name in counts if (number := getattr(vector, name.replace(" ", "_")))]
    for session, known in vector.sessions:
        lines.append(f"session: {session.id} " + " ".join(f"{key}={value}" for key, value in known.items()))
    lines.append(f"output: {hashlib.sha256(vector.output).hexdigest()}")
    lines += [f"key: {key}" for key in vector.keys]
    lines += ["line breaks: raw"] if vector.raw else []
    lines += ["compressed: zlib"] if small else []
    return "\n".join(lines).encode() + b"\n\n" + (packed if small else vector.log)


if __name__ == "__main__":
    main()
