#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the library, the program, the tests and the benchmarks with a compiler, warnings being errors, and runs the suite with the golden
# bits, the unit tests and the readers: README's table of compilers and processors. Other processors are emulated. A clang for this
# machine's own needs its OpenMP library (libomp-19-dev and so on).
# Usage: scripts/port.sh PROCESSOR [COMPILER]     e.g. x86_64 clang++-19, aarch64, aarch64 clang++-16
set -euo pipefail
cd "$(dirname "$0")/.."
processor=${1:?usage: scripts/port.sh PROCESSOR [COMPILER], for instance x86_64 clang++-19, or aarch64}
compiler=${2:-}
scripts/prerequisites.sh test
folder=build/port-$processor${compiler:+-$compiler}
arguments=(-S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_COMPILE_WARNING_AS_ERROR=ON)
targets=(conformance_serial conformance_openmp openmp_region unit_tests reader_tests accrue_bench)
emulator=()
if [ "$processor" = "$(uname -m)" ]; then
  arguments+=(${compiler:+"-DCMAKE_CXX_COMPILER=$compiler"})
else
  scripts/prerequisites.sh "$processor"
  scripts/foreign_root.sh "$processor" ${compiler:+"$compiler"}
  emulator=("qemu-${processor/powerpc64le/ppc64le}" -L "build/roots/$processor${compiler:+-$compiler}")
  arguments+=(--toolchain cmake/foreign.cmake "-DACCRUE_FOREIGN=$processor" ${compiler:+"-DACCRUE_FOREIGN_CLANG=$compiler"})
fi
if [ "$processor" = riscv64 ]; then  # Debian 12's linker for it crashes on the Catch2 of the next Debian, the first that has one
  targets=()
else
  arguments+=(-DACCRUE_BUILD_PERF=ON)
fi
cmake "${arguments[@]}"
cmake --build "$folder" --target accrue_program write_golden "${targets[@]+"${targets[@]}"}"
write_golden() { "${emulator[@]+"${emulator[@]}"}" "$folder/tests/write_golden" "$@"; }
write_golden | cmp - tests/golden/bits.txt
write_golden groups | cmp - tests/golden/groups.txt
write_golden forces | cmp - tests/golden/forces.txt
echo "The golden files come out the same, forces computed by the library"
[ ${#targets[@]} -eq 0 ] ||
  ctest --test-dir "$folder" --output-on-failure -R '^(conformance_(serial|openmp)_|unit_|openmp_region|readers)' -E large
