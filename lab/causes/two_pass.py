#!/usr/bin/env python3
"""Where the time of a file tool goes that encrypts pieces of 1 MiB on one thread and decrypts all of them twice, once to
authenticate and once to write, as nkCryptoTool does by its source. A stand-in: calls and cipher are alike, the program is not.

usage: lab/causes/two_pass.py [MEGABYTES]       (in target/lab, whose disk is measured; pages stay in the page cache)
"""

import sys
import tempfile
import time
from pathlib import Path

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PIECE, TAG = 1 << 20, 16
KEY = bytes(32)


def main() -> None:
    pieces = int(sys.argv[1]) if len(sys.argv) > 1 else 256
    scratch = Path(__file__).resolve().parent.parent.parent / "target/lab"
    scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=scratch) as directory:
        plain, sealed, opened = (Path(directory, name) for name in ("plain", "sealed", "opened"))
        plain.write_bytes(bytes(range(256)) * 4096 * pieces)
        print(f"{pieces} MiB")
        tell({
            "copy": lambda: copy(plain, opened),
            "cipher alone, in memory": lambda: cipher(pieces),
            "encrypt": lambda: encrypt(plain, sealed),
            "decrypt, pass 1: authenticate": lambda: verify(sealed),
            "decrypt, pass 2: write": lambda: decrypt(sealed, opened),
        })
        if plain.read_bytes() != opened.read_bytes():
            sys.exit("error: the file was not decrypted to what it was")


def tell(works: dict) -> None:
    """The least CPU time of five rounds, because other work only adds to it; in turn, so that it meets all of them."""
    spans = {name: [] for name in works}
    for _ in range(5):
        for name, work in works.items():
            start = time.process_time()
            work()
            spans[name].append(time.process_time() - start)
    for name, taken in spans.items():
        print(f"{name:<30} {1e3 * min(taken):6.1f} ms of CPU")


def copy(source: Path, target: Path) -> None:
    with open(source, "rb", buffering=0) as reading, open(target, "wb", buffering=0) as writing:
        piece = memoryview(bytearray(PIECE))
        while length := reading.readinto(piece):
            writing.write(piece[:length])


def cipher(pieces: int) -> None:
    aead, piece, sealed = AESGCM(KEY), bytearray(PIECE), bytearray(PIECE + TAG)
    for number in range(pieces):
        aead.encrypt_into(nonce(number), piece, None, sealed)


# The file is a multiple of PIECE, so that no last piece is shorter.
def encrypt(source: Path, target: Path) -> None:
    with open(source, "rb", buffering=0) as reading, open(target, "wb", buffering=0) as writing:
        aead, piece, sealed, number = AESGCM(KEY), bytearray(PIECE), bytearray(PIECE + TAG), 0
        while reading.readinto(piece):
            aead.encrypt_into(nonce(number), piece, None, sealed)
            writing.write(sealed)
            number += 1


def verify(source: Path) -> None:
    for _ in opened_pieces(source):
        pass


def decrypt(source: Path, target: Path) -> None:
    with open(target, "wb", buffering=0) as writing:
        for piece in opened_pieces(source):
            writing.write(piece)


def opened_pieces(source: Path):
    with open(source, "rb", buffering=0) as reading:
        aead, sealed, piece, number = AESGCM(KEY), bytearray(PIECE + TAG), bytearray(PIECE), 0
        while reading.readinto(sealed):
            aead.decrypt_into(nonce(number), sealed, None, piece)
            yield piece
            number += 1


def nonce(number: int) -> bytes:
    return bytes(8) + number.to_bytes(4, "big")


if __name__ == "__main__":
    main()
