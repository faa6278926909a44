# SPDX-License-Identifier: BSD-3-Clause
"""Checks the compiler's own reports: no kernel spills or uses local memory, and tiles are loaded 16 bytes at a time.

check_resources.py cuda|hip FOLDER COMPILER HOT OTHERS FLAGS...: reports of the library lie in FOLDER; the source HOT is compiled to
assembly, which shows the loads, and of OTHERS, kernels that no library holds, the compiler reports here.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

backend, folder, compiler, source, others, *flags = sys.argv[1:]
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
        # The frames of functions that are called once a group or a row that is rare; of kernels that keep scalars in vector registers.
        frames = {"left_kernel": 16, "short_rows_kernel": 96, "build_brick_rows_kernel": 8, "pair_force_kernel": 8}
        frame = next((size for kernel, size in frames.items() if kernel in name), 0)
        if used.get("ScratchSize [bytes/lane]", 0) <= frame:
            used["ScratchSize [bytes/lane]"] = 0
        yield name, f"{used}" if any(used.values()) or len(used) != 2 else ""


def check_report(where, text):
    """The number of kernels in a report."""
    found = list((cuda_kernels if backend == "cuda" else hip_kernels)(text))
    wrong.extend(f"{where}: {name}: {used}" for name, used in found if used)
    return len(found)


kernels = sum(check_report(report.name, report.read_text()) for report in sorted(pathlib.Path(folder).rglob("*.o.report")))
if kernels < 200:
    wrong.append(f"only {kernels} kernels in the reports of {folder}")
if backend == "cuda":
    command = ["-x", "cu", "-std=c++20", "-O3", "-cubin", "-arch=sm_90", "--expt-relaxed-constexpr", "-Xptxas=-v"]
else:
    command = ["-x", "hip", "-std=c++20", "-O3", "-S", "--cuda-device-only", "--offload-arch=gfx90a", "-D__HIP_PLATFORM_AMD__=1",
               "-Rpass-analysis=kernel-resource-usage"]
done = subprocess.run([compiler, *command, *flags, others, "-o", "/dev/null"], check=True, capture_output=True, text=True)
reported = check_report(pathlib.Path(others).name, done.stdout + done.stderr)
if reported < 73:
    wrong.append(f"only {reported} kernels in the report of {others}")

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

print(f"{kernels} kernels in the library's reports, {reported} of others, {checked} in assembly")
for line in wrong:
    print(line)
sys.exit(1 if wrong else 0)
