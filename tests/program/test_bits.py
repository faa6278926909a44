# SPDX-License-Identifier: BSD-3-Clause
"""accrue bits against the golden file, and what --compare says; the manual page and the shell completion name every option."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM, SOURCE, BACKENDS = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3].split()


def run(*arguments, code=0):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout


lines = run("bits")
cases = {}
for line in lines.splitlines():
    if not line.startswith("#"):
        backend, case = line.split(" ", 1)
        cases.setdefault(backend, set()).add(case)
golden = set((SOURCE / "tests/golden/bits.txt").read_text().splitlines())
assert all(c == golden for c in cases.values()), cases.keys()
without_device = set(re.findall(r"^# (\w+): ", lines, flags=re.M)) & {"cuda", "hip", "kokkos"}
assert {space.split(":")[0] for space in cases} | without_device == set(BACKENDS) - {"mpi"}, (cases.keys(), BACKENDS)
with tempfile.TemporaryDirectory() as folder:
    def file(name, text):
        (pathlib.Path(folder) / name).write_text(text)
        return str(pathlib.Path(folder) / name)

    here = file("here", lines)
    assert " 0 differ, 0 are not in all" in run("bits", "--compare", here, here)
    first = lines.splitlines()[1]
    digit = "0" if first[-1] != "0" else "1"
    there = file("there", lines.replace(first, first[:-1] + digit))
    said = run("bits", "--compare", here, there, code=1)
    assert " 1 differ" in said and there in said and first.split(" ", 1)[1].split(" : ")[0] in said, said
    assert " 1 are not in all" in run("bits", "--compare", here, file("short", lines.replace(first + "\n", "")), code=1)
    run("bits", "--compare", here, file("bad", "what is this\n"), code=1)
    run("bits", "--compare", file("empty", ""), code=1)

# The workflow of docs/ci.md, with this machine in the place of all of its.
with tempfile.TemporaryDirectory() as folder:
    workflow = (SOURCE / "docs/bits.yml").read_text()
    machines = re.search(r"machine: \[(.*)\]", workflow).group(1).split(", ")
    steps = re.findall(r"- run: (.*)", workflow)
    assert len(machines) == 4 and len(steps) == 2, (machines, steps)
    path = {**os.environ, "PATH": f"{pathlib.Path(PROGRAM).resolve().parent}:{os.environ['PATH']}"}
    for command in [steps[0].replace("${{ matrix.machine }}", m) for m in machines] + steps[1:]:
        subprocess.run(["sh", "-c", command], check=True, cwd=folder, env=path, stdout=subprocess.DEVNULL)
    assert len(list(pathlib.Path(folder).glob("*.bits"))) == 4

options = set()
for command in ("bits", "forces", "info", "stats"):
    options |= set(re.findall(r"--[a-z][a-z-]+", run(command, "--help"))) - {"--help"}
for page in ("accrue.1", "accrue.bash"):
    text = (SOURCE / "src/program" / page).read_text().replace("\\-", "-")
    missing = sorted(o for o in options if o not in text)
    assert not missing, (page, missing)
print("bits, manual page and completion agree with the program")
