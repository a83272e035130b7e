"""Private values as strangers send them, each with a mark of its own, and the search for remains of any of them."""

import base64

# Text may be cut anywhere in it: this many letters in a row are a leak. Ciphertext has fewer of them by chance, in any case.
WORD, PART = "hidden-canary", 9

# Text after the mark. A mark follows each piece that might end the value for a reader.
ODDITIES = [
    "",
    f' "quoted" {WORD} \'single\' {WORD}',
    f"\\ back\\\\slash\\\" {WORD} \\x22 \\u0022 {WORD}\\",
    f"\n{WORD} on a line\r\n{WORD} of its\rown {WORD}\n\n",
    f"\u2028{WORD}\u2029{WORD}\x85{WORD}\x0b\x0c",
    f"\u00e9\u6f22\u5b57\U0001f600 {WORD} \u202etxet\u202c e\u0301 \ufeff{WORD}",
    f"\x00{WORD}\x07\x1b[31m{WORD}\x1b[0m\x7f{WORD}\t\x08",
    f'","email":"{WORD}","level":"{WORD}"}} {WORD}',
    f'"}}\n{{"message":"{WORD}","log":"{WORD}\\n","stream":"stdout"}}',
    f'{{"email":"{WORD}","user":{{"name":["{WORD}"]}}}}',
    f'{{"email":"{WORD}\\',
    f"\n2026-11-25T12:00:00.5Z stdout F {WORD}\n2026-11-25T12:00:00Z stderr P {WORD}",
    f'\n2026-11-25T12:00:00.123Z  INFO 1 --- [main] a.B : {WORD}\n\tat a.B({WORD}.java:1)\nCaused by: {WORD}',
    f'\nStarted GET "/?q={WORD}" for {WORD} at 2026-11-25 12:00:00 +0000\n  Parameters: {{"q"=>"{WORD}"}}\n',
    f"~s1a~email~AAAA~{WORD}~ ~s1x~email~ ~s1h~{WORD}",
    f"?email={WORD}&token={WORD}%22%0a#{WORD}",
    f"#{{{WORD}}} ${{jndi:ldap://{WORD}}} %s %d {{}} {WORD} $1 \\1",
    f"}}{WORD}]{WORD}[{WORD}{{ , : => {WORD}",
    f" {WORD}" * 2000,
    f"\\\"{WORD}\n" * 1500,
    f"\u6f22{WORD}" * 1500,
]
VALUES = [f"{WORD}-{number}-{text}" for number, text in enumerate(ODDITIES)]
# No test looks for this address in a sealed log: reports have to name it.
OPEN = "ops@example.org"


def marks(log: bytes) -> set[int]:
    """The numbers of the values that are in a log."""
    return {number for number in range(len(VALUES)) if f"{WORD}-{number}-".encode() in log}


def leaks(sealed: bytes) -> list[str]:
    """The remains of values, in any encoding, with the text around them."""
    lower, found = sealed.lower(), []
    for needle in set(encodings(WORD)):
        # Base64 and upper-case letters are lost when compared in lower case.
        for text in (sealed, lower):
            place = text.find(needle)
            if place >= 0:
                found.append(f"{needle!r}: {sealed[max(0, place - 120):place + 120]!r}")
    return found


def encodings(word: str):
    for start in range(len(word) - PART + 1):
        yield word[start : start + PART].encode()
    raw = word.encode()
    yield from (raw.hex().encode(), raw.hex().upper().encode(), raw[::-1])
    yield from (word.encode("utf-16-le"), word.encode("utf-16-be"))
    yield from (template(raw[:PART]) for template in (percent, unicode_escape, octal))
    for shift in range(3):
        coded = base64.b64encode(bytes(shift) + raw)
        # The first letters contain bits of the text before, and the last ones of the text after.
        yield coded[4 if shift else 0 : -4]


def percent(raw: bytes) -> bytes:
    return b"".join(b"%%%02x" % byte for byte in raw)


def unicode_escape(raw: bytes) -> bytes:
    return b"".join(b"\\u%04x" % byte for byte in raw)


def octal(raw: bytes) -> bytes:
    return b"".join(b"\\%03o" % byte for byte in raw)
