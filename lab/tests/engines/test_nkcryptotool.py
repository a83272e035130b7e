"""How the lab calls an nkCryptoTool that its user has built, with a program that stands in for it."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from programs import ROOT

LAB = ROOT / "target" / "debug" / "sealmark-lab"
STAND_IN = Path(__file__).resolve().parent / "nkcryptotool.py"
ENGINES = {"nkCryptoTool": "nkCryptoTool", "nk-crypto-tool": "nkCryptoTool-rust", "nk-crypto-tool-openssl": "nkCryptoTool-rust"}
MODES = ["P-256", "ML-KEM-768", "P-256+ML-KEM-768"]


class NkCryptoTool(unittest.TestCase):
    def setUp(self):
        if not LAB.exists():
            self.fail("sealmark-lab is missing; hint: cd lab && cargo build")
        directory = tempfile.TemporaryDirectory(prefix="sealmark-nk-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def test_three_modes_are_checked_in_either_language(self):
        for name, engine in ENGINES.items():
            with self.subTest(name=name):
                done = self.check(name, engine)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                for mode in MODES:
                    self.assertIn(f"right: file 1 KiB: {engine} {mode}, refuses damaged data (", done.stdout)
                # The fourth is the yardstick, a copy.
                self.assertIn("4 right, 0 wrong", done.stdout)

    def test_who_forgets_or_believes_everything_is_wrong_in_each_mode(self):
        for name in ("nkCryptoTool", "nk-crypto-tool"):
            for fault, said in (("gullible", "accepted damaged data"), ("forgetful", "wrong output")):
                with self.subTest(name=name, fault=fault):
                    done = self.check(name, ENGINES[name], STAND_IN_FAULT=fault)
                    self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                    self.assertEqual(done.stdout.count(said), 3, done.stdout)
                    self.assertIn("1 right, 3 wrong", done.stdout)

    def test_doctor_tells_version_and_digest_or_how_to_name_it(self):
        found = self.doctor("nk-crypto-tool").stdout
        self.assertRegex(found, r"\n  nkCryptoTool-rust: nk-crypto-tool 9\.9\.9, sha256 [0-9a-f]{16}\n")
        self.assertRegex(self.doctor("nkCryptoTool").stdout, r"\n  nkCryptoTool: sha256 [0-9a-f]{16}\n")
        self.assertIn("hint: build nkCryptoTool yourself, and start the lab with NKCRYPTOTOOL=/path/to/nkCryptoTool\n", found)
        # A file of another name could be either.
        self.assertIn("start the lab with NKCRYPTOTOOL=/path/to/nk-crypto-tool\n", self.doctor("tool").stdout)

    def check(self, name: str, engine: str, **more: str):
        return self.run_lab(name, "check", "nkcryptotool", "--engine", engine, "--size", "1024", "--dir", self.directory, **more)

    def doctor(self, name: str):
        """Asks two engines and no others, because asking all of them takes long."""
        stanzas = (ROOT / "lab" / "engines.toml").read_text().split("[[engine]]\n")
        ours = [stanza for stanza in stanzas if stanza.startswith('name = "nkCryptoTool')]
        self.assertEqual(len(ours), 2)
        engines = self.directory / "engines.toml"
        engines.write_text("".join(f"[[engine]]\n{stanza}" for stanza in ours))
        return self.run_lab(name, "doctor", "--engines", engines)

    def run_lab(self, name: str, *words, **more: str):
        program = self.directory / name
        shutil.copy(STAND_IN, program)
        program.chmod(0o755)
        environment = os.environ | {"NKCRYPTOTOOL": str(program)} | more
        return subprocess.run(list(map(str, [LAB, *words])), env=environment, capture_output=True, text=True, timeout=120)


if __name__ == "__main__":
    unittest.main()
