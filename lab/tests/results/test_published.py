"""Published results are what their rows give, tell nothing of who measured them, and cannot bring markup with them."""

import copy
import getpass
import gzip
import json
import re
import secrets
import socket
import subprocess
import sys
import unittest
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

from common import FIXED, LAB, ROOT, LabTest

SCRIPT = ROOT / "lab" / "scripts" / "results.py"
PLANS = ["log-tuning", "nkcryptotool", "peppol-gcm", "tls-2009"]
EMPTY = "# Results\n\n<!-- made by lab/scripts/results.py from the rows -->\n<!-- end of what is made -->\nBelow.\n"
# The programs of the tables in README and docs/files.md, with their engines.
PROGRAMS = {"sealmark": "sealmark-cli", "sealmark --age": "sealmark-cli --age", "cp": "cp", "age": "age", "rage": "rage"}
MARKUP = """</script></title></style><script>alert(1)</script>"'><img src=x onerror=alert(1)>|`""" \
    """[x](javascript:alert(1))\u001b[2J"""
HARMLESS = "harmless words"


class PublishedTest(LabTest):
    def setUp(self):
        super().setUp()
        self.results = self.directory / "results"
        self.results.mkdir()
        self.page = self.results / "README.md"
        self.page.write_text(EMPTY)

    def test_what_is_published_is_what_its_rows_give(self):
        done = results("check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^\d+ published runs are what their rows give\n$")

    def test_what_readme_and_docs_quote_is_published(self):
        published = ROOT / "lab" / "results" / "2026-11" / "amd-epyc-2-cores"
        answers = (published / "quick.txt").read_text()
        quoted = (ROOT / "docs" / "compare.md").read_text().split("\n```\n")[2].split("\n")
        self.assertGreater(len(quoted), 8)
        self.assertEqual([line for line in quoted if line not in answers], [])
        times = times_of(gzip.decompress((published / "files.jsonl.gz").read_bytes()).decode(), self.path("files.jsonl"))
        wanted = {program: times[engine] for program, engine in PROGRAMS.items()}
        for page, columns in [("README.md", (1, 2)), ("docs/files.md", (2, 4))]:
            rows = re.findall(r"^\| `([^`]+)`[^|]*\|(.* ms .*)\|$", (ROOT / page).read_text(), re.MULTILINE)
            self.assertEqual(len(rows), len(PROGRAMS), page)
            cells = {program: [cell.strip() for cell in rest.split("|")] for program, rest in rows}
            self.assertEqual({program: [row[at - 1] for at in columns] for program, row in cells.items()}, wanted, page)

    def test_a_packed_run_is_checked_byte_for_byte(self):
        self.packed(*PLANS)
        self.assertEqual(self.check(), (0, ""))
        run = self.results / "2026-11" / "box" / "tls-2009.jsonl.gz"
        for path in (run.with_name("tls-2009.html"), run.with_name("tls-2009.txt"), self.page):
            with self.subTest(path=path.name):
                before = path.read_bytes()
                path.write_bytes(before.replace(b"JDK", b"JVM", 1))
                self.refused("what (its|the) rows give\nhint: lab/scripts/results.py write")
                self.at_the_results("write")
                self.assertEqual(path.read_bytes(), before)
        rows = gzip.decompress(run.read_bytes())
        run.write_bytes(gzip.compress(rows.replace(b'"wall_ns":1', b'"wall_ns":2'), mtime=0))
        self.refused("is not what its rows give")

    def test_equal_rows_are_equal_files(self):
        self.packed("peppol-gcm")
        before = {path: path.read_bytes() for path in self.results.rglob("*") if path.is_file()}
        self.packed("peppol-gcm")
        self.assertEqual({path: path.read_bytes() for path in self.results.rglob("*") if path.is_file()}, before)

    def test_a_page_is_small(self):
        rows = rows_of("tls-2009")
        rows[1:1] = [{"row": "note", "job": "tls-connect", "size": 1, "note": secrets.token_hex(2_000)} for _ in range(400)]
        self.assertRegex(self.run_pack(rows, "box").stderr, "tls-2009.jsonl.gz\" has [0-9,]+ bytes, at most 1,000,000 are published\nhint: ")

    def test_figures_need_their_causes(self):
        self.packed("tls-2009")
        text = self.results / "2026-11" / "README.md"
        text.write_text(text.read_text().replace("**Why.**", "**Because.**"))
        self.refused('says nothing of tls-2009 under "Why"\nhint: it needs a section "## tls-2009"')

    def test_nothing_else_is_published(self):
        self.packed("tls-2009")
        for name, link in [("2026-11/box/more.txt", None), ("2026-11/box/other.html", "/etc/passwd"), ("notes.md", None)]:
            with self.subTest(name=name):
                path = self.results / name
                path.symlink_to(link) if link else path.write_text("")
                self.refused("is no part of the results\nhint: remove it")
                path.unlink()
        for name in ["2026-13/box/tls-2009", "2026-11/Box!/tls-2009", "2026-11/box/cipher", "2026-11/" + "x" * 61 + "/tls-2009"]:
            with self.subTest(name=name):
                path = self.results / f"{name}.jsonl.gz"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(b"")
                self.refused("is not named MONTH/MACHINE/PLAN.jsonl.gz")
                path.unlink()

    def test_machines_stand_beside_each_other(self):
        self.packed("tls-2009")
        self.packed("tls-2009", machine="other-box")
        page = self.page.read_text()
        self.assertIn("| conclusion | box, 2026-11 | other-box, 2026-11 |", page)
        self.assertEqual(len(re.findall(r"^\| (?:other-)?box \| 2026-11-21 \|", page, re.MULTILINE)), 2)
        self.assertTrue(page.startswith("# Results\n") and page.endswith("\nBelow.\n"))

    def test_a_machine_that_is_not_named_is_called_by_its_cpu(self):
        self.pack(rows_of("tls-2009"))
        self.assertEqual([path.name for path in (self.results / "2026-11").iterdir() if path.is_dir()], ["example-2-cores"])
        done = self.run_pack(rows_of("tls-2009"), machine="../../x")
        self.assertIn('"../../x" is not the name of a machine\nhint: small letters', done.stderr)

    def test_no_host_user_or_path_is_published(self):
        private = [socket.gethostname(), f"/home/{getpass.getuser()}", str(ROOT), "/home/jane/My Files/x.jsonl", "/root",
                   "C:\\Users\\jane", "jane@example.org"]
        planted = " ".join([*private[:3], f'"{private[3]}"', *private[4:]])
        rows = rows_of("tls-2009")
        rows[1:1] = [{"row": "note", "job": "tls-connect", "size": 1, "note": planted}]
        for row in rows:
            for key in {"command", "why", "code", "version", "about", "cpu"} & row.keys():
                row[key] += f" {planted}"
        self.pack(rows)
        self.explain("tls-2009")
        written = {path: path.read_bytes() for path in self.results.rglob("*") if path.is_file()}
        run = next(path for path in written if path.suffix == ".gz")
        written[run] = gzip.decompress(written[run])
        self.assertGreater(written[run].count("…".encode()), 5)
        for path, content in written.items():
            for secret in [*private, "jane", "My Files"]:
                self.assertNotRegex(content.decode(), rf"(?<!\w){re.escape(secret)}(?!\w)", path.name)
        self.assertEqual(self.check(), (0, ""))
        # A file packed by hand is refused.
        run.write_bytes(gzip.compress(written[run].replace(b'"Example CPU', b'"/opt/jane/cpu Example CPU', 1)))
        self.refused('has a path or an address in "cpu"')

    def test_nobody_can_write_markup_into_what_is_published(self):
        """Into each member that is text, one by one: the lab refuses the rows, or shows the text as text. Then all at once."""
        plain = rows_of("tls-2009", 12)
        fields = sorted({(row["row"], path) for row in plain for path in texts(row)})
        self.assertGreater(len(fields), 20)
        shown = []
        for kind, path in fields:
            with self.subTest(row=kind, member=".".join(path)):
                harmless, hostile = (self.page_of(with_text(plain, [(kind, path)], text)) for text in (HARMLESS, MARKUP))
                self.assertEqual(hostile, harmless)
                shown += [(kind, path)] if hostile is not None else []
        self.assertGreater(len(shown), 10)
        for named in ("plan", "started"):
            shown.remove(("header", (named,)))
        self.pack(with_text(plain, shown, MARKUP), "box")
        self.explain("tls-2009")
        text, page = next(self.results.rglob("*.txt")).read_text(), self.page.read_text()
        self.assertIn("script", text)
        self.assertNotRegex(text + page, "[\x00-\x09\x0b-\x1f]")
        self.assertIn("?script?alert", page)
        self.assertNotRegex(page, r"<(?!!--)|\[x\]|\]\(javascript")
        self.assertEqual(self.check(), (0, ""))

    def page_of(self, rows: list):
        """The elements of the page of rows; none if the lab refuses the rows, in its own words."""
        file, page = self.file("run.jsonl", lines(rows)), self.path("run.html")
        done = subprocess.run([LAB, "report", file, "-o", page], capture_output=True, text=True)
        if done.returncode != 0:
            self.assertRegex(done.stderr, "^error: ")
            return None
        return elements(page.read_text())

    def packed(self, *plans: str, machine: str = "box"):
        for plan in plans:
            self.pack(rows_of(plan), machine)
        self.explain(*plans)

    def explain(self, *plans: str):
        headings = ["Asked", "Found", "Why", "What to do", "What would change it"]
        sections = (f"\n## {plan}\n" + "".join(f"\n**{heading}.** It.\n" for heading in headings) for plan in plans)
        (self.results / "2026-11" / "README.md").write_text("# November\n" + "".join(sections))

    def pack(self, rows: list, machine: str = ""):
        done = self.run_pack(rows, machine)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def run_pack(self, rows: list, machine: str = ""):
        file = self.file("run.jsonl", lines(rows))
        return results("pack", "--results", self.results, *(["--machine", machine] if machine else []), file)

    def at_the_results(self, verb: str):
        return results(verb, "--results", self.results)

    def check(self) -> tuple:
        done = self.at_the_results("check")
        return done.returncode, done.stderr

    def refused(self, why: str):
        status, told = self.check()
        self.assertEqual(status, 1, told)
        self.assertRegex(told, why)


def times_of(rows: str, file: Path) -> dict:
    """How long each program takes to seal and to open 256 MiB, under the kind of key that the pages quote."""
    file.write_text(rows)
    done = subprocess.run([LAB, "table", "--json", file], capture_output=True, text=True, check=True)
    times = {}
    for chapter in json.loads(done.stdout)["document"]["chapters"]:
        for section in chapter["sections"]:
            if section["id"].startswith("ratios-file-268435456-"):
                table = section["tables"][0]
                at = [column["key"] for column in table["columns"]].index("time_ns")
                for row in table["rows"]:
                    engine, key = row["line"]["engine"], row["line"]["parameters"]["algorithm"]
                    if key == "MLKEM768-X25519" or engine in ("cp", "rage"):
                        times.setdefault(engine, []).append(row["figures"][at]["told"])
    return times


def results(verb: str, *words) -> subprocess.CompletedProcess:
    command = [sys.executable, SCRIPT, verb, "--lab", LAB, *words]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)


def rows_of(plan: str, most: int | None = None) -> list:
    """The rows of a run; the first ones of each kind if `most` is given."""
    count = Counter()
    rows = []
    for row in map(json.loads, Path(FIXED, "golden", f"{plan}.jsonl").read_text().splitlines()):
        count[row["row"]] += 1
        if most is None or count[row["row"]] <= most:
            rows.append(row)
    return rows


def lines(rows: list) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def with_text(plain: list, fields: list, text: str) -> list:
    """The rows with such a text in these members of rows of these kinds."""
    rows = copy.deepcopy(plain)
    for row in rows:
        for kind, path in fields:
            if row["row"] == kind and path in texts(row):
                put(row, path, text)
    return rows


def texts(value, path: tuple = ()) -> set:
    """The paths to all members that are text, but for what tells the kind of a row."""
    if isinstance(value, dict):
        return set().union(*(texts(member, (*path, name)) for name, member in value.items() if name != "row"))
    return {path} if isinstance(value, str) else set()


def put(value: dict, path: tuple, text: str):
    *above, last = path
    for name in above:
        value = value[name]
    value[last] = text


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.count = Counter()

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "img", "svg", "style", "title", "table", "a", "iframe"):
            self.count[tag] += 1
        self.count.update(f"@{name}" for name, _ in attrs if name.startswith("on") or name in ("src", "style"))
        self.count.update("strange href" for name, value in attrs if name == "href" and not value.startswith("#"))


def elements(page: str) -> Counter:
    parser = Elements()
    parser.feed(page)
    return parser.count


if __name__ == "__main__":
    unittest.main()
