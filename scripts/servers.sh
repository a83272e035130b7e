#!/usr/bin/env bash
# Fetches nginx, Apache httpd, rsyslog and logrotate from Debian's packages for the tests that seal their logs: unpacked under
# target/peers/servers, never installed, and started from there with configurations of the tests' own.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly root="$PWD/target/peers/servers"
readonly programs=(nginx apache2-bin logrotate rsyslog)
# What they load that a small system lacks; Debian 13 added t64 to some of the names.
readonly libraries='libapr1|libaprutil1|libcrypt1|libestr0|libfastjson4|liblognorm5|libexpat1|libpcre2-8-0|libpopt0|libssl3|libuuid1|zlib1g'

main() {
    [ "$(cat "$root/complete" 2>/dev/null)" != "${programs[*]}" ] || return 0
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 0
    rm -rf "$root" && mkdir -p "$root/packages"
    (cd "$root/packages" && fetch)
    for package in "$root"/packages/*.deb; do
        dpkg-deb --extract "$package" "$root"
    done
    rm -rf "$root/packages" "$root/usr/share"
    echo "${programs[*]}" >"$root/complete"
}

# The package lists of a fresh container are empty, those of an old one stale: fetch them only when they fail us.
fetch() {
    say "fetching nginx, Apache httpd, rsyslog and logrotate"
    download 2>/dev/null || { apt-get -qq update && download; }
}

download() {
    local packages
    mapfile -t packages < <(needed)
    apt-get -qq -o APT::Sandbox::User=root download "${programs[@]}" "${packages[@]}"
}

needed() {
    apt-cache depends --recurse --no-suggests --no-recommends --no-conflicts --no-breaks --no-replaces --no-enhances \
        "${programs[@]}" | grep -Ex "($libraries)(t64)?" | sort -u
}

say() { echo "setup: $*" >&2; }

main "$@"
