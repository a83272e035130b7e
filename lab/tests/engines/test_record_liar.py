"""The test of job record must let an honest engine pass and catch each lie of record_liar.py."""

import sys
import unittest
from pathlib import Path

import test_record
from programs import RecordProgram
from record_liar import LIES, SHAPES
from test_liar import results_of

LIAR = Path(__file__).resolve().parent / "record_liar.py"


class Lies(unittest.TestCase):
    def test_honesty_passes(self):
        result = told("")
        self.assertTrue(result.wasSuccessful(), result.failures + result.errors)
        self.assertEqual(result.testsRun, 3)

    def test_each_lie_is_caught(self):
        self.assertGreater(len(LIES), 15)
        for lie in LIES:
            with self.subTest(lie):
                result = told(lie)
                self.assertFalse(result.wasSuccessful(), "not caught")
                self.assertEqual(result.errors, [], "the liar broke down")


def told(lie: str) -> unittest.TestResult:
    program = RecordProgram("liar", [sys.executable, LIAR, lie], "AES-256-GCM-base64", SHAPES)
    return results_of(test_record.class_for(program), failfast=bool(lie))


if __name__ == "__main__":
    unittest.main()
