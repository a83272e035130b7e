"""age v1 files both ways: sealed by us and opened by age, sealed by age and opened by us, with either's keys."""

import os
import pty
import re
import unittest

from common import LENGTHS, PASSPHRASE, PEERS, SEALMARK, InteropTest, content, run, skip_without_go

AGE, AGE_KEYGEN = PEERS / "age", PEERS / "age-keygen"
# Our name of each type of key, and the option with which age makes one.
SHARED = {"x25519": [], "mlkem768x25519": ["-pq"]}
PROMPT = re.compile(rb"passphrase[^:\n]*: ")


class AgeTest(InteropTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        skip_without_go()
        if not AGE.exists():
            raise FileNotFoundError(f"{AGE} is missing; hint: scripts/peers.sh age")

    def age_key(self, kem: str):
        secret = self.path(f"age-{kem}.key")
        run(AGE_KEYGEN, *SHARED[kem], "-o", secret)
        return secret, self.file(f"age-{kem}.pub", run(AGE_KEYGEN, "-y", secret).stdout)

    def keys_of_both(self, kem: str):
        return [("our key", *self.key(kem)), ("age's key", *self.age_key(kem))]


class AgeOpensOurs(AgeTest):
    def test_every_length_with_either_ones_keys(self):
        for kem in SHARED:
            for whose, secret, recipient in self.keys_of_both(kem):
                for length in LENGTHS:
                    with self.subTest(kem=kem, key=whose, length=length):
                        self.assert_opens(["-R", recipient], secret, content(length))

    def test_armor(self):
        secret, recipient = self.key("mlkem768x25519")
        for length in LENGTHS:
            with self.subTest(length=length):
                sealed = self.assert_opens(["-a", "-R", recipient], secret, content(length))
                self.assertTrue(sealed.startswith(b"-----BEGIN AGE ENCRYPTED FILE-----\n"))

    def test_each_of_several_recipients(self):
        for kem in SHARED:
            keys = self.keys_of_both(kem)
            recipients = [word for _, _, recipient in keys for word in ("-R", recipient)]
            for whose, secret, _ in keys:
                with self.subTest(kem=kem, key=whose):
                    self.assert_opens(recipients, secret, content(99))

    def test_a_stream(self):
        secret, recipient = self.key("x25519")
        for length in LENGTHS:
            with self.subTest(length=length):
                sealed = run(SEALMARK, "seal", "--age", "-R", recipient, input=content(length)).stdout
                self.assert_same(run(AGE, "-d", "-i", secret, input=sealed).stdout, content(length), "stream")

    def test_passphrase(self):
        sealed, opened = self.path("sealed"), self.path("opened")
        plain = self.file("plain", content(70000))
        run(SEALMARK, "seal", "--age", "-p", "--passphrase-file", self.words(), "-o", sealed, plain)
        on_a_terminal([AGE, "-d", "-o", opened, sealed], prompts=1)
        self.assert_same(opened.read_bytes(), content(70000), "scrypt")

    def assert_opens(self, options, secret, plaintext: bytes) -> bytes:
        plain = self.file("plain", plaintext)
        sealed = run(SEALMARK, "seal", "--age", *options, "-o", "-", plain).stdout
        self.assert_same(run(AGE, "-d", "-i", secret, input=sealed).stdout, plaintext, "opened by age")
        return sealed


class WeOpenAges(AgeTest):
    def test_every_length_with_either_ones_keys(self):
        for kem in SHARED:
            for whose, secret, recipient in self.keys_of_both(kem):
                for length in LENGTHS:
                    with self.subTest(kem=kem, key=whose, length=length):
                        self.assert_opens(["-R", recipient], secret, content(length))

    def test_armor(self):
        secret, recipient = self.age_key("mlkem768x25519")
        for length in LENGTHS:
            with self.subTest(length=length):
                self.assert_opens(["-a", "-R", recipient], secret, content(length))

    def test_each_of_several_recipients(self):
        for kem in SHARED:
            keys = self.keys_of_both(kem)
            recipients = [word for _, _, recipient in keys for word in ("-R", recipient)]
            for whose, secret, _ in keys:
                with self.subTest(kem=kem, key=whose):
                    self.assert_opens(recipients, secret, content(99))

    def test_a_stream(self):
        secret, recipient = self.age_key("x25519")
        for length in LENGTHS:
            with self.subTest(length=length):
                sealed = run(AGE, "-R", recipient, input=content(length)).stdout
                opened = run(SEALMARK, "open", "-i", secret, input=sealed).stdout
                self.assert_same(opened, content(length), "stream")

    def test_passphrase(self):
        for armor in ([], ["-a"]):
            with self.subTest(armor=armor):
                sealed, plain = self.path("sealed"), self.file("plain", content(70000))
                on_a_terminal([AGE, "-p", *armor, "-o", sealed, plain], prompts=2)
                opened = run(SEALMARK, "open", "-p", "--passphrase-file", self.words(), "-o", "-", sealed).stdout
                self.assert_same(opened, content(70000), "scrypt")

    def test_a_key_file_that_age_protected_with_a_passphrase(self):
        secret, recipient = self.age_key("x25519")
        protected = self.path("protected.key")
        on_a_terminal([AGE, "-p", "-o", protected, secret], prompts=2)
        sealed = self.file("sealed", run(AGE, "-R", recipient, input=content(99)).stdout)
        opened = run(SEALMARK, "open", "-i", protected, "--passphrase-file", self.words(), "-o", "-", sealed).stdout
        self.assert_same(opened, content(99), "protected key file")

    def assert_opens(self, options, secret, plaintext: bytes):
        sealed = self.file("sealed", run(AGE, *options, input=plaintext).stdout)
        opened = run(SEALMARK, "open", "-i", secret, "-o", "-", sealed).stdout
        self.assert_same(opened, plaintext, "opened by sealmark")


def on_a_terminal(command, prompts: int):
    """Runs a program that insists on a terminal for its passphrase, and answers each of its prompts."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(command[0], [str(word) for word in command])
    screen = answer(terminal, prompts)
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        raise AssertionError(f"exit {code}: {' '.join(map(str, command))}\n{screen.decode(errors='replace')}")


def answer(terminal: int, prompts: int) -> bytes:
    screen, answered = b"", 0
    while data := read_terminal(terminal):
        screen += data
        # Input before a prompt would be thrown away when the echo is turned off.
        if answered < min(prompts, len(PROMPT.findall(screen))):
            os.write(terminal, PASSPHRASE.encode() + b"\n")
            answered += 1
    return screen


def read_terminal(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux reports "input/output error" when the other end is closed
        return b""


if __name__ == "__main__":
    unittest.main()
