#!/usr/bin/env python3
"""Published results: lab/results/MONTH/MACHINE/PLAN.jsonl.gz has the rows of a run; what stands beside it is made from them.

usage: lab/scripts/results.py measure [--machine NAME] [--budget TIME] [--full] [PLAN]...
           measures plans (all that repeat a publication, if none is named) and packs each: `make tables`; quick and files,
           which README quotes, are packed if they are named
       lab/scripts/results.py pack [--machine NAME] FILE...      packs what `sealmark-lab measure` left behind
       lab/scripts/results.py write      makes pages, texts and tables again, after a change of the lab
       lab/scripts/results.py check      fails where they are not what the rows give: `make results-check`

Rows of others are hostile input: their size is bounded, names of files and machines are of a few letters, the lab escapes
what it shows, and the tables here have no letter that Markdown or HTML could take for markup.
"""

import argparse
import getpass
import gzip
import json
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PLANS = ["log-tuning", "peppol-gcm", "tls-2009", "nkcryptotool"]
# README and docs/ quote these.
QUOTED = ["quick", "files"]
PUBLISHED = [*PLANS, *QUOTED]
# Nobody should use the suites of 2009, so that the lab wants to hear it said.
OPTIONS = {"tls-2009": ["--legacy"]}
MONTH = re.compile(r"20\d\d-(0[1-9]|1[0-2])")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_NAME = 60
# The lab reads no more either.
LARGEST = 512 << 20
# A page is to open on a phone.
LARGEST_PAGE = 1_000_000
BEGIN, END = "<!-- made by lab/scripts/results.py from the rows -->\n", "<!-- end of what is made -->\n"
HEADINGS = ["Asked", "Found", "Why", "What to do", "What would change it"]

# Paths within quotes may have spaces. Others begin where no name goes on, so that AES/GCM/NoPadding is none.
QUOTED_PATH = re.compile(r"""(?<=["'`])/[^"'`\n]+(?=["'`])""")
PATH = re.compile(r"(?<![\w.…/~-])(?:~|[A-Za-z]:)?(?:[/\\][\w.+@~-]+){2,}|(?<![\w.…/~-])/(?:root|home|Users)\b")
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+")
# Names that the kernel gives are the same on each machine.
OF_THE_KERNEL = ("/proc/", "/sys/", "/dev/")
# Text that a person or a library wrote. In other members a name of the machine could be an engine's as well.
FREE = {"about", "code", "command", "commit", "cpu", "filesystem", "note", "system", "version", "why"}


class Wrong(Exception):
    """The fault as the user reads it, and the next step."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=["measure", "pack", "write", "check"])
    parser.add_argument("names", nargs="*", metavar="PLAN or FILE")
    parser.add_argument("--machine", metavar="NAME", help="small letters, digits, dashes [default: from the CPU's name]")
    parser.add_argument("--budget", default="10m", help="of each plan")
    parser.add_argument("--full", action="store_true", help="what takes hours, too, without a budget")
    parser.add_argument("--lab", type=Path, default=ROOT / "target/release/sealmark-lab", help=argparse.SUPPRESS)
    parser.add_argument("--results", type=Path, default=ROOT / "lab/results", help=argparse.SUPPRESS)
    asked = parser.parse_intermixed_args()
    results = Results(asked.results, asked.lab)
    try:
        if asked.verb == "measure":
            for plan in asked.names or PLANS:
                print("packed as", results.pack(measure(plan, asked), asked.machine))
        elif asked.verb == "pack":
            for name in asked.names:
                print("packed as", results.pack(Path(name), asked.machine))
        elif asked.verb == "write":
            results.write()
        else:
            print(f"{results.check()} published runs are what their rows give")
    except Wrong as wrong:
        sys.exit(f"error: {wrong}")


def measure(plan: str, asked) -> Path:
    """The rows are kept, packed or not."""
    kept = ROOT / "target/lab/tables"
    kept.mkdir(parents=True, exist_ok=True)
    number = sum(1 for _ in kept.glob(f"{plan}-*.jsonl")) + 1
    out = (kept / f"{plan}-{number}.jsonl").relative_to(ROOT)
    time = ["--full"] if asked.full else ["--budget", asked.budget]
    command = [asked.lab, "measure", plan, *time, *OPTIONS.get(plan, []), "--out", out]
    if subprocess.run(command, cwd=ROOT).returncode != 0:
        raise Wrong(f'the run of "{plan}" did not end well; its rows are in "{out}"\n'
                    "hint: fix what it said, and measure it again")
    return ROOT / out


class Results:
    """The directory, and the lab that renders it."""

    def __init__(self, place: Path, lab: Path):
        self.place, self.lab = place, lab

    def pack(self, file: Path, machine: str | None) -> Path:
        """Cleans and compresses the rows of a run, and makes what stands beside them."""
        rows = "".join(f"{cleaned(line)}\n" for line in file.read_bytes().split(b"\n") if line).encode()
        header = self.document(rows)["header"]
        name = machine or name_of(header["machine"])
        if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
            raise Wrong(f'"{name}" is not the name of a machine\nhint: small letters, digits and dashes, as in epyc-2-cores')
        month = header["started"][:7]
        if header["plan"] not in PUBLISHED or not MONTH.fullmatch(month):
            raise Wrong(f'"{file}" is of plan "{told(header["plan"])}", begun in "{told(month)}"\n'
                        f"hint: published are {', '.join(PUBLISHED)}")
        run = self.place / month / name / f"{header['plan']}.jsonl.gz"
        made = self.render(run, rows)
        run.parent.mkdir(parents=True, exist_ok=True)
        # Without a time, so that equal rows are equal files.
        run.write_bytes(gzip.compress(rows, mtime=0))
        for path, content in made.items():
            path.write_bytes(content)
        self.write_tables()
        return run

    def write(self) -> None:
        for run in self.runs():
            for path, content in self.render(run, read(run)).items():
                path.write_bytes(content)
        self.write_tables()

    def check(self) -> int:
        """How many runs there are, all of them as they should be."""
        runs = self.runs()
        for run in runs:
            rows = read(run)
            must_be_clean(rows.decode(), run)
            for path, content in self.render(run, rows).items():
                if not path.is_file() or path.read_bytes() != content:
                    raise Wrong(f'"{path}" is not what its rows give\nhint: lab/scripts/results.py write')
        self.must_hold_nothing_else(runs)
        page = self.place / "README.md"
        if page.exists() and page.read_text() != self.with_tables(page.read_text()):
            raise Wrong(f'the tables of "{page}" are not what the rows give\nhint: lab/scripts/results.py write')
        for month in sorted({run.parent.parent for run in runs}):
            must_be_explained(month, sorted({plan_of(run) for run in runs if run.parent.parent == month}))
        return len(runs)

    def runs(self) -> list[Path]:
        """Oldest first."""
        runs = sorted(self.place.glob("*/*/*.jsonl.gz"))
        for run in runs:
            must_be_run(run, self.place)
        return runs

    def must_hold_nothing_else(self, runs: list[Path]) -> None:
        known = {self.place / "README.md"}
        for run in runs:
            known |= {run, *beside(run), run.parent.parent / "README.md"}
        for path in self.place.rglob("*"):
            if path.is_symlink() or not path.is_dir() and path not in known:
                raise Wrong(f'"{path}" is no part of the results\nhint: remove it')

    def render(self, run: Path, rows: bytes) -> dict[Path, bytes]:
        """The files beside the rows, by path."""
        page, text = beside(run)
        with tempfile.TemporaryDirectory(prefix="sealmark-results-") as scratch:
            file = Path(scratch, f"{plan_of(run)}.jsonl")
            file.write_bytes(rows)
            self.run_lab("report", file, "-o", file.with_suffix(".html"))
            # A terminal would obey the control characters of others.
            said = re.sub(r"(?!\n)[\x00-\x1f\x7f-\x9f]", "?", self.run_lab("table", file).decode())
            content = file.with_suffix(".html").read_bytes()
            if len(content) > LARGEST_PAGE:
                raise Wrong(f'the page of "{run}" has {len(content):,} bytes, at most {LARGEST_PAGE:,} are published\n'
                            "hint: leave lines of the plan out, or rows of the page (lab/core/src/page)")
            return {page: content, text: said.encode()}

    def run_lab(self, *words) -> bytes:
        done = subprocess.run([self.lab, *words], capture_output=True)
        if done.returncode != 0:
            raise Wrong(f"the lab refuses the rows: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout

    def write_tables(self) -> None:
        page = self.place / "README.md"
        if page.exists():
            page.write_text(self.with_tables(page.read_text()))

    def with_tables(self, page: str) -> str:
        before, _, rest = page.partition(BEGIN)
        _, ended, after = rest.partition(END)
        if not ended:
            raise Wrong(f'"{self.place / "README.md"}" has no place for tables\nhint: put these lines into it: {BEGIN}{END}')
        return before + BEGIN + self.tables() + END + after

    def tables(self) -> str:
        """The machines that measured, and the fate of each conclusion on each of them."""
        documents = [(run, self.document(read(run))) for run in self.runs()]
        if not documents:
            return "\nNothing is published yet.\n\n"
        text = "\n" + table(["machine", "measured", "CPU", "cores", "memory", "system", "other work", "run"],
                            [machine_row(run, document, self.place) for run, document in documents])
        for plan in PLANS:
            of_plan = [(run, document) for run, document in documents if plan_of(run) == plan]
            if of_plan:
                text += f"\n### {plan}\n\n" + conclusions(of_plan)
        return text + "\n"

    def document(self, rows: bytes) -> dict:
        with tempfile.TemporaryDirectory(prefix="sealmark-results-") as scratch:
            file = Path(scratch, "run.jsonl")
            file.write_bytes(rows)
            return json.loads(self.run_lab("table", "--json", file))


def machine_row(run: Path, document: dict, place: Path) -> list[str]:
    header = document["header"]
    machine = header["machine"]
    memory = machine.get("memory_bytes")
    others = next((row.get("others_permille") for row in map(json.loads, reversed(read(run).splitlines()))
                   if row.get("row") == "end"), None)
    page, text = (path.relative_to(place) for path in beside(run))
    return [run.parent.name, told(header["started"][:10]), told(machine["cpu"]), told(machine["cores"]),
            f"{memory / (1 << 30):.0f} GiB" if memory else "", told(machine["system"]),
            "" if others is None else f"{others / 10:.1f} %", f"{plan_of(run)}: [page]({page}), [text]({text})"]


def conclusions(runs: list) -> str:
    """A line for each conclusion, a column for each machine."""
    places: dict[str, dict[str, str]] = {}
    for run, document in runs:
        chapters = (chapter for chapter in document["document"]["chapters"] if chapter["id"] == "then")
        for section in next(chapters, {"sections": []})["sections"]:
            if not section["id"].startswith("conclusion-"):
                continue
            # "JDK 17.0.15: ✓ confirmed: why", below "1. what was concluded".
            held = [sentence["text"].split(": ", 2)[:2] for sentence in section["sentences"]]
            fates = [(place, fate.split()[-1]) for place, fate in held]
            fates = [f"{fate} ({place})" if len(held) > 1 else fate for place, fate in fates]
            sentence = section["title"].partition(". ")[2]
            places.setdefault(told(sentence), {})[column(run)] = told(", ".join(fates))
    columns = [column(run) for run, _ in runs]
    return table(["conclusion", *columns],
                 [[sentence, *(fates.get(name, "") for name in columns)] for sentence, fates in places.items()])


def column(run: Path) -> str:
    return f"{run.parent.name}, {run.parent.parent.name}"


def table(head: list[str], rows: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [head, ["---"] * len(head), *rows])


def told(text) -> str:
    """Without anything that Markdown or HTML could take for markup."""
    return re.sub(r"[^\w .,:;+()/%×–'-]|(?<!\w)_|_(?!\w)|://|www\.", "?", str(text))[:300]


def beside(run: Path) -> tuple[Path, Path]:
    """The page and the text of a run."""
    stem = run.name.removesuffix(".jsonl.gz")
    return run.with_name(f"{stem}.html"), run.with_name(f"{stem}.txt")


def plan_of(run: Path) -> str:
    return run.name.removesuffix(".jsonl.gz")


def must_be_run(run: Path, place: Path) -> None:
    month, machine, _ = run.relative_to(place).parts
    if not MONTH.fullmatch(month) or not NAME.fullmatch(machine) or len(machine) > LONGEST_NAME or plan_of(run) not in PUBLISHED:
        raise Wrong(f'"{run}" is not named MONTH/MACHINE/PLAN.jsonl.gz, where PLAN is one of {", ".join(PUBLISHED)}')


def must_be_explained(month: Path, plans: list[str]) -> None:
    """Figures without their causes are worth little: a person writes them down."""
    page = month / "README.md"
    text = page.read_text() if page.is_file() else ""
    for plan in plans:
        _, _, section = text.partition(f"\n## {plan}\n")
        section = section.partition("\n## ")[0]
        for heading in HEADINGS:
            if f"\n**{heading}.** " not in section:
                raise Wrong(f'"{page}" says nothing of {plan} under "{heading}"\n'
                            f'hint: it needs a section "## {plan}" with paragraphs that begin with '
                            + ", ".join(f"**{heading}.**" for heading in HEADINGS))


def read(run: Path) -> bytes:
    """The rows; a few bytes could be packed so that they fill the memory."""
    try:
        with gzip.open(run) as file:
            rows = file.read(LARGEST + 1)
    except (OSError, EOFError, ValueError) as error:
        raise Wrong(f'"{run}" cannot be read: {error}') from error
    if len(rows) > LARGEST:
        raise Wrong(f'"{run}" is larger than 512 MiB')
    return rows


def name_of(machine: dict) -> str:
    """From what the machine says of itself: amd-epyc-2-cores."""
    words = re.sub(r"\(.*?\)|\b(CPU|Processor|with|\d+-Core)\b.*|@.*", " ", str(machine["cpu"]))
    return "-".join(re.findall(r"[a-z0-9]+", f"{words} {machine['cores']} cores".lower()))[:LONGEST_NAME].strip("-")


def cleaned(line: bytes) -> str:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise Wrong(f"a row is not JSON: {error}") from error
    host = socket.gethostname()
    names = [name for name in {host, host.partition(".")[0], getpass.getuser()} if len(name) > 1]
    return json.dumps(in_texts(row, "", lambda text, key: clean(text, names if key in FREE else [])), ensure_ascii=False,
                      separators=(",", ":"))


def in_texts(value, key: str, change):
    """A value whose texts are changed, wherever they stand."""
    if isinstance(value, dict):
        return {name: in_texts(member, name, change) for name, member in value.items()}
    if isinstance(value, list):
        return [in_texts(member, key, change) for member in value]
    return change(value, key) if isinstance(value, str) else value


def clean(text: str, names: list[str]) -> str:
    for pattern in (QUOTED_PATH, PATH):
        text = pattern.sub(lambda found: last_part(found[0]), text)
    text = ADDRESS.sub("…", text)
    for name in names:
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "…", text)
    return text


def last_part(path: str) -> str:
    """The last part of a home directory is a name, too."""
    if path.startswith(OF_THE_KERNEL):
        return path
    *above, last = re.split(r"[/\\]", path)
    return "…" if len(above) <= 1 or above[-1] in ("home", "Users") else f"…/{last}"


def must_be_clean(rows: str, run: Path) -> None:
    def look(text: str, key: str) -> str:
        if clean(text, []) != text:
            raise Wrong(f'"{run}" has a path or an address in "{key}": {told(text)}\nhint: lab/scripts/results.py pack')
        return text

    for line in rows.splitlines():
        try:
            in_texts(json.loads(line), "", look)
        except ValueError as error:
            raise Wrong(f'"{run}" has a row that is not JSON: {error}') from error


if __name__ == "__main__":
    main()
