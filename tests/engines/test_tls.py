"""What spec/engine.md asks of an engine in the jobs of TLS, asked of every engine of tls_programs.py. One that is not built
fails."""

import concurrent.futures
import contextlib
import tempfile
import time
import unittest
from pathlib import Path

import tls_traces
from conversation import Conversation
from programs import ROOT
from tls_cell import TlsCell
from tls_programs import EVERYTHING, MEMORY, NODELAY, SHAPES, TLS_ENGINES, TODAY

# What a client must have said by then: five seconds without an answer are enough, and the lab is told of ten.
PATIENCE_WITH_A_PEER = 10
NONSENSE = [
    {"algorithm": ""},
    {"algorithm": "TLSv1.3"},
    {"algorithm": "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519"},
    {"algorithm": f"{TODAY} ECDSA-P-256"},
    {"algorithm": "TLSv1.4 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256"},
    {"algorithm": "TLSv1.3 TLS_ROT13_WITH_NULL_SHA X25519 ECDSA-P-256"},
    {"algorithm": "TLSv1.3 TLS_RSA_WITH_AES_128_GCM_SHA256 none RSA-2048"},
    {"algorithm": "TLSv1.2 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256"},
    {"algorithm": "TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 X25519 RSA-2048"},
    {"algorithm": "TLSv1.3 TLS_AES_128_GCM_SHA256 X25520 ECDSA-P-256"},
    {"algorithm": "TLSv1.3 TLS_AES_128_GCM_SHA256 none ECDSA-P-256"},
    {"algorithm": "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-257"},
    {"algorithm": "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 none"},
    {"algorithm": TODAY, "shape": "tuned"},
    {"algorithm": TODAY, "shape": "carrier pigeons"},
]
FAULTY = [("tls-connect", MEMORY), ("tls-connect", NODELAY), ("tls-transfer", NODELAY)]
AT_ONCE = [1, 8]
# A transfer may be over before anybody had a look at it.
MOST_TRANSFERS = 50
# A runtime has threads of its own, which come when there is work; a span's would be two for each connection at once.
RUNTIME_THREADS = 2


class TlsEngine:
    """The tests; each engine gets a class of its own with its program."""

    program = None

    def setUp(self):
        for word in self.program.command:
            path = Path(word.rpartition("=")[2]) if isinstance(word, str) else word
            if path.is_absolute() and not path.exists():
                self.fail(f"{path.relative_to(ROOT)} is missing; hint: scripts/engines.sh")

    def test_every_line_is_what_was_asked_for(self):
        cells = [(job, line, shape) for at, line in enumerate(self.program.lines) for job, shape in self.where(at)]
        self.assertGreaterEqual(len(cells), len(self.program.lines))
        done = set()
        # Engines start on one processor while others work on the other.
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for cell, result in [(cell, pool.submit(self.line, *cell)) for cell in cells]:
                with self.subTest(cell=cell):
                    if result.result() == "ready":
                        done.add(cell[1])
        self.assertLessEqual(set(self.program.must), done)

    def where(self, at: int) -> list:
        """The jobs and shapes for a line."""
        has = self.program.has
        return has if at == 0 or not self.program.slow_start else [has[at % len(has)]]

    def line(self, job: str, algorithm: str, shape: str) -> str:
        with self.cell(job, algorithm, shape) as cell:
            answer = cell.engine.ask("hello", protocol=2)
            self.assertTrue(answer["answer"] == "hello" and answer["version"], answer)
            prepared = cell.prepare()
            if prepared == "ready":
                cell.run(self.operations(job, algorithm))
            self.assertEqual(cell.engine.end(), 0, cell.engine.stderr())
            return prepared

    def operations(self, job: str, algorithm: str) -> list:
        never = {"resumed"} if algorithm.startswith(self.program.never_resumes) else set()
        return [operation for operation in self.program.operations[job] if operation not in never]

    def test_nonsense_is_unsupported(self):
        job, shape = self.program.has[0]
        with self.cell(job, self.program.lines[0], shape) as cell:
            others = [pair for pair in EVERYTHING if pair not in self.program.has]
            others = [{"job": job, "shape": shape, "algorithm": self.program.lines[0]} for job, shape in others]
            for wrong in NONSENSE + others:
                with self.subTest(wrong=wrong):
                    self.assertEqual(cell.prepare(**wrong), "unsupported")
            self.assertEqual(cell.prepare(colour="blue", weight=3, urgent=True), "ready")

    def test_sockets_delay_as_the_shape_says(self):
        """The sockets themselves are asked, in the middle of a transfer."""
        for shape in [shape for job, shape in self.program.has if job == "tls-transfer" and shape != MEMORY]:
            with self.subTest(shape=shape), self.cell("tls-transfer", self.program.lines[0], shape) as cell:
                self.assertEqual(cell.prepare(), "ready")
                with tls_traces.Watch(cell.engine.process.pid, tls_traces.SHORT_NAP) as watch:
                    for _ in range(MOST_TRANSFERS):
                        cell.span("upload", first=0, count=300)
                        if len(watch.no_delay) > 1:
                            break
                self.assertGreater(len(watch.no_delay), 1, "sockets in use")
                self.assertEqual(set(watch.no_delay.values()), {shape == NODELAY}, "TCP_NODELAY of both ends")

    def test_it_leaves_nothing_behind(self):
        for at_once in AT_ONCE if ("tls-connect", NODELAY) in self.program.has else []:
            with self.subTest(at_once=at_once), self.cell("tls-connect", self.program.must[0], NODELAY,
                                                          concurrency=at_once) as cell:
                self.assertEqual(cell.prepare(), "ready")
                # Until every pool and cache is as large as it gets.
                self.mixed_connections(cell, self.program.connections * 2 // 3)
                before = tls_traces.footprint(cell.engine.process.pid)
                with tls_traces.Watch(cell.engine.process.pid) as watch:
                    self.mixed_connections(cell, self.program.connections)
                self.assertTrue(watch.ports, "never listened")
                self.assertIn(watch.most_at_once, range(min(at_once, 2), at_once + 1), "connections at once")
                self.nothing_left(cell.engine.process.pid, watch.ports, before)

    def mixed_connections(self, cell: TlsCell, count: int):
        cell.span("full", first=0, count=count // 5)
        cell.span("resumed", first=0, count=count - count // 5)

    def nothing_left(self, process: int, ports: set, before: dict):
        left, after = tls_traces.settled(process, ports, before["files"])
        self.assertEqual(len(left), 0, f"connections that the system still knows, as {left[:2]}")
        self.assertLessEqual(after["files"], before["files"], "open files")
        self.assertLessEqual(after["sockets"], before["sockets"], "sockets")
        self.assertLessEqual(after["threads"], before["threads"] + RUNTIME_THREADS, "threads")
        self.assertLessEqual(after["resident"], before["resident"] + self.program.growth, "resident bytes")

    def test_a_server_that_resets_or_speaks_plain_text_is_a_failure(self):
        for job, shape in self.faulty():
            with self.subTest(job=job, shape=shape), self.cell(job, self.program.must[0], shape) as cell:
                for peer in ("resets", "plain"):
                    misbehaves(cell, peer)

    def faulty(self) -> list:
        """A loop that the lab holds an engine against has no such servers."""
        has = [] if self.program.loop else self.program.has
        return [pair for pair in has if pair in FAULTY] if self.program.slow_start else has

    def cell(self, job: str, algorithm: str, shape: str, **more):
        return started(self, self.program.command, job, algorithm, shape, **more)


class Stalls(unittest.TestCase):
    """Who is silent is waited for, so all of them are at the same time."""

    programs = [program for program in TLS_ENGINES if not program.loop]

    def test_a_server_that_stalls_is_a_failure(self):
        cells = [(program, job, shape) for program in self.programs for job, shape in FAULTY]
        with concurrent.futures.ThreadPoolExecutor(len(cells)) as pool:
            for cell, result in [(cell, pool.submit(self.stalls, *cell)) for cell in cells]:
                with self.subTest(engine=cell[0].name, cell=cell[1:]):
                    result.result()

    def stalls(self, program, job: str, shape: str):
        with started(self, program.command, job, program.must[0], shape) as cell:
            misbehaves(cell, "stalls")


@contextlib.contextmanager
def started(test, command: list, job: str, algorithm: str, shape: str, **more):
    """A cell of its own process and directory."""
    with tempfile.TemporaryDirectory(prefix="sealmark-tls-") as directory, Conversation(command) as engine:
        yield TlsCell(test, engine, Path(directory), job, algorithm, shape, **more)


def misbehaves(cell: TlsCell, peer: str):
    """A failure in time that names an end, and none any more without that peer."""
    cell.test.assertEqual(cell.prepare(peer=peer), "ready")
    operation = "upload" if cell.job == "tls-transfer" else "full"
    begun = time.monotonic()
    answer = cell.engine.ask("time", operation=operation, first=0, count=2)
    cell.test.assertLess(time.monotonic() - begun, PATIENCE_WITH_A_PEER, answer)
    cell.test.assertEqual(answer["answer"], "failed", answer)
    cell.test.assertRegex(answer["why"].lower(), "client|server|sender|receiver", "does not say which end")
    cell.test.assertEqual(cell.prepare(), "ready")
    cell.span(operation, first=0, count=2)


def class_for(program) -> type:
    return type(program.name, (TlsEngine, unittest.TestCase), {"program": program})


globals().update({program.name: class_for(program) for program in TLS_ENGINES})

if __name__ == "__main__":
    unittest.main()
