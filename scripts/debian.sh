# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the other scripts: where this Debian gets its packages from.

# Prints the address of the mirror that the machine's own packages come from; nothing if there is none.
debian_mirror() {
  {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -nE 's/^deb +(\[[^]]*\] +)?([^ ]+) +bookworm +main.*/\2/p'
    cat /etc/apt/sources.list.d/*.sources 2>/dev/null | awk '/^URIs:/{u=$2} /^Suites:/ && /bookworm( |$)/{print u}'
  } | head -n 1 || true  # one kind of list or the other may be missing
}

# debian_source MIRROR SUITE: what APT is to read to get that suite's packages.
debian_source() {
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' "$1" "$2"
}
