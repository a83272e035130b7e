# To be sourced: builds for Linux, whatever this machine has: on x86-64 and aarch64, with glibc 2.17 or newer or with musl. The
# linker of zig links to each of them.
portable_target=x86_64-unknown-linux-gnu
portable_glibc=2.17
portable_tools=$PWD/target/dist-tools
portable_build=$PWD/target/dist-build/$portable_target/release

# The platforms of the native library, named as its directories in the jar, each with Rust's name for it.
declare -A portable_platforms=(
    [linux-x86_64]=$portable_target
    [linux-aarch64]=aarch64-unknown-linux-gnu
    [linux-x86_64-musl]=x86_64-unknown-linux-musl
    [linux-aarch64-musl]=aarch64-unknown-linux-musl
)

install_portable_tools() {
    scripts/setup.sh cc cargo python
    [ -x "$portable_tools/venv/bin/python" ] || python3 -m venv "$portable_tools/venv"
    "$portable_tools/venv/bin/python" -m pip --quiet install --requirement scripts/dist-requirements.txt
}

# portable PACKAGE...: builds packages into $portable_build.
portable() { portable_for "$portable_target" "$@"; }

# portable_for TARGET PACKAGE...: builds packages for a machine that Rust calls by this name. No path of this machine gets into
# them, neither of the checkout nor of cargo's home: panics would show it.
portable_for() {
    local target=$1 cargo_home=${CARGO_HOME:-$HOME/.cargo} rust package packages=() flags version=.$portable_glibc
    shift
    rust=$(rustc --print sysroot)
    flags=("--remap-path-prefix=$PWD=/sealmark" "--remap-path-prefix=$cargo_home=/cargo" "--remap-path-prefix=$rust=/rust")
    # A library that a JVM loads must share the JVM's C library, and Rust links musl statically by default.
    [[ $target != *-musl ]] || { version=''; flags+=(-C target-feature=-crt-static); }
    for package in "$@"; do packages+=(--package "$package"); done
    PATH="$portable_tools/venv/bin:$PATH" \
        CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; echo "${flags[*]}") \
        CC_SHELL_ESCAPED_FLAGS=1 CFLAGS="'-ffile-prefix-map=$PWD=/sealmark' '-ffile-prefix-map=$cargo_home=/cargo'" \
        CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_INCREMENTAL=0 CARGO_TARGET_DIR="$PWD/target/dist-build" \
        cargo zigbuild --quiet --release --locked "${packages[@]}" --target "$target$version"
}

# natives: builds the native library for all platforms, into a directory for each under $portable_natives, with the licences of
# what is linked into it.
portable_natives=$PWD/target/dist-build/natives
natives() {
    local platform target
    rm -rf "$portable_natives"
    for platform in "${!portable_platforms[@]}"; do
        target=${portable_platforms[$platform]}
        [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || rustup --quiet target add "$target"
        portable_for "$target" sealmark-jni
        install -D -m 644 -t "$portable_natives/$platform" "target/dist-build/$target/release/libsealmark_jni.so"
        is_portable "$portable_natives/$platform/libsealmark_jni.so"
    done
    python3 scripts/notices.py sealmark-jni "${portable_platforms[@]}" >"$portable_natives/third-party-licences.txt"
}

# is_portable FILE: refuses a path of this machine in it, and what an older system, or one without GCC's library, does not have.
is_portable() {
    local newest
    if grep -a -q -e "$PWD" -e "${CARGO_HOME:-$HOME/.cargo}" "$1"; then
        say "$1 contains a path of this machine"
        return 1
    fi
    if grep -a -q 'libgcc_s' "$1"; then
        say "$1 needs libgcc_s"
        return 1
    fi
    newest=$( (grep -a -o 'GLIBC_2\.[0-9]*' "$1" || true) | sort -u -V | tail -1)
    if [ "$(printf '%s\n' "$newest" "GLIBC_$portable_glibc" | sort -V | tail -1)" != "GLIBC_$portable_glibc" ]; then
        say "$1 needs $newest, more than GLIBC_$portable_glibc"
        return 1
    fi
}
