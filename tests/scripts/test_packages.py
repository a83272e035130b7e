"""The crates that will be published describe themselves, and their packages have all that a stranger needs to build them."""

import re
import shutil
import subprocess
import tempfile
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class Packages(unittest.TestCase):
    def test_each_crate_describes_itself(self):
        for name, package in public().items():
            with self.subTest(name):
                self.assertRegex(package["description"], r"^[A-Z].{20,120}[^.]$")
                self.assertLessEqual(len(package["keywords"]), 5)
                self.assertTrue(all(re.fullmatch(r"[a-z][a-z0-9_-]{0,19}", word) for word in package["keywords"]))
                self.assertTrue(package["categories"])
                self.assertTrue((ROOT / "crates" / name / package["readme"]).read_text().startswith(f"# {name}\n"))

    def test_each_package_has_its_sources_tests_examples_and_readme(self):
        for name in public():
            with self.subTest(name):
                folder = ROOT / "crates" / name
                wanted = {str(path.relative_to(folder)) for place in ["src", "tests", "examples"] for path in (folder / place).rglob("*.rs")}
                listed = subprocess.run(["cargo", "package", "--locked", "--allow-dirty", "--list", "-p", name], cwd=ROOT,
                                        check=True, capture_output=True, text=True).stdout.split()
                self.assertEqual(wanted - set(listed), set())
                self.assertIn("README.md", listed)


class Owner(unittest.TestCase):
    def test_every_name_of_the_owner_is_one_that_publishing_replaces(self):
        with tempfile.TemporaryDirectory() as folder:
            for pom in tracked("java/**/pom.xml", "java/pom.xml"):
                copy = Path(folder) / pom
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / pom, copy)
            script = """
                source <(sed '/^main /d; /^cd /d' scripts/maven.sh)
                maven_group=org.example.seal forge_url=https://git.example/seal contact='Ann Example <ann@example.org>'
                owned "$1"
            """
            subprocess.run(["bash", "-euc", script, "bash", folder], cwd=ROOT, check=True)
            texts = {path: path.read_text() for path in Path(folder).rglob("pom.xml")}
        self.assertGreater(len(texts), 8)
        for path, text in texts.items():
            for placeholder in [".invalid", "Sealmark maintainers", "<groupId>sealmark</groupId>"]:
                self.assertNotIn(placeholder, text, path)
        parent = texts[Path(folder) / "java/pom.xml"]
        for element in ["groupId>org.example.seal<", "url>https://git.example/seal<", "email>ann@example.org<", "name>Ann Example<",
                        "connection>scm:git:https://git.example/seal.git<"]:
            self.assertIn(f"<{element}/", parent)

    def test_pages_name_the_group_of_the_owner(self):
        group = re.search(r"maven_group='(.*)'", (ROOT / "scripts/owner.sh").read_text())[1]
        self.assertEqual(set(groups((ROOT / "docs").glob("*.md"))), {group}, "run scripts/owner.sh")

    def test_pages_get_the_group_of_the_owner(self):
        with tempfile.TemporaryDirectory() as folder:
            pages = [shutil.copy(page, folder) for page in sorted((ROOT / "docs").glob("*.md"))]
            before = {page: Path(page).read_text() for page in pages}
            for group in ["org.example.seal", "com.example"]:
                script = f'source scripts/owner.sh; maven_group={group}; pages "$@"'
                subprocess.run(["bash", "-euc", script, "bash", *pages], cwd=ROOT, check=True)
                found = groups(map(Path, pages))
                self.assertGreater(len(found), 2)
                self.assertEqual(set(found), {group})
            changed = [page for page in pages for line in difference(before[page], Path(page).read_text()) if "com.example" not in line]
        self.assertEqual(changed, [], "a line without a group was changed")

    def test_every_module_is_published(self):
        script = "source <(sed '/^main /d; /^cd /d' scripts/maven.sh); echo ${modules[*]}"
        listed = subprocess.run(["bash", "-euc", script], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
        self.assertEqual(sorted(listed), sorted(path.split("/")[1] for path in tracked(":(glob)java/*/pom.xml")))

    def test_the_placeholders_are_those_of_one_file(self):
        owner = (ROOT / "scripts/owner.sh").read_text()
        used = {found for path in tracked("java/**/pom.xml", "java/pom.xml", "scripts/maven.sh")
                for found in re.findall(r"[\w/:@.-]*\.invalid(?:/\w+)*", (ROOT / path).read_text())}
        self.assertGreater(len(used), 1)
        self.assertEqual([name for name in used if name.removeprefix("scm:git:") not in owner], [])


def groups(pages) -> list[str]:
    text = "".join(page.read_text() for page in pages)
    return re.findall(r"<groupId>(.*)</groupId>\s*<artifactId>sealmark-", text) + re.findall(r'implementation\("(.*?):sealmark-', text)


def difference(before: str, after: str) -> list[str]:
    return [new for old, new in zip(before.splitlines(), after.splitlines(), strict=True) if old != new]


def tracked(*patterns: str) -> list[str]:
    return subprocess.run(["git", "ls-files", "--", *patterns], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()


def public() -> dict[str, dict]:
    manifests = [tomllib.loads(path.read_text())["package"] for path in sorted(ROOT.glob("crates/*/Cargo.toml"))]
    found = {package["name"]: package for package in manifests if package.get("publish", True)}
    assert len(found) == 4, found.keys()
    return found


if __name__ == "__main__":
    unittest.main()
