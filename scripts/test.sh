#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Sets up, builds and runs every test: a release, then under AddressSanitizer and UBSan, then under ThreadSanitizer, then the CUDA
# backend, which is compiled, linked and checked without a GPU too. ACCRUE_REQUIRE_CUDA=1 makes a missing nvcc an error.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/prerequisites.sh test
presets=(release sanitize thread)
if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
  presets+=(cuda)
else
  echo "nvcc was not found: the CUDA backend is not compiled" >&2
  [ "${ACCRUE_REQUIRE_CUDA:-0}" = 0 ] || exit 1
fi
for preset in "${presets[@]}"; do
  echo "== $preset"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset"
  ctest --preset "$preset"
done
