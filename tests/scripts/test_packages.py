"""The crates that will be published say what they are, and their packages hold what a stranger needs to build them."""

import re
import subprocess
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


def public() -> dict[str, dict]:
    manifests = [tomllib.loads(path.read_text())["package"] for path in sorted(ROOT.glob("crates/*/Cargo.toml"))]
    found = {package["name"]: package for package in manifests if package.get("publish", True)}
    assert len(found) == 4, found.keys()
    return found


if __name__ == "__main__":
    unittest.main()
