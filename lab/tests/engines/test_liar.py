"""The conformance test must let an honest engine pass and catch each lie of liar.py."""

import sys
import unittest
from pathlib import Path
from unittest import mock

import conversation
import test_conformance
from liar import LIES
from programs import FEW_SIZES, Program

LIAR = Path(__file__).resolve().parent / "liar.py"


class Lies(unittest.TestCase):
    def test_honesty_passes(self):
        result = conformance("")
        self.assertTrue(result.wasSuccessful(), result.failures + result.errors)
        self.assertGreater(result.testsRun, 5)

    def test_each_lie_is_caught(self):
        self.assertGreater(len(LIES), 20)
        for lie in LIES:
            # Patience enough for an honest engine on a busy machine is too much where one is sure to hang.
            patience = 3 if "hangs" in lie else conversation.PATIENCE
            with self.subTest(lie), mock.patch("conversation.PATIENCE", patience):
                result = conformance(lie)
                self.assertFalse(result.wasSuccessful(), "not caught")
                self.assertEqual(result.errors, [], "the liar broke down")

    def test_an_engine_that_is_not_built_fails(self):
        absent = Program("absent", [test_conformance.ROOT / "target" / "nothing"], "", [])
        self.assertEqual(len(results_of(test_conformance.class_for(absent, is_first=True)).failures), 7)


def conformance(lie: str) -> unittest.TestResult:
    program = Program("liar", [sys.executable, LIAR, lie], "base64 AES-128-GCM", [], FEW_SIZES)
    return results_of(test_conformance.class_for(program, is_first=True), failfast=bool(lie))


def results_of(tests: type, failfast: bool = False) -> unittest.TestResult:
    result = unittest.TestResult()
    result.failfast = failfast
    unittest.defaultTestLoader.loadTestsFromTestCase(tests).run(result)
    return result


if __name__ == "__main__":
    unittest.main()
