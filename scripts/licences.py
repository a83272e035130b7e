"""Checks that every crate we build on has a licence that deny.toml allows.

`cargo deny check licenses` says the same, but takes minutes to compile; this script compiles nothing, so `make test` can run it.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    allowed = set(tomllib.loads((ROOT / "deny.toml").read_text())["licenses"]["allow"])
    crates = dependencies(ROOT) | dependencies(ROOT / "lab")
    refused = {crate: licence for crate, licence in crates.items() if not acceptable(licence, allowed)}
    for crate, licence in sorted(refused.items()):
        print(f"error: {crate} is under {licence!r}")
    if refused:
        print("hint: replace the crate, or allow its licence in deny.toml and say why")
    print(f"{len(crates)} crates, {len(refused)} with a licence that deny.toml does not allow")
    return 1 if refused or not crates else 0


def dependencies(workspace: Path) -> dict[str, str]:
    """The licence of every crate that some platform builds, ours included. `cargo metadata` would name more."""
    scope = "--workspace --locked --all-features --target all --edges normal,build,dev"
    command = ["cargo", "tree", *scope.split(), "--prefix", "none", "--format", "{l}|{p}"]
    lines = subprocess.run(command, cwd=workspace, check=True, stdout=subprocess.PIPE, text=True).stdout
    pairs = (line.removesuffix(" (*)").split("|") for line in lines.splitlines() if line)
    return {crate: licence for licence, crate in pairs}


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
