# To be sourced: builds for Linux on x86-64 with glibc 2.17 or newer, whatever this machine has. The linker of zig links to an older
# glibc than that of this machine.
portable_target=x86_64-unknown-linux-gnu
portable_glibc=2.17
portable_tools=$PWD/target/dist-tools

install_portable_tools() {
    scripts/setup.sh cc cargo python
    [ -x "$portable_tools/venv/bin/python" ] || python3 -m venv "$portable_tools/venv"
    "$portable_tools/venv/bin/python" -m pip --quiet install --requirement scripts/dist-requirements.txt
}

# portable PACKAGE...: builds packages into $portable_build. No path of this machine gets into them, neither of the checkout nor of
# cargo's home: panics would show it.
portable_build=$PWD/target/dist-build/$portable_target/release
portable() {
    local cargo_home=${CARGO_HOME:-$HOME/.cargo} rust package packages=()
    rust=$(rustc --print sysroot)
    for package in "$@"; do packages+=(--package "$package"); done
    PATH="$portable_tools/venv/bin:$PATH" \
        CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=$PWD=/sealmark"$'\x1f'"--remap-path-prefix=$cargo_home=/cargo"$'\x1f'"--remap-path-prefix=$rust=/rust" \
        CC_SHELL_ESCAPED_FLAGS=1 CFLAGS="'-ffile-prefix-map=$PWD=/sealmark' '-ffile-prefix-map=$cargo_home=/cargo'" \
        CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_INCREMENTAL=0 CARGO_TARGET_DIR="$PWD/target/dist-build" \
        cargo zigbuild --quiet --release --locked "${packages[@]}" --target "$portable_target.$portable_glibc"
}

# is_portable FILE: refuses a path of this machine in it, and what an older system does not have.
is_portable() {
    local newest
    if grep -a -q -e "$PWD" -e "${CARGO_HOME:-$HOME/.cargo}" "$1"; then
        say "${1##*/} holds a path of this machine"
        return 1
    fi
    newest=$(grep -a -o 'GLIBC_2\.[0-9]*' "$1" | sort -u -V | tail -1)
    if [ "$(printf '%s\n' "$newest" "GLIBC_$portable_glibc" | sort -V | tail -1)" != "GLIBC_$portable_glibc" ]; then
        say "${1##*/} needs $newest, more than GLIBC_$portable_glibc"
        return 1
    fi
}
