"""Which engines there are. An engine in any language joins by one line of ENGINES."""

import dataclasses
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent
BUILT = ROOT / "target" / "engines"
RUST = ROOT / "target" / "debug" / "sealmark-lab-rust"
PYTHON = BUILT / "venv" / "bin" / "python"
CIPHERS = "DES DESede AES Blowfish RC2 RC4 AES-128-GCM AES-256-GCM AES-256-GCM-SIV ChaCha20-Poly1305"
CODECS = "base64 base64url base64-mime"
RECORD_SHAPES = ["1-thread", "2-threads", "16-threads", "256-threads", "4096-virtual"]
# A log's short value and its long one, one byte, and one whose text ends without padding.
RECORD_SIZES = [49, 8404, 1, 30]
PAYLOAD_SHAPES = ["one-shot", "update", "stream", "wss4j", "chunked", "verify-then-release"]

# Around nothing, one block, the lines of MIME, 64 KiB and what the lab measures; of payloads pieces of 8,192 bytes.
SIZES = {"codec": [0, 1, 2, 49, 57, 58, 76, 115, 8404, 65537], "cipher": [0, 1, 8, 16, 49, 8404, 65537],
         "payload": [0, 1, 17, 8191, 8192, 8193, 100_000]}
# For engines that take half a second to start, which each size but a payload's does anew. They are the JVM's, whose own
# tests have every length and every alteration of each algorithm and shape: here it is the wire that is looked at.
FEW_SIZES = {"codec": [8404], "cipher": [49], "payload": [0, 17, 100_000]}
# Half the CPU time of a JVM's first second goes to compilers and collectors that these few operations never need.
QUICK_START = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]


@dataclasses.dataclass(frozen=True)
class Program:
    """An engine, how to start it, what it must not call unsupported in at least one way of use, and its modes of job
    payload."""

    name: str
    command: list
    does: str
    payload: list
    sizes: dict = dataclasses.field(default_factory=lambda: SIZES)


@dataclasses.dataclass(frozen=True)
class RecordProgram:
    """An engine of job record: how to start it, its algorithms, and on how many threads it does them. An engine that takes long
    to start is asked for few sizes."""

    name: str
    command: list
    does: str
    shapes: list
    sizes: list = dataclasses.field(default_factory=lambda: RECORD_SIZES)


@dataclasses.dataclass(frozen=True)
class LogAppProgram:
    """An engine of job log-app: how to start it, and what becomes of private values in its log."""

    name: str
    command: list
    does: str


def claimed(name: str, job: str = "payload", of: list = PAYLOAD_SHAPES) -> list:
    """The modes, or threads, of a job that lab/engines.toml says the engine has."""
    stanzas = tomllib.loads((ROOT / "lab" / "engines.toml").read_text())["engine"]
    stanza = next(stanza for stanza in stanzas if stanza["name"] == name)
    claims = stanza.get("parameters", {}).get({"payload": "mode", "record": "threads"}[job], of)
    return [value for value in of if job in stanza["jobs"] and value in claims]


def rust(name: str, does: str) -> Program:
    return Program(f"rust_{name}", [RUST, name], does, claimed(name))


def jvm(name: str, does: str, java="java") -> Program:
    command = [java, *QUICK_START, "-jar", ROOT / "target" / "java" / "engine.jar", name]
    return Program(f"jvm_{name}", command, does, claimed(name), FEW_SIZES)


def fetched(version: str) -> Path | None:
    """A JVM that `make jdks` has brought, if it could."""
    java = ROOT / "target" / "jdks" / version / "bin" / "java"
    return java if java.exists() else None


def jvms(version: str, **does: str) -> list[Program]:
    """Engines on a JVM that is not the machine's."""
    java = fetched(version)
    programs = [jvm(name, what, java) for name, what in does.items()] if java else []
    return [dataclasses.replace(program, name=f"{program.name}_java_{version}") for program in programs]


ENGINES = [
    Program("python_stdlib", [PYTHON, ROOT / "lab/engines/python/engine.py", "stdlib"], CODECS, claimed("Python")),
    Program("python_cryptography", [PYTHON, ROOT / "lab/engines/python/engine.py", "cryptography"],
            "DESede AES Blowfish RC4 AES-128-GCM AES-256-GCM AES-256-GCM-SIV ChaCha20-Poly1305", claimed("pyca")),
    Program("go", [BUILT / "go" / "engine"],
            CODECS + " DES DESede AES Blowfish RC4 AES-128-GCM AES-256-GCM ChaCha20-Poly1305", claimed("Go")),
    rust("aws-lc-rs", "AES AES-128-GCM AES-256-GCM AES-256-GCM-SIV ChaCha20-Poly1305"),
    rust("ring", "AES-128-GCM AES-256-GCM ChaCha20-Poly1305"),
    rust("rustcrypto", CIPHERS),
    rust("openssl", CIPHERS),
    rust("simdutf", "base64 base64url"),
    rust("base64", CODECS),
    jvm("SunJCE", "DES DESede AES Blowfish RC2 RC4 AES-128-GCM AES-256-GCM ChaCha20-Poly1305"),
    jvm("BouncyCastle", CIPHERS),
    jvm("ACCP", "AES-128-GCM AES-256-GCM"),
    jvm("Conscrypt", "AES-128-GCM AES-256-GCM ChaCha20-Poly1305"),
    jvm("java.util.Base64", CODECS),
    jvm("commons-codec", CODECS),
    jvm("native-jni", "base64 RC4"),
    jvm("sun.misc-stand-in", "base64-mime"),
    # The oldest and the newest JVM that the lab measures; `make test` brings them before.
    *jvms("8", **{"SunJCE": "DES DESede AES Blowfish RC2 RC4 AES-128-GCM AES-256-GCM", "BouncyCastle": CIPHERS,
                  "ACCP": "AES-128-GCM AES-256-GCM", "Conscrypt": "AES-128-GCM AES-256-GCM ChaCha20-Poly1305",
                  "java.util.Base64": CODECS, "commons-codec": CODECS, "native-jni": "base64 RC4", "sun.misc": "base64-mime"}),
    *jvms("27", **{"SunJCE": "DES DESede AES Blowfish RC2 RC4 AES-128-GCM AES-256-GCM ChaCha20-Poly1305",
                   "BouncyCastle": CIPHERS, "ACCP": "AES-128-GCM AES-256-GCM",
                   "Conscrypt": "AES-128-GCM AES-256-GCM ChaCha20-Poly1305", "java.util.Base64": CODECS,
                   "native-jni": "base64 RC4"}),
]
# Job payload has more: ours do no job in memory.
PAYLOAD_ENGINES = [*ENGINES, rust("sealmark", ""), jvm("sealmark-wss", ""), jvm("sealmark-wss-pure", ""),
                   *jvms("8", **{"sealmark-wss": "", "sealmark-wss-pure": ""}), *jvms("27", **{"sealmark-wss": ""})]


def newest_java() -> Path | None:
    """A JVM that has virtual threads, if `make jdks` has brought one."""
    return next(filter(None, map(fetched, ("27", "25", "21"))), None)


def of_records(name: str, does: str) -> RecordProgram:
    return RecordProgram(f"rust_{name}", [RUST, name], does, claimed(name, "record", RECORD_SHAPES))


def jvm_records(name: str, does: str, shapes: list = ["16-threads"]) -> RecordProgram:
    """All engines on the JVM have the same threads: one of them is asked for all of them."""
    shapes = [shape for shape in claimed(name, "record", RECORD_SHAPES) if shape in shapes]
    return RecordProgram(f"jvm_{name}", jvm(name, does).command, does, shapes, [49, 30])


def virtual_records(name: str, does: str) -> list[RecordProgram]:
    """On a JVM that has them, which that of the machine may be too old for."""
    return records_on(newest_java(), jvm_records(name, does, RECORD_SHAPES[-1:]), "virtual")


def records_on(java: Path | None, program: RecordProgram, word: str) -> list[RecordProgram]:
    """On a JVM that is not the machine's; on none where it could not be had."""
    other = dataclasses.replace(program, name=f"{program.name}_{word}", command=[java, *program.command[1:]])
    return [other] if java else []


BY_HAND = "AES-256-GCM-base64 AES-256-GCM-base64-bytes AES-256-GCM-base64-as-written"
RECORD_ENGINES = [
    of_records("sealmark", "token"),
    of_records("article", "RC4-base64"),
    *(of_records(name, "AES-256-GCM-base64") for name in ("bare", "aws-lc-rs", "rustcrypto")),
    RecordProgram("go", [BUILT / "go" / "engine"], "AES-256-GCM-base64", claimed("Go", "record", RECORD_SHAPES)),
    jvm_records("SunJCE", BY_HAND + " RC4-base64", RECORD_SHAPES[:-1]),
    *virtual_records("SunJCE", BY_HAND + " RC4-base64"),
    *records_on(fetched("8"), jvm_records("SunJCE", BY_HAND + " RC4-base64"), "java_8"),
    jvm_records("BouncyCastle", BY_HAND + " RC4-base64"),
    jvm_records("ACCP", BY_HAND),
    jvm_records("Conscrypt", BY_HAND + " RC4-base64"),
    jvm_records("Tink", "AES-256-GCM-base64"),
    jvm_records("native-jni", "RC4-base64"),
    jvm_records("sealmark-java-pure", "token token-bytes"),
    jvm_records("sealmark-java", "token token-bytes", RECORD_SHAPES[:-1]),
    *virtual_records("sealmark-java", "token token-bytes"),
]


def tomcat(log: str, does: str) -> LogAppProgram:
    command = ["java", *QUICK_START, "-jar", ROOT / "target" / "java" / "app" / "app.jar", log]
    return LogAppProgram(f"tomcat_{log}", command, does)


LOG_APP_ENGINES = [tomcat("plain", "none"), tomcat("mask", "mask"), tomcat("sealed", "token"),
                   tomcat("sealed-pure", "token")]
