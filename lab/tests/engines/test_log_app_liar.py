"""The test of job log-app must let an honest engine pass and catch each lie of log_app_liar.py."""

import sys
import unittest
from pathlib import Path

import test_log_app
from log_app_liar import LIES
from programs import LogAppProgram
from test_liar import results_of

LIAR = Path(__file__).resolve().parent / "log_app_liar.py"


class Lies(unittest.TestCase):
    def test_honesty_passes(self):
        result = told("")
        self.assertTrue(result.wasSuccessful(), result.failures + result.errors)
        self.assertEqual(result.testsRun, 2)

    def test_each_lie_is_caught(self):
        self.assertGreater(len(LIES), 20)
        for lie in LIES:
            with self.subTest(lie):
                result = told(lie)
                self.assertFalse(result.wasSuccessful(), "not caught")
                self.assertEqual(result.errors, [], "the liar broke down")


def told(lie: str) -> unittest.TestResult:
    program = LogAppProgram("liar", [sys.executable, LIAR, lie], "mask")
    return results_of(test_log_app.class_for(program), failfast=bool(lie))


if __name__ == "__main__":
    unittest.main()
