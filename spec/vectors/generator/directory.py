"""Writes a directory of vectors anew: one file a rule, named as a sentence."""

import shutil
from pathlib import Path


def write(target: Path, vectors: list, text):
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    names = [vector.name for vector in vectors]
    assert len(set(names)) == len(names), "two vectors of one name"
    for vector in vectors:
        (target / vector.name).write_bytes(text(vector))
    print(f"{len(vectors)} vectors, {sum(f.stat().st_size for f in target.iterdir())} bytes")
