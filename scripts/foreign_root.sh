#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Unpacks the libraries that accrue and its tests need for another processor into a folder, from Debian's packages and without installing
# anything: what cmake/foreign.cmake builds against and what the emulator runs with.
# Usage: scripts/foreign_root.sh DEBIAN_ARCHITECTURE FOLDER [apt-get's options...]
set -euo pipefail
architecture=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
[ -e "$folder/unpacked" ] && exit 0
packages=(libc6 libstdc++6 libgomp1 libhwy-dev libcli11-dev libfmt-dev nlohmann-json3-dev libmpfr-dev libgmp-dev libcatch2-dev)

state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
touch "$state/status"
get=(apt-get -q -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" -o "Dir::State::Lists=$state/lists"
     -o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache" -o Debug::NoLocking=1 "$@")
# Some lists know no such architecture; what is missing shows at the download.
"${get[@]}" update >"$state/log" 2>&1 || true
backports=()
grep -q bookworm-backports "$state/log" && backports=(-t bookworm-backports)
if ! "${get[@]}" install -y --no-install-recommends --download-only "${backports[@]}" "${packages[@]}" >>"$state/log" 2>&1; then
  tail -n 20 "$state/log" >&2
  echo "The packages for $architecture could not be had: ${packages[*]}" >&2
  exit 1
fi
for package in "$state"/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
touch "$folder/unpacked"
