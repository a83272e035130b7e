"""The pieces of a sealmark/1 file as spec/file.md describes them, each open to being written wrongly.

Nothing here is the library's: the primitives are pyca/cryptography's, HPKE and the hybrids are written out, because a
vector needs what no library offers, such as a share of low order.
"""

import hashlib
import hmac
from base64 import b64encode
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, mlkem
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

VERSION = b"sealmark/1\n"
CONTEXT = b"sealmark/1 file"
CHUNK = 16384
SECRET = 32  # bytes of every shared secret


def fixed(what: str, length: int = 32) -> bytes:
    """The same bytes for the same words: vectors keep what they can from one generation to the next."""
    return hashlib.shake_256(f"sealmark vector {what}".encode()).digest(length)


def b64(data: bytes) -> str:
    return b64encode(data).decode().rstrip("=")


# -- keys ------------------------------------------------------------------------------------------------------------

KEM_IDS = {
    "x25519": 0x0020,
    "p256": 0x0010,
    "mlkem768": 0x0041,
    "mlkem1024": 0x0042,
    "mlkem768x25519": 0x647A,
    "mlkem768p256": 0x0050,
    "mlkem1024p384": 0x0051,
}
LABELS = {"mlkem768x25519": b"\\.//^\\", "mlkem768p256": b"MLKEM768-P256", "mlkem1024p384": b"MLKEM1024-P384"}
PREFIXES = {"x25519": "AGE-SECRET-KEY-", "mlkem768x25519": "AGE-SECRET-KEY-PQ-"}
HYBRIDS = {
    "mlkem768x25519": ("mlkem768", "x25519"),
    "mlkem768p256": ("mlkem768", "p256"),
    "mlkem1024p384": ("mlkem1024", "p384"),
}
# curve, bytes of a scalar, bytes of candidates for one
CURVES = {"p256": (ec.SECP256R1(), 32, 128), "p384": (ec.SECP384R1(), 48, 48)}


def key_string(kem: str, secret: bytes) -> str:
    return bech32(PREFIXES.get(kem, f"SEALMARK-SECRET-KEY-{kem.upper()}-").lower(), secret).upper()


def bech32(prefix: str, data: bytes) -> str:
    """BIP 173 in lower case."""
    bits = "".join(f"{byte:08b}" for byte in data)
    symbols = [int(bits[i : i + 5].ljust(5, "0"), 2) for i in range(0, len(bits), 5)]
    spread = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    check = bech32_polymod(spread + symbols + [0] * 6) ^ 1
    symbols += [(check >> 5 * (5 - i)) & 31 for i in range(6)]
    return prefix + "1" + "".join("qpzry9x8gf2tvdw0s3jn54khce6mua7l"[s] for s in symbols)


def bech32_polymod(values) -> int:
    check = 1
    for value in values:
        top, check = check >> 25, (check & 0x1FFFFFF) << 5 ^ value
        for i, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= generator if top >> i & 1 else 0
    return check


@dataclass(frozen=True)
class Key:
    """A private key of a KEM, by the name that fixes its bytes."""

    kem: str
    name: str = "alice"

    @property
    def secret(self) -> bytes:
        return fixed(f"{self.kem} key of {self.name}", 64 if self.kem in ("mlkem768", "mlkem1024") else 32)

    def __str__(self) -> str:
        return key_string(self.kem, self.secret)

    def encapsulate(self, what: str) -> tuple[bytes, bytes]:
        """The encapsulated key and the shared secret; all but ML-KEM's half is fixed by `what`."""
        ephemeral = fixed(f"ephemeral key of {what}")
        if self.kem in ("x25519", "p256"):
            enc, own, dh = classic(self.kem, self.secret, ephemeral)
            return enc, dhkem_secret(self.kem, dh, enc + own)
        if self.kem in ("mlkem768", "mlkem1024"):
            secret, enc = lattice(self.kem, self.secret).public_key().encapsulate()
            return enc, secret
        return self.encapsulate_hybrid(ephemeral)

    def encapsulate_hybrid(self, ephemeral: bytes, share: bytes | None = None) -> tuple[bytes, bytes]:
        """`share` replaces the X25519 half by one of low order, whose secret is zero."""
        pq, group = HYBRIDS[self.kem]
        seeds = hashlib.shake_256(self.secret).digest(64 + 128)
        pq_secret, pq_enc = lattice(pq, seeds[:64]).public_key().encapsulate()
        enc, own, dh = classic(group, scalar(group, seeds[64:]), ephemeral)
        if share is not None:
            enc, dh = share, bytes(32)
        secret = hashlib.sha3_256(pq_secret + dh + enc + own + LABELS[self.kem]).digest()
        return pq_enc + enc, secret


def lattice(kem: str, seed: bytes):
    kinds = {"mlkem768": mlkem.MLKEM768PrivateKey, "mlkem1024": mlkem.MLKEM1024PrivateKey}
    return kinds[kem].from_seed_bytes(seed)


def scalar(group: str, seed: bytes) -> bytes:
    if group == "x25519":
        return seed[:32]
    _, length, candidates = CURVES[group]
    return next(s for s in (seed[i : i + length] for i in range(0, candidates, length)) if valid_scalar(group, s))


def valid_scalar(group: str, secret: bytes) -> bool:
    try:
        ec.derive_private_key(int.from_bytes(secret), CURVES[group][0])
        return True
    except ValueError:
        return False


def classic(group: str, secret: bytes, ephemeral: bytes) -> tuple[bytes, bytes, bytes]:
    """The sender's share, the recipient's public key and the Diffie-Hellman result."""
    if group == "x25519":
        sender, own = X25519PrivateKey.from_private_bytes(ephemeral), X25519PrivateKey.from_private_bytes(secret)
        enc, public = sender.public_key().public_bytes_raw(), own.public_key().public_bytes_raw()
        return enc, public, sender.exchange(X25519PublicKey.from_public_bytes(public))
    curve, length, _ = CURVES[group]
    ephemeral = hashlib.shake_256(ephemeral).digest(length - 1)
    sender, own = (ec.derive_private_key(int.from_bytes(key), curve) for key in (ephemeral, secret))
    points = [key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint) for key in (sender, own)]
    return *points, sender.exchange(ec.ECDH(), own.public_key())


# -- HPKE (RFC 9180) -------------------------------------------------------------------------------------------------


def extract(suite: bytes, salt: bytes, label: bytes, ikm: bytes) -> bytes:
    return hmac.digest(salt, b"HPKE-v1" + suite + label + ikm, "sha256")


def expand(suite: bytes, prk: bytes, label: bytes, info: bytes, length: int) -> bytes:
    labeled = length.to_bytes(2) + b"HPKE-v1" + suite + label + info
    return hmac.digest(prk, labeled + b"\x01", "sha256")[:length]


def dhkem_secret(kem: str, dh: bytes, context: bytes) -> bytes:
    suite = b"KEM" + KEM_IDS[kem].to_bytes(2)
    return expand(suite, extract(suite, b"", b"eae_prk", dh), b"shared_secret", context, SECRET)


def hpke_seal(kem: str, secret: bytes, info: bytes, plaintext: bytes) -> bytes:
    """One message in base mode under HKDF-SHA256 and AES-256-GCM."""
    suite = b"HPKE" + KEM_IDS[kem].to_bytes(2) + b"\x00\x01\x00\x02"
    context = b"\x00" + extract(suite, b"", b"psk_id_hash", b"") + extract(suite, b"", b"info_hash", info)
    prk = extract(suite, secret, b"secret", b"")
    key, nonce = expand(suite, prk, b"key", context, 32), expand(suite, prk, b"base_nonce", context, 12)
    return AESGCM(key).encrypt(nonce, plaintext, b"")


# -- header ----------------------------------------------------------------------------------------------------------


def derive(file_key: bytes, use: bytes, context: bytes = CONTEXT + b" ") -> bytes:
    return HKDF(hashes.SHA256(), 32, salt=b"", info=context + use).derive(file_key)


def stanza(arguments: list[str], body: bytes) -> bytes:
    return f"-> {' '.join(arguments)}\n{wrap(b64(body))}\n".encode()


def wrap(text: str) -> str:
    """Lines of 64 columns; a full last line is followed by an empty one."""
    return "\n".join(text[i : i + 64] for i in range(0, len(text) + 1, 64))


def recipient(file_key: bytes, key: Key, what: str = "", info: bytes | None = None) -> tuple[list[str], bytes]:
    """Arguments and body of a stanza."""
    enc, secret = key.encapsulate(what)
    info = b"sealmark/1 file " + key.kem.encode() if info is None else info
    return [key.kem, b64(enc)], hpke_seal(key.kem, secret, info, file_key)


def passphrase(file_key: bytes, words: str, cost: tuple[int, int, int] = (64, 1, 1), salt: bytes = fixed("salt", 16)):
    """Arguments and body of a stanza; the cost is memory in KiB, passes and lanes."""
    memory, passes, lanes = cost
    salted = b"sealmark/1 file argon2id" + salt
    kdf = Argon2id(salt=salted, length=32, iterations=passes, lanes=lanes, memory_cost=memory)
    body = AESGCM(kdf.derive(words.encode())).encrypt(bytes(12), file_key, b"")
    return ["argon2id", b64(salt), *map(str, cost)], body


def header(file_key: bytes, stanzas: bytes, version: bytes = VERSION, mac_key: bytes | None = None) -> bytes:
    text = version + stanzas + b"---"
    mac = hmac.digest(derive(file_key, b"header") if mac_key is None else mac_key, text, "sha256")
    return text + f" {b64(mac)}\n".encode()


# -- payload ---------------------------------------------------------------------------------------------------------


class Payload:
    """Chunks whose ciphertext is all zero, so that a vector compresses well; the plaintext is what that takes."""

    def __init__(self, file_key: bytes, context: bytes = CONTEXT, input_key: bytes | None = None, name: str = ""):
        self.salt = fixed(f"payload salt {name}", 24)
        info = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\x00" + self.salt + context
        prk = derive(file_key, b"payload") if input_key is None else input_key
        okm = HKDFExpand(hashes.SHA512(), 32 + 12 + 32, info).derive(prk)
        self.aead, self.nonce, self.commitment = AESGCM(okm[:32]), okm[32:44], okm[44:]

    @property
    def prefix(self) -> bytes:
        return self.salt + self.commitment

    def plaintext(self, index: int, length: int) -> bytes:
        return self.aead.encrypt(self.nonce_at(index), bytes(length), b"")[:length]

    def chunk(self, index: int, length: int) -> bytes:
        return self.aead.encrypt(self.nonce_at(index), self.plaintext(index, length), b"")

    def nonce_at(self, index: int) -> bytes:
        return bytes(a ^ b for a, b in zip(self.nonce, index.to_bytes(12)))

    def lengths(self, total: int) -> list[int]:
        return [CHUNK] * (total // CHUNK) + [total % CHUNK]

    def chunks(self, total: int) -> list[bytes]:
        return [self.chunk(i, length) for i, length in enumerate(self.lengths(total))]

    def content(self, total: int) -> bytes:
        return b"".join(self.plaintext(i, length) for i, length in enumerate(self.lengths(total)))

    def sealed(self, total: int) -> bytes:
        return self.prefix + b"".join(self.chunks(total))


def armor(data: bytes, label: str = "SEALMARK ENCRYPTED FILE") -> str:
    text = b64encode(data).decode()
    lines = "".join(text[i : i + 64] + "\n" for i in range(0, len(text), 64))
    return f"-----BEGIN {label}-----\n{lines}-----END {label}-----\n"
