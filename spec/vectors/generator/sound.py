"""Files that open."""

from vector import ALICE, BOB, CONTENT, FILE_KEY, LENGTH, PLAIN, SUCCESS, WORDS, Vector, file, to_alice
from wire import CHUNK, KEM_IDS, Key, armor, passphrase, recipient, stanza


def vectors():
    return [*kems(), *openers(), *lengths(), *armors()]


def good(name: str, data: bytes, content: bytes = CONTENT, **options) -> Vector:
    return Vector(name, SUCCESS, data, content, **options)


def kems():
    for kem in KEM_IDS:
        key = Key(kem)
        yield good(f"a_key_of_{kem}_opens", file(stanza(*recipient(FILE_KEY, key, kem))), keys=[key])


def openers():
    several = [Key(kem) for kem in ("mlkem768", "mlkem1024", "mlkem768x25519", "mlkem768p256", "mlkem1024p384")]
    to_all = b"".join(stanza(*recipient(FILE_KEY, key, "several")) for key in several)
    yield good("the_last_of_several_recipients_opens", file(to_all), keys=[several[-1]])
    yield good("the_second_of_two_identities_opens", file(), keys=[BOB, ALICE])
    to_bob = stanza(*recipient(FILE_KEY, BOB, "bob"))
    yield good("the_second_stanza_of_one_type_opens", file(to_bob + to_alice()))
    grease = b"-> grease ~!@ \\\nAAAA\n-> UNKNOWN\n\n"
    yield good("stanzas_of_unknown_types_are_ignored", file(grease + to_alice() + grease))
    lattice = Key("mlkem768")
    beside = file(stanza(*recipient(FILE_KEY, lattice, "lattice")) + grease)
    yield good("a_lattice_key_beside_stanzas_of_unknown_types_opens", beside, keys=[lattice])
    age = b"-> X25519 short\nAAAA\n-> scrypt\n\n"
    yield good("stanzas_of_age_are_unknown_types", file(age + to_alice()))
    words = {"keys": [], "words": [WORDS]}
    yield good("a_passphrase_opens", file(stanza(*passphrase(FILE_KEY, WORDS))), **words)
    lanes = passphrase(FILE_KEY, WORDS, (128, 1, 16))
    yield good("a_passphrase_in_sixteen_lanes_opens", file(stanza(*lanes)), **words)
    accents = "pa\u0301sswo\u0308rt \U0001f511"
    decomposed = file(stanza(*passphrase(FILE_KEY, accents)))
    yield good("a_passphrase_is_not_normalised", decomposed, keys=[], words=[accents])


def lengths():
    for length in (0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 5, 256 * CHUNK, 257 * CHUNK + 1):
        yield good(f"a_plaintext_of_{length}_bytes", file(payload=PLAIN.sealed(length)), PLAIN.content(length))


def armors():
    def armored(name: str, text: str, content: bytes = CONTENT) -> Vector:
        return good(name, text.encode(), content, armored=True)

    text = armor(file())
    yield armored("armor", text)
    yield armored("armor_with_crlf", text.replace("\n", "\r\n"))
    yield armored("armor_without_a_last_line_end", text.rstrip("\n"))
    yield armored("armor_between_white_space", " \t\r\n\n" + text + " \t\r\n\n")
    # Lines of 64 characters, so that only the amount can be wrong.
    space = 16 * (63 * " " + "\n")
    yield armored("armor_between_1024_bytes_of_white_space", space + text + space)
    line = 1023 * " " + "\n"
    yield armored("armor_between_lines_of_1024_blanks", line + text + line)
    lengths = (length for length in range(LENGTH, 100) if len(file(payload=PLAIN.sealed(length))) % 48 == 0)
    length = next(lengths)
    full = armor(file(payload=PLAIN.sealed(length)))
    yield armored("armor_whose_last_line_is_full", full, PLAIN.content(length))
    long = armor(file(payload=PLAIN.sealed(5 * CHUNK)))
    yield armored("armor_of_several_chunks", long, PLAIN.content(5 * CHUNK))
