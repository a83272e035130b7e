"""Signed files of ours verified by pyca/cryptography and blake3, and signatures made by them verified by us."""

import hmac
import os
import unittest

from common import SEALMARK, InteropTest, content, run, secret_line
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, hpke
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from open import KEMS, bech32, derive
from seal import base64, wrap
from signatures import DETACHED, message, open_signed, public_of, recipient_id, sign, signed_plaintext, verify_detached

LENGTHS = [0, 1, 16383, 16384, 16385, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (2 << 20) + 7]


class SignatureTest(InteropTest):
    def setUp(self):
        super().setUp()
        self.secret, self.recipient = self.key("x25519")
        self.signer = self.path("sign.key")
        run(SEALMARK, "keygen", "--sign", "-o", self.signer)
        public = run(SEALMARK, "keygen", "-y", self.signer).stdout.decode().strip()
        self.senders = self.file("senders", f"Alice Example {public}\n")
        self.known = {"Alice Example": bech32(public)}
        self.me = ("x25519", bech32(self.recipient.read_text().strip()))

    def test_python_opens_ours(self):
        for length in LENGTHS:
            with self.subTest(length=length):
                plain = self.file("plain", content(length))
                sealed = run(SEALMARK, "seal", "-R", self.recipient, "--sign", self.signer, "-o", "-", plain).stdout
                name, opened = open_signed(sealed, secret_line(self.secret), self.known, self.me)
                self.assertEqual(name, "Alice Example")
                self.assert_same(opened, content(length), str(length))
                text = run(SEALMARK, "seal", "--detached", "--sign", self.signer, "-o", "-", plain).stdout.decode()
                self.assertEqual(verify_detached(content(length), text, self.known), "Alice Example")
                with self.assertRaises(InvalidSignature):
                    verify_detached(content(length) + b"x", text, self.known)
                with self.assertRaises(InvalidSignature):
                    open_signed(sealed, secret_line(self.secret), self.known, ("x25519", bytes(32)))

    def test_python_opens_our_archive(self):
        self.path("folder").mkdir()
        self.file("folder/file", content(20000))
        command = [SEALMARK, "seal", "-R", self.recipient, "--sign", self.signer, "-o", "-", self.path("folder")]
        name, opened = open_signed(run(*command).stdout, secret_line(self.secret), self.known, self.me)
        self.assertEqual(name, "Alice Example")
        self.assertIn(content(20000), opened)

    def test_we_open_what_python_signed(self):
        seeds = bech32(secret_line(self.signer))
        self.assertEqual(public_of(seeds), self.known["Alice Example"])
        for length in LENGTHS:
            with self.subTest(length=length):
                sealed = self.file("sealed", self.seal(content(length), seeds))
                command = [SEALMARK, "open", "-i", self.secret, "--from", self.senders, "-o", "-", sealed]
                self.assert_same(run(*command).stdout, content(length), str(length))
                text = self.detached(content(length), seeds)
                plain = self.file("plain", content(length))
                run(SEALMARK, "verify", "--from", self.senders, "--detached", self.file("plain.sig", text), plain)

    def test_we_refuse_what_python_signed_with_another_key(self):
        sealed = self.file("sealed", self.seal(content(99), os.urandom(64)))
        run(SEALMARK, "open", "-i", self.secret, "--from", self.senders, "-o", "-", sealed, expect=4)

    def detached(self, plain: bytes, seeds: bytes) -> str:
        public = public_of(seeds)
        signature = sign(seeds, DETACHED, message(public, plain))
        signer = hashes.Hash(hashes.SHA256())
        signer.update(public)
        return f"sealmark/1 signature\n-> mldsa65ed25519 {base64(signer.finalize())}\n{wrap(base64(signature))}\n"

    def seal(self, plain: bytes, seeds: bytes) -> bytes:
        """Cobblestone-256 is written out, because the signature covers the salt, which pyca draws itself."""
        kem, private_key = KEMS["x25519"]
        file_key, salt = os.urandom(32), os.urandom(24)
        suite = hpke.Suite(kem, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM)
        key = private_key(bech32(secret_line(self.secret)))
        wrapped = suite.encrypt(file_key, key.public_key(), b"sealmark/1 file x25519")
        stanza = f"-> x25519 {base64(wrapped[:-48])}\n{wrap(base64(wrapped[-48:]))}\n-> content signed\n\n"
        header = f"sealmark/1\n{stanza}---".encode()
        mac = hmac.digest(derive(file_key, b"header"), header, "sha256")
        info = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0" + salt + b"sealmark/1 file"
        okm = HKDFExpand(hashes.SHA512(), 76, info).derive(derive(file_key, b"payload"))
        aead, nonce, prefix = AESGCM(okm[:32]), int.from_bytes(okm[32:44]), salt + okm[44:]
        plain = signed_plaintext(file_key, prefix, plain, seeds, [recipient_id(*self.me)])
        pieces = [plain[i : i + 16384] for i in range(0, len(plain) + 1, 16384)]
        chunks = [aead.encrypt((nonce ^ i).to_bytes(12), piece, b"") for i, piece in enumerate(pieces)]
        return header + f" {base64(mac)}\n".encode() + prefix + b"".join(chunks)


if __name__ == "__main__":
    unittest.main()
