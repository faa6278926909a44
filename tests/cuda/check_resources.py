# SPDX-License-Identifier: BSD-3-Clause
"""Checks the compiler's own reports: no kernel of the library spills or uses local memory, and tiles are loaded 16 bytes at a time.

check_resources.py FOLDER NVCC SOURCE FLAGS...: reports lie in FOLDER; SOURCE is compiled to PTX.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

folder, nvcc, source, *flags = sys.argv[1:]
wrong = []

kernels = 0
for report in sorted(pathlib.Path(folder).rglob("*.cu.o.report")):
    name = None
    for line in report.read_text().splitlines():
        if m := re.search(r"Compiling entry function '(\w+)'", line):
            name = m.group(1)
            kernels += 1
        if m := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            if any(int(g) for g in m.groups()) and name:
                wrong.append(f"{report.name}: {name}: {line.strip()}")
            name = None
if kernels < 100:
    wrong.append(f"only {kernels} kernels in the reports of {folder}")

checked = 0
for architecture in ("compute_80", "compute_90"):  # straight loads; bulk copies
    with tempfile.TemporaryDirectory() as work:
        ptx = pathlib.Path(work) / "kernels.ptx"
        subprocess.run([nvcc, "-std=c++20", "-O3", "-ptx", f"-arch={architecture}", "--expt-relaxed-constexpr", *flags, source, "-o", ptx],
                       check=True)
        entries = ptx.read_text().split(".entry ")[1:]
    checked += len(entries)
    for entry in entries:
        title = entry.split("(", 1)[0]
        if not re.search(r"ld\.global\.(\w+\.)*v4\.|cp\.async\.bulk\.", entry):
            wrong.append(f"{architecture}: {title}: no 16-byte load")
    if len(entries) < 8:
        wrong.append(f"{architecture}: only {len(entries)} kernels in {source}")

print(f"{kernels} kernels in the compiler's reports, {checked} in PTX")
for line in wrong:
    print(line)
sys.exit(1 if wrong else 0)
