"""Lists every text that sealmark, sealmark-lab and the Java library can show, so that a person can read them all at once.
usage: scripts/messages.py      (writes tests/scripts/messages.txt, which tests/scripts/test_messages.py compares)

The rule takes too much rather than too little, because a new message must not be missed: each string literal of two words
or more counts, wherever it is, and so does every literal in the calls of TELLING. Left out are comments, tests, attributes
other than `error`, the calls of SILENT, texts of formats and patterns (FORMATS), and the lab's reports and pages (REPORTS),
which golden files of their own show. An expression between two literals is shown as {}.
"""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests/scripts/messages.txt"
# The heading, the folder, and the ending of the files.
PROGRAMS = [
    ("sealmark", "crates", "rs"),
    ("sealmark-lab", "lab/core/src", "rs"),
    ("the Java library", "java", "java"),
]
TESTS = re.compile(r"(^|/)(tests?|benches|examples|testing|target|simulate)/|(^|/)(tests|vectors|properties|simulate|build|toy|made)\.rs$")
REPORTS = re.compile(r"^lab/core/src/(page|report|document|summary|history)(/|\.rs$)")
FORMATS = re.compile(r"^(sealmark/1 |\(\?|\.SH |\$remote_addr|%)|^-----BEGIN|^-----END|/META-INF")
# Calls that show a text to the user, in Rust and in Java.
TELLING = re.compile(r"^(usage|no_key|io|damaged|hint|warning|note|within|error|addError|addWarn|addInfo|\w+Exception)$")
# Calls whose texts no user sees, because they name a bug of ours.
SILENT = re.compile(r"^(debug_)?assert(_eq|_ne)?!$|^(expect|unreachable!|panic!|AssertionError|include_str!|cfg)$")
TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<raw>\b[bc]?r(?P<hashes>\#*)"(?P<rawtext>.*?)"(?P=hashes))
    |(?P<block>\"\"\"(?P<blocktext>.*?)\"\"\")
    |(?P<string>[bc]?"(?P<text>(?:\\.|[^"\\])*)")
    |(?P<char>b?'(?:\\[^\n]{1,10}?|[^'\\\n])')
    |(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<end>[;,])
    |(?P<name>[A-Za-z_]\w*!?)|(?P<space>\s+)|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
PROSE = re.compile(r"[A-Za-z]{2}.*\s.*[A-Za-z]{2}|[A-Za-z]{2}.*\s.*\{|\}.*\s.*[A-Za-z]{2}|^\s\w.*[a-z]|^[a-z][\w ]*\s$", re.DOTALL)


def main():
    GOLDEN.write_text(listing())


def listing():
    lines = ["Every message. Made by `python3 scripts/messages.py`; read what changes, then commit it.\n"]
    for program, folder, ending in PROGRAMS:
        lines.append(f"\n# {program}\n")
        for path in sorted((ROOT / folder).rglob(f"*.{ending}")):
            name = path.relative_to(ROOT).as_posix()
            if TESTS.search(name) or REPORTS.search(name):
                continue
            found = messages(path.read_text())
            lines += [f"\n{name}\n"] * bool(found) + [f"  {text}\n" for text in found]
    return "".join(lines)


def messages(source):
    """The texts of one file, in its order."""
    source = re.split(r"#\[cfg\((?:all\()?test\b[^\n]*\n(?:\s*#\[[^\n]*\n)*\s*(?:pub )?mod \w+ \{", source)[0]
    found, name, frames = [], "", [Frame("")]
    for token in TOKEN.finditer(source):
        kind, text = token.lastgroup, token.group()
        kind = next(it for it in ("comment", "raw", "block", "string", "char", "open", "close", "end", "name", "space", "other")
                    if token.group(it) is not None)
        frame = frames[-1]
        if kind in ("raw", "block", "string"):
            shown = next(token.group(it) for it in ("rawtext", "blocktext", "text") if token.group(it) is not None)
            if not any(SILENT.match(it.call) for it in frames):
                frame.add(shown, found, any(TELLING.match(it.call) for it in frames))
        elif kind == "open":
            frames.append(Frame(name))
        elif kind == "close":
            if len(frames) > 1:
                frames.pop()
                frames[-1].between = True
        elif kind == "end" or text in ("?", ":", "|", "=", "&", ">"):
            frame.index = None
        elif kind in ("name", "other", "char") and text not in ("+", "."):
            frame.between = True
        name = text if kind == "name" else name if kind == "space" else attribute(source, token) if text == "#" else ""
    kept = [text for text, is_message in found if (is_message or PROSE.search(text)) and not FORMATS.search(text) and text.strip()]
    return [re.sub(r"\s*\n\s*", r"\\n", re.sub(r"\\\n\s*", "", text)) for text in kept]


def attribute(source, token):
    """An attribute is silent like a call that nobody sees, unless it is an error's text."""
    return "error" if re.match(r"#!?\[error\(", source[token.start():]) else "cfg" if source[token.end():token.end() + 1] in "![" else ""


class Frame:
    """A pair of brackets: the call that it belongs to, and the message that may go on in it."""

    def __init__(self, call):
        self.call, self.index, self.between = call, None, False

    def add(self, text, found, is_message):
        if self.index is None:
            self.index = len(found)
            found.append(["", is_message])
            self.between = False
        found[self.index][0] += ("{}" if self.between else "") + text
        self.between = False


if __name__ == "__main__":
    main()
