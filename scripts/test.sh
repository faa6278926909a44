#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Sets up, builds and runs every test: a release, then under AddressSanitizer and UBSan, then under ThreadSanitizer, then the Kokkos
# backend, then CUDA and HIP, which are compiled, linked and checked without a GPU too. ACCRUE_REQUIRE_DEVICES=1 makes a missing compiler for
# them, or a missing Kokkos, an error, and installs the rivals that the benchmarks know.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/prerequisites.sh test
required=${ACCRUE_REQUIRE_DEVICES:-0}
[ "$required" = 0 ] || for more in hip kokkos rivals; do scripts/prerequisites.sh $more; done
presets=(release sanitize thread)
if [ -e /usr/include/trilinos/Kokkos_Core.hpp ] || [ -n "${Kokkos_ROOT:-}" ]; then
  presets+=(kokkos)
else
  echo "Kokkos was not found (libtrilinos-kokkos-dev, or Kokkos_ROOT): its backend is not compiled" >&2
fi
add_device_preset() {  # name, compiler, where else it may be
  if command -v "$2" >/dev/null || [ -x "$3/$2" ]; then
    presets+=("$1")
  else
    echo "$2 was not found: the $1 backend is not compiled" >&2
    [ "$required" = 0 ] || exit 1
  fi
}
add_device_preset cuda nvcc /usr/local/cuda/bin
add_device_preset hip hipcc /opt/rocm/bin
for preset in "${presets[@]}"; do
  echo "== $preset"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset"
  ctest --preset "$preset"
done
