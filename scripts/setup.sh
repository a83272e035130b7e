#!/usr/bin/env bash
# Provides the prerequisites named on the command line: silent if they are there, installs Debian packages if run as root, and
# otherwise prints one line that says what to type.
set -euo pipefail

main() {
    for prerequisite in "$@"; do
        "need_$prerequisite"
    done
}

# aws-lc-sys compiles C and assembly with cc alone; its bindings come with the crate, so it needs neither cmake nor clang.
need_cc() { has cc || debian gcc libc6-dev; }

# The lab's simdutf is C++, and its OpenSSL is configured by perl (Debian's perl-base lacks modules) and built by make.
need_cxx() {
    { has c++ && has make && perl -MIPC::Cmd -MTime::Piece -e 1 2>/dev/null; } || debian g++ perl make
}

need_cargo() {
    has cargo || missing "cargo" "curl --proto '=https' -sSf https://sh.rustup.rs | sh -s -- -y"
}

need_rust-components() {
    local component
    for component in fmt clippy; do
        has "cargo-$component" && cargo "$component" --version >/dev/null 2>&1 && continue
        install_component "$component"
    done
}

install_component() {
    local name=${1/#fmt/rustfmt}
    has rustup || missing "cargo $1" "install the Rust component $name from where cargo came from"
    say "installing the Rust component $name"
    rustup component add "$name"
}

# On Debian, venv exists without ensurepip until python3-venv is installed: only ensurepip shows it.
need_python() {
    has python3 && python3 -c 'import ensurepip, venv' 2>/dev/null || debian python3 python3-venv
}

# Go builds a peer of the lab and an independent opener; both are optional, so its absence is not an error here. From 1.21 on, Go
# fetches the version that go.mod asks for; that of Debian 12 is older.
need_go() {
    has go || ! can_install || install golang-go || true
    go -C "$(dirname "$0")/../lab/engines/go" list -m >/dev/null 2>&1 ||
        say "Go 1.26 is missing: what needs it is skipped; install it, or a newer one, from https://go.dev/dl/"
}

# A compiler is needed, not just a runtime: the engine of the lab is built here. Any JDK from 11 on will do.
need_java() { has javac || debian default-jdk-headless; }

need_maven() { has mvn || debian maven; }

# Node drives the browser that looks at the report's pages, with modules that want Node 20.
need_node() {
    { has node && has npm; } || debian nodejs npm
    node -e 'process.exit(Number(parseInt(process.versions.node) < 20))' ||
        missing "Node.js 20 or newer" "install it from https://nodejs.org/en/download"
}

# This is the browser itself; without a font every letter of a page would be a box.
need_chromium() { has chromium || debian chromium fonts-dejavu-core; }

# These make and check the Debian package, and a clean system to install it in.
need_dpkg() { has dpkg-deb || debian dpkg; }
need_lintian() { has lintian || debian lintian; }
need_mmdebstrap() { has mmdebstrap || debian mmdebstrap; }

debian() {
    if can_install; then install "$@"; else missing "$1" "sudo apt-get install -y $*"; fi
}

can_install() { [ "$(id -u)" = 0 ] && has apt-get; }

# The package lists of a fresh container are empty, those of an old one stale: fetch them only if the installation fails.
install() {
    say "installing $*"
    apt_install "$@" || { apt-get -qq update && apt_install "$@"; }
}

apt_install() {
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" >/dev/null
}

has() { command -v "$1" >/dev/null 2>&1; }

say() { echo "setup: $*" >&2; }

missing() {
    printf 'error: missing %s\nhint: %s\n' "$1" "$2" >&2
    exit 1
}

main "$@"
