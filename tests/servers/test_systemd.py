"""The units of examples/systemd, as systemd reads them, and the program as its tools start it."""

import os
import shutil
import signal
import socket
import unittest

from common import EXAMPLES, IS_ROOT, LIBRARIES, SEALMARK, SERVERS, ServerTest, run

PRIVATE = ":".join(map(str, SERVERS.glob("usr/lib/*-linux-gnu/systemd")))
OF_SYSTEMD = {"LD_LIBRARY_PATH": f"{PRIVATE}:{LIBRARIES['LD_LIBRARY_PATH']}"}


def tool(name: str) -> tuple[str | None, dict]:
    """A program of systemd, this machine's own or the one that scripts/servers.sh unpacked, and its environment."""
    here = shutil.which(name)
    return (here, {}) if here else (shutil.which(SERVERS / "usr" / "bin" / name), OF_SYSTEMD)


class SystemdTest(ServerTest):
    def setUp(self):
        (self.analyze, self.environment), (self.activate, _) = tool("systemd-analyze"), tool("systemd-socket-activate")
        if not self.analyze or not self.activate:
            self.skipTest("SYSTEMD IS NOT HERE: its units were NOT checked")
        super().setUp()

    def test_the_units_are_sound(self):
        for name in ("sealmark-log.service", "sealmark-log.socket"):
            text = (EXAMPLES / "systemd" / name).read_text().replace("/usr/bin/sealmark", str(SEALMARK))
            (self.directory / name).write_text(text)
        done = run(self.analyze, "verify", *sorted(self.directory.glob("sealmark-log.*")), env=os.environ | self.environment)
        self.assertNotIn("sealmark", done.stderr.decode(), "systemd warns")

    @unittest.skipUnless(IS_ROOT, "THIS IS NOT ROOT: systemd-socket-activate was NOT run")
    def test_a_socket_that_systemd_opened_is_read(self):
        path, log = self.directory / "log.sock", self.directory / "sealed" / "app.log"
        (self.directory / "log.toml").write_text(
            'recipients_files = ["ops.pub"]\nformat = "logfmt"\nseal = ["ip"]\nsyslog = "systemd"\nappend = "sealed/app.log"\n'
        )
        words = ("log", "seal", "--config", self.directory / "log.toml")
        sealer = self.start(self.activate, "--datagram", f"--listen={path}", SEALMARK, *words, **self.environment)
        self.wait_until(path.exists, "there is no socket")
        sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(sender.close)
        for number in range(100):
            sender.sendto(f"ip=192.0.2.{number} n={number}".encode(), str(path))
        self.wait_until(lambda: log.exists() and b"n=99\n" in log.read_bytes(), "lines are missing")
        self.assertEqual(self.finish(sealer, signal.SIGTERM), 0, self.output())
        self.assertNotIn(b"192.0.2.", log.read_bytes())
        opened = run(SEALMARK, "log", "open", "-i", self.directory / "ops.key", log).stdout.decode()
        self.assertEqual(opened.splitlines(), [f"ip=192.0.2.{number} n={number}" for number in range(100)])


if __name__ == "__main__":
    unittest.main()
