"""Stanzas that do not fit, and stanzas of a known type that are written wrongly."""

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from vector import ALICE, BOB, FILE_KEY, HEADER, NO_MATCH, WORDS, Vector, file, to_alice
from wire import Key, b64, dhkem_secret, fixed, hpke_seal, passphrase, recipient, stanza

XWING = Key("mlkem768x25519")


def vectors():
    return [*strangers(), *shapes(), *low_order(), *invalid_points(), *passphrases()]


def strangers():
    def stranger(name: str, data: bytes, **options) -> Vector:
        return Vector(name, NO_MATCH, data, **options)

    args, body = recipient(FILE_KEY, ALICE, "alice")
    yield stranger("another_identity_of_the_same_type", file(), keys=[BOB])
    yield stranger("an_identity_of_another_type", file(), keys=[XWING])
    yield stranger("an_identity_where_a_passphrase_opens", file(stanza(*passphrase(FILE_KEY, WORDS))))
    yield stranger("a_passphrase_where_an_identity_opens", file(), keys=[], words=[WORDS])
    yield stranger("the_type_is_in_upper_case", file(stanza(["X25519", args[1]], body)))
    yield stranger("the_body_was_altered", file(stanza(args, flip(body))))
    yield stranger("the_share_was_altered", file(stanza([args[0], b64(fixed("another share"))], body)))
    yield stranger("the_info_is_ages", file(to_alice(info=b"age-encryption.org/x25519")))
    yield stranger("the_info_is_a_logs", file(to_alice(info=b"sealmark/1 record x25519")))
    yield stranger("the_info_is_empty", file(to_alice(info=b"")))
    yield stranger("the_info_names_another_type", file(to_alice(info=b"sealmark/1 file p256")))
    yield stranger("the_first_line_is_ages", file(version=b"age-encryption.org/v1\n"))
    yield from strangers_to_a_hybrid()


def strangers_to_a_hybrid():
    enc, secret = XWING.encapsulate("hybrid")
    _, another = XWING.encapsulate("another hybrid")
    lattice, _ = Key("mlkem768").encapsulate("hybrid")
    for name, share, secret in (
        ("a_hybrids_lattice_half_was_altered", lattice + enc[1088:], secret),
        ("a_hybrids_classic_half_was_altered", enc[:1088] + fixed("another share"), secret),
        ("a_hybrid_was_sealed_under_another_secret", enc, another),
    ):
        yield Vector(name, NO_MATCH, file(sealed_under(XWING, share, secret)), keys=[XWING])


def sealed_under(key: Key, enc: bytes, secret: bytes) -> bytes:
    """A stanza that would open if `secret` were what `enc` decapsulates to."""
    body = hpke_seal(key.kem, secret, f"sealmark/1 file {key.kem}".encode(), FILE_KEY)
    return stanza([key.kem, b64(enc)], body)


def shapes():
    """A holder of a key refuses a stanza of its type that has another shape, even beside one that opens."""
    args, body = recipient(FILE_KEY, ALICE, "alice")

    def shape(name: str, args: list[str], body: bytes = body) -> Vector:
        return Vector(name, HEADER, file(stanza(args, body)))

    yield shape("a_recipient_stanza_without_a_share", args[:1])
    yield shape("a_recipient_stanza_with_two_arguments", [*args, "2"])
    yield shape("a_share_is_one_byte_short", [args[0], b64(fixed("share", 31))])
    yield shape("a_share_is_one_byte_long", [args[0], b64(fixed("share", 33))])
    yield shape("a_share_is_padded", [args[0], args[1] + "="])
    yield shape("a_share_is_not_canonical", [args[0], b64(fixed("share"))[:-1] + "B"])
    yield shape("a_share_is_not_base64", [args[0], "*" + args[1][1:]])
    enc, secret = ALICE.encapsulate("alice")
    for name, key in (("short", fixed("key", 31)), ("long", fixed("key", 33)), ("of_age", fixed("key", 16))):
        other = hpke_seal("x25519", secret, b"sealmark/1 file x25519", key)
        yield shape(f"a_file_key_is_{name}", [args[0], b64(enc)], other)
    yield shape("a_wrapped_file_key_is_empty", args, b"")
    malformed = stanza([*args, "2"], body)
    yield Vector("a_malformed_stanza_before_one_that_opens", HEADER, file(malformed + to_alice()))
    yield Vector("a_malformed_stanza_behind_one_that_opens", HEADER, file(to_alice() + malformed))
    for kem in ("p256", "mlkem768", "mlkem1024", "mlkem768x25519", "mlkem768p256", "mlkem1024p384"):
        key = Key(kem)
        enc, secret = key.encapsulate(kem)
        short = sealed_under(key, enc[:-1], secret)
        yield Vector(f"a_share_of_{kem}_is_one_byte_short", HEADER, file(short), keys=[key])


LOW_ORDER = {
    "zero": bytes(32),
    "one": b"\x01" + bytes(31),
    "of_order_eight": bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    "of_order_eight_again": bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
    "minus_one": bytes.fromhex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    "the_prime": bytes.fromhex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    "the_prime_plus_one": bytes.fromhex("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    "zero_with_the_high_bit": bytes(31) + b"\x80",
}


def low_order():
    """Sealed as a sender would who relies on the zero secret, so that only the check stands in the way."""
    own = public(ALICE)
    for name, share in LOW_ORDER.items():
        secret = dhkem_secret("x25519", bytes(32), share + own)
        yield Vector(f"a_share_of_low_order_{name}", HEADER, file(sealed_under(ALICE, share, secret)))
        hybrid = file(sealed_under(XWING, *XWING.encapsulate_hybrid(fixed("ephemeral"), share)))
        yield Vector(f"a_share_of_low_order_in_a_hybrid_{name}", HEADER, hybrid, keys=[XWING])


def public(key: Key) -> bytes:
    return X25519PrivateKey.from_private_bytes(key.secret).public_key().public_bytes_raw()


def invalid_points():
    for kem, before, size in (("p256", 0, 65), ("mlkem768p256", 1088, 65), ("mlkem1024p384", 1568, 97)):
        key = Key(kem)
        enc, secret = key.encapsulate(kem)
        off = enc[:before] + b"\x04" + fixed("off the curve", size - 1)
        form = enc[:before] + b"\x06" + enc[before + 1 :]
        for name, share in (("off_its_curve", off), ("in_another_form", form)):
            yield Vector(f"a_share_of_{kem}_{name}", HEADER, file(sealed_under(key, share, secret)), keys=[key])


def passphrases():
    args, body = passphrase(FILE_KEY, WORDS)
    salt = args[1]

    def one(name: str, args: list[str], body: bytes = body, expect: str = HEADER) -> Vector:
        return Vector(name, expect, file(stanza(args, body)), keys=[], words=[WORDS])

    yield one("the_passphrase_is_wrong", *passphrase(FILE_KEY, "wrong horse"), NO_MATCH)
    yield one("the_cost_was_altered", ["argon2id", salt, "64", "2", "1"], expect=NO_MATCH)
    yield one("the_body_of_a_passphrase_was_altered", args, flip(body), NO_MATCH)
    salted = ["argon2id", b64(fixed("salt", 16)), *args[2:]]
    yield one("the_salt_lacks_its_label", salted, unlabelled(), NO_MATCH)
    yield one("a_passphrase_stanza_without_a_salt", ["argon2id"])
    yield one("a_passphrase_stanza_without_a_cost", args[:2])
    yield one("a_passphrase_stanza_without_lanes", args[:4])
    yield one("a_passphrase_stanza_with_five_arguments", [*args, "1"])
    yield one("a_salt_is_one_byte_short", *passphrase(FILE_KEY, WORDS, salt=fixed("salt", 15)))
    yield one("a_salt_is_one_byte_long", *passphrase(FILE_KEY, WORDS, salt=fixed("salt", 17)))
    yield one("a_salt_is_not_canonical", ["argon2id", salt[:-1] + chr(ord(salt[-1]) + 1), *args[2:]])
    yield one("a_file_key_under_a_passphrase_is_short", *passphrase(FILE_KEY[:31], WORDS))
    yield one("a_file_key_under_a_passphrase_is_long", *passphrase(FILE_KEY + b"x", WORDS))
    both = {"words": [WORDS]}
    text = stanza(args, body)
    yield Vector("a_passphrase_beside_a_recipient", HEADER, file(text + to_alice()), **both)
    yield Vector("a_passphrase_behind_a_recipient", HEADER, file(to_alice() + text), **both)
    yield Vector("a_passphrase_beside_an_unknown_stanza", HEADER, file(text + b"-> grease\n\n"), **both)
    other = stanza(*passphrase(FILE_KEY, "another", salt=fixed("another salt", 16)))
    yield Vector("a_passphrase_beside_a_passphrase", HEADER, file(text + other), **both)


def unlabelled() -> bytes:
    kdf = Argon2id(salt=fixed("salt", 16), length=32, iterations=1, lanes=1, memory_cost=64)
    return AESGCM(kdf.derive(WORDS.encode())).encrypt(bytes(12), FILE_KEY, b"")


def flip(data: bytes) -> bytes:
    return bytes([data[0] ^ 1]) + data[1:]


