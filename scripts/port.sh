#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the library, the program, the tests and, natively, the benchmarks with a compiler for a processor, warnings being errors, and
# runs the suite with the golden bits, the unit tests and the readers: README's table of compilers and processors. Foreign processors are
# emulated.
# Usage: scripts/port.sh PROCESSOR [COMPILER]     e.g. x86_64 clang++-19, aarch64, aarch64 clang++-16
set -euo pipefail
cd "$(dirname "$0")/.."
processor=$1
compiler=${2:-}
folder=build/port-$processor${compiler:+-$compiler}
arguments=(-S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_COMPILE_WARNING_AS_ERROR=ON)
targets=(conformance_serial unit_tests reader_tests write_golden accrue_program)
if [ "$processor" = "$(uname -m)" ]; then
  arguments+=(-DACCRUE_BUILD_PERF=ON ${compiler:+"-DCMAKE_CXX_COMPILER=$compiler"})
  targets+=(conformance_openmp openmp_region accrue_bench accrue_perf accrue_md_perf)
else
  scripts/prerequisites.sh "$processor"
  scripts/foreign_root.sh "$processor"
  arguments+=(--toolchain cmake/foreign.cmake "-DACCRUE_FOREIGN=$processor")
  if [ -n "$compiler" ]; then  # whose OpenMP library for foreign processors is not at hand
    arguments+=("-DACCRUE_FOREIGN_CLANG=$compiler" -DACCRUE_BACKENDS=serial)
  else
    targets+=(conformance_openmp openmp_region)
  fi
fi
cmake "${arguments[@]}"
cmake --build "$folder" --target "${targets[@]}"
ctest --test-dir "$folder" --output-on-failure -R '^(conformance_(serial|openmp)_|unit_|openmp_region|readers)' -E large
