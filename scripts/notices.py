"""Prints the licence texts of all crates that are linked into a program or library of ours, as their licences require of binaries.

usage: scripts/notices.py PACKAGE TARGET...      (for instance sealmark-cli x86_64-unknown-linux-gnu)
"""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE")


def main() -> int:
    package, *targets = sys.argv[1:]
    packages = linked(package, targets)
    print(f"Sealmark links {len(packages)} libraries. Their licences:\n")
    # Many crates share a text, which is printed once.
    texts = defaultdict(list)
    for package in packages:
        name = f"{package['name']} {package['version']}"
        print(f"{name:40} {package['license']}")
        files = licence_files(Path(package["manifest_path"]).parent)
        for file in files:
            texts[file.read_text(encoding="utf-8", errors="replace").strip()].append(name)
        if not files:
            print(f"{'':40} by {', '.join(package['authors']) or 'its authors'}; the crate has no file with the text")
    for text, names in texts.items():
        print("\n" + "=" * 100, *names, "", text, sep="\n")
    return 0 if packages else 1


def linked(package: str, targets: list[str]) -> list[dict]:
    """The metadata of each crate that is linked for one of the targets, except our own."""
    tree = cargo("tree", "--package", package, *(f"--target={target}" for target in targets), "--edges", "normal", "--prefix", "none",
                 "--format", "{p}")
    names = {tuple(line.split(" ")[:2]) for line in tree.splitlines() if line}
    packages = json.loads(cargo("metadata", "--format-version", "1", *(f"--filter-platform={target}" for target in targets)))["packages"]
    packages = [p for p in packages if p["source"] and (p["name"], "v" + p["version"]) in names]
    return sorted(packages, key=lambda package: (package["name"], package["version"]))


def licence_files(package: Path) -> list[Path]:
    return sorted(path for path in package.iterdir() if path.is_file() and path.name.upper().startswith(FILES))


def cargo(command: str, *arguments: str) -> str:
    return subprocess.run(["cargo", command, "--locked", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
