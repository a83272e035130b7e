"""Job payload by pyca/cryptography: AES-GCM from file to file. Each function is what a user of the library writes."""

import os

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import GCM

# A sealed file is the vector, the ciphertext, the tag (XML Encryption 1.1, section 5.2.4).
VECTOR, TAG, PIECE = 12, 16, 8192
KEYS = {"AES-128-GCM": 16, "AES-256-GCM": 32}


def seal_in_one(key, input, output):
    with open(input, "rb") as file:
        plain = file.read()
    vector = os.urandom(VECTOR)
    sealed = AESGCM(key).encrypt(vector, plain, None)
    with open(output, "xb") as file:
        file.write(vector)
        file.write(sealed)


def open_in_one(key, input, output):
    with open(input, "rb") as file:
        sealed = memoryview(file.read())
    text_length(len(sealed))
    plain = AESGCM(key).decrypt(sealed[:VECTOR], sealed[VECTOR:], None)
    with open(output, "xb") as file:
        file.write(plain)


def seal_by_updates(key, input, output):
    vector = os.urandom(VECTOR)
    encryptor = Cipher(AES(key), GCM(vector)).encryptor()
    with open(input, "rb") as plain, open(output, "xb") as sealed:
        sealed.write(vector)
        while piece := plain.read(PIECE):
            sealed.write(encryptor.update(piece))
        sealed.write(encryptor.finalize() + encryptor.tag)


def open_by_updates(key, input, output):
    with open(input, "rb") as sealed:
        left = text_length(os.fstat(sealed.fileno()).st_size)
        decryptor = Cipher(AES(key), GCM(sealed.read(VECTOR))).decryptor()
        with open(output, "xb") as plain:
            while piece := sealed.read(min(left, PIECE)):
                plain.write(decryptor.update(piece))
                left -= len(piece)
            plain.write(decryptor.finalize_with_tag(sealed.read(TAG)))


def text_length(sealed_length):
    if sealed_length < VECTOR + TAG:
        raise ValueError("shorter than a vector and a tag")
    return sealed_length - VECTOR - TAG


MODES = {
    "one-shot": {"seal": seal_in_one, "open": open_in_one},
    "update": {"seal": seal_by_updates, "open": open_by_updates},
}
CLASSES = {"one-shot": "AESGCM", "update": "Cipher with GCM"}
