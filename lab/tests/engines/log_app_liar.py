"""An engine that is honest in job log-app, or tells the one lie it is started with: what test_log_app.py must notice.
It has neither server nor clients, and writes the log of a masked one.
usage: log_app_liar.py LIE"""

import json
import sys
from pathlib import Path

from log_app_cell import AGENT, MOST_REQUESTS, secrets, target

# Each is one sentence about what this engine does wrong.
LIES = """leaves a value plain
leaves what stands around a value plain
leaves out a name
loses the last line
writes a line twice
writes requests that nobody sent
keeps the lines of the span before
writes a connection's lines in another order
writes lines without an end
writes lines of another form
answers with an error
writes another length of the answer
answers one request more than it was asked
takes no time
tells a median above the 99th percent
tells times that do not fit into the span
says it authenticates
knows every algorithm
knows every operation
knows every number of requests
says failed where it must say limited""".split("\n")


class Liar:
    def __init__(self, lie: str):
        assert lie in LIES or not lie, lie
        self.lie, self.log = lie, None

    def tells(self, lie: str) -> bool:
        assert lie in LIES, lie
        return self.lie == lie

    def answer(self, ask: dict) -> dict:
        try:
            return {"prepare": self.prepare, "time": self.time}.get(ask["ask"], unsupported)(ask)
        except NotImplementedError:
            return {"answer": "unsupported", "why": "not here"}

    def prepare(self, ask: dict) -> dict:
        if ask["algorithm"] != "mask" and not self.tells("knows every algorithm"):
            raise NotImplementedError
        if ask["job"] != "log-app":
            raise NotImplementedError
        self.seed, self.connections = ask["seed"], ask["concurrency"]
        self.log = Path(ask["directory"]) / "access.log"
        return {"answer": "ready", "authenticated": self.tells("says it authenticates"), "code": "Python"}

    def time(self, ask: dict) -> dict:
        if self.log is None:
            return {"answer": "failed", "why": "nothing is prepared"}
        if ask["operation"] != "serve" and not self.tells("knows every operation"):
            raise NotImplementedError
        if not 1 <= ask["count"] <= MOST_REQUESTS and not self.tells("knows every number of requests"):
            news = "failed" if self.tells("says failed where it must say limited") else "limited"
            return {"answer": news, "why": "many"}
        self.write(range(ask["first"], ask["first"] + ask["count"]))
        served = {"answer": "served", "count": ask["count"] + self.tells("answers one request more than it was asked")}
        return served | self.times(ask["count"])

    def times(self, count: int) -> dict:
        if self.tells("takes no time"):
            return {"wall_ns": 0, "median_ns": 0, "p99_ns": 0}
        if self.tells("tells a median above the 99th percent"):
            return {"wall_ns": 1000 * count, "median_ns": 101, "p99_ns": 100}
        if self.tells("tells times that do not fit into the span"):
            return {"wall_ns": 100, "median_ns": 100, "p99_ns": 100}
        return {"wall_ns": 1000 * count, "median_ns": 100, "p99_ns": 100}

    def write(self, numbers: range):
        lines = [self.line(number) for number in numbers]
        if self.tells("loses the last line"):
            lines.pop()
        if self.tells("writes a line twice"):
            lines.append(lines[-1])
        if self.tells("writes requests that nobody sent"):
            lines.append(self.line(numbers[-1] + 1))
        if self.tells("writes a connection's lines in another order"):
            lines.reverse()
        before = self.log.read_text() if self.tells("keeps the lines of the span before") and self.log.exists() else ""
        self.log.write_text(before + "\n".join(lines) + ("" if self.tells("writes lines without an end") else "\n"))

    def line(self, number: int) -> str:
        email = "****"
        if self.tells("leaves a value plain"):
            email = secrets(self.seed, number)[0]
        if self.tells("leaves what stands around a value plain"):
            email = "guest.****"
        path = target(self.seed, number).split("&")[0]
        names = f"&email={email}&name=****" + ("" if self.tells("leaves out a name") else "&card=****")
        body = len(f'{{"order":{number},"contact":49,"state":"shipped"}}\n')
        status = 500 if self.tells("answers with an error") else 200
        length = body + self.tells("writes another length of the answer")
        end = "" if self.tells("writes lines of another form") else f' "-" "{AGENT}"'
        return f'127.0.0.1 - - [22/Nov/2026:00:43:18 +0000] "GET {path}{names} HTTP/1.1" {status} {length}{end}'


def unsupported(_ask: dict) -> dict:
    raise NotImplementedError


if __name__ == "__main__":
    liar = Liar(sys.argv[1])
    for line in sys.stdin.buffer:
        print(json.dumps(liar.answer(json.loads(line))), flush=True)
