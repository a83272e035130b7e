"""Headers that break the grammar, and those whose MAC does not fit."""

from vector import ARMOR, FILE_KEY, HEADER, HMAC, LENGTH, PLAIN, Vector, file, to_alice
from wire import VERSION, armor, derive, fixed, header


def vectors():
    return [*first_lines(), *stanza_grammar(), *mac_lines(), *macs(), *armors()]


def bad(name: str, data: bytes, **options) -> Vector:
    return Vector(name, HEADER, data, **options)


def first_lines():
    yield bad("an_empty_file", b"")
    yield bad("the_version_is_another", file(version=b"sealmark/2\n"))
    yield bad("the_version_line_has_a_trailing_space", file(version=b"sealmark/1 \n"))
    yield bad("the_version_line_ends_in_crlf", file(version=b"sealmark/1\r\n"))
    yield bad("the_version_line_is_not_the_first", file(version=b"hello\nsealmark/1\n"))
    yield bad("the_version_line_is_in_upper_case", file(version=b"SEALMARK/1\n"))
    yield bad("the_file_ends_in_the_version_line", b"sealmark/1")
    yield bad("there_is_no_stanza", file(b""))


def stanza_grammar():
    def with_stanza(name: str, text: bytes):
        return bad(name, file(text + to_alice()))

    yield with_stanza("a_stanza_starts_with_another_arrow", b"=> x\n\n")
    yield with_stanza("a_stanza_has_no_space_after_the_arrow", b"->x\n\n")
    yield with_stanza("a_stanza_has_no_type", b"-> \n\n")
    yield with_stanza("a_stanza_has_nothing_after_the_arrow", b"->\n\n")
    yield with_stanza("a_stanza_has_two_spaces_between_arguments", b"-> x  y\n\n")
    yield with_stanza("a_stanza_has_a_trailing_space", b"-> x \n\n")
    yield with_stanza("a_stanza_has_a_tab_in_an_argument", b"-> x y\tz\n\n")
    yield with_stanza("a_stanza_has_a_control_character_in_an_argument", b"-> x \x7f\n\n")
    yield with_stanza("a_stanza_has_a_letter_beyond_ascii", "-> x é\n\n".encode())
    yield with_stanza("a_stanza_line_ends_in_crlf", b"-> x\r\n\n")
    yield with_stanza("a_body_has_a_line_of_65_columns", b"-> x\n" + 65 * b"A" + b"\n")
    yield with_stanza("a_body_has_a_line_of_68_columns", b"-> x\n" + 68 * b"A" + b"\n\n")
    yield with_stanza("a_full_last_line_is_not_followed_by_an_empty_one", b"-> x\n" + 64 * b"A" + b"\n")
    yield with_stanza("a_body_is_followed_by_an_empty_line", b"-> x\nAAAA\n\n")
    yield with_stanza("a_body_has_two_short_lines", b"-> x\nAAAA\nAAAA\n")
    yield with_stanza("a_body_is_missing", b"-> x\n")
    yield with_stanza("a_body_is_padded", b"-> x\nAAA=\n")
    yield with_stanza("a_body_is_not_canonical", b"-> x\nAAB\n")
    yield with_stanza("a_body_has_an_impossible_length", b"-> x\nAAAAA\n")
    yield with_stanza("a_body_is_in_the_alphabet_for_addresses", b"-> x\nAA-_\n")
    yield with_stanza("a_body_has_a_space", b"-> x\nAA AA\n")
    yield with_stanza("a_body_line_ends_in_crlf", b"-> x\nAAAA\r\n")
    yield with_stanza("an_empty_line_stands_between_stanzas", b"-> x\n\n\n")


def mac_lines():
    def with_line(name: str, change):
        start, mac = header(FILE_KEY, to_alice())[:-45], header(FILE_KEY, to_alice())[-44:-1]
        return bad(name, start + change(mac) + PLAIN.sealed(LENGTH))

    yield with_line("the_mac_is_missing", lambda mac: b"\n")
    yield with_line("the_mac_is_empty", lambda mac: b" \n")
    yield with_line("the_mac_has_no_space_before_it", lambda mac: mac + b"\n")
    yield with_line("the_mac_has_two_spaces_before_it", lambda mac: b"  " + mac + b"\n")
    yield with_line("the_mac_has_a_trailing_space", lambda mac: b" " + mac + b" \n")
    yield with_line("the_mac_is_padded", lambda mac: b" " + mac + b"=\n")
    yield with_line("the_mac_is_truncated", lambda mac: b" " + mac[:-1] + b"\n")
    yield with_line("the_mac_is_one_byte_short", lambda mac: b" " + mac[:40] + b"AA\n")
    yield with_line("the_mac_is_one_byte_long", lambda mac: b" " + mac[:40] + b"AAAA\n")
    yield with_line("the_mac_is_not_canonical", lambda mac: b" " + mac[:-1] + other_bits(mac[-1:]) + b"\n")
    yield with_line("the_mac_line_ends_in_crlf", lambda mac: b" " + mac + b"\r\n")
    yield bad("the_file_ends_before_the_mac", header(FILE_KEY, to_alice())[:-45])
    yield bad("the_file_ends_before_the_macs_line_end", header(FILE_KEY, to_alice())[:-1])
    yield bad("the_file_ends_in_a_stanza", (VERSION + to_alice())[:-20])


def other_bits(letter: bytes) -> bytes:
    """A letter that decodes to the same four bits."""
    alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return alphabet[alphabet.index(letter) + 1 :][:1]


def macs():
    def wrong(name: str, data: bytes, comment: str = "") -> Vector:
        return Vector(name, HMAC, data, comment=comment)

    extra = b"-> grease a\nAAAA\n"
    whole = file(extra + to_alice())
    yield wrong("the_macs_key_is_the_file_key", file(mac_key=FILE_KEY))
    yield wrong("the_macs_key_is_derived_as_in_age", file(mac_key=derive(FILE_KEY, b"header", b"")))
    yield wrong("the_macs_key_is_the_payloads", file(mac_key=derive(FILE_KEY, b"payload")))
    yield wrong("the_mac_is_of_another_file_key", file(mac_key=derive(fixed("other file key"), b"header")))
    yield wrong("a_stanza_was_taken_away", whole.replace(extra, b"", 1))
    yield wrong("a_stanza_was_added", file().replace(b"-> x25519", extra + b"-> x25519", 1))
    yield wrong("stanzas_were_exchanged", whole.replace(extra, b"", 1).replace(b"\n--- ", b"\n" + extra + b"--- ", 1))
    yield wrong("the_argument_of_an_unknown_stanza_was_altered", whole.replace(b"grease a", b"grease b", 1))
    yield wrong("the_body_of_an_unknown_stanza_was_altered", whole.replace(b"AAAA", b"AAAE", 1))
    at = whole.index(b"\n--- ") + 5
    letter = b"A" if whole[at : at + 1] != b"A" else b"B"
    yield wrong("the_mac_was_altered", whole[:at] + letter + whole[at + 1 :])


def armors():
    def broken(name: str, text: str, expect: str = ARMOR) -> Vector:
        return Vector(name, expect, text.encode(), armored=True)

    text = armor(file())
    lines = text.splitlines(keepends=True)
    begin, end = lines[0], lines[-1]
    last = lines[-2].rstrip("\n")
    yield broken("armor_with_ages_label", armor(file(), "AGE ENCRYPTED FILE"))
    yield broken("armor_with_an_unknown_label", armor(file(), "PGP MESSAGE"))
    yield broken("armor_that_ends_with_another_label", text.replace("END SEALMARK", "END AGE"))
    yield broken("armor_with_a_line_of_68_columns", begin + rewrap(lines[1:-1], 68) + end)
    yield broken("armor_with_lines_of_60_columns", begin + rewrap(lines[1:-1], 60) + end)
    yield broken("armor_with_an_empty_line_at_the_start", begin + "\n" + "".join(lines[1:]))
    yield broken("armor_with_an_empty_line_at_the_end", "".join(lines[:-1]) + "\n" + end)
    yield broken("armor_with_a_header", begin + "Comment: hello\n\n" + "".join(lines[1:]))
    yield broken("armor_without_an_end", "".join(lines[:-1]))
    yield broken("armor_that_ends_in_the_middle", "".join(lines[:4]))
    yield broken("armor_without_padding", text.replace(last, last.rstrip("=")))
    yield broken("armor_that_is_not_canonical", text.replace(last, uncanonical(last)))
    yield broken("armor_with_a_blank_at_a_line_end", text.replace("\n", " \n", 2).replace(" \n", "\n", 1))
    yield broken("armor_with_a_foreign_letter", "".join(lines[:1]) + "-" + "".join(lines[1:])[1:])
    yield broken("armor_with_garbage_after_it", text + "garbage\n")
    yield broken("armor_with_a_second_armor_after_it", text + text)
    yield broken("armor_before_1025_bytes_of_white_space", text + 1025 * "\n")
    yield broken("armor_behind_1025_bytes_of_white_space", 1025 * "\n" + text)
    yield broken("armor_in_lower_case", text.replace("BEGIN SEALMARK", "begin sealmark"))
    yield broken("armor_behind_garbage", "garbage\n" + text)


def rewrap(lines: list[str], columns: int) -> str:
    text = "".join(lines).replace("\n", "")
    return "".join(text[i : i + columns] + "\n" for i in range(0, len(text), columns))


def uncanonical(line: str) -> str:
    """Another spelling of the same bytes."""
    assert line.endswith("="), "the plaintext must have another length"
    letters = line.rstrip("=")
    return letters[:-1] + other_bits(letters[-1:].encode()).decode() + line[len(letters) :]
