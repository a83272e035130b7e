"""Opens the tokens in a sealed log as spec/record.md describes them, with pyca/cryptography >= 50 alone:

    python3 read_tokens.py [--raw] KEY_FILE... < SEALED > OPENED

A token that does not open stays as it is. Standard error gets the number of tokens by outcome, and of values by session. The
exit code is 4 if anything was tampered with, 3 if a key or a header was missing, otherwise 0. With --raw, line breaks in
values stay as they are outside of JSON strings.

This is an example: it takes keys of type psk, x25519 and mlkem768x25519, and leaves out the spec's bounds on memory.
"""

import base64
import functools
import hashlib
import hmac
import json
import re
import struct
import sys
from collections import Counter, defaultdict

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, hpke
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

# The grammar, without bounds that a pattern cannot express.
TOKEN = re.compile(rb"(?P<head>~s1(?P<suite>[apjq])~[\w.-]{1,64}~(?P<session>[\w-]{16})~)(?P<body>[\w-]{27,1398128})~")
CLOSING = re.compile(rb"(?P<head>~s1z~(?P<session>[\w-]{16})~)(?P<body>[\w-]{32,715})~")
PART = re.compile(
    rb"~s1h~(?P<session>[\w-]{16})~(?P<digest>[\w-]{12})~(?P<number>[1-9]\d{0,4})\.(?P<parts>[1-9]\d{0,4})~(?P<body>[\w-]+)~"
)
CUT_OFF = re.compile(rb"~s1(?:[apjq]~[\w.-]{1,64}|[hz])~(?P<session>[\w-]{16})~")

PSK, X25519, MLKEM768X25519 = 0, 0x20, 0x647A
# The length of each type of stanza in bytes.
LENGTHS = {PSK: 80, X25519: 80, 0x10: 113, 0x41: 1136, 0x42: 1616, MLKEM768X25519: 1168, 0x50: 1201, 0x51: 1713}
DEEPEST_LEVEL, LAST_SECOND = 4, 31_556_889_864_403_199
SPACE = b" \t\r\n\f"


class Refused(ValueError):
    """Text that looks like a token or header and is not one."""


class Reader:
    """Opens a log line by line, and learns headers as it meets them."""

    def __init__(self, keys, raw=False):
        self.keys, self.raw = [SecretKey(key) for key in keys], raw
        self.counts = Counter()
        self.ciphers = {}  # by session; None if no key fits its header
        self.headers = {}  # by session: the facts of the header besides the key
        self.parts = defaultdict(dict)  # by session, digest and number of parts: bodies by their number
        self.tried = defaultdict(set)  # by session: digests of headers
        self.met = defaultdict(set)  # by session: counters
        self.sealed = {}  # by session: the number of values in its closing token

    def open_line(self, line):
        content = line.removesuffix(b"\n").removesuffix(b"\r") if line.endswith(b"\n") else line.removesuffix(b"\r")
        opened, copied, at = [], 0, 0
        levels = JsonLevels(content)
        while (at := content.find(b"~s1", at)) >= 0:
            if token := TOKEN.match(content, at):
                at = token.end()
                replaced = self.open_token(token, copied, levels)
                if replaced:
                    start, end, value = replaced
                    opened += [content[copied:start], value]
                    copied = end
                continue
            if own := self.take_own(content, at):
                if content in (own, b'{"sealmark":"%b"}' % own):
                    return b""
                at += len(own)
                continue
            cut = CUT_OFF.match(content, at)
            if cut and cut["session"] in self.ciphers:
                self.counts["cut off"] += 1
            at += 1
        return b"".join(opened) + line[copied:]

    def take_own(self, content, at):
        """Learns from a part or a closing token, and returns it; None if there is none."""
        if closing := CLOSING.match(content, at):
            self.close(closing)
            return closing[0]
        part = PART.match(content, at)
        if not part or int(part["number"]) > int(part["parts"]) or int(part["parts"]) > 65535 or len(part[0]) > 900:
            return None
        try:
            decoded(part["session"]), decoded(part["digest"])
        except ValueError:
            return None
        if not self.ciphers.get(part["session"]):
            try:
                self.learn(part)
            except (Refused, ValueError, struct.error):
                pass  # a header that is refused counts as none
        return part[0]

    def open_token(self, token, copied, levels):
        """Returns the range that the token replaces, and the text in its place; None if it stays closed."""
        session, suite = token["session"], token["suite"]
        if session not in self.ciphers:
            return self.counts.update(["orphan"])
        cipher = self.ciphers[session]
        if not cipher:
            return self.counts.update(["no key"])
        try:
            body = decoded(token["body"])
            value = cipher.decrypt(bytes(8) + body[:4], body[4:], token["head"])
            if suite in b"pq":
                value = unpadded(value)
        except (ValueError, InvalidTag):
            return self.counts.update(["tampered"])
        try:
            replaced = self.placed(token, value, copied, levels)
        except Refused:
            return self.counts.update(["not text"])
        self.counts["opened"] += 1
        self.met[session].add(body[:4])
        return replaced

    def placed(self, token, value, copied, levels):
        """Returns a value in the form that its place needs (spec/record.md, "Opening"), and the range that it replaces."""
        start, end = token.span()
        level, quote = levels.at(start)
        if level == 0:
            if not self.raw:
                value = value.replace(b"\n", b"\\n").replace(b"\r", b"\\r")
            return start, end, value
        if level > DEEPEST_LEVEL:
            raise Refused("nested too deep")
        text = as_text(value)
        if token["suite"] in b"ap":
            return start, end, escaped(text, level)
        if quote.stop != start or quote.start < copied:
            raise Refused("a JSON text that does not begin its string")
        written = levels.line[quote]
        if not levels.line.startswith(written, end):
            raise Refused("a JSON text that does not end its string")
        check_json(text, is_name=levels.is_name(level, end + len(written)))
        return quote.start, end + len(written), escaped(text, level - 1)

    def close(self, closing):
        session, cipher = closing["session"], self.ciphers.get(closing["session"])
        if not cipher:
            return
        try:
            body = decoded(closing["body"])
            unused = cipher.decrypt(b"\x01\0\0\0" + body[:8], body[8:], closing["head"])
            count, edges = int.from_bytes(body[:8], "big"), []
            for first, number in struct.iter_unpack(">II", unused):
                edges += [first, first + number]
                count -= number
            edges.append(int.from_bytes(body[:8], "big"))
            if edges != sorted(set(edges)):
                raise Refused("runs that do not ascend")
        except (ValueError, InvalidTag, struct.error):
            self.counts["tampered"] += 1
            return
        self.sealed[session] = max(self.sealed.get(session, 0), count)

    def learn(self, part):
        session, digest, parts = part["session"], part["digest"], int(part["parts"])
        known, tried = self.parts[session, digest, parts], self.tried[session]
        known.setdefault(int(part["number"]), decoded(part["body"]))
        if len(known) < parts or (digest, parts) in tried:
            return
        header = b"".join(known[number] for number in range(1, parts + 1))
        known.clear()
        if hashlib.sha256(header).digest()[:9] != decoded(digest):
            return
        tried.add((digest, parts))
        key = self.unwrap(Header(header), session)
        if not key:
            self.ciphers.setdefault(session)
            return
        self.ciphers[session] = AESGCM(derive(key, "value"))

    def unwrap(self, header, session):
        if header.session != decoded(session):
            raise Refused("a header of another session")
        opened = []
        for kind, data in header.stanzas:
            if kind in (X25519, MLKEM768X25519) and kind in (key.kind for key in self.keys):
                # This refuses shares of low order, which pyca accepts inside X-Wing.
                X25519PrivateKey.generate().exchange(X25519PublicKey.from_public_bytes(data[-80:-48]))
            for key in self.keys:
                try:
                    opened += [key.unwrap(data)] if key.kind == kind else []
                except InvalidTag:
                    pass  # the stanza is for somebody else
        if not opened:
            return None
        mac = hmac.digest(derive(opened[0], "header"), header.authenticated, "sha256")
        if derive(opened[0], "session", 12) != header.session or not hmac.compare_digest(mac, header.mac):
            raise Refused("a header that was altered")
        self.headers[session] = header
        return opened[0]


class Header:
    """The fields of a header; refuses what the spec refuses."""

    def __init__(self, header):
        self.authenticated, self.mac = header[:-32], header[-32:]
        version, self.session, flags, previous, count, began, number = struct.unpack_from(">B12sB12sQQH", header)
        if version != 1 or not 0 < number <= 1000 or len(header) > 1_900_000:
            raise Refused("another version, or too much")
        self.ordered, self.previous = bool(flags & 1), previous if flags & 2 else None
        self.count, self.began = count if flags & 4 else None, min(began, LAST_SECOND) if flags & 8 else None
        if flags > 15 or (self.count is not None and self.previous is None):
            raise Refused("flags that contradict each other")
        unset = self.previous is None and previous != bytes(12)
        if unset or (self.count is None and count) or (self.began is None and began):
            raise Refused("a field without its flag")
        self.stanzas, at = [], 44
        for _ in range(number):
            kind, length = struct.unpack_from(">HH", self.authenticated, at)
            self.stanzas.append((kind, self.authenticated[at + 4 : at + 4 + length]))
            at += 4 + length
            if length != LENGTHS.get(kind, length):
                raise Refused("a stanza of another length than its type's")
        if at != len(self.authenticated) or (number > 1 and PSK in dict(self.stanzas)):
            raise Refused("bytes behind the MAC, or a pre-shared key that is not alone")


class Level:
    """The text at one level, which the string around it encodes."""

    def __init__(self):
        self.brace = self.inside = False
        self.escape = None  # the escape that was begun, and its position
        self.quote = slice(0, 0)  # the position of the last quote; in an open string, of its first
        self.last = b""


class JsonLevels:
    """Counts the JSON strings around places in a line, from left to right."""

    def __init__(self, line):
        self.line, self.done = line, 0
        self.levels = [Level() for _ in range(DEEPEST_LEVEL + 1)]
        if not line.rstrip(SPACE + b",]").endswith(b"}"):
            self.done = len(line)

    def at(self, place):
        """The level, and the opening quote of the innermost string."""
        self.go(place)
        level = next((number for number, level in enumerate(self.levels) if not level.inside), len(self.levels))
        # If the quotes do not add up, the brace may be before the JSON, and outside may be inside.
        level = max(level, int(self.levels[0].brace and self.is_unended))
        return level, self.levels[level - 1].quote

    @functools.cached_property
    def is_unended(self):
        rest = JsonLevels(self.line)
        rest.go(len(self.line))
        return rest.levels[0].inside

    def go(self, place):
        while self.done < place:
            self.take(0, self.line[self.done : self.done + 1], self.done, self.done + 1)
            self.done += 1

    def take(self, depth, byte, start, end):
        """Takes the next byte of the text at this depth, which is written from `start` to `end` in the line."""
        if depth == len(self.levels):
            return
        level = self.levels[depth]
        level.last = byte
        if not level.brace:
            level.brace = byte == b"{"
        elif level.escape:
            begun, where = level.escape
            level.escape = None
            if begun.startswith(b"\\u") and byte not in b"0123456789abcdefABCDEF":
                self.take(depth, byte, start, end)  # half an escape encodes nothing
            elif begun == b"\\" and byte == b"u" and level.inside or begun.startswith(b"\\u") and len(begun) < 5:
                level.escape = begun + byte, where
            elif level.inside and (stands_for := unescaped(begun + byte)):
                self.take(depth + 1, stands_for, where, end)
        elif byte == b"\\":
            level.escape = byte, start
        elif byte == b'"':
            level.inside, level.quote = not level.inside, slice(start, end)
            if level.inside:
                self.levels[depth + 1 :] = [Level() for _ in self.levels[depth + 1 :]]
        elif level.inside:
            self.take(depth + 1, byte, start, end)

    def is_name(self, level, end):
        """True if a colon follows the string at this level that ends at `end`."""
        rest = JsonLevels(self.line)
        rest.go(end)
        while rest.done < len(rest.line):
            rest.levels[level - 1].last = b""
            rest.go(rest.done + 1)
            if not all(around.inside for around in rest.levels[: level - 1]):
                return False
            if rest.levels[level - 1].last.strip(SPACE):
                return rest.levels[level - 1].last == b":"
        return False


def unescaped(escape):
    """The byte that an escape encodes; for a character beyond ASCII, any byte that means nothing to JSON."""
    if escape.startswith(b"\\u"):
        return bytes([min(int(escape[2:], 16), 255)])
    letters = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b'"': b'"', b"\\": b"\\", b"/": b"/"}
    return letters.get(escape[1:])


def escaped(text, level):
    for _ in range(level):
        text = json.dumps(text, ensure_ascii=False)[1:-1]
    return text.encode()


def as_text(value):
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise Refused("no text") from None


def check_json(text, is_name):
    try:
        value = json.loads(text, parse_int=float, parse_constant=int)  # int refuses NaN and Infinity
    except (ValueError, RecursionError):
        raise Refused("no JSON") from None
    if set(text) & set("\r\n") or is_name and not isinstance(value, str):
        raise Refused("JSON that cannot stand there")


def unpadded(value):
    value, mark = value.rstrip(b"\0")[:-1], value.rstrip(b"\0")[-1:]
    if mark != b"\x80":
        raise Refused("no padding")
    return value


class SecretKey:
    """The type of the stanzas that a key string opens, and how it opens them."""

    def __init__(self, text):
        prefix, _, symbols = text.strip().lower().rpartition("1")
        bits = "".join(f"{'qpzry9x8gf2tvdw0s3jn54khce6mua7l'.index(symbol):05b}" for symbol in symbols[:-6])
        self.key = int(bits[: len(bits) // 8 * 8], 2).to_bytes(len(bits) // 8, "big")
        self.kind = {
            "sealmark-secret-key-psk-": PSK,
            "age-secret-key-": X25519,
            "age-secret-key-pq-": MLKEM768X25519,
        }[prefix]

    def unwrap(self, data):
        if self.kind == PSK:
            return AESGCM(derive(self.key, "psk", salt=data[:32])).decrypt(bytes(12), data[32:], b"")
        if self.kind == X25519:
            kem, word, secret = hpke.KEM.X25519, "x25519", X25519PrivateKey.from_private_bytes(self.key)
        else:
            seeds = hashlib.shake_256(self.key).digest(96)
            kem, word = hpke.KEM.MLKEM768_X25519, "mlkem768x25519"
            secret = hpke.MLKEM768X25519PrivateKey(
                MLKEM768PrivateKey.from_seed_bytes(seeds[:64]), X25519PrivateKey.from_private_bytes(seeds[64:])
            )
        suite = hpke.Suite(kem, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM)
        return suite.decrypt(data, secret, f"sealmark/1 log {word}".encode())


def derive(key, use, length=32, salt=b""):
    return HKDF(hashes.SHA256(), length, salt, f"sealmark/1 log {use}".encode()).derive(key)


def decoded(text):
    data = base64.urlsafe_b64decode(text + b"==")
    if base64.urlsafe_b64encode(data).rstrip(b"=") != text:
        raise Refused("base64url with bits that are too many")
    return data


def main(arguments):
    keys = [line for file in arguments if file != "--raw" for line in open(file) if line[0] not in "#\n"]
    reader = Reader(keys, raw="--raw" in arguments)
    sys.stdout.buffer.writelines(map(reader.open_line, sys.stdin.buffer))
    print(*(f"{number} {outcome}" for outcome, number in reader.counts.items()), sep=", ", file=sys.stderr)
    for session in filter(reader.ciphers.get, reader.ciphers):
        print(session.decode(), len(reader.met[session]), "of", reader.sealed.get(session, "?"), file=sys.stderr)
    if reader.counts["tampered"]:
        return 4
    return 3 if reader.counts["no key"] + reader.counts["orphan"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
