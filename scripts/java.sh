#!/usr/bin/env bash
# Builds the Java library and its adapters under target/java/sealmark-*; does nothing when they are newer than their sources.
# usage: scripts/java.sh [test [PROGRAM] | soak]   (test: runs all tests, too, those of the library on this Java and on Java
#                                          25; PROGRAM opens what they sealed, else one is built for it;
#                                          soak: 4,096 virtual threads seal 10,000 values each, the canary goes
#                                          through every combination of place, appender and fault, Spark opens
#                                          10 GB, attachments have up to 6 GB, and the reader opens 1 GB at least
#                                          half as fast as the program)
set -euo pipefail
cd "$(dirname "$0")/.."
# System.mapLibraryName has the same ending.
case $(uname) in Darwin) ending=dylib ;; *) ending=so ;; esac
readonly out=$PWD/target/java jni=$PWD/target/release/libsealmark_jni.$ending
readonly newest=$PWD/target/jdks/25/bin/java

main() {
    scripts/setup.sh cc cargo java maven
    mkdir -p "$out"
    # Built alone, this library would have its dependencies with other features, and cargo would compile them again.
    cargo build --quiet --release --locked --workspace --lib
    case ${1:-} in
        test) verify "${2:-}" ;;
        soak) soak ;;
        *) up_to_date || build ;;
    esac
}

up_to_date() {
    [ -f "$out/build.txt" ] && [ -z "$(find java "$jni" -type f -newer "$out/build.txt" -print -quit)" ]
}

build() {
    say "building the Java library"
    maven --quiet -Dmaven.test.skip package >"$out/build.new" 2>&1 || { cat "$out/build.new" >&2; return 1; }
    # The file gets the time at which the build ended, because it stands for all that was built.
    cat "$out/build.new" >"$out/build.txt"
}

verify() {
    local program=${1:-target/release/sealmark}
    [ -n "$1" ] || cargo build --quiet --release --locked -p sealmark-cli
    scripts/jdks.sh 8 11 21 25
    scripts/spark.sh
    # Modules that do not need each other are tested side by side: most of the time, JVMs start or tests wait for clocks.
    maven --threads 2 -Dsealmark.complete=true -Dsealmark.other.java="$newest" -Dsealmark.program="$PWD/$program" verify
    artifacts
}

# Checks the jars that users get; examples lie in deeper directories.
artifacts() {
    local pom artifact jars=() version
    version=$(sed -n 's|^    <version>\(.*\)</version>|\1|p' java/pom.xml)
    for pom in java/*/pom.xml; do
        # The receivers are tests alone.
        [ -d "${pom%/pom.xml}/src/main" ] || continue
        artifact=$(sed -n 's|^    <artifactId>\(.*\)</artifactId>|\1|p' "$pom")
        jars+=("$out/$artifact/$artifact-$version.jar")
    done
    python3 scripts/jars.py "${jars[@]}"
}

soak() {
    cargo build --quiet --release --locked -p sealmark-cli
    # The tests of large attachments use all of them, and leave out in silence those that are not there.
    scripts/jdks.sh 8 11 21 25
    maven --projects log -Dtest=CrowdTest -Dsealmark.other.java="$newest" -Dsealmark.crowd.values=10000 verify
    maven --projects logback,log4j2 --also-make -Dtest=CanaryTest -Dsurefire.failIfNoSpecifiedTests=false \
        -Dsealmark.canary=all -Dsealmark.program="$PWD/target/release/sealmark" verify
    scripts/spark.sh
    maven --projects spark --also-make -Dtest=SoakTest -Dsurefire.failIfNoSpecifiedTests=false \
        -Dsealmark.spark.soak.files=400 -Dsealmark.spark.soak.lines=150000 \
        -Dsealmark.program="$PWD/target/release/sealmark" verify
    maven --projects wss -Dtest=ScaleTest -Dsealmark.other.java="$newest" -Dsealmark.wss.soak=true verify
    maven --projects log,log-reader -Dmaven.test.skip package
    scripts/reader_speed.py target/release/sealmark "$out/sealmark-log-reader/sealmark-log-reader.jar"
}

maven() {
    mvn --batch-mode --no-transfer-progress --file java/pom.xml -Dstyle.color=never -Dsealmark.jni="$jni" "$@"
}

say() { echo "setup: $*" >&2; }

main "$@"
