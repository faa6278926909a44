#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Sets up, builds a release and shows the program on real data.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/prerequisites.sh demo
cmake --preset demo >/dev/null
cmake --build --preset demo
accrue=build/demo/src/program/accrue

echo
"$accrue" info
echo
echo "NIST Statistical Reference Datasets: computed against certified figures"
"$accrue" stats --format strd data/nist_strd/*.dat
echo
echo "The sum of the hardest of them, exactly and naively"
"$accrue" stats --skip 60 data/nist_strd/NumAcc4.dat
