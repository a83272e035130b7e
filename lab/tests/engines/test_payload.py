"""Holds every engine of programs.py to spec/engine.md in job payload, in the shapes that lab/engines.toml claims for it, and in
those that it does not. One that is not built fails."""

import os
import resource
import tempfile
import unittest
from pathlib import Path

from conversation import Conversation
from payload_cell import PayloadCell
from programs import PAYLOAD_ENGINES, PAYLOAD_SHAPES, ROOT

ALGORITHMS = ["AES-128-GCM", "AES-256-GCM"]
# Not the same for both, so that nobody passes who has one key for every seed.
SEEDS = {"AES-128-GCM": 7, "AES-256-GCM": 2**63 - 1}
# Engines that let plain bytes out before the tag is checked, and their blocks: all whole blocks of a file where nothing but the
# tag is wrong are in the output then. In no other combination is a single byte left. This is what was seen; an engine that
# changes its ways has to say so here.
RELEASES_EARLY = {
    ("rust_openssl", "update"): 1,
    ("python_cryptography", "update"): 1,
    ("jvm_BouncyCastle", "update"): 16,
    ("jvm_BouncyCastle", "stream"): 16,
    ("jvm_BouncyCastle", "wss4j"): 16,
}
# Whose shape has one algorithm only, by what its format is made of.
ONE_ALGORITHM = {("rust_sealmark", "chunked"): "AES-256-GCM"}


class Engine:
    """The common part of the tests; each engine gets a class of its own with its program."""

    program = None

    def setUp(self):
        for word in self.program.command:
            if isinstance(word, Path) and not word.exists():
                self.fail(f"{word.relative_to(ROOT)} is missing; hint: lab/scripts/engines.sh")
        directory = tempfile.TemporaryDirectory(prefix="sealmark-payload-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def recipe(self, algorithm: str, shape: str) -> dict:
        return {"job": "payload", "algorithm": algorithm, "shape": shape, "bytes": 100_000,
                "seed": SEEDS.get(algorithm, 7), "directory": str(self.directory)}

    def algorithms(self, shape: str) -> list:
        """The algorithms it has in a shape; none in a shape it does not claim."""
        one = ONE_ALGORITHM.get((self.program.name, shape))
        return ([one] if one else ALGORITHMS) if shape in self.program.payload else []

    def conversation(self) -> Conversation:
        return Conversation(self.program.command)

    def expect(self, kind: str, answer: dict):
        self.assertEqual(answer["answer"], kind, answer)

    def test_what_it_does_not_claim_is_unsupported(self):
        with self.conversation() as engine:
            for shape in [*PAYLOAD_SHAPES, "as-written", "tuned", "tailored"]:
                for algorithm in [*ALGORITHMS, "ChaCha20-Poly1305", "none"]:
                    if algorithm not in self.algorithms(shape):
                        with self.subTest(shape=shape, algorithm=algorithm):
                            self.expect("unsupported", engine.ask("prepare", **self.recipe(algorithm, shape)))
            self.assertEqual(engine.end(), 0, engine.stderr())


class PayloadEngine(Engine):
    """The tests of an engine that claims some shapes."""

    def test_every_length_in_each_shape_it_claims(self):
        for shape in self.program.payload:
            for algorithm in self.algorithms(shape):
                with self.subTest(shape=shape, algorithm=algorithm), self.conversation() as engine:
                    cell = PayloadCell(self, engine, self.recipe(algorithm, shape))
                    cell.prepare()
                    for length in self.program.sizes["payload"]:
                        with self.subTest(length=length):
                            cell.run(length, self.released(shape, length))
                    self.assertEqual(engine.end(), 0, engine.stderr())

    def test_what_one_process_seals_another_opens(self):
        # In a format of its own, if it has one: in the others the reference was that other already.
        plain = b"plain" * 5000
        shape = "chunked" if "chunked" in self.program.payload else self.program.payload[0]
        recipe = self.recipe(self.algorithms(shape)[0], shape)
        cells = [PayloadCell(self, None, recipe | {"seed": seed}) for seed in (7, 7, 8)]
        sealed = self.anew(cells[0], lambda cell: cell.done("seal", plain))
        self.assertEqual(self.anew(cells[1], lambda cell: cell.done("open", sealed)), plain)
        self.assertFalse(self.anew(cells[2], lambda cell: cell.refused(sealed)) == plain, "under another key")

    def anew(self, cell: PayloadCell, body):
        with self.conversation() as cell.engine:
            cell.prepare()
            return body(cell)

    def released(self, shape: str, length: int) -> int:
        # A library has its ways on every JVM.
        block = RELEASES_EARLY.get((self.program.name.partition("_java_")[0], shape))
        return length - length % block if block else 0


class Exhausted(unittest.TestCase):
    """Where memory ends is what a row says; a library that ends its process there has no row but `died`."""

    # More than the engines keep for themselves, and sparse: it costs no disk.
    LENGTH = 192 << 20
    # How often the engine holds the file in shape one-shot (engines/README.md).
    HOLDS = {"rust_aws-lc-rs": 1, "rust_openssl": 2}

    def test_room_for_each_but_the_last_copy_of_a_file_is_not_enough(self):
        for program in (program for program in PAYLOAD_ENGINES if program.name in self.HOLDS):
            holds = self.HOLDS[program.name]
            for operation, in_the_end in (("seal", "done"), ("open", "refused")):
                with self.subTest(engine=program.name, operation=operation):
                    for copies in range(holds):
                        self.assertEqual(self.answer(program, operation, copies + 0.5), "exhausted", copies)
                    self.assertEqual(self.answer(program, operation, holds + 0.5), in_the_end)

    def answer(self, program, operation: str, copies: float) -> str:
        """The answer of an engine to a file when it has memory for so many copies of it and no more."""
        with tempfile.TemporaryDirectory(prefix="sealmark-payload-") as directory, \
                Conversation(program.command) as engine:
            source, output = Path(directory, "input"), Path(directory, "output")
            source.touch()
            os.truncate(source, self.LENGTH)
            engine.ask("prepare", job="payload", algorithm="AES-256-GCM", shape="one-shot", bytes=self.LENGTH, seed=7,
                       directory=directory)
            room = address_space(engine.process.pid) + int(copies * self.LENGTH)
            resource.prlimit(engine.process.pid, resource.RLIMIT_AS, (room, room))
            return engine.ask("run", operation=operation, input=str(source), output=str(output))["answer"]


def address_space(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")


class Claims(unittest.TestCase):
    def test_the_lab_claims_every_shape_for_somebody_and_the_table_knows_no_others(self):
        claims = {(program.name, shape) for program in PAYLOAD_ENGINES for shape in program.payload}
        self.assertEqual({shape for _, shape in claims}, set(PAYLOAD_SHAPES))
        self.assertLessEqual({*RELEASES_EARLY, *ONE_ALGORITHM}, claims)


def class_for(program) -> type:
    return type(program.name, (PayloadEngine if program.payload else Engine, unittest.TestCase), {"program": program})


globals().update({program.name: class_for(program) for program in PAYLOAD_ENGINES})

if __name__ == "__main__":
    unittest.main()
