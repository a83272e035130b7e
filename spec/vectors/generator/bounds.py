"""Headers at the bounds and beyond, and costs that a reader must not pay."""

from vector import CONTENT, FILE_KEY, HEADER, SUCCESS, WORDS, Vector, file, to_alice
from wire import header, passphrase, stanza

MOST_BYTES, MOST_LINE, MOST_STANZAS = 3 << 20, 8 << 10, 1000


def vectors():
    return [*sizes(), *costs()]


def sizes():
    def two(name: str, at: bytes, beyond: bytes):
        yield Vector(f"{name}_at_the_bound", SUCCESS, file(at), CONTENT)
        yield Vector(f"{name}_beyond_the_bound", HEADER, file(beyond))

    empty = b"-> x\n\n"
    yield from two("stanzas", (MOST_STANZAS - 1) * empty + to_alice(), MOST_STANZAS * empty + to_alice())
    line = b"-> x " + (MOST_LINE - 6) * b"a" + b"\n\n"
    yield from two("a_line", line + to_alice(), line.replace(b"a", b"aa", 1) + to_alice())
    yield from two("a_header", filled(MOST_BYTES), filled(MOST_BYTES + 1))


def filled(length: int) -> bytes:
    """Stanzas that make a header exactly this long."""
    rest = length - len(header(FILE_KEY, to_alice()))
    line = b"-> x " + 4000 * b"a" + b"\n\n"
    whole, rest = divmod(rest, len(line))
    last = b"-> x " + (rest + len(line) - 7) * b"a" + b"\n\n"
    stanzas = (whole - 1) * line + last + to_alice()
    assert len(header(FILE_KEY, stanzas)) == length
    return stanzas


def costs():
    """The bodies are arbitrary: refused before a key is derived, or else *no match*."""
    args, body = passphrase(FILE_KEY, WORDS)

    def cost(name: str, *words: str) -> Vector:
        return Vector(name, HEADER, file(stanza([*args[:2], *words], body)), keys=[], words=[WORDS])

    yield cost("the_memory_is_above_the_bound", "1048577", "1", "1")
    yield cost("the_memory_is_far_above_the_bound", "4294967295", "1", "1")
    yield cost("the_memory_does_not_fit_32_bits", "4294967296", "1", "1")
    yield cost("the_memory_does_not_fit_64_bits", "18446744073709551680", "1", "1")
    yield cost("the_work_is_above_the_bound", "1048576", "5", "1")
    yield cost("the_work_of_many_passes_is_above_the_bound", "8", "524289", "1")
    yield cost("the_work_does_not_fit_32_bits", "65536", "65537", "1")
    yield cost("the_passes_do_not_fit_32_bits", "64", "4294967297", "1")
    yield cost("the_lanes_are_above_the_bound", "1024", "1", "17")
    yield cost("the_lanes_do_not_fit_32_bits", "1024", "1", "4294967297")
    yield cost("the_memory_is_below_eight_blocks_a_lane", "31", "1", "4")
    yield cost("the_memory_is_zero", "0", "1", "1")
    yield cost("the_passes_are_zero", "64", "0", "1")
    yield cost("the_lanes_are_zero", "64", "1", "0")
    yield cost("the_memory_has_a_leading_zero", "064", "1", "1")
    yield cost("the_passes_have_a_leading_zero", "64", "01", "1")
    yield cost("the_memory_has_a_sign", "+64", "1", "1")
    yield cost("the_memory_is_negative", "-64", "1", "1")
    yield cost("the_memory_is_hexadecimal", "0x40", "1", "1")
    yield cost("the_memory_has_a_unit", "64k", "1", "1")
