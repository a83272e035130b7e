"""One line of TLS in one job and shape, in one conversation: what every span must be."""

import functools
import hashlib
import os
import time
from pathlib import Path

import tls_credentials
import tls_traces
from reference import splitmix

SEED = 7
TRANSFERRED = 100_001
# The machine's clock for CPU time is coarser than the one for time.
CPU_GRAIN_NS = 20_000_000
# Handshakes of either kind with the byte and its echo: the smallest are resumed ones without a new ticket, the largest
# have chains of keys and post-quantum shares.
HANDSHAKE_BYTES = range(200, 20_000)
# A connection that waits for acknowledgements takes 40 ms and more, so there are few of them.
COUNTS = {"memory": 20, "nodelay": 20, "default-sockets": 3}
MOST_EACH = 1000


class TlsCell:
    def __init__(self, test, engine, directory: Path, job: str, algorithm: str, shape: str, **more):
        self.test, self.engine, self.directory = test, engine, directory
        self.job, self.algorithm, self.shape = job, algorithm, shape
        size = {"bytes": TRANSFERRED} if job == "tls-transfer" else {"concurrency": 1}
        self.recipe = {"job": job, "algorithm": algorithm, "shape": shape, "seed": SEED,
                       "directory": str(directory)} | size | more
        self.concurrency = self.recipe.get("concurrency", 1)

    def prepare(self, **more) -> str:
        """`ready` or `unsupported`; anything else is an error."""
        asked = self.recipe | more
        tls_credentials.place(asked["algorithm"], self.directory)
        answer = self.engine.ask("prepare", **asked)
        self.test.assertIn(answer["answer"], ("ready", "unsupported"), answer)
        if answer["answer"] == "ready":
            self.test.assertEqual(answer["authenticated"], self.algorithm != "none", answer)
            self.test.assertTrue(answer["code"], "does not say what does the work")
        return answer["answer"]

    def distrusts(self, credentials: str):
        """No client connects to a server with these; whoever looks at them in `prepare` may say so there."""
        tls_credentials.place(self.algorithm, self.directory, credentials)
        answer = self.engine.ask("prepare", **self.recipe)
        if answer["answer"] == "ready":
            answer = self.engine.ask("time", operation=self.first_operation, first=0, count=2)
        self.test.assertEqual(answer["answer"], "failed", f"a certificate {credentials}: {answer}")

    @property
    def first_operation(self) -> str:
        return "upload" if self.job == "tls-transfer" else "full"

    def run(self, operations: list):
        """Both operations, twice, for the second span has what the first left; then what nobody should do."""
        for operation in operations * 2:
            count = 2 if self.job == "tls-transfer" else COUNTS[self.shape]
            self.span(operation, first=250, count=count)
        for operation in {"seal", "loop", "upload", "download", "full", "resumed"} - {*operations}:
            self.test.assertEqual(self.engine.ask("time", operation=operation, first=0, count=1)["answer"], "unsupported")
        self.span(operations[0], first=255, count=1)

    def span(self, operation: str, first: int, count: int) -> dict:
        before = tls_traces.accepted(), tls_traces.carried()
        begun = time.monotonic_ns()
        answer = self.engine.ask("time", operation=operation, first=first, count=count)
        waited = time.monotonic_ns() - begun
        self.test.assertEqual(answer["answer"], "connected", answer)
        self.is_what_was_asked_for(answer, operation, first, count)
        self.took(answer, count, waited)
        self.went_over_the_wire(answer, count, *before)
        return answer

    def is_what_was_asked_for(self, answer: dict, operation: str, first: int, count: int):
        output = splitmixed(TRANSFERRED) if self.job == "tls-transfer" else bytes([(first + count - 1) % 256])
        expected = {"count": count, "bytes": len(output), "sha256": hashlib.sha256(output).hexdigest()}
        expected |= dict(zip(("protocol", "suite", "group"), (self.algorithm.split(" ") * 3)[:3]))
        handshakes = 1 if self.job == "tls-transfer" else count
        expected |= {"full": 0, "resumed": handshakes} if operation == "resumed" else {"full": handshakes, "resumed": 0}
        wrong = " ".join(key for key in expected if answer[key] != expected[key])
        self.test.assertFalse(wrong, f"wrong: {wrong}\n{answer}\n{expected}")

    def took(self, answer: dict, count: int, waited: int):
        self.test.assertTrue(0 < answer["wall_ns"] <= waited, f"{answer['wall_ns']} ns in an answer after {waited}")
        most = waited * os.cpu_count() + CPU_GRAIN_NS
        self.test.assertLessEqual(answer.get("cpu_ns", 0), most, "worked for longer than there are processors")
        both = answer.get("client_cpu_ns", 0) + answer.get("server_cpu_ns", 0)
        self.test.assertLessEqual(both, most, "the ends worked for longer than there are processors")
        if self.job == "tls-connect" and self.shape != "memory" and self.concurrency == 1:
            self.each(answer, count)

    def each(self, answer: dict, count: int):
        self.test.assertRegex(answer.get("each_ns", ""), r"\A[0-9]+( [0-9]+)*\Z", "not numbers with spaces between")
        each = [int(took) for took in answer["each_ns"].split(" ")]
        self.test.assertEqual(len(each), min(count, MOST_EACH), "not every connection's time")
        self.test.assertTrue(min(each) > 0 and sum(each) <= answer["wall_ns"], f"{answer['wall_ns']} ns are not {each}")

    def went_over_the_wire(self, answer: dict, count: int, accepted_before: int, carried_before: int):
        if self.shape == "memory":
            self.test.assertIn("wire_bytes", answer, "does not say what went over the wire")
        elif self.job == "tls-connect":
            self.test.assertGreaterEqual(tls_traces.accepted() - accepted_before, count, "connections of this system")
        else:
            carried = tls_traces.carried() - carried_before
            self.test.assertGreater(carried, count * TRANSFERRED, "bytes over the loopback device")
        if "wire_bytes" in answer:
            self.plausible(answer["wire_bytes"], count)

    def plausible(self, wire: int, count: int):
        if self.job == "tls-transfer":
            least = count * TRANSFERRED + (self.algorithm != "none")
            self.test.assertTrue(least <= wire < 1.05 * least, f"{wire} bytes on the wire for {least}")
        elif self.algorithm == "none":
            self.test.assertEqual(wire, 2 * count)
        else:
            self.test.assertIn(wire // count, HANDSHAKE_BYTES, "bytes on the wire for a connection")


@functools.cache
def splitmixed(length: int) -> bytes:
    return splitmix(SEED, length)
