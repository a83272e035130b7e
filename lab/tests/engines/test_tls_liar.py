"""The conformance test of the jobs of TLS must let an honest engine pass and catch each lie of tls_liar.py."""

import concurrent.futures
import sys
import unittest
from pathlib import Path
from unittest import mock

import test_tls
from test_liar import results_of
from tls_liar import KNOWN, LIES
from tls_programs import TlsProgram

LIAR = Path(__file__).resolve().parent / "tls_liar.py"
TESTS = 6
ABOUT_STALLS = [lie for lie in LIES if lie.endswith("that stalls")]


class TlsLies(unittest.TestCase):
    def test_honesty_passes(self):
        for tests, run in ((conformance, TESTS), (stalls, 1)):
            result = tests("")
            self.assertTrue(result.wasSuccessful(), result.failures + result.errors)
            self.assertEqual(result.testsRun, run)

    def test_each_lie_is_caught(self):
        self.assertGreater(len(LIES), 50)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = [(lie, pool.submit(conformance, lie)) for lie in LIES if lie not in ABOUT_STALLS]
            for lie, result in results:
                self.is_caught(lie, result.result())

    def test_each_lie_about_silence_is_caught(self):
        self.assertEqual(len(ABOUT_STALLS), 2)
        # Patience enough for an engine on a busy machine is too much where one is sure to hang.
        with mock.patch("test_tls.PATIENCE_WITH_A_PEER", 2):
            for lie in ABOUT_STALLS:
                self.is_caught(lie, stalls(lie))

    def is_caught(self, lie: str, result: unittest.TestResult):
        """For this lie, not because something else went wrong."""
        with self.subTest(lie):
            self.assertFalse(result.wasSuccessful(), "not caught")
            self.assertEqual(result.errors, [], "the liar broke down")
            self.assertIn(LIES[lie], "\n".join(traceback for _, traceback in result.failures))

    def test_an_engine_that_is_not_built_fails(self):
        absent = program([test_tls.ROOT / "target" / "nothing"])
        self.assertEqual(len(results_of(test_tls.class_for(absent)).failures), TESTS)


def conformance(lie: str) -> unittest.TestResult:
    return results_of(test_tls.class_for(program([sys.executable, LIAR, lie])), failfast=bool(lie))


def stalls(lie: str) -> unittest.TestResult:
    return results_of(type("Stalls", (test_tls.Stalls,), {"programs": [program([sys.executable, LIAR, lie])]}))


def program(command: list) -> TlsProgram:
    return TlsProgram("liar", command, KNOWN, 2 << 20, lines=KNOWN, slow_start=True, connections=600)


if __name__ == "__main__":
    unittest.main()
