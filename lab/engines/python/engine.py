#!/usr/bin/env python3
"""An engine of the lab (spec/engine.md). `engine.py cryptography` does ciphers by pyca/cryptography, `engine.py stdlib`
does base64 by the standard library. Job payload is in payload.py. The README of engines/ says what is unfair here."""

import base64
import hashlib
import json
import platform
import sys
import sysconfig
import time
from functools import partial

# The preparation of each job, and its two operations. They are text, for a call in Python costs as much as a short operation:
# `span_of` writes the text itself into the timed loop, with the operation's number for NUMBER.
SEAL = 'fixed + NUMBER.to_bytes(8, "big"), data, None'
RECIPES = {
    ("base64", "as-written"): ("", "out = b64encode(data)", "out = b64decode(data, validate=True)"),
    ("base64url", "as-written"): (
        "", 'out = urlsafe_b64encode(data).rstrip(b"=")',
        'out = b64decode(data + b"=" * (-len(data) % 4), altchars=b"-_", validate=True)'),
    ("base64-mime", "as-written"): (
        "", r'out = encodebytes(data).replace(b"\n", b"\r\n")[:-2]', "out = decodebytes(data)"),
    ("aead", "as-written"): ("", f"out = New(key).encrypt({SEAL})", "out = New(key).decrypt(nonce, data, None)"),
    ("aead", "tuned"): (
        "aead, sealed, opened = New(key), bytearray(size + 16), bytearray(size)",
        f"aead.encrypt_into({SEAL}, sealed); out = sealed", "aead.decrypt_into(nonce, data, None, opened); out = opened"),
    ("stream", "as-written"): (
        "", "out = Cipher(New(key), None).encryptor().update(data)", "out = Cipher(New(key), None).decryptor().update(data)"),
    # A stream cannot be taken back to its start, so the key schedule remains in each operation.
    ("stream", "tuned"): (
        "cipher, buffer = Cipher(New(key), None), memoryview(bytearray(size))",
        "length = cipher.encryptor().update_into(data, buffer)", "length = cipher.decryptor().update_into(data, buffer)"),
    ("block", "as-written"): (
        "", "padder = PKCS7(BLOCK * 8).padder(); sealer = Cipher(New(key), ECB()).encryptor(); "
        "out = sealer.update(padder.update(data) + padder.finalize()) + sealer.finalize()",
        "unpadder = PKCS7(BLOCK * 8).unpadder(); opener = Cipher(New(key), ECB()).decryptor(); "
        "out = unpadder.update(opener.update(data) + opener.finalize()) + unpadder.finalize()"),
    # In ECB a context that was given whole blocks is as good as new, which PKCS7 objects never are: padding by hand.
    ("block", "tuned"): (
        "sealer, opener = Cipher(New(key), ECB()).encryptor(), Cipher(New(key), ECB()).decryptor()\n"
        "buffer, padding = memoryview(bytearray(size + 4 * BLOCK)), [bytes([n]) * n for n in range(BLOCK + 1)]",
        "length = sealer.update_into(data, buffer); "
        "length += sealer.update_into(padding[BLOCK - len(data) % BLOCK], buffer[length:])",
        "length = plain_length(buffer, opener.update_into(data, buffer), len(data), padding)"),
}

# Job, family of recipes, class of the library, bytes of key, bytes of block.
ALGORITHMS = {name: ("codec", name, None, 0, 0) for name in ("base64", "base64url", "base64-mime")} | {
    "AES-128-GCM": ("cipher", "aead", "AESGCM", 16, 0), "AES-256-GCM": ("cipher", "aead", "AESGCM", 32, 0),
    "AES-256-GCM-SIV": ("cipher", "aead", "AESGCMSIV", 32, 0), "RC4": ("cipher", "stream", "ARC4", 16, 0),
    "ChaCha20-Poly1305": ("cipher", "aead", "ChaCha20Poly1305", 32, 0), "AES": ("cipher", "block", "AES", 16, 16),
    "DESede": ("cipher", "block", "TripleDES", 24, 8), "Blowfish": ("cipher", "block", "Blowfish", 16, 8),
}
ABSENT = {"DES": "cryptography has no single DES, only DESede under one key at three times the work",
          "RC2": "cryptography has RC2 in CBC only"}

SPAN = """
def span(data, first, count):
    out, length, last = b"", None, first + count
    nonce, even = fixed + first.to_bytes(8, "big"), last - count % 32
    cpu, wall = process_time_ns(), perf_counter_ns()
    for number in range(first, even, 32):
        {many}
    for number in range(even, last):
        {one}
    wall, cpu = perf_counter_ns() - wall, process_time_ns() - cpu
    return out if length is None else buffer[:length], wall, cpu
"""


def compiled():
    """The interpreter, and how it was built: what decides how fast it is."""
    options = sysconfig.get_config_var("CONFIG_ARGS") or ""
    told = [f"{platform.python_implementation()} {platform.python_version()}", platform.python_compiler()]
    told += [option for option in ("--enable-optimizations", "--with-lto", "--enable-experimental-jit", "--disable-gil")
             if option in options]
    return ", ".join(told)


class Unsupported(Exception):
    """Not done by this engine."""


class Engine:
    """One conversation with the lab. It keeps the last `prepare`, because data that was refused spoils kept contexts."""

    def __init__(self, library):
        self.job, self.about, self.names = libraries[library]()
        self.name, self.prepared, self.spans, self.files = library, None, {}, {}

    def answer(self, line):
        ask = {}
        try:
            ask = json.loads(line)
            if ask["ask"] not in ("hello", "prepare", "check", "time", "run"):
                raise Unsupported(f"{ask['ask']} is not asked of this engine")
            return getattr(self, ask["ask"])(**{"operation": None} | ask)
        except Exception as problem:
            if self.prepared and not isinstance(problem, Unsupported):
                self.prepare(**self.prepared)
            who = "" if isinstance(problem, Unsupported) else type(problem).__name__
            return {"answer": kind(problem, ask), "why": " ".join(f"{who} {problem}".split())[:500]}

    def hello(self, **_):
        version = f'{self.about.split()[1].strip(",")}, {compiled()}'
        return {"answer": "hello", "protocol": 3, "engine": self.name, "version": version}

    def prepare(self, job, bytes, seed, algorithm=None, reuse=None, mode=None, **_):
        if job == "payload":
            return self.prepare_payload(algorithm, mode, seed)
        setup, forth, back, names = self.recipe(job, algorithm, reuse, seed)
        names |= {"fixed": splitmix(seed + 2, 4), "size": bytes, "plain_length": plain_length} | vars(time)
        exec(setup, names)
        operations = {"codec": ("encode", "decode"), "cipher": ("seal", "open"), "empty": ("loop",)}[job]
        self.spans = {operation: span_of(text, names) for operation, text in zip(operations, (forth, back))}
        self.input, self.forth, self.files = splitmix(seed, bytes), operations[0], {}
        self.prepared = {"job": job, "algorithm": algorithm, "reuse": reuse, "bytes": bytes, "seed": seed}
        code = f"{names['New'].__name__}, {self.about}" if "New" in names else self.about
        return {"answer": "ready", "authenticated": "nonce" in back, "code": code}

    def prepare_payload(self, algorithm, mode, seed):
        payload = self.names.get("payload")
        if not payload or algorithm not in payload.KEYS or mode not in payload.MODES:
            raise Unsupported(f"no payload in mode {mode} under {algorithm} by {self.about}")
        key = splitmix(seed + 1, payload.KEYS[algorithm])
        self.files = {name: partial(operation, key) for name, operation in payload.MODES[mode].items()}
        self.prepared, self.spans = None, {}
        return {"answer": "ready", "authenticated": True, "code": f"{payload.CLASSES[mode]}, {self.about}"}

    def recipe(self, job, algorithm, reuse, seed):
        if job == "empty":
            return "", "pass", "pass", {}
        job_of_it, family, new, key, block = ALGORITHMS.get(algorithm, (None, None, None, 0, 0))
        if not job == job_of_it == self.job or (family, reuse) not in RECIPES:
            raise Unsupported(ABSENT.get(algorithm, f"no {reuse} {algorithm} by {self.about}"))
        names = self.names | {"key": splitmix(seed + 1, key), "BLOCK": block}
        return *RECIPES[family, reuse], names | ({"New": names[new]} if new else {})

    def check(self, operation, number, input, **_):
        span = known(self.spans, operation)
        with open(input, "rb") as file:
            out, *_ = span(file.read(), number, 1)
        return {"answer": "checked", "bytes": len(out), "sha256": hashlib.sha256(out).hexdigest()}

    def time(self, operation, first, count, **_):
        span, data = known(self.spans, operation), self.input
        if operation in ("open", "decode"):
            data = bytes(self.spans[self.forth](data, first, 1)[0])
        peak = forget_peak()
        out, wall, cpu = span(data, first, count)
        digest = {"wall_ns": wall, "cpu_ns": cpu} | peak() | {"sha256": hashlib.sha256(out).hexdigest()}
        return {"answer": "timed", "count": count} | digest

    def run(self, operation, input, output, **_):
        operate, peak = known(self.files, operation), forget_peak()
        cpu, wall = time.process_time_ns(), time.perf_counter_ns()
        operate(input, output)
        wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
        return {"answer": "done", "wall_ns": wall, "cpu_ns": cpu} | peak()


def known(operations, name):
    if name not in operations:
        raise Unsupported(f"no operation {name} here")
    return operations[name]


def span_of(text, names):
    many = "; ".join(text.replace("NUMBER", f"(number + {copy})") for copy in range(32))
    exec(SPAN.format(many=many, one=text.replace("NUMBER", "number")), names)
    return names["span"]


def plain_length(buffer, length, sealed_length, padding):
    pad = buffer[length - 1] if 0 < length == sealed_length else 0
    if not 0 < pad < len(padding) or buffer[length - pad : length] != padding[pad]:
        raise ValueError("the padding is damaged")
    return length - pad


def kind(problem, ask):
    if isinstance(problem, Unsupported):
        return "unsupported"
    if isinstance(problem, (MemoryError, OverflowError)):
        return "exhausted" if isinstance(problem, MemoryError) else "limited"
    data = isinstance(problem, ValueError) or type(problem).__name__ == "InvalidTag"
    return "refused" if data and isinstance(ask, dict) and ask.get("operation") in ("open", "decode") else "failed"


def splitmix(seed, length):
    mask, words = (1 << 64) - 1, []
    for step in range(1, (length + 7) // 8 + 1):
        z = seed + step * 0x9E3779B97F4A7C15 & mask
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        words.append((z ^ z >> 31).to_bytes(8, "little"))
    return b"".join(words)[:length]


def forget_peak():
    """Starts the peak of memory anew; what it returns tells the peak as an answer's key, or nothing outside Linux."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return dict
    return lambda: {"peak_bytes": next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if "VmHWM" in line)}


def stdlib():
    return "codec", f"Python {platform.python_version()}, base64 over binascii", vars(base64)


def cryptography():
    from cryptography import __version__
    from cryptography.hazmat.bindings._rust import _openssl
    from cryptography.hazmat.decrepit.ciphers import algorithms as decrepit
    from cryptography.hazmat.primitives.ciphers import Cipher, aead, algorithms, modes
    from cryptography.hazmat.primitives.padding import PKCS7

    import payload

    names = vars(decrepit) | vars(aead) | {"AES": algorithms.AES, "Cipher": Cipher, "ECB": modes.ECB, "PKCS7": PKCS7,
                                           "payload": payload}
    text = (_openssl.ffi.string(_openssl.lib.OpenSSL_version(part)).decode() for part in (0, 9))
    return "cipher", ", ".join([f"cryptography {__version__}", *text]), names


libraries = {"stdlib": stdlib, "cryptography": cryptography}

if __name__ == "__main__":
    conversation = Engine(sys.argv[1])
    for line in sys.stdin.buffer:
        print(json.dumps(conversation.answer(line), separators=(",", ":")), flush=True)
