"""Opens the tokens in a sealed log as spec/record.md describes them, with pyca/cryptography >= 50 and none of our code:
fewer than 150 lines, imports, comments and empty ones not counted.

usage: python3 read_tokens.py -k KEY_FILE [-k KEY_FILE]... < SEALED > OPENED

What does not open stays. Standard error tells what became of the tokens and how many values of each session are there;
the exit code is 4 where anything was tampered with, 3 where a key or a header was missing, otherwise 0.
"""

import argparse
import hashlib
import hmac
import json
import re
import struct
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter, defaultdict
from contextlib import suppress
from itertools import islice, product

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, hpke
from cryptography.hazmat.primitives.asymmetric import ec, mlkem
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

PSK, X25519, X_WING, MLKEM768_P256 = 0x0000, 0x0020, 0x647A, 0x0050
KEYS = {  # TYPE: (stanza type, bytes of enc, HPKE KEM, private key from its bytes); pyca lacks mlkem768p256
    "psk": (PSK, 32, None, bytes),
    "x25519": (X25519, 32, hpke.KEM.X25519, X25519PrivateKey.from_private_bytes),
    "p256": (0x0010, 65, hpke.KEM.P256, lambda key: ec.derive_private_key(int.from_bytes(key), ec.SECP256R1())),
    "mlkem768": (0x0041, 1088, hpke.KEM.MLKEM768, mlkem.MLKEM768PrivateKey.from_seed_bytes),
    "mlkem1024": (0x0042, 1568, hpke.KEM.MLKEM1024, mlkem.MLKEM1024PrivateKey.from_seed_bytes),
    "mlkem768x25519": (X_WING, 1120, hpke.KEM.MLKEM768_X25519, lambda seed: hybrid(seed, 96)),
    "mlkem1024p384": (0x0051, 1665, hpke.KEM.MLKEM1024_P384, lambda seed: hybrid(seed, 112)),
}
LENGTHS = {MLKEM768_P256: 1153 + 48} | {kind: enc + 48 for kind, enc, _, _ in KEYS.values()}
FOUND = re.compile(  # a token, a closing token, or a part but for the bounds that `find` knows
    rb"(?P<head>~s1(?:(?P<suite>[apjq])~[\w.-]{1,64}|(?P<part>h)|z)~(?P<session>[\w-]{16})~)"
    rb"(?(part)(?P<number>[1-9]\d{0,4})\.(?P<parts>[1-9]\d{0,4})~)"
    rb"(?P<body>(?(suite)[\w-]{27,1398128}|(?(part)[\w-]+|[\w-]{32,715})))~"
)


class Reader:
    """Opens a log line by line, and learns headers as it meets them."""

    def __init__(self, keys):
        self.keys, self.counts = [secret_key(key) for key in keys], Counter()
        # By session: its cipher, None where no key fits; its parts; the counters met; how many its closing token names.
        self.ciphers, self.parts, self.met, self.sealed = {}, {}, defaultdict(set), {}

    def open_line(self, line):
        content, opened, copied = re.sub(rb"\r?\n\Z", b"", line), [], 0
        for found, in_json in find(content):
            quote = quotes_around(found, copied) if in_json and found["suite"] in (b"j", b"q") else b""
            outcome, value = self.take(found, in_json, quote)
            self.counts[outcome] += 1
            if outcome == "opened":
                opened += [content[copied : found.start() - len(quote)], value]
                copied = found.end() + len(quote)
            elif not found["suite"] and content in (found[0], b'{"sealmark":"%b"}' % found[0]):
                return b""
        return b"".join(opened) + line[copied:]

    def take(self, found, in_json, quote):
        """What becomes of a token, and what is to stand in its place."""
        head, suite, session, cipher = *found.group("head", "suite", "session"), self.ciphers.get(found["session"])
        try:
            if found["part"] or not cipher and not suite:
                return "own", found["part"] and not cipher and self.learn(found)
            if not cipher:
                return "no key" if session in self.ciphers else "orphan", None
            body = decoded(found["body"])
            if not suite:
                return "own", self.close(session, body, cipher.decrypt(b"\1\0\0\0" + body[:8], body[8:], head))
            value = cipher.decrypt(bytes(8) + body[:4], body[4:], head)
            value = unpadded(value) if suite in (b"p", b"q") else value
            value = in_string(value.decode(), suite in (b"j", b"q"), quote) if in_json else value
        except (ValueError, InvalidTag, struct.error) as why:
            return "own" if found["part"] else "not text" if isinstance(why, UnicodeError) else "tampered", None
        self.met[session].add(body[:4])
        return "opened", value

    def close(self, session, body, unused):
        runs, count = list(struct.iter_unpack(">II", unused)), int.from_bytes(body[:8])
        edges = [edge for first, number in runs for edge in (first, first + number)] + [count]
        if edges != sorted(set(edges)):
            raise ValueError("the unused counters are none")
        self.sealed[session] = max(count - sum(number for _, number in runs), self.sealed.get(session, 0))

    def learn(self, part):
        """Keeps a part, and tries the headers that it makes whole; all within the bounds of the spec."""
        session, number, parts = part["session"], int(part["number"]), int(part["parts"])
        heard, body = self.parts.setdefault(session, {}), decoded(part["body"])
        different = heard.setdefault((parts, number), [])
        if body not in different and len(different) < 4:
            different.insert(0, body)
            texts = [heard.get((parts, at), []) for at in range(1, parts + 1)]
            for header in islice(product(*texts[: number - 1], [body], *texts[number:]), 16):
                with suppress(ValueError, struct.error):  # a header that is refused is none
                    cipher = value_cipher(b"".join(header), decoded(session), self.keys)
                    self.ciphers[session] = cipher or self.ciphers.get(session)
        while len(self.parts) > 1024 or self.kept_bytes() >> 26:
            del self.parts[oldest := next(iter(self.parts))]
            self.ciphers.get(oldest) or self.ciphers.pop(oldest, None)

    def kept_bytes(self):
        return sum(99 + len(body) for parts in self.parts.values() for bodies in parts.values() for body in bodies)


def find(line):
    """Tokens, closing tokens and parts from left to right, and whether each is inside a JSON string."""
    trimmed, at, counted, quotes = line.strip(b" \t\r\n\f"), 0, 0, 0
    while found := FOUND.search(line, at):
        quotes += re.sub(rb"(?s)\\.", b"", line[counted : found.start()]).count(b'"')
        at = counted = found.start() + 1
        if not found["part"] or int(found["number"]) <= int(found["parts"]) <= 65535 and len(found[0]) <= 900:
            yield found, trimmed[:1] + trimmed[-1:] == b"{}" and quotes % 2 == 1
            at = found.end()


def quotes_around(token, copied):
    """The quotes that a JSON text takes along; those in front may have gone with the token before."""
    line, (start, end) = token.string, token.span()
    quote = b'\\"' if line.endswith(b'\\"', copied, start) else b'"'
    return quote if line.endswith(quote, copied, start) and line.startswith(quote, end) else b""


def in_string(text, is_json, quote):
    """A value as it stands in a JSON string, or in the place of one."""
    with suppress(ValueError, RecursionError):
        is_json and json.loads(text, parse_int=str, parse_constant=int)  # int refuses NaN and Infinity
        if not is_json or quote and not set(text) & set("\r\n"):
            return text.encode() if quote == b'"' else json.dumps(text, ensure_ascii=False)[1:-1].encode()
    raise UnicodeError("no JSON text")


def value_cipher(header, session, keys):
    """What opens the session's values, None where no key opens the header; ValueError where it is to be refused."""
    version, name, number = struct.unpack_from(">B12sH", header)
    stanzas, at = [], 15
    for _ in range(number if number <= 1000 and len(header) <= 1_900_000 else 0):
        kind, length = struct.unpack_from(">HH", header, at)
        stanzas.append((kind, header[at + 4 : at + 4 + length]))
        at += 4 + length
    sound = all(len(data) == LENGTHS.get(kind, len(data)) for kind, data in stanzas) and at + 32 == len(header)
    if version != 1 or name != session or not stanzas or not sound or number > 1 and PSK in dict(stanzas):
        raise ValueError("a header that the spec refuses")
    opened = [unwrapped(kind, data, unwrap) for kind, data in stanzas for fits, unwrap in keys if fits == kind]
    if not (key := next(filter(None, opened), None)):
        return None
    mac = hmac.digest(derive(key, "header"), header[:-32], "sha256")
    if derive(key, "session", 12) != session or not hmac.compare_digest(mac, header[-32:]):
        raise ValueError("another session's header, or an altered one")
    return AESGCM(derive(key, "value"))


def unwrapped(kind, data, unwrap):
    if kind in (X25519, X_WING):  # pyca refuses shares of low order here, but not inside X-Wing
        X25519PrivateKey.generate().exchange(X25519PublicKey.from_public_bytes(data[-80:-48]))
    with suppress(InvalidTag):
        return unwrap(data)


def secret_key(text):
    """Which stanzas a key string opens, and how."""
    prefix, _, symbols = text.strip().lower().rpartition("1")
    bits = "".join(f"{'qpzry9x8gf2tvdw0s3jn54khce6mua7l'.index(symbol):05b}" for symbol in symbols[:-6])
    ages = {"age-secret-key-": "x25519", "age-secret-key-pq-": "mlkem768x25519"}
    named = ages.get(prefix, prefix.removeprefix("sealmark-secret-key-").removesuffix("-"))
    kind, _, kem, private_key = KEYS[named]
    key = private_key(int(bits[: len(bits) // 8 * 8], 2).to_bytes(len(bits) // 8))
    if kind == PSK:
        return PSK, lambda data: AESGCM(derive(key, "psk", salt=data[:32])).decrypt(bytes(12), data[32:], b"")
    suite = hpke.Suite(kem, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM)
    return kind, lambda data: suite.decrypt(data, key, f"sealmark/1 log {named}".encode())


def hybrid(seed, length):
    """The two keys that draft-ietf-hpke-pq makes of the seed of one."""
    seeds = hashlib.shake_256(seed).digest(length)
    if length == 96:
        return hpke.MLKEM768X25519PrivateKey(KEYS["mlkem768"][3](seeds[:64]), KEYS["x25519"][3](seeds[64:]))
    p384 = ec.derive_private_key(int.from_bytes(seeds[64:]), ec.SECP384R1())
    return hpke.MLKEM1024P384PrivateKey(KEYS["mlkem1024"][3](seeds[:64]), p384)


def derive(key, use, length=32, salt=b""):
    return HKDF(hashes.SHA256(), length, salt, f"sealmark/1 log {use}".encode()).derive(key)


def decoded(text):
    data = urlsafe_b64decode(text + b"=" * (-len(text) % 4))
    if urlsafe_b64encode(data).rstrip(b"=") != text:
        raise ValueError("base64url with bits that are too many")
    return data


def unpadded(plaintext):
    if not (padded := plaintext.rstrip(b"\0")).endswith(b"\x80"):
        raise ValueError("no padding")
    return padded[:-1]


if __name__ == "__main__":
    options = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2].partition("\n")[0])
    options.add_argument("-k", dest="files", action="append", required=True)
    reader = Reader([line for file in options.parse_args().files for line in open(file) if line[0] not in "#\n"])
    sys.stdout.buffer.writelines(map(reader.open_line, sys.stdin.buffer))
    print(*(f"{number} {outcome}" for outcome, number in reader.counts.items()), sep=", ", file=sys.stderr)
    for session in filter(reader.ciphers.get, reader.ciphers):
        print(session.decode(), len(reader.met[session]), "of", reader.sealed.get(session, "how many?"), file=sys.stderr)
    sys.exit(4 if reader.counts["tampered"] else 3 if reader.counts["no key"] + reader.counts["orphan"] else 0)
