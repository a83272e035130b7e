#!/usr/bin/env bash
# Builds the lab's JVM engine as target/java/engine.jar with its libraries in target/java/lib, and the native library
# that one of its providers measures; does nothing when they are newer than their sources.
# usage: scripts/java.sh [test]      (test: runs the engine's tests too, whatever is there)
set -euo pipefail
cd "$(dirname "$0")/.."
readonly out=$PWD/target/java jni=$PWD/target/release/libsealmark_lab_jni.so

main() {
    mkdir -p "$out"
    cargo build --quiet --release --locked -p sealmark-lab-jni
    case ${1:-} in
        test) maven verify && install ;;
        *) up_to_date || build ;;
    esac
}

up_to_date() {
    [ -f "$out/engine.jar" ] && [ -z "$(find java/engine "$jni" -type f -newer "$out/engine.jar" -print -quit)" ]
}

build() {
    say "building the lab's JVM engine"
    maven --quiet -DskipTests package >"$out/build.txt" 2>&1 || { cat "$out/build.txt" >&2; return 1; }
    install
}

maven() {
    mvn --batch-mode --no-transfer-progress --file java/engine/pom.xml -Dstyle.color=never \
        -Dsealmark.lab.jni="$jni" "$@"
}

install() {
    rm -rf "$out/lib"
    cp -r "$out/build/lib" "$out/lib"
    cp "$jni" "$out/lib/"
    cp java/engine/legacy.security "$out/"
    # Last, and with the time of now, because it stands for all of them.
    cp "$out/build/engine.jar" "$out/engine.jar"
    touch "$out/engine.jar"
}

say() { echo "setup: $*" >&2; }

main "$@"
