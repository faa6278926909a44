#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Sets up, builds a release and shows the program on real data. Arguments are for CMake's configuration.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/prerequisites.sh demo
cmake --preset demo "$@" >/dev/null
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

echo
echo "Lennard-Jones forces: the four NIST configurations at both cut-offs, by every strategy. Published energy and virial:"
for cutoff in 3 4; do
  awk -F, -v cutoff="$cutoff" 'NR > 1 && $4 == cutoff { printf "  configuration %s, cut-off %s: energy %s, virial %s\n", $1, $4, $8, $9 }' data/nist_lj/reference.csv
  "$accrue" forces data/nist_lj/lj_sample_config_periodic?.txt --cutoff "$cutoff" --all
done
echo
echo "A liquid of 32000 atoms, by every strategy; its forces are compared with those that LAMMPS wrote beside it"
picture=build/demo/timeline.svg
"$accrue" forces data/lj_liquid/lammps_32000_step100.dump --all --repeat 11 --timeline "$picture"
"$accrue" forces data/lj_liquid/lammps_32000_step100.dump --strategy fixed_point --repeat 11
echo "What each thread did when: $picture"
echo
echo "200 steps at constant energy, with forces that are the same bits on any number of threads"
"$accrue" forces data/lj_liquid/lammps_32000_step100.dump --strategy fixed_point --temperature 0.7574531 --steps 200
