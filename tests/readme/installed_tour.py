"""Types the commands of README.md, docs/files.md and docs/logs.md that need the installed program and no compiler, on a machine
that has nothing else: `make dist-check` starts it."""

import tempfile
import unittest

from test_tour import ROOT, Logs, shell_blocks, type_into_shell


class Installed(unittest.TestCase):
    def test_the_program_that_is_installed_does_what_the_pages_say(self):
        for page, least in {"README.md": 2, "docs/files.md": 8}.items():
            blocks = [b for b in shell_blocks((ROOT / page).read_text()) if "sealmark " in b and not b.startswith(("cargo", "make"))]
            self.assertGreaterEqual(len(blocks), least, page)
            with tempfile.TemporaryDirectory() as directory:
                for block in blocks:
                    with self.subTest(page, block=block):
                        done = type_into_shell(block, directory)
                        self.assertEqual(done.returncode, 0, f"\n{done.stdout}")


class InstalledLogs(Logs):
    """The same for each kind of log."""


del Logs

if __name__ == "__main__":
    unittest.main()
