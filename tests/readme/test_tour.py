"""Types the commands of README.md and docs/, block by block as printed, into a shell in an empty directory for each page."""

import contextlib
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = ROOT / "target" / "debug"
# Pages whose commands are typed here, and the least number of their blocks. Class Logs types docs/logs.md; java_tour.py and
# lab_tour.py type the pages that need Java and the lab.
PAGES = {"README.md": 4, "docs/files.md": 10, "docs/keys.md": 5, "docs/backup.md": 8, "docs/rust.md": 1, "docs/tracing.md": 1}
ELSEWHERE = {"docs/logs.md", "docs/java.md", "docs/spring-boot.md", "docs/wss.md", "docs/spark.md",
             "docs/compare.md"}
# The commands are typed as in a checkout, but the page's files are in a directory of their own. Installing the debug build needs
# no second compilation. `make bench` would measure for minutes, so make only lists its commands.
CHECKOUT = """
cargo() {
    case $1 in
        install) (cd "$ROOT" && command cargo "$@" --quiet --debug --root "$HERE/installed") ;;
        *) local verb=$1; shift; command cargo "$verb" --quiet --manifest-path "$ROOT/Cargo.toml" "$@" ;;
    esac
}
make() { command make --dry-run --directory "$ROOT" "$@" > /dev/null; }
"""


def part(page: str, heading: str) -> str:
    return page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.typed = {page: typed(page) for page in PAGES}

    def test_every_command_works(self):
        for page, blocks in self.typed.items():
            self.assertGreaterEqual(len(blocks), PAGES[page], f"{page} lost its commands")
            for block, done in blocks.items():
                with self.subTest(page, block=block):
                    self.assertEqual(done.returncode, 0, f"\n{done.stdout}")

    def test_no_page_is_left_out(self):
        pages = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}
        self.assertEqual(pages - PAGES.keys() - ELSEWHERE, set())

    def test_each_page_starts_with_something_that_runs(self):
        for page in (PAGES.keys() | ELSEWHERE) - {"README.md", "docs/logs.md"}:
            before, block, _ = (ROOT / page).read_text().partition("```sh")
            self.assertTrue(block and before.count("\n") < 8, page)

    def printed(self, page: str) -> list[str]:
        return [done.stdout for done in self.typed[page].values()]

    def test_a_range_is_printed_as_the_text_says(self):
        self.assertIn("1\n2\n3\n4\n5\n6", self.printed("docs/files.md"), "no block printed the first eleven bytes")

    def test_a_sealed_value_is_opened_found_and_verified(self):
        line = '{"user":{"email":"hanako@example.com"},"path":"/login"}\n'
        self.assertRegex((ROOT / "README.md").read_text(), re.escape(line.strip()) + " +before\n")
        printed = next(out for out in self.printed("README.md") if line in out)
        self.assertEqual(printed.count(line), 2, "opened and found")
        self.assertIn("1 sealed value verified, in order", printed)

    def test_the_service_logs_no_address(self):
        self.assertRegex(self.printed("docs/tracing.md")[0], r"ip=192\.0\.2\.\d.*user\d@example\.org")

    def test_code_on_the_pages_is_code_that_is_compiled(self):
        """Each line of Java, XML and Rust on a page is in a file that other tests compile or run."""
        sources = {"java": ["java/**/*.java"], "xml": ["java/**/*.xml"], "rust": ["crates/**/*.rs"]}
        found = 0
        for page in ["README.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]:
            for language, code in re.findall(r"^```(java|xml|rust)\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S):
                found += 1
                if code.startswith("<configuration>"):
                    continue  # java_tour.py logs with it
                text = "\n".join(path.read_text() for pattern in sources[language] for path in sorted(ROOT.glob(pattern)))
                known = {plain(line) for line in text.splitlines()}
                missing = [line for line in code.splitlines() if line.strip() and plain(line) not in known]
                self.assertEqual(missing, [], page)
        self.assertGreater(found, 8)


def plain(line: str) -> str:
    """The line without indentation, the mark of a doctest, and an XML comment that names alternatives."""
    return re.sub(r"^(//! )?\s*|\s*<!-- or .*-->$", "", line.strip()).replace("0.1.0", "${project.version}")


class Short(unittest.TestCase):
    """README and ARCHITECTURE stay pages that a newcomer reads to the end."""

    LIMITS = {"README.md": (180, 1600), "ARCHITECTURE.md": (90, 1000)}

    def test_lines_and_words(self):
        for page, (lines, words) in self.LIMITS.items():
            text = (ROOT / page).read_text()
            self.assertLessEqual(text.count("\n"), lines, page)
            self.assertLessEqual(len(text.split()), words, page)
            self.assertEqual([line for line in text.splitlines() if len(line) > 120], [], page)

    def test_what_readers_come_for_stands_at_the_top(self):
        lines = (ROOT / "README.md").read_text().splitlines()
        self.assertGreaterEqual(sum("encrypt" in sentence for sentence in " ".join(lines[:8]).split(". ")), 3)
        self.assertTrue(any(line.startswith("sealmark encrypt") for line in lines[:30]))
        java = lines.index("```java")
        self.assertEqual(lines[java + 6], "```")
        self.assertLessEqual(java + 6, 70)
        self.assertIn("Sealed.of(", lines[java + 2])


class Logs(unittest.TestCase):
    """docs/logs.md: once there are keys, four commands of each section lead from nothing to the first opened line."""

    PAGE = (ROOT / "docs" / "logs.md").read_text()
    # The sealed log of a section, and the beginning of the original line, which the last command prints.
    OPENED = {
        "nginx": ("nginx.sealed", "203.0.113.9 - ann ["),
        "Apache httpd": ("apache.sealed", "203.0.113.9 - - ["),
        "A service that writes JSON": ("json.sealed", '{"user":{"email":"ann@example.org"}'),
        "docker": ("docker.sealed", '{"log":"{\\"email\\":\\"ann@example.org\\"'),
        "Kubernetes": ("pod.sealed", '2026-11-23T12:00:00.5Z stdout F {"email":"ann@example.org"'),
    }

    def test_four_commands_lead_to_an_opened_line(self):
        for heading, (name, line) in self.OPENED.items():
            with self.subTest(heading), self.directory_with_keys() as directory:
                (block,) = shell_blocks(part(self.PAGE, heading))
                self.assertLessEqual(len(block.splitlines()), 4)
                done = type_into_shell(block, directory)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertTrue(done.stdout.splitlines()[-1].startswith(line), done.stdout)
                sealed = (Path(directory) / name).read_text()
                self.assertIn("~s1a~", sealed)
                for secret in ("203.0.113.9", "ann@example.org", "t0p"):
                    self.assertNotIn(secret, sealed)

    def test_the_configuration_on_the_page_is_the_one_that_is_suggested(self):
        section = part(self.PAGE, "A service that writes JSON")
        suggested = re.search(r"```toml\n(.*?)```", section, re.DOTALL)[1]
        with self.directory_with_keys() as directory:
            type_into_shell(shell_blocks(section)[0], directory)
            written = "\n".join((Path(directory) / "json.toml").read_text().splitlines()[1:])
        self.assertEqual(written.strip(), re.sub(r" +#.*", "", suggested).strip())

    def test_readme_and_the_pages_can_be_typed_in_one_directory(self):
        with tempfile.TemporaryDirectory() as directory:
            for page in ("README.md", "docs/files.md", "docs/logs.md"):
                for block in shell_blocks((ROOT / page).read_text()):
                    if "sealmark " in block and not block.startswith(("cargo", "make")):
                        with self.subTest(page, block=block):
                            done = type_into_shell(block, directory)
                            self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_labels_on_the_pages_are_those_that_are_written(self):
        with self.directory_with_keys() as directory:
            block = 'echo \'{"user":{"email":"a"}}\' | sealmark log seal -R ops.pub --json user.email'
            (label,) = set(re.findall(r"~s1a~([^~]+)~", type_into_shell(block, directory).stdout))
        for page in ("README.md", "docs/logs.md"):
            shown = re.findall(r'"user":{"email":"~s1a~([^~]+)~', (ROOT / page).read_text())
            self.assertEqual(shown, [label], page)

    def test_a_log_that_was_read_is_verified(self):
        with self.directory_with_keys() as directory:
            for heading in ("Read it", "Verify it"):
                (block,) = shell_blocks(part(self.PAGE, heading))
                done = type_into_shell(block, directory)
                self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("4 sealed values verified, in order", done.stdout)

    def test_rules_are_tried_out_as_the_page_shows(self):
        section = part(self.PAGE, "Try it out")
        (block,) = shell_blocks(section)
        shown = re.search(r"```\n(rule .*?)```", section, re.DOTALL)[1]
        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(type_into_shell(block, directory).stdout, shown)

    def test_a_sealed_log_is_read_as_the_page_shows(self):
        section = part(self.PAGE, "Read it")
        (block,) = shell_blocks(section)
        shown = re.search(r"```\n(\d:.*?)```", section, re.DOTALL)[1]
        with self.directory_with_keys() as directory:
            printed = type_into_shell(block, directory).stdout
        self.assertEqual(printed[-len(shown) :], shown)

    def test_every_key_is_on_the_page(self):
        with tempfile.TemporaryDirectory() as directory:
            block = "echo 'no_such_key = 1' > bad.toml; sealmark log seal --config bad.toml < /dev/null || true"
            output = type_into_shell(block, directory).stdout
        known = re.search(r"the keys are ([\w, ]+);", output).group(1).split(", ")
        self.assertGreater(len(known), 20)
        for key in known:
            self.assertIn(f"`{key}", part(self.PAGE, "The configuration").replace("`[[within]]`", "`within`"), key)

    @contextlib.contextmanager
    def directory_with_keys(self):
        with tempfile.TemporaryDirectory() as directory:
            (keys,) = shell_blocks(part(self.PAGE, "Make the keys"))
            done = type_into_shell(keys, directory)
            self.assertEqual(done.returncode, 0, done.stdout)
            yield directory


class Presets(unittest.TestCase):
    """The tables of docs/logs.md have the presets, formats, fields and names of crates/sealmark-cli/src/log/config/preset.rs."""

    PAGE = part((ROOT / "docs" / "logs.md").read_text(), "Presets")

    @classmethod
    def setUpClass(cls):
        # A machine with only the installed program imports this module without the sources.
        cls.code = (ROOT / "crates/sealmark-cli/src/log/config/preset.rs").read_text()

    def test_each_preset_is_in_the_table(self):
        variants = re.search(r"pub enum Preset {(.*?)}", self.code, re.DOTALL)[1]
        known = {re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower() for name in re.findall(r"\w+", variants)}
        rows = re.findall(r"^\| ((?:`[\w-]+`(?:, )?)+) \|", self.PAGE, re.MULTILINE)
        self.assertGreater(len(known), 9)
        self.assertEqual({name for row in rows for name in re.findall(r"`([\w-]+)`", row)}, known)

    def test_the_fields_that_stay_in_the_clear_are_those_of_the_program(self):
        lists = re.findall(r"^const (\w+): &\[&str\] = &\[(.*?)\];", self.code, re.MULTILINE | re.DOTALL)
        self.assertEqual([name for name, _ in lists], ["ECS", "LOGSTASH", "GELF"])
        for name, kept in lists:
            shown = re.search(rf"^- `{name.lower()}`: (.*?)(?=^- |^$)", self.PAGE, re.MULTILINE | re.DOTALL)[1]
            self.assertEqual(re.findall(r"`([^`]+)`", shown), re.findall(r'"([^"]+)"', kept), name)

    def test_the_fields_of_servers_that_are_sealed_are_those_of_the_program(self):
        sealed = re.findall(r'"([^"]+)"', re.search(r"let seal = &\[(.*?)\]", self.code)[1])
        (row,) = [line for line in self.PAGE.splitlines() if line.startswith("| `nginx` |")]
        self.assertEqual(re.findall(r"`([\w-]+)`", row.split("|")[3]), sealed)


def typed(page: str) -> dict[str, subprocess.CompletedProcess]:
    with tempfile.TemporaryDirectory() as directory:
        return {block: type_into_shell(block, directory) for block in shell_blocks((ROOT / page).read_text())}


def shell_blocks(text: str) -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def type_into_shell(block: str, directory: str) -> subprocess.CompletedProcess:
    path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", CHECKOUT + block],
        cwd=directory,
        env={**os.environ, "PATH": path, "ROOT": str(ROOT), "HERE": directory},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )


if __name__ == "__main__":
    unittest.main()
