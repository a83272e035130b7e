"""Logs that do not open, or not all of them: one failure each."""

from base64 import urlsafe_b64decode

from record_vector import LOG, Record, record, whole
from record_wire import Session, b64url, for_key, for_psk, json_line, numbered, stanza
from wire import KEM_IDS, Key, fixed

ALICE, HYBRID = Key("x25519"), Key("mlkem768x25519")
VALUE = b"a secret value"
TOKEN = LOG.token(VALUE)
HEAD = LOG.head("v", "a")
BODY = TOKEN[len(HEAD) : -1]


def vectors():
    return [*grammar(), *altered(), *padding(), *closings(), *parts(), *headers(), *stanzas(), *strangers()]


def ordinary(name: str, text: str, cut_off: int = 0) -> Record:
    return record(name, f"a {text} b\n", cut_off=cut_off)


def cut(name: str, text: str) -> Record:
    return ordinary(name, text, 1)


def tampered(name: str, text: str) -> Record:
    return record(name, f"a {text} b\n", tampered=1)


def grammar():
    yield cut("a_token_cut_before_its_last_tilde", TOKEN[:-1])
    yield cut("a_token_cut_at_the_end_of_the_log", TOKEN[: len(HEAD) + 20])
    yield cut("a_token_cut_by_a_line", TOKEN[:-9] + "\n" + TOKEN[-9:])
    yield cut("a_body_of_26_characters", HEAD + 26 * "A" + "~")
    yield cut("a_body_of_more_characters_than_the_longest_value_takes", HEAD + 1398129 * "A" + "~")
    yield cut("a_body_with_padding", HEAD + BODY + "=~")
    yield cut("a_body_in_the_other_alphabet", HEAD + "+/" + BODY[2:] + "~")
    stranger = Session("other").token(VALUE)[:-1]
    yield ordinary("a_token_of_an_unknown_session_that_is_cut_off", stranger)
    yield cut("a_token_cut_behind_its_session", HEAD)
    yield ordinary("a_token_cut_in_its_session", HEAD[:-1])
    yield cut("a_part_that_is_cut_off", LOG.parts()[0][:100])
    yield cut("a_closing_token_that_is_cut_off", LOG.closing(1)[:-1])
    yield ordinary("an_empty_label", TOKEN.replace("~v~", "~~"))
    yield ordinary("a_label_of_65_characters", LOG.token(VALUE, label=65 * "x"))
    yield ordinary("a_label_with_a_space", LOG.token(VALUE, label="a b"))
    yield ordinary("a_label_beyond_ascii", LOG.token(VALUE, label="é"))
    yield ordinary("a_session_of_15_characters", TOKEN.replace(LOG.id, LOG.id[:-1]))
    yield ordinary("a_session_of_17_characters", TOKEN.replace(LOG.id, LOG.id + "A"))
    yield ordinary("a_session_in_the_other_alphabet", TOKEN.replace(LOG.id, "+" + LOG.id[1:]))
    yield ordinary("an_unknown_suite", LOG.token(VALUE, suite="b"))
    yield ordinary("a_suite_in_upper_case", LOG.token(VALUE, suite="A"))
    yield ordinary("a_suite_of_two_letters", LOG.token(VALUE, suite="aa"))
    yield ordinary("another_version", TOKEN.replace("~s1", "~s2"))
    yield ordinary("a_version_in_upper_case", TOKEN.replace("~s1", "~S1"))


def altered():
    sealed = LOG.body(VALUE)

    def flipped(name: str, at: int) -> Record:
        return tampered(name, HEAD + b64url(sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :]) + "~")

    yield flipped("an_altered_counter", 3)
    yield flipped("an_altered_ciphertext", 4)
    yield flipped("an_altered_tag", len(sealed) - 1)
    yield tampered("a_shortened_body", HEAD + b64url(sealed[:-1]) + "~")
    yield tampered("a_lengthened_body", HEAD + b64url(sealed + b"\0") + "~")
    yield tampered("another_label", TOKEN.replace("~v~", "~w~"))
    yield tampered("a_label_in_upper_case", TOKEN.replace("~v~", "~V~"))
    yield tampered("a_value_as_a_padded_one", TOKEN.replace("~s1a~", "~s1p~"))
    yield tampered("a_padded_value_as_a_plain_one", LOG.padded(VALUE, 16).replace("~s1p~", "~s1a~"))
    yield tampered("another_sessions_value_under_this_session", Session("other", LOG.raw_id).token(VALUE))
    yield tampered("a_value_sealed_without_its_head", HEAD + b64url(LOG.body(VALUE, head="")) + "~")
    yield tampered("a_body_whose_last_bits_are_not_zero", HEAD + loosened(BODY) + "~")
    yield tampered("a_body_of_an_impossible_length", HEAD + BODY + "AA~")


def padding():
    yield tampered("a_json_text_as_a_plain_value", LOG.token(b"42", suite="j").replace("~s1j~", "~s1a~"))
    yield tampered("a_plain_value_as_a_json_text", LOG.token(b"42").replace("~s1a~", "~s1j~"))
    yield tampered("a_padded_json_text_without_its_mark", LOG.token(b"42", suite="q"))
    yield tampered("a_padded_value_without_its_mark", LOG.token(b"value\x00\x00\x00", suite="p"))
    yield tampered("a_padded_value_that_is_all_zero", LOG.token(bytes(16), suite="p"))
    yield tampered("a_padded_value_that_is_empty", LOG.token(b"", suite="p"))
    yield tampered("a_padded_value_with_something_behind_its_mark", LOG.token(b"value\x80\x00\x01", suite="p"))


def closings():
    def bad(name: str, closing: str) -> Record:
        log = f"{LOG.token(b'.')}\n{closing}\n"
        return record(name, log, ".\n", opened=1, tampered=1, sessions=[whole(LOG, values=1, missing="")])

    sound = LOG.closing(9, [(2, 3)])
    head, body = sound[:22], urlsafe_b64decode(sound[22:-1] + "==")
    yield bad("a_closing_token_with_another_count", head + b64url((8).to_bytes(8) + body[8:]) + "~")
    yield bad("a_closing_token_with_another_tag", head + b64url(body[:-1] + bytes([body[-1] ^ 1])) + "~")
    yield bad("a_closing_token_without_its_runs", head + b64url(body[:8] + body[-16:]) + "~")
    other = Session("other", LOG.raw_id)
    yield bad("a_closing_token_under_another_key", other.closing(1))
    for name, runs in (
        ("that_descend", [(5, 1), (2, 1)]),
        ("that_touch", [(2, 1), (3, 1)]),
        ("that_overlap", [(2, 3), (4, 2)]),
        ("of_no_counter", [(3, 0)]),
        ("that_reach_the_count", [(7, 2)]),
        ("beyond_the_count", [(11, 2)]),
        ("beyond_all_counters", [(5, 2**32 - 1)]),
    ):
        yield bad(f"a_closing_token_with_runs_{name}", LOG.closing(9, runs))
    yield bad("a_closing_token_with_half_a_run", LOG.closing(9, runs=b"\0\0\0\5"))
    long = LOG.closing(1000, [(3 * i, 2) for i in range(65)])
    yield record("a_closing_token_of_65_runs_is_ordinary_text", f"a\n{long}\n", cut_off=1)
    yield record("a_closing_token_of_31_characters_is_ordinary_text", f"a\n{head}{31 * 'A'}~\n", cut_off=1)


def parts():
    def part(name: str, line: str, kept: bool, **counts) -> Record:
        """A second part that is not as it should be: the header is not whole."""
        first, _ = LOG.parts(size=83)
        log = f"{line}\n{TOKEN}\n"
        return record(name, log, log if kept else TOKEN + "\n", header=first + "\n", **(counts or {"orphan": 1}))

    first, second = LOG.parts(size=83)
    body = second.split("~")[5]
    own, name = LOG.id, second.split("~")[3]
    yield part("a_part_that_is_missing", "a", True)
    yield part("a_part_that_was_cut", second[:-1], True)
    yield part("a_part_number_above_how_many_there_are", numbered(own, name, 3, 2, body), True)
    yield part("a_part_number_of_zero", numbered(own, name, 0, 2, body), True)
    yield part("a_part_number_with_a_leading_zero", numbered(own, name, "02", 2, body), True)
    yield part("a_part_number_with_a_sign", numbered(own, name, "+2", 2, body), True)
    yield part("a_part_number_above_65535", numbered(own, name, 2, 65538, body), True)
    yield part("a_part_without_a_number", numbered(own, name, "", 2, body), True)
    yield part("a_part_without_a_dot", f"~s1h~{own}~{name}~22~{body}~", True)
    yield part("a_part_without_a_body", numbered(own, name, 2, 2, ""), True)
    yield part("a_part_of_more_than_900_characters", numbered(own, name, 2, 2, 862 * "A"), True)
    yield part("a_json_part_with_a_space", json_line(second).replace(":", ": ")[:-1].replace("~s1h~", "~s1H~"), True)
    yield part("a_part_of_a_header_of_more_parts", numbered(own, name, 2, 3, body), False)
    yield part("a_part_of_another_session", numbered(Session("other").id, name, 2, 2, body), False)
    yield part("a_part_whose_last_bits_are_not_zero", numbered(own, name, 2, 2, loosened(body)), False)
    yield part("a_part_that_was_altered", numbered(own, name, 2, 2, "A" + body[1:]), False)
    yield part("a_part_of_another_digest", numbered(own, "A" * 12, 2, 2, body), False)
    yield part("a_digest_of_11_characters", numbered(own, name[:-1], 2, 2, body), True)
    yield part("a_digest_of_13_characters", numbered(own, name + "A", 2, 2, body), True)
    yield part("a_digest_in_the_other_alphabet", numbered(own, "+" + name[1:], 2, 2, body), True)
    yield part("a_part_without_a_digest", f"~s1h~{own}~2.2~{body}~", True)


def loosened(body: str) -> str:
    assert len(body) % 4 in (2, 3) and body[-1] not in "Zz9_-"
    return body[:-1] + chr(ord(body[-1]) + 1)


def refused(
    name: str, header: bytes, session: Session = LOG, keys: list | None = None, named: str | None = None
) -> Record:
    """A header that is refused is none: its tokens are orphans."""
    lines = "".join(f"{part}\n" for part in session.parts(header, named=named))
    options = {} if keys is None else {"keys": keys}
    return record(name, session.token(VALUE) + "\n", header=lines, orphan=1, **options)


def headers():
    good = LOG.header()
    yield refused("a_header_with_another_mac", good[:-1] + bytes([good[-1] ^ 1]))
    yield refused("a_header_with_the_mac_of_another_key", LOG.header(mac_key=fixed("another mac key")))
    yield refused("a_header_of_another_version", LOG.header(version=2))
    yield refused("a_header_with_a_byte_behind_its_mac", good + b"\0")
    yield refused("a_header_without_its_last_byte", good[:-1])
    yield refused("a_header_of_75_bytes", good[:75])
    yield refused("a_header_under_another_digest", good, named="A" * 12)
    before = Session("before").raw_id
    for flag in (0x10, 0x20, 0x40, 0x80):
        yield refused(f"a_header_with_flag_{flag:02x}", LOG.header(flags=flag))
    yield refused("a_header_with_a_count_and_no_session_before", LOG.header(flags=4, previous_count=5))
    yield refused("a_header_with_a_session_before_without_its_flag", LOG.header(flags=1, previous=before))
    yield refused("a_header_with_a_count_without_its_flag", LOG.header(flags=3, previous=before, previous_count=1))
    yield refused("a_header_with_a_time_without_its_flag", LOG.header(flags=7, previous=before, previous_count=1, time=1))
    yield refused("a_header_without_a_stanza", LOG.header(b"", 0))
    yield refused("a_header_with_fewer_stanzas_than_it_says", LOG.header(count=2))
    yield refused("a_header_with_more_stanzas_than_it_says", LOG.header(for_psk(LOG.key) + stanza(0x7FFF, b"")))
    liar = Session(session_id=fixed("another id", 12))
    yield refused("a_session_that_is_not_its_keys", liar.header(), liar)
    mixed = Session("other").header()
    yield refused("a_header_under_another_session_than_its_parts", mixed)
    key = for_key(LOG.key, ALICE)
    many = LOG.header(stanza(0x7FFF, b"") * 1000 + key, 1001)
    yield refused("a_header_of_1001_stanzas", many, keys=[str(ALICE)])
    yield from bytes_at_the_bound(key)


def bytes_at_the_bound(key: bytes):
    def filled(length: int) -> bytes:
        rest = length - len(LOG.header(key))
        count = rest // 60000
        sizes = [60000] * count + [rest - 60000 * count]
        header = LOG.header(b"".join(stanza(0x7FFF, bytes(size - 4)) for size in sizes) + key, len(sizes) + 1)
        assert len(header) == length
        return header

    lines = "".join(f"{part}\n" for part in LOG.parts(filled(1_900_000)))
    log = TOKEN + "\n"
    yield record("a_header_of_1900000_bytes", log, VALUE + b"\n", header=lines, opened=1, keys=[str(ALICE)])
    yield refused("a_header_of_1900001_bytes", filled(1_900_001), keys=[str(ALICE)])


def stanzas():
    psk, key = for_psk(LOG.key), for_key(LOG.key, ALICE)
    enc, body = key[4:36], key[36:]
    x25519 = KEM_IDS["x25519"]
    yield refused("a_pre_shared_key_beside_a_recipient", LOG.header(psk + key, 2))
    yield refused("a_pre_shared_key_beside_an_unknown_type", LOG.header(psk + stanza(0x7FFF, b""), 2))
    yield refused("two_pre_shared_keys", LOG.header(psk + psk, 2))
    yield refused("a_pre_shared_keys_stanza_of_79_bytes", LOG.header(stanza(0, psk[4:-1])))
    yield refused("a_pre_shared_keys_stanza_of_81_bytes", LOG.header(stanza(0, psk[4:] + b"\0")))

    def recipient(name: str, *all_stanzas: bytes, key: Key = ALICE) -> Record:
        return refused(name, LOG.header(b"".join(all_stanzas), len(all_stanzas)), keys=[str(key)])

    yield recipient("a_recipients_ciphertext_of_47_bytes", stanza(x25519, enc + body[:-1]))
    yield recipient("a_recipients_ciphertext_of_49_bytes", stanza(x25519, enc + body + b"\0"))
    yield recipient("another_recipients_stanza_of_another_length", key, stanza(KEM_IDS["p256"], bytes(65 + 47)))
    yield recipient("an_x25519_share_of_low_order", stanza(x25519, bytes(32) + body))
    yield recipient("an_x25519_share_of_low_order_behind_one_that_opens", key, stanza(x25519, bytes(32) + body))
    hybrid = for_key(LOG.key, HYBRID)[4:]
    low = stanza(KEM_IDS["mlkem768x25519"], hybrid[:-80] + bytes(32) + hybrid[-48:])
    yield recipient("a_hybrid_share_of_low_order", low, key=HYBRID)


def strangers():
    def closed_to_us(name: str, *all_stanzas: bytes, keys: list | None = None) -> Record:
        options = {} if keys is None else {"keys": keys}
        return record(name, TOKEN + "\n", header=LOG.lines(*all_stanzas), no_key=1, **options)

    yield closed_to_us("another_pre_shared_key", for_psk(LOG.key, fixed("another key")))
    yield closed_to_us("another_recipient", for_key(LOG.key, Key("x25519", "bob")), keys=[str(ALICE)])
    yield closed_to_us("a_recipient_of_another_type", for_key(LOG.key, Key("p256")), keys=[str(ALICE)])
    yield closed_to_us("a_recipient_where_a_pre_shared_key_is_at_hand", for_key(LOG.key, ALICE))
    yield closed_to_us("a_stanza_with_the_info_of_a_file", for_key(LOG.key, ALICE, b"sealmark/1 file x25519"), keys=[str(ALICE)])
    yield closed_to_us("only_stanzas_of_unknown_types", stanza(0x7FFF, b"what"))
    yield closed_to_us("no_key_at_all", keys=[])
    yield record("no_header_at_all", TOKEN + "\n", header="", orphan=1)
    other = TOKEN.replace(LOG.id, Session("other").id)
    yield record("another_session_in_a_token", other + "\n", orphan=1)
