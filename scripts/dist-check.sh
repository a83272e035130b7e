#!/usr/bin/env bash
# Checks the files of scripts/dist.sh: built again from a clone in a directory of another name, they have the same bytes; lintian
# has no complaint; the program asks for no newer glibc than the package says; and on a clean Debian system the archive and the
# package each make README's tours work. Run as root.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly work=$PWD/target/dist-check

main() {
    scripts/setup.sh lintian mmdebstrap
    rm -rf "$work"
    mkdir -p "$work"
    scripts/dist.sh
    twice
    glibc
    # The package closes no bug of Debian, because nobody has filed one that asks for it.
    lintian --fail-on error,warning,info --suppress-tags initial-upload-closes-no-bugs --tag-display-limit 0 target/dist/*.deb
    say "lintian has no complaint"
    clean_system
    say "all is well"
}

# The tools are copied, since they are not part of the build.
twice() {
    local other="$work/another directory" file
    git clone --quiet . "$other"
    mkdir -p "$other/target"
    cp -R target/dist-tools "$other/target/"
    "$other/scripts/dist.sh"
    for file in target/dist/*; do
        cmp "$file" "$other/target/dist/${file##*/}"
    done
    rm -rf "$other"
    say "two builds have the same bytes"
}

glibc() {
    local newest
    newest=$(objdump -T target/dist-build/x86_64-unknown-linux-gnu/release/sealmark | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
    [ "$newest" = GLIBC_2.17 ] || { say "the program asks for $newest"; exit 1; }
    say "the program asks for $newest"
}

# The system has Python only for the tours.
clean_system() {
    local root=$work/root
    mmdebstrap --quiet --variant=minbase --include=python3 bookworm "$root" /etc/apt/sources.list.d/*.sources
    mkdir "$root/tour"
    cp -R README.md docs tests "$root/tour"
    tar --extract --gzip --file target/dist/*.tar.gz --directory "$root/usr/local" --strip-components=1
    tours "$root" archive
    rm "$root/usr/local/bin/sealmark"
    cp target/dist/*.deb "$root/tour/sealmark.deb"
    chroot "$root" dpkg --install /tour/sealmark.deb
    tours "$root" package
    chroot "$root" dpkg --purge sealmark
    ! chroot "$root" sh -c 'command -v sealmark' || { say "the package left its program behind"; exit 1; }
    rm -rf "$root"
}

tours() {
    chroot "$1" sh -c 'cd /tour && sealmark --version && python3 tests/readme/installed_tour.py'
    say "README's tours work with the $2"
}

say() { echo "dist-check: $*" >&2; }

main "$@"
