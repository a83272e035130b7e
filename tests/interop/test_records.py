"""Sealed logs opened by examples/read_tokens.py: the vectors of spec/vectors/record, and logs that we seal.

The reader was written from spec/record.md and spec/file.md alone: if it disagrees, one of the three is wrong.
"""

import base64
import hashlib
import json
import sys
import unittest
import zlib

from common import ROOT, SEALMARK, InteropTest, run

sys.path.insert(0, str(ROOT / "examples"))
from read_tokens import Reader  # noqa: E402

READER = ROOT / "examples" / "read_tokens.py"
VECTORS = ROOT / "spec" / "vectors" / "record"
# An example has to be short: it takes only these types of keys, and vectors with keys of another type are left out.
KEMS = ["mlkem768x25519", "x25519"]
BEGINNINGS = ("AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1", "SEALMARK-SECRET-KEY-PSK-1")
LEFT_OUT = {f"{kem}_opens" for kem in ("mlkem1024", "mlkem1024p384", "mlkem768", "mlkem768p256", "p256")}


class Vector:
    def __init__(self, path):
        head, _, log = path.read_bytes().partition(b"\n\n")
        self.pairs = [line.split(": ", 1) for line in head.decode().splitlines()]
        self.name, fields = path.name, dict(self.pairs)
        self.log = zlib.decompress(log) if "compressed" in fields else log
        self.raw = fields.get("line breaks") == "raw"
        self.output, self.keys = fields["output"], self.all("key")
        names = ("opened", "orphan", "no key", "tampered", "not text", "cut off")
        self.counts = {name: int(fields[name]) for name in names if name in fields}

    def all(self, key: str) -> list[str]:
        return [value for name, value in self.pairs if name == key]


def vectors() -> list[Vector]:
    return [Vector(path) for path in sorted(VECTORS.iterdir())]


class TheReaderOnVectors(InteropTest):
    def test_the_reader_is_shorter_than_400_lines(self):
        self.assertLess(len(READER.read_text().splitlines()), 400)

    def test_every_vector_whose_keys_are_of_its_types(self):
        left_out = {vector.name for vector in vectors() if not all(key.startswith(BEGINNINGS) for key in vector.keys)}
        self.assertEqual(left_out, LEFT_OUT)
        found = [vector for vector in vectors() if vector.name not in left_out]
        self.assertGreater(len(found), 250, "vectors are missing")
        for vector in found:
            with self.subTest(vector=vector.name):
                self.assert_reads(vector)

    def assert_reads(self, vector):
        reader = Reader(vector.keys, vector.raw)
        opened = b"".join(map(reader.open_line, vector.log.splitlines(keepends=True)))
        self.assertEqual(dict(reader.counts), vector.counts)
        self.assertEqual(hashlib.sha256(opened).hexdigest(), vector.output)
        for session in vector.all("session"):
            self.assert_counts(reader, *session.split(" "))

    def assert_counts(self, reader, session: str, *known: str):
        """The reader counts values and knows the closing token's count, and leaves it to others to name the missing ones."""
        known, session = dict(word.split("=") for word in known), session.encode()
        self.assertIsNotNone(reader.ciphers.get(session))
        if "values" in known:
            self.assertEqual(len(reader.met[session]), int(known["values"]))
        if "ordered" in known:
            header = reader.headers[session]
            facts = {"ordered": "yes" if header.ordered else "no"}
            for name in ("count", "began"):
                facts[name] = "none" if getattr(header, name) is None else str(getattr(header, name))
            facts["previous"] = base64.urlsafe_b64encode(header.previous).decode() if header.previous else "none"
            self.assertEqual(facts, {name: known[name] for name in facts})
        if "closing" in known:
            self.assertEqual(reader.sealed[session], int(known["closing"]))


class TheReaderOnOurLogs(InteropTest):
    def test_json_lines_of_every_key(self):
        """The log opens to the original, whatever its strings contain."""
        plain = b"".join(json_lines())
        for kem in KEMS:
            with self.subTest(kem=kem):
                secret, recipient = self.key(kem)
                sealed = self.sealed(plain, "-R", recipient, *FIELDS)
                self.assert_opens(sealed, [secret], plain)

    def test_a_pre_shared_key(self):
        key = self.path("psk.key")
        run(SEALMARK, "keygen", "--mode", "psk", "-o", key)
        plain = b"".join(access_lines())
        self.assert_opens(self.sealed(plain, "--psk", key, "--regex", REQUEST), [key], plain)

    def test_each_of_several_recipients(self):
        """One recipient is of a type of which the reader knows only the length."""
        keys, (_, unknown) = [self.key(kem) for kem in KEMS], self.key("mlkem1024p384")
        recipients = [word for recipient in [unknown, *dict(keys).values()] for word in ("-R", recipient)]
        plain = b"".join(access_lines())
        sealed = self.sealed(plain, *recipients, "--allow-mixed", "--regex", REQUEST)
        for secret, _ in keys:
            with self.subTest(key=secret.name):
                self.assert_opens(sealed, [secret], plain)

    def test_what_does_not_open_stays_and_is_told(self):
        (secret, recipient), (other, _) = self.key("mlkem768x25519"), self.key("x25519")
        sealed = self.sealed(b"from 10.0.0.1\n", "-R", recipient, "--regex", "from (.*)")
        header, token, closing = sealed.splitlines(keepends=True)[:-2], *sealed.splitlines(keepends=True)[-2:]
        self.assertEqual(self.read(sealed, [other], expect=3).stdout, token)
        self.assertEqual(self.read(token, [secret], expect=3).stdout, token)
        altered = token[:-9] + (b"B" if token[-9:-8] == b"A" else b"A") + token[-8:]
        self.assertEqual(self.read(b"".join(header) + altered, [secret], expect=4).stdout, altered)
        self.assertIn(b" 1 of 1\n", self.read(sealed, [other, secret]).stderr)
        self.assertIn(b" 0 of 1\n", self.read(b"".join(header) + closing, [secret]).stderr)

    def sealed(self, plain: bytes, *options) -> bytes:
        return run(SEALMARK, "log", "seal", *options, input=plain).stdout

    def assert_opens(self, sealed: bytes, keys, plain: bytes):
        self.assertGreater(sealed.count(b"~s1a~"), len(plain.splitlines()) // 2)
        self.assert_same(self.read(sealed, keys).stdout, plain, "opened by the reader")
        words = [word for key in keys for word in ("-i" if key.name != "psk.key" else "--psk", key)]
        self.assert_same(run(SEALMARK, "log", "open", *words, input=sealed).stdout, plain, "opened by ourselves")

    def read(self, sealed: bytes, keys, expect=0):
        return run(sys.executable, READER, *keys, input=sealed, expect=expect)


FIELDS = [word for path in ("time", "user.email", "q") for word in ("--json", path)]
# Everything between the method and the protocol.
REQUEST = '"[A-Z]+ (?<target>.*) HTTP/'


def json_lines():
    """Strings with characters of every width, values that are not strings, and strings as few would write them."""
    texts = ["", "a@b.example", 'a "quoted" \\ name', "tab\tfeed\n", "żółć €", "😀", "~s1a~~", "x" * 9000]
    for number, text in enumerate(texts):
        line = {"time": number, "user": {"email": text}, "path": "/login", "q": text[::-1]}
        yield json.dumps(line, ensure_ascii=False).encode() + b"\n"
    for text in ("0.10", "-1e999", "null", "true", r'"caf\u00e9"', r'"a\/b\u000A"', '{"x": [1, {}]}', '[ "a",2 ]'):
        yield b'{"time":%b, "q" : %b,"r":1}\n' % (text.encode(), text.encode())


def access_lines():
    targets = [b"/", b"/?q=a%20b&c=d", b'/?"quoted"', bytes(range(128, 256)), b"/" + b"x" * 9000]
    for number, target in enumerate(targets):
        yield b'127.0.0.1 - - [21/Nov/2026:21:00:0%d +0000] "GET %b HTTP/1.1" 200 5\n' % (number, target)


if __name__ == "__main__":
    unittest.main()
