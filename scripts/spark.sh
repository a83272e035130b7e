#!/usr/bin/env bash
# Unpacks the Spark of scripts/spark.txt under target/spark; nothing is installed. One that is there stays.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly pins=scripts/spark.txt spark=$PWD/target/spark

cmp -s "$pins" "$spark/pin" && exit
echo "setup: fetching Spark" >&2
scripts/setup.sh python
[ -x target/venv/bin/python ] || python3 -m venv target/venv
rm -rf "$spark"
# The package is an archive of sources: pip builds it, and needs setuptools for that.
target/venv/bin/python -m pip --quiet --disable-pip-version-check install --target "$spark" --requirement "$pins"
cp "$pins" "$spark/pin"
