"""The pieces of a sealed log as spec/record.md describes them, each open to being written wrongly."""

import hashlib
import hmac
from base64 import urlsafe_b64encode

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from wire import KEM_IDS, Key, fixed, hpke_seal, key_string

PART = 639  # bytes of a part
PSK = fixed("pre-shared key")


def b64url(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def hkdf(ikm: bytes, info: bytes, salt: bytes = b"") -> bytes:
    return HKDF(hashes.SHA256(), 32, salt=salt, info=info).derive(ikm)


def psk_string(secret: bytes = PSK) -> str:
    return key_string("psk", secret)


# -- header ----------------------------------------------------------------------------------------------------------


def stanza(kind: int, data: bytes) -> bytes:
    return kind.to_bytes(2) + len(data).to_bytes(2) + data


def for_key(session_key: bytes, key: Key, info: bytes | None = None, what: str = "log") -> bytes:
    enc, secret = key.encapsulate(what)
    info = b"sealmark/1 log " + key.kem.encode() if info is None else info
    return stanza(KEM_IDS[key.kem], enc + hpke_seal(key.kem, secret, info, session_key))


def for_psk(session_key: bytes, psk: bytes = PSK, salt: bytes = fixed("log salt")) -> bytes:
    return stanza(0, salt + AESGCM(hkdf(psk, b"sealmark/1 log psk", salt)).encrypt(bytes(12), session_key, b""))


def numbered(session: str, digest: str, number: object, of: object, body: str) -> str:
    return f"~s1h~{session}~{digest}~{number}.{of}~{body}~"


def digest(header: bytes) -> str:
    return b64url(hashlib.sha256(header).digest()[:9])


def json_line(token: str) -> str:
    return f'{{"sealmark":"{token}"}}\n'


# -- session ---------------------------------------------------------------------------------------------------------


class Session:
    """A session under a fixed key, whose id may be a lie."""

    def __init__(self, name: str = "", session_id: bytes | None = None):
        self.key = fixed(f"log session {name}")
        self.raw_id = hkdf(self.key, b"sealmark/1 log session")[:12] if session_id is None else session_id
        self.id = b64url(self.raw_id)
        self.aead = AESGCM(hkdf(self.key, b"sealmark/1 log value"))

    def header(
        self,
        stanzas: bytes | None = None,
        count: int = 1,
        version: int = 1,
        mac_key: bytes | None = None,
        flags: int = 0,
        previous: bytes = bytes(12),
        previous_count: int = 0,
        time: int = 0,
    ) -> bytes:
        stanzas = for_psk(self.key) if stanzas is None else stanzas
        facts = bytes([flags]) + previous + previous_count.to_bytes(8) + time.to_bytes(8)
        start = bytes([version]) + self.raw_id + facts + count.to_bytes(2) + stanzas
        return start + hmac.digest(mac_key or hkdf(self.key, b"sealmark/1 log header"), start, "sha256")

    def parts(self, header: bytes | None = None, size: int = PART, named: str | None = None) -> list[str]:
        """The parts of a header under its digest, or under another one."""
        header = self.header() if header is None else header
        pieces = [header[i : i + size] for i in range(0, len(header), size)]
        named = named or digest(header)
        return [numbered(self.id, named, i, len(pieces), b64url(piece)) for i, piece in enumerate(pieces, 1)]

    def lines(self, *stanzas: bytes) -> str:
        """The header of these stanzas, or of the pre-shared key's, as lines."""
        header = self.header(b"".join(stanzas), len(stanzas)) if stanzas else self.header()
        return "".join(f"{part}\n" for part in self.parts(header))

    def head(self, label: str, suite: str) -> str:
        return f"~s1{suite}~{label}~{self.id}~"

    def body(self, value: bytes, counter: int = 0, label: str = "v", suite: str = "a", head: str | None = None) -> bytes:
        head = self.head(label, suite) if head is None else head
        nonce = counter.to_bytes(12)
        return counter.to_bytes(4) + self.aead.encrypt(nonce, value, head.encode())

    def token(self, value: bytes, counter: int = 0, label: str = "v", suite: str = "a") -> str:
        return f"{self.head(label, suite)}{b64url(self.body(value, counter, label, suite))}~"

    def padded(self, value: bytes, multiple: int, counter: int = 0, suite: str = "p") -> str:
        length = (len(value) // multiple + 1) * multiple
        return self.token((value + b"\x80").ljust(length, b"\x00"), counter, suite=suite)

    def hollow(self, length: int) -> bytes:
        """A value whose ciphertext is all zero, so that its token compresses."""
        return self.aead.encrypt(bytes(12), bytes(length), b"")[:length]

    def closing(self, count: int, unused: list[tuple[int, int]] = (), runs: bytes | None = None) -> str:
        head = f"~s1z~{self.id}~"
        runs = b"".join(a.to_bytes(4) + n.to_bytes(4) for a, n in unused) if runs is None else runs
        sealed = self.aead.encrypt(b"\x01" + bytes(3) + count.to_bytes(8), runs, head.encode())
        return f"{head}{b64url(count.to_bytes(8) + sealed)}~"
