"""One way and one number of threads of job record in one conversation: what must come out, and what must not."""

import base64
import re

from cell import digest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from reference import rc4, splitmix, text

NONCE = 12
# Fewer bytes than these are in any text by chance.
TELLING = 8
# The form of a text of each algorithm. The format of a token is held to its own tests elsewhere.
TEXTS = {
    "token": rb"~s1a~value~[A-Za-z0-9_-]{16}~[A-Za-z0-9_-]+~",
    "token-bytes": rb"~s1a~value~[A-Za-z0-9_-]{16}~[A-Za-z0-9_-]+~",
    "AES-256-GCM-base64": rb"[A-Za-z0-9_-]+={0,2}",
    "AES-256-GCM-base64-bytes": rb"[A-Za-z0-9_-]+={0,2}",
    "AES-256-GCM-base64-as-written": rb"[A-Za-z0-9+/]+={0,2}",
    "RC4-base64": rb"[A-Za-z0-9+/]+={0,2}",
}


class RecordCell:
    def __init__(self, test, engine, recipe: dict):
        self.test, self.engine, self.recipe = test, engine, recipe
        self.algorithm, self.bytes, self.seed = recipe["algorithm"], recipe["bytes"], recipe["seed"]
        self.authenticated = self.algorithm != "RC4-base64"

    def run(self):
        self.prepare()
        # One value for each of 256 threads and one more, one value alone, and one that is shorter than the others.
        for length in (257 * self.bytes, self.bytes, 3 * self.bytes - 1):
            self.there_and_back(text(splitmix(self.seed + 3, length)))
        self.the_same_again()
        if self.authenticated:
            self.damage()
        self.spans()
        self.bad_news()
        # After all of that it still does what it did before.
        self.there_and_back(text(splitmix(self.seed + 4, 5 * self.bytes)))
        self.test.assertEqual(self.engine.end(), 0, self.engine.stderr())

    def prepare(self):
        ready = self.expect("ready", self.engine.ask("prepare", **self.recipe))
        self.test.assertEqual(ready["authenticated"], self.authenticated)
        self.test.assertTrue(ready["code"], "does not say what does the work")

    def there_and_back(self, values: bytes) -> list:
        """The lines of some values, which open to the same values in the same order."""
        sealed = self.done("seal", values)
        lines = sealed.splitlines(keepends=True)
        parts = [values[at : at + self.bytes] for at in range(0, len(values), self.bytes)]
        self.test.assertEqual(len(lines), len(parts), "not a line for each value")
        self.test.assertEqual(len(set(lines)), len(lines if self.authenticated else set(parts)), "a text twice")
        for line, value in zip(lines, parts):
            self.test.assertTrue(line.endswith(b"\n") and re.fullmatch(TEXTS[self.algorithm], line[:-1]), line)
            self.test.assertFalse(len(value) >= TELLING and value in body(line), "plain in base64")
            if self.algorithm == "RC4-base64":
                self.test.assertEqual(base64.b64decode(line), rc4(splitmix(self.seed + 1, 16), value))
        self.test.assertTrue(self.done("open", sealed) == values, "does not open to what was sealed")
        self.test.assertTrue(self.done("open", b"".join(reversed(lines))) == b"".join(reversed(parts)), "another order")
        return lines

    def the_same_again(self):
        """The same value is another text each time, unless nothing is promised."""
        values = text(splitmix(self.seed, self.bytes)) * 300
        lines = (self.done("seal", values) + self.done("seal", values)).splitlines()
        self.test.assertEqual(len(set(lines)), len(lines) if self.authenticated else 1, "texts of one value")

    def damage(self):
        line = self.there_and_back(text(splitmix(self.seed, 2 * self.bytes)))[0]
        for position in (0, len(line) // 2, len(line) - 9):
            self.refused(line[:position] + bytes([line[position] ^ 1]) + line[position + 1 :])
        for wrong in (line[1:], line[:-6] + b"\n", line[:-1], b"\n", b"x\n", line + b"\n"):
            self.refused(wrong)
        if self.algorithm.startswith("AES-256-GCM-base64"):
            other = bytes(NONCE) + AESGCM(bytes(32)).encrypt(bytes(NONCE), b"value", None)
            plain = self.algorithm.endswith("-as-written")
            self.refused((base64.b64encode if plain else base64.urlsafe_b64encode)(other) + b"\n")

    def spans(self):
        expected = digest(text(splitmix(self.seed, self.bytes)))
        for operation in ("seal", "open"):
            # Fewer than there are threads, and no multiple of them.
            for count in (1, 3, 1031):
                answer = self.expect("timed", self.engine.ask("time", operation=operation, first=6, count=count))
                self.test.assertEqual((answer["count"], answer["sha256"]), (count, expected), f"{operation} {count}")
                self.test.assertGreater(answer["wall_ns"], 0, "took no time")

    def bad_news(self):
        self.expect("unsupported", self.attempt("encode", b"")[0])
        self.expect("unsupported", self.engine.ask("time", operation="encode", first=1, count=1))
        absent = str(self.test.directory / "absent")
        for operation in ("seal", "open"):
            self.expect("failed", self.engine.ask("run", operation=operation, input=absent, output=absent + ".output"))

    def refused(self, lines: bytes):
        self.expect("refused", self.attempt("open", lines)[0])

    def done(self, operation: str, data: bytes) -> bytes:
        answer, made = self.attempt(operation, data)
        self.expect("done", answer)
        self.test.assertIsNotNone(made, f"{operation} is done and there is no output")
        return made

    def attempt(self, operation: str, data: bytes) -> tuple[dict, bytes | None]:
        source, output = self.test.directory / "input", self.test.directory / "output"
        source.write_bytes(data)
        output.unlink(missing_ok=True)
        answer = self.engine.ask("run", operation=operation, input=str(source), output=str(output))
        return answer, output.read_bytes() if output.exists() else None

    def expect(self, kind: str, answer: dict) -> dict:
        self.test.assertEqual(answer["answer"], kind, answer)
        return answer


def body(line: bytes) -> bytes:
    """The bytes that a text's base64 stands for."""
    digits = line.strip(b"~\n").split(b"~")[-1].translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    return base64.b64decode(digits + b"=" * (-len(digits) % 4))
