#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the packages of a build (default build/release) and tries them: the .deb in a clean Debian made by debootstrap, where they are
# installed with what they depend on, run, and programs in C, C++ and Fortran are compiled with them; the .tar.gz in an empty folder. Needs
# root, debootstrap and a mirror.
# Usage: scripts/try_packages.sh [BUILD]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/debian.sh
build=$(realpath "${1:-build/release}")
packages=$build/packages
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
rm -rf "$packages"
cpack --config "$build/CPackConfig.cmake" -B "$packages" >/dev/null
ls -l "$packages"/*.deb "$packages"/*.tar.gz

mkdir "$root/unpacked"
tar -xf "$packages"/*.tar.gz -C "$root/unpacked" --strip-components=1
"$root/unpacked/bin/accrue" --version
where=$(dirname "$(find "$root/unpacked" -name accrue.pc)")
(export PKG_CONFIG_PATH="$where" LD_LIBRARY_PATH="$where/.."
 cc examples/c_and_fortran/total.c $(pkg-config --cflags --libs accrue) -o "$root/total" && "$root/total")

debootstrap --variant=minbase bookworm "$root/debian" "$(debian_mirror)" >/dev/null
cp "$packages"/*.deb "$root/debian/tmp"
cp /etc/apt/apt.conf.d/* "$root/debian/etc/apt/apt.conf.d/" 2>/dev/null || true
inside() { chroot "$root/debian" env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"; }
inside sh -c 'apt-get update -q && apt-get install -y -q --no-install-recommends /tmp/*.deb gcc g++ gfortran libc6-dev pkg-config make cmake' >/dev/null
printf '1e100\n1\n-1e100\n' >"$root/debian/tmp/x.txt"
inside accrue stats /tmp/x.txt
cp -r tests/consumers examples "$root/debian/tmp"
inside make -C /tmp/examples/c_and_fortran FC=gfortran
inside /tmp/examples/c_and_fortran/total
inside /tmp/examples/c_and_fortran/rows
inside sh -c 'cmake -S /tmp/consumers/find_package -B /tmp/found >/dev/null && cmake --build /tmp/found >/dev/null && /tmp/found/consumer'
inside dpkg --list accrue accrue-dev | tail -2
