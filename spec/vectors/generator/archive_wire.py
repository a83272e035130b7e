"""Archives as spec/file.md describes them, each piece open to being written wrongly."""

from dataclasses import dataclass, field, replace

from vector import FILE_KEY, to_alice
from wire import CHUNK, CONTEXT, Payload, derive, header

BLOCK = 512
FILE, HARD_LINK, SYMBOLIC_LINK, DIRECTORY, SPARSE = b"0", b"1", b"2", b"5", b"S"
MARK = derive(FILE_KEY, b"index", CONTEXT + b" ")
CONTENT_STANZA = b"-> content tar\n\n"


@dataclass(frozen=True)
class Entry:
    path: bytes
    kind: bytes = FILE
    content: bytes = b""
    target: bytes = b""
    size: int = 0  # of a sparse file
    pieces: tuple = ()
    mode: int = 0o644
    uid: int = 1000
    gid: int = 1000
    seconds: int = 1_700_000_000
    nanoseconds: int = 123_456_789
    attributes: tuple = ()  # of pairs: name, value


def tar(entries) -> tuple[bytes, list[int]]:
    """The archive, and where the headers of each entry start."""
    out, starts = b"", []
    for entry in entries:
        starts.append(len(out))
        out += headers(entry) + padded(entry.content)
    return (out + bytes(2 * BLOCK) + bytes(-(len(out) + 2 * BLOCK) % CHUNK)), starts


def headers(entry: Entry) -> bytes:
    sparse = entry.kind == SPARSE
    name = entry.path + b"/" if entry.kind == DIRECTORY else entry.path
    pieces = list(entry.pieces)
    if sparse and (not pieces or pieces[-1][1] < entry.size):
        pieces.append((entry.size, entry.size))
    counts = [len(pieces), *(number for start, end in pieces for number in (start, end - start))]
    map_ = padded("".join(f"{number}\n" for number in counts).encode()) if sparse else b""
    size = len(map_) + len(entry.content)
    numbers = {"size": (size, 11), "uid": (entry.uid, 7), "gid": (entry.gid, 7), "mtime": (entry.seconds, 11)}
    records = [("GNU.sparse.major", b"1"), ("GNU.sparse.minor", b"0"), ("GNU.sparse.name", name)] if sparse else []
    records += [("GNU.sparse.realsize", b"%d" % entry.size)] if sparse else [("path", name)] if len(name) > 100 else []
    records += [("linkpath", entry.target)] if len(entry.target) > 100 else []
    records += [(key, b"%d" % number) for key, (number, digits) in numbers.items() if not 0 <= number < 8**digits]
    records = [(key.encode(), value) for key, value in records]
    records += [(b"SCHILY.xattr." + name, value) for name, value in entry.attributes]
    text = b"".join(record(key, value) for key, value in records)
    pax = ustar(b"PaxHeader", 0o644, 0, 0, len(text), 0, b"x", b"") + padded(text) if text else b""
    name, kind = (b"GNUSparseFile.0/file", FILE) if sparse else (name, entry.kind)
    return pax + ustar(name, entry.mode, entry.uid, entry.gid, size, entry.seconds, kind, entry.target) + map_


def record(key: bytes, value: bytes) -> bytes:
    rest = b" %s=%s\n" % (key, value)
    length = next(n for n in range(len(rest), len(rest) + 9) if len(str(n)) + len(rest) == n)
    return str(length).encode() + rest


def ustar(name, mode, uid, gid, size, seconds, kind, target) -> bytes:
    def octal(number: int, digits: int) -> bytes:
        return b"%0*o\0" % (digits, number if 0 <= number < 8**digits else 0)

    start = name[:100].ljust(100, b"\0") + octal(mode, 7) + octal(uid, 7) + octal(gid, 7) + octal(size, 11) + octal(seconds, 11)
    end = kind + target[:100].ljust(100, b"\0") + b"ustar\x0000" + bytes(64) + octal(0, 7) + octal(0, 7)
    block = (start + b" " * 8 + end).ljust(BLOCK, b"\0")
    return start + b"%06o\0 " % sum(block) + end.ljust(BLOCK - 156, b"\0")


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % BLOCK)


def number(value: int) -> bytes:
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def text(data: bytes) -> bytes:
    return number(len(data)) + data


def entry_bytes(entry: Entry, before: bytes) -> bytes:
    shared = next((i for i, (a, b) in enumerate(zip(entry.path, before)) if a != b), min(len(entry.path), len(before)))
    out = b"x" * bool(entry.attributes) + entry.kind + number(shared) + text(entry.path[shared:])
    out += number(entry.mode) + number(entry.uid) + number(entry.gid)
    out += number(2 * entry.seconds if entry.seconds >= 0 else -2 * entry.seconds - 1) + number(entry.nanoseconds)
    if entry.kind == FILE:
        out += number(len(entry.content))
    if entry.kind in (HARD_LINK, SYMBOLIC_LINK):
        out += text(entry.target)
    if entry.kind == SPARSE:
        out, end = out + number(entry.size) + number(len(entry.pieces)), 0
        for piece in entry.pieces:
            out, end = out + number(piece[0] - end) + number(piece[1] - piece[0]), piece[1]
    attributes = b"".join(text(name) + text(value) for name, value in entry.attributes)
    return out + number(len(entry.attributes)) + attributes if attributes else out


@dataclass
class Archive:
    """A sound archive of `entries`, but for what is given."""

    entries: list
    tar: bytes | None = None
    blocks: list | None = None  # lists of entries; None: one block
    block_bytes: list | None = None
    table: bytes | None = None
    starts: list | None = None
    firsts: list | None = None
    mark: bytes = MARK
    count: int | None = None
    content: int | None = None
    table_at: int | None = None
    stanzas: bytes = field(default_factory=lambda: to_alice() + CONTENT_STANZA)

    def plaintext(self) -> bytes:
        content, starts = tar(self.entries)
        content = self.tar if self.tar is not None else content
        starts = dict(zip((entry.path for entry in self.entries), starts))
        blocks = self.blocks if self.blocks is not None else [self.entries] if self.entries else []
        block_bytes = self.block_bytes or [block_of(block) for block in blocks]
        firsts = self.firsts or [block[0].path for block in blocks]
        starts = self.starts or [starts[block[0].path] for block in blocks]
        rows = zip(block_bytes, starts, firsts)
        table = b"".join(number(len(block)) + number(start) + text(first) for block, start, first in rows)
        table = table if self.table is None else self.table
        table_at = 32 + sum(map(len, block_bytes)) if self.table_at is None else self.table_at
        count = len(self.entries) if self.count is None else self.count
        length = len(content) if self.content is None else self.content
        footer = b"".join(value.to_bytes(8) for value in (length, table_at, count))
        return content + self.mark + b"".join(block_bytes) + table + footer

    def file(self) -> bytes:
        return header(FILE_KEY, self.stanzas) + seal(self.plaintext())


def block_of(entries) -> bytes:
    befores = [b"", *(entry.path for entry in entries)]
    return b"".join(entry_bytes(entry, before) for entry, before in zip(entries, befores))


def seal(plaintext: bytes) -> bytes:
    payload = Payload(FILE_KEY)
    pieces = [plaintext[i : i + CHUNK] for i in range(0, len(plaintext) + 1, CHUNK)]
    return payload.prefix + b"".join(
        payload.aead.encrypt(payload.nonce_at(i), piece, b"") for i, piece in enumerate(pieces)
    )


def altered(entry: Entry, **fields) -> Entry:
    return replace(entry, **fields)
