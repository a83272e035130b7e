"""Logs the same records with each writer of JSON for Python's logging: one file each, as a collector would keep it.

usage: json_lines.py DIRECTORY
"""

import logging
import socketserver
import sys
import threading
from pathlib import Path

import canary
import ecs_logging
import graypy
import logstash
import logstash_async.formatter
import pygelf


class Collector(socketserver.ThreadingTCPServer):
    """Takes all that one writer sends."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), None)
        self.address = self.server_address
        self.got, self.thread = b"", threading.Thread(target=self.take)
        self.thread.start()

    def take(self):
        """Reads until the writer closes its connection."""
        connection, _ = self.socket.accept()
        with connection:
            while piece := connection.recv(1 << 16):
                self.got += piece

    def end(self) -> bytes:
        self.thread.join()
        self.server_close()
        return self.got


WRITERS = {
    "ecs": lambda path: with_formatter(ecs_logging.StdlibFormatter(extra={"service": {"name": "shop"}}), path),
    "logstash-async": lambda path: with_formatter(logstash_async.formatter.LogstashFormatter(extra={"team": "shop"}), path),
    "logstash-0": lambda _: over_tcp(lambda *to: logstash.TCPLogstashHandler(*to, version=0)),
    "logstash-1": lambda _: over_tcp(lambda *to: logstash.TCPLogstashHandler(*to, version=1)),
    "gelf-graypy": lambda _: over_tcp(lambda *to: graypy.GELFTCPHandler(*to, level_names=True)),
    "gelf-pygelf": lambda _: over_tcp(lambda *to: pygelf.GelfTcpHandler(*to, debug=True, include_extra_fields=True)),
}


def with_formatter(formatter: logging.Formatter, path: Path):
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(formatter)
    return handler, None


def over_tcp(make):
    collector = Collector()
    return make(*collector.address), collector


def write(handler: logging.Handler):
    logger = logging.Logger("shop.payments")
    logger.addHandler(handler)
    for number, value in enumerate(canary.VALUES):
        logger.info("paid by %s", value, extra={"email": value, "user": {"name": value, "tags": [value]}, "attempt": number})
        logger.warning("no such user", extra={"contact": canary.OPEN, "email": value})
        logger.debug("%s", value, stack_info=True)
        try:
            raise ValueError(value)
        except ValueError:
            logger.exception("refused: %s", value)
    handler.close()


def main():
    for name, make in WRITERS.items():
        path = Path(sys.argv[1]) / f"{name}.log"
        handler, collector = make(path)
        write(handler)
        if collector:
            # GELF over TCP ends each record with a zero byte.
            path.write_bytes(collector.end().replace(b"\0", b"\n"))


main()
