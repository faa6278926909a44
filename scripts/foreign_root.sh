#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Unpacks the libraries that accrue, its tests and benchmarks need on another processor into build/roots/PROCESSOR, or PROCESSOR-COMPILER,
# from Debian's packages and without installing anything: what cmake/foreign.cmake builds against and what the emulator runs with.
# Usage: scripts/foreign_root.sh aarch64|riscv64|powerpc64le|s390x [clang++-VERSION]     (with a clang, its OpenMP library)
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/debian.sh
packages=(libc6 libstdc++6 libgomp1 libhwy-dev libcli11-dev libfmt-dev nlohmann-json3-dev libmpfr-dev libgmp-dev libcatch2-dev)
[ -z "${2:-}" ] || packages+=("libomp-${2##*-}-dev")
suites=(bookworm bookworm-backports)
case "$1" in
  aarch64) architecture=arm64 ;;
  powerpc64le) architecture=ppc64el ;;
  riscv64) architecture=riscv64 suites=(trixie) ;;  # the first suite that has it
  *) architecture=$1 ;;
esac
root=$PWD/build/roots/$1${2:+-$2}
[ -e "$root/unpacked" ] && exit 0

mirror=$(debian_mirror)
[ -n "$mirror" ] || { echo "This is no Debian, or its mirror is not to be found in /etc/apt" >&2; exit 1; }
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
mkdir -p "$root" "$state"/{sources,lists/partial,cache/archives/partial}
touch "$state/status"
for suite in "${suites[@]}"; do debian_source "$mirror" "$suite" >"$state/sources/$suite.sources"; done
get=(apt-get -q -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" -o "Dir::Etc::SourceList=/dev/null"
     -o "Dir::Etc::SourceParts=$state/sources" -o "Dir::State::Lists=$state/lists" -o "Dir::State::status=$state/status"
     -o "Dir::Cache=$state/cache" -o Debug::NoLocking=1)
if ! { "${get[@]}" update &&
       "${get[@]}" install -y --no-install-recommends --download-only -t "${suites[-1]}" "${packages[@]}"; } >"$state/log" 2>&1; then
  tail -n 20 "$state/log" >&2
  echo "The packages for $architecture could not be had: ${packages[*]}" >&2
  exit 1
fi
for package in "$state"/cache/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
find "$root" -type l -lname '/*' | while read -r link; do ln -sfrT "$root$(readlink "$link")" "$link"; done  # into the root, not out of it
[ -e "$root/lib" ] || ln -s usr/lib "$root/lib"
touch "$root/unpacked"
