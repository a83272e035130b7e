"""An engine for job payload that is honest in two shapes, or tells the one lie it is started with: what the conformance
test must notice. usage: payload_liar.py LIE"""

import json
import os
import sys
import time
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES

from liar import news, say
from reference import open_payload, seal_payload, splitmix

# True for a shape that releases early: all of the text is in the output when its tag turns out to be wrong.
SHAPES = {"one-shot": False, "update": True}
# Each is one sentence about what this engine does wrong.
LIES = """uses one vector for everything
writes the vector to the end
leaves out the tag
leaves out the last byte
forgets what follows the last whole piece
forgets the last piece where it is a whole one
answers done and leaves no output when it seals
answers done and leaves no output when it opens
leaves a link in the place of the output
changes its input
seals to what only it can open
opens only what it sealed itself
has keys of its own
has one key for every seed
does not check the tag
checks the tag but for its last bit
opens what is cut short
opens nothing at all to nothing
releases before it authenticates where it should not
releases nothing early where it used to
releases what was never sealed
does not promise to authenticate
says failed where it must refuse
says refused where a file is missing
says done where a file is missing
opens whatever it is asked to do
is never done again after it refused
ends after it refused
says that no time passed
says that more time passed than did
says that it worked for longer than there are processors
leaves out the time
names a key nobody knows
knows every shape
knows every algorithm
does not know a shape it claims""".split("\n")


class Liar:
    def __init__(self, lie: str):
        assert lie in LIES or not lie, lie
        self.lie, self.ask, self.has_refused = lie, {}, False

    def tells(self, lie: str) -> bool:
        assert lie in LIES, lie
        return self.lie == lie

    def answer(self, line: bytes) -> str:
        ask = json.loads(line)
        try:
            return {"prepare": self.prepare, "run": self.run}[ask["ask"]](ask)
        except NotImplementedError:
            return news("unsupported", "not here")
        except InvalidTag:
            self.has_refused = True
            return news("failed" if self.tells("says failed where it must refuse") else "refused", "altered")
        except FileNotFoundError as problem:
            if self.tells("says done where a file is missing"):
                return self.done(1)
            return news("refused" if self.tells("says refused where a file is missing") else "failed", str(problem))

    def prepare(self, ask) -> str:
        knows_shape = ask["mode"] in SHAPES or self.tells("knows every shape")
        knows_algorithm = ask["algorithm"] in ("AES-128-GCM", "AES-256-GCM") or self.tells("knows every algorithm")
        if not knows_shape or not knows_algorithm:
            raise NotImplementedError
        if ask["mode"] == "update" and self.tells("does not know a shape it claims"):
            raise NotImplementedError
        self.ask, self.algorithm = ask, ask["algorithm"]
        self.seed = ask["seed"] + self.tells("has keys of its own")
        self.seed = 7 if self.tells("has one key for every seed") else self.seed
        return say(answer="ready", authenticated=not self.tells("does not promise to authenticate"), code="reference.py")

    def run(self, ask) -> str:
        if ask["operation"] not in ("seal", "open") and not self.tells("opens whatever it is asked to do"):
            raise NotImplementedError
        begun = time.monotonic_ns()
        source, output = Path(ask["input"]), Path(ask["output"])
        data = source.read_bytes()
        if self.has_refused and self.tells("is never done again after it refused"):
            raise InvalidTag
        operate = self.seal if ask["operation"] == "seal" else self.open
        self.write(ask["operation"], operate(data, output), source, output)
        return self.done(time.monotonic_ns() - begun)

    def done(self, wall_ns: int) -> str:
        wall_ns = 0 if self.tells("says that no time passed") else wall_ns
        wall_ns += 10**9 if self.tells("says that more time passed than did") else 0
        figures = {} if self.tells("leaves out the time") else {"wall_ns": wall_ns}
        if self.tells("names a key nobody knows"):
            figures["mood"] = 1
        if self.tells("says that it worked for longer than there are processors"):
            figures["cpu_ns"] = 10**10
        return say(answer="done", **figures)

    def seal(self, plain: bytes, _) -> bytes:
        vector = bytes(12) if self.tells("uses one vector for everything") else os.urandom(12)
        if self.tells("forgets what follows the last whole piece") and len(plain) > 8192:
            plain = plain[: -(len(plain) % 8192)]
        if self.tells("forgets the last piece where it is a whole one") and plain and len(plain) % 8192 == 0:
            plain = plain[:-8192]
        sealed = seal_payload(self.algorithm, self.seed, vector, plain)
        if self.tells("writes the vector to the end"):
            return sealed[12:] + sealed[:12]
        if self.tells("leaves out the tag"):
            return sealed[:-16]
        if self.tells("seals to what only it can open"):
            return sealed[:12] + bytes(byte ^ 1 for byte in sealed[12:])
        return sealed

    def open(self, sealed: bytes, output: Path) -> bytes:
        if self.tells("opens nothing at all to nothing") and not sealed:
            return b""
        if self.tells("seals to what only it can open") and sealed:
            own = sealed[:12] + bytes(byte ^ 1 for byte in sealed[12:])
            # Both its own and the others', so that nothing but what it sealed tells it from an honest one.
            try:
                return self.authenticated(own)
            except InvalidTag:
                pass
        if self.tells("opens only what it sealed itself") and sealed not in self.sealed_before():
            raise InvalidTag
        if self.tells("checks the tag but for its last bit") and sealed:
            sealed = self.with_a_right_last_bit(sealed)
        try:
            return self.authenticated(sealed)
        except InvalidTag:
            if self.tells("does not check the tag") and len(sealed) >= 28:
                return self.text(sealed)
            if self.tells("opens what is cut short") and 12 < len(sealed) < 28:
                return b""
            self.release(sealed, output)
            raise

    def authenticated(self, sealed: bytes) -> bytes:
        if len(sealed) < 28:
            raise InvalidTag
        return open_payload(self.algorithm, self.seed, sealed)

    def release(self, sealed: bytes, output: Path):
        early = SHAPES[self.ask["mode"]] and not self.tells("releases nothing early where it used to")
        if early or self.tells("releases before it authenticates where it should not"):
            text = self.text(sealed)
            output.write_bytes(bytes(len(text)) if self.tells("releases what was never sealed") else text)

    def text(self, sealed: bytes) -> bytes:
        """The text between vector and tag, even if the tag is wrong."""
        if len(sealed) < 28:
            return b""
        key = splitmix(self.seed + 1, {"AES-128-GCM": 16}.get(self.algorithm, 32))
        return Cipher(AES(key), modes.GCM(sealed[:12])).decryptor().update(sealed[12:-16])

    def with_a_right_last_bit(self, sealed: bytes) -> bytes:
        other = sealed[:-1] + bytes([sealed[-1] ^ 1])
        try:
            self.authenticated(other)
            return other
        except InvalidTag:
            return sealed

    def sealed_before(self) -> set:
        return self.__dict__.setdefault("own", set())

    def write(self, operation: str, made: bytes, source: Path, output: Path):
        if self.tells("leaves out the last byte"):
            made = made[:-1]
        if operation == "seal":
            self.sealed_before().add(made)
        if self.tells(f"answers done and leaves no output when it {operation}s"):
            return
        if self.tells("changes its input"):
            source.write_bytes(b"")
        place = output
        if self.tells("leaves a link in the place of the output"):
            place = output.with_suffix(".elsewhere")
            output.symlink_to(place)
        place.write_bytes(made)


def main(lie: str):
    liar = Liar(lie)
    for line in sys.stdin.buffer:
        print(liar.answer(line), flush=True)
        if liar.has_refused and liar.tells("ends after it refused"):
            return


if __name__ == "__main__":
    main(sys.argv[1])
