"""Writes spec/vectors/file, one failure each, with pyca/cryptography >= 50.

usage: target/venv/bin/python spec/vectors/generator/generate.py
"""

import hashlib
import zlib
from pathlib import Path

import bounds
import directory
import headers
import nested
import payloads
import sound
import stanzas
from vector import Vector

TARGET = Path(__file__).resolve().parent.parent / "file"


def main():
    vectors = [v for module in (sound, headers, stanzas, nested, bounds, payloads) for v in module.vectors()]
    directory.write(TARGET, vectors, text)


def text(vector: Vector) -> bytes:
    """CCTV's form; what shrinks to less than half is compressed."""
    packed = zlib.compress(vector.file, 9)
    small = 2 * len(packed) < len(vector.file)
    lines = [f"expect: {vector.expect}"]
    if vector.released is not None:
        lines.append(f"payload: {hashlib.sha256(vector.released).hexdigest()}")
    lines += [f"identity: {key}" for key in vector.keys]
    lines += [f"passphrase: {words}" for words in vector.words]
    lines += [f"sender: {key}" for key in vector.senders]
    lines += ["armored: yes"] if vector.armored else []
    lines += ["compressed: zlib"] if small else []
    lines += [f"comment: {vector.comment}"] if vector.comment else []
    return "\n".join(lines).encode() + b"\n\n" + (packed if small else vector.file)


if __name__ == "__main__":
    main()
