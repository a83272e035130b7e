"""Seals one field of every line of a log as people write it, with AES-256-GCM under a random nonce and base64, or opens it
again: what `sealmark log` is held against.
usage: field_filter.py key > KEYFILE;  field_filter.py (seal|open) (json|query) KEYFILE < LOG > LOG"""

import base64
import json
import os
import re
import sys

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PARAMETER = re.compile(r"(?<=[?&]email=)[^& ]*")


def seal(cipher: AESGCM, value: str) -> str:
    nonce = os.urandom(12)
    return base64.urlsafe_b64encode(nonce + cipher.encrypt(nonce, value.encode(), None)).decode()


def unseal(cipher: AESGCM, text: str) -> str:
    sealed = base64.urlsafe_b64decode(text)
    return cipher.decrypt(sealed[:12], sealed[12:], None).decode()


def in_json(line: str, change) -> str:
    record = json.loads(line)
    holder = record.get("user", record)
    holder["email"] = change(holder["email"])
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False) + "\n"


def in_query(line: str, change) -> str:
    return PARAMETER.sub(lambda found: change(found.group()), line)


def main(verb: str, *rest: str):
    if verb == "key":
        print(AESGCM.generate_key(256).hex())
        return
    kind, key = rest
    with open(key) as file:
        cipher = AESGCM(bytes.fromhex(file.read()))
    in_line = {"json": in_json, "query": in_query}[kind]
    change = {"seal": seal, "open": unseal}[verb]
    for line in sys.stdin:
        sys.stdout.write(in_line(line, lambda value: change(cipher, value)))


main(*sys.argv[1:])
