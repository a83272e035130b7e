"""Signed files that are sound, and signed files that break one rule each."""

from dataclasses import dataclass, field
from hashlib import sha256, sha512

from archive_wire import Archive, seal
from archives import SMALL
from blake3 import blake3
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA65PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from vector import ALICE, BOB, FILE_KEY, PLAIN, SUCCESS, Vector, to_alice
from wire import CHUNK, CONTEXT, bech32, derive, fixed, header

SIGNATURE, UNSIGNED, STRANGER, FORWARDED, PAYLOAD = (
    "signature failure",
    "unsigned",
    "unknown sender",
    "forwarded",
    "payload failure",
)
LABEL = b"COMPSIG-MLDSA65-Ed25519-SHA512"
ORDER = 2**252 + 27742317777372353535851937790883648493
MIB = 1 << 20
FILE_STANZA, ARCHIVE_STANZA = b"-> content signed\n\n", b"-> content tar signed\n\n"
ARCHIVE_CONTEXT = b"sealmark/1 archive"
MARK = derive(FILE_KEY, b"signature", CONTEXT + b" ")


@dataclass(frozen=True)
class Signer:
    name: str

    def seed(self, algorithm: str) -> bytes:
        return fixed(f"{algorithm} key of {self.name}")

    def public(self) -> bytes:
        mldsa = MLDSA65PrivateKey.from_seed_bytes(self.seed("mldsa65")).public_key().public_bytes_raw()
        return mldsa + Ed25519PrivateKey.from_private_bytes(self.seed("ed25519")).public_key().public_bytes_raw()

    def __str__(self) -> str:
        return bech32("sealmark-mldsa65ed25519-", self.public())

    def sign(self, text: bytes, context: bytes = CONTEXT, label: bytes = LABEL) -> bytes:
        text = b"CompositeAlgorithmSignatures2025" + LABEL + bytes([len(context)]) + context + sha512(text).digest()
        mldsa = MLDSA65PrivateKey.from_seed_bytes(self.seed("mldsa65")).sign(text, label)
        return mldsa + Ed25519PrivateKey.from_private_bytes(self.seed("ed25519")).sign(text)


CAROL, MALLORY = Signer("carol"), Signer("mallory")


def recipient_id(key) -> bytes:
    public = X25519PrivateKey.from_private_bytes(key.secret).public_key().public_bytes_raw()
    return sha256(key.kem.encode() + b"\0" + public).digest()


def leaves(content: bytes) -> list[bytes]:
    return [blake3(content[i : i + MIB]).digest() for i in range(0, len(content), MIB)]


def content_of(length: int) -> bytes:
    """Bytes whose ciphertext is zero, so that a vector compresses well."""
    return PLAIN.content(length)


@dataclass
class Signed:
    """A signed file, each piece open to being written wrongly."""

    content: bytes = content_of(CHUNK)
    meant: list = field(default_factory=lambda: [recipient_id(ALICE)])
    stanzas: bytes = field(default_factory=lambda: to_alice() + FILE_STANZA)
    signer: Signer = CAROL
    padding: bytes | None = None
    mark: bytes = MARK
    written_meant: list | None = None
    hashes: list | None = None
    signature: bytes | None = None
    context: bytes = CONTEXT
    label: bytes = LABEL
    prefix: bytes = PLAIN.prefix
    length: int | None = None
    count: int | None = None
    end: bytes = b""

    def message(self) -> bytes:
        hashes = leaves(self.content) if self.hashes is None else self.hashes
        root = blake3(b"".join(hashes), derive_key_context="sealmark/1 signature tree").digest()
        numbers = len(self.content).to_bytes(8) + len(self.meant).to_bytes(8)
        return self.signer.public() + self.prefix + numbers + b"".join(self.meant) + root

    def signed(self) -> bytes:
        return self.signer.sign(self.message(), self.context, self.label) if self.signature is None else self.signature

    def plaintext(self) -> bytes:
        meant = self.meant if self.written_meant is None else self.written_meant
        hashes = leaves(self.content) if self.hashes is None else self.hashes
        padding = bytes(-len(self.content) % CHUNK) if self.padding is None else self.padding
        length = len(self.content) if self.length is None else self.length
        footer = length.to_bytes(8) + (len(meant) if self.count is None else self.count).to_bytes(8)
        block = [self.mark, *meant, *hashes, sha256(self.signer.public()).digest(), self.signed(), footer]
        return self.content + padding + b"".join(block) + self.end

    def file(self) -> bytes:
        return header(FILE_KEY, self.stanzas) + seal(self.plaintext())


def vector(name: str, expect: str, made: Signed, released: bytes | None = b"", comment: str = "") -> Vector:
    """`released` is the plaintext for a reader who asks for no sender; empty: the content."""
    released = made.content if released == b"" else released
    return Vector(name, expect, made.file(), released, senders=[CAROL], comment=comment)


def vectors():
    return [*sound(), *stripped(), *blocks(), *signatures()]


def sound():
    archive = Archive(SMALL)
    tar_and_index = archive.plaintext()
    tar_length = int.from_bytes(tar_and_index[-24:-16])
    both = sorted([recipient_id(ALICE), recipient_id(BOB)])
    made = Signed(content=tar_and_index, stanzas=to_alice() + ARCHIVE_STANZA, context=ARCHIVE_CONTEXT)
    lengths = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, MIB - 1, MIB, MIB + 1]
    return [
        *(vector(f"a_signed_file_of_{n}_bytes", SUCCESS, Signed(content_of(n)), content_of(n) or None) for n in lengths),
        vector("a_signed_file_for_two_recipients", SUCCESS, Signed(meant=both)),
        vector("a_signed_archive", SUCCESS, made, tar_and_index[:tar_length]),
    ]


def stripped():
    plain = header(FILE_KEY, to_alice()) + seal(content_of(CHUNK))
    forged = Signed(stanzas=to_alice(), signature=Signed().signed())
    return [
        Vector("a_file_without_a_signature", UNSIGNED, plain, content_of(CHUNK), senders=[CAROL]),
        Vector("a_file_whose_bytes_end_like_a_signature", UNSIGNED, forged.file(), forged.plaintext(), senders=[CAROL]),
        vector("a_signature_of_a_stranger", STRANGER, Signed(signer=MALLORY)),
        vector("a_signature_for_somebody_else", FORWARDED, Signed(meant=[recipient_id(BOB)])),
        Vector(
            "a_header_that_promises_a_signature_that_is_not_there",
            PAYLOAD,
            header(FILE_KEY, to_alice() + FILE_STANZA) + seal(content_of(20)),
            senders=[CAROL],
        ),
    ]


def blocks():
    two = sorted([recipient_id(ALICE), recipient_id(BOB)])
    long = content_of(2 * CHUNK)
    inner = content_of(CHUNK) + MARK + content_of(2 * CHUNK)[CHUNK + 32 :]
    return [
        vector("a_block_with_the_mark_of_another_file", PAYLOAD, Signed(mark=bytes(32))),
        vector("a_block_without_recipients", PAYLOAD, Signed(meant=[]), None),
        vector("a_block_with_more_recipients_than_a_header", PAYLOAD, Signed(meant=[i.to_bytes(32) for i in range(1001)]), None),
        vector("a_block_whose_recipients_descend", PAYLOAD, Signed(meant=two[::-1]), None),
        vector("a_block_with_a_recipient_twice", PAYLOAD, Signed(meant=[two[0], two[0]]), None),
        vector("a_block_with_a_byte_after_it", PAYLOAD, Signed(end=b"\0"), None),
        vector("a_block_after_other_bytes_than_zeros", PAYLOAD, Signed(content_of(CHUNK - 9), padding=bytes(8) + b"\1"), None),
        vector("a_block_that_starts_a_chunk_late", PAYLOAD, Signed(padding=bytes(CHUNK)), content_of(CHUNK)),
        vector("a_block_for_a_shorter_content", PAYLOAD, Signed(long, length=CHUNK), content_of(CHUNK)),
        vector("a_block_for_a_content_beyond_it", PAYLOAD, Signed(length=MIB), None),
        vector("a_block_with_a_leaf_too_many", PAYLOAD, Signed(hashes=leaves(content_of(CHUNK)) * 2), None),
        vector("a_block_with_a_leaf_too_few", PAYLOAD, Signed(hashes=[]), None),
        vector("a_chunk_of_the_content_that_starts_with_the_mark", PAYLOAD, Signed(inner), None),
    ]


def signatures():
    sound = Signed().signed()
    scalar = int.from_bytes(sound[-32:], "little") + ORDER
    flipped = [bytes(a ^ (1 if i == at else 0) for i, a in enumerate(sound)) for at in (0, len(sound) - 64)]
    other = Signed(signer=MALLORY).signed()
    alice, bob = recipient_id(ALICE), recipient_id(BOB)
    archive = Archive(SMALL).plaintext()
    tar = archive[: int.from_bytes(archive[-24:-16])]
    return [
        vector("a_signature_of_an_archive_in_a_file", SIGNATURE, Signed(archive, context=ARCHIVE_CONTEXT)),
        vector("a_signature_of_a_file_in_an_archive", SIGNATURE, Signed(archive, stanzas=to_alice() + ARCHIVE_STANZA), tar),
        vector("a_signature_whose_lattice_half_was_altered", SIGNATURE, Signed(signature=flipped[0])),
        vector("a_signature_whose_classic_half_was_altered", SIGNATURE, Signed(signature=flipped[1])),
        vector("a_signature_whose_lattice_half_is_of_another", SIGNATURE, Signed(signature=other[:-64] + sound[-64:])),
        vector("a_signature_whose_classic_half_is_of_another", SIGNATURE, Signed(signature=sound[:-64] + other[-64:])),
        vector("a_signature_whose_scalar_is_not_reduced", SIGNATURE, Signed(signature=sound[:-32] + scalar.to_bytes(32, "little"))),
        vector("a_signature_of_a_plain_file", SIGNATURE, Signed(context=b"sealmark/1 signature")),
        vector("a_signature_without_a_context", SIGNATURE, Signed(context=b"")),
        vector("a_signature_without_the_label_as_the_lattice_context", SIGNATURE, Signed(label=b"")),
        vector("a_signature_of_other_content", SIGNATURE, Signed(signature=Signed(content_of(20)).signed())),
        vector("a_signature_of_other_recipients", SIGNATURE, Signed(signature=Signed(meant=[bob]).signed())),
        vector("a_signature_with_a_recipient_more", SIGNATURE, Signed(meant=sorted([alice, bob]), signature=sound)),
        vector("a_signature_of_another_payload", SIGNATURE, Signed(prefix=bytes(56))),
        vector("a_leaf_of_other_content", SIGNATURE, Signed(hashes=leaves(content_of(20)))),
        vector("leaves_in_another_order", SIGNATURE, Signed(content_of(MIB + 1), hashes=leaves(content_of(MIB + 1))[::-1])),
    ]
