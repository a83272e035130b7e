"""Opens a sealmark/1 file as spec/file.md describes it, with pyca/cryptography and not a line of sealmark's own code.

usage: python open.py KEY_FILE < SEALED > PLAINTEXT      the file's last line is a secret key or a passphrase
"""

import hmac
import sys
from base64 import b64decode, b64encode
from pathlib import Path

from cryptography.cobblestone import Cobblestone256Decryptor
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, hpke
from cryptography.hazmat.primitives.asymmetric import ec, mlkem
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEMS = {  # stanza: (HPKE KEM, private key from its bytes)
    "x25519": (hpke.KEM.X25519, X25519PrivateKey.from_private_bytes),
    "p256": (hpke.KEM.P256, lambda key: ec.derive_private_key(int.from_bytes(key), ec.SECP256R1())),
    "mlkem768": (hpke.KEM.MLKEM768, mlkem.MLKEM768PrivateKey.from_seed_bytes),
    "mlkem1024": (hpke.KEM.MLKEM1024, mlkem.MLKEM1024PrivateKey.from_seed_bytes),
    "mlkem768x25519": (hpke.KEM.MLKEM768_X25519, lambda seed: x_wing(expand(seed, 96))),
    "mlkem1024p384": (hpke.KEM.MLKEM1024_P384, lambda seed: mlkem1024_p384(expand(seed, 112))),
}
PREFIXES = {"AGE-SECRET-KEY-": "x25519", "AGE-SECRET-KEY-PQ-": "mlkem768x25519"}


def open_sealed(sealed: bytes, key: str) -> bytes:
    header, stanzas, mac, payload = parse(sealed)
    file_key = next(filter(None, (try_unwrap(stanza, key) for stanza in stanzas)), None)
    if file_key is None:
        raise LookupError("no stanza fits the key")
    if not hmac.compare_digest(hmac.digest(derive(file_key, b"header"), header, "sha256"), mac):
        raise ValueError("the header's MAC is wrong")
    chunks = Cobblestone256Decryptor(derive(file_key, b"payload"), b"sealmark/1 file")
    return chunks.update(payload) + chunks.finalize()


def parse(sealed: bytes):
    """Returns the bytes under the MAC, the stanzas as (arguments, body), the MAC, and the payload after the header."""
    end = sealed.index(b"\n--- ") + len("\n---")
    mac, _, payload = sealed[end + 1 :].partition(b"\n")
    mac = unbase64(mac.decode("ascii"))
    version, *stanzas = sealed[: end - 4].decode("ascii").split("\n-> ")
    if version != "sealmark/1":
        raise ValueError(f"not a sealmark/1 file: {version!r}")
    stanzas = [stanza.partition("\n") for stanza in stanzas]
    return sealed[:end], [(args.split(" "), unbase64(body)) for args, _, body in stanzas], mac, payload


def try_unwrap(stanza, key: str) -> bytes | None:
    """A stanza does not name its key, so each key of its type is tried."""
    try:
        return unwrap(stanza, key)
    except InvalidTag:
        return None


def unwrap(stanza, key: str) -> bytes | None:
    (kind, *arguments), body = stanza
    if kind == "argon2id":
        return unwrap_with_passphrase(arguments, body, key)
    if kind == "age" and arguments[1] == "X25519":
        return unwrap_of_age(arguments, body, key)
    prefix, _, _ = key.rpartition("1")
    if PREFIXES.get(prefix, prefix.removeprefix("SEALMARK-SECRET-KEY-").lower().rstrip("-")) != kind:
        return None
    kem, private_key = KEMS[kind]
    suite = hpke.Suite(kem, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM)
    info = f"sealmark/1 file {kind}".encode()
    return suite.decrypt(unbase64(arguments[0]) + body, private_key(bech32(key)), info)


def unwrap_of_age(arguments, body: bytes, key: str) -> bytes | None:
    """The stanza of age inside wraps a key, which wraps the file key."""
    if not key.startswith("AGE-SECRET-KEY-1"):
        return None
    wrapped, share = unbase64(arguments[0]), unbase64(arguments[2])
    secret = X25519PrivateKey.from_private_bytes(bech32(key))
    shared, public = secret.exchange(X25519PublicKey.from_public_bytes(share)), secret.public_key().public_bytes_raw()
    label = b"age-encryption.org/v1/X25519"
    inner = HKDF(hashes.SHA256(), 32, salt=share + public, info=label).derive(shared)
    inner = ChaCha20Poly1305(inner).decrypt(bytes(12), body, b"")
    stanza = f"-> X25519 {arguments[2]}\n{b64encode(body).decode().rstrip('=')}\n".encode()
    wrap_key = HKDF(hashes.SHA256(), 32, salt=stanza, info=b"sealmark/1 file age").derive(inner)
    return AESGCM(wrap_key).decrypt(bytes(12), wrapped, b"")


def unwrap_with_passphrase(arguments, body: bytes, passphrase: str) -> bytes:
    salt, (memory, passes, lanes) = unbase64(arguments[0]), map(int, arguments[1:])
    salt = b"sealmark/1 file argon2id" + salt
    kdf = Argon2id(salt=salt, length=32, iterations=passes, lanes=lanes, memory_cost=memory)
    return AESGCM(kdf.derive(passphrase.encode())).decrypt(bytes(12), body, b"")


def derive(file_key: bytes, use: bytes) -> bytes:
    return HKDF(hashes.SHA256(), 32, salt=b"", info=b"sealmark/1 file " + use).derive(file_key)


def expand(seed: bytes, length: int) -> bytes:
    shake = hashes.Hash(hashes.SHAKE256(length))
    shake.update(seed)
    return shake.finalize()


def x_wing(seeds: bytes):
    classic = X25519PrivateKey.from_private_bytes(seeds[64:])
    return hpke.MLKEM768X25519PrivateKey(mlkem.MLKEM768PrivateKey.from_seed_bytes(seeds[:64]), classic)


def mlkem1024_p384(seeds: bytes):
    classic = ec.derive_private_key(int.from_bytes(seeds[64:]), ec.SECP384R1())
    return hpke.MLKEM1024P384PrivateKey(mlkem.MLKEM1024PrivateKey.from_seed_bytes(seeds[:64]), classic)


def unbase64(text: str) -> bytes:
    text = text.replace("\n", "")
    return b64decode(text + "=" * (-len(text) % 4), validate=True)


def bech32(text: str) -> bytes:
    """The bytes of a key string; its checksum guards against typing errors, which a test does not make."""
    symbols = text.lower().rpartition("1")[2][:-6]
    bits = "".join(f"{'qpzry9x8gf2tvdw0s3jn54khce6mua7l'.index(symbol):05b}" for symbol in symbols)
    return int(bits[: len(bits) // 8 * 8], 2).to_bytes(len(bits) // 8)


if __name__ == "__main__":
    key = Path(sys.argv[1]).read_text().splitlines()[-1]
    sys.stdout.buffer.write(open_sealed(sys.stdin.buffer.read(), key))
