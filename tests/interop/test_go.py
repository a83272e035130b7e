"""Our files, opened by a program that uses Go's standard library: every KEM, and a second payload written by hand."""

import unittest

from common import GO_SOURCE, KEMS, LENGTHS, PEERS, SEALMARK, InteropTest, content, run, skip_without_go


class GoTest(InteropTest):
    """Tests with the opener written in Go."""

    OPENER = PEERS / "sealmark-opener"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        skip_without_go()
        run("go", "build", "-o", cls.OPENER, ".", cwd=GO_SOURCE)


class GoOpensOurs(GoTest):
    def test_every_kem_and_length(self):
        for kem in KEMS:
            secret, recipient = self.key(kem)
            for length in LENGTHS:
                with self.subTest(kem=kem, length=length):
                    sealed = self.seal(recipient, content(length))
                    self.assert_same(run(self.OPENER, secret, input=sealed).stdout, content(length), kem)

    def test_it_would_notice_an_altered_byte(self):
        secret, recipient = self.key("mlkem768p256")
        sealed = self.seal(recipient, content(20000))
        payload = len(sealed) - (24 + 32 + 20000 + 2 * 16)
        for position in (payload - 5, payload, payload + 24, payload + 56, len(sealed) - 1):
            altered = bytearray(sealed)
            altered[position] ^= 1
            with self.subTest(position=position):
                run(self.OPENER, secret, input=bytes(altered), expect=1)
        with self.subTest("truncated"):
            run(self.OPENER, secret, input=sealed[: payload + 56 + 16400], expect=1)

    def seal(self, recipient, plaintext: bytes) -> bytes:
        return run(SEALMARK, "seal", "-R", recipient, "-o", "-", self.file("plain", plaintext)).stdout


if __name__ == "__main__":
    unittest.main()
