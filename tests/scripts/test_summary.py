"""The summary that `make test` gives of each test runner's output: how many tests failed, which, and why."""

import subprocess
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent.parent / "scripts"

CARGO = """
test good ... ok
test bad::case ... FAILED

failures:

---- bad::case stdout ----

thread 'bad::case' (7) panicked at tests/bad.rs:9:5:
it is wrong
   0: somewhere::in_a_library
             at /rustc/1/library/std/src/panicking.rs:689:5


failures:
    bad::case

test result: FAILED. 1 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.47s
"""
UNITTEST = """
test_good (test_x.X.test_good) ... ok
test_bad (test_x.X.test_bad) ... FAIL

======================================================================
FAIL: test_bad (test_x.X.test_bad)
----------------------------------------------------------------------
Traceback (most recent call last):
AssertionError: it is wrong

----------------------------------------------------------------------
Ran 2 tests in 0.001s

FAILED (failures=1)
"""
GO = """
said by another
=== RUN   TestGood
    x_test.go:3: said by another
--- PASS: TestGood (0.00s)
said by another
=== RUN   TestBad
    x_test.go:9: it is wrong
--- FAIL: TestBad (0.00s)
FAIL
"""
SUREFIRE = """
[INFO] Running p.XTest
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 9.780 s <<< FAILURE! -- in p.XTest
[ERROR] p.XTest.bad -- Time elapsed: 1.702 s <<< FAILURE!
org.opentest4j.AssertionFailedError: it is wrong
\tat org.junit.jupiter.api.Assertions.fail(Assertions.java:42)
\tat p.XTest.bad(XTest.java:9)

[INFO] Results:
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0
"""
RUNNERS = {
    "cargo": (CARGO, "1 1 2", "bad::case"),
    "unittest": (UNITTEST, "1 1 0", "test_bad (test_x.X.test_bad)"),
    "go": (GO, "1 1 0", "TestBad"),
    "Surefire": (SUREFIRE, "1 1 0", "p.XTest.bad"),
}


def awk(script, text, *variables):
    command = ["awk", *(word for variable in variables for word in ("-v", variable)), "-f", SCRIPTS / script]
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


class Summary(unittest.TestCase):
    def test_each_runner_is_counted(self):
        for runner, (text, counts, _) in RUNNERS.items():
            self.assertEqual(awk("count.awk", text).strip(), counts, runner)

    def test_what_failed_is_named_and_says_why(self):
        for runner, (text, _, name) in RUNNERS.items():
            lines = self.failures(text)
            self.assertEqual([line for line in lines if line.startswith("failed: ")], [f"failed: {name}"], runner)
            self.assertEqual(lines[1], f"-- {name}", runner)
            self.assertIn("it is wrong", "".join(lines[2:4]), runner)
            for word in ("said by another", "library", "org.junit", "Results"):
                self.assertNotIn(word, "".join(lines), runner)

    def test_what_is_said_is_bounded(self):
        self.assertLessEqual(len(self.failures(CARGO * 1000)), 2 * 60)
        self.assertLessEqual(len(self.failures(CARGO.replace("it is wrong\n", "it is wrong\n" * 1000))), 1 + 20)
        self.assertEqual(len([line for line in self.failures(CARGO * 2) if "wrong" in line]), 2)

    def test_an_output_without_failed_tests_is_shown_from_its_end(self):
        lines = self.failures("".join(f"error {number}\n" for number in range(1000)))
        self.assertEqual((len(lines), lines[0], lines[-1]), (60, "error 940", "error 999"))

    def failures(self, text):
        return awk("failures.awk", text, "most=60", "each=20").splitlines()
