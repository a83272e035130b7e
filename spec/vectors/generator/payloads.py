"""Payloads that were cut, moved, altered or derived wrongly. What is authentic before the damage may be released."""

from vector import FILE_KEY, LENGTH, PAYLOAD, PLAIN, Vector, file
from wire import CHUNK, CONTEXT, Payload, derive

TAG = 16


def vectors():
    return [*prefixes(), *derivations(), *cuts(), *moves(), *alterations()]


def bad(name: str, payload: bytes, chunks: int = 0) -> Vector:
    """A stream gives out as many full chunks as are sound before the damage."""
    return Vector(name, PAYLOAD, file(payload=payload), PLAIN.content(chunks * CHUNK)[: chunks * CHUNK] or None)


def prefixes():
    sealed = PLAIN.sealed(LENGTH)
    other = Payload(FILE_KEY, name="other")
    yield bad("there_is_no_payload", b"")
    yield bad("the_payload_ends_in_the_salt", sealed[:23])
    yield bad("the_payload_ends_after_the_salt", sealed[:24])
    yield bad("the_payload_ends_in_the_commitment", sealed[:55])
    yield bad("the_payload_ends_after_the_commitment", sealed[:56])
    yield bad("the_salt_was_altered", flip(sealed, 0))
    yield bad("the_commitment_was_altered", flip(sealed, 24))
    yield bad("the_commitments_last_bit_was_altered", flip(sealed, 55))
    yield bad("the_commitment_is_zero", sealed[:24] + bytes(32) + sealed[56:])
    yield bad("the_salt_is_of_another_payload", other.salt + sealed[24:])
    yield bad("the_commitment_is_of_another_payload", sealed[:24] + other.commitment + sealed[56:])
    yield bad("the_prefix_is_of_another_payload", other.prefix + sealed[56:])


def derivations():
    def derived(name: str, payload: Payload) -> Vector:
        return bad(name, payload.sealed(LENGTH))

    yield derived("the_context_is_empty", Payload(FILE_KEY, b""))
    yield derived("the_context_is_a_logs", Payload(FILE_KEY, b"sealmark/1 record"))
    yield derived("the_input_key_is_the_file_key", Payload(FILE_KEY, CONTEXT, FILE_KEY))
    yield derived("the_input_key_is_the_macs", Payload(FILE_KEY, CONTEXT, derive(FILE_KEY, b"header")))
    yield derived("the_input_key_is_derived_as_in_age", Payload(FILE_KEY, CONTEXT, derive(FILE_KEY, b"payload", b"")))


def cuts():
    sealed = PLAIN.sealed(LENGTH)
    three = PLAIN.sealed(2 * CHUNK + LENGTH)
    full, end = CHUNK + TAG, 56
    yield bad("the_last_chunk_is_cut_below_its_tag", sealed[: end + TAG - 1])
    yield bad("the_last_chunk_is_cut_to_its_tag", sealed[: end + TAG])
    yield bad("the_last_byte_is_missing", sealed[:-1])
    yield bad("the_last_byte_of_many_is_missing", three[:-1], 2)
    yield bad("the_last_chunk_is_missing", three[: end + 2 * full], 2)
    yield bad("the_last_two_chunks_are_missing", three[: end + full], 1)
    yield bad("the_cut_is_within_a_chunk", three[: end + full + 1000], 1)
    yield bad("the_cut_leaves_less_than_a_tag", three[: end + full + TAG - 1], 1)
    yield bad("the_empty_last_chunk_is_missing", PLAIN.sealed(CHUNK)[:-TAG], 1)
    yield bad("all_chunks_of_a_full_one_are_missing", PLAIN.sealed(CHUNK)[:end])
    yield bad("a_byte_follows", sealed + b"\x00")
    yield bad("a_tags_length_follows", sealed + bytes(TAG))
    yield bad("a_byte_follows_the_empty_last_chunk", PLAIN.sealed(CHUNK) + b"\x00", 1)
    yield bad("a_chunk_follows_the_last", sealed + PLAIN.chunk(1, LENGTH))
    yield bad("an_empty_chunk_follows_the_last", sealed + PLAIN.chunk(1, 0))
    yield bad("the_payload_twice", sealed + sealed)


def moves():
    a, b, c = PLAIN.chunk(0, CHUNK), PLAIN.chunk(1, CHUNK), PLAIN.chunk(2, LENGTH)
    other = Payload(FILE_KEY, name="other")

    def of(name: str, *chunks: bytes, sound: int = 0) -> Vector:
        return bad(name, PLAIN.prefix + b"".join(chunks), sound)

    yield of("chunks_were_exchanged", b, a, c)
    yield of("the_first_chunk_is_missing", b, c)
    yield of("a_chunk_in_the_middle_is_missing", a, c, sound=1)
    yield of("a_chunk_is_there_twice", a, a, c, sound=1)
    yield of("a_chunk_was_repeated", a, b, b, c, sound=2)
    yield of("the_last_chunk_is_there_twice", a, b, c, c, sound=2)
    yield of("a_short_chunk_stands_in_the_middle", a, PLAIN.chunk(1, LENGTH), c, sound=1)
    yield of("a_chunk_is_of_another_payload", a, other.chunk(1, CHUNK), c, sound=1)
    yield of("the_last_chunk_is_of_another_payload", a, b, other.chunk(2, LENGTH), sound=2)
    yield of("the_first_chunk_counts_from_one", PLAIN.chunk(1, LENGTH))
    # 2^32 away: a counter of 32 bits would take one for the other.
    yield of("a_chunks_counter_is_wider_than_32_bits", a, PLAIN.chunk(1 + (1 << 32), CHUNK), c, sound=1)


def alterations():
    three = PLAIN.sealed(2 * CHUNK + LENGTH)
    full, end = CHUNK + TAG, 56
    yield bad("the_first_bit_of_a_chunk_was_altered", flip(PLAIN.sealed(LENGTH), end))
    yield bad("a_tag_was_altered", flip(PLAIN.sealed(LENGTH), end + LENGTH))
    yield bad("the_tag_of_an_empty_plaintext_was_altered", flip(PLAIN.sealed(0), end))
    yield bad("the_first_of_three_chunks_was_altered", flip(three, end + 100))
    yield bad("the_second_of_three_chunks_was_altered", flip(three, end + full + 100), 1)
    yield bad("the_last_of_three_chunks_was_altered", flip(three, end + 2 * full), 2)
    yield bad("the_tag_of_the_empty_last_chunk_was_altered", flip(PLAIN.sealed(CHUNK), end + full), 1)
    long = PLAIN.sealed(200 * CHUNK)
    yield bad("the_hundredth_of_many_chunks_was_altered", flip(long, end + 99 * full), 99)


def flip(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
