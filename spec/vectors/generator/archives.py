"""Archives that are sound, and archives that break one rule each."""

from archive_wire import (
    CONTENT_STANZA,
    DIRECTORY,
    FILE,
    HARD_LINK,
    MARK,
    SPARSE,
    SYMBOLIC_LINK,
    Archive,
    Entry,
    altered,
    block_of,
    entry_bytes,
    number,
    tar,
    text,
)
from vector import FILE_KEY, HEADER, SUCCESS, WORDS, Vector, file, to_alice
from wire import passphrase, stanza

INDEX = "index failure"
NO_INDEX = "no index"

TOP = Entry(b"top", DIRECTORY, mode=0o755)
NOTE = Entry(b"top/note.txt", content=b"a private note\n")
LAST = Entry(b"top/z", content=b"the last")
SMALL = [TOP, NOTE, LAST]


def vectors():
    return [*sound(), *content_stanzas(), *indexes_elsewhere(), *paths(), *fields(), *blocks(), *tars()]


def sound():
    kinds = [
        TOP,
        Entry(b"top/a", content=bytes(range(256)) * 100),
        Entry(b"top/a b", SYMBOLIC_LINK, target=b"a", mode=0o777),
        Entry(b"top/a.link", HARD_LINK, target=b"top/a"),
        Entry(b"top/empty"),
        Entry(b"top/holes", SPARSE, content=b"x" * 4096 + b"y" * 10, size=1 << 20, pieces=((8192, 12288), (65536, 65546))),
        Entry(b"top/holes at both ends", SPARSE, content=b"end", size=9000, pieces=((8997, 9000),)),
        Entry(b"top/only a hole", SPARSE, size=1 << 33),
        Entry(b"top/sub", DIRECTORY, mode=0o1777),
        Entry(b"top/sub/\xff\x01 \xc3\xbc", content=b"not UTF-8", mode=0o4755),
        Entry(b"top/sub.txt", content=b"after what is in sub", seconds=-1, nanoseconds=0),
    ]
    large = [
        Entry(b"a" * 100, content=b"fits"),
        Entry(b"a" * 101, content=b"does not fit"),
        Entry(b"d" * 99, DIRECTORY),
        Entry(b"d" * 100, DIRECTORY),
        Entry(b"d" * 100 + b"/" + b"e" * 255, SYMBOLIC_LINK, target=b"t" * 101),
        Entry(b"f" * 90, HARD_LINK, target=b"a" * 101, uid=8**7, gid=2**32 - 1),
        Entry(b"g", seconds=8**11 - 1, uid=8**7 - 1),
        Entry(b"h", seconds=8**11),
    ]
    attributes = [
        Entry(b"d", DIRECTORY, mode=0o755, attributes=((b"user.colour", b"blue"),)),
        Entry(b"d/a", content=b"text", attributes=((b"user.a", b""), (b"user.\xff", b"=\0\n"), (b"user.b" * 42, b"v" * 65536))),
        Entry(b"d/s", SPARSE, content=b"x", size=9, pieces=((4, 5),), attributes=((b"security.x", b"1"),)),
    ]
    attributes[1] = altered(attributes[1], attributes=tuple(sorted(attributes[1].attributes)))
    distant = [Entry(b"after", seconds=2**62 - 1), Entry(b"before", seconds=-(2**62))]
    many = [Entry(b"n%05d" % i, content=b"%d" % i) for i in range(15)]
    yield good("an_archive_with_each_kind_of_entry", Archive(kinds))
    yield good("an_archive_with_fields_that_are_too_small", Archive(large))
    yield good("an_archive_with_extended_attributes", Archive(attributes, blocks=[attributes[:2], attributes[2:]]))
    yield good("an_archive_of_distant_times", Archive(distant))
    yield good("an_archive_of_nothing", Archive([]))
    yield good("an_archive_of_one_block_an_entry", Archive(kinds, blocks=[[entry] for entry in kinds]))
    yield good("an_archive_of_several_blocks", Archive(many, blocks=[many[i : i + 5] for i in (0, 5, 10)]))
    words = stanza(*passphrase(FILE_KEY, WORDS)) + CONTENT_STANZA
    yield good("an_archive_with_a_passphrase", Archive(SMALL, stanzas=words), keys=[], words=[WORDS])
    whole = Archive(SMALL, stanzas=to_alice())
    yield Vector("a_file_whose_bytes_are_an_archive_with_an_index", SUCCESS, whole.file(), whole.plaintext())


def good(name: str, archive: Archive, **options) -> Vector:
    return Vector(name, SUCCESS, archive.file(), tar(archive.entries)[0], **options)


def content_stanzas():
    def with_stanzas(name: str, stanzas: bytes):
        return Vector(name, HEADER, Archive(SMALL, stanzas=stanzas).file())

    yield with_stanzas("a_content_of_another_kind", to_alice() + b"-> content zip\n\n")
    yield with_stanzas("a_content_without_a_kind", to_alice() + b"-> content\n\n")
    yield with_stanzas("a_content_with_two_arguments", to_alice() + b"-> content tar 2\n\n")
    yield with_stanzas("a_content_with_a_body", to_alice() + b"-> content tar\nAAAA\n")
    yield with_stanzas("a_content_before_a_recipient", CONTENT_STANZA + to_alice())
    yield with_stanzas("a_content_that_is_there_twice", to_alice() + 2 * CONTENT_STANZA)
    yield with_stanzas("a_content_without_a_recipient", CONTENT_STANZA)
    yield Vector("a_content_in_a_file_of_another", HEADER, file(to_alice() + b"-> content file\n\n"))


def bad(name: str, archive: Archive, expect: str = INDEX) -> Vector:
    content = archive.tar if archive.tar is not None else tar(archive.entries)[0]
    return Vector(name, expect, archive.file(), content)


def indexes_elsewhere():
    """Streams release all of the plaintext before they miss the index, or what is before a mark and then miss its footer."""

    def elsewhere(name: str, archive: Archive):
        return Vector(name, NO_INDEX, archive.file(), archive.plaintext())

    yield elsewhere("an_index_without_its_mark", Archive(SMALL, mark=bytes(32)))
    yield elsewhere("an_index_that_starts_within_a_chunk", Archive(SMALL, tar=tar(SMALL)[0] + bytes(512)))
    marked = [TOP, altered(NOTE, content=bytes(16384 - 1024) + MARK + b"not an index")]
    yield Vector("a_chunk_of_the_tar_that_starts_with_the_mark", NO_INDEX, Archive(marked).file(), tar(marked)[0][:16384])
    yield bad("a_footer_with_another_length_of_the_tar", Archive(SMALL, content=0), NO_INDEX)
    yield bad("a_footer_with_an_odd_length_of_the_tar", Archive(SMALL, content=512), NO_INDEX)
    yield bad("a_footer_with_a_tar_beyond_the_end", Archive(SMALL, content=1 << 62), NO_INDEX)
    yield bad("a_table_before_the_blocks", Archive(SMALL, table_at=31), NO_INDEX)
    yield bad("a_table_beyond_the_end", Archive(SMALL, table_at=1 << 62), NO_INDEX)
    yield bad("a_table_within_a_block", Archive(SMALL, table_at=40))
    yield bad("a_footer_with_one_entry_more", Archive(SMALL, count=4))
    yield bad("a_footer_without_entries", Archive(SMALL, count=0))


def paths():
    def with_path(name: str, path: bytes):
        return bad(name, Archive(sorted([TOP, Entry(path, content=b"x")], key=lambda e: e.path.replace(b"/", b"\0"))))

    yield with_path("a_path_that_is_absolute", b"/etc/passwd")
    yield with_path("a_path_that_leads_up", b"../x")
    yield with_path("a_path_that_leads_up_later", b"top/../../x")
    yield with_path("a_path_that_ends_by_leading_up", b"top/..")
    yield with_path("a_path_with_a_dot", b"top/./x")
    yield with_path("a_path_with_two_slashes", b"top//x")
    yield with_path("a_path_that_ends_with_a_slash", b"top/x/")
    yield with_path("a_path_with_nul", b"top/x\0y")
    yield with_path("a_path_that_is_empty", b"")
    yield with_path("a_path_with_a_name_of_256_bytes", b"top/" + 256 * b"n")
    yield with_path("a_path_of_4097_bytes", b"/".join([b"top", *[255 * b"n"] * 15, 253 * b"n"]))
    yield with_path("a_path_without_its_directory", b"other/x")
    yield bad("a_path_in_a_file", Archive([TOP, NOTE, Entry(b"top/note.txt/x")]))
    yield bad("a_path_in_a_symbolic_link", Archive([Entry(b"l", SYMBOLIC_LINK, target=b"/etc"), Entry(b"l/passwd")]))
    yield bad("a_path_that_is_there_twice", Archive([TOP, NOTE, NOTE]))
    yield bad("paths_in_another_order", Archive([TOP, LAST, NOTE]))
    yield bad("paths_in_the_order_of_plain_bytes", Archive([Entry(b"a", DIRECTORY), Entry(b"a.b"), Entry(b"a/b")]))


def fields():
    def with_entry(name: str, entry: Entry):
        return bad(name, Archive([TOP, entry]))

    def with_bytes(name: str, change):
        block = entry_bytes(TOP, b"") + change(entry_bytes(NOTE, TOP.path))
        return bad(name, Archive([TOP, NOTE], block_bytes=[block]))

    yield with_entry("a_mode_of_13_bits", altered(NOTE, mode=0o10000))
    yield with_entry("nanoseconds_of_a_second", altered(NOTE, nanoseconds=10**9))
    yield with_entry("a_hard_link_to_an_absolute_path", Entry(b"top/l", HARD_LINK, target=b"/etc/passwd"))

    def with_target(name: str, target: bytes, kinds=(FILE, FILE)):
        ends = [Entry(path, kind, target=b"x" * (kind != FILE)) for path, kind in zip((b"top/a", b"top/z"), kinds)]
        return bad(name, Archive([TOP, ends[0], Entry(b"top/l", HARD_LINK, target=target), ends[1]]))

    yield with_target("a_hard_link_to_itself", b"top/l")
    yield with_target("a_hard_link_to_a_later_file", b"top/z")
    yield with_target("a_hard_link_to_a_path_that_is_not_there", b"top/b")
    yield with_target("a_hard_link_to_a_path_before_all_others", b"a")
    yield with_target("a_hard_link_to_a_directory", b"top")
    yield with_target("a_hard_link_to_a_symbolic_link", b"top/a", (SYMBOLIC_LINK, FILE))
    first = Entry(b"top/b", HARD_LINK, target=b"top/a")
    second = Entry(b"top/c", HARD_LINK, target=b"top/b")
    yield bad("a_hard_link_to_a_hard_link", Archive([TOP, Entry(b"top/a"), first, second]))
    yield with_entry("a_hard_link_that_leads_up", Entry(b"top/l", HARD_LINK, target=b"../x"))
    yield with_entry("a_symbolic_link_without_a_target", Entry(b"top/l", SYMBOLIC_LINK))
    yield with_entry("a_symbolic_link_with_nul", Entry(b"top/l", SYMBOLIC_LINK, target=b"a\0b"))
    yield with_entry("a_device", Entry(b"top/null", b"3"))
    yield with_entry("a_pipe", Entry(b"top/pipe", b"6"))

    def sparse(*pieces, size=100):
        return Entry(b"top/s", SPARSE, content=bytes(sum(end - start for start, end in pieces)), size=size, pieces=pieces)

    yield with_entry("pieces_that_touch", sparse((0, 10), (10, 20)))
    yield with_entry("a_piece_that_is_empty", sparse((0, 10), (20, 20)))
    yield with_entry("a_piece_beyond_the_size", sparse((0, 10), (90, 101)))
    yield with_entry("more_pieces_than_allowed", sparse(*((2 * i, 2 * i + 1) for i in range(10_001)), size=30_000))
    def with_attributes(name: str, *attributes, entry=NOTE):
        return with_entry(name, altered(entry, attributes=attributes))

    one = (b"user.a", b"b")
    yield with_attributes("an_attribute_that_is_there_twice", one, one)
    yield with_attributes("attributes_in_another_order", (b"user.b", b""), one)
    yield with_attributes("an_attribute_without_a_name", (b"", b"b"))
    yield with_attributes("an_attribute_with_nul_in_its_name", (b"user.\0", b"b"))
    yield with_attributes("an_attribute_with_an_equals_sign_in_its_name", (b"user.a=b", b"c"))
    yield with_attributes("an_attribute_with_a_name_of_256_bytes", (b"n" * 256, b"b"))
    yield with_attributes("an_attribute_with_a_value_of_65537_bytes", (b"user.a", bytes(65537)))
    yield with_attributes("attributes_of_131073_bytes", (b"a" * 255, bytes(65536)), (b"b", bytes(131073 - 65536 - 256)))
    yield with_attributes("attributes_of_1025_names", *((b"%04d" % i, b"") for i in range(1025)))
    yield with_attributes("an_attribute_of_a_symbolic_link", one, entry=Entry(b"top/l", SYMBOLIC_LINK, target=b"a"))
    yield with_bytes("an_entry_that_could_have_attributes_and_has_none", lambda data: b"x" + data + number(0))
    yield with_bytes("a_number_that_is_longer_than_needed", lambda data: data[:1] + b"\x83\x00" + data[2:])
    yield with_bytes("a_number_of_more_than_63_bits", lambda data: data[:-1] + 9 * b"\xff" + b"\x01")
    rest = len(b"0" + number(3) + text(NOTE.path[3:]))
    too_little = b"0" + number(2) + text(NOTE.path[2:])
    yield with_bytes("a_path_that_shares_too_little", lambda data: too_little + data[rest:])
    yield with_bytes("a_path_that_shares_more_than_there_is", lambda data: b"0" + number(4) + data[2:])
    yield with_bytes("an_entry_that_is_cut", lambda data: data[:-1])
    yield with_bytes("a_byte_after_the_last_entry", lambda data: data + b"0")


def full(over: int) -> list:
    """Entries of which the last starts so many bytes after the first 16 KiB of their block."""
    links = [Entry(b"l%d" % i, SYMBOLIC_LINK, target=b"t" * 4095, mode=0o777) for i in range(5)]
    surplus = len(block_of(links[:4])) - 16384 - over
    return [*links[:3], altered(links[3], target=b"t" * (4095 - surplus)), links[4]]


def blocks():
    yield good("an_archive_with_a_block_that_is_full", Archive(full(-1)))
    yield bad("a_block_with_an_entry_after_it_is_full", Archive(full(0)))
    two = [[TOP], [NOTE, LAST]]
    yield bad("a_block_that_starts_with_another_path", Archive(SMALL, firsts=[b"tap"]))
    yield bad("a_block_whose_headers_are_elsewhere", Archive(SMALL, blocks=two, starts=[0, 1024]))
    yield bad("a_first_block_whose_headers_are_elsewhere", Archive(SMALL, starts=[512]))
    yield bad("blocks_in_another_order", Archive(SMALL, blocks=[two[1], two[0]]))
    yield bad("a_block_that_is_empty", Archive([TOP], block_bytes=[block_of([TOP]), b""], starts=[0, 512], firsts=[b"top", b"u"]))
    yield bad("a_table_with_half_a_row", Archive(SMALL, table=number(len(block_of(SMALL))) + number(0)))
    yield bad("a_table_with_a_row_too_few", Archive(SMALL, blocks=two, table=number(len(block_of([TOP]))) + number(0) + text(b"top")))
    beyond = number(len(block_of(SMALL)) + 1) + number(0) + text(b"top")
    yield bad("a_block_beyond_the_table", Archive(SMALL, table=beyond))


def tars():
    content, (_, at, _) = tar(SMALL)

    def with_tar(name: str, change):
        return bad(name, Archive(SMALL, tar=change(content)))

    def put(at: int, data: bytes):
        return lambda content: content[:at] + data + content[at + len(data) :]

    other = tar([TOP, altered(NOTE, path=b"top/nite.txt"), LAST])[0]
    yield with_tar("a_tar_header_with_another_name", lambda _: other)
    yield with_tar("a_tar_header_with_another_mode", lambda _: tar([TOP, altered(NOTE, mode=0o666), LAST])[0])
    yield with_tar("a_tar_header_with_another_type", put(at + 156, b"7"))
    yield with_tar("a_tar_header_in_another_form", put(at + 265, b"root"))
    yield with_tar("a_tar_with_something_between_its_entries", put(at + 512 + len(NOTE.content), b"x"))
    yield with_tar("a_tar_with_something_after_its_end", put(len(content) - 1, b"x"))
    yield with_tar("a_tar_that_is_longer_than_it_must_be", lambda content: content + bytes(16384))
    hidden = tar([Entry(b".ssh/authorized_keys", content=b"a key")])[0][:1024]
    shifted = (hidden + content)[: len(content)]
    yield bad("an_entry_before_the_first_of_the_index", Archive(SMALL, tar=shifted, starts=[len(hidden)]))
    yield bad("an_archive_of_nothing_with_a_longer_tar", Archive([], tar=bytes(2 * 16384)))
    yield bad("an_entry_that_only_the_index_has", Archive(SMALL, tar=tar([TOP, NOTE])[0]))
    yield bad("an_entry_that_only_the_tar_has", Archive([TOP, NOTE], tar=tar(SMALL)[0]))
