#!/usr/bin/env bash
# Installs the programs that the lab measures beside sealmark and that the tests compare it with, each in one fixed version, under
# target/peers/bin. A peer that cannot be installed is a missing row in the lab, not an error.
# usage: scripts/peers.sh [age] [rage]      (both if none is named)
set -euo pipefail
cd "$(dirname "$0")/.."
readonly bin="$PWD/target/peers/bin"

main() {
    mkdir -p "$bin"
    [ $# -gt 0 ] || set -- age rage
    for peer in "$@"; do
        "install_$peer" || say "$peer could not be installed and will be missing"
    done
}

install_age() {
    local version=v1.3.2
    [ "$("$bin/age" --version 2>/dev/null)" = "$version" ] && [ -x "$bin/age-plugin-tagtest" ] && return
    # A Go that is too old would print its usage.
    go -C lab/engines/go list -m >/dev/null 2>&1 || return 1
    say "building age $version and its plugins"
    # age-plugin-tagtest has the secret half of two recipients that are otherwise those of devices.
    GOBIN="$bin" go install "filippo.io/age/cmd/...@$version" "filippo.io/age/extra/...@$version" \
        "filippo.io/age/tag/internal/age-plugin-tagtest@$version"
}

install_rage() {
    local version=0.12.1
    [ "$("$bin/rage-keygen" --version 2>/dev/null)" = "rage-keygen $version" ] && return
    say "building rage $version (a minute or two, once)"
    # rage has a target directory of its own, so that its older dependencies do not throw ours out of the cache.
    cargo install --quiet --locked --root target/peers --target-dir target/peers/build \
        --version "$version" rage --bin rage --bin rage-keygen 2>/dev/null
    rm -rf target/peers/build
}

say() { echo "setup: $*" >&2; }

main "$@"
