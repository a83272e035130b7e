"""Holds every engine of tls_programs.py to spec/engine.md in the jobs of TLS. One that is not built fails."""

import concurrent.futures
import contextlib
import tempfile
import threading
import time
import unittest
from pathlib import Path

import tls_credentials
import tls_traces
from conversation import PROTOCOL, Conversation
from programs import ROOT
from tls_cell import TlsCell
from tls_programs import EVERYTHING, MEMORY, NODELAY, TLS_ENGINES, TODAY, jdks, jvm, lines_of_runtime

# The time until a client must have answered: five seconds of silence are enough, and the lab is told of ten.
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
# How its connections are looked at for what they leave: shape, and how many at once.
GROWING = [(NODELAY, 1), (NODELAY, 8), (MEMORY, 1)]
# So many at least come before, however few are counted.
WARMING = 100
LONGEST_SPAN = 250
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
                self.fail(f"{path.relative_to(ROOT)} is missing; hint: lab/scripts/engines.sh")

    def test_every_line_is_what_was_asked_for(self):
        processes = self.program.processes()
        self.assertGreater(len(processes), 0)
        ready = side_by_side(self, processes, self.lines)
        self.assertLessEqual(set(self.program.must), set().union(*ready), "what it must do")

    def lines(self, cells: list) -> set:
        """The lines that this process is ready for, each in every job and shape it is asked in."""
        ready, lacking = set(), set()
        with tempfile.TemporaryDirectory(prefix="sealmark-tls-") as directory, Conversation(self.program.command) as engine:
            answer = engine.ask("hello", protocol=PROTOCOL)
            self.assertTrue(answer["answer"] == "hello" and answer["version"], answer)
            for job, algorithm, shape in cells:
                cell = TlsCell(self, engine, Path(directory), job, algorithm, shape)
                if cell.prepare() == "ready":
                    cell.run(self.operations(job, algorithm))
                    ready.add(algorithm)
                else:
                    lacking.add(algorithm)
            self.assertEqual(engine.end(), 0, engine.stderr())
        self.assertEqual(ready & lacking, set(), "in one job or shape only")
        return ready

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
        side_by_side(self, [cell for cell in GROWING if ("tls-connect", cell[0]) in self.program.has
                            and "resumed" in self.program.operations["tls-connect"]], self.leaves_nothing_behind)

    def leaves_nothing_behind(self, cell: tuple):
        shape, at_once = cell
        count = self.program.connections // len(GROWING) + 1
        with self.cell("tls-connect", self.program.must[0], shape, concurrency=at_once) as cell:
            self.assertEqual(cell.prepare(), "ready")
            # Until every pool and cache is as large as it gets.
            self.mixed_connections(cell, max(count * 2 // 3, WARMING))
            before = tls_traces.footprint(cell.engine.process.pid)
            with tls_traces.Watch(cell.engine.process.pid) as watch:
                self.mixed_connections(cell, count)
            if shape == MEMORY:
                self.assertEqual(watch.ports, set(), "listened in memory")
            else:
                self.assertTrue(watch.ports, "never listened")
                self.assertIn(watch.most_at_once, range(min(at_once, 2), at_once + 1), "connections at once")
            self.nothing_left(cell.engine.process.pid, watch.ports, before)

    def mixed_connections(self, cell: TlsCell, count: int):
        """In spans that a busy machine answers in time."""
        for first in range(0, count, LONGEST_SPAN):
            part = min(count - first, LONGEST_SPAN)
            cell.span("full", first=first, count=part // 5 + 1)
            cell.span("resumed", first=first, count=part - part // 5)

    def nothing_left(self, process: int, ports: set, before: dict):
        left, after = tls_traces.settled(process, ports, before["files"])
        self.assertEqual(len(left), 0, f"connections that the system still knows, as {left[:2]}")
        self.assertLessEqual(after["files"], before["files"], "open files")
        self.assertLessEqual(after["sockets"], before["sockets"], "sockets")
        self.assertLessEqual(after["threads"], before["threads"] + RUNTIME_THREADS, "threads")
        self.assertLessEqual(after["resident"], before["resident"] + self.program.growth, "resident bytes")

    def test_a_server_that_resets_or_speaks_plain_text_is_a_failure(self):
        side_by_side(self, self.faulty(), self.notices_faults)

    def notices_faults(self, cell: tuple):
        job, shape = cell
        with self.cell(job, self.program.must[0], shape) as cell:
            warm(cell)
            for peer in ("resets", "plain"):
                misbehaves(cell, peer)

    def test_a_certificate_that_proves_nothing_is_a_failure(self):
        cells = [] if self.program.must == ["none"] else self.faulty() or self.program.has
        side_by_side(self, cells, self.verifies)

    def verifies(self, cell: tuple):
        job, shape = cell
        with self.cell(job, self.program.must[0], shape) as cell:
            for wrong in (tls_credentials.OF_ANOTHER_RUN, tls_credentials.FOR_ANOTHER_NAME):
                cell.distrusts(wrong)
                warm(cell)

    def faulty(self) -> list:
        """A loop that the lab holds an engine against has no such servers."""
        has = [] if self.program.loop else self.program.has
        return [pair for pair in has if pair in FAULTY] if self.program.slow_start else has

    def cell(self, job: str, algorithm: str, shape: str, **more):
        return started(self, self.program.command, job, algorithm, shape, **more)


class Stalls(unittest.TestCase):
    """Each stalled server costs seconds, so all of them stall at the same time."""

    programs = [program for program in TLS_ENGINES if not program.loop]
    # A JVM takes seconds of a processor until it has made its first connection; then it waits as quietly as any other.
    starting = threading.Semaphore(2)

    def test_a_server_that_stalls_is_a_failure(self):
        cells = [(program, job, shape) for program in self.programs for job, shape in FAULTY]
        with concurrent.futures.ThreadPoolExecutor(len(cells)) as pool:
            for cell, result in [(cell, pool.submit(self.stalls, *cell)) for cell in cells]:
                with self.subTest(engine=cell[0].name, cell=cell[1:]):
                    result.result()

    def stalls(self, program, job: str, shape: str):
        with contextlib.ExitStack() as ends:
            with self.starting:
                cell = ends.enter_context(started(self, program.command, job, program.must[0], shape))
                warm(cell)
            misbehaves(cell, "stalls")


class Runtimes(unittest.TestCase):
    """The lines that depend on a JDK's own code most: what it did long ago, and what is usual today."""

    def test_every_java_runtime_does_the_oldest_lines_and_todays(self):
        homes = jdks()
        self.assertTrue(homes, "no Java runtime; hint: make jdks")
        programs = [jvm(name, lines, *options, java=home / "bin" / "java", lines=lines, has=[("tls-connect", MEMORY)])
                    for home in homes for name, lines, *options in lines_of_runtime(home)]
        side_by_side(self, [(program, cells) for program in programs for cells in program.processes()], self.lines)

    def lines(self, asked: tuple):
        program, cells = asked
        with tempfile.TemporaryDirectory(prefix="sealmark-tls-") as directory, Conversation(program.command) as engine:
            for job, algorithm, shape in cells:
                cell = TlsCell(self, engine, Path(directory), job, algorithm, shape)
                self.assertEqual(cell.prepare(), "ready")
                cell.span("full", first=0, count=3)


def side_by_side(test, cells: list, check) -> list:
    """The result of the check for each cell that passed: one engine starts on one processor while another works on the
    other."""
    passed = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for cell, result in [(cell, pool.submit(check, cell)) for cell in cells]:
            with test.subTest(cell=cell):
                passed.append(result.result())
    return passed


@contextlib.contextmanager
def started(test, command: list, job: str, algorithm: str, shape: str, **more):
    """A cell of its own process and directory."""
    with tempfile.TemporaryDirectory(prefix="sealmark-tls-") as directory, Conversation(command) as engine:
        yield TlsCell(test, engine, Path(directory), job, algorithm, shape, **more)


def warm(cell: TlsCell):
    """Makes the first connection of the process, whose time is a runtime's start."""
    cell.test.assertEqual(cell.prepare(), "ready")
    cell.span(cell.first_operation, first=0, count=2)


def misbehaves(cell: TlsCell, peer: str):
    """A failure in time that names an end, and none any more without that peer."""
    cell.test.assertEqual(cell.prepare(peer=peer), "ready")
    begun = time.monotonic()
    answer = cell.engine.ask("time", operation=cell.first_operation, first=0, count=2)
    cell.test.assertLess(time.monotonic() - begun, PATIENCE_WITH_A_PEER, f"waited too long: {answer}")
    cell.test.assertEqual(answer["answer"], "failed", f"a server that {peer}: {answer}")
    cell.test.assertRegex(answer["why"].lower(), "client|server|sender|receiver", "does not say which end")
    warm(cell)


def class_for(program) -> type:
    return type(program.name, (TlsEngine, unittest.TestCase), {"program": program})


globals().update({program.name: class_for(program) for program in TLS_ENGINES})

if __name__ == "__main__":
    unittest.main()
