"""Holds every engine that has job log-app in lab/engines.toml to spec/engine.md. One that is not built fails."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from conversation import Conversation
from log_app_cell import LogAppCell
from programs import LOG_APP_ENGINES, ROOT

ALGORITHMS = ["none", "mask", "token"]
SEALMARK = ROOT / "target" / "debug" / "sealmark"
SEED = 2**63 - 1


class LogApp:
    """The common part of the tests; each engine gets a class of its own with its program."""

    program = None

    def setUp(self):
        for word in self.program.command:
            if isinstance(word, Path) and not word.exists():
                self.fail(f"{word.relative_to(ROOT)} is missing; hint: lab/scripts/engines.sh")
        directory = tempfile.TemporaryDirectory(prefix="sealmark-log-app-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name) / "engine"
        self.directory.mkdir()
        if self.program.does == "token":
            self.make_keys()

    def make_keys(self):
        identity = self.directory.parent / "identity"
        subprocess.run([SEALMARK, "keygen", "--kem", "X25519", "-o", identity], check=True, stderr=subprocess.DEVNULL)
        recipient = subprocess.run([SEALMARK, "keygen", "-y", identity], check=True, stdout=subprocess.PIPE)
        (self.directory / "recipient").write_bytes(recipient.stdout)

    def test_every_request_is_logged_as_it_should_be(self):
        with Conversation(self.program.command) as engine:
            LogAppCell(self, engine, self.recipe(), SEALMARK).run()

    def test_what_it_does_not_claim_is_unsupported(self):
        others = [{"algorithm": name} for name in [*ALGORITHMS, "AES-256-GCM"] if name != self.program.does]
        with Conversation(self.program.command) as engine:
            for other in [*others, {"job": "record"}]:
                with self.subTest(other):
                    answer = engine.ask("prepare", **(self.recipe() | other))
                    self.assertEqual(answer["answer"], "unsupported", answer)
            self.assertEqual(engine.ask("time", operation="serve", first=0, count=1)["answer"], "failed")
            self.assertEqual(engine.end(), 0, engine.stderr())

    def recipe(self) -> dict:
        return {"job": "log-app", "algorithm": self.program.does, "seed": SEED,
                "directory": str(self.directory), "concurrency": 4}


class Claims(unittest.TestCase):
    def test_each_log_is_claimed(self):
        self.assertEqual({program.does for program in LOG_APP_ENGINES}, set(ALGORITHMS))


def class_for(program) -> type:
    return type(f"log_app_{program.name}", (LogApp, unittest.TestCase), {"program": program})


globals().update({f"log_app_{program.name}": class_for(program) for program in LOG_APP_ENGINES})

if __name__ == "__main__":
    unittest.main()
