"""An engine that is honest in job record, or tells the one lie it is started with: what test_record.py must notice.
usage: record_liar.py LIE"""

import base64
import hashlib
import itertools
import json
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from reference import splitmix, text

SHAPES = ["1-thread", "2-threads"]
# Each is one sentence about what this engine does wrong.
LIES = """draws the same nonce again
loses the last value
seals the first value twice
opens in another order
opens what was altered
opens what was cut short
leaves values plain
writes lines without an end
answers the digest of a text
does one operation more than it was asked
takes no time
denies that it authenticates
knows every algorithm
knows every shape
says failed where it must refuse
says done and leaves no output
has one key for every seed""".split("\n")


class Liar:
    def __init__(self, lie: str):
        assert lie in LIES or not lie, lie
        self.lie, self.counter = lie, itertools.count()

    def tells(self, lie: str) -> bool:
        assert lie in LIES, lie
        return self.lie == lie

    def answer(self, ask: dict) -> dict:
        try:
            return {"prepare": self.prepare, "time": self.time, "run": self.run}[ask["ask"]](ask)
        except NotImplementedError:
            return {"answer": "unsupported", "why": "not here"}
        except (InvalidTag, ValueError):
            return {"answer": "failed" if self.tells("says failed where it must refuse") else "refused", "why": "altered"}
        except OSError as problem:
            return {"answer": "failed", "why": str(problem)}

    def prepare(self, ask: dict) -> dict:
        knows = ask["algorithm"] == "AES-256-GCM-base64" or self.tells("knows every algorithm")
        if ask["job"] != "record" or not knows:
            raise NotImplementedError
        if ask["threads"] not in [*SHAPES, "16-threads", "256-threads"] and not self.tells("knows every shape"):
            raise NotImplementedError
        seed = 7 if self.tells("has one key for every seed") else ask["seed"]
        self.key, self.bytes, self.value = AESGCM(splitmix(seed + 1, 32)), ask["bytes"], text(splitmix(ask["seed"], ask["bytes"]))
        authenticated = not self.tells("denies that it authenticates")
        return {"answer": "ready", "authenticated": authenticated, "code": "pyca/cryptography"}

    def time(self, ask: dict) -> dict:
        if ask["operation"] not in ("seal", "open"):
            raise NotImplementedError
        sealed = self.seal(self.value)
        value = sealed if self.tells("answers the digest of a text") else self.open(sealed)
        return {"answer": "timed", "count": ask["count"] + self.tells("does one operation more than it was asked"),
                "wall_ns": 0 if self.tells("takes no time") else 1000, "sha256": hashlib.sha256(value).hexdigest()}

    def run(self, ask: dict) -> dict:
        if ask["operation"] not in ("seal", "open"):
            raise NotImplementedError
        with open(ask["input"], "rb") as file:
            data = file.read()
        made = self.seal_all(data) if ask["operation"] == "seal" else self.open_all(data)
        if not self.tells("says done and leaves no output"):
            with open(ask["output"], "wb") as file:
                file.write(made)
        return {"answer": "done", "wall_ns": 1000}

    def seal_all(self, data: bytes) -> bytes:
        values = [data[at : at + self.bytes] for at in range(0, len(data), self.bytes)]
        if self.tells("loses the last value"):
            values.pop()
        if self.tells("seals the first value twice"):
            values[-1] = values[0]
        texts = [self.seal(value) for value in values]
        end = b"" if self.tells("writes lines without an end") else b"\n"
        return b"\n".join(texts) + end

    def open_all(self, data: bytes) -> bytes:
        if not data.endswith(b"\n"):
            raise ValueError
        values = [self.open(text) for text in data[:-1].split(b"\n")]
        return b"".join(sorted(values) if self.tells("opens in another order") else values)

    def seal(self, value: bytes) -> bytes:
        if self.tells("leaves values plain"):
            return base64.urlsafe_b64encode(bytes(12) + value + next(self.counter).to_bytes(16, "big"))
        nonce = (0 if self.tells("draws the same nonce again") else next(self.counter)).to_bytes(12, "big")
        return base64.urlsafe_b64encode(nonce + self.key.encrypt(nonce, value, None))

    def open(self, text: bytes) -> bytes:
        sealed = base64.b64decode(text, altchars=b"-_", validate=True)
        if self.tells("leaves values plain"):
            return sealed[12:-16]
        if self.tells("opens what was cut short") and len(sealed) < 28:
            return b""
        try:
            return self.key.decrypt(sealed[:12], sealed[12:], None)
        except InvalidTag:
            if self.tells("opens what was altered"):
                return self.value
            raise


if __name__ == "__main__":
    liar = Liar(sys.argv[1])
    for line in sys.stdin.buffer:
        print(json.dumps(liar.answer(json.loads(line))), flush=True)
