"""Our files opened by pyca/cryptography, and files sealed by it opened by us."""

import unittest

from common import KEMS, LENGTHS, PASSPHRASE, SEALMARK, InteropTest, content, run, secret_line
from cryptography.exceptions import InvalidTag
from open import KEMS as KNOWN
from open import open_sealed
from seal import seal_to, seal_with_passphrase

# The only KEM of ours that pyca lacks; the Go program opens it.
MISSING = {"mlkem768p256"}


class PythonOpensOurs(InteropTest):
    def test_every_kem_but_one_is_known(self):
        self.assertEqual(set(KEMS) - set(KNOWN), MISSING)

    def test_every_kem_and_length(self):
        for kem in KNOWN:
            secret, recipient = self.key(kem)
            for length in LENGTHS:
                with self.subTest(kem=kem, length=length):
                    plain = self.file("plain", content(length))
                    sealed = run(SEALMARK, "seal", "-R", recipient, "-o", "-", plain).stdout
                    self.assert_same(open_sealed(sealed, secret_line(secret)), content(length), kem)

    def test_each_of_several_recipients(self):
        keys = [self.key(kem) for kem in ("mlkem768", "mlkem768x25519", "mlkem1024p384")]
        recipients = [word for _, recipient in keys for word in ("-R", recipient)]
        sealed = run(SEALMARK, "seal", *recipients, "-o", "-", self.file("plain", content(99))).stdout
        for secret, _ in keys:
            with self.subTest(key=secret.name):
                self.assert_same(open_sealed(sealed, secret_line(secret)), content(99), secret.name)

    def test_passphrase(self):
        plain = self.file("plain", content(70000))
        sealed = run(SEALMARK, "seal", "-p", "--passphrase-file", self.words(), "-o", "-", plain).stdout
        self.assert_same(open_sealed(sealed, PASSPHRASE), content(70000), "passphrase")

    def test_it_would_notice_an_altered_byte(self):
        secret, recipient = self.key("x25519")
        sealed = run(SEALMARK, "seal", "-R", recipient, "-o", "-", self.file("plain", content(99))).stdout
        mac = sealed.index(b"\n--- ") + 6
        for position in (mac, len(sealed) - 120, len(sealed) - 1):
            altered = bytearray(sealed)
            altered[position] ^= 1
            with self.subTest(position=position), self.assertRaises((ValueError, InvalidTag)):
                open_sealed(bytes(altered), secret_line(secret))


class WeOpenPython(InteropTest):
    def test_every_kem_and_length(self):
        for kem in KNOWN:
            secret, _ = self.key(kem)
            for length in LENGTHS:
                with self.subTest(kem=kem, length=length):
                    sealed = self.file("sealed", seal_to(kem, secret_line(secret), content(length)))
                    opened = run(SEALMARK, "open", "-i", secret, "-o", "-", sealed).stdout
                    self.assert_same(opened, content(length), kem)

    def test_passphrase(self):
        sealed = self.file("sealed", seal_with_passphrase(PASSPHRASE, content(99)))
        opened = run(SEALMARK, "open", "-p", "--passphrase-file", self.words(), "-o", "-", sealed).stdout
        self.assert_same(opened, content(99), "passphrase")


if __name__ == "__main__":
    unittest.main()
