#!/usr/bin/env bash
# Makes the files for users, under target/dist: an archive of the program for Linux on x86-64 with glibc 2.17 or newer, a Debian
# package, a list of all components (CycloneDX), and checksums. The same commit gives the same bytes, whenever and in whatever
# directory it is built.
# usage: scripts/dist.sh [--release]      (--release: refuses placeholders in scripts/owner.sh and changes that are not committed)
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=owner.sh
. scripts/owner.sh
# shellcheck source=portable.sh
. scripts/portable.sh
readonly out=$PWD/target/dist

main() {
    check_owner "${1:-}"
    install_tools
    version=$(cargo metadata --locked --no-deps --format-version 1 | python3 -c \
        'import json, sys; print(next(p["version"] for p in json.load(sys.stdin)["packages"] if p["name"] == "sealmark-cli"))')
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
    export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
    umask 022
    rm -rf "$out"
    mkdir -p "$out/tree"
    build
    tree "$out/tree"
    archive
    debian
    components
    (cd "$out" && sha256sum -- *.tar.gz *.deb *.json >SHA256SUMS)
    rm -rf "$out/tree" "$out/deb"
    ls -l "$out"
}

check_owner() {
    local refuse=0
    owner_is_named || refuse=1
    if [ -n "$(git status --porcelain)" ]; then
        say "the checkout has changes that are not committed: what is built now cannot be built again"
        refuse=1
    fi
    [ "$1" != --release ] || [ "$refuse" = 0 ] || { say "no release is made"; exit 1; }
}

install_tools() {
    install_portable_tools
    scripts/setup.sh dpkg
    local cyclonedx=0.5.9
    [ "$("$portable_tools/bin/cargo-cyclonedx" cyclonedx --version 2>/dev/null)" = "cargo-cyclonedx-cyclonedx $cyclonedx" ] && return
    say "building cargo-cyclonedx $cyclonedx (two minutes, once)"
    cargo install --quiet --locked --root "$portable_tools" --target-dir "$portable_tools/build" --version "$cyclonedx" \
        cargo-cyclonedx
    rm -rf "$portable_tools/build"
}

build() {
    portable sealmark-cli
    program=$portable_build/sealmark
    is_portable "$program"
}

# tree DIRECTORY: lays the files out as they are installed.
tree() {
    local usr=$1/usr
    install -D -m 755 "$program" "$usr/bin/sealmark"
    mkdir -p "$usr/share/man/man1" "$usr/share/doc/sealmark"
    "$program" man "$usr/share/man/man1"
    gzip -9 -n "$usr/share/man/man1"/*
    "$program" completions bash | install -D -m 644 /dev/stdin "$usr/share/bash-completion/completions/sealmark"
    "$program" completions zsh | install -D -m 644 /dev/stdin "$usr/share/zsh/vendor-completions/_sealmark"
    "$program" completions fish | install -D -m 644 /dev/stdin "$usr/share/fish/vendor_completions.d/sealmark.fish"
    install -D -m 644 -t "$usr/lib/systemd/system" examples/systemd/*
    documents "$usr/share/doc/sealmark"
    install -D -m 644 -t "$usr/share/doc/sealmark/examples" examples/*.*
    install -D -m 644 -t "$usr/share/doc/sealmark/examples/kubernetes" examples/kubernetes/*
    python3 scripts/notices.py sealmark-cli "$portable_target" | gzip -9 -n >"$usr/share/doc/sealmark/third-party-licences.gz"
    chmod 644 "$usr/share/doc/sealmark/third-party-licences.gz"
}

# documents DIRECTORY: pages for users of the program. A link to a page that is not among them leads to the repository.
documents() {
    install -D -m 644 -t "$1" README.md SECURITY.md
    install -D -m 644 -t "$1/docs" docs/files.md docs/keys.md docs/backup.md docs/logs.md docs/log.schema.json
    install -D -m 644 -t "$1/spec" spec/*.md
    python3 - "$1" "$forge_url/blob/v$version" <<'END'
import os, pathlib, re, sys
root, repository = pathlib.Path(sys.argv[1]), sys.argv[2]
for page in root.rglob("*.md"):
    def outward(link):
        there = os.path.relpath(page.parent / link[1], root)
        return link[0] if (root / there).exists() else f"]({repository}/{there}"
    page.write_text(re.sub(r"\]\(([^):#\s]+)(?=[)#])", outward, page.read_text()))
END
}

archive() {
    local name=sealmark-$version-linux-x86_64
    mkdir "$out/$name"
    cp -R "$out/tree/usr/." "$out/$name"
    install -m 644 -t "$out/$name" LICENSE-MIT LICENSE-APACHE CHANGELOG.md
    packed "$out" "$name" | gzip -9 -n >"$out/$name.tar.gz"
    rm -r "${out:?}/$name"
}

# packed DIRECTORY NAME: a tar of it that shows neither the builder, nor the time, nor the order of the file system.
packed() {
    tar --directory "$1" --sort=name --format=posix --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime \
        --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --create "$2"
}

debian() {
    local root=$out/deb size doc
    cp -R "$out/tree" "$root"
    doc=$root/usr/share/doc/sealmark
    gzip -9 -n -c CHANGELOG.md >"$doc/changelog.gz"
    printf 'sealmark (%s-1) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n' \
        "$version" "$contact" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9 -n >"$doc/changelog.Debian.gz"
    copyright >"$doc/copyright"
    chmod -R u=rwX,go=rX "$root/usr"
    size=$(du -k -s --apparent-size "$root/usr" | cut -f1)
    mkdir "$root/DEBIAN"
    control "$size" >"$root/DEBIAN/control"
    (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
    find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$root" "$out/sealmark_$version-1_amd64.deb" >/dev/null
}

control() {
    cat <<END
Package: sealmark
Version: $version-1
Architecture: amd64
Maintainer: $contact
Installed-Size: $1
Depends: libc6 (>= $portable_glibc)
Section: utils
Priority: optional
Homepage: $forge_url
Description: encrypt files, and private values in logs
 Sealmark encrypts files with elliptic-curve, post-quantum or hybrid keys on
 all cores, and replaces private values in log lines with tokens that only
 the holder of the secret key can read. It opens and writes age files, too.
END
}

copyright() {
    cat <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: sealmark
Upstream-Contact: $contact
Source: $forge_url

Files: *
Copyright: $(sed -n 's/^Copyright (c) //p' LICENSE-MIT)
License: MIT or Apache-2.0
Comment: The program is linked with the libraries that
 third-party-licences.gz lists, under the licences that it holds.

License: MIT
$(sed -n '/^Permission/,$p' LICENSE-MIT | sed 's/^$/./; s/^/ /')

License: Apache-2.0
 On Debian systems, the text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
END
}

# Lists the crates in the program, for those who look for one with a vulnerability.
components() {
    local name=sealmark-$version-linux-x86_64.cdx
    # The tool writes a file beside each manifest of the workspace.
    PATH="$portable_tools/bin:$PATH" cargo cyclonedx --quiet --format json --target "$portable_target" \
        --override-filename "$name" --manifest-path crates/sealmark-cli/Cargo.toml
    # The names of our own crates contain the checkout's directory.
    python3 -c 'import pathlib, sys; print(sys.stdin.read().replace(pathlib.Path.cwd().as_uri(), "file:///sealmark"), end="")' \
        <"crates/sealmark-cli/$name.json" >"$out/$name.json"
    rm -f crates/*/"$name.json"
}

say() { echo "dist: $*" >&2; }

main "$@"
