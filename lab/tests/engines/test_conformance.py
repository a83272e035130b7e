"""Holds every engine of programs.py to spec/engine.md. One that is not built fails."""

import os
import tempfile
import unittest
from pathlib import Path

from cell import Cell, digest
from conversation import PATIENCE, PROTOCOL, Conversation, valid_answer
from programs import ENGINES, ROOT
from reference import ALGORITHMS, OPERATIONS

SHAPES = ["as-written", "tuned"]
# Seeds of sizes: the smallest, the largest, and 7 for the rest.
SEEDS = {0: 0, 49: 2**63 - 1}
BROKEN = [b"\n", b"what?\n", b'{"ask":\n', b"[]\n", b"{}\n", b'{"ask":{"ask":"hello"}}\n', b'{"ask":"\xff\xfe"}\n',
          b'{"ask":"check","operation":"seal"}\n', b'{"ask":"hello","protocol":3' + b" " * 70000 + b"\n"]


class Conformance:
    """The tests; each engine gets a class of its own with its program."""

    program = None
    found = None

    def setUp(self):
        for word in self.program.command:
            if isinstance(word, Path) and not word.exists():
                self.fail(f"{word.relative_to(ROOT)} is missing; hint: lab/scripts/engines.sh")
        directory = tempfile.TemporaryDirectory(prefix="sealmark-engines-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def test_hello(self):
        with self.conversation() as engine:
            answer = engine.ask("hello", protocol=PROTOCOL)
            self.assertEqual((answer["answer"], answer["protocol"]), ("hello", PROTOCOL))
            self.assertTrue(answer["engine"] and answer["version"], answer)
            self.assertEqual(engine.end(), 0, engine.stderr())
        # The runtime or the compiler, with the options that may change a time; and no file of this machine.
        self.assertRegex(answer["version"], r"rustc .* opt-level|Java .* heap of at most|GOMAXPROCS=|CPython \d")
        self.assertNotRegex(answer["version"], r"(?<![\w.])/\w+/\w")
        for option in self.program.command:
            if str(option).startswith("-XX"):
                self.assertIn(option, answer["version"])

    def test_it_does_what_it_is_there_for(self):
        done = {algorithm for _, algorithm, _ in self.supported()}
        self.assertTrue(done, "nothing at all")
        self.assertLessEqual(set(self.program.does.split()), done)

    def test_every_output_is_right_and_every_damage_noticed(self):
        for job, algorithm, shape in self.supported():
            for size in self.program.sizes[job]:
                recipe = self.recipe(job, algorithm, shape) | {"bytes": size, "seed": SEEDS.get(size, 7)}
                with self.subTest(algorithm=algorithm, shape=shape, size=size), self.conversation() as engine:
                    Cell(self, engine, recipe).run()

    def test_the_empty_loop(self):
        with self.conversation() as engine:
            ready = engine.ask("prepare", **self.recipe("empty", "none", "as-written"))
            self.assertEqual((ready["answer"], ready.get("authenticated")), ("ready", False), ready)
            for count in (1, 1000):
                timed = engine.ask("time", operation="loop", first=0, count=count)
                self.assertEqual((timed["answer"], timed.get("count")), ("timed", count), timed)
                self.assertEqual(timed["sha256"], digest(b""))

    def test_unknown_names_are_unsupported_and_unknown_keys_ignored(self):
        job, algorithm, shape = self.supported()[0]
        recipe = self.recipe(job, algorithm, shape)
        with self.conversation() as engine:
            for wrong in ({"job": "laundry"}, {"algorithm": "ROT13"}, {"shape": "tailored"}, {"algorithm": ""}):
                with self.subTest(wrong=wrong):
                    self.expect("unsupported", engine.ask("prepare", **(recipe | wrong)))
            self.expect("ready", engine.ask("prepare", **recipe, colour="blue", weight=3, urgent=True))
            self.expect("timed", engine.ask("time", operation=OPERATIONS[job][0], first=0, count=1, colour="blue"))

    def test_a_broken_line_is_answered_or_ends_it_but_never_hangs(self):
        for line in BROKEN:
            with self.subTest(line=line[:40]), self.conversation() as engine:
                engine.send(line)
                self.answered_or_ended(engine)

    def test_it_ends_with_its_input_even_within_a_line(self):
        for line in (b"", b'{"ask":"hel'):
            with self.subTest(line=line), self.conversation() as engine:
                engine.send(line)
                engine.process.stdin.close()
                engine.read_line()
                self.assertIsNone(engine.read_line())
                engine.process.wait(PATIENCE)

    def answered_or_ended(self, engine: Conversation):
        line = engine.read_line()
        if line is not None:
            self.assertIn(valid_answer(line)["answer"], ("failed", "unsupported"))
            return
        self.assertNotEqual(engine.process.wait(PATIENCE), 0, "ended as if nothing were wrong")
        self.assertTrue(engine.stderr().strip(), "ended without a word on standard error")

    def supported(self) -> list:
        """Every job, algorithm and shape that is ready for work; prepare may be asked anew after bad news only."""
        if type(self).found is None:
            cells = [(job, algorithm, shape) for job in ALGORITHMS for algorithm in ALGORITHMS[job] for shape in SHAPES]
            found = []
            while cells:
                with self.conversation() as engine:
                    found += self.next_ready(engine, cells)
            type(self).found = found
        return self.found

    def next_ready(self, engine: Conversation, cells: list) -> list:
        """Takes cells away up to the first that is ready."""
        while cells:
            cell = cells.pop(0)
            answer = engine.ask("prepare", **self.recipe(*cell))
            self.assertIn(answer["answer"], ("ready", "unsupported"), answer)
            if answer["answer"] == "ready":
                return [cell]
        return []

    def recipe(self, job: str, algorithm: str, shape: str) -> dict:
        directory = str(self.directory)
        return {"job": job, "algorithm": algorithm, "shape": shape, "bytes": 49, "seed": 7, "directory": directory}

    def conversation(self) -> Conversation:
        return Conversation(self.program.command)

    def expect(self, kind: str, answer: dict):
        self.assertEqual(answer["answer"], kind, answer)


# They ask nothing of a library: engines that are one program, started with the name of another library, answer alike.
OF_THE_PROGRAM = ["test_a_broken_line_is_answered_or_ends_it_but_never_hangs", "test_it_ends_with_its_input_even_within_a_line"]


def class_for(program, is_first: bool) -> type:
    of_all = is_first or "SEALMARK_EVERY_ENGINE" in os.environ
    members = {} if of_all else dict.fromkeys(OF_THE_PROGRAM)
    return type(program.name, (Conformance, unittest.TestCase), members | {"program": program})


def classes(programs: list) -> dict:
    known = set()
    made = {}
    for program in programs:
        *alike, _ = map(str, [*program.command, ""] if len(program.command) == 1 else program.command)
        made[program.name] = class_for(program, tuple(alike) not in known)
        known.add(tuple(alike))
    return made


globals().update(classes(ENGINES))

if __name__ == "__main__":
    unittest.main()
