"""Which engines there are. An engine in any language joins by one line of ENGINES."""

import dataclasses
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILT = ROOT / "target" / "engines"
PYTHON = BUILT / "venv" / "bin" / "python"
CIPHERS = "DES DESede AES Blowfish RC2 RC4 AES-128-GCM AES-256-GCM AES-256-GCM-SIV ChaCha20-Poly1305"
CODECS = "base64 base64url base64-mime"

# Around nothing, one block, the lines of MIME, 64 KiB and what the lab measures.
SIZES = {"codec": [0, 1, 2, 49, 57, 58, 76, 115, 8404, 65537], "cipher": [0, 1, 8, 16, 49, 8404, 65537]}
# For engines that take half a second to start, which each size does anew.
FEW_SIZES = {"codec": [49, 8404], "cipher": [49, 8404]}


@dataclasses.dataclass(frozen=True)
class Program:
    """An engine, how to start it, and what it must not call unsupported in at least one shape."""

    name: str
    command: list
    does: str
    sizes: dict = dataclasses.field(default_factory=lambda: SIZES)


def rust(name: str, does: str) -> Program:
    return Program(f"rust_{name}", [ROOT / "target" / "debug" / "sealmark-lab", "serve", name], does)


def jvm(name: str, does: str) -> Program:
    return Program(f"jvm_{name}", ["java", "-jar", ROOT / "target" / "java" / "engine.jar", name], does, FEW_SIZES)


ENGINES = [
    Program("python_stdlib", [PYTHON, ROOT / "engines/python/engine.py", "stdlib"], CODECS),
    Program("python_cryptography", [PYTHON, ROOT / "engines/python/engine.py", "cryptography"],
            "DESede AES Blowfish RC4 AES-128-GCM AES-256-GCM AES-256-GCM-SIV ChaCha20-Poly1305"),
    Program("go", [BUILT / "go" / "engine"],
            CODECS + " DES DESede AES Blowfish RC4 AES-128-GCM AES-256-GCM ChaCha20-Poly1305"),
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
]
