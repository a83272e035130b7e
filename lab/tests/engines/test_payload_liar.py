"""The conformance test of job payload must let an honest engine pass and catch each lie of payload_liar.py."""

import sys
import unittest
from pathlib import Path
from unittest import mock

import test_payload
from payload_liar import LIES, SHAPES
from programs import Program
from test_liar import results_of

LIAR = Path(__file__).resolve().parent / "payload_liar.py"


class PayloadLies(unittest.TestCase):
    def test_honesty_passes(self):
        result = conformance("")
        self.assertTrue(result.wasSuccessful(), result.failures + result.errors)
        self.assertEqual(result.testsRun, 3)

    def test_each_lie_is_caught(self):
        self.assertGreater(len(LIES), 30)
        for lie in LIES:
            with self.subTest(lie):
                result = conformance(lie)
                self.assertFalse(result.wasSuccessful(), "not caught")
                self.assertEqual(result.errors, [], "the liar broke down")

    def test_an_engine_that_is_not_built_fails(self):
        absent = Program("absent", [test_payload.ROOT / "target" / "nothing"], "", list(SHAPES))
        self.assertEqual(len(results_of(test_payload.class_for(absent)).failures), 3)


def conformance(lie: str) -> unittest.TestResult:
    sizes = {"payload": [0, 17, 8192, 9000]}
    tests = test_payload.class_for(Program("liar", [sys.executable, LIAR, lie], "", list(SHAPES), sizes))
    early = {("liar", shape): 1 for shape, releases_early in SHAPES.items() if releases_early}
    with mock.patch("test_payload.RELEASES_EARLY", early):
        return results_of(tests, failfast=bool(lie))


if __name__ == "__main__":
    unittest.main()
