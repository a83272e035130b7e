"""An engine that is honest and does two algorithms, or tells the one lie it is started with: what the conformance test
must notice. usage: liar.py LIE"""

import base64
import hashlib
import json
import sys
import time

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from reference import OPERATIONS, first_output, splitmix

KNOWN = {("codec", "base64"), ("cipher", "AES-128-GCM"), ("empty", None)}
# Each is one sentence about what this engine does wrong.
LIES = """opens what was altered
opens what was cut short
seals every operation under the first number
promises to authenticate what it does not
does not say that it authenticates
answers the digest of the first operation of a span
answers one operation more than it was asked
does one operation less than it was asked
counts a byte too many
writes digests in capitals
says failed where it must refuse
says refused where a file is missing
names a key nobody knows
says a key twice
answers with a fraction
answers with a nested value
leaves out the time
answers twice
ends after bad news
ends with another exit code than 0
knows every algorithm
does nothing at all
fails on unknown keys
takes a broken line for a greeting
ends in silence at a broken line
hangs at a broken line
has no version
wraps at the largest seed""".split("\n")


class Liar:
    def __init__(self, lie: str):
        assert lie in LIES or not lie, lie
        self.lie, self.ask = lie, {}

    def tells(self, lie: str) -> bool:
        assert lie in LIES, lie
        return self.lie == lie

    def answer(self, line: bytes) -> str:
        try:
            ask = json.loads(line)
            if self.tells("fails on unknown keys") and "colour" in ask:
                return news("failed", "what is colour?")
            return {"hello": self.hello, "prepare": self.prepare, "check": self.check, "time": self.time}[ask["ask"]](ask)
        except NotImplementedError:
            return news("unsupported", "not here")
        except (InvalidTag, ArithmeticError):
            return news("failed" if self.tells("says failed where it must refuse") else "refused", "altered")
        except FileNotFoundError as problem:
            return news("refused" if self.tells("says refused where a file is missing") else "failed", str(problem))
        except (ValueError, KeyError, TypeError):
            return self.broken()

    def broken(self) -> str:
        if self.tells("ends in silence at a broken line"):
            sys.exit(0)
        if self.tells("hangs at a broken line"):
            time.sleep(600)
        return self.hello({}) if self.tells("takes a broken line for a greeting") else news("failed", "a broken line")

    def hello(self, _) -> str:
        return say(answer="hello", protocol=3, engine="liar", version="" if self.tells("has no version") else "1, CPython 3")

    def prepare(self, ask) -> str:
        known = (ask["job"], ask.get("algorithm")) in KNOWN and ask.get("reuse", "as-written") == "as-written"
        if (not known and not self.tells("knows every algorithm")) or self.tells("does nothing at all"):
            raise NotImplementedError
        self.ask = ask
        seed = ask["seed"] & 0xFFFFFFFF if self.tells("wraps at the largest seed") else ask["seed"]
        self.seed, self.input = seed, splitmix(seed, ask["bytes"])
        authenticated = ask.get("algorithm") == "AES-128-GCM" and not self.tells("does not say that it authenticates")
        authenticated |= self.tells("promises to authenticate what it does not")
        return say(answer="ready", authenticated=authenticated, code="reference.py")

    def check(self, ask) -> str:
        if ask["operation"] not in OPERATIONS[self.ask["job"]]:
            raise NotImplementedError
        with open(ask["input"], "rb") as file:
            out = self.operate(ask["operation"], ask["number"], file.read())
        found = hashlib.sha256(out).hexdigest()
        length = len(out) + self.tells("counts a byte too many")
        return say(answer="checked", bytes=length, sha256=found.upper() if self.tells("writes digests in capitals") else found)

    def time(self, ask) -> str:
        operation, first, count, data = ask["operation"], ask["first"], ask["count"], self.input
        if operation not in (*OPERATIONS.get(self.ask["job"], ()), "loop"):
            raise NotImplementedError
        if operation in ("open", "decode"):
            data, last = self.operate({"open": "seal", "decode": "encode"}[operation], first, data), first
        else:
            last = first if self.tells("answers the digest of the first operation of a span") else first + count - 1
            last -= self.tells("does one operation less than it was asked")
        begun = time.perf_counter_ns()
        out = b"" if operation == "loop" else self.operate(operation, last, data)
        figures = {"wall_ns": time.perf_counter_ns() - begun} if not self.tells("leaves out the time") else {}
        count += self.tells("answers one operation more than it was asked")
        return say(answer="timed", count=count, sha256=hashlib.sha256(out).hexdigest(), **figures, **self.oddities())

    def oddities(self) -> dict:
        if self.tells("names a key nobody knows"):
            return {"mood": "fine"}
        if self.tells("answers with a nested value"):
            return {"cpu_ns": {"user": 1}}
        return {"cpu_ns": 1.5} if self.tells("answers with a fraction") else {}

    def operate(self, operation: str, number: int, data: bytes) -> bytes:
        number = 0 if self.tells("seals every operation under the first number") and operation == "seal" else number
        if operation in ("seal", "encode"):
            return first_output(self.ask["job"], self.ask["algorithm"], self.seed, number, data)
        if operation == "decode":
            return base64.b64decode(data)
        try:
            nonce = splitmix(self.seed + 2, 4) + number.to_bytes(8, "big")
            return AESGCM(splitmix(self.seed + 1, 16)).decrypt(nonce, data, None)
        except InvalidTag:
            if self.tells("opens what was altered") or (self.tells("opens what was cut short") and len(data) < 16):
                return data
            raise


def say(**answer) -> str:
    return json.dumps(answer)


def news(kind: str, why: str) -> str:
    return say(answer=kind, why=why)


def main(lie: str):
    liar = Liar(lie)
    for line in sys.stdin.buffer:
        answer = liar.answer(line)
        if liar.tells("says a key twice"):
            answer = answer.replace("{", '{"answer":"hello",', 1)
        print(answer, flush=True)
        if liar.tells("answers twice"):
            print(answer, flush=True)
        if liar.tells("ends after bad news") and '"why"' in answer:
            return
    if liar.tells("ends with another exit code than 0"):
        sys.exit(3)


if __name__ == "__main__":
    main(sys.argv[1])
