#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Sets up, builds and runs every test: a release, then with clang, then for ARM under emulation, then under AddressSanitizer and UBSan, then
# under ThreadSanitizer, then the Kokkos backend, then CUDA and HIP, which are compiled, linked and checked without a GPU too.
# ACCRUE_REQUIRE_ALL=1 makes a missing compiler for any of them, or a missing Kokkos, an error, installs what Debian has of them and the
# rivals that the benchmarks know, and makes a compiler's warning an error.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/prerequisites.sh test
required=${ACCRUE_REQUIRE_ALL:-0}
[ "$required" = 0 ] || for more in clang aarch64 hip kokkos rivals; do scripts/prerequisites.sh $more; done
presets=(release)
add_preset() {  # name, what it needs, and a command that tells whether that is there
  if "${@:3}" >/dev/null 2>&1; then
    presets+=("$1")
  else
    echo "Not built: the preset $1, which needs $2" >&2
    [ "$required" = 0 ] || exit 1
  fi
}
found() { command -v "$1" || [ -x "$2/$1" ]; }
clang_with_openmp() { echo '#include <omp.h>' | clang++ -fopenmp -fsyntax-only -x c++ -; }
aarch64_tools() { command -v qemu-aarch64 && command -v aarch64-linux-gnu-g++ && scripts/foreign_root.sh aarch64; }
kokkos() { [ -e /usr/include/trilinos/Kokkos_Core.hpp ] || [ -n "${Kokkos_ROOT:-}" ]; }
add_preset clang "clang++ and its OpenMP library" clang_with_openmp
add_preset aarch64 "qemu-aarch64, aarch64-linux-gnu-g++ and ARM's libraries (scripts/foreign_root.sh aarch64)" aarch64_tools
presets+=(sanitize thread)
add_preset kokkos "Kokkos (libtrilinos-kokkos-dev, or Kokkos_ROOT)" kokkos
add_preset cuda nvcc found nvcc /usr/local/cuda/bin
add_preset hip hipcc found hipcc /opt/rocm/bin
for preset in "${presets[@]}"; do
  echo "== $preset"
  strict=()
  case "$required/$preset" in 1/release|1/clang|1/aarch64) strict=(-DCMAKE_COMPILE_WARNING_AS_ERROR=ON) ;; esac
  cmake --preset "$preset" "${strict[@]+"${strict[@]}"}" >/dev/null
  cmake --build --preset "$preset"
  ctest --preset "$preset"
done
