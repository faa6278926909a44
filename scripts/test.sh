#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Sets up, builds and runs the tests, in stages, each a preset of that name: a release; the same with clang; for ARM under emulation; under
# AddressSanitizer and UBSan; under ThreadSanitizer; the Kokkos backend; ranks, over Open MPI and over MPICH; CUDA and HIP, which are
# compiled, linked and checked without a GPU.
# Usage: scripts/test.sh [STAGE...]    without arguments all of them
# ACCRUE_REQUIRE_ALL=1 makes a missing compiler for any of them, or a missing Kokkos, an error, installs what Debian has of them and the
# rivals that the benchmarks know, and makes a compiler's warning an error.
set -euo pipefail
cd "$(dirname "$0")/.."

# Minutes on two cores, roughly; the table at the end has those of the run.
declare -A minutes=([release]=17 [clang]=4 [aarch64]=5 [sanitize]=8 [thread]=4 [kokkos]=4 [mpi]=6 [mpich]=2 [cuda]=7 [hip]=5)
stages=(release clang aarch64 sanitize thread kokkos mpi mpich cuda hip)
wanted=("$@")
[ $# -ne 0 ] || wanted=("${stages[@]}")
for stage in "${wanted[@]}"; do
  [ -n "${minutes[$stage]:-}" ] || { echo "scripts/test.sh: '$stage' is none of ${stages[*]}" >&2; exit 2; }
done
required=${ACCRUE_REQUIRE_ALL:-0}

found() { command -v "$1" || [ -x "$2/$1" ]; }
what_it_needs() {
  case "$1" in
    clang) echo "clang++ and its OpenMP library" ;;
    aarch64) echo "qemu-aarch64, aarch64-linux-gnu-g++ and ARM's libraries (scripts/foreign_root.sh aarch64)" ;;
    kokkos) echo "Kokkos (libtrilinos-kokkos-dev, or Kokkos_ROOT)" ;;
    mpi) echo "an MPI (libopenmpi-dev and openmpi-bin, say)" ;;
    mpich) echo "MPICH (libmpich-dev and mpich)" ;;
    cuda) echo nvcc ;;
    hip) echo hipcc ;;
  esac
}
can_be_built() {
  case "$1" in
    clang) echo '#include <omp.h>' | clang++ -fopenmp -fsyntax-only -x c++ - ;;
    aarch64) command -v qemu-aarch64 && command -v aarch64-linux-gnu-g++ && scripts/foreign_root.sh aarch64 ;;
    kokkos) [ -e /usr/include/trilinos/Kokkos_Core.hpp ] || [ -n "${Kokkos_ROOT:-}" ] ;;
    mpi) command -v mpicc && command -v mpiexec ;;
    mpich) command -v mpicc.mpich && command -v mpiexec.mpich ;;
    cuda) found nvcc /usr/local/cuda/bin ;;
    hip) found hipcc /opt/rocm/bin ;;
  esac
}

has_device() {
  case "$1" in
    cuda) nvidia-smi -L ;;
    hip) [ -e /dev/kfd ] ;;
  esac >/dev/null 2>&1
}

asked=0
for stage in "${wanted[@]}"; do asked=$((asked + minutes[$stage])); done
echo "Stages: ${wanted[*]}. On two cores about $asked minutes."
echo "Looking for what they need"
scripts/prerequisites.sh test
if [ "$required" != 0 ]; then
  for stage in "${wanted[@]}"; do
    case "$stage" in
      clang|aarch64|hip|kokkos|mpi|mpich) scripts/prerequisites.sh "$stage" ;;
      release) scripts/prerequisites.sh rivals ;;
    esac
  done
fi
chosen=()
total=0
for stage in "${wanted[@]}"; do
  if can_be_built "$stage" >/dev/null 2>&1; then
    chosen+=("$stage")
    total=$((total + minutes[$stage]))
  else
    echo "Left out: $stage, which needs $(what_it_needs "$stage")" >&2
    [ "$required" = 0 ] || exit 1
  fi
done
[ ${#chosen[@]} -eq ${#wanted[@]} ] || echo "Stages: ${chosen[*]}. On two cores about $total minutes."

# Stages, and what README's commands and the tests' consumers build, compile the kernels and more with the same flags: once, where ccache is
# found. Paths of sources stay absolute, as relative ones would differ with the depth of a build's folder; those of what a build generates
# are taken from there.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_DIR=$PWD/build/ccache CCACHE_BASEDIR=$PWD/build CCACHE_NODIRECT=1 CCACHE_COMPILERCHECK=mtime
fi

# g++ collects its garbage less often, which takes a tenth off its time and half a gibibyte more of memory.
fast_flags=""
"${CXX:-c++}" --version | grep -q "Free Software Foundation" && fast_flags=" --param ggc-min-heapsize=524288"

table=()
current=""
tell() {
  local status=$?
  [ -z "$current" ] || table+=("$(printf '%-9s %7s %7s  %s' "$current" "" "" "FAILED")")
  echo
  printf '%-9s %7s %7s  %s\n' stage build tests "what ran"
  [ ${#table[@]} -eq 0 ] || printf '%s\n' "${table[@]}"
  printf '%d:%02d minutes in all\n' $((SECONDS / 60)) $((SECONDS % 60))
  rm -f "$output"
  exit $status
}
output=$(mktemp)
trap tell EXIT
number=0
flags=${CXXFLAGS:-}
for stage in "${chosen[@]}"; do
  current=$stage
  number=$((number + 1))
  echo "== $stage ($number of ${#chosen[@]}, about ${minutes[$stage]} minutes)"
  strict=(-DACCRUE_JOIN_TEST_FILES=ON)
  built=()  # what of the stage's targets and tests, if not all
  run=()
  export CXXFLAGS="-O0 $flags"  # which C's entries are compiled with, and what has no -O of its own
  [ "$stage" = clang ] || CXXFLAGS+=$fast_flags
  case "$required/$stage" in
    1/sanitize|1/thread) ;;  # whose compiler warns of what checks make of code
    1/*) CXXFLAGS+=" -Werror" ;;  # for what README's commands build too, which then is compiled as the stages are
  esac
  [ "$stage" != release ] || strict+=(-DBUILD_SHARED_LIBS=ON)  # and static ones in the others
  # Kernels and the suites have optimizations of their own; all else is compiled sooner than users' builds.
  case "$stage" in
    release) strict+=("-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" -DCMAKE_Fortran_FLAGS_RELEASE=-O1) ;;
    aarch64) strict+=("-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" -DACCRUE_TEST_SUITE=core) ;;
    clang) strict+=("-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG" -DACCRUE_TEST_SUITE=core) ;;
    kokkos|mpich) strict+=("-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG") ;;
    mpi) strict+=("-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG" -DCMAKE_Fortran_FLAGS_RELEASE=-O0) ;;
    cuda|hip)  # for one of AMD's targets; of both the hottest kernels' code is checked
      if ! has_device "$stage"; then
        strict+=(-DACCRUE_RUN_ON_DEVICES=OFF "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG")
        # But for benchmarks, and of the program and of C what calls devices.
        strict+=(-DACCRUE_BUILD_PERF=OFF -DACCRUE_BUILD_TOOLS=OFF -DACCRUE_BUILD_C=OFF -DCMAKE_HIP_ARCHITECTURES=gfx90a)
        # Of the host's part: devices' code is optimised all the same.
        case "$stage" in
          cuda) strict+=("-DCMAKE_CUDA_FLAGS_RELEASE=-O0 -DNDEBUG") ;;
          hip) strict+=("-DCMAKE_HIP_FLAGS_RELEASE=-O3 -Xarch_host -O0 -DNDEBUG") ;;
        esac
        built=(--target "conformance_$stage" "${stage}_tests" "${stage}_callers")
        [ "$stage" = hip ] || built+=(nccl_tests nccl_processes)
        run=(--exclude-regex documented)
      fi ;;
  esac
  # The objects of shared libraries are those of static ones where these hide no names: ccache has them then. The others hide them.
  case "$stage" in
    clang|aarch64|sanitize|thread) ;;
    *) strict+=(-DCMAKE_CXX_VISIBILITY_PRESET=default) ;;
  esac
  began=$SECONDS
  cmake --preset "$stage" "${strict[@]}" >/dev/null
  cmake --build --preset "$stage" "${built[@]}"
  began_tests=$SECONDS
  ctest --preset "$stage" "${run[@]}" | tee "$output"
  passed=$(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)/\2 tests/p' "$output")
  skipped=$(grep -c '(Skipped)$' "$output" || true)
  [ "$skipped" = 0 ] || passed="$passed, $skipped of them skipped: no device, or no such instructions"
  table+=("$(printf '%-9s %6ss %6ss  %s' "$stage" $((began_tests - began)) $((SECONDS - began_tests)) "$passed")")
  current=""
done
