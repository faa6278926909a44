#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Sets up, builds and runs every test: a release, then under AddressSanitizer and UBSan, then under ThreadSanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/prerequisites.sh test
for preset in release sanitize thread; do
  echo "== $preset"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset"
  ctest --preset "$preset"
done
