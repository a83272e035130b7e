# Adds up what test runners report: prints "passed failed skipped". Knows cargo test, go test -v, Maven's
# Surefire and Python's unittest.

/^test result: / {
    passed += before("passed"); failed += before("failed"); skipped += before("ignored")
}

/^ *--- (PASS|FAIL|SKIP): / { passed += $2 == "PASS:"; failed += $2 == "FAIL:"; skipped += $2 == "SKIP:" }

# Surefire says it once for each class, with the time, and once for all.
/Tests run: [0-9]+/ && !/Time elapsed/ {
    bad = count("Failures") + count("Errors")
    passed += count("Tests run") - bad - count("Skipped")
    failed += bad; skipped += count("Skipped")
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
