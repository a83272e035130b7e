# Adds up the results that test runners print: prints "passed failed skipped". Knows cargo test, go test -v, Maven's Surefire,
# Python's unittest and node --test.

/^test result: / {
    passed += before("passed"); failed += before("failed"); skipped += before("ignored")
}

/^ *--- (PASS|FAIL|SKIP): / { passed += $2 == "PASS:"; failed += $2 == "FAIL:"; skipped += $2 == "SKIP:" }

# Surefire prints this once for each class, with the time, and once for all.
/Tests run: [0-9]+/ && !/Time elapsed/ {
    bad = count("Failures") + count("Errors")
    passed += count("Tests run") - bad - count("Skipped")
    failed += bad; skipped += count("Skipped")
}

# A cancelled test took too long, or its file broke.
/^(ℹ|#) (pass|fail|cancelled|skipped|todo) [0-9]+$/ {
    passed += $3 * ($2 == "pass"); failed += $3 * ($2 == "fail" || $2 == "cancelled")
    skipped += $3 * ($2 == "skipped" || $2 == "todo")
}

/^Ran [0-9]+ tests? in / { ran = $2 }

/^(OK|FAILED)( \(.*\))?$/ {
    bad = after("failures") + after("errors") + after("unexpected successes")
    left = after("skipped")
    # One test may fail in several subtests.
    if (ran > bad + left) passed += ran - bad - left
    failed += bad; skipped += left
}

END { print passed + 0, failed + 0, skipped + 0 }

function before(word) {
    return match($0, "[0-9]+ " word) ? substr($0, RSTART, RLENGTH) + 0 : 0
}

function after(word) {
    return match($0, word "=[0-9]+") ? substr($0, RSTART + length(word) + 1, RLENGTH) + 0 : 0
}

function count(word) {
    return match($0, word ": [0-9]+") ? substr($0, RSTART + length(word) + 2, RLENGTH) + 0 : 0
}
