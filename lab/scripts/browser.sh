#!/usr/bin/env bash
# Looks at the report's pages in Debian's Chromium: first fetches, at the versions and hashes of the lock file, what drives
# it (playwright-core) and what looks for barriers (axe-core), then runs the tests in lab/tests/page.
# usage: lab/scripts/browser.sh [NODE-OPTION...]      for example --test-name-pattern=plots
set -euo pipefail
cd "$(dirname "$0")/../tests/page"

main() {
    # npm keeps a lock file of its own among the installed packages; ours is newer if they were installed from another.
    [ node_modules/.package-lock.json -nt package-lock.json ] || fetch
    node --test-reporter=spec "$@" all.js
}

fetch() {
    echo "setup: fetching what drives the browser" >&2
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
    touch node_modules/.package-lock.json
}

main "$@"
