#!/usr/bin/env bash
# Installs the programs that write the logs of tests/servers, each under target/ and none of it on the system: servers, Rails,
# conmon and systemd from Debian's packages, unpacked and started from there with configurations of the tests' own; the writers of
# logs of docker and containerd, a collector of OpenTelemetry, a Spring Boot application, and libraries for Python. A second run
# takes a second.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly root="$PWD/target/peers/servers" venv=target/venv
readonly programs=(nginx apache2-bin logrotate rsyslog conmon ruby ruby-actionpack ruby-railties systemd)
# The libraries that they load and a small system lacks; Debian 13 added t64 to some of the names.
readonly libraries='libapr1|libaprutil1|libcrypt1|libestr0|libfastjson4|liblognorm5|libexpat1|libpcre2-8-0|libpopt0|libssl3|libuuid1|zlib1g'
readonly of_conmon='libglib2\.0-0|libsystemd0|libcap2|liblz4-1|liblzma5|libzstd1|libgcrypt20|libgpg-error0'
readonly of_systemd='libsystemd-shared|libacl1|libapparmor1|libaudit1|libblkid1|libcap-ng0|libip4tc2|libkmod2|libmount1|libpam0g|libseccomp2|libselinux1'
readonly of_rails='ruby.*|libruby[0-9].*|rake|racc|libyaml-0-2|libgmp10|libffi8|libxml2|libxslt1\.1|libicu[0-9]+'

main() {
    debian
    containers
    collector
    spring
    python
}

debian() {
    [ "$(cat "$root/complete" 2>/dev/null)" != "${programs[*]}" ] || return 0
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 0
    rm -rf "$root" && mkdir -p "$root/packages"
    (cd "$root/packages" && fetch)
    for package in "$root"/packages/*.deb; do
        dpkg-deb --extract "$package" "$root"
    done
    rm -rf "$root/packages" "$root"/usr/share/{doc,man,locale,ri}
    echo "${programs[*]}" >"$root/complete"
}

# The package lists of a fresh container are empty, those of an old one stale: fetch them only if the download fails.
fetch() {
    say "fetching ${programs[*]}"
    download 2>/dev/null || { apt-get -qq update && download; }
}

download() {
    local packages
    mapfile -t packages < <(needed)
    apt-get -qq -o APT::Sandbox::User=root download "${programs[@]}" "${packages[@]}"
}

needed() {
    apt-cache depends --recurse --no-suggests --no-recommends --no-conflicts --no-breaks --no-replaces --no-enhances \
        "${programs[@]}" | grep -Ex "($libraries|$of_conmon|$of_rails|$of_systemd)(t64)?" | sort -u
}

# Go finds out by itself if there is something to build.
containers() {
    command -v go >/dev/null || { say "go is missing: docker's and containerd's writers of logs are skipped"; return 0; }
    go -C tests/servers/containers build -o "$PWD/target/peers/bin/containers" .
}

# It takes two minutes once.
collector() {
    command -v go >/dev/null || { say "go is missing: OpenTelemetry's collector is skipped"; return 0; }
    go -C tests/servers/collector build -ldflags='-s -w' -o "$PWD/target/peers/bin/collector" .
}

spring() {
    local built=target/peers/spring/application.jar
    [ ! -e "$built" ] || [ -n "$(find tests/servers/spring -newer "$built" -print -quit)" ] || return 0
    say "building a Spring Boot application"
    mvn --batch-mode --no-transfer-progress --quiet -Dmaven.test.skip -Dstyle.color=never --file tests/servers/spring/pom.xml package
    # Maven does not touch the jar if its classes are the same.
    touch "$built"
}

python() {
    [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
    "$venv/bin/python" -m pip --quiet install --requirement tests/servers/requirements.txt
}

say() { echo "setup: $*" >&2; }

main "$@"
