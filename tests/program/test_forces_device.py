# SPDX-License-Identifier: BSD-3-Clause
"""accrue forces --where device: published energies by every strategy, and the host's bits, trajectories included. Without a device, its words.

Usage: test_forces_device.py PROGRAM DATA_FOLDER
"""
import csv
import json
import pathlib
import subprocess
import sys

program, data = sys.argv[1], pathlib.Path(sys.argv[2])
NO_DEVICE = 77


def forces(*arguments):
    done = subprocess.run([program, "forces", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode == 1 and ("no CUDA device" in done.stderr or "no HIP device" in done.stderr):
        print(done.stderr)
        sys.exit(NO_DEVICE)
    assert done.returncode == 0, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout


def rows(*arguments):
    return json.loads(forces(*arguments, "--json"))


def same(a, b, *keys):
    for key in keys:
        assert a[key] == b[key], (key, a[key], b[key])


with open(data / "nist_lj/reference.csv") as file:
    for row in csv.DictReader(file):
        arguments = (data / f"nist_lj/lj_sample_config_periodic{row['configuration']}.txt", "--cutoff", row["cutoff"])
        found = rows(*arguments, "--where", "device", "--all")
        assert [r["strategy"] for r in found] == ["atomic", "gather", "fixed_point"]
        for r in found:
            assert f"{r['energy']:.4E}" == row["energy_nist"] and f"{r['virial_trace']:.4E}" == row["virial_nist"], (r, row)
        (host,) = rows(*arguments, "--strategy", "fixed_point")
        same(found[2], host, "force_checksum", "energy_bits", "virial", "pressure")
liquid = data / "lj_liquid/lammps_32000_step100.dump"
(device,), (host,) = (rows(liquid, "--strategy", "fixed_point", "--where", w, "--replicate", 2) for w in ("device", "host"))
same(device, host, "force_checksum", "energy_bits", "virial")
moving = ("--strategy", "fixed_point", "--temperature", 1.44, "--steps", 100, "--truncation", "shifted-force")
(device,), (host,) = (rows(liquid, *moving, "--where", w) for w in ("device", "host"))
same(device, host, "force_checksum", "energy_bits", "trajectory", "pressure")
assert len({t["potential_energy"] for t in device["trajectory"]}) == 11
text = forces(liquid, "--where", "device", "--all")
assert all(s in text for s in ("atomic", "gather", "fixed_point")), text
print("the device's forces and trajectories are the host's")
