"""Opens and makes signed files as spec/file.md, "Signatures", describes them, with pyca/cryptography and blake3.

usage: python signatures.py KEY_FILE SENDERS RECIPIENT < SEALED > PLAINTEXT
    SENDERS has a name and a public key on each line, RECIPIENT is the public key that belongs to the key file
"""

import sys
from base64 import b64decode
from hashlib import sha256, sha512
from pathlib import Path

from blake3 import blake3
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA65PrivateKey, MLDSA65PublicKey

from open import bech32, derive, open_sealed, parse, try_unwrap

LABEL = b"COMPSIG-MLDSA65-Ed25519-SHA512"
MIB, CHUNK, SIGNATURE = 1 << 20, 16384, 3309 + 64
FILE, ARCHIVE, DETACHED = b"sealmark/1 file", b"sealmark/1 archive", b"sealmark/1 signature"


def open_signed(sealed: bytes, key: str, senders: dict[str, bytes], recipient: tuple[str, bytes]) -> tuple[str, bytes]:
    """Returns the name of the sender and the content."""
    header, stanzas, _, payload = parse(sealed)
    if stanzas[-1][0] not in (["content", "signed"], ["content", "tar", "signed"]):
        raise InvalidSignature("the file is not signed")
    plaintext = open_sealed(sealed, key)
    file_key = next(filter(None, (try_unwrap(stanza, key) for stanza in stanzas)))
    length, count = int.from_bytes(plaintext[-16:-8]), int.from_bytes(plaintext[-8:])
    start, leaves = length + -length % CHUNK, -(-length // MIB)
    block = plaintext[start:]
    mark, ids, hashes, signer, signature, footer = cut(block, 32, 32 * count, 32 * leaves, 32, SIGNATURE, 16)
    if mark != derive(file_key, b"signature") or any(plaintext[length:start]) or len(footer) != 16:
        raise ValueError("the block is not where it must be")
    content = plaintext[:length]
    name, public = next((item for item in senders.items() if sha256(item[1]).digest() == signer), (None, None))
    if name is None or hashes != b"".join(leaves_of(content)):
        raise InvalidSignature("no known sender, or other content")
    ids = [ids[i : i + 32] for i in range(0, len(ids), 32)]
    context = ARCHIVE if "tar" in stanzas[-1][0] else FILE
    verify(public, context, message(public, content, payload[:56], ids), signature)
    if recipient_id(*recipient) not in ids:
        raise InvalidSignature("the sender meant others")
    return name, content


def verify_detached(content: bytes, text: str, senders: dict[str, bytes]) -> str:
    first, line, *body = text.splitlines()
    signer = b64decode(line.removeprefix("-> mldsa65ed25519 ") + "=")
    name, public = next(item for item in senders.items() if sha256(item[1]).digest() == signer)
    verify(public, DETACHED, message(public, content), b64decode("".join(body) + "==="[: -len("".join(body)) % 4]))
    return name


def cut(data: bytes, *lengths: int) -> list[bytes]:
    ends = [sum(lengths[: i + 1]) for i in range(len(lengths))]
    return [data[end - length : end] for end, length in zip(ends, lengths)]


def leaves_of(content: bytes) -> list[bytes]:
    return [blake3(content[i : i + MIB]).digest() for i in range(0, len(content), MIB)]


def recipient_id(kind: str, public: bytes) -> bytes:
    return sha256(kind.encode() + b"\0" + public).digest()


def message(signer: bytes, content: bytes, prefix: bytes = b"", ids: list[bytes] | None = None) -> bytes:
    """The message of a sealed file if there are recipients, otherwise that of a plain one."""
    root = blake3(b"".join(leaves_of(content)), derive_key_context="sealmark/1 signature tree").digest()
    number = b"" if ids is None else len(ids).to_bytes(8)
    return signer + prefix + len(content).to_bytes(8) + number + b"".join(ids or []) + root


def representative(context: bytes, text: bytes) -> bytes:
    return b"CompositeAlgorithmSignatures2025" + LABEL + bytes([len(context)]) + context + sha512(text).digest()


def verify(public: bytes, context: bytes, text: bytes, signature: bytes):
    text = representative(context, text)
    MLDSA65PublicKey.from_public_bytes(public[:1952]).verify(signature[:3309], text, LABEL)
    Ed25519PublicKey.from_public_bytes(public[1952:]).verify(signature[3309:], text)


# -- making, for tests alone -----------------------------------------------------------------------------------------


def sign(seeds: bytes, context: bytes, text: bytes) -> bytes:
    text = representative(context, text)
    ed25519 = Ed25519PrivateKey.from_private_bytes(seeds[32:]).sign(text)
    return MLDSA65PrivateKey.from_seed_bytes(seeds[:32]).sign(text, LABEL) + ed25519


def public_of(seeds: bytes) -> bytes:
    ed25519 = Ed25519PrivateKey.from_private_bytes(seeds[32:]).public_key().public_bytes_raw()
    return MLDSA65PrivateKey.from_seed_bytes(seeds[:32]).public_key().public_bytes_raw() + ed25519


def signed_plaintext(file_key: bytes, prefix: bytes, content: bytes, seeds: bytes, ids: list[bytes]) -> bytes:
    ids, public = sorted(ids), public_of(seeds)
    signature = sign(seeds, FILE, message(public, content, prefix, ids))
    footer = len(content).to_bytes(8) + len(ids).to_bytes(8)
    parts = [derive(file_key, b"signature"), *ids, *leaves_of(content), sha256(public).digest(), signature, footer]
    return content + bytes(-len(content) % CHUNK) + b"".join(parts)


if __name__ == "__main__":
    key, names, recipient = (Path(name).read_text().splitlines() for name in sys.argv[1:])
    senders = {name: bech32(public) for name, public in (line.rsplit(" ", 1) for line in names)}
    kind = {"age": "x25519", "age1pq": "mlkem768x25519"}.get(recipient[0].rpartition("1")[0])
    kind = kind or recipient[0].rpartition("1")[0].removeprefix("sealmark-").rstrip("-")
    name, content = open_signed(sys.stdin.buffer.read(), key[-1], senders, (kind, bech32(recipient[0])))
    print(f"signed by {name}", file=sys.stderr)
    sys.stdout.buffer.write(content)
