"""The log of a service, rolled over by the real logrotate in each of the ways that people set it up."""

import os
import re
import shutil
import subprocess
import threading
import time
import unittest

from common import IS_ROOT, LIBRARIES, SEALMARK, SERVERS, USER, ServerTest, run

LOGROTATE = SERVERS / "usr" / "sbin" / "logrotate"


class LogrotateTest(ServerTest):
    def seal(self):
        words = [SEALMARK, "log", "seal", "-R", self.directory / "ops.pub", "--logfmt", "ip", "-a", self.sealed]
        words += ["--user", USER] if IS_ROOT else []
        with open(self.directory / "output.txt", "ab") as output:
            self.sealer = subprocess.Popen(list(map(str, words)), stdin=subprocess.PIPE, stderr=output, start_new_session=True)
        self.addCleanup(self.end)
        self.fed = 0
        self.wait_until(lambda: self.sealed.exists() and self.sealed.stat().st_size > 0, "there is no log")

    def end(self):
        self.sealer.stdin.close()
        self.sealer.wait(60)

    def feed(self, lines: int):
        for number in range(self.fed, self.fed + lines):
            self.sealer.stdin.write(line(number).encode())
        self.sealer.stdin.flush()
        self.fed += lines

    def is_level(self) -> bool:
        return any(f"n={self.fed - 1}\n".encode() in log for log in self.logs())

    def rotate(self, config: str, *words: str):
        path = self.directory / "logrotate.conf"
        path.write_text(config)
        path.chmod(0o644)
        run(LOGROTATE, *words, "--state", self.directory / "state", path, env=os.environ | LIBRARIES)

    def example(self, *more: str) -> str:
        """The file of examples/, with other directives before its end."""
        return super().example("logrotate.conf").replace("\n}", "\n" + "".join(f"    {one}\n" for one in more) + "}")

    def assert_whole(self, pieces: int):
        self.end()
        self.assertEqual(self.sealer.returncode, 0, self.output())
        logs = self.logs()
        self.assertEqual(len(logs), pieces, self.output())
        key, opened = self.directory / "ops.key", b""
        for log in logs:
            self.assertNotIn(b"192.0.2.", log)
            opened += run(SEALMARK, "log", "open", "-i", key, input=log).stdout
        self.assertEqual(opened.decode(), "".join(map(line, range(self.fed))))

    def under_load(self, config: str):
        """Rotates three times while lines come, each time after the new file is there."""
        self.seal()
        stop = threading.Event()

        def load():
            while not stop.is_set():
                self.feed(20)
                time.sleep(0.005)

        loading = threading.Thread(target=load)
        loading.start()
        try:
            for _ in range(3):
                self.wait_until(lambda: self.sealed.exists() and self.sealed.stat().st_size > 5000, "nothing is sealed any more")
                # The renamed file is written to for a second, which `compress` without `delaycompress` would not wait for.
                time.sleep(1.2)
                self.rotate(config, "--force")
            self.wait_until(self.sealed.exists, "there is no new log")
        finally:
            stop.set()
            loading.join()
        self.wait_until(self.is_level, "lines are missing")
        self.assert_whole(4)

    def test_as_the_example_says(self):
        self.under_load(self.example())
        self.assertTrue(list(self.sealed.parent.glob("*.gz")), "nothing was compressed")

    def test_with_a_file_that_logrotate_makes(self):
        self.under_load(self.example(f"create 0640 {USER} {USER}" if IS_ROOT else "create").replace("    nocreate\n", ""))

    @unittest.skipUnless(IS_ROOT, "THIS IS NOT ROOT: logrotate did NOT become somebody else")
    def test_as_the_owner_of_the_directory(self):
        self.under_load(self.example(f"su {USER} {USER}"))
        self.assertEqual({log.stat().st_uid for log in self.sealed.parent.iterdir()}, {self.sealed.stat().st_uid})

    @unittest.skipUnless(IS_ROOT, "THIS IS NOT ROOT: nobody had to become somebody else")
    def test_a_directory_of_others_needs_su(self):
        """Therefore the example has to name `su` for directories to which the group may write."""
        self.seal()
        self.feed(1)
        shutil.chown(self.sealed.parent, group=USER)
        self.sealed.parent.chmod(0o775)
        with self.assertRaisesRegex(AssertionError, "insecure permissions"):
            self.rotate(self.example(), "--force")
        self.rotate(self.example(f"su {USER} {USER}"), "--force")
        self.wait_until(self.sealed.exists, "there is no new log")
        self.assert_whole(2)

    def test_cut_in_place(self):
        """copytruncate loses lines that are written between its two steps, whoever writes; so none come meanwhile."""
        config = self.example("copytruncate").replace("    nocreate\n", "")
        self.seal()
        for _ in range(3):
            self.feed(500)
            self.wait_until(self.is_level, "lines are missing")
            self.rotate(config, "--force")
        self.feed(10)
        self.wait_until(self.is_level, "lines are missing")
        self.assert_whole(4)

    def test_an_idle_log_is_not_rotated(self):
        """A new file has a header, so `notifempty` alone would rotate it every day for ever; `minsize` does not."""
        config = self.example()
        self.assertIn("notifempty", config)
        self.seal()
        self.feed(1000)
        self.wait_until(self.is_level, "lines are missing")
        days = iter(range(1, 20))

        def a_day_later():
            state = self.directory / "state"
            day = f"2026-01-{next(days):02}-00:00:00"
            state.write_text(f'logrotate state -- version 2\n"{self.sealed}" {re.sub("-0", "-", day)}\n')
            self.rotate(config)
            time.sleep(1.2)

        a_day_later()
        self.wait_until(self.sealed.exists, "there is no new log")
        self.wait_until(lambda: self.sealed.stat().st_size > 0, "it has no header")
        before = sorted(log.name for log in self.sealed.parent.iterdir())
        self.assertEqual(len(before), 2)
        for _ in range(2):
            a_day_later()
        self.assertEqual(sorted(log.name for log in self.sealed.parent.iterdir()), before)
        self.assert_whole(2)


def line(number: int) -> str:
    return f"ip=192.0.2.{number % 250} n={number}\n"


if __name__ == "__main__":
    unittest.main()
