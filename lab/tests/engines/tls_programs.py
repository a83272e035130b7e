"""Which engines have jobs of TLS, how each is started, and what it must be able to do."""

import dataclasses
import os
import re
from pathlib import Path

from programs import BUILT, QUICK_START, ROOT, RUST

TODAY = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256"
TLS13 = [
    TODAY,
    "TLSv1.3 TLS_AES_128_GCM_SHA256 P-256 RSA-2048",
    "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 Ed25519",
]
HYBRID = ["TLSv1.3 TLS_AES_128_GCM_SHA256 X25519MLKEM768 ECDSA-P-256"]
OTHER_SUITES13 = [
    "TLSv1.3 TLS_AES_256_GCM_SHA384 P-256 ECDSA-P-256",
    "TLSv1.3 TLS_CHACHA20_POLY1305_SHA256 X25519 ECDSA-P-256",
]
TLS12 = [
    "TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 X25519 ECDSA-P-256",
    "TLSv1.2 TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 P-256 RSA-2048",
    "TLSv1.2 TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 X25519 ECDSA-P-256",
]
CBC = ["TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA X25519 ECDSA-P-256"]
DHE = ["TLSv1.2 TLS_DHE_RSA_WITH_AES_128_GCM_SHA256 DH-2048 RSA-2048"]
RSA = ["TLSv1.2 TLS_RSA_WITH_AES_128_GCM_SHA256 none RSA-2048"]
LINES = TLS13 + HYBRID + OTHER_SUITES13 + TLS12 + CBC + DHE + RSA
# The lines measured in 2009, with the key lengths of that time. The JDK exports RC4 under a group that is not of 512 bits.
LEGACY = [f"TLSv1 TLS_{words}" for words in """RSA_WITH_RC4_128_MD5 none RSA-1024
RSA_WITH_RC4_128_SHA none RSA-1024
RSA_WITH_AES_128_CBC_SHA none RSA-1024
RSA_WITH_AES_256_CBC_SHA none RSA-1024
DHE_RSA_WITH_AES_128_CBC_SHA DH-768 RSA-1024
DHE_RSA_WITH_AES_256_CBC_SHA DH-768 RSA-1024
RSA_WITH_3DES_EDE_CBC_SHA none RSA-1024
DHE_RSA_WITH_3DES_EDE_CBC_SHA DH-768 RSA-1024
RSA_WITH_DES_CBC_SHA none RSA-1024
DHE_RSA_WITH_DES_CBC_SHA DH-768 RSA-1024
RSA_EXPORT_WITH_RC4_40_MD5 export RSA-1024
RSA_EXPORT_WITH_DES40_CBC_SHA export RSA-1024
DHE_RSA_EXPORT_WITH_DES40_CBC_SHA export RSA-1024
RSA_WITH_NULL_MD5 none RSA-1024
RSA_WITH_NULL_SHA none RSA-1024
DH_anon_WITH_RC4_128_MD5 DH-768 none
DH_anon_WITH_AES_128_CBC_SHA DH-768 none
DH_anon_WITH_AES_256_CBC_SHA DH-768 none
DH_anon_WITH_3DES_EDE_CBC_SHA DH-768 none
DH_anon_WITH_DES_CBC_SHA DH-768 none
DH_anon_EXPORT_WITH_RC4_40_MD5 DH-768 none
DH_anon_EXPORT_WITH_DES40_CBC_SHA export none""".splitlines()]

MEMORY, NODELAY, DEFAULT_SOCKETS = SHAPES = ["memory", "nodelay", "default-sockets"]
OPERATIONS = {"tls-connect": ["full", "resumed"], "tls-transfer": ["upload", "download"]}
EVERYTHING = [(job, shape) for job in OPERATIONS for shape in SHAPES]


# Spread over all the ways in which they are opened.
MANY_CONNECTIONS, SOME_CONNECTIONS = 10_000, 1_000


@dataclasses.dataclass(frozen=True)
class TlsProgram:
    """An engine, how to start it, the lines it must not call unsupported (the first of them for what is asked once), the
    jobs and shapes it has, and how far its resident memory may grow while a third of its connections is opened: a
    collector's heap is not filled to the same height every time."""

    name: str
    command: list
    must: list
    growth: int
    has: list = dataclasses.field(default_factory=lambda: EVERYTHING)
    operations: dict = dataclasses.field(default_factory=lambda: OPERATIONS)
    lines: list = dataclasses.field(default_factory=lambda: LINES)
    # One that takes seconds to start: where others start anew for each line, job and shape, it does so only where its
    # runtime has to be told of a protocol, group or certificate once and for all.
    slow_start: bool = False
    # The protocol whose sessions it does not resume: `time` says unsupported then.
    never_resumes: str = "nothing"
    # True for a loop that the lab holds an engine against, and that does nothing more.
    loop: bool = False
    connections: int = MANY_CONNECTIONS

    def processes(self) -> list:
        """The cells of one process each: lists of job, line and shape."""
        cells = [(job, line, shape) for line in self.lines for job, shape in self.has]
        if not self.slow_start:
            return [[cell] for cell in cells]
        together = {}
        for cell in cells:
            protocol, _, *others = cell[1].split(" ")
            together.setdefault((protocol, *others), []).append(cell)
        return list(together.values())


def rust(name: str, must: list, **more) -> TlsProgram:
    return TlsProgram(f"rust_{name}", [RUST, name], must, 3 << 20, **more)


def jvm(name: str, must: list, *options, java="java", **more) -> TlsProgram:
    # The heap is whole from the beginning: what grows is outside of it, or has broken it.
    heap = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch"]
    command = [java, *QUICK_START, *heap, *options, "-jar", ROOT / "target" / "java" / "engine.jar", name]
    return TlsProgram(f"jvm_{name}", command, must, 12 << 20, slow_start=True, **more)


def jdks() -> list:
    """The Java runtimes of this machine, found where the lab finds them: of each major version the newest."""
    homes = [Path(os.environ["JAVA_HOME"])] if "JAVA_HOME" in os.environ else []
    for place in (Path("/usr/lib/jvm"), ROOT / "target" / "jdks"):
        homes += sorted(place.iterdir()) if place.is_dir() else []
    newest = {}
    for version, home in sorted((version_of(home), home) for home in homes if (home / "bin" / "java").is_file()):
        newest[version[:1]] = home
    newest.pop((), None)
    return list(newest.values())


def version_of(home: Path) -> tuple:
    """The version as numbers; empty where the file is missing that every runtime has beside its programs."""
    release = home / "release"
    found = re.search(r'^JAVA_VERSION="?([0-9.]+)', release.read_text(), re.MULTILINE) if release.is_file() else None
    return tuple(map(int, found[1].split("."))) if found else ()


LEGACY_OPTION = f"-Djava.security.properties={ROOT / 'target' / 'java' / 'legacy.security'}"


def lines_of_runtime(home: Path) -> list:
    """The engines to start on a Java runtime, and their lines. X25519 came with Java 11, X25519MLKEM768 with 27."""
    version = version_of(home)
    today = TLS13[1:2] if version < (11,) else [TODAY] if version < (27,) else [TODAY, *HYBRID]
    return [("SunJSSE", today), ("SunJSSE-legacy", LEGACY, LEGACY_OPTION)]


TLS_ENGINES = [
    TlsProgram("go", [BUILT / "go" / "engine"], TLS13 + HYBRID + TLS12 + CBC + RSA, 8 << 20),
    rust("openssl", LINES),
    rust("rustls", TLS13 + HYBRID + OTHER_SUITES13 + TLS12),
    rust("copy", ["none"], lines=["none"]),
    rust("openssl-loop", [TODAY, TLS12[0]], has=[("tls-transfer", NODELAY)], loop=True),
    rust("rustls-loop", [TODAY, *HYBRID], has=[("tls-connect", MEMORY)], operations={"tls-connect": ["full"]}, loop=True),
    jvm("SunJSSE", TLS13 + OTHER_SUITES13 + TLS12 + CBC + DHE),
    jvm("BCJSSE", TLS12 + TLS13 + HYBRID + OTHER_SUITES13 + CBC + DHE, never_resumes="TLSv1.3", connections=SOME_CONNECTIONS),
    jvm("Conscrypt", TLS13[:2] + HYBRID + TLS12 + CBC),
    jvm("SunJSSE-legacy", LEGACY, LEGACY_OPTION, lines=LEGACY, connections=SOME_CONNECTIONS),
]
