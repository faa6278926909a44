# SPDX-License-Identifier: BSD-3-Clause
"""Adds torch to a results file of accrue_bench, measured now on the same machine: speed and errors where the file has rivals on a device,
sums of the sizes where it has sizes there, and sums of groups where it has groups, on hosts too. Rows of torch that the file already has are
replaced.

Usage: torch_rival.py results/FILE.json
Without torch, or a CUDA device for rows of one, it says so and leaves the file as it is. The inputs are those of bench/correctness.cpp and
bench/groups_suite.cpp in kind, drawn anew; exact results come from Python's integers and fractions.
"""

import json
import math
import pathlib
import random
import sys
import time

from exact_arithmetic import error, exact_sum, rounded

try:
    import torch
except ImportError:
    sys.exit(print("torch was not found: its rows are left out"))

NAME = f"torch {torch.__version__}"
DEVICE = torch.cuda.is_available()
SWEPT = torch.empty(2 * torch.cuda.get_device_properties(0).L2_cache_size, dtype=torch.uint8, device="cuda") if DEVICE else None
TYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
OPERATIONS = {
    "sum": lambda x, y, out: torch.sum(x, dim=0, dtype=out.dtype, out=out),
    "dot": lambda x, y, out: torch.dot(x, y, out=out),
    "min": lambda x, y, out: torch.amin(x, dim=0, out=out),
    "sum of magnitudes": lambda x, y, out: torch.linalg.vector_norm(x, ord=1, out=out),
}


def result_for(dtype):
    """Room for a result: 16-bit floats are added to a float, as accrue adds them."""
    return torch.empty((), dtype=torch.float32 if dtype.itemsize == 2 else dtype, device="cuda")


def cases(kind):
    draw = random.Random(12345)
    bits, large = (40, 1e300) if kind == "f64" else (17, 1e37)
    tiny = 5e-324 if kind == "f64" else 2.0**-149
    largest = 0.75 * torch.finfo(TYPES[kind]).max
    half = [math.ldexp(draw.gauss(0, 1), draw.randrange(2 * bits) - bits // 2) for _ in range((1 << 17) - 64)]
    ill = half + [-v for v in half] + [math.ldexp(draw.gauss(0, 1), -bits) for _ in range(128)]
    draw.shuffle(ill)
    ones = [1.0] * 4096
    return {
        "uniform": [draw.random() for _ in range(1 << 18)],
        "normal": [draw.gauss(0, 1) for _ in range(1 << 18)],
        "exponents +-30": [draw.choice((-1, 1)) * 2 ** draw.uniform(-30, 30) for _ in range(1 << 18)],
        "ill-conditioned": ill,
        "1e10, -1e10, many 1e-3": [1e10, -1e10] + [1e-3] * 4094,
        "a million zeros": [0.0] * 1000000,
        "+0 and -0": [0.0] * 17 + [-0.0] + [0.0] * 4078,
        "subnormal": [tiny * draw.randrange(-900, 1101) for _ in range(4096)],
        "four large": [large] * 4,
        "overflow on the way": [largest, largest, -largest],
        "ones and Inf": ones + [math.inf],
        "Inf and -Inf": ones + [math.inf, -math.inf],
        "ones and NaN": ones + [math.nan],
    }


def errors(operation, kind):
    found = {}
    for name, values in cases(kind).items():
        x = torch.tensor(values, dtype=TYPES[kind], device="cuda")
        held = x.tolist()
        if operation == "min":
            expected = math.nan if any(map(math.isnan, held)) else min(held, key=lambda v: (v, math.copysign(1, v)))
        else:
            expected = rounded(exact_sum([abs(v) for v in held] if operation == "sum of magnitudes" else held), kind)
        found[name] = error(OPERATIONS[operation](x, torch.ones_like(x), result_for(x.dtype)).item(), expected, kind)
    return found


def seconds_of(call, calls):
    """Seconds a call, of so many in a row, once what earlier calls left in the cache is swept out."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    SWEPT.zero_()
    begin.record()
    call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3 / calls


def timed(call, in_graph):
    """Times call(k), k counting on from call to call, or a graph of such calls: the median of 21 groups, and half the width of the
    interval that holds it with 95 % probability, over it."""

    def several(count):
        for k in range(count):
            call(k)

    several(2)  # the first loads the code
    calls = max(1, min(200, round(2e-3 / seconds_of(lambda: several(5), 5))))
    run = lambda: several(calls)
    if in_graph:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            several(calls)
        run = graph.replay
        run()  # the first launch uploads it
    times = sorted(seconds_of(run, calls) for _ in range(21))
    reach = 0.98 * math.sqrt(len(times))
    low, high = math.floor(len(times) / 2 - reach) - 1, math.ceil(len(times) / 2 + reach)
    median = times[len(times) // 2]
    return {"median_s": median, "spread": (times[high] - times[low]) / (2 * median), "rounds": len(times)}


def is_right(result, operation, x, y):
    """Whether a result lies within 2 sqrt(n) roundings of the sum of magnitudes; minima must be the same."""
    got = result.item()
    if operation == "min":
        return got == min(part.min().item() for part in x.split(1 << 20))
    magnitude = 0.0
    parts = []
    for a, b in zip(x.split(1 << 20), y.split(1 << 20)):
        terms = a.double() * b.double() if operation == "dot" else a.double()
        parts.append(math.fsum(terms.tolist()) if len(x) <= 1 << 20 else terms.sum().item())
        magnitude += terms.abs().sum().item()
    return abs(got - math.fsum(parts)) <= 2 * math.sqrt(len(x)) * torch.finfo(result.dtype).eps * magnitude


def row_of(like, labels, call, result, x, y):
    """A finished row. Its calls leave their result, which is judged when they have been timed, in `result`."""
    row = {"suite": like["suite"], "where": like["where"]} | labels
    result.fill_(-12345)
    row |= timed(call, row.get("how") == "graph")
    row |= {"settled": row["spread"] <= 0.01, "bytes_per_s": row["bytes"] / row["median_s"]}
    row["verified"] = is_right(result, row["what"], x, y)
    print(f"{row['what']} {row['type']} n={row['n']} {row.get('how', '')} {row['bytes_per_s'] * 1e-9:.1f} GB/s", flush=True)
    return row


def rivals(like):
    """Large inputs, as long as those of the row `like`."""
    size = like["bytes"]
    for kind, dtype in TYPES.items():
        whole = torch.rand(size // dtype.itemsize, dtype=dtype, device="cuda")
        for operation, run in OPERATIONS.items():
            if kind in ("f16", "bf16") and operation != "sum":
                continue
            n = len(whole) // 2 if operation == "dot" else len(whole)
            x, y = whole[:n], whole[len(whole) - n :]
            result = result_for(dtype)
            labels = {"what": operation, "by": NAME, "type": kind, "input": "uniform", "n": n, "bytes": size}
            row = row_of(like, labels, lambda k: run(x, y, result), result, x, y)
            if kind in ("f64", "f32"):
                found = errors(operation, kind)
                row |= {"errors_ulp": found, "exact_cases": f"{sum(e == 0 for e in found.values())}/{len(found)}"}
            yield row
        del whole, x, y


def sizes(like, wanted):
    """Sums of the wanted types and sizes, in copies of the input that together exceed the cache; on a stream and in a graph."""
    for kind, n in wanted:
        dtype = TYPES[kind]
        aligned = -(-n * dtype.itemsize // 256) * 256 // dtype.itemsize
        copies = max(1, -(-SWEPT.numel() // (aligned * dtype.itemsize)))
        one = torch.rand(n, dtype=dtype, device="cuda")
        held = torch.zeros(copies, aligned, dtype=dtype, device="cuda")
        held[:, :n] = one
        inputs = [held[k % copies, :n] for k in range(200)]
        result = result_for(dtype)
        for how in ("stream", "graph"):
            labels = {"what": "sum", "by": NAME, "type": kind, "n": n, "how": how, "bytes": n * dtype.itemsize}
            yield row_of(like, labels, lambda k: OPERATIONS["sum"](inputs[k], None, result), result, one, one)


def seconds_on_host(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def offsets_of(distribution, mean, n):
    """Where segments begin, of lengths as bench/groups_suite.cpp draws them; and the end."""
    count = n // mean + 1
    u = torch.rand(2 * count, dtype=torch.float64)
    drawn = 0.5 * mean / (u + 1e-12).sqrt() if distribution == "power law" else u * (2 * mean - 1)
    ends = torch.cumsum(1 + drawn.to(torch.int64), 0)
    if distribution == "one giant":
        ends = ends[ends < n // 2]
    return torch.cat([torch.tensor([0]), ends[ends < n], torch.tensor([n])])


def groups(like):
    """Sums of the groups of a row of accrue's: the call of all of them, and what of some of them is expected."""
    shape, size, n = like["grouping"], like["length"], like["n"]
    device = "cpu" if like["where"] == "host" else "cuda"
    x = torch.randn(n, dtype=TYPES[like["type"]], device=device)
    alone = lambda part: (part.double().sum().item(), part.double().abs().sum().item(), len(part))
    if shape in ("rows", "columns"):
        matrix = x.view(-1, size)
        dim = 1 if shape == "rows" else 0
        out = torch.empty(matrix.shape[1 - dim], dtype=x.dtype, device=device)
        return NAME, out, lambda: torch.sum(matrix, dim=dim, out=out), lambda k: alone(matrix.select(1 - dim, k))
    if shape.endswith("keys"):
        sorted_keys = torch.arange(n, device=device) * size // n
        keys = sorted_keys if shape == "sorted keys" else torch.randint(size, (n,), device=device)
        out = torch.empty(size, dtype=x.dtype, device=device)
        return NAME, out, lambda: out.zero_().index_add_(0, keys, x), lambda k: alone(x[keys == k])
    offsets = offsets_of(shape, size, n).to(device)
    out = torch.empty(len(offsets) - 1, dtype=x.dtype, device=device)
    sums = lambda: out.copy_(torch.segment_reduce(x, "sum", offsets=offsets))
    return NAME, out, sums, lambda k: alone(x[offsets[k] : offsets[k + 1]])


def grouped(like):
    """Rows of torch's for one of accrue's: by keys also with deterministic algorithms."""
    if like["where"] == "host":
        torch.set_num_threads(like["threads"])
    name, out, call, expected = groups(like)
    for deterministic in (False, True) if like["grouping"].endswith("keys") else (False,):
        torch.use_deterministic_algorithms(deterministic)
        row = {k: like[k] for k in ("suite", "where", "what", "type", "input", "grouping", "length", "n", "bytes")}
        row |= {"threads": like["threads"]} if "threads" in like else {}
        row["by"] = name + (" deterministic" if deterministic else "")
        out.fill_(-12345)
        if like["where"] == "host":
            call()
            times = sorted(seconds_on_host(call) for _ in range(11))
            row |= {"median_s": times[5], "spread": (times[8] - times[2]) / (2 * times[5]), "rounds": 11}
        else:
            row |= timed(lambda k: call(), False)
        torch.use_deterministic_algorithms(False)
        row |= {"settled": row["spread"] <= 0.01, "bytes_per_s": row["bytes"] / row["median_s"], "verified": True}
        for k in {0, len(out) // 2, len(out) - 1}:
            total, magnitude, n = expected(k)
            row["verified"] &= abs(out[k].item() - total) <= 2 * math.sqrt(n) * torch.finfo(out.dtype).eps * magnitude
        print(f"{row['by']} {row['grouping']} {row['length']} {row['type']} {row['bytes_per_s'] * 1e-9:.1f} GB/s", flush=True)
        yield row


def main():
    path = pathlib.Path(sys.argv[1])
    data = json.loads(path.read_text())
    data["rows"] = [r for r in data["rows"] if not r.get("by", "").startswith("torch")]
    device = [r for r in data["rows"] if r.get("where") in ("cuda", "hip")]
    if device and not DEVICE:
        sys.exit(print("torch sees no CUDA device: its rows are left out"))
    found = []
    large = [r for r in device if r["suite"] == "rivals"]
    if large:
        found += rivals(large[0])
    small = [r for r in device if r["suite"] == "sizes"]
    if small:
        found += sizes(small[0], dict.fromkeys((r["type"], r["n"]) for r in small))
    for like in [r for r in data["rows"] if r["suite"] == "groups" and (r["by"], r["what"], r["input"]) == ("accrue exact", "sum", "normal")]:
        found += grouped(like)
    data["rows"] += found
    path.write_text(json.dumps(data, indent=1) + "\n")
    wrong = [r for r in found if not r["verified"]]
    print(f"{len(found)} rows of {NAME}, {len(wrong)} wrong: {[(r['suite'], r['what'], r['type'], r['n']) for r in wrong]}")


main()
