"""Requests as a server on the open network meets them: each contains "hidden" wherever the sealer has to hide it."""

import base64
import random
import socket
import threading

THREADS = 16
# Text of browsers, proxies and attackers in queries and headers.
ODDITIES = [b"a%20b+c", b'"quoted"', b"\\x22", b"back\\slash", b"~s1a~", b"~s1x~q~", b"{\"a\":\"~s1h~\"}", b"a&" * 200, b"\xc3\xa9\xff\xfe", b"'", b"-"]
ODDITIES += [b"%00%0a", b"<script>", b"$(id)", b"\x7f", b";", b"&&", b"?", b"#", b"x" * 700]


def run(port: int, requests: int, first: int = 0):
    """Sends this many requests from each thread, and returns when all are answered. Another `first` gives other requests."""
    failures, turns = [], range(first, first + requests)
    threads = [threading.Thread(target=work, args=(port, number, turns, failures)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def work(port: int, number: int, turns: range, failures: list):
    chance = random.Random(number * 1_000_000 + turns.start)
    try:
        for turn in turns:
            ask(port, request(chance, f"{number}-{turn}".encode()))
    except OSError as error:
        failures.append(error)


def ask(port: int, request: bytes):
    """Each request has a connection of its own, because a server closes those of malformed requests anyway."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass


def request(chance: random.Random, name: bytes) -> bytes:
    if chance.random() < 0.02:
        return b"hidden-" + name + b" \xff no request at all\r\n\r\n"
    headers = [b"Host: localhost", b"Connection: close"]
    for header in (b"Referer", b"User-Agent"):
        if chance.random() < 0.8:
            headers.append(header + b": " + text(chance, name))
    if chance.random() < 0.2:
        headers.append(b"Authorization: Basic " + base64.b64encode(b"hidden-" + name + b", 127.0.0.1:x"))
    return b"GET %b HTTP/1.1\r\n%b\r\n\r\n" % (target(chance, name), b"\r\n".join(headers))


def target(chance: random.Random, name: bytes) -> bytes:
    path = chance.choice([b"/", b"/index.html", b"/missing", b"/%7Euser/", b"/hidden-" + name])
    names = chance.choices([b"q", b"email", b"%71", b""], k=chance.randrange(4))
    parameters = [parameter + b"=" + text(chance, name) for parameter in names]
    return path + (b"?" + b"&".join(parameters) if parameters else b"")


def text(chance: random.Random, name: bytes) -> bytes:
    return b"hidden-" + name + b"".join(chance.choices(ODDITIES, k=chance.randrange(3)))
