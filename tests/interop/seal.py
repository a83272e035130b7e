"""Seals in the format sealmark/1 with pyca/cryptography: the counterpart of open.py, for tests alone."""

import hmac
import os
import textwrap
from base64 import b64encode

from cryptography.cobblestone import Cobblestone256Encryptor
from cryptography.hazmat.primitives import hpke
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from open import KEMS, bech32, derive

COST = {"memory": 8192, "passes": 1, "lanes": 1}


def seal_to(kind: str, key: str, plaintext: bytes) -> bytes:
    """Seals to the public half of a secret key."""
    kem, private_key = KEMS[kind]
    file_key = os.urandom(32)
    suite = hpke.Suite(kem, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM)
    wrapped = suite.encrypt(file_key, private_key(bech32(key)).public_key(), f"sealmark/1 file {kind}".encode())
    enc, body = wrapped[:-48], wrapped[-48:]
    return assemble(file_key, [kind, base64(enc)], body, plaintext)


def seal_with_passphrase(passphrase: str, plaintext: bytes) -> bytes:
    file_key, salt = os.urandom(32), os.urandom(16)
    kdf = Argon2id(
        salt=b"sealmark/1 file argon2id" + salt,
        length=32,
        iterations=COST["passes"],
        lanes=COST["lanes"],
        memory_cost=COST["memory"],
    )
    body = AESGCM(kdf.derive(passphrase.encode())).encrypt(bytes(12), file_key, b"")
    return assemble(file_key, ["argon2id", base64(salt), *map(str, COST.values())], body, plaintext)


def assemble(file_key: bytes, arguments: list[str], body: bytes, plaintext: bytes) -> bytes:
    stanza = f"-> {' '.join(arguments)}\n{wrap(base64(body))}\n"
    header = f"sealmark/1\n{stanza}---".encode()
    mac = hmac.digest(derive(file_key, b"header"), header, "sha256")
    chunks = Cobblestone256Encryptor(derive(file_key, b"payload"), b"sealmark/1 file")
    return header + f" {base64(mac)}\n".encode() + chunks.update(plaintext) + chunks.finalize()


def wrap(text: str) -> str:
    """Lines of 64 columns; the last one is always shorter, so a full line is followed by an empty one."""
    lines = textwrap.wrap(text, 64)
    return "\n".join(lines if lines and len(lines[-1]) < 64 else [*lines, ""])


def base64(data: bytes) -> str:
    return b64encode(data).decode().rstrip("=")
