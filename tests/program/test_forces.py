# SPDX-License-Identifier: BSD-3-Clause
"""accrue forces from the outside: published energies, every strategy, trajectories, the picture, and what malformed files get.

Usage: test_forces.py PROGRAM DATA_FOLDER
"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

program, data = sys.argv[1], pathlib.Path(sys.argv[2])
STRATEGIES = ["critical", "triangle", "atomic", "replicated", "gather", "fixed_point"]


def forces(*arguments, fails=False):
    done = subprocess.run([program, "forces", *map(str, arguments)], capture_output=True, text=True)
    assert (done.returncode != 0) == fails, f"{arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stderr if fails else done.stdout


def published_values():
    with open(data / "nist_lj/reference.csv") as file:
        for row in csv.DictReader(file):
            name = data / f"nist_lj/lj_sample_config_periodic{row['configuration']}.txt"
            for threads in (1, 2, 5):
                rows = json.loads(forces(name, "--all", "--cutoff", row["cutoff"], "--threads", threads, "--json"))
                assert [r["strategy"] for r in rows] == STRATEGIES
                assert len({r["energy_bits"] for r in rows}) == 1
                for r in rows:
                    assert f"{r['energy']:.4E}" == row["energy_nist"], (r, row)
                    assert f"{r['virial_trace']:.4E}" == row["virial_nist"], (r, row)
                    assert abs(r["energy_correction"] - float(row["energy_long_range"])) < 3e-6 * abs(r["energy_correction"])


def fixed_point_is_one_answer():
    liquid = data / "lj_liquid/lammps_32000_step100.dump"
    seen = set()
    for threads in (1, 2, 3, 8):
        (r,) = json.loads(forces(liquid, "--strategy", "fixed_point", "--threads", threads, "--json"))
        assert r["worst_force_error"] < 1e-11
        assert r["threads"] == threads
        seen.add((r["force_checksum"], r["energy_bits"]))
    assert len(seen) == 1, seen


def trajectories_keep_their_energy():
    name = data / "nist_lj/lj_sample_config_periodic3.txt"
    ends = set()
    for threads in (1, 2, 3):
        (r,) = json.loads(forces(name, "-s", "fixed_point", "-j", threads, "--truncation", "shifted-force", "--temperature", 0.5,
                                 "--timestep", 0.001, "--steps", 200, "--json"))
        path = r["trajectory"]
        assert [p["step"] for p in path] == list(range(0, 201, 20))
        total = [p["potential_energy"] + p["kinetic_energy"] for p in path]
        assert max(abs(t - total[0]) for t in total) < 2e-3 * path[0]["kinetic_energy"], total
        assert path[0]["potential_energy"] != path[-1]["potential_energy"]
        ends.add((path[-1]["potential_energy"], path[-1]["kinetic_energy"], r["force_checksum"]))
    assert len(ends) == 1, ends


def the_picture_is_one():
    with tempfile.TemporaryDirectory() as folder:
        picture = pathlib.Path(folder) / "timeline.svg"
        forces(data / "nist_lj/lj_sample_config_periodic1.txt", "--all", "-c", 3, "-j", 3, "--timeline", picture)
        root = xml.etree.ElementTree.parse(picture).getroot()
        texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
        for s in STRATEGIES:
            assert any(s in t for t in texts), s
        assert texts.count("thread 2") == 8  # six strategies, two of them with a closer look
        assert len(list(root.iter("{http://www.w3.org/2000/svg}rect"))) > 50
        forces(data / "nist_lj/lj_sample_config_periodic4.txt", "-c", 3, "--timeline", "/nowhere/at/all.svg", fails=True)


def text_output():
    text = forces(data / "nist_lj/lj_sample_config_periodic4.txt", "-c", 3, "-j", 1)
    assert "-16.7903213046" in text and "-46.24919" in text and "force checksum" in text
    table = forces(data / "nist_lj/lj_sample_config_periodic4.txt", "-c", 3, "--all")
    assert all(s in table for s in STRATEGIES)
    eight = json.loads(forces(data / "nist_lj/lj_sample_config_periodic1.txt", "-c", 3, "--replicate", 2, "--json"))[0]
    assert eight["particles"] == 6400 and abs(eight["energy"] / 8 + 4351.540194543866) < 1e-7


def refusals():
    name = data / "nist_lj/lj_sample_config_periodic2.txt"
    assert "half the box" in forces(name, "--cutoff", 4.1, fails=True)
    forces(name, "--cutoff", -1, fails=True)
    forces(name, "--strategy", "hope", fails=True)
    forces(name, "--all", "--strategy", "gather", fails=True)
    assert "cannot be opened" in forces("no such file", fails=True)
    away = subprocess.run([program, "forces", name, "-c", "3", "--where", "device"], capture_output=True, text=True)
    assert away.returncode == 0 or re.search("built without a device|no (CUDA|HIP) device", away.stderr), away
    with tempfile.TemporaryDirectory() as folder:
        bad = pathlib.Path(folder) / "bad.txt"
        lines = name.read_text().splitlines()
        lines[6] = lines[6].replace(".", "x", 1)
        bad.write_text("\n".join(lines) + "\n")
        message = forces(bad, "-c", 3, fails=True)
        assert "bad.txt:7" in message and "expected" in message, message
        twice = name.read_text().splitlines()
        twice[5] = twice[5][:5] + twice[4][5:]
        bad.write_text("\n".join(twice) + "\n")
        assert "at the same place" in forces(bad, "-c", 3, fails=True)


for test in (published_values, fixed_point_is_one_answer, trajectories_keep_their_energy, the_picture_is_one, text_output, refusals):
    test()
    print(test.__name__, "passed")
