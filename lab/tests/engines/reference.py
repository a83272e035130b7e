"""The output that an engine must make of an input, computed by pyca/cryptography and the standard library, in the plainest way
and apart from every engine. test_reference.py holds it to published vectors."""

import base64

from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESGCMSIV, ChaCha20Poly1305
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.decrepit.ciphers.algorithms import ARC4, RC2, Blowfish, TripleDES

MASK = (1 << 64) - 1
AEADS = {
    "AES-128-GCM": (AESGCM, 16),
    "AES-256-GCM": (AESGCM, 32),
    "AES-256-GCM-SIV": (AESGCMSIV, 32),
    "ChaCha20-Poly1305": (ChaCha20Poly1305, 32),
}
# Three times the same key makes DESede single DES.
BLOCKS = {
    "DES": (lambda key: TripleDES(key * 3), 8, 8),
    "DESede": (TripleDES, 24, 8),
    "AES": (AES, 16, 16),
    "Blowfish": (Blowfish, 16, 8),
    "RC2": (RC2, 16, 8),
}
ALGORITHMS = {
    "codec": ["base64", "base64url", "base64-mime", "none"],
    "cipher": [*BLOCKS, "RC4", *AEADS, "none"],
}
OPERATIONS = {"codec": ("encode", "decode"), "cipher": ("seal", "open")}


def splitmix(seed: int, length: int) -> bytes:
    output, state = bytearray(), seed
    while len(output) < length:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        output += (z ^ (z >> 31)).to_bytes(8, "little")
    return bytes(output[:length])


def text(data: bytes) -> bytes:
    """A value of job `record`: what a recipe gives, as text."""
    return bytes(32 + byte % 64 for byte in data)


def first_output(job: str, algorithm: str, seed: int, number: int, data: bytes) -> bytes:
    """The output of `seal` or `encode` for the data, as operation `number`."""
    if algorithm == "none":
        return data
    return encode(algorithm, data) if job == "codec" else seal(algorithm, seed, number, data)


def encode(algorithm: str, data: bytes) -> bytes:
    text = base64.b64encode(data)
    if algorithm == "base64url":
        return text.translate(bytes.maketrans(b"+/", b"-_")).rstrip(b"=")
    if algorithm == "base64-mime":
        return b"\r\n".join(text[at : at + 76] for at in range(0, len(text), 76))
    return text


def seal(algorithm: str, seed: int, number: int, data: bytes) -> bytes:
    if algorithm in AEADS:
        new, length = AEADS[algorithm]
        nonce = splitmix(seed + 2, 4) + number.to_bytes(8, "big")
        return new(splitmix(seed + 1, length)).encrypt(nonce, data, None)
    if algorithm == "RC4":
        return rc4(splitmix(seed + 1, 16), data)
    _, length, block = BLOCKS[algorithm]
    padding = block - len(data) % block
    return ecb(algorithm, splitmix(seed + 1, length), data + bytes([padding]) * padding)


def seal_payload(algorithm: str, seed: int, vector: bytes, data: bytes) -> bytes:
    """A sealed file of job `payload`: the vector, the ciphertext, the tag."""
    new, length = AEADS[algorithm]
    return vector + new(splitmix(seed + 1, length)).encrypt(vector, data, None)


def open_payload(algorithm: str, seed: int, sealed: bytes) -> bytes:
    """Raises InvalidTag where the file is not whole and unaltered."""
    new, length = AEADS[algorithm]
    return new(splitmix(seed + 1, length)).decrypt(sealed[:12], sealed[12:], None)


def rc4(key: bytes, data: bytes) -> bytes:
    return Cipher(ARC4(key), None).encryptor().update(data)


def ecb(algorithm: str, key: bytes, data: bytes) -> bytes:
    new, _, size = BLOCKS[algorithm]
    if algorithm != "RC2":
        return Cipher(new(key), modes.ECB()).encryptor().update(data)
    # RC2 is there in CBC only: undo its chaining by adding the block before once more.
    chain, output = Cipher(new(key), modes.CBC(bytes(size))).encryptor(), bytes(size)
    for at in range(0, len(data), size):
        mixed = (a ^ b for a, b in zip(data[at : at + size], output[-size:]))
        output += chain.update(bytes(mixed))
    return output[size:]
