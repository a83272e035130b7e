"""Types the commands of docs/compare.md that choose a JDK, with a few seconds of measuring. The lab has been built by then."""

import re
import tempfile
import unittest
from pathlib import Path

from test_tour import ROOT, shell_blocks, type_into_shell


class ComparePage(unittest.TestCase):
    def test_a_jdk_is_chosen(self):
        block = shell_blocks((ROOT / "docs" / "compare.md").read_text())[1]
        # Tests build the debug program, and a budget that answers takes minutes.
        block, shortened = re.subn(r"--budget \w+", "--budget 5s", block.replace("target/release", "target/debug"))
        self.assertEqual(shortened, 1)
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "target").symlink_to(ROOT / "target")
            done = type_into_shell(block, directory)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("java.util.Base64", done.stdout)


if __name__ == "__main__":
    unittest.main()
