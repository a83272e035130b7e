"""age v1 files both ways: sealed by us and opened by age, sealed by age and opened by us, with either's keys."""

import os
import pty
import re
import shutil
import unittest

from common import LENGTHS, PASSPHRASE, PEERS, SEALMARK, InteropTest, bech32, content, run, skip_without_go

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


# A plugin without secrets: it writes the key into its stanza.
OPEN = r"""#!/bin/sh
heard() { while read -r line; do [ "$line" = '-> ok' ] && read -r _ && return; done; }
while read -r line; do
    case $line in
    '-> wrap-file-key') read -r key ;;
    '-> recipient-stanza 0 open '*) key=${line##* } ;;
    '-> done') read -r _; break ;;
    esac
done
if [ "$1" = --age-plugin=recipient-v1 ]; then
    printf -- '-> recipient-stanza 0 open %s\n\n' "$key"
else
    printf -- '-> file-key 0\n%s\n' "$key"
fi
heard
printf -- '-> done\n\n'
"""

# Plugins are looked for in PATH.
WITH_PLUGINS = {**os.environ, "PATH": f"{PEERS}:{os.environ['PATH']}"}


class KeysOfOthers(AgeTest):
    """Keys that only stanzas of age know: opened by both programs, in both formats by ours."""

    def assert_both_ways(self, recipient, secret, **options):
        """Sealed by each of the programs, opened by each of them."""
        options = {"env": WITH_PLUGINS, **options}
        for length in (0, 99, 70000):
            plain = self.file("plain", content(length))
            sealed = self.path("sealed")
            ours, age = ["seal", "-f", "-R", recipient, "-o", sealed], [AGE, "-R", recipient, "-o", sealed]
            for seal in ([SEALMARK, *ours], [SEALMARK, *ours, "--age"], age):
                with self.subTest(length=length, seal=seal[0].name, age="--age" in seal):
                    run(*seal, plain, **options)
                    opened = run(SEALMARK, "open", "-i", secret, "-o", "-", sealed, **options).stdout
                    self.assert_same(opened, content(length), "opened by sealmark")
                    if sealed.read_bytes().startswith(b"age-encryption.org/"):
                        opened = run(AGE, "-d", "-i", secret, sealed, **options).stdout
                        self.assert_same(opened, content(length), "opened by age")

    def test_ssh(self):
        secret = self.path("id_ed25519")
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "a comment", "-f", secret)
        self.assert_both_ways(self.path("id_ed25519.pub"), secret)
        printed = run(SEALMARK, "keygen", "-y", secret).stdout
        self.assertEqual(printed.split(), self.path("id_ed25519.pub").read_bytes().split()[:2])

    def test_ssh_with_a_passphrase(self):
        secret = self.path("id_ed25519")
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", PASSPHRASE, "-f", secret)
        for command in ([AGE], [SEALMARK, "seal"], [SEALMARK, "seal", "--age"]):
            with self.subTest(command=command):
                sealed = self.file("sealed", run(*command, "-R", f"{secret}.pub", input=content(99)).stdout)
                opened = run(SEALMARK, "open", "-i", secret, "--passphrase-file", self.words(), "-o", "-", sealed)
                self.assert_same(opened.stdout, content(99), "opened by sealmark")
        on_a_terminal([AGE, "-d", "-i", secret, "-o", self.path("opened"), sealed], prompts=1)
        self.assert_same(self.path("opened").read_bytes(), content(99), "opened by age")
        wrong = self.file("wrong", "wrong\n")
        refused = run(SEALMARK, "open", "-i", secret, "--passphrase-file", wrong, "-o", "-", sealed, expect=3)
        self.assertIn(b"wrong passphrase", refused.stderr)
        self.assertIn(b"id_ed25519", refused.stderr)
        # Nobody is asked if another key opens the file, and this one is not for it.
        own = self.path("own.key")
        run(SEALMARK, "keygen", "-o", own)
        public = run(SEALMARK, "keygen", "-y", own).stdout.decode().strip()
        sealed = self.file("own", run(SEALMARK, "seal", "-r", public, input=content(99)).stdout)
        opened = run(SEALMARK, "open", "-i", secret, "-i", own, "-o", "-", sealed)
        self.assert_same(opened.stdout, content(99), "opened by another key")
        refused = run(SEALMARK, "open", "-i", secret, "-o", "-", sealed, expect=3)
        self.assertIn(b"none of the secret keys opens this file", refused.stderr)

    def test_ssh_keys_of_other_types(self):
        plain = self.file("plain", content(99))
        for kind in ("rsa", "ecdsa"):
            secret = self.path(kind)
            run("ssh-keygen", "-q", "-t", kind, "-N", "", "-f", secret)
            refused = run(SEALMARK, "seal", "-R", f"{secret}.pub", plain, expect=1)
            self.assertIn(b"only Ed25519", refused.stderr)
            refused = run(SEALMARK, "open", "-i", secret, plain, "-o", "-", expect=1)
            self.assertIn(b"Ed25519", refused.stderr)

    def test_keys_of_devices(self):
        """age's plugin for tests has the secret keys in software, and checks the tags."""
        identity = self.file("tagtest.key", bech32("age-plugin-tagtest-").upper() + "\n")
        identity.chmod(0o600)
        # The recipients are in the program, because it refuses to start if its keys have others.
        program = (PEERS / "age-plugin-tagtest").read_bytes()
        for prefix, length in ((b"age1tag1", 67), (b"age1tagpq1", 2015)):
            with self.subTest(recipient=prefix):
                found = {match for match in re.findall(prefix + rb"[a-z0-9]{%d}" % (length - len(prefix)), program)}
                self.assertEqual(len(found), 1)
                self.assert_both_ways(self.file("tag.pub", found.pop() + b"\n"), identity)

    def test_a_plugin_wraps(self):
        """Both programs speak with the same plugin, which has recipients of its own."""
        program = self.file("age-plugin-open", OPEN)
        program.chmod(0o755)
        recipient = self.file("open.pub", bech32("age1open") + "\n")
        identity = self.file("open.key", bech32("age-plugin-open-").upper() + "\n")
        identity.chmod(0o600)
        self.assert_both_ways(recipient, identity, env={**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"})

    def test_a_plugin_has_the_native_key(self):
        """Its identity is the native key in another spelling."""
        secret, recipient = self.key("mlkem768x25519")
        as_plugin = self.path("plugin.key")
        run(PEERS / "age-plugin-pq", "-identity", "-o", as_plugin, secret)
        sealed = self.file("sealed", run(SEALMARK, "seal", "--age", "-R", recipient, input=content(99)).stdout)
        opened = run(SEALMARK, "open", "-i", as_plugin, "-o", "-", sealed, env=WITH_PLUGINS).stdout
        self.assert_same(opened, content(99), "opened by the plugin")

    def test_a_plugin_keeps_the_passphrase(self):
        identity = self.file("batchpass.key", bech32("age-plugin-batchpass-").upper() + "\n")
        identity.chmod(0o600)
        words = {**WITH_PLUGINS, "AGE_PASSPHRASE": PASSPHRASE, "AGE_PASSPHRASE_WORK_FACTOR": "10"}
        sealed = self.file("sealed", run(AGE, "-e", "-j", "batchpass", input=content(99), env=words).stdout)
        opened = run(SEALMARK, "open", "-i", identity, "-o", "-", sealed, env=words).stdout
        self.assert_same(opened, content(99), "opened by the plugin")
        wrong = {**words, "AGE_PASSPHRASE": "wrong"}
        refused = run(SEALMARK, "open", "-i", identity, "-o", "-", sealed, env=wrong, expect=3)
        self.assertIn(b"plugin \"batchpass\": says: incorrect passphrase", refused.stderr)

    @unittest.skipUnless(shutil.which("age-plugin-tpm"), "AGE-PLUGIN-TPM IS MISSING: a TPM was NOT used")
    def test_a_tpm(self):
        """In the simulator that the plugin has for its own tests."""
        simulated = {**WITH_PLUGINS, "_AGE_TPM_SIMULATOR": "1"}
        identity = self.path("tpm.key")
        run("age-plugin-tpm", "--generate", "-o", identity, env=simulated)
        identity.chmod(0o600)
        # The recipient of the plugin's own type: the plugin wraps. age refuses the plugin's message about it.
        own = self.file("own.pub", run("age-plugin-tpm", "--tpm-recipient", "-y", identity, env=simulated).stdout)
        for age in ([], ["--age"]):
            sealed = run(SEALMARK, "seal", *age, "-R", own, input=content(99), env=simulated).stdout
            opened = run(SEALMARK, "open", "-i", identity, "-o", "-", input=sealed, env=simulated).stdout
            self.assert_same(opened, content(99), "wrapped and opened by the plugin")
        recipient = self.file("tpm.pub", run("age-plugin-tpm", "-y", identity, env=simulated).stdout)
        self.assert_both_ways(recipient, identity, env=simulated)


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
