"""Each experiment of lab/causes, in a short form, still shows what its page says. Bounds leave room for a busy machine."""

import importlib.util
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent
CAUSES = ROOT / "lab" / "causes"
PYTHON = ROOT / "target" / "engines" / "venv" / "bin" / "python"
NOTHING_IN_C = ["-XX:+UnlockDiagnosticVMOptions", "-XX:DisableIntrinsic=_doubleToRawLongBits"]
GCM_IN_JAVA = ["-XX:+UnlockDiagnosticVMOptions",
               "-XX:DisableIntrinsic=_galoisCounterMode_AESCrypt,_counterMode_AESCrypt,"
               "_aescrypt_encryptBlock,_ghash_processBlocks"]


def load_runner():
    spec = importlib.util.spec_from_file_location("run", CAUSES / "run.py")
    runner = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(runner)
    return runner


RUN = load_runner()


def java(program: str, *arguments: str, flags: list[str] | None = None) -> str:
    return output(RUN.command(NEWEST, flags or [], program, list(arguments)))


def output(command: list) -> str:
    done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"exit {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    if not found:
        raise AssertionError(f"no {pattern!r} in {text}")
    return float(found[1])


def has_aes() -> bool:
    cpu = Path("/proc/cpuinfo")
    return not cpu.exists() or " aes" in cpu.read_text()


def version_of(binary: Path) -> int:
    told = subprocess.run([binary, "-version"], capture_output=True, text=True, check=True).stderr
    return int(number(r'version "(?:1\.)?(\d+)', told))


NEWEST = RUN.javas([])[-1][1]


class Causes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        RUN.compile_all()

    def test_a_native_encoder_pays_for_jni_at_49_bytes(self):
        told = java("Crossing", "rounds=11", flags=NOTHING_IN_C)
        of_java, native = number(r"java.util.Base64 +([\d.]+)", told), number(r"over JNI +([\d.]+)", told)
        of_jni, nothing = number(r"no bytes +([\d.]+)", told), number(r"does nothing +([\d.]+)", told)
        self.assertLess(1.3 * of_java, native, told)
        self.assertGreater(of_jni, native / 3, told)
        self.assertLess(nothing, of_jni, told)

    @unittest.skipUnless(has_aes(), "the CPU has no instructions for AES")
    def test_one_shot_gcm_becomes_fast_when_its_callers_are_compiled(self):
        told = java("GcmRamp", "bytes=65536", "calls=1000", flags=["-Xbatch"])
        self.assertGreater(number(r"the first (\d+) calls", told), 300, told)
        self.assertGreater(number(r"tenth: (\d+)", told), 4 * number(r"calls: (\d+)", told), told)
        sooner = java("GcmRamp", "bytes=65536", "calls=1000", flags=["-Xbatch", "-XX:Tier4InvocationThreshold=500"])
        self.assertLess(number(r"the first (\d+) calls", sooner), 300, sooner)

    @unittest.skipUnless(has_aes(), "the CPU has no instructions for AES")
    def test_without_stubs_gcm_stays_slow(self):
        told = java("GcmRamp", "bytes=65536", "calls=1000", flags=["-Xbatch", *GCM_IN_JAVA])
        self.assertLess(number(r"tenth: (\d+)", told), 500, told)

    def test_streams_allocate_the_square_before_21(self):
        for name, binary in RUN.javas([]):
            with self.subTest(name):
                told = output(RUN.command(binary, [], "StreamGrowth", ["bytes=524288"]))
                times = number(r"CipherInputStream .* ([\d.]+) times", told)
                self.assertAlmostEqual(times, 2 if version_of(binary) >= 21 else 4, delta=0.2, msg=told)
                self.assertAlmostEqual(number(r"one doFinal .* ([\d.]+) times", told), 2, delta=0.2, msg=told)

    @unittest.skipUnless(version_of(NEWEST) >= 21, "streams of older Java are slow for another reason; hint: make jdks")
    def test_a_cold_opening_is_slower_than_that_of_bouncy_castle(self):
        # The least of several, since other work can only add to it.
        sun, bouncy = (min(number(r"bytes: (\d+)", java("ColdOpen", f"provider={provider}", "again=0")) for _ in range(2))
                       for provider in ("SunJCE", "BC"))
        self.assertGreater(sun, 1.1 * bouncy)

    @unittest.skipUnless(Path("/proc/net/netstat").exists(), "acknowledgements are counted on Linux only")
    def test_resumed_handshakes_wait_for_acknowledgements_too(self):
        told = java("Resume", "connections=4", "protocols=TLSv1.2")
        for kind, least in (("full", 80), ("resumed", 40)):
            waits = re.search(rf"Nagle +{kind} *: .*least ([\d.]+).*, ([\d.]+) delayed", told)
            self.assertGreater(float(waits[1]), 0.9 * least, told)
            self.assertGreater(float(waits[2]), 0.7 * least / 40, told)
            self.assertLess(number(rf"TCP_NODELAY +{kind} *: .*least ([\d.]+)", told), 40, told)

    def test_ml_kem_in_go_costs_as_much_as_x25519_and_has_no_assembly(self):
        told = output(["go", "run", CAUSES / "mlkem.go", "-rounds", "5"])
        self.assertGreater(number(r"decapsulation: ([\d.]+)", told), number(r"agreements: +([\d.]+)", told) / 2, told)
        sources = Path(output(["go", "env", "GOROOT"]).strip(), "src/crypto/internal/fips140/mlkem")
        self.assertEqual([path.name for path in sources.glob("*.s")], [], "the page says otherwise")

    def test_a_file_tool_copies_longer_than_it_encrypts(self):
        told = output([PYTHON, CAUSES / "two_pass.py", "64"])
        of = {name: number(rf"{name}.* ([\d.]+) ms", told) for name in ("copy", "cipher", "encrypt", "pass 1", "pass 2")}
        self.assertGreater(of["encrypt"], 2 * of["cipher"], told)
        # The pass that authenticates writes nothing, so it is compared with the one that writes nothing either: two writes
        # of 64 MiB into the page cache differ by more than a pass.
        self.assertGreater(of["pass 1"], 1.2 * of["cipher"], told)


if __name__ == "__main__":
    unittest.main()
