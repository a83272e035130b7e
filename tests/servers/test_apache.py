"""Apache httpd's access log, sealed through `CustomLog "|sealmark log seal …"` as examples/apache.conf says."""

import os
import re
import signal
import socket
import subprocess
import threading
import time
import unittest
from pathlib import Path

import load
from common import IS_ROOT, LIBRARIES, SERVERS, USER, ServerTest, children, is_running, run

LOGROTATE = SERVERS / "usr" / "sbin" / "logrotate"
MODULES = SERVERS / "usr" / "lib" / "apache2" / "modules"


def start_httpd(test: ServerTest, *lines: str) -> subprocess.Popen:
    """Starts httpd with these lines in its configuration, and waits until it answers."""
    user = [f"User {USER}", f"Group {USER}"] if IS_ROOT else []
    config = [
        f"ServerRoot {test.directory}",
        f"DefaultRuntimeDir {test.directory}/run",
        f"PidFile {test.directory}/run/httpd.pid",
        "ServerName localhost",
        f"Listen 127.0.0.1:{test.port}",
        f"LoadModule authz_core_module {MODULES}/mod_authz_core.so",
        *lines,
        *user,
        f"ErrorLog {test.directory}/error.log",
        f"DocumentRoot {test.directory}/www",
    ]
    (test.directory / "httpd.conf").write_text("\n".join(config) + "\n")
    program = SERVERS / "usr" / "sbin" / "apache2"
    server = test.start(program, "-f", test.directory / "httpd.conf", "-D", "FOREGROUND", **LIBRARIES)
    test.wait_until(lambda: starts(test), "httpd does not start")
    return server


def starts(test: ServerTest) -> int:
    """The number of times that httpd has read its configuration and gone on. It listens before, and its sealers run before, but a
    signal that arrives by then is lost."""
    log = test.directory / "error.log"
    return log.read_bytes().count(b"resuming normal operations") if log.exists() else 0


class ApacheTest(ServerTest):
    def serve(self, *lines: str):
        """Starts httpd with both logs, and with the given directives for processes and threads."""
        (self.directory / "sealed.conf").write_text(self.example("apache.conf"))
        logs = [f"Include {self.directory}/sealed.conf", f"CustomLog {self.plain} combined"]
        self.server = start_httpd(self, *lines, *logs)
        # At its start, httpd begins one more sealer, and ends it. The one that has sealed a line is the one that stays, and
        # handles signals by now.
        load.ask(self.port, b"GET /?hidden HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        self.wait_until(lambda: self.sealed.exists() and b"~s1a~" in self.sealed.read_bytes(), "no line was sealed")

    def sealers(self) -> list[int]:
        """The sealers that signals do not end any more: from the time when their watchdog runs."""
        return [pid for pid in children(self.server.pid, "sealmark") if "watchdog" in threads(pid)]

    def stop(self, sealers: list[int]):
        """Ends httpd properly; its sealers end when the last of its processes does."""
        self.finish(self.server, signal.SIGWINCH)
        self.wait_until(lambda: not any(map(is_running, sealers)), "a sealer goes on without its server")

    def restart(self):
        """Lets httpd read its configuration anew and begin a new sealer, while its old processes end their requests."""
        old, before = self.sealers(), starts(self)
        self.server.send_signal(signal.SIGUSR1)
        self.wait_until(lambda: starts(self) > before, "httpd does not restart")
        self.wait_until(lambda: set(self.sealers()) - set(old), "no new sealer was begun")

    def test_one_process_in_the_order_of_the_lines(self):
        self.serve(*PREFORK, "ServerLimit 1", "StartServers 1", "MaxRequestWorkers 1")
        load.run(self.port, 60)
        self.stop(self.sealers())
        self.assert_sealed(60 * load.THREADS, in_order=True)

    def test_many_threads_and_processes(self):
        self.serve(*EVENT)
        load.run(self.port, 250)
        self.stop(self.sealers())
        self.assert_sealed(250 * load.THREADS, in_order=False)

    def test_graceful_restarts_and_new_sessions_under_load(self):
        self.serve(*EVENT)
        seen = set(self.sealers())
        worker = threading.Thread(target=load.run, args=(self.port, 250))
        worker.start()
        for _ in range(3):
            for sealer in self.sealers():
                signal_process(sealer, signal.SIGHUP)
            self.restart()
            seen.update(self.sealers())
        worker.join()
        self.stop([*seen, *self.sealers()])
        self.assertGreaterEqual(len(seen), 4)
        self.assert_sealed(250 * load.THREADS, in_order=False)

    def test_a_slow_request_outlives_a_restart(self):
        """Its line is written seconds after httpd has told the old sealer to end."""
        (self.directory / "www" / "large").write_bytes(bytes(1 << 26))
        self.serve(*EVENT)
        before = self.sealers()
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.sendall(b"GET /large?q=hidden HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            connection.recv(1)
            self.restart()
            time.sleep(3)
            while connection.recv(1 << 20):
                pass
        self.stop([*before, *self.sealers()])
        self.assert_sealed(0, in_order=True)

    def test_logrotate_under_load(self):
        self.serve(*EVENT)
        config = self.directory / "logrotate.conf"
        config.write_text(self.example("logrotate.conf"))
        worker = threading.Thread(target=load.run, args=(self.port, 250))
        worker.start()
        for _ in range(3):
            self.wait_until(self.sealed.exists, "the sealer does not go on in a new file")
            self.wait_until(lambda: self.sealed.stat().st_size > 0, "nothing is sealed any more")
            run(LOGROTATE, "--force", "--state", self.directory / "state", config, env=os.environ | LIBRARIES)
        worker.join()
        load.run(self.port, 20)
        self.stop(self.sealers())
        self.assertGreaterEqual(len(self.logs()), 3)
        self.assert_sealed(270 * load.THREADS, in_order=False)

    @unittest.skipUnless(IS_ROOT, "only root can give up its rights")
    def test_the_sealer_is_not_root(self):
        self.serve(*EVENT)
        uid = self.sealed.parent.stat().st_uid
        self.assertNotEqual(uid, 0)
        self.wait_until(lambda: set().union(*map(process_users, self.sealers())) == {uid}, "the sealer is root")
        self.stop(self.sealers())


PREFORK = (f"LoadModule mpm_prefork_module {MODULES}/mod_mpm_prefork.so",)
EVENT = (
    f"LoadModule mpm_event_module {MODULES}/mod_mpm_event.so",
    "StartServers 2",
    "ThreadsPerChild 16",
    "MaxRequestWorkers 64",
    "MinSpareThreads 16",
    "MaxSpareThreads 64",
)


def signal_process(pid: int, number: int):
    """A process that has ended meanwhile needs no signal."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def threads(pid: int) -> set[str]:
    """The names of the process's threads; none if it has ended."""
    try:
        return {task.read_text().strip() for task in Path(f"/proc/{pid}/task").glob("*/comm")}
    except OSError:
        return set()


def process_users(pid: int) -> set[int]:
    """Real, effective, saved and file system user."""
    return set(map(int, status(pid, "Uid").split()))


def status(pid: int, key: str) -> str:
    """The value of this key in the process's status; empty if the process has ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return ""
    return re.search(rf"^{key}:\t(.*)$", text, re.MULTILINE)[1]


if __name__ == "__main__":
    unittest.main()
