"""Types the command of docs/compare.md that chooses a library on each JDK, as a check that times nothing. The lab has to be built
before."""

import re
import unittest

from test_tour import ROOT, shell_blocks, type_into_shell


class ComparePage(unittest.TestCase):
    def test_the_plan_the_library_and_the_size_are_known(self):
        block = shell_blocks((ROOT / "docs" / "compare.md").read_text())[1]
        # Measuring would take minutes: `check` takes the same plan, engines and sizes, and refuses names that match nothing.
        measure = re.search(r"^target/release/(sealmark-lab) measure (.*) --budget \w+ --out base64.jsonl$", block, re.MULTILINE)
        done = type_into_shell(f"target/debug/{measure[1]} check {measure[2]}", str(ROOT))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("java.util.Base64", done.stdout)


if __name__ == "__main__":
    unittest.main()
