# SPDX-License-Identifier: BSD-3-Clause
"""Checks the compiler's own reports: no kernel of the library spills or uses local memory, and tiles are loaded 16 bytes at a time.

check_resources.py cuda|hip FOLDER COMPILER SOURCE FLAGS...: reports lie in FOLDER; SOURCE is compiled to assembly.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

backend, folder, compiler, source, *flags = sys.argv[1:]
wrong = []


def cuda_kernels(text):
    """Pairs of a kernel's name and what it should not use."""
    name = None
    for line in text.splitlines():
        if m := re.search(r"Compiling entry function '(\w+)'", line):
            name = m.group(1)
        if name and (m := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)):
            yield name, f"{line.strip()}" if any(int(g) for g in m.groups()) else ""
            name = None


def hip_kernels(text):
    for part in text.split("Function Name: ")[1:]:
        name = part.split()[0]
        if "_kernel" not in name:
            continue
        used = {what: int(n) for what, n in re.findall(r"(ScratchSize \[bytes/lane\]|VGPRs Spill): (\d+)", part)}
        yield name, f"{used}" if any(used.values()) or len(used) != 2 else ""


kernels = 0
for report in sorted(pathlib.Path(folder).rglob("*.o.report")):
    for name, used in (cuda_kernels if backend == "cuda" else hip_kernels)(report.read_text()):
        kernels += 1
        if used:
            wrong.append(f"{report.name}: {name}: {used}")
if kernels < 100:
    wrong.append(f"only {kernels} kernels in the reports of {folder}")

# Straight loads and bulk copies; waves of 64 lanes and of 32.
if backend == "cuda":
    command = ["-x", "cu", "-std=c++20", "-O3", "-ptx", "--expt-relaxed-constexpr"]
    targets = {"-arch=compute_80": r"ld\.global\.(\w+\.)*v4\.", "-arch=compute_90": r"ld\.global\.(\w+\.)*v4\.|cp\.async\.bulk\."}
    entry = r"\.entry (\w+)"
else:
    command = ["-x", "hip", "-std=c++20", "-O3", "-S", "--cuda-device-only", "-D__HIP_PLATFORM_AMD__=1"]
    targets = {f"--offload-arch={t}": r"(global|flat)_load_(dwordx4|b128)" for t in ("gfx90a", "gfx1030")}
    entry = r"\.type\s+(\w+),@function"
checked = 0
for target, load in targets.items():
    with tempfile.TemporaryDirectory() as work:
        assembly = pathlib.Path(work) / "kernels.s"
        subprocess.run([compiler, *command, target, *flags, source, "-o", assembly], check=True)
        parts = re.split(entry, assembly.read_text())[1:]
    found = [(name, body) for name, body in zip(parts[::2], parts[1::2]) if "_kernel" in name]
    checked += len(found)
    wrong += [f"{target}: {name}: no 16-byte load" for name, body in found if not re.search(load, body)]
    wrong += [f"{target}: {name}: bulk copies, and no fence between them and what was read"
              for name, body in found if "cp.async.bulk." in body and "fence.proxy.async" not in body]
    if len(found) < 8:
        wrong.append(f"{target}: only {len(found)} kernels in {source}")

print(f"{kernels} kernels in the compiler's reports, {checked} in assembly")
for line in wrong:
    print(line)
sys.exit(1 if wrong else 0)
