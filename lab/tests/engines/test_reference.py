"""The reference the engines are held to, held to what standards publish."""

import unittest

from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESGCMSIV, ChaCha20Poly1305

from reference import (ALGORITHMS, BLOCKS, ecb, encode, first_output, open_payload, rc4, seal, seal_payload,
                       splitmix)


class Reference(unittest.TestCase):
    def test_inputs_are_the_specs(self):
        self.assertEqual(splitmix(1234567, 8).hex().upper(), "85FC08FB17D09E59")
        self.assertEqual(splitmix(1234567, 8), (6457827717110365317).to_bytes(8, "little"))

    def test_base64_is_rfc_4648_section_10(self):
        for data, text in (("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")):
            self.assertEqual(encode("base64", data.encode()).decode(), text)
        self.assertEqual(encode("base64url", b"\xfb\xff\xfe\xff"), b"-__-_w")

    def test_mime_breaks_after_76_characters_and_not_at_the_end(self):
        self.assertEqual(encode("base64-mime", bytes(57)), b"A" * 76)
        self.assertEqual(encode("base64-mime", bytes(58)), b"A" * 76 + b"\r\nAA==")

    def test_block_ciphers(self):
        # FIPS 197 appendix B; FIPS 46-3's DES by NBS 500-20; Schneier's Blowfish and RFC 2268's RC2 vectors.
        for algorithm, key, plain, sealed in (
            ("AES", "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff",
             "69c4e0d86a7b0430d8cdb78070b4c55a"),
            ("DES", "0101010101010101", "8000000000000000", "95f8a5e5dd31d900"),
            ("DESede", "0123456789abcdef23456789abcdef01456789abcdef0123", "5468652071756663", "a826fd8ce53b855f"),
            ("Blowfish", "f0e1d2c3b4a5968778695a4b3c2d1e0f", "fedcba9876543210", "93142887ee3be15c"),
            ("RC2", "88bca90e90875a7f0f79c384627bafb2", "0000000000000000", "2269552ab0f85ca6"),
        ):
            with self.subTest(algorithm):
                self.assertEqual(ecb(algorithm, bytes.fromhex(key), bytes.fromhex(plain)).hex(), sealed)
                self.assertEqual(ecb(algorithm, bytes.fromhex(key), bytes.fromhex(plain) * 3).hex(), sealed * 3)

    def test_rc4_is_rfc_6229(self):
        key = bytes.fromhex("0102030405060708090a0b0c0d0e0f10")
        self.assertEqual(rc4(key, bytes(16)).hex(), "9ac7cc9a609d1ef7b2932899cde41b97")

    def test_authenticated_ciphers(self):
        # NIST's GCM specification, cases 1 and 14; RFC 8452 appendix C.2.
        for new, key, plain, sealed in (
            (AESGCM, bytes(16), "", "58e2fccefa7e3061367f1d57a4e7455a"),
            (AESGCM, bytes(32), "00" * 16, "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"),
        ):
            self.assertEqual(new(key).encrypt(bytes(12), bytes.fromhex(plain), None).hex(), sealed)
        sealer = AESGCMSIV(bytes.fromhex("01" + "00" * 31))
        self.assertEqual(sealer.encrypt(bytes.fromhex("03" + "00" * 11), b"", None).hex(), "07f5f4169bbf55a8400cd47ea6fd400f")

    def test_chacha20_poly1305_is_rfc_8439_section_2_8_2(self):
        sealer = ChaCha20Poly1305(bytes(range(0x80, 0xA0)))
        text = (b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
                b"sunscreen would be it.")
        nonce, associated = bytes.fromhex("070000004041424344454647"), bytes.fromhex("50515253c0c1c2c3c4c5c6c7")
        self.assertEqual(sealer.encrypt(nonce, text, associated)[-16:].hex(), "1ae10b594f09e26a7e902ecbd0600691")

    def test_a_sealed_payload_is_vector_ciphertext_and_tag(self):
        vector = splitmix(7 + 2, 4) + (5).to_bytes(8, "big")
        for algorithm in ("AES-128-GCM", "AES-256-GCM"):
            sealed = seal_payload(algorithm, 7, vector, b"plain")
            self.assertEqual(sealed, vector + seal(algorithm, 7, 5, b"plain"))
            self.assertEqual(open_payload(algorithm, 7, sealed), b"plain")

    def test_padding_fills_a_block_even_when_none_is_needed(self):
        for algorithm, (_, _, block) in BLOCKS.items():
            for size in (0, 1, block - 1, block, block + 1):
                self.assertEqual(len(first_output("cipher", algorithm, 7, 0, bytes(size))), size - size % block + block)

    def test_only_authenticated_ciphers_depend_on_the_number(self):
        for job, algorithms in ALGORITHMS.items():
            for algorithm in algorithms:
                first, second = (first_output(job, algorithm, 7, number, b"same") for number in (1, 2))
                self.assertEqual(first != second, "GCM" in algorithm or "Poly" in algorithm, algorithm)


if __name__ == "__main__":
    unittest.main()
