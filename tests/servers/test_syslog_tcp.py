"""Syslog over TCP from programs that people use: rsyslog with both framings of RFC 6587, and util-linux's logger."""

import shutil
import signal
import socket
import unittest

from common import LIBRARIES, SEALMARK, SERVERS, ServerTest, run

LINES = 3000
CONFIG = """
module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="{directory}/run/in.sock" RateLimit.Interval="0")
global(workDirectory="{directory}/run")
action(type="omfwd" target="127.0.0.1" port="{port}" protocol="tcp" TCP_Framing="{framing}"
       template="{template}" action.resumeRetryCount="-1" action.resumeInterval="1")
"""


class SyslogTcpTest(ServerTest):
    def seal(self):
        words = ("log", "seal", "-R", self.directory / "ops.pub", "--logfmt", "ip", "--syslog", f"tcp:{self.port}", "-a", self.sealed)
        self.sealer = self.start(SEALMARK, *words)
        self.wait_for_port()

    def opened(self) -> list[str]:
        self.assertEqual(self.finish(self.sealer, signal.SIGTERM), 0, self.output())
        sealed = self.sealed.read_bytes()
        self.assertNotIn(b"192.0.2.", sealed)
        opened = run(SEALMARK, "log", "open", "-i", self.directory / "ops.key", input=sealed).stdout.decode()
        # rsyslog keeps the blank after the tag as a part of the message.
        return [line.strip() for line in opened.splitlines()]

    def relay(self, framing: str, template: str):
        module = next(SERVERS.glob("usr/lib/*/rsyslog/imuxsock.so")).parent
        config, entry = self.directory / "rsyslog.conf", self.directory / "run" / "in.sock"
        config.write_text(CONFIG.format(directory=self.directory, port=self.port, framing=framing, template=template))
        program = SERVERS / "usr" / "sbin" / "rsyslogd"
        words = ("-n", "-f", config, "-i", self.directory / "run" / "rsyslogd.pid", "-M", module)
        relay = self.start(program, *words, **LIBRARIES)
        self.wait_until(entry.exists, "rsyslog does not listen")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.connect(str(entry))
            for number in range(LINES):
                sender.send(f"<13>Nov 25 12:00:01 app[7]: {line(number)}".encode())
        self.wait_until(lambda: f"n={LINES - 1}\n".encode() in self.sealed.read_bytes(), "lines are missing")
        self.finish(relay, signal.SIGTERM)

    def test_rsyslog_counts_octets(self):
        self.seal()
        self.relay("octet-counted", "RSYSLOG_SyslogProtocol23Format")
        self.assertEqual(self.opened(), [line(number) for number in range(LINES)])

    def test_rsyslog_ends_lines(self):
        self.seal()
        self.relay("traditional", "RSYSLOG_TraditionalForwardFormat")
        self.assertEqual(self.opened(), [line(number) for number in range(LINES)])

    def test_logger(self):
        if not shutil.which("logger"):
            self.skipTest("LOGGER IS NOT HERE: its messages were NOT sealed")
        self.seal()
        self.plain.write_text("".join(line(number) + "\n" for number in range(100)))
        for more in (("--octet-count",), ()):
            run("logger", "--tcp", *more, "--server", "127.0.0.1", "--port", self.port, "--file", self.plain, "--tag", "app")
        self.wait_until(lambda: self.sealed.read_bytes().count(b"n=99\n") == 2, "lines are missing")
        self.assertEqual(self.opened(), [line(number) for number in range(100)] * 2)


def line(number: int) -> str:
    return f"ip=192.0.2.{number % 250} n={number}"


if __name__ == "__main__":
    unittest.main()
