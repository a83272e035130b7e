"""The product and the lab are separate: the product needs no library that the lab compares, and does not know the lab."""

import re
import subprocess
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# TLS, C++ and ciphers that the lab compares, and the crates that compile them.
COMPARED = ["aes-gcm-siv", "blowfish", "des", "ecb", "openssl", "openssl-src", "openssl-sys", "rc2", "rc4", "ring", "rustls",
            "rustls-webpki", "simdutf"]
# The product locks two of them, each within another crate: bcrypt, which OpenSSH's passphrases need, is made of Blowfish, and the
# ciphers of SSH have a DES that is not compiled.
WITHIN = {"blowfish": {"bcrypt-pbkdf"}, "des": {"ssh-cipher"}}
PRODUCT = ["crates", "java", "fuzz/src", "fuzz/Cargo.toml", "spec", "examples"]


class Houses(unittest.TestCase):
    def test_the_product_locks_no_compared_library(self):
        for lock in ["Cargo.lock", "fuzz/Cargo.lock"]:
            found = {name: dependents(lock, name) for name in COMPARED if name in locked(lock)}
            self.assertEqual(found, WITHIN, lock)

    def test_the_des_of_ssh_is_not_compiled(self):
        tree = ["cargo", "tree", "--locked", "--offline", "--workspace", "--edges", "normal", "--prefix", "none"]
        compiled = subprocess.run(tree, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
        names = {line.split()[0] for line in compiled if line}
        self.assertEqual(names & {"blowfish", "ssh-cipher", "des"}, {"blowfish", "ssh-cipher"})

    def test_the_lab_locks_each_of_them(self):
        """Otherwise no lock file would have a name above, and the test before would prove nothing."""
        self.assertEqual([name for name in COMPARED if name not in locked("lab/Cargo.lock")], [])

    def test_what_both_build_on_is_locked_in_the_same_version(self):
        """Shared crates are compiled once, and the lab measures what is shipped."""
        product, lab = locked("Cargo.lock"), locked("lab/Cargo.lock")
        shared = product.keys() & lab.keys()
        self.assertGreater(len(shared), 50)
        differ = {name: (product[name], lab[name]) for name in shared if not product[name] <= lab[name]}
        self.assertEqual(differ, {}, "hint: cargo update --manifest-path lab/Cargo.toml -p NAME --precise VERSION")

    def test_no_source_of_the_product_names_the_lab(self):
        files = tracked(PRODUCT)
        self.assertGreater(len(files), 300)
        self.assertEqual([found for path in files for found in lines_that_name_the_lab(path)], [])

    def test_the_core_of_the_lab_links_no_compared_library(self):
        """Libraries in Rust are engines like all others; the model uses RustCrypto alone, and the report says so."""
        core, engine = (dependencies(f"lab/{place}/Cargo.toml") for place in ["core", "engines/rust"])
        libraries = {"aws-lc-rs", "openssl", "openssl-sys", "ring", "rustls", "sealmark", "simdutf"}
        self.assertEqual(core & libraries, set())
        self.assertEqual(engine & libraries, libraries)

    def test_imports_have_one_style(self):
        """A `use` for each module, all in one block, as rustfmt's stable options cannot demand."""
        nested = re.compile(r"^ *(?:pub(?:\(\w+\))? )?use [^;]*\{[^;]*\{", re.MULTILINE)
        parted = re.compile(r"^( *)use [^;]*;\n\n\1use ", re.MULTILINE)
        self.assertTrue(nested.search("use std::{io, fmt::{self}};") and parted.search("use a::b;\n\nuse c;"))
        sources = {path: (ROOT / path).read_text() for path in tracked(["*.rs"])}
        self.assertGreater(len(sources), 400)
        self.assertEqual([path for path, text in sources.items() if nested.search(text) or parted.search(text)], [])

    def test_both_maven_builds_start_with_the_same_options(self):
        """Maven reads this file only beside the pom, and without it Error Prone ends javac with an IllegalAccessError."""
        options = [ROOT / house / ".mvn/jvm.config" for house in ["java", "lab"]]
        self.assertEqual(options[0].read_text(), options[1].read_text())

    def test_no_file_is_a_link(self):
        """Archives, patches and some file systems replace a link with its text."""
        listed = subprocess.run(["git", "ls-files", "-s"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        self.assertEqual([line for line in listed.splitlines() if line.startswith("120000")], [])


def locked(lock: str) -> dict[str, set[str]]:
    """The versions of each package."""
    versions = {}
    for package in tomllib.loads((ROOT / lock).read_text())["package"]:
        versions.setdefault(package["name"], set()).add(package["version"])
    return versions


def dependents(lock: str, name: str) -> set[str]:
    """The packages that depend on it."""
    packages = tomllib.loads((ROOT / lock).read_text())["package"]
    named = [(package["name"], [line.split()[0] for line in package.get("dependencies", [])]) for package in packages]
    return {package for package, needs in named if name in needs}


def dependencies(manifest: str) -> set[str]:
    """The dependencies that are linked, on any system."""
    whole = tomllib.loads((ROOT / manifest).read_text())
    tables = [whole, *whole.get("target", {}).values()]
    return {name for table in tables for name in table.get("dependencies", {})}


def tracked(paths: list[str]) -> list[Path]:
    """The text files under these paths that git knows."""
    names = subprocess.run(["git", "ls-files", "-z", "--", *paths], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    files = [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]
    return [path for path in files if b"\0" not in path.read_bytes()]


def lines_that_name_the_lab(path: Path) -> list[str]:
    lines = path.read_text(errors="replace").splitlines()
    return [f"{path.relative_to(ROOT)}:{number}" for number, line in enumerate(lines, 1)
            if re.search(r"\bsealmark[-_.]lab\b|\bthe lab\b|\blab/", line, re.IGNORECASE)]


if __name__ == "__main__":
    unittest.main()
