#!/usr/bin/env bash
# Builds the Java library and its adapters under target/java/sealmark-*, the lab's JVM engine as target/java/engine.jar
# with its libraries in target/java/lib, native ones included, and its Tomcat as target/java/app/app.jar; does nothing when
# they are newer than their sources.
# usage: scripts/java.sh [test [PROGRAM] | soak]   (test: runs all tests, too, those of the library on this Java and on Java
#                                          25; PROGRAM opens what they sealed, else one is built for it;
#                                          soak: 4,096 virtual threads seal 10,000 values each, and the canary goes
#                                          through every combination of place, appender and fault)
set -euo pipefail
cd "$(dirname "$0")/.."
# As System.mapLibraryName has it.
case $(uname) in Darwin) ending=dylib ;; *) ending=so ;; esac
readonly out=$PWD/target/java jni=$PWD/target/release/libsealmark_jni.$ending
readonly lab_jni=$PWD/target/release/libsealmark_lab_jni.$ending
readonly newest=$PWD/target/jdks/25/bin/java

main() {
    mkdir -p "$out"
    # Of these two alone libraries would have other features than of everything, and cargo would compile them again.
    cargo build --quiet --release --locked --workspace --lib
    case ${1:-} in
        test) verify "${2:-}" ;;
        soak) soak ;;
        *) up_to_date || build ;;
    esac
}

up_to_date() {
    [ -f "$out/engine.jar" ] &&
        [ -z "$(find java "$jni" "$lab_jni" -type f -newer "$out/engine.jar" -print -quit)" ]
}

build() {
    say "building the Java library and the lab's JVM engine"
    maven --quiet -Dmaven.test.skip package >"$out/build.txt" 2>&1 || { cat "$out/build.txt" >&2; return 1; }
    install
}

verify() {
    local program=${1:-target/release/sealmark}
    [ -n "$1" ] || cargo build --quiet --release --locked -p sealmark-cli
    scripts/jdks.sh 25
    # Modules that do not need each other are tested side by side: much of it is JVMs that start, and clocks waited for.
    maven --threads 2 -Dsealmark.complete=true -Dsealmark.other.java="$newest" -Dsealmark.program="$PWD/$program" verify
    install
}

soak() {
    cargo build --quiet --release --locked -p sealmark-cli
    scripts/jdks.sh 25
    maven --projects log -Dtest=CrowdTest -Dsealmark.other.java="$newest" -Dsealmark.crowd.values=10000 verify
    maven --projects logback,log4j2 --also-make -Dtest=CanaryTest -Dsurefire.failIfNoSpecifiedTests=false \
        -Dsealmark.canary=all -Dsealmark.program="$PWD/target/release/sealmark" verify
}

maven() {
    mvn --batch-mode --no-transfer-progress --file java/pom.xml -Dstyle.color=never \
        -Dsealmark.jni="$jni" -Dsealmark.lab.jni="$lab_jni" "$@"
}

install() {
    rm -rf "$out/lib"
    cp -r "$out/build/lib" "$out/lib"
    cp "$lab_jni" "$out/lib/"
    cp java/engine/legacy.security "$out/"
    # Last, and with the time of now, because it stands for all of them.
    cp "$out/build/engine.jar" "$out/engine.jar"
    touch "$out/engine.jar"
}

say() { echo "setup: $*" >&2; }

main "$@"
