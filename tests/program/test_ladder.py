# SPDX-License-Identifier: BSD-3-Clause
"""Every rung of the published ladders can be named, with accrue's own sums beside them, on a machine without a device."""

import collections
import subprocess
import sys

RUNGS = {"A": 7, "B": 8, "C": 6, "D": 9, "E": 13, "R": 3}


def main():
    done = subprocess.run([sys.argv[1], "--list", "--suite", "ladder"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = done.stdout.splitlines()
    rungs = collections.Counter(row.split()[1] for row in rows if ", beside " not in row)
    assert rungs == RUNGS, rungs
    beside = [row.split(", beside ")[1].split()[0] for row in rows if ", beside " in row]
    assert sorted(beside) == ["A", "B", "B", "C", "C", "D", "R", "R"], beside


main()
