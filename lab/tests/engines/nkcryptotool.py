#!/usr/bin/env python3
"""Stands in for nkCryptoTool, which nothing here builds or fetches: it takes the command lines of both programs, by the name of
its file, and refuses any other. It hides nothing. STAND_IN_FAULT makes it a liar."""

import hashlib
import hmac
import os
import sys
from pathlib import Path

RUST = Path(sys.argv[0]).name.startswith("nk-crypto-tool")
FAULT = os.environ.get("STAND_IN_FAULT", "")
KEYS = {"ecc": ["ecc"], "pqc": ["pqc"], "hybrid": ["hybrid_mlkem", "hybrid_ecdh"] if RUST else ["pqc", "ecc"]}
PRIVATE = {"ecc": ["--user-privkey"], "pqc": ["--user-privkey"], "hybrid": ["--user-mlkem-privkey", "--user-ecdh-privkey"]}
PUBLIC = {"ecc": ["--recipient-pubkey"], "pqc": ["--recipient-pubkey"],
          "hybrid": ["--recipient-mlkem-pubkey", "--recipient-ecdh-pubkey"]}
VERBS = {"--gen-enc-key", "--gen-sign-key", "--gen-keybundle", "--fingerprint", "--encrypt", "--decrypt"}
OUTPUT = "--output-file" if RUST else "-o"


def main(words: list[str]) -> None:
    if RUST and words == ["--version"]:
        print("nk-crypto-tool 9.9.9")
        return
    if os.environ.get("NK_PASSPHRASE") != "":
        refuse("a passphrase would be asked for")
    verbs = [word for word in words if word in VERBS]
    rest = [word for word in words if word not in VERBS]
    files = [rest.pop()] if verbs in (["--encrypt"], ["--decrypt"]) else []
    options = dict(zip(rest[::2], rest[1::2], strict=True))
    mode = options.pop("--mode")
    {"--gen-enc-key": make_keys, "--gen-sign-key": make_identity, "--gen-keybundle": make_bundle, "--fingerprint": tell,
     "--encrypt": encrypt, "--decrypt": decrypt}[verbs[0]](mode, options, *files)


def make_keys(mode: str, options: dict) -> None:
    directory = Path(only(options, "--key-dir"))
    for name in KEYS[mode]:
        for kind in ("private", "public"):
            (directory / f"{kind}_enc_{name}.key").write_text(f"{mode} {name}")


def make_identity(mode: str, options: dict) -> None:
    directory = Path(only(options, "--key-dir"))
    for kind in ("private", "public"):
        (directory / f"{kind}_sign_{mode}.key").write_text("identity")


def make_bundle(mode: str, options: dict) -> None:
    directory, identity, handle, bundle = only(options, "--key-dir", "--signing-privkey", "--keybundle-handle",
                                               "--keybundle-output")
    if Path(identity).read_text() != "identity" or not handle:
        refuse("nobody signs this bundle")
    Path(bundle).write_text("".join(Path(directory, f"public_enc_{name}.key").read_text() for name in KEYS[mode]))


def tell(mode: str, options: dict) -> None:
    print(f"nk-crypto-tool\nFingerprint: {fingerprint()} (SHA3-256)")


def fingerprint() -> str:
    return hashlib.sha3_256(b"identity").hexdigest()


def encrypt(mode: str, options: dict, file: str) -> None:
    if RUST:
        bundle, told, output = only(options, "--recipient-keybundle", "--recipient-fingerprint", OUTPUT)
        if told != fingerprint():
            refuse("the fingerprint is another")
        key = Path(bundle).read_text()
    else:
        *keys, output = only(options, *PUBLIC[mode], OUTPUT)
        key = "".join(Path(name).read_text() for name in keys)
    plain = Path(file).read_bytes()
    write(output, b"NKCT" + plain + tag(key, plain))


def decrypt(mode: str, options: dict, file: str) -> None:
    *keys, output = only(options, *PRIVATE[mode], OUTPUT)
    sealed = Path(file).read_bytes()
    plain = sealed[4:-32]
    right = hmac.compare_digest(sealed[-32:], tag("".join(Path(name).read_text() for name in keys), plain))
    if FAULT != "gullible" and (sealed[:4] != b"NKCT" or not right):
        refuse("authentication failed")
    write(output, plain[::-1] if FAULT == "forgetful" else plain)


def tag(key: str, plain: bytes) -> bytes:
    return hmac.digest(key.encode(), plain, "sha256")


def write(output: str, content: bytes) -> None:
    if RUST and Path(output).exists():
        refuse("the output exists")
    Path(output).write_bytes(content)


def only(options: dict, *names: str):
    """These options and no others."""
    if set(options) != set(names):
        refuse(f"unknown options: {sorted(options)}")
    values = [options[name] for name in names]
    return values if len(values) > 1 else values[0]


def refuse(why: str) -> None:
    sys.exit(f"error: {why}")


if __name__ == "__main__":
    main(sys.argv[1:])
