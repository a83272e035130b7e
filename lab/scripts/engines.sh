#!/usr/bin/env bash
# Builds what the lab's engines in other languages need, under target/engines, and is silent when all of it is there.
# An engine that cannot be built is a missing row in the lab, not an error.
# usage: lab/scripts/engines.sh [java] [python] [go]      (all when none is named)
set -euo pipefail
cd "$(dirname "$0")/../.."
readonly place="$PWD/target/engines"

main() {
    mkdir -p "$place"
    [ $# -gt 0 ] || set -- java python go
    for engine in "$@"; do
        "build_$engine" || say "the engine in $engine could not be built and will be missing"
    done
}

build_java() { lab/scripts/java.sh; }

# Installed anew only when the list of packages is another, or the interpreter has gone.
build_python() {
    local venv="$place/venv" wanted=lab/engines/python/requirements.txt
    "$venv/bin/python" -c '' 2>/dev/null && cmp -s "$wanted" "$venv/installed.txt" && return
    command -v python3 >/dev/null || missing python3 "install Python 3.11 or newer with venv" || return
    say "installing the Python engine's packages"
    python3 -m venv --clear "$venv" &&
        "$venv/bin/python" -m pip --quiet --disable-pip-version-check install --require-hashes --requirement "$wanted" &&
        cp "$wanted" "$venv/installed.txt"
}

# Go itself knows what is up to date.
build_go() {
    go -C lab/engines/go list -m >/dev/null 2>&1 ||
        missing "Go 1.26" "install it, or a newer one, from https://go.dev/dl/" || return
    [ -x "$place/go/engine" ] || say "building the Go engine"
    go -C lab/engines/go build -trimpath -o "$place/go/engine" .
}

missing() {
    printf 'setup: %s is missing\nhint: %s\n' "$1" "$2" >&2
    return 1
}

say() { echo "setup: $*" >&2; }

main "$@"
