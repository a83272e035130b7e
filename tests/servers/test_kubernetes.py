"""The sidecar of examples/kubernetes: its manifest is valid, and its own commands run here as the kubelet runs them."""

import os
import signal
import subprocess
import time
import unittest

import kubernetes_validate
import yaml
from common import EXAMPLES, SEALMARK, ServerTest, run

# The oldest version that starts sidecars by default, and a current one.
VERSIONS = ("1.29", "1.33")
# The example's service for these tests: it writes a last line when it is told to end.
SHOP = r"""#!/bin/sh
trap 'line bye; exit 0' TERM
line() { echo "{\"user\":{\"email\":\"ann-$1@secret.example\"},\"ip\":\"192.0.2.1\",\"n\":\"$1\"}"; }
for n in $(seq $1 $2); do line $n; done
line stderr >&2
touch "$0.done"
while :; do sleep 0.05; done
"""


class KubernetesTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.documents = list(yaml.safe_load_all((EXAMPLES / "kubernetes" / "sidecar.yaml").read_text()))
        self.pod = next(one for one in self.documents if one["kind"] == "Deployment")["spec"]["template"]["spec"]
        self.sealer, self.service = self.pod["initContainers"][0], self.pod["containers"][0]
        self.etc = self.directory / "etc"
        (self.etc / "readers").mkdir(parents=True)
        (self.etc / "readers" / "ops.pub").write_bytes((self.directory / "ops.pub").read_bytes())
        for name, text in next(one for one in self.documents if one["kind"] == "ConfigMap")["data"].items():
            (self.etc / name).write_text(text)
        self.shop = self.directory / "shop"
        self.shop.write_text(SHOP)
        self.shop.chmod(0o755)

    def test_the_manifest_is_sound(self):
        for document in self.documents:
            for version in VERSIONS:
                self.assertEqual(kubernetes_validate.validate(document, version, strict=True), version)

    def test_the_two_share_what_they_need(self):
        """No schema checks these: the names match, the sidecar is one, and it has time to drain."""
        self.assertEqual(self.sealer["restartPolicy"], "Always")
        self.assertIn("startupProbe", self.sealer)
        volumes = {volume["name"] for volume in self.pod["volumes"]}
        mounts = [{mount["name"]: mount["mountPath"] for mount in one["volumeMounts"]} for one in (self.sealer, self.service)]
        self.assertLessEqual(set(mounts[0]) | set(mounts[1]), volumes)
        self.assertEqual(mounts[0]["pipe"], mounts[1]["pipe"])
        self.assertNotIn("log", mounts[1], "the service needs no keys")
        self.assertGreater(self.pod["terminationGracePeriodSeconds"], 9)

    def command(self, words: list[str], more: str = "") -> list[str]:
        """A command of the manifest with paths of ours in place of the container's."""
        replaced = " ".join(words)
        for path, ours in (
            ("exec sealmark", f"exec {SEALMARK}"),
            ("exec /shop", f"exec {self.shop}{more}"),
            ("/run/log", f"{self.directory}/run"),
            ("/etc/sealmark", str(self.etc)),
        ):
            words = [word.replace(path, ours) for word in words]
        self.assertNotEqual(" ".join(words), replaced)
        return words

    def run_sealer(self) -> subprocess.Popen:
        with open(self.sealed, "ab") as out, open(self.directory / "output.txt", "ab") as output:
            sealer = subprocess.Popen(
                self.command(self.sealer["command"]), stdin=subprocess.DEVNULL, stdout=out, stderr=output, start_new_session=True
            )
        self.addCleanup(lambda: sealer.poll() is None and sealer.kill())
        probe = self.command(self.sealer["startupProbe"]["exec"]["command"])
        self.wait_until(lambda: subprocess.run(probe).returncode == 0, "the sidecar does not start")
        return sealer

    def run_shop(self, first: int, last: int) -> subprocess.Popen:
        (self.directory / "shop.done").unlink(missing_ok=True)
        shop = self.start(*self.command(self.service["command"], f" {first} {last}"))
        self.wait_until((self.directory / "shop.done").exists, "the service does not start")
        return shop

    def opened(self) -> list[str]:
        sealed = self.sealed.read_bytes()
        self.assertNotIn(b"secret", sealed)
        self.assertNotIn(b"192.0.2.", sealed)
        opened = run(SEALMARK, "log", "open", "-i", self.directory / "ops.key", input=sealed).stdout.decode().splitlines()
        return [yaml.safe_load(line)["n"] for line in opened]

    def test_a_life_of_the_pod(self):
        """The service is restarted once and ends before the sidecar, whose output is all that the node keeps."""
        sealer = self.run_sealer()
        expected = []
        for first, last in ((1, 50), (51, 100)):
            shop = self.run_shop(first, last)
            self.assertIsNone(sealer.poll(), "the sidecar ended with the service")
            self.assertEqual(self.finish(shop, signal.SIGTERM), 0)
            expected += [*map(str, range(first, last + 1)), "stderr", "bye"]
        signalled = time.monotonic()
        self.assertEqual(self.finish(sealer, signal.SIGTERM), 0, self.output())
        self.assertLess(time.monotonic() - signalled, self.pod["terminationGracePeriodSeconds"])
        self.assertEqual(self.opened(), expected)
        self.assertFalse((self.directory / "output.txt").read_bytes().count(b"secret"))

    def test_a_sidecar_that_dies_ends_nobody(self):
        """Lines that come meanwhile wait in the pipe, since the service holds it open."""
        sealer = self.run_sealer()
        shop = self.run_shop(1, 20)
        self.wait_until(lambda: b'"n":"stderr"' in self.sealed.read_bytes(), "lines are missing")
        os.kill(sealer.pid, signal.SIGKILL)
        sealer.wait()
        self.assertEqual(self.finish(shop, signal.SIGTERM), 0, "the service ended with the sidecar")
        shop = self.run_shop(21, 40)
        sealer = self.run_sealer()
        self.wait_until(lambda: b'"n":"40"' in self.sealed.read_bytes(), "lines are missing")
        self.finish(shop, signal.SIGTERM)
        self.assertEqual(self.finish(sealer, signal.SIGTERM), 0, self.output())
        opened = self.opened()
        # The last line of the first service was in the pipe when nobody held it open any more.
        self.assertEqual([number for number in opened if number.isdecimal()], [*map(str, range(1, 41))])


if __name__ == "__main__":
    unittest.main()
