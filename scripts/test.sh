#!/usr/bin/env bash
# `make test`: every check of this repository, those of the product first, each in the order in which a mistake is cheapest to
# learn about. A failing check does not stop the rest; the last line sums up, and the exit code is 0 only if nothing failed.
# usage: scripts/test.sh [product]      (product: what cargo and Python check of the product; no Java, no Go, no server)
set -uo pipefail
cd "$(dirname "$0")/.."
readonly logs=target/test-logs venv=target/venv
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
passed=0 failed=0 skipped=0 broken=()

main() {
    mkdir -p "$logs"
    product
    if [ "${1:-}" != product ]; then
        product_among_others
        lab
    fi
    summary
}

product() {
    check format     cargo fmt --all --check
    check lints      cargo clippy --workspace --all-targets --locked -- -D warnings
    check licences   python3 scripts/licences.py
    check scripts    python3 -m unittest discover -v -s tests/scripts
    check rust       cargo test --workspace --locked --no-fail-fast
    # Later checks start the programs, which the last one built with the features that tests need: they must build without, too.
    check programs   cargo check --workspace --locked
    check docs       env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
    # --locked is missing here: fuzz/ has a lock file of its own, which follows each new dependency of the library.
    check fuzz-seeds cargo test --manifest-path fuzz/Cargo.toml --lib
    check tour       python3 -m unittest discover -v -s tests/readme
}

# These checks need Java, servers, and programs that others wrote.
product_among_others() {
    check interop    interop
    check servers    servers
    check java       scripts/java.sh test target/debug/sealmark
    check tour-java  python3 tests/readme/java_tour.py -v
}

# The lab starts the product's programs, which are built before.
lab() {
    check lab-format    in_lab cargo fmt --all --check
    check lab-lints     in_lab cargo clippy --workspace --all-targets --locked -- -D warnings
    check lab-rust      in_lab cargo test --workspace --locked --no-fail-fast
    check lab-programs  in_lab cargo check --workspace --locked
    check lab-docs      in_lab env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
    check lab-results   results
    check lab-page      lab/scripts/browser.sh
    check lab-java      lab/scripts/java.sh test
    check lab-go        go_engine
    check lab-engines   engines
    check lab-causes    target/engines/venv/bin/python -m unittest discover -v -s lab/tests/causes
    check lab-tour      python3 tests/readme/lab_tour.py -v
}

in_lab() { (cd lab && "$@"); }

# Other people's programs must open our files and we theirs; they live under target/, never on the system.
interop() {
    scripts/peers.sh age
    python_with tests/interop/requirements.txt && "$venv/bin/python" -m unittest discover -v -s tests/interop
}

# Programs of others read the files that the lab writes.
results() {
    python_with lab/tests/results/requirements.txt && "$venv/bin/python" -m unittest discover -v -s lab/tests/results
}

python_with() {
    [ -x "$venv/bin/python" ] || python3 -m venv "$venv" || return
    "$venv/bin/python" -m pip --quiet install --requirement "$1"
}

# The logs of real servers, applications, libraries and container runtimes are sealed while strangers write in them; and systemd,
# logrotate and Kubernetes run the sealer.
servers() {
    scripts/servers.sh || return
    ! command -v gofmt >/dev/null || { [ -z "$(gofmt -l tests/servers)" ] && go -C tests/servers/containers vet .; } || return
    "$venv/bin/python" -m unittest discover -v -s tests/servers
}

go_engine() {
    local unformatted
    unformatted=$(gofmt -l lab/engines/go tests/interop) && [ -z "$unformatted" ] || { echo "gofmt: $unformatted"; return 1; }
    go -C lab/engines/go vet ./... && go -C lab/engines/go test -v ./...
}

# Every engine of the lab, in every language, has to follow lab/spec/engine.md. Engines wait more than they work: one half of the
# tests runs beside the other, except for those of TLS, which already run two at a time.
engines() {
    lab/scripts/engines.sh || return
    local beside broken=0 others
    others=$(cd lab/tests/engines && ls test_*.py | grep -vxE 'test_(conformance|tls|tls_liar)\.py')
    test_engines test_conformance.py >"$logs/conformance.txt" 2>&1 &
    beside=$!
    test_engines $others || broken=1
    wait "$beside" || broken=1
    cat "$logs/conformance.txt"
    test_engines test_tls.py test_tls_liar.py || broken=1
    return "$broken"
}

test_engines() {
    # Even an engine that is started in the background has to end when somebody presses Ctrl-C.
    (cd lab/tests/engines && env --default-signal ../../../target/engines/venv/bin/python -m unittest -v "$@")
}

# check NAME COMMAND...: runs it, shows and keeps its output, and counts what it reports.
check() {
    local name=$1 log=$logs/$1.txt started=$SECONDS
    shift
    echo "== $name"
    "$@" 2>&1 | tee "$log"
    local status=${PIPESTATUS[0]}
    count "$log" "$status"
    [ "$status" = 0 ] || broken+=("$name")
    echo "== $name: exit $status after $((SECONDS - started)) s"
}

# A check without tests of its own, or one that broke without naming a failed test, counts as one test.
count() {
    local log=$1 status=$2 good bad left
    read -r good bad left < <(awk -f scripts/count.awk "$log")
    if [ "$status" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
    if [ "$status" = 0 ] && [ "$good" = 0 ] && [ "$left" = 0 ]; then good=1; fi
    passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left))
}

# Readers may keep only the end of a long output, so the failures are printed again here.
summary() {
    local name
    for name in "${broken[@]}"; do
        echo "== $name: what failed"
        awk -v most=60 -v each=20 -f scripts/failures.awk "$logs/$name.txt"
    done
    [ ${#broken[@]} = 0 ] || echo "broken: ${broken[*]} (output kept in $logs)"
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
}

main "$@"
