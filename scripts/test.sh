#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Sets up, builds and runs every test: a release, then with clang, then for ARM under emulation, then under AddressSanitizer and UBSan, then
# under ThreadSanitizer, then the Kokkos backend, then CUDA and HIP, which are compiled, linked and checked without a GPU too.
# ACCRUE_REQUIRE_ALL=1 makes a missing compiler for any of them, or a missing Kokkos, an error, installs what Debian has of them, and the
# rivals that the benchmarks know.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/prerequisites.sh test
required=${ACCRUE_REQUIRE_ALL:-0}
[ "$required" = 0 ] || for more in clang aarch64 hip kokkos rivals; do scripts/prerequisites.sh $more; done
presets=(release)
add_preset() {  # name, and a command that tells whether what it needs is there
  if "${@:2}" >/dev/null; then
    presets+=("$1")
  else
    echo "Nothing is built with the preset $1: ${*:2} failed" >&2
    [ "$required" = 0 ] || exit 1
  fi
}
found() { command -v "$1" || [ -x "$2/$1" ]; }
clang_with_openmp() { echo '#include <omp.h>' | clang++ -fopenmp -fsyntax-only -x c++ -; }
aarch64_tools() { command -v qemu-aarch64 && command -v aarch64-linux-gnu-g++ && scripts/foreign_root.sh aarch64; }
kokkos() { [ -e /usr/include/trilinos/Kokkos_Core.hpp ] || [ -n "${Kokkos_ROOT:-}" ]; }
add_preset clang clang_with_openmp
add_preset aarch64 aarch64_tools
presets+=(sanitize thread)
add_preset kokkos kokkos
add_preset cuda found nvcc /usr/local/cuda/bin
add_preset hip found hipcc /opt/rocm/bin
for preset in "${presets[@]}"; do
  echo "== $preset"
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset"
  ctest --preset "$preset"
done
