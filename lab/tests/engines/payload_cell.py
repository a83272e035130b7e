"""One shape and algorithm of job payload in one conversation: what must come out, and what must not."""

import os
import time

from cryptography.exceptions import InvalidTag

from reference import open_payload, seal_payload, splitmix

VECTOR, TAG = 12, 16
# The machine's clock for CPU time is coarser than the one for time.
CPU_GRAIN_NS = 20_000_000


class PayloadCell:
    def __init__(self, test, engine, recipe: dict):
        self.test, self.engine, self.recipe = test, engine, recipe
        self.algorithm, self.seed = recipe["algorithm"], recipe["seed"]
        self.own_format = recipe["shape"] == "chunked"
        self.attempts = 0

    def run(self, length: int, released: int):
        """`released` is how many plain bytes are in the output when nothing but the tag is wrong."""
        plain = splitmix(self.seed, length)
        sealed = self.seals(plain)
        self.opens(sealed, plain)
        self.damage(sealed, plain, released)
        self.bad_news(plain)
        # After all of that it still does what it did before.
        self.opens(self.seals(plain), plain)

    def prepare(self):
        ready = self.expect("ready", self.engine.ask("prepare", **self.recipe))
        self.test.assertTrue(ready["authenticated"], "does not promise to notice what was altered")
        self.test.assertTrue(ready["code"], "does not say what does the work")

    def seals(self, plain: bytes) -> bytes:
        """Twice, and to something else the second time."""
        sealed, again = self.done("seal", plain), self.done("seal", plain)
        self.test.assertFalse(sealed == again, "the same sealed file twice")
        if not self.own_format:
            self.test.assertNotEqual(sealed[:VECTOR], again[:VECTOR], "the same vector twice")
            for each in (sealed, again):
                self.test.assertEqual(len(each), VECTOR + len(plain) + TAG, "the sealed file's length")
                self.test.assertTrue(self.opened_by_the_reference(each) == plain, "not what anybody else can open")
        return sealed

    def opens(self, sealed: bytes, plain: bytes):
        self.test.assertTrue(self.done("open", sealed) == plain, "does not open what it sealed")
        if not self.own_format:
            foreign = seal_payload(self.algorithm, self.seed, os.urandom(VECTOR), plain)
            self.test.assertTrue(self.done("open", foreign) == plain, "does not open what another sealed")

    def opened_by_the_reference(self, sealed: bytes) -> bytes | None:
        try:
            return open_payload(self.algorithm, self.seed, sealed)
        except InvalidTag:
            return None

    def damage(self, sealed: bytes, plain: bytes, released: int):
        for position in (0, VECTOR, len(sealed) // 2, len(sealed) - TAG, len(sealed) - 1):
            left = self.refused(sealed[:position] + bytes([sealed[position] ^ 1]) + sealed[position + 1 :])
        # The last of them was the tag's last bit: every plain byte released is a right one.
        self.test.assertEqual(len(left), released, "plain bytes released before the tag was found wrong")
        self.test.assertTrue(plain.startswith(left), "released what was never sealed")
        for length in (0, VECTOR - 1, VECTOR + TAG - 1, len(sealed) - 1):
            self.refused(sealed[:length])

    def bad_news(self, plain: bytes):
        self.expect("unsupported", self.attempt("encode", plain)[0])
        for operation in ("seal", "open"):
            absent = str(self.test.directory / "absent")
            answer = self.engine.ask("run", operation=operation, input=absent, output=absent + ".output")
            self.expect("failed", answer)

    def refused(self, data: bytes) -> bytes:
        """Returns the output after a refusal; nothing where there is none."""
        answer, left = self.attempt("open", data)
        self.expect("refused", answer)
        return left or b""

    def done(self, operation: str, data: bytes) -> bytes:
        answer, made = self.attempt(operation, data)
        self.expect("done", answer)
        self.test.assertIsNotNone(made, f"{operation} is done and there is no output")
        return made

    def attempt(self, operation: str, data: bytes) -> tuple[dict, bytes | None]:
        """The answer, and what there is in the output, of which nothing was there before."""
        self.attempts += 1
        source, output = self.test.directory / "input", self.test.directory / f"output{self.attempts}"
        source.write_bytes(data)
        begun = time.monotonic_ns()
        answer = self.engine.ask("run", operation=operation, input=str(source), output=str(output))
        self.sane(answer, time.monotonic_ns() - begun)
        self.test.assertTrue(source.read_bytes() == data, f"{operation} changed its input")
        if not output.exists():
            return answer, None
        self.test.assertTrue(output.is_file() and not output.is_symlink(), f"{operation} left no regular file")
        made = output.read_bytes()
        output.unlink()
        return answer, made

    def sane(self, answer: dict, waited_ns: int):
        if answer["answer"] == "done":
            self.test.assertGreater(answer["wall_ns"], 0, "took no time")
            self.test.assertLessEqual(answer["wall_ns"], waited_ns, "took longer than the answer")
            self.test.assertLessEqual(answer.get("cpu_ns", 0), waited_ns * os.cpu_count() + CPU_GRAIN_NS)
            self.test.assertGreater(answer.get("peak_bytes", 1), 0, "did it in no memory")

    def expect(self, kind: str, answer: dict) -> dict:
        self.test.assertEqual(answer["answer"], kind, answer)
        return answer
