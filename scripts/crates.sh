#!/usr/bin/env bash
# Packs every public crate under target/crates/source, where a release is published from: there the library has the vectors, which
# all languages share in spec/, beside its manifest. Unpacks the packages, and runs the tests of each crate away from this
# checkout, with the other packed crates as its dependencies. Then checks that the oldest compiler that Cargo.toml promises builds
# the workspace, if rustup has it.
# usage: scripts/crates.sh [CRATE...]      (all if none is named)
set -euo pipefail
cd "$(dirname "$0")/.."
readonly work=$PWD/target/crates
readonly public=(sealmark sealmark-fields sealmark-tracing sealmark-cli)

main() {
    scripts/setup.sh cc cargo
    local crate
    rm -rf "$work/source" "$work/unpacked"
    mkdir -p "$work/source" "$work/unpacked"
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
    pack
    for crate in "${@:-${public[@]}}"; do
        test_alone "$crate"
    done
    oldest
}

# --no-verify is given because the tests below build the packages.
pack() {
    local crate packages=()
    for crate in "${public[@]}"; do
        packages+=(--package "$crate")
    done
    git ls-files Cargo.toml Cargo.lock rustfmt.toml clippy.toml crates | tar --create --files-from - |
        tar --extract --directory "$work/source"
    cp -R spec/vectors "$work/source/crates/sealmark/vectors"
    cargo package --quiet --locked --allow-dirty --no-verify --manifest-path "$work/source/Cargo.toml" \
        --target-dir "$work/target" "${packages[@]}"
    for crate in "${public[@]}"; do
        tar --extract --gzip --file "$work/target/package/$crate-$version.crate" --directory "$work/unpacked"
    done
}

# test_alone CRATE: tests it outside of this workspace, to which its manifest would otherwise be taken to belong.
test_alone() {
    local crate=$1 other away patches=()
    away=$(mktemp --directory)
    cp -R "$work/unpacked/." "$away"
    for other in "${public[@]}"; do
        patches+=(--config "patch.crates-io.$other.path='$away/$other-$version'")
    done
    say "testing $crate $version alone"
    # Argon2id and ML-KEM take minutes when not optimised; the profile that optimises them is the workspace's and is not packed.
    (cd "$away/$crate-$version" && cargo test --quiet "${patches[@]}" --config profile.dev.opt-level=2 --target-dir "$work/target") ||
        { rm -rf "$away"; exit 1; }
    rm -rf "$away"
}

oldest() {
    local rust
    rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    if ! rustup run "$rust" rustc --version >/dev/null 2>&1; then
        say "rust $rust is not installed: the oldest compiler is not checked; to check it, run: rustup toolchain install $rust"
        return
    fi
    cargo "+$rust" check --quiet --workspace --all-targets --locked --target-dir "$work/oldest"
    say "rust $rust builds the workspace"
}

say() { echo "crates: $*" >&2; }

main "$@"
