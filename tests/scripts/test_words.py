"""Pages and comments are written as CONTRIBUTING.md says: no sentence begins with a bare of, what, who, whether, those or as."""

import ast
import re
import subprocess
import tempfile
import tokenize
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BARE = r"(?:Of|What|Whatever|Who|Whoever|Whether|Those|As(?! \w+,))\b"
PAGES = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md", "docs", "java/README.md", "spec", "lab"]
SOURCES = ["crates", "fuzz", "tests", "scripts", "examples", "lab", ".github", ".cargo", ".ci", "Makefile"]
# Each comment is the only group that matches. Strings that look like comments are taken for some.
SLASHES = re.compile(r"(?:^|\s)//[/!]? ?(.*)|^\s*(?:/\*| \*) (.*)")
HASHES = re.compile(r"(?:^|\s)# ?(.*)")
# Headings of the lab's pages, each before the sentence that it is about.
HEADING = re.compile(r"\s*\*\*What (?:to do|would change it)\.\*\* ")
PROSE = re.compile(r"([^$>!? ].*)")
COMMENTS = {".rs": SLASHES, ".go": SLASHES, ".c": SLASHES, ".java": SLASHES, ".js": SLASHES, ".sh": HASHES, ".awk": HASHES,
            ".rb": HASHES, ".yml": HASHES, ".yaml": HASHES, ".toml": HASHES, ".conf": HASHES, ".service": HASHES,
            ".socket": HASHES, "run": HASHES, "Makefile": HASHES, "requirements.txt": HASHES}
# The tests, too: a Java test is read as the description of a class.
JAVA = ["java", "lab"]


class Words(unittest.TestCase):
    def test_sentences_of_pages_have_a_subject(self):
        pages = files(PAGES, ".md")
        self.assertGreater(len(pages), 60)
        self.assertEqual([found for path in pages for found in bare(path, prose(path))], [])

    def test_sentences_of_comments_have_a_subject(self):
        sources = files(SOURCES, (*COMMENTS, ".py", ".txt"))
        self.assertGreater(len(sources), 250)
        self.assertEqual([found for path in sources for found in bare(path, comments(path))], [])

    def test_sentences_of_javadoc_have_a_subject(self):
        sources = files(JAVA, ".java")
        self.assertGreater(len(sources), 200)
        self.assertEqual([found for path in sources for found in bare(path, javadoc(path))], [])

    def test_a_bare_beginning_is_found(self):
        text = [(1, "The tag fits. What is left is"), (2, "not read."), (3, "Whether it fits."), (4, "As root, type so."), (5, "As it is.")]
        self.assertEqual(len(list(bare(Path("x"), text))), 3)

    def test_a_bare_beginning_is_found_behind_a_heading(self):
        with tempfile.NamedTemporaryFile("w", suffix=".md") as page:
            page.write("**What to do.** Type it.\n\n**What to do.** What is left.\n\n**What is left.** All of it.\n")
            page.flush()
            found = [text.split(":")[1] for text in bare(Path(page.name), prose(Path(page.name)))]
        self.assertEqual(found, ["3", "5"])

    def test_a_bare_beginning_is_found_in_javadoc(self):
        lines = ["/** What it is. */", "/**", " * A key.", " *", " * @param key Whether it fits", " * @return as there", " */", "// Of it.",
                 "/* A key.", " * Whoever has it. */", "call(); // Those."]
        self.assertEqual([number for number, text in of_javadoc(lines) if re.match(BARE, text)], [1, 5, 8, 10, 11])


def files(under: list[str], ending: str | tuple[str, ...]) -> list[Path]:
    names = subprocess.run(["git", "ls-files", *under], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [Path(name) for name in names.splitlines() if name.endswith(ending)]


def bare(path: Path, text: list[tuple[int, str]]):
    """Looks at the beginning of each paragraph and after each full stop; an empty text ends a paragraph."""
    before = ""
    for number, line in text:
        begins = not before.strip() or before.rstrip().endswith((".", "?", "!", ":"))
        if (begins and re.match(BARE, line)) or re.search(rf"[.?!] {BARE}", line):
            yield f"{path}:{number}: {line}"
        before = line


def prose(path: Path) -> list[tuple[int, str]]:
    """The lines of a page, without code and tables, which show what not to write."""
    is_code, found = False, []
    for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
        is_code ^= line.startswith("```")
        is_item = re.match(r"\s*(?:[-*] |\d+\. )", line)
        found += [(number, "")] if is_item else []
        skip = is_code or line.startswith(("```", "|", "#"))
        text = HEADING.sub("", line)
        found.append((number, "" if skip else re.sub(r"^\s*(?:[-*] |\d+\. )?\**", "", text)))
    return found


def comments(path: Path) -> list[tuple[int, str]]:
    """The comment of each line, empty for a line without one."""
    if path.suffix == ".py":
        return comments_of_python(path)
    pattern = PROSE if path.parent.name == "cmd" else next((c for ending, c in COMMENTS.items() if path.name.endswith(ending)), None)
    found = []
    for number, line in enumerate((ROOT / path).read_text().splitlines() if pattern else [], 1):
        comment = pattern.search(line) if pattern is not PROSE else pattern.match(line)
        found.append((number, "".join(filter(None, comment.groups())) if comment else ""))
    return found


def comments_of_python(path: Path) -> list[tuple[int, str]]:
    lines = (ROOT / path).read_text().splitlines()
    found = dict.fromkeys(range(1, len(lines) + 1), "")
    with open(ROOT / path, "rb") as file:
        found |= {token.start[0]: token.string.lstrip("# ") for token in tokenize.tokenize(file.readline) if token.type == tokenize.COMMENT}
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            text = node.body[0]
            found |= {number: lines[number - 1].strip(' "') for number in range(text.lineno, text.end_lineno + 1)}
    return sorted(found.items())


def javadoc(path: Path) -> list[tuple[int, str]]:
    return of_javadoc((ROOT / path).read_text().splitlines())


def of_javadoc(lines: list[str]) -> list[tuple[int, str]]:
    """Comments without their marks; a tag begins a sentence of its own, and examples in {@code} blocks count as text."""
    inside, found = False, []
    for number, line in enumerate(lines, 1):
        start = re.match(r"\s*/\*\*?", line)
        if inside or start:
            text = re.sub(r"\s*\*/.*$", "", line[start.end():] if start else re.sub(r"^\s*\*(?!/) ?", "", line))
            inside = "*/" not in line
        else:
            comment = re.search(r"(?:^\s*|[;{}]\s+)// ?(.*)", line)
            text = comment[1] if comment else ""
        tag = re.match(r"\s*@(?:param \S+|return|throws \S+) (.*)", text)
        found += [(number, "")] if tag else []
        found.append((number, re.sub(r"^\s*(?:<p>|<li>|<b>)*", "", tag[1] if tag else text)))
    return found


if __name__ == "__main__":
    unittest.main()
