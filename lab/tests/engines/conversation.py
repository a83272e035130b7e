"""One conversation with an engine, strict about everything spec/engine.md says of lines and answers."""

import json
import os
import selectors
import subprocess
import tempfile
import time

PROTOCOL = 3
PATIENCE = 60
LONGEST_LINE = 65536
LARGEST = 2**63 - 1
BAD_NEWS = {"unsupported", "refused", "exhausted", "limited", "failed"}
FIGURES = {"cpu_ns": int, "allocated_bytes": int, "gc_ns": int, "peak_bytes": int}
# Keys that an answer must have, and keys that it may have.
ANSWERS = {
    "hello": ({"protocol": int, "engine": str, "version": str}, {}),
    "ready": ({"authenticated": bool, "code": str}, {}),
    "checked": ({"bytes": int, "sha256": str}, {}),
    "timed": ({"count": int, "wall_ns": int, "sha256": str}, FIGURES),
    "done": ({"wall_ns": int}, FIGURES),
    "connected": ({"count": int, "wall_ns": int, "bytes": int, "sha256": str, "protocol": str, "suite": str, "group": str,
                   "full": int, "resumed": int},
                  FIGURES | {"client_cpu_ns": int, "server_cpu_ns": int, "wire_bytes": int, "each_ns": str}),
    "served": ({"count": int, "wall_ns": int, "median_ns": int, "p99_ns": int}, FIGURES | {"client_cpu_ns": int}),
} | {news: ({"why": str}, {}) for news in BAD_NEWS}
# The parameter that a job's shape is a value of; the other jobs have none.
SHAPES = {"codec": "reuse", "cipher": "reuse", "payload": "mode", "record": "threads", "tls-transfer": "transport",
          "tls-connect": "transport"}
OF_TLS = ("protocol", "suite", "group", "certificate")


class Conversation:
    """Starts the engine; as a context it sees to its end."""

    def __init__(self, command):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors)
        self.pending = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def ask(self, ask: str, **keys) -> dict:
        return self.say(json.dumps({"ask": ask} | (named(**keys) if ask == "prepare" else keys)).encode() + b"\n")

    def say(self, line: bytes) -> dict:
        """Any bytes at all; the answer is a valid one, or AssertionError says what is wrong with it."""
        self.send(line)
        answered = self.read_line()
        assert answered is not None, f"the engine ended instead of answering {line[:200]!r}: {self.stderr()}"
        return valid_answer(answered)

    def send(self, line: bytes):
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def read_line(self) -> bytes | None:
        """The next line without its end, None if the engine's output has ended."""
        deadline = time.monotonic() + PATIENCE
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.pending:
                assert selector.select(deadline - time.monotonic()), f"no answer within {PATIENCE} s"
                part = os.read(self.process.stdout.fileno(), 1 << 16)
                if not part:
                    assert not self.pending, f"the last answer has no line feed: {self.pending[:200]!r}"
                    return None
                self.pending += part
        line, _, self.pending = self.pending.partition(b"\n")
        return line

    def end(self) -> int:
        """Ends the engine's input and returns its exit code; it has nothing more to say."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        left = self.read_line()
        assert left is None, f"an answer nobody asked for: {left[:200]!r}"
        return self.process.wait(PATIENCE)

    def stderr(self) -> str:
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")


def named(job: str, algorithm: str, shape: str = "", **others) -> dict:
    """A line as plans name it, with each of its parameters under its own key."""
    words = [*algorithm.split(" ", 3), *["none"] * 3]
    what = dict(zip(OF_TLS, words)) if job.startswith("tls-") else {} if job == "empty" else {"algorithm": algorithm}
    return {"job": job} | what | ({SHAPES[job]: shape} if job in SHAPES else {}) | others


def valid_answer(line: bytes) -> dict:
    assert len(line) < LONGEST_LINE, f"an answer of {len(line)} bytes"
    try:
        answer = json.loads(line.decode(), object_pairs_hook=flat, parse_float=never, parse_constant=never)
    except ValueError as problem:
        raise AssertionError(f"{line[:200]!r} is no answer: {problem}") from problem
    assert isinstance(answer, dict), f"{line[:200]!r} is no object"
    required, possible = ANSWERS.get(answer.get("answer"), (None, None))
    assert required is not None, f"an answer nobody knows: {answer}"
    found = {key: type(value) for key, value in answer.items() if key != "answer"}
    assert required.items() <= found.items(), f"a key is missing or of the wrong kind: {answer}"
    assert found.items() <= (required | possible).items(), f"a key too many or of the wrong kind: {answer}"
    assert "why" not in answer or (answer["why"] and "\n" not in answer["why"]), f"no line for a person: {answer}"
    return answer


def flat(pairs: list) -> dict:
    for key, value in pairs:
        assert type(value) in (str, int, bool), f"{key} is neither string nor integer nor boolean"
        assert type(value) is not int or 0 <= value <= LARGEST, f"{key} is out of range: {value}"
    assert len(dict(pairs)) == len(pairs), f"a key twice: {[key for key, _ in pairs]}"
    return dict(pairs)


def never(text: str):
    raise AssertionError(f"{text} is no integer")
