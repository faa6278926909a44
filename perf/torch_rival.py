# SPDX-License-Identifier: BSD-3-Clause
"""Adds torch.sum to the results of accrue_cuda_perf, measured now on the same device: the median of seven groups of five calls.

Usage: torch_rival.py results/FILE.json
Without torch or without a CUDA device it says so and leaves the file as it is.
"""
import json
import pathlib
import sys

try:
    import torch
except ImportError:
    sys.exit(print("torch was not found: torch.sum is left out"))
if not torch.cuda.is_available():
    sys.exit(print("torch sees no CUDA device: torch.sum is left out"))

path = pathlib.Path(sys.argv[1])
data = json.loads(path.read_text())
read_only = next(r["bytes_per_s"] for r in data["table"] if r["what"] == "read only")
size = int(data["input_bytes"])
for name, dtype in {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}.items():
    x = torch.rand(size // dtype.itemsize, dtype=dtype, device="cuda")
    for _ in range(3):
        torch.sum(x)
    times = []
    for _ in range(7):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(5):
            torch.sum(x)
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e-3 / 5)
    rate = size / sorted(times)[3]
    data["table"].append({"what": "torch.sum", "type": name, "bytes_per_s": rate, "of_read_only": rate / read_only})
    print(f"torch.sum {name} {rate * 1e-9:.1f} GB/s {rate / read_only:.3f}")
    del x
data["torch"] = torch.__version__
path.write_text(json.dumps(data, indent=1) + "\n")
