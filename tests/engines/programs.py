"""Which engines there are. An engine in any language joins by one line of ENGINES."""

import dataclasses
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILT = ROOT / "target" / "engines"
PYTHON = BUILT / "venv" / "bin" / "python"
CIPHERS = "DES DESede AES Blowfish RC2 RC4 AES-128-GCM AES-256-GCM AES-256-GCM-SIV ChaCha20-Poly1305"
CODECS = "base64 base64url base64-mime"


@dataclasses.dataclass(frozen=True)
class Program:
    """An engine, how to start it, and what it must not call unsupported: these algorithms in shape as-written."""

    name: str
    command: list
    does: str


ENGINES = [
    Program("python_stdlib", [PYTHON, ROOT / "engines/python/engine.py", "stdlib"], CODECS),
    Program("python_cryptography", [PYTHON, ROOT / "engines/python/engine.py", "cryptography"],
            "DESede AES Blowfish RC4 AES-128-GCM AES-256-GCM AES-256-GCM-SIV ChaCha20-Poly1305"),
    Program("go", [BUILT / "go" / "engine"],
            CODECS + " DES DESede AES Blowfish RC4 AES-128-GCM AES-256-GCM ChaCha20-Poly1305"),
]
