"""Checks that every crate we build on has a licence that deny.toml allows.

`cargo deny check licenses` says the same, but takes minutes to compile; this takes none, so `make test` can ask it.
"""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    allowed = set(tomllib.loads((ROOT / "deny.toml").read_text())["licenses"]["allow"])
    packages = dependencies()
    refused = [package for package in packages if not acceptable(package["license"] or "", allowed)]
    for package in refused:
        print(f"error: {package['name']} {package['version']} is under `{package['license']}`")
    if refused:
        print("hint: replace the crate, or allow its licence in deny.toml and say why")
    print(f"{len(packages)} crates, {len(refused)} with a licence that deny.toml does not allow")
    return 1 if refused or not packages else 0


def dependencies() -> list[dict]:
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    metadata = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    return json.loads(metadata)["packages"]


def acceptable(expression: str, allowed: set[str]) -> bool:
    """Reads an SPDX expression, where AND binds tighter than OR; `A/B` is how old manifests wrote `A OR B`."""
    tokens = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))
    tokens = re.sub(r" WITH ", "-WITH-", " ".join(tokens)).split()
    accepted = alternatives(tokens, allowed)
    return accepted and not tokens


def alternatives(tokens: list[str], allowed: set[str]) -> bool:
    accepted = requirements(tokens, allowed)
    while tokens and tokens[0] == "OR":
        tokens.pop(0)
        accepted |= requirements(tokens, allowed)
    return accepted


def requirements(tokens: list[str], allowed: set[str]) -> bool:
    accepted = licence(tokens, allowed)
    while tokens and tokens[0] == "AND":
        tokens.pop(0)
        accepted &= licence(tokens, allowed)
    return accepted


def licence(tokens: list[str], allowed: set[str]) -> bool:
    if not tokens:
        return False
    name = tokens.pop(0)
    if name != "(":
        return name in allowed
    accepted = alternatives(tokens, allowed)
    closed = bool(tokens) and tokens.pop(0) == ")"
    return accepted and closed


if __name__ == "__main__":
    sys.exit(main())
