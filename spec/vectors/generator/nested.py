"""Stanzas of age in our own format: an X25519 stanza stands for all, because its secret key is one line of text."""

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from vector import ALICE, BOB, CONTENT, FILE_KEY, HEADER, HMAC, NO_MATCH, SUCCESS, Vector, file, to_alice
from wire import b64, classic, fixed, stanza

NONCE = bytes(12)


def vectors():
    inside = of_age()
    yield Vector("a_stanza_of_age_opens", SUCCESS, file(around(inside)), CONTENT)
    unknown = (["plugin", "x"], b"sixteen bytes ok")
    yield Vector("a_stanza_of_age_for_a_plugin_is_ignored", SUCCESS, file(around(unknown) + to_alice()), CONTENT)
    yield Vector("the_stanza_inside_is_for_somebody_else", NO_MATCH, file(around(of_age(BOB))))
    yield from altered(inside)
    yield from shapes(inside)


def altered(inside):
    """The key inside was authenticated, so what it wraps must open."""
    yield Vector("a_stanza_of_age_wraps_another_file_key", HMAC, file(around(inside, fixed("another file key"))))
    other = around(of_age(what="another share"))
    moved = other.split(b" ")[2].decode()
    yield Vector("a_wrapped_file_key_is_of_another_stanza", HMAC, file(around(inside, wrapped=moved)))
    yield Vector("a_wrapped_file_key_was_sealed_without_salt", HMAC, file(around(inside, salt=b"")))


def shapes(inside):
    (kind, share), body = inside

    def shape(name: str, data: bytes) -> Vector:
        return Vector(name, HEADER, file(data + to_alice()))

    yield shape("a_stanza_of_age_has_no_argument", stanza(["age"], body))
    yield shape("a_stanza_of_age_has_no_type", stanza(["age", b64(bytes(48))], body))
    yield shape("a_stanza_of_age_has_a_short_file_key", stanza(["age", b64(bytes(47)), kind, share], body))
    yield shape("a_stanza_of_age_has_a_padded_file_key", stanza(["age", b64(bytes(47)) + "=", kind, share], body))
    yield shape("the_stanza_inside_has_a_long_body", around(([kind, share], body + b"\0")))
    yield shape("the_stanza_inside_has_no_share", around(([kind], body)))
    yield shape("the_stanza_inside_has_a_share_of_low_order", around(([kind, b64(bytes(32))], body)))


def of_age(to=ALICE, what: str = "inside"):
    """Arguments and body of age's X25519 stanza for the key inside (c2sp.org/age)."""
    share, public, dh = classic("x25519", to.secret, fixed(f"ephemeral key of {what}"))
    wrap_key = hkdf(dh, share + public, b"age-encryption.org/v1/X25519")
    return ["X25519", b64(share)], ChaCha20Poly1305(wrap_key).encrypt(NONCE, inner_key(), None)


def inner_key() -> bytes:
    return fixed("key inside", 16)


def around(inside, file_key: bytes = FILE_KEY, wrapped: str | None = None, salt: bytes | None = None) -> bytes:
    args, body = inside
    if wrapped is None:
        salt = stanza(args, body) if salt is None else salt
        wrap_key = hkdf(inner_key(), salt, b"sealmark/1 file age")
        wrapped = b64(AESGCM(wrap_key).encrypt(NONCE, file_key, None))
    return stanza(["age", wrapped, *args], body)


def hkdf(ikm: bytes, salt: bytes, info: bytes) -> bytes:
    return HKDF(hashes.SHA256(), 32, salt, info).derive(ikm)
