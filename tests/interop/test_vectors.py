"""The vectors of spec/vectors/file read by the independent openers: sound ones open, and damaged ones do not.

Neither opener checks the grammar of headers or reads armor, so vectors about those are for the library alone.
"""

import hashlib
import re
import subprocess
import unittest
import zlib

from common import ROOT, InteropTest
from cryptography.exceptions import InvalidTag
from open import open_sealed
from test_go import GoTest

VECTORS = ROOT / "spec" / "vectors" / "file"
READABLE = {"success", "no match", "HMAC failure", "payload failure"}
# pyca has no such KEM.
UNKNOWN_TO_PYTHON = "SEALMARK-SECRET-KEY-MLKEM768P256-"


class Vector:
    def __init__(self, path):
        head, _, sealed = path.read_bytes().partition(b"\n\n")
        pairs = [line.split(": ", 1) for line in head.decode().splitlines()]
        fields = dict(pairs)
        self.name, self.expect = path.name, fields["expect"]
        self.armored = "armored" in fields
        self.sealed = zlib.decompress(sealed) if "compressed" in fields else sealed
        self.payload = fields.get("payload", hashlib.sha256(b"").hexdigest())
        self.identities = [value for key, value in pairs if key == "identity"]
        self.passphrases = [value for key, value in pairs if key == "passphrase"]


def vectors() -> list[Vector]:
    found = [Vector(path) for path in sorted(VECTORS.iterdir())]
    return [vector for vector in found if vector.expect in READABLE and not vector.armored]


class VectorTest:
    """Tests of both openers, which define `keys_of` and `open_with`."""

    def test_what_is_meant_to_open(self):
        meant = [vector for vector in vectors() if vector.expect == "success" and self.keys_of(vector)]
        self.assertGreater(len(meant), 15, "hardly a vector left that should open")
        for vector in meant:
            with self.subTest(vector=vector.name):
                self.assertEqual(set(self.plaintexts(vector)), {vector.payload})

    def test_what_is_not(self):
        others = [vector for vector in vectors() if vector.expect != "success" and self.keys_of(vector)]
        self.assertGreater(len(others), 40, "hardly a vector left that should not open")
        for vector in others:
            with self.subTest(vector=vector.name):
                self.assertEqual(self.plaintexts(vector), [])

    def plaintexts(self, vector) -> list[str]:
        """Hashes of the plaintexts to which the fitting keys open the vector."""
        opened = (self.open_with(key, vector) for key in self.keys_of(vector))
        return [hashlib.sha256(plaintext).hexdigest() for plaintext in opened if plaintext is not None]


class PythonReadsVectors(VectorTest, InteropTest):
    def keys_of(self, vector):
        known = [key for key in vector.identities if not key.startswith(UNKNOWN_TO_PYTHON)]
        return known + vector.passphrases

    def open_with(self, key, vector):
        try:
            return open_sealed(vector.sealed, key)
        except (LookupError, ValueError, InvalidTag):
            return None


class GoReadsVectors(VectorTest, GoTest):
    def keys_of(self, vector):
        """Go's standard library has no ChaCha20-Poly1305, which stanzas of age need."""
        of_age = re.search(rb"\n-> age \S+ X25519 ", vector.sealed)
        return [] if of_age else vector.identities

    def open_with(self, key, vector):
        command = [self.OPENER, self.file("key", key)]
        done = subprocess.run(command, input=vector.sealed, capture_output=True, timeout=60)
        return done.stdout if done.returncode == 0 else None


if __name__ == "__main__":
    unittest.main()
