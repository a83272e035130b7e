"""Tests of the lines that lab/scripts/size.py counts."""

import sys
import unittest

from common import ROOT, LabTest, run

CODE = '''//! A comment.
use a::b; /* another
of two lines */

fn f() -> &'static str { "// no comment" }

#[cfg(test)]
mod made;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn t() {}
}

fn g() {}
'''


class SizeTest(LabTest):
    def test_only_formatted_lines_of_code_count(self):
        source = self.directory / "src"
        (source / "serve").mkdir(parents=True)
        (source / "file").mkdir()
        (source / "file.rs").write_text(CODE)
        (source / "file" / "made.rs").write_text("fn only_for_tests() {}\n")
        (source / "serve" / "mod.rs").write_text("fn serve() {}\n")
        said = run(sys.executable, ROOT / "lab" / "scripts" / "size.py", self.directory).stdout.decode().split("\n")
        self.assertEqual([line.split(maxsplit=1) for line in said if line], [
            ["5", "file"], ["1", "serve"], ["6", "in all"]])

    def test_the_core_stays_small(self):
        """An addition to the core takes as much away: a lab that nobody reads through is not trusted."""
        said = run(sys.executable, ROOT / "lab" / "scripts" / "size.py").stdout.decode().splitlines()[-1]
        self.assertLessEqual(int(said.split()[0]), 10_000, said)


if __name__ == "__main__":
    unittest.main()
