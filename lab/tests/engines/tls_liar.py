"""An engine for jobs of TLS without any TLS: it opens the connections it tells of, sends the bytes and makes the rest up.
Honest but for that, or with the one lie it is started with: what the conformance test must notice. usage: tls_liar.py LIE"""

import contextlib
import hashlib
import json
import os
import socket
import ssl
import struct
import sys
import threading
import time
from pathlib import Path

# Started hundreds of times: nothing is imported here that takes its time.
OPERATIONS = {"tls-connect": ["full", "resumed"], "tls-transfer": ["upload", "download"]}
SHAPES = ["memory", "nodelay", "default-sockets"]
KNOWN = ["TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256", "TLSv1.2 TLS_RSA_WITH_AES_128_GCM_SHA256 none RSA-2048"]
# Closes without a trace.
NO_LINGER = struct.pack("ii", 1, 0)
# Each is one sentence about what this engine does wrong, and what the test must say of it.
LIES = dict(line.split(" -> ") for line in """counts a full connection among the resumed ones -> wrong: full resumed
says resumed of all and offered no session -> wrong: full resumed
says resumed of a transfer -> wrong: full resumed
names another suite -> wrong: suite
names another protocol -> wrong: protocol
names another group -> wrong: group
answers the digest of the first connection -> wrong: sha256
answers the digest of something else -> wrong: bytes sha256
counts a byte too many -> wrong: bytes
does one connection less than it was asked -> wrong: count
opens half of the connections it tells of -> connections of this system
opens no connections at all -> connections of this system
sends nothing of a transfer -> bytes over the loopback device
leaves out what went over the wire -> does not say what went over the wire
says that hardly anything went over the wire -> bytes on the wire for a connection
says that a handshake is as long as a film -> bytes on the wire for a connection
says that less went over the wire than was sent -> bytes on the wire for 200003
says that a transfer has as much around it as in it -> bytes on the wire for 200003
leaves out how long each connection took -> not numbers with spaces between
leaves out how long one connection took -> not every connection's time
adds up to more than the span -> ns are not [
separates times with commas -> not numbers with spaces between
answers timed -> 'timed' != 'connected'
leaves out the time -> a key is missing
says that no time passed -> : 0 ns in an answer after
says that more time passed than did -> ns in an answer after
says that it worked for longer than there are processors -> : worked for longer than there are processors
says that its ends worked for longer than there are processors -> the ends worked for longer
does not say that it authenticates -> False != True
knows every algorithm -> 'ready' != 'unsupported'
knows every shape -> 'ready' != 'unsupported'
knows every operation -> 'connected' != 'unsupported'
knows every suite of a protocol -> 'ready' != 'unsupported'
does not know a line it must -> what it must do
fails at what it does not know -> 'failed' != 'unsupported'
fails on unknown keys -> what is colour?
leaves the listening socket -> state=10
leaves connections open -> connections that the system still knows
leaves connections in TIME-WAIT -> state=6
leaves threads -> : threads
leaves memory -> : resident bytes
leaves memory of connections in memory -> : resident bytes
opens all connections one after the other -> : connections at once
opens all connections at once -> : connections at once
delays where it must not -> TCP_NODELAY of both ends
delays nothing -> TCP_NODELAY of both ends
delays nothing at the server's end -> TCP_NODELAY of both ends
connects to a server that resets -> a server that resets:
takes plain text for a handshake -> a server that plain:
does not say who failed -> does not say which end
never connects again after a failure -> once was enough
ends after a failure -> the engine ended instead of answering
ends with another exit code than 0 -> 3 != 0
waits long for a server that stalls -> waited too long
connects to a server that stalls -> a server that stalls:
trusts every authority -> a certificate signed by another authority:
takes a certificate for any name -> a certificate for another name:""".split("\n"))


class Liar:
    def __init__(self, lie: str):
        assert lie in LIES or not lie, lie
        self.lie, self.left, self.has_failed = lie, [], False

    def tells(self, lie: str) -> bool:
        assert lie in LIES, lie
        return self.lie == lie

    def answer(self, line: bytes) -> str:
        ask = json.loads(line)
        if self.tells("fails on unknown keys") and "colour" in ask:
            return news("failed", "what is colour?")
        try:
            return {"hello": self.hello, "prepare": self.prepare, "time": self.time}[ask["ask"]](ask)
        except NotImplementedError:
            return news("failed" if self.tells("fails at what it does not know") else "unsupported", "not here")
        except ConnectionError as trouble:
            self.has_failed = True
            return news("failed", "something went wrong" if self.tells("does not say who failed") else f"client: {trouble}")

    def hello(self, _) -> str:
        return say(answer="hello", protocol=3, engine="liar", version="1")

    def prepare(self, ask) -> str:
        words = [ask[name] for name in ("protocol", "suite", "group", "certificate")]
        algorithm = "none" if set(words) == {"none"} else " ".join(words)
        known = algorithm in KNOWN or self.tells("knows every algorithm")
        if self.tells("knows every suite of a protocol"):
            known |= algorithm.startswith("TLSv1.3 TLS_") and algorithm.endswith(" X25519 ECDSA-P-256")
        if not known or (ask["transport"] not in SHAPES and not self.tells("knows every shape")):
            raise NotImplementedError
        if algorithm == KNOWN[1] and self.tells("does not know a line it must"):
            raise NotImplementedError
        self.recipe, self.words = ask, algorithm.split(" ")
        self.verified = self.verify(Path(ask["directory"]))
        return say(answer="ready", authenticated=not self.tells("does not say that it authenticates"), code="tls_liar.py")

    def verify(self, directory: Path) -> str:
        """Why a client takes no such certificate; nothing if it does."""
        if not (directory / "ca.pem").exists():
            return ""
        client, server = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        client.load_verify_locations(directory / "ca.pem")
        server.load_cert_chain(directory / "certificate.pem", directory / "key.pem")
        if self.tells("trusts every authority") or self.tells("takes a certificate for any name"):
            client.check_hostname = False
        if self.tells("trusts every authority"):
            client.verify_mode = ssl.CERT_NONE
        there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
        ends = [client.wrap_bio(back, there, server_hostname="localhost"), server.wrap_bio(there, back, server_side=True)]
        try:
            for end in ends * 2:
                with contextlib.suppress(ssl.SSLWantReadError):
                    end.do_handshake()
        except ssl.SSLError as trouble:
            return str(trouble)
        return ""

    def time(self, ask) -> str:
        operation, count = ask["operation"], ask["count"]
        if operation not in OPERATIONS[self.recipe["job"]] and not self.tells("knows every operation"):
            raise NotImplementedError
        if self.verified:
            raise ConnectionError(self.verified)
        self.misbehave(self.recipe.get("peer"))
        if self.has_failed and self.tells("never connects again after a failure"):
            raise ConnectionError("once was enough")
        transfer = self.recipe["job"] == "tls-transfer"
        span = Transfer(self, count) if transfer else Connections(self, ask["first"], count)
        begun = time.monotonic_ns()
        if self.recipe["transport"] != "memory":
            span.over_sockets()
        elif self.tells("leaves memory of connections in memory"):
            self.left.append(os.urandom(40_000 * count))
        wall = max(time.monotonic_ns() - begun, count)
        return self.connected(span, operation, count, wall)

    def misbehave(self, peer):
        if peer == "stalls" and not self.tells("connects to a server that stalls"):
            time.sleep(3 if self.tells("waits long for a server that stalls") else 0.1)
            raise ConnectionError("waited for the server")
        if peer == "resets" and not self.tells("connects to a server that resets"):
            raise ConnectionError("reset by peer")
        if peer == "plain" and not self.tells("takes plain text for a handshake"):
            raise ConnectionError("this is no handshake")

    def connected(self, span, operation: str, count: int, wall: int) -> str:
        protocol, suite, group = self.words[:3] if len(self.words) > 2 else ["none"] * 3
        told = {"answer": "connected", "count": count - self.tells("does one connection less than it was asked"),
                "protocol": "TLSv1.1" if self.tells("names another protocol") else protocol,
                "suite": "TLS_AES_256_GCM_SHA384" if self.tells("names another suite") else suite,
                "group": "P-521" if self.tells("names another group") else group}
        told |= self.figures(wall) | self.output(span) | self.handshakes(operation, count) | span.wire() | span.each(wall)
        if self.tells("answers timed"):
            told = {key: told[key] for key in ("answer", "count", "wall_ns", "sha256")} | {"answer": "timed"}
        return say(**told)

    def figures(self, wall: int) -> dict:
        if self.tells("leaves out the time"):
            return {}
        wall = 0 if self.tells("says that no time passed") else wall
        wall += 10**10 * self.tells("says that more time passed than did")
        cpu = 10**11 if self.tells("says that it worked for longer than there are processors") else 1
        of_an_end = 10**11 if self.tells("says that its ends worked for longer than there are processors") else 1
        return {"wall_ns": wall, "cpu_ns": cpu, "client_cpu_ns": of_an_end, "server_cpu_ns": 1}

    def output(self, span) -> dict:
        output = b"else" if self.tells("answers the digest of something else") else span.output()
        length = len(output) + self.tells("counts a byte too many")
        return {"bytes": length, "sha256": hashlib.sha256(output).hexdigest()}

    def handshakes(self, operation: str, count: int) -> dict:
        if operation in ("upload", "download"):
            resumed = int(self.tells("says resumed of a transfer"))
            return {"full": 1 - resumed, "resumed": resumed}
        resumed = count if operation == "resumed" else 0
        if operation == "resumed" and self.tells("counts a full connection among the resumed ones"):
            resumed -= 1
        if self.tells("says resumed of all and offered no session"):
            resumed = count
        return {"full": count - resumed, "resumed": resumed}

    def pair(self, listener) -> tuple:
        client = socket.create_connection(listener.getsockname())
        server, _ = listener.accept()
        self.set_delay(client)
        if not self.tells("delays nothing at the server's end"):
            self.set_delay(server)
        else:
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return client, server

    def set_delay(self, end):
        no_delay = self.recipe["transport"] == "nodelay"
        no_delay = no_delay and not self.tells("delays where it must not") or self.tells("delays nothing")
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, no_delay)

    def close(self, client, server):
        server.close()
        client.recv(1)
        if self.tells("leaves connections open"):
            self.left.append(client)
            return
        if not self.tells("leaves connections in TIME-WAIT"):
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        client.close()


class Connections:
    def __init__(self, liar: Liar, first: int, count: int):
        self.liar, self.first, self.count = liar, first, count
        self.took, self.all_open = [], None

    def over_sockets(self):
        at_once = self.liar.recipe.get("concurrency", 1)
        if self.liar.tells("opens no connections at all"):
            at_once = 0
        if self.liar.tells("opens all connections one after the other"):
            at_once = min(at_once, 1)
        if self.liar.tells("opens all connections at once"):
            at_once *= 3
        self.all_open = threading.Barrier(max(at_once, 1))
        threads = [threading.Thread(target=self.work, args=(index, at_once)) for index in range(at_once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.leave_behind(at_once)

    def work(self, index: int, at_once: int):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            count = self.count // 2 if self.liar.tells("opens half of the connections it tells of") else self.count
            for number in range(self.first + index, self.first + count, at_once):
                begun = time.monotonic_ns()
                self.call(listener, number)
                self.took.append(time.monotonic_ns() - begun)
            if self.liar.tells("leaves the listening socket"):
                self.liar.left.append(listener.dup())

    def call(self, listener, number: int):
        client, server = self.liar.pair(listener)
        if number < self.first + self.all_open.parties and self.count > 50:
            # There must be an instant for whoever looks.
            self.all_open.wait()
            time.sleep(0.1)
        client.sendall(bytes([number % 256]))
        server.sendall(server.recv(1))
        client.recv(1)
        self.liar.close(client, server)

    def leave_behind(self, at_once: int):
        if self.liar.tells("leaves threads"):
            for _ in range(2 * at_once):
                threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        if self.liar.tells("leaves memory"):
            self.liar.left.append(os.urandom(40_000 * self.count))

    def output(self) -> bytes:
        if self.liar.tells("answers the digest of the first connection"):
            return bytes([self.first % 256])
        return bytes([(self.first + self.count - 1) % 256])

    def wire(self) -> dict:
        if self.liar.tells("leaves out what went over the wire"):
            return {}
        each = 2 if self.liar.tells("says that hardly anything went over the wire") else 900
        return {"wire_bytes": self.count * (10**9 if self.liar.tells("says that a handshake is as long as a film") else each)}

    def each(self, wall: int) -> dict:
        each = [min(took, wall // self.count) for took in self.took] or [wall // self.count] * self.count
        each += each[:1] * (self.count - len(each))
        alone = self.liar.recipe["transport"] != "memory" and self.liar.recipe.get("concurrency", 1) == 1
        if not alone or self.liar.tells("leaves out how long each connection took"):
            return {}
        each = each[:1000 - self.liar.tells("leaves out how long one connection took")]
        if self.liar.tells("leaves out how long one connection took"):
            each = each[1:]
        if self.liar.tells("adds up to more than the span"):
            each[0] += wall
        between = "," if self.liar.tells("separates times with commas") else " "
        return {"each_ns": between.join(map(str, each))}


class Transfer:
    def __init__(self, liar: Liar, count: int):
        from reference import splitmix

        self.liar, self.count = liar, count
        self.data = splitmix(liar.recipe["seed"], liar.recipe.get("bytes", 1))

    def over_sockets(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            client, server = self.liar.pair(listener)
            if not self.liar.tells("sends nothing of a transfer"):
                sender = threading.Thread(target=lambda: [client.sendall(self.data) for _ in range(self.count)])
                sender.start()
                left = self.count * len(self.data)
                while left:
                    left -= len(server.recv(min(left, 1 << 16)))
                sender.join()
            self.liar.close(client, server)

    def output(self) -> bytes:
        return self.data

    def wire(self) -> dict:
        if self.liar.tells("leaves out what went over the wire"):
            return {}
        sent = self.count * len(self.data)
        if self.liar.tells("says that less went over the wire than was sent"):
            sent //= 2
        more = 2 if self.liar.tells("says that a transfer has as much around it as in it") else 1.01
        return {"wire_bytes": int(sent * more)}

    def each(self, _) -> dict:
        return {}


def say(**answer) -> str:
    return json.dumps(answer)


def news(kind: str, why: str) -> str:
    return say(answer=kind, why=why)


def main(lie: str):
    liar = Liar(lie)
    for line in sys.stdin.buffer:
        print(liar.answer(line), flush=True)
        if liar.has_failed and liar.tells("ends after a failure"):
            return
    if liar.tells("ends with another exit code than 0"):
        sys.exit(3)


if __name__ == "__main__":
    main(sys.argv[1])
