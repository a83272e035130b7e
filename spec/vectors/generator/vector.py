"""A vector, and the sound file that most of them damage in one place."""

from dataclasses import dataclass, field

from wire import VERSION, Key, Payload, fixed, header, recipient, stanza

SUCCESS, NO_MATCH, HMAC, HEADER, PAYLOAD, ARMOR = (
    "success",
    "no match",
    "HMAC failure",
    "header failure",
    "payload failure",
    "armor failure",
)

ALICE = Key("x25519")
BOB = Key("x25519", "bob")
WORDS = "correct horse battery staple"
FILE_KEY = fixed("file key")
PLAIN = Payload(FILE_KEY)
LENGTH = 8
CONTENT = PLAIN.content(LENGTH)


@dataclass
class Vector:
    name: str
    expect: str
    file: bytes
    released: bytes | None = None  # all plaintext that may be given out; None: not a byte
    keys: list = field(default_factory=lambda: [ALICE])
    words: list = field(default_factory=list)
    senders: list = field(default_factory=list)
    armored: bool = False
    comment: str = ""


def to_alice(what: str = "alice", info: bytes | None = None) -> bytes:
    return stanza(*recipient(FILE_KEY, ALICE, what, info))


def file(
    stanzas: bytes | None = None,
    payload: bytes | None = None,
    version: bytes = VERSION,
    mac_key: bytes | None = None,
) -> bytes:
    """A sound file to Alice, but for what is given."""
    stanzas = to_alice() if stanzas is None else stanzas
    payload = PLAIN.sealed(LENGTH) if payload is None else payload
    return header(FILE_KEY, stanzas, version, mac_key) + payload
