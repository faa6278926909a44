#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing on Debian, when it may, and otherwise says exactly what to install.
# Usage: scripts/prerequisites.sh demo|test|clang|aarch64|riscv64|powerpc64le|s390x|hip|kokkos|mpi|mpich|rivals
set -euo pipefail
. "$(dirname "$0")/debian.sh"

need=(g++ cmake ninja-build libhwy-dev libcli11-dev libfmt-dev nlohmann-json3-dev)
backports=()
case "${1:-demo}" in
  test)
    need+=(gcc gfortran pkg-config make ccache libmpfr-dev libgmp-dev python3)
    backports+=(catch2=3 cmake=3.28)  # bookworm itself has 2, and a cmake that cannot compile CUDA as C++20
    ;;
  clang) need+=(clang libomp-dev) ;;
  aarch64|riscv64|powerpc64le|s390x) need+=(qemu-user "g++-$1-linux-gnu") ;;
  hip) need+=(hipcc libamdhip64-dev) ;;
  kokkos) need+=(libtrilinos-kokkos-dev) ;;
  mpi) need+=(libopenmpi-dev openmpi-bin) ;;
  mpich) need+=(libmpich-dev mpich) ;;
  rivals) need+=(libtbb-dev libeigen3-dev libopenblas-dev python3-matplotlib doxygen) ;;  # that the benchmarks measure; pictures, pages
esac

installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }
missing=()
for package in "${need[@]}"; do installed "$package" || missing+=("$package"); done
missing_backports=()
for wanted in "${backports[@]+"${backports[@]}"}"; do
  package=${wanted%=*}
  version=$(dpkg-query -W -f '${Version}' "$package" 2>/dev/null || true)
  if [ -z "$version" ] || dpkg --compare-versions "$version" lt "${wanted#*=}"; then missing_backports+=("$package"); fi
done
[ ${#missing[@]} -eq 0 ] && [ ${#missing_backports[@]} -eq 0 ] && exit 0

say_how() {
  echo "Please install, as root:" >&2
  [ ${#missing[@]} -eq 0 ] || echo "  apt-get install ${missing[*]}" >&2
  [ ${#missing_backports[@]} -eq 0 ] || echo "  apt-get install -t bookworm-backports ${missing_backports[*]}   (from the suite bookworm-backports)" >&2
  exit 1
}
command -v apt-get >/dev/null || { echo "This is no Debian: accrue needs ${missing[*]} ${missing_backports[*]} under their names here." >&2; exit 1; }
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  sudo -n true 2>/dev/null || say_how
  as_root=(sudo -n)
fi

export DEBIAN_FRONTEND=noninteractive
if [ ${#missing_backports[@]} -ne 0 ] && ! apt-cache policy 2>/dev/null | grep -q bookworm-backports; then
  mirror=$(debian_mirror)  # the suite lies beside bookworm
  [ -n "$mirror" ] || say_how
  debian_source "$mirror" bookworm-backports | "${as_root[@]}" tee /etc/apt/sources.list.d/bookworm-backports.sources >/dev/null
fi
"${as_root[@]}" apt-get update -q >/dev/null
[ ${#missing[@]} -eq 0 ] || "${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" >/dev/null
[ ${#missing_backports[@]} -eq 0 ] ||
  "${as_root[@]}" apt-get install -y -q --no-install-recommends -t bookworm-backports "${missing_backports[@]}" >/dev/null
