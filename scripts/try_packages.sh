#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the packages of a build (default build/release) and tries them: the .deb in a clean Debian made by debootstrap, where they are
# installed with what they depend on, run, and compile a program; the .tar.gz in an empty folder. Needs root, debootstrap and a mirror.
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

debootstrap --variant=minbase bookworm "$root/debian" "$(debian_mirror)" >/dev/null
cp "$packages"/*.deb "$root/debian/tmp"
cp /etc/apt/apt.conf.d/* "$root/debian/etc/apt/apt.conf.d/" 2>/dev/null || true
inside() { chroot "$root/debian" env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"; }
inside sh -c 'apt-get update -q && apt-get install -y -q --no-install-recommends /tmp/*.deb gcc libc6-dev pkg-config' >/dev/null
printf '1e100\n1\n-1e100\n' >"$root/debian/tmp/x.txt"
inside accrue stats /tmp/x.txt
cp tests/consumers/c_and_fortran/total.c "$root/debian/tmp"
inside sh -c 'cd /tmp && gcc total.c $(pkg-config --cflags --libs accrue) -o total && ./total'
inside dpkg --list accrue accrue-dev | tail -2
