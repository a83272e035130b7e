# Prints the failed tests in a runner's output: their names, and the beginning of each one's reason; or the end of an output that
# names none. At most `most` lines of either, and `each` of one test. Knows the runners of count.awk.

# cargo test
/^---- .* stdout ----$/ { fail(substr($0, 6, length($0) - 17)); next }
/^(failures:|test result: )/ { inside = 0 }

# unittest
/^(FAIL|ERROR|UNEXPECTED SUCCESS): / { fail(substr($0, index($0, ":") + 2)); next }
/^(=+|Ran [0-9]+ tests? in .*)$/ { inside = 0 }

# go test -v: the output of a test comes before its verdict.
/^=== (RUN|CONT|NAME|PAUSE) / { forget(); next }
/^ *--- FAIL: / { fail($3); remember(); inside = 0; next }
/^ *--- (PASS|SKIP): / { forget() }

# Surefire
/<<< (FAILURE|ERROR)!$/ { fail($2); next }
/^(\[(INFO|WARNING|ERROR)\]|$)/ && maven { inside = 0 }
/^\[INFO\]/ { maven = 1 }

{ last[++lines % most] = $0 }
# A place inside a library is not a reason.
/^ +[0-9]+: / || /^ +at \// || /^\tat (java|jdk|org\.junit|org\.apache)/ || /^-*$/ { next }
inside { say($0) }
!inside && heard_lines < each { heard[++heard_lines] = $0 }

END {
    for (i = 1; i <= names && i <= most; i++) print "failed: " name[i]
    for (i = 1; i <= said_lines && i <= most; i++) print said[i]
    for (i = lines - most + 1; !names && i <= lines; i++) if (i > 0) print last[i % most]
}

function fail(test) {
    # Surefire first names the class in which something failed.
    if (test == "Tests") return
    name[++names] = test
    inside = 1
    left = each
    say("-- " test)
}

function say(line) {
    if (left-- > 0) said[++said_lines] = substr(line, 1, 500)
}

function forget() { heard_lines = 0 }

function remember(    i) {
    for (i = 1; i <= heard_lines; i++) say(heard[i])
    forget()
}
