"""Opens the tokens in a sealed log as spec/record.md describes them, with pyca/cryptography >= 50 alone:
python3 read_tokens.py KEY_FILE... < SEALED > OPENED

What does not open stays; standard error tells what became of the tokens and how many values a session has.
The exit code is 4 where anything was tampered with, 3 where a key or a header was missing, otherwise 0.
An example: keys are of type psk, x25519 or mlkem768x25519, and the spec's bounds on memory are left out.
"""
import base64, contextlib, hashlib, hmac, io, itertools, json, re, struct, sys
from collections import Counter, defaultdict
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, hpke
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

FOUND = re.compile(  # a token, a closing token, or a part but for bounds that patterns cannot tell
    rb"(?P<head>~s1(?:(?P<suite>[apjq])~[\w.-]{1,64}|(?P<part>h)|z)~(?P<session>[\w-]{16})~)"
    rb"(?(part)(?P<digest>[\w-]{12})~(?P<number>[1-9]\d{0,4})\.(?P<parts>[1-9]\d{0,4})~)"
    rb"(?P<body>(?(suite)[\w-]{27,1398128}|(?(part)[\w-]+|[\w-]{32,715})))~"
)
KEYS = {"age-secret-key-": (0x20, "x25519", hpke.KEM.X25519),  # by how they begin; pre-shared ones differ
        "age-secret-key-pq-": (0x647A, "mlkem768x25519", hpke.KEM.MLKEM768_X25519)}
LENGTHS = {0: 80, 0x20: 80, 0x10: 113, 0x41: 1136, 0x42: 1616, 0x647A: 1168, 0x50: 1201, 0x51: 1713}

class Reader:
    """Opens a log line by line, and learns headers as it meets them."""
    def __init__(self, keys):
        self.keys, self.counts = [secret_key(key) for key in keys], Counter()
        # By session: its cipher, None where no key fits; the counters met; how many its closing token names.
        self.ciphers, self.met, self.sealed, self.tried = {}, defaultdict(set), {}, defaultdict(set)
        self.heard = defaultdict(dict)  # by session, digest and how many there are: parts by their number

    def open_line(self, line):
        content, opened, copied, at, quotes = re.sub(rb"\r?\n\Z", b"", line), [], 0, 0, 0
        is_json = b"{" in content and content.rstrip(b" \t\r\n\f").endswith(b"}")
        counted = content.index(b"{") if is_json else len(content)  # up to here, for quotes
        while found := FOUND.search(content, at):
            before, at = re.sub(rb"(?s)\\.", rb"\\", content[counted : found.start()]), found.start() + 1
            counted, quotes = max(counted, at), quotes + before.count(b'"')
            number, parts = int(found["number"] or 0), int(found["parts"] or 0)
            if number > parts or parts > 65535 or parts and len(found[0]) > 900:
                continue
            at, quote = found.end(), b'"' if before.endswith(b'"') else b'\\"'
            around = quotes % 2 and found["suite"] in (b"j", b"q") and content.startswith(quote, at)
            quote = quote if around and content.endswith(quote, copied, found.start()) else b""
            outcome, value = self.take(found, quotes % 2, quote)
            self.counts[outcome] += 1
            if outcome == "opened":
                opened += [content[copied : found.start() - len(quote)], value]
                copied = at + len(quote)
            elif not found["suite"] and content in (found[0], b'{"sealmark":"%b"}' % found[0]):
                return b""
        return b"".join(opened) + line[copied:]

    def take(self, found, in_json, quote):
        """What becomes of a token, and what is to stand in its place and that of the quotes around it."""
        suite, session, cipher = found["suite"], found["session"], self.ciphers.get(found["session"])
        if not cipher and not found["part"]:
            return "own" if not suite else "no key" if session in self.ciphers else "orphan", None
        with contextlib.suppress(ValueError, TypeError, InvalidTag, struct.error):
            body, (start, counter) = decoded(found["body"]), (bytes(8), 4) if suite else (b"\1\0\0\0", 8)
            if found["part"]:
                return "own", cipher or self.learn(session, found["digest"], int(found["number"]), int(found["parts"]), body)
            value = cipher.decrypt(start + body[:counter], body[counter:], found["head"])
            if not suite:
                unused, count = [*struct.iter_unpack(">II", value)], int.from_bytes(body[:8])
                edges = [edge for first, number in unused for edge in (first, first + number)] + [count]
                if edges != sorted(set(edges)):
                    return "tampered", None
                self.sealed[session] = max(self.sealed.get(session, 0), count - sum(run[1] for run in unused))
                return "own", None
            value = re.fullmatch(rb"(?s)(.*)\x80\0*", value)[1] if suite in b"pq" else value
            if in_json and (value := in_string(value, found, quote)) is None:
                return "not text", None
            self.met[session].add(body[:4])
            return "opened", value
        return "own" if found["part"] else "tampered", None

    def learn(self, session, digest, number, parts, body):
        heard, tried = self.heard[session, digest, parts], self.tried[session]
        heard.setdefault(number, body)
        if len(heard) < parts or digest in tried or len(tried) == 4:
            return
        header = b"".join(heard[at] for at in range(1, parts + 1))
        heard.clear()
        if hashlib.sha256(header).digest()[:9] == decoded(digest):
            tried.add(digest)
            self.try_header(header, session)

    def try_header(self, header, session):
        file, opened = io.BytesIO(header), []
        version, name, flags, previous, count, number = struct.unpack(">B12sB12sQH", file.read(36))
        if flags > 7 or flags & 6 == 4 or not flags & 2 and previous != bytes(12) or not flags & 4 and count:
            raise ValueError("flags that the spec refuses")
        heads = (struct.unpack(">HH", file.read(4)) for _ in range(number))
        stanzas = [(kind, file.read(length)) for kind, length in heads]
        sound = version == 1 and name == decoded(session) and 0 < number <= 1000 and len(header) <= 1_900_000
        sound = sound and len(file.read()) == 32 and (number == 1 or 0 not in dict(stanzas))
        if not sound or any(len(data) != LENGTHS.get(kind, len(data)) for kind, data in stanzas):
            raise ValueError("a header that the spec refuses")
        for (kind, data), (fits, unwrap) in itertools.product(stanzas, self.keys):
            if kind == fits != 0:  # refuses shares of low order, which pyca takes inside X-Wing
                X25519PrivateKey.generate().exchange(X25519PublicKey.from_public_bytes(data[-80:-48]))
            with contextlib.suppress(InvalidTag):
                opened += [unwrap(data)] if kind == fits else []
        if not opened:
            return self.ciphers.setdefault(session)
        mac = hmac.digest(derive(opened[0], "header"), header[:-32], "sha256")
        if derive(opened[0], "session", 12) == name and hmac.compare_digest(mac, header[-32:]):
            self.ciphers[session] = AESGCM(derive(opened[0], "value"))

def in_string(value, found, quote):
    """A value as it stands in a JSON string, or in the place of one; None where it cannot."""
    with contextlib.suppress(ValueError, RecursionError):
        text = value.decode()
        if found["suite"] in b"jq":
            read = json.loads(text, parse_int=float, parse_constant=int)  # int refuses NaN and Infinity
            is_name = re.compile(rb"[ \t\r\n\f]*:").match(found.string, found.end() + len(quote))
            if not quote or set(text) & set("\r\n") or is_name and not isinstance(read, str):
                return None
        return value if quote == b'"' else json.dumps(text, ensure_ascii=False)[1:-1].encode()

def secret_key(text):
    """The type of the stanzas that a key string opens, and how it opens them."""
    prefix, _, symbols = text.strip().lower().rpartition("1")
    bits = "".join(f"{'qpzry9x8gf2tvdw0s3jn54khce6mua7l'.index(symbol):05b}" for symbol in symbols[:-6])
    key = int(bits[: len(bits) // 8 * 8], 2).to_bytes(len(bits) // 8)
    if prefix == "sealmark-secret-key-psk-":
        return 0, lambda data: AESGCM(derive(key, "psk", salt=data[:32])).decrypt(bytes(12), data[32:], b"")
    kind, word, kem = KEYS[prefix]
    seeds = hashlib.shake_256(key).digest(96) if kind == 0x647A else bytes(64) + key
    secret = X25519PrivateKey.from_private_bytes(seeds[64:])
    if kind == 0x647A:
        secret = hpke.MLKEM768X25519PrivateKey(MLKEM768PrivateKey.from_seed_bytes(seeds[:64]), secret)
    suite = hpke.Suite(kem, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM)
    return kind, lambda data: suite.decrypt(data, secret, f"sealmark/1 log {word}".encode())

def derive(key, use, length=32, salt=b""):
    return HKDF(hashes.SHA256(), length, salt, f"sealmark/1 log {use}".encode()).derive(key)

def decoded(text):
    data = base64.urlsafe_b64decode(text + b"==")
    if base64.urlsafe_b64encode(data).rstrip(b"=") != text:
        raise ValueError("base64url with bits that are too many")
    return data

if __name__ == "__main__":
    reader = Reader([line for file in sys.argv[1:] for line in open(file) if line[0] not in "#\n"])
    sys.stdout.buffer.writelines(map(reader.open_line, sys.stdin.buffer))
    print(*(f"{number} {outcome}" for outcome, number in reader.counts.items()), sep=", ", file=sys.stderr)
    for name in filter(reader.ciphers.get, reader.ciphers):
        print(name.decode(), len(reader.met[name]), "of", reader.sealed.get(name, "?"), file=sys.stderr)
    sys.exit(4 if reader.counts["tampered"] else 3 if {"no key", "orphan"} & set(reader.counts) else 0)
