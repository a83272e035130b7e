"""Which engines have jobs of TLS, how each is started, and what it must be able to do."""

import dataclasses

from programs import BUILT, LAB, QUICK_START, ROOT

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
# What was measured in 2009, with the key lengths of that time. The JDK exports RC4 under a group that is not of 512 bits.
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


@dataclasses.dataclass(frozen=True)
class TlsProgram:
    """An engine, how to start it, the lines it must not call unsupported (the first of them for what is asked once), the
    jobs and shapes it has, and how far its resident memory may grow in 3,000 connections: a collector's heap is not
    filled to the same height every time."""

    name: str
    command: list
    must: list
    growth: int
    has: list = dataclasses.field(default_factory=lambda: EVERYTHING)
    operations: dict = dataclasses.field(default_factory=lambda: OPERATIONS)
    lines: list = dataclasses.field(default_factory=lambda: LINES)
    # One that takes half a second to start shows each line in one shape only, and one line in each.
    slow_start: bool = False
    # The protocol whose sessions it does not resume: `time` says unsupported then.
    never_resumes: str = "nothing"
    # What the lab holds an engine against, and nothing more.
    loop: bool = False
    connections: int = 3000


def rust(name: str, must: list, **more) -> TlsProgram:
    return TlsProgram(f"rust_{name}", [LAB, "serve", name], must, 3 << 20, **more)


def jvm(name: str, must: list, *options, **more) -> TlsProgram:
    # The heap is whole from the beginning: what grows is outside of it, or has broken it.
    heap = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch"]
    command = ["java", *QUICK_START, *heap, *options, "-jar", ROOT / "target" / "java" / "engine.jar", name]
    return TlsProgram(f"jvm_{name}", command, must, 12 << 20, slow_start=True, **more)


LEGACY_SECURITY = ROOT / "target" / "java" / "legacy.security"
TLS_ENGINES = [
    TlsProgram("go", [BUILT / "go" / "engine"], TLS13 + HYBRID + TLS12 + CBC + RSA, 8 << 20),
    rust("openssl", LINES),
    rust("rustls", TLS13 + HYBRID + OTHER_SUITES13 + TLS12),
    rust("copy", ["none"], lines=["none"]),
    rust("openssl-loop", [TODAY, TLS12[0]], has=[("tls-transfer", NODELAY)], loop=True),
    rust("rustls-loop", [TODAY, *HYBRID], has=[("tls-connect", MEMORY)], operations={"tls-connect": ["full"]}, loop=True),
    jvm("SunJSSE", TLS13 + OTHER_SUITES13 + TLS12 + CBC + DHE),
    jvm("BCJSSE", TLS12 + TLS13 + HYBRID + OTHER_SUITES13 + CBC + DHE, never_resumes="TLSv1.3"),
    jvm("Conscrypt", TLS13[:2] + HYBRID + TLS12 + CBC),
    jvm("SunJSSE-legacy", LEGACY, f"-Djava.security.properties={LEGACY_SECURITY}", lines=LEGACY),
]
