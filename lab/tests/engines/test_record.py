"""Holds every engine that lab/engines.toml claims job record for to spec/engine.md, on every number of threads that is claimed.
One that is not built fails."""

import itertools
import tempfile
import unittest
from pathlib import Path

from conversation import Conversation
from programs import RECORD_ENGINES, RECORD_SHAPES, ROOT, newest_java
from record_cell import TEXTS, RecordCell

SEED = 2**63 - 1


class Record:
    """The common part of the tests; each engine gets a class of its own with its program."""

    program = None

    def setUp(self):
        for word in self.program.command:
            if isinstance(word, Path) and not word.exists():
                self.fail(f"{word.relative_to(ROOT)} is missing; hint: lab/scripts/engines.sh")
        directory = tempfile.TemporaryDirectory(prefix="sealmark-record-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def test_values_go_there_and_back_on_every_number_of_threads(self):
        for algorithm, shape in itertools.product(self.program.does.split(), self.program.shapes):
            for size in self.program.sizes[: None if shape == "2-threads" else 1]:
                with self.subTest(algorithm, shape=shape, size=size), Conversation(self.program.command) as engine:
                    RecordCell(self, engine, self.recipe(algorithm, shape) | {"bytes": size}).run()

    def test_what_it_does_not_claim_is_unsupported(self):
        with Conversation(self.program.command) as engine:
            for shape in [*RECORD_SHAPES, "as-written", "3-threads"]:
                for algorithm in [*TEXTS, "AES-256-GCM", "none"]:
                    if algorithm not in self.program.does.split() or shape not in self.possible:
                        with self.subTest(shape=shape, algorithm=algorithm):
                            answer = engine.ask("prepare", **self.recipe(algorithm, shape))
                            self.assertEqual(answer["answer"], "unsupported", answer)
            self.assertEqual(engine.end(), 0, engine.stderr())

    def test_what_one_process_sealed_another_refuses_unless_its_key_is_of_the_recipe(self):
        recipe = self.recipe(self.program.does.split()[0], self.program.shapes[0])
        lines = []
        for seed in (7, 8):
            with Conversation(self.program.command) as engine:
                cell = RecordCell(self, engine, recipe | {"seed": seed})
                cell.prepare()
                if lines and cell.authenticated:
                    cell.refused(lines[0])
                lines = cell.there_and_back(b"v" * 49)

    @property
    def possible(self) -> list:
        """A shape may be there without a claim; virtual threads can only be there on a JVM."""
        return RECORD_SHAPES if self.program.name.startswith("jvm_") else RECORD_SHAPES[:-1]

    def recipe(self, algorithm: str, shape: str) -> dict:
        return {"job": "record", "algorithm": algorithm, "shape": shape, "bytes": 49, "seed": SEED,
                "directory": str(self.directory)}


class Claims(unittest.TestCase):
    def test_each_algorithm_and_number_of_threads_is_claimed(self):
        self.assertEqual({name for program in RECORD_ENGINES for name in program.does.split()}, set(TEXTS))
        self.assertEqual({shape for program in RECORD_ENGINES for shape in program.shapes},
                         set(RECORD_SHAPES if newest_java() else RECORD_SHAPES[:-1]))
        self.assertTrue(all(program.shapes for program in RECORD_ENGINES))


def class_for(program) -> type:
    return type(f"record_{program.name}", (Record, unittest.TestCase), {"program": program})


globals().update({f"record_{program.name}": class_for(program) for program in RECORD_ENGINES})

if __name__ == "__main__":
    unittest.main()
