"""A server's credentials: an authority and a certificate for localhost, new in every run."""

import datetime
import functools
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

KEYS = {
    "RSA-1024": lambda: rsa.generate_private_key(65537, 1024),
    "RSA-2048": lambda: rsa.generate_private_key(65537, 2048),
    "ECDSA-P-256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "Ed25519": ed25519.Ed25519PrivateKey.generate,
}


RIGHT, OF_ANOTHER_RUN, FOR_ANOTHER_NAME = "right", "signed by another authority", "for another name"


def place(algorithm: str, directory: Path, which: str = RIGHT):
    """Writes what the algorithm's last word asks for; nothing for `none` and for words that nobody knows. Wrong ones are
    what no client may accept."""
    kind = algorithm.split(" ")[-1]
    found = credentials(kind, "elsewhere" if which == FOR_ANOTHER_NAME else "localhost")
    if which == OF_ANOTHER_RUN:
        found = found | {"ca.pem": credentials.__wrapped__(kind, "localhost")["ca.pem"]}
    for name, pem in found.items():
        (directory / name).write_bytes(pem)


@functools.cache
def credentials(kind: str, host: str) -> dict:
    if kind not in KEYS:
        return {}
    authority_key, key = KEYS[kind](), KEYS[kind]()
    authority = signed("authority", "authority", authority_key.public_key(), authority_key, [
        (x509.BasicConstraints(ca=True, path_length=None), True), (usage(key_cert_sign=True), True)])
    certificate = signed(host, "authority", key.public_key(), authority_key, [
        (x509.BasicConstraints(ca=False, path_length=None), True),
        (usage(digital_signature=True, key_encipherment=True), True),
        (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False),
        (x509.SubjectAlternativeName([x509.DNSName(host)]), False)])
    return {"ca.pem": authority.public_bytes(Encoding.PEM), "certificate.pem": certificate.public_bytes(Encoding.PEM),
            "key.pem": key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())}


def signed(subject: str, issuer: str, public_key, signing_key, extensions: list) -> x509.Certificate:
    now, day = datetime.datetime.now(datetime.timezone.utc), datetime.timedelta(days=1)
    builder = x509.CertificateBuilder(named(issuer), named(subject), public_key, x509.random_serial_number(), now - day,
                                      now + day)
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    # An Ed25519 key has its own digest.
    digest = None if isinstance(signing_key, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    return builder.sign(signing_key, digest)


def named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def usage(**wanted) -> x509.KeyUsage:
    every = ["digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
             "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"]
    return x509.KeyUsage(**{use: wanted.get(use, False) for use in every})
