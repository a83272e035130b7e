"""One job, algorithm, shape and size in one conversation: what must come out, and what must not."""

import hashlib

from reference import AEADS, BLOCKS, OPERATIONS, first_output, splitmix

NUMBERS = [0, 1, 2**32]


class Cell:
    def __init__(self, test, engine, recipe: dict):
        self.test, self.engine, self.recipe = test, engine, recipe
        self.job, self.algorithm, self.seed = recipe["job"], recipe["algorithm"], recipe["seed"]
        self.input = splitmix(self.seed, recipe["bytes"])
        self.forth, self.back = OPERATIONS[self.job]
        self.authenticated = self.algorithm in AEADS

    def run(self):
        self.prepare()
        self.outputs()
        self.damage()
        self.bad_news()
        self.spans()
        # After all of that it still does what it did before.
        self.outputs()
        self.test.assertEqual(self.engine.end(), 0, self.engine.stderr())

    def prepare(self):
        ready = self.expect("ready", self.engine.ask("prepare", **self.recipe))
        self.test.assertEqual(ready["authenticated"], self.authenticated)
        self.test.assertTrue(ready["code"], "does not say what does the work")

    def outputs(self):
        for number in NUMBERS:
            self.checked(self.forth, number, self.input, self.sealed(number))
            self.checked(self.back, number, self.sealed(number), self.input)

    def damage(self):
        sealed = self.sealed(5)
        if self.authenticated:
            for position in (0, len(sealed) // 2, len(sealed) - 1):
                self.refused(5, sealed[:position] + bytes([sealed[position] ^ 1]) + sealed[position + 1 :])
            self.refused(6, sealed)
            self.refused(5, b"")
        if self.authenticated or self.algorithm in BLOCKS:
            # Not of nothing at all: the JCE opens nothing to nothing, padding or not.
            for length in (5, len(sealed) - 1):
                self.refused(5, sealed[:length])
        elif self.job == "codec" and self.input:
            # Four characters and not one: some decoders do without the padding.
            cut = self.check(self.back, 5, sealed[:-4])
            self.test.assertNotEqual(cut.get("sha256"), digest(self.input), "lost characters are not noticed")

    def bad_news(self):
        other = {"codec": "seal", "cipher": "encode"}[self.job]
        self.expect("unsupported", self.check(other, 1, self.input))
        self.expect("unsupported", self.engine.ask("time", operation=other, first=1, count=1))
        absent = str(self.test.directory / "absent")
        self.expect("failed", self.engine.ask("check", operation=self.forth, number=1, input=absent))

    def spans(self):
        # 37: more than any loop is unrolled by, and not a multiple of it.
        for first, count in ((6, 1), (2**32 - 2, 37 if len(self.input) < 10000 else 3)):
            self.timed(self.forth, first, count, self.sealed(first + count - 1))
            self.timed(self.back, first, count, self.input)

    def sealed(self, number: int) -> bytes:
        return first_output(self.job, self.algorithm, self.seed, number, self.input)

    def checked(self, operation: str, number: int, data: bytes, expected: bytes):
        answer = self.expect("checked", self.check(operation, number, data))
        found = (answer["bytes"], answer["sha256"])
        self.test.assertEqual(found, (len(expected), digest(expected)), f"{operation} number {number}")

    def timed(self, operation: str, first: int, count: int, expected: bytes):
        answer = self.expect("timed", self.engine.ask("time", operation=operation, first=first, count=count))
        found = (answer["count"], answer["sha256"])
        self.test.assertEqual(found, (count, digest(expected)), f"{operation} from {first}, {count} times")

    def refused(self, number: int, data: bytes):
        self.expect("refused", self.check(self.back, number, data))

    def check(self, operation: str, number: int, data: bytes) -> dict:
        file = self.test.directory / "input"
        file.write_bytes(data)
        return self.engine.ask("check", operation=operation, number=number, input=str(file))

    def expect(self, kind: str, answer: dict) -> dict:
        self.test.assertEqual(answer["answer"], kind, answer)
        return answer


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
