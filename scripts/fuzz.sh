#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Fuzzes the file readers with clang's libFuzzer, starting from the committed inputs and from what earlier runs found, which stays in
# build/fuzz. What breaks a reader lies beside it, named crash-...: give it a name and commit it to tests/fuzz/corpus_*.
# Usage: scripts/fuzz.sh [MINUTES for each of the two]
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/prerequisites.sh test
scripts/prerequisites.sh clang
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
for kind in readers configurations; do
  mkdir -p "build/fuzz/corpus_$kind"
  "build/fuzz/tests/fuzz_$kind" -max_total_time=$((60 * ${1:-5})) -artifact_prefix="build/fuzz/" "build/fuzz/corpus_$kind" "tests/fuzz/corpus_$kind"
done
