"""nginx's access log, sealed through a syslog socket as examples/nginx.conf says."""

import ctypes
import fcntl
import os
import re
import shlex
import signal
import socket
import struct
import threading
import unittest
from pathlib import Path

import load
from common import IS_ROOT, LIBRARIES, SERVERS, USER, ServerTest

QUEUE = Path("/proc/sys/net/unix/max_dgram_qlen")
# The requests of each thread at a time. nginx never waits: it drops lines that do not fit into the socket. The waiting lines of a
# worker may take 212,992 bytes with the kernel's overhead, which is a hundred lines or so.
BURST = 2
REQUESTS = 250


def setUpModule():
    """On some systems, the queue of a socket holds ten lines. There, the tests get a network of their own with a longer
    queue: nothing outside of it changes."""
    if int(QUEUE.read_text()) < 512:
        try:
            network_of_our_own()
            QUEUE.write_text("512")
        except OSError as error:
            raise unittest.SkipTest(f"NO ROOM FOR A BURST ({error}): the logs of nginx were NOT sealed") from error


def network_of_our_own():
    before = os.open("/proc/self/ns/net", os.O_RDONLY)
    change_network(LIBC.unshare(CLONE_NEWNET))
    unittest.addModuleCleanup(os.close, before)
    unittest.addModuleCleanup(lambda: change_network(LIBC.setns(before, CLONE_NEWNET)))
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", IFF_UP))


def change_network(failed: int):
    if failed:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET, SIOCSIFFLAGS, IFF_UP = 0x40000000, 0x8914, 1


class NginxTest(ServerTest):
    def serve(self, workers: int):
        """Starts the sealer and, once it listens, nginx with both logs."""
        example = self.example("nginx.conf")
        command = shlex.split(re.search(r"^#   (/.* log seal .*)$", example, re.MULTILINE)[1])
        self.sealer = self.start(*command)
        self.wait_until((self.directory / "run" / "access.sock").exists, "the sealer does not listen")
        (self.directory / "nginx.conf").write_text(self.config(workers, example))
        program = SERVERS / "usr" / "sbin" / "nginx"
        words = ("-p", self.directory, "-c", self.directory / "nginx.conf", "-e", self.directory / "error.log")
        self.server = self.start(program, *words, **LIBRARIES)
        self.wait_for_port()

    def config(self, workers: int, example: str) -> str:
        bodies = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        return "\n".join(
            [
                f"user {USER};" if IS_ROOT else "",
                f"worker_processes {workers};",
                "daemon off;",
                f"pid {self.directory}/run/nginx.pid;",
                "events {}",
                "http {",
                *(f"{body}_temp_path {self.directory}/run/{body};" for body in bodies),
                f"access_log {self.plain} combined;",
                example,
                f"server {{ listen 127.0.0.1:{self.port}; root {self.directory}/www; }}",
                "}",
            ]
        )

    def stop(self):
        self.assertEqual(self.finish(self.server, signal.SIGQUIT), 0, self.output())
        self.assertEqual(self.finish(self.sealer, signal.SIGTERM), 0, self.output())

    def test_one_worker_in_the_order_of_the_lines(self):
        self.serve(workers=1)
        self.load()
        self.stop()
        self.assert_sealed(REQUESTS * load.THREADS, in_order=True)

    def test_workers_and_new_sessions_under_load(self):
        self.serve(workers=2)
        worker = threading.Thread(target=self.load)
        worker.start()
        while worker.is_alive():
            self.sealer.send_signal(signal.SIGHUP)
            worker.join(0.2)
        self.stop()
        self.assert_sealed(REQUESTS * load.THREADS, in_order=False)

    def load(self):
        """Sends one burst after another, as soon as the sealer has written the one before."""
        for first in range(0, REQUESTS, BURST):
            load.run(self.port, BURST, first)
            self.wait_until(self.is_level, "lines were lost on the way to the sealer")

    def is_level(self) -> bool:
        return self.sealed.read_bytes().count(b"~client~") >= self.plain.read_bytes().count(b"\n")


if __name__ == "__main__":
    unittest.main()
