#!/usr/bin/env bash
# Builds the lab's JVM engine as target/java/engine.jar with its libraries in target/java/lib, native ones included, and its
# Tomcat as target/java/app/app.jar; does nothing when they are newer than their sources.
# usage: lab/scripts/java.sh [test]                (test: runs their tests, too)
set -euo pipefail
cd "$(dirname "$0")/../.."
# System.mapLibraryName has the same ending.
case $(uname) in Darwin) ending=dylib ;; *) ending=so ;; esac
readonly out=$PWD/target/java jni=$PWD/target/release/libsealmark_jni.$ending
readonly lab_jni=$PWD/target/release/libsealmark_lab_jni.$ending
readonly sources=(java/pom.xml java/log java/log-reader java/tomcat java/wss lab/pom.xml lab/engines/jvm lab/app "$jni" "$lab_jni")

main() {
    mkdir -p "$out"
    # Built alone, a library would have its dependencies with other features, and they would be compiled again.
    cargo build --quiet --release --locked --workspace --lib
    (cd lab && cargo build --quiet --release --locked -p sealmark-lab-jni)
    case ${1:-} in
        test) verify ;;
        *) up_to_date || build ;;
    esac
}

up_to_date() {
    [ -f "$out/engine.jar" ] && [ -z "$(find "${sources[@]}" -type f -newer "$out/engine.jar" -print -quit)" ]
}

build() {
    echo "setup: building the lab's engines on the JVM" >&2
    maven --quiet -Dmaven.test.skip package >"$out/lab.txt" 2>&1 || { cat "$out/lab.txt" >&2; return 1; }
    install
}

verify() {
    scripts/jdks.sh 8 27
    maven --threads 2 verify
    install
}

# The library's own tests are not the lab's.
maven() {
    mvn --batch-mode --no-transfer-progress --file lab/pom.xml -Dstyle.color=never -Dsealmark.test.skip=true \
        -Dsealmark.jni="$jni" -Dsealmark.lab.jni="$lab_jni" "$@"
}

install() {
    rm -rf "$out/lib"
    cp -r "$out/build/lib" "$out/lib"
    cp "$lab_jni" "$out/lib/"
    cp lab/engines/jvm/legacy.security "$out/"
    # Last, and with the time of now, because it stands for all of them.
    cp "$out/build/engine.jar" "$out/engine.jar"
    touch "$out/engine.jar"
}

main "$@"
