"""Types the first block of docs/java.md. The Java library has to be built before (scripts/java.sh)."""

import tempfile
import unittest
from pathlib import Path

from test_tour import ROOT, shell_blocks, type_into_shell


class JavaPage(unittest.TestCase):
    def test_the_first_block_leads_to_an_opened_log(self):
        build, *commands = shell_blocks((ROOT / "docs" / "java.md").read_text())[0].splitlines()
        script = ROOT / build.split()[0]
        self.assertEqual(script, ROOT / "scripts" / "java.sh")
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "target").mkdir()
            (Path(directory) / "target" / "java").symlink_to(ROOT / "target" / "java")
            done = type_into_shell("\n".join(commands), directory)
            sealed = (Path(directory) / "target" / "logback" / "app.log").read_text()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("email=~s1a~email~", sealed)
        self.assertNotIn("hanako", sealed)
        self.assertEqual(done.stdout.count("email=hanako@example.com"), 2, "opened and found")


if __name__ == "__main__":
    unittest.main()
