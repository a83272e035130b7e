"""Logs that open: keys, headers in every order, values of every kind, and what stands around them."""

import json

from record_vector import LOG, Record, record, whole
from record_wire import Session, b64url, for_key, for_psk, json_line, psk_string, stanza
from wire import KEM_IDS, Key, fixed

MOST = 1 << 20


def plain(value: bytes) -> bytes:
    """A value outside of JSON strings."""
    return value.replace(b"\n", b"\\n").replace(b"\r", b"\\r")


TOKEN = LOG.token(b"value")


def vectors():
    return [*keys(), *headers(), *values(), *surroundings(), *json_texts(), *levels(), *closings()]


def good(name: str, log: str | bytes, output: str | bytes, opened: int = 1, **options) -> Record:
    return record(name, log, output, opened=opened, **options)


def keys():
    yield good("a_pre_shared_key_opens", TOKEN + "\n", "value\n")
    for kem in KEM_IDS:
        key = Key(kem)
        yield good(f"{kem}_opens", TOKEN + "\n", "value\n", header=LOG.lines(for_key(LOG.key, key)), keys=[str(key)])
    alice, bob = Key("x25519"), Key("x25519", "bob")
    both = LOG.lines(for_key(LOG.key, alice, what="a"), for_key(LOG.key, bob, what="b"))
    yield good("the_second_of_two_recipients_opens", TOKEN + "\n", "value\n", header=both, keys=[str(bob)])
    unknown = LOG.lines(stanza(0x7FFF, b"what"), for_key(LOG.key, alice), stanza(0xFFFF, b""))
    yield good("a_stanza_of_unknown_type_is_ignored", TOKEN + "\n", "value\n", header=unknown, keys=[str(alice)])
    thousand = LOG.lines(*[stanza(0x7FFF, bytes(1800))] * 999, for_key(LOG.key, alice))
    yield good("a_header_of_1000_stanzas", TOKEN + "\n", "value\n", header=thousand, keys=[str(alice)])
    others = [psk_string(fixed("another key")), str(bob), psk_string()]
    yield good("the_last_of_several_keys_opens", TOKEN + "\n", "value\n", keys=others)


def headers():
    parts = LOG.parts(size=20)
    lines = [part + "\n" for part in parts]
    token = TOKEN + "\n"

    def ordered(name: str, order: list[str]) -> Record:
        return good(name, token, "value\n", header="".join(order))

    yield ordered("parts_in_reverse", lines[::-1])
    yield ordered("parts_each_twice", [line for line in lines for _ in range(2)])
    yield ordered("parts_as_json_lines", [json_line(part) for part in parts])
    yield ordered("parts_that_end_in_crlf", [part + "\r\n" for part in parts])
    yield ordered("parts_of_one_byte", [part + "\n" for part in LOG.parts(size=1)])
    yield ordered("parts_of_two_cuts_beside_each_other", lines[:3] + [LOG.lines()] + lines[4:])
    inside = "".join(f"syslog: {line}" for line in lines)
    yield good("parts_in_longer_lines_are_learned_from_and_stay", inside + token, inside + "value\n", header="")
    behind = "".join(f"{part} \n" for part in parts) + LOG.closing(1) + "~\n"
    yield good("own_lines_with_something_behind_stay", behind + token, behind + "value\n", header="")
    other = LOG.header(for_psk(LOG.key, salt=fixed("another salt")))
    second = [part + "\n" for part in LOG.parts(other, 40)]
    first = [part + "\n" for part in LOG.parts(size=40)]
    yield ordered("two_headers_of_one_session_one_after_the_other", first + second)
    stranger = LOG.header(for_psk(LOG.key, fixed("another key"), fixed("another salt")))
    foreign = [part + "\n" for part in LOG.parts(stranger, 80)]
    own = [part + "\n" for part in LOG.parts(size=80)]
    assert len(foreign) == len(own) == 2
    yield ordered("two_headers_of_one_session_in_each_others_parts", [own[0], foreign[0], own[1], foreign[1]])
    foreign = [part + "\n" for part in LOG.parts(stranger, 8)]
    own = [part + "\n" for part in LOG.parts(size=8)]
    yield ordered("a_header_of_many_parts_after_another_that_does_not_open", foreign + own)
    yield from false_parts()
    yield from facts()
    other = Session("other")
    log = f"{TOKEN} {other.token(b'more')}\n"
    yield good("two_sessions_in_one_line", log, "value more\n", 2, header=LOG.lines() + other.lines())


def false_parts():
    first, second = (part + "\n" for part in LOG.parts(size=100))
    false = first.replace(first.split("~")[5], b64url(bytes(100)))
    header = false + first + second + first + second
    yield good("a_false_part_before_the_true_one_costs_one_copy", TOKEN + "\n", "value\n", header=header)
    yield good("a_false_part_behind_the_true_one_costs_nothing", TOKEN + "\n", "value\n", header=first + false + second)
    others = [LOG.header(for_psk(LOG.key, fixed("another key"), fixed(f"salt {n}"))) for n in range(40)]
    forty = "".join(part + "\n" for other in others for part in LOG.parts(other))
    yield good("a_header_behind_forty_that_do_not_open", TOKEN + "\n", "value\n", header=forty + LOG.lines())


def facts():
    """What a header tells besides the key."""
    before = Session("before").raw_id
    last_second = 31_556_889_864_403_199

    def told(name: str, **options) -> Record:
        lines = "".join(part + "\n" for part in LOG.parts(LOG.header(**options)))
        return good(f"a_header_that_{name}", TOKEN + "\n", "value\n", header=lines, sessions=[whole(LOG, **said(options))])

    def said(options: dict) -> dict:
        flags, count = options["flags"], options.get("previous_count", 0)
        previous = Session("before").id if flags & 2 else "none"
        return {
            "ordered": "yes" if flags & 1 else "no",
            "previous": previous,
            "count": count if flags & 4 else "none",
            "began": min(options.get("time", 0), last_second) if flags & 8 else "none",
        }

    yield told("promises_order", flags=1)
    yield told("names_the_session_before", flags=2, previous=before)
    yield told("promises_order_and_names_the_session_before", flags=3, previous=before)
    yield told("counts_the_session_before", flags=6, previous=before, previous_count=2**32)
    yield told("tells_its_time", flags=8, time=1_800_000_000)
    yield told("began_with_1970", flags=8)
    yield told("began_at_the_last_second_of_all", flags=8, time=last_second)
    yield told("began_later_than_that", flags=8, time=2**63)
    yield told("tells_all", flags=15, previous=before, previous_count=5, time=1_700_000_000)
    yield told("counts_no_value_before", flags=6, previous=before)
    yield told("tells_nothing", flags=0)


def values():
    for length in (0, 1, 2, 3, 236, 237, 1516, 1517, 65536, MOST):
        value = LOG.hollow(length)
        yield good(f"a_value_of_{length}_bytes", f"<{LOG.token(value)}>", b"<" + plain(value) + b">")
    for length in (0, 1, 15, 16, 31):
        value = b"x" * length
        yield good(f"a_value_of_{length}_bytes_padded_to_16", f"<{LOG.padded(value, 16)}>", b"<" + value + b">")
    yield good("a_value_that_ends_in_padding", LOG.padded(b"x\x80\x00\x00", 16), b"x\x80\x00\x00")
    most = LOG.token((LOG.hollow(MOST - 1) + b"\x80"), suite="p")
    yield good("the_longest_padded_value", most, plain(LOG.hollow(MOST - 1)))
    yield good("all_bytes", LOG.token(bytes(range(256))), plain(bytes(range(256))))
    yield good("all_bytes_with_raw_line_breaks", LOG.token(bytes(range(256))), bytes(range(256)), raw=True)
    breaks = b"\n\r\n\\n\r"
    yield good("line_breaks_in_a_plain_place_are_escaped", f"a {LOG.token(breaks)} b\n", b"a \\n\\r\\n\\n\\r b\n")
    yield good("raw_line_breaks_in_a_plain_place", f"a {LOG.token(breaks)} b\n", b"a " + breaks + b" b\n", raw=True)
    line = f'{{"a":"{LOG.token(breaks)}"}}\n'
    yield good("raw_line_breaks_are_escaped_in_a_json_string", line, '{"a":"\\n\\r\\n\\\\n\\r"}\n', raw=True)
    for name, label in (("of_1_character", "x"), ("of_64_characters", "aZ09._-x" * 8), ("like_a_part", "s1h"), ("of_marks", "-._")):
        yield good(f"a_label_{name}", LOG.token(b"value", label=label), "value")
    yield good("the_highest_counter", LOG.token(b"value", 2**32 - 1), "value")
    tokens = "\n".join(LOG.token(f"{i}".encode(), i) for i in (7, 3, 9, 4))
    yield good("counters_in_any_order", tokens, "7\n3\n9\n4", 4, sessions=[whole(LOG, values=4, missing="0-3,5-7,8-9")])
    twice = f"{TOKEN}\n{LOG.token(b'two', 1)}\n{TOKEN}\n"
    known = whole(LOG, values=2, repeated=1, missing="")
    yield good("a_repeated_token_is_opened_and_counted", twice, "value\ntwo\nvalue\n", 3, sessions=[known])


def surroundings():
    yield good("tokens_that_touch", TOKEN + LOG.token(b"-", 1) + TOKEN, "value-value", 3)
    yield good("a_token_behind_a_tilde", "~" + TOKEN, "~value")
    yield good("a_token_behind_one_that_is_cut_off", TOKEN[:-9] + " " + TOKEN, TOKEN[:-9] + " value", cut_off=1)
    yield good("a_token_behind_half_a_token", "~s1a~v~" + TOKEN, "~s1a~v~value")
    yield good("a_token_without_its_tilde_takes_that_of_the_next", TOKEN[:-1] + TOKEN, "value" + TOKEN[1:])
    yield good("a_token_in_a_query", f"GET /?a={TOKEN}&b=~user HTTP/1.1", "GET /?a=value&b=~user HTTP/1.1")
    yield good("a_token_on_the_last_line_without_an_end", f"a\n{TOKEN}", "a\nvalue")
    yield good("a_token_between_bytes_that_are_no_text", b"\xff" + TOKEN.encode() + b"\x00\xfe\n", b"\xffvalue\x00\xfe\n")
    yield record("the_marker_of_a_value_that_was_not_sealed_stays", "a ~s1x~v~ b\n")
    yield record("a_log_without_tokens_stays", "~ ~s ~s1 ~s1a ~s1a~\n\n\r\n{}\n\"\n~~~~\x00")
    value = "\"\\/\b\f\n\r\t\x00\x1f\x7f é\u2028\U0001f511"
    token = LOG.token(value.encode())
    outside = plain(value.encode()).decode()
    escaped = json.dumps(value, ensure_ascii=False)[1:-1]
    assert json.loads(f'"{escaped}"') == value

    def text(name: str, before: str, behind: str, put: str) -> Record:
        return good(name, before + token + behind, before + put + behind)

    yield text("a_json_string_is_escaped", '{"a":"', '"}\n', escaped)
    yield text("a_json_name_is_escaped", '{"', '":1}\n', escaped)
    yield text("a_json_line_with_space_around_is_escaped", ' \t{"a":"b', 'c"} \r\n', escaped)
    yield text("a_json_string_behind_escaped_quotes_is_escaped", '{"a":"\\"\\\\","b":"\\"', '"}\n', escaped)
    yield text("a_json_line_outside_a_string_is_not_escaped", '{"a":"\\"",', '}\n', outside)
    yield text("a_line_that_ends_before_its_brace_is_not_escaped", '{"a":"', '"\n', outside)
    yield text("a_json_array_is_not_escaped", '["', '"]\n', outside)
    yield text("a_json_object_before_a_comma_is_escaped", '{"a":"', '"},\n', escaped)
    yield text("json_objects_in_an_array_are_escaped", '[{"a":1},{"b":"', '"}]\r\n', escaped)
    yield text("json_at_the_end_of_another_line_is_escaped", '2026-11-21T12:00:01Z stdout F {"a":"', '"}\n', escaped)
    yield text("quotes_in_front_of_json_do_not_count", 'app["x]: {"a":"', '"} \r\n', escaped)
    yield text("json_in_the_middle_of_another_line_is_not_escaped", 'x {"a":"', '"} y\n', outside)
    yield text("a_place_in_front_of_json_is_not_escaped", '"', '" {"a":1}\n', outside)
    yield text("a_json_string_behind_one_that_ends_in_a_backslash_is_escaped", '{"a":"C:\\\\","b":"', '"}\n', escaped)
    yield text("json_behind_a_brace_with_an_odd_quote_is_escaped", 'app {"x: {"a":"', '"}\n', escaped)
    yield text("a_place_outside_of_strings_in_a_line_with_an_odd_quote_is_escaped", '{"a":1,', ',"b}\n', escaped)
    yield text("a_place_right_behind_the_brace_in_a_line_with_an_odd_quote_is_escaped", '{', '"}\n', escaped)
    yield text("a_place_in_front_of_a_brace_with_an_odd_quote_is_not_escaped", 'a ', ' {"}\n', outside)
    quote = f'a="\n{{"a":"{token}"}}\n'
    yield good("quotes_of_the_line_before_do_not_count", quote, f'a="\n{{"a":"{escaped}"}}\n')
    bytes_in_json = f'{{"a":"{LOG.token(b"x" + bytes([0xC0, 0x80]))}","b":"{LOG.token(b"y", 1)}"}}\n'
    kept = bytes_in_json.replace(LOG.token(b"y", 1), "y")
    yield good("bytes_that_are_no_text_stay_closed_in_json", bytes_in_json, kept, 1, not_text=1)


def json_texts():
    odd = '"\\u00e9\\/\\ud83d\\ude00"'
    deepest = "[" * 127 + "]" * 127
    texts = {"a_number": "-1.5e3", "a_string": odd, "an_object": '{"b": ["c", null]}', "127_arrays": deepest}
    for name, text in texts.items():
        line = '{"a": "%s"}\n'
        token = LOG.token(text.encode(), suite="j")
        yield good(f"{name}_in_place_of_a_json_string", line % token, f'{{"a": {text}}}\n')
    token = LOG.token(odd.encode(), suite="j")
    padded = LOG.padded(b"42", 16, suite="q")
    yield good("a_padded_json_text", f'{{"a":"{padded}"}}', '{"a":42}')
    yield good("a_json_text_in_no_json_line", f'a="{token}" {token}\n', f'a="{odd}" {odd}\n', 2)
    yield good("a_json_text_outside_of_strings", f'{{"a":{token}}}\n', f'{{"a":{odd}}}\n')
    name = LOG.token(b'"a"', suite="j")
    yield good("a_json_text_in_place_of_a_name", f'{{"{name}":1}}\n', '{"a":1}\n')
    line = json.dumps({"log": '{"b":%s,"c":"x"}'}, separators=(",", ":"))
    quoted = line.replace("%s", f'\\"{token}\\"')
    yield good("a_json_text_in_a_json_line_in_a_string", quoted + "\n", line.replace("%s", json.dumps(odd)[1:-1]) + "\n")
    twice = '{"a":"{\\"%s\\"%s\\""}\n'
    left = twice % (token, token)
    opened = left.replace(f'\\"{token}\\"', json.dumps(odd)[1:-1], 1)
    yield good("quotes_between_two_json_texts_belong_to_the_first", left, opened, not_text=1)
    number = LOG.token(b"42", suite="j")
    spaced = LOG.token(b' "a"', suite="j")
    yield good("a_string_behind_space_in_place_of_a_name", f'{{"{spaced}":1}}\n', '{ "a":1}\n')
    inner = f'{{"log":"{{\\"{number}\\" :1}}"}}\n'
    yield record("a_number_in_place_of_a_name_in_a_string_stays_closed", inner, not_text=1)
    yield record("a_number_in_place_of_a_name_stays_closed", f'{{"{number}" : 1}}\n', not_text=1)
    for name, before, behind in (
        ("in_a_longer_string", "x", ""),
        ("at_the_start_of_a_longer_string", "", "x"),
        ("behind_an_escaped_quote", '\\"', ""),
        ("before_an_escaped_quote", "", '\\"'),
    ):
        line = f'{{"a":"{before}{token}{behind}"}}\n'
        yield record(f"a_json_text_{name}_stays_closed", line, not_text=1)
    for name, text in (
        ("two_json_texts", '1,"b":2'),
        ("an_open_json_text", '{"a":1'),
        ("nothing_as_a_json_text", ""),
        ("a_json_text_of_two_lines", "[1,\n2]"),
        ("a_json_text_with_a_carriage_return", "[1,\r2]"),
    ):
        line = f'{{"a":"{LOG.token(text.encode(), suite="j")}"}}\n'
        yield record(f"{name}_stays_closed", line, not_text=1)
    line = f'{{"a":"{LOG.token(bytes([34, 0xC0, 0x80, 34]), suite="j")}"}}\n'
    yield record("a_json_text_that_is_no_text_stays_closed", line, not_text=1)


def levels():
    """JSON in strings of JSON."""
    value = 'x","role":"admin\\'
    token, text = LOG.token(value.encode()), LOG.token(b'["b\\"c", {"d": null}]', suite="j")
    opened_text = ["b\"c", {"d": None}]

    def escaped(inner: str, quote: str) -> str:
        return json.dumps(inner, ensure_ascii=False).replace('\\"', quote) if quote else json.dumps(inner, ensure_ascii=False)

    def nested(inner: str, levels: int, quote: str = "") -> str:
        for _ in range(levels - 1):
            inner = f'{{"log":{escaped(inner, quote)},"n":1}}'
        return inner + "\n"

    def deep(name: str, levels: int, quote: str = "", **counts) -> Record:
        sealed = nested(f'{{"a":"{token}","b":"{token}"}}', levels, quote)
        put = json.dumps(value)[1:-1]
        for _ in range(levels - 1):
            put = json.dumps(put)[1:-1]
        opened = sealed.replace(token, put)
        return good(name, sealed, opened, 2, **counts)

    def deep_text(name: str, levels: int, quote: str = "") -> Record:
        sealed = nested(f'{{"a":"{text}","b":"x{text}"}}', levels, quote)
        put = '["b\\"c", {"d": null}]'
        quotes = '"' if levels == 1 else quote or '\\"'
        for _ in range(levels - 1):
            put = json.dumps(put)[1:-1]
        for _ in range(levels - 2):
            quotes = json.dumps(quotes)[1:-1]
        opened = sealed.replace(f"{quotes}{text}{quotes}", put)
        assert opened != sealed and (quote or read(opened, levels)["a"] == opened_text)
        return good(name, sealed, opened, 1, not_text=1)

    def read(line: str, levels: int) -> dict:
        for _ in range(levels - 1):
            line = json.loads(line)["log"]
        return json.loads(line)

    for depth in (2, 3, 4):
        yield deep(f"a_string_at_level_{depth}", depth)
        yield deep_text(f"a_json_text_at_level_{depth}", depth)
    for suite, inside in (("a", token), ("j", text)):
        sealed = nested(f'{{"a":"{inside}"}}', 5)
        yield record(f"a_token_of_suite_{suite}_at_level_5_stays_closed", sealed, not_text=1)
        sealed = nested(f'{{"a":"{inside}"}}', 6)
        yield record(f"a_token_of_suite_{suite}_at_level_6_stays_closed", sealed, not_text=1)
    quote = "\\u0022"
    yield deep("a_string_at_level_2_behind_quotes_in_hexadecimal", 2, quote)
    yield deep_text("a_json_text_between_quotes_in_hexadecimal", 2, quote)
    capital = nested(f'{{"a":"{token}"}}', 3).replace("\\\\", "\\u005C")
    put = json.dumps(json.dumps(json.dumps(value)[1:-1])[1:-1])[1:-1]
    yield good("a_string_at_level_3_behind_backslashes_in_hexadecimal", capital, capital.replace(token, put))
    line = f'{{"log":"{{\\"a\\":\\"{text}\\u0022}}"}}\n'
    yield record("a_json_text_between_quotes_that_are_written_differently_stays_closed", line, not_text=1)
    line = f'{{"log":"{{\\"a\\":\\"{token}"}}\n'
    once = json.dumps(json.dumps(value)[1:-1])[1:-1]
    yield good("a_string_at_level_2_that_was_cut_by_a_collector", line, line.replace(token, once))
    line = f'app {{"x: {{"a":"{text}"}}\n'
    yield good("a_json_text_behind_a_brace_with_an_odd_quote", line, line.replace(f'"{text}"', '["b\\"c", {"d": null}]'))
    line = f'{{{text}"}}\n'
    yield record("a_json_text_without_quotes_in_a_line_with_an_odd_quote_stays_closed", line, not_text=1)
    line = f'{{"msg":"he said \\"{token}\\""}}\n'
    yield good("a_string_behind_escaped_quotes_without_a_brace_is_at_level_1", line, line.replace(token, json.dumps(value)[1:-1]))
    line = f'{{"log":"app: \\"x {{ \\"a\\":\\"{token}\\"}}","b":"{token}"}}\n'
    opened = line.replace(token, once, 1).replace(token, json.dumps(value)[1:-1])
    yield good("quotes_in_front_of_the_inner_brace_do_not_count", line, opened, 2)
    line = f'{{"log":"{{\\x\\"{token}\\"}}"}}\n'
    yield good("an_escape_that_json_does_not_have_stands_for_nothing", line, line.replace(token, once))
    line = f'{{"log":"{{\\u00\\"{token}\\"}}"}}\n'
    yield good("half_an_escape_stands_for_nothing", line, line.replace(token, once))
    line = f'{{"log":"{{\\\\\\"{token}\\"}}"}}\n'
    yield good("an_inner_backslash_takes_the_inner_quote", line, line.replace(token, json.dumps(value)[1:-1]))
    number = LOG.token(b"42", suite="j")
    for name, colon in (("escaped_space", "\\n\\u0020:"), ("a_colon_in_hexadecimal", "\\u003a")):
        line = f'{{"log":"{{\\"{number}\\"{colon}1}}"}}\n'
        yield record(f"a_number_in_place_of_a_name_before_{name}_stays_closed", line, not_text=1)
    line = f'{{"log":"{{\\"a\\":[\\"{number}\\"]}}:"}}\n'
    yield good("a_number_before_an_inner_bracket_opens", line, line.replace(f'\\"{number}\\"', "42"))


def closings():
    tokens = "".join(LOG.token(b".", i) for i in range(5))

    def closed(name: str, token: str, **known) -> Record:
        return good(name, f"{tokens}\n{token}\n", ".....\n", 5, sessions=[whole(LOG, **known)])

    yield closed("a_session_that_is_whole", LOG.closing(5), values=5, closing=5, missing="")
    yield closed("a_closing_token_as_a_json_line", json_line(LOG.closing(5))[:-1], values=5, closing=5, missing="")
    yield closed("a_session_without_its_last_values", LOG.closing(7), values=5, closing=7, missing="5-7")
    unused = LOG.closing(12, [(5, 2), (8, 3)])
    yield closed("a_session_with_unused_counters", unused, values=5, closing=7, missing="7-8,11-12")
    most = LOG.closing(1000, [(10 + 3 * i, 2) for i in range(64)])
    missing = "5-10," + ",".join(f"{12 + 3 * i}-{13 + 3 * i}" for i in range(63)) + ",201-1000"
    yield closed("a_session_with_64_unused_runs", most, values=5, closing=1000 - 128, missing=missing)
    yield closed("a_session_with_values_beyond_its_end", LOG.closing(4, [(1, 1)]), values=5, closing=3, missing="", beyond=2)
    yield closed("a_session_closed_twice_ends_at_the_higher", f"{LOG.closing(6)}\n{LOG.closing(5)}", values=5, closing=6, missing="5-6")
    yield good("a_session_that_is_not_closed", tokens, ".....", 5, sessions=[whole(LOG, values=5, missing="")])
    nothing = LOG.closing(0) + "\n"
    yield good("a_session_without_values", nothing, "", 0, sessions=[whole(LOG, values=0, closing=0, missing="")])
    last = LOG.token(b".", 2**32 - 1)
    known = whole(LOG, values=1, closing=2**32, missing=f"0-{2**32 - 1}")
    yield good("a_session_with_every_counter_handed_out", f"{last}\n{LOG.closing(2**32)}\n", ".\n", sessions=[known])
    stranger = Session("other").closing(1)
    yield record("the_closing_token_of_an_unknown_session_is_taken_away", f"a\n{stranger}\n", "a\n")
