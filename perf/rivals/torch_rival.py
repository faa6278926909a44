# SPDX-License-Identifier: BSD-3-Clause
"""Adds torch to the rivals in a results file of accrue_bench: speed and errors, measured now on the same device.

Usage: torch_rival.py results/FILE.json
Without torch or without a CUDA device it says so and leaves the file as it is. The inputs are those of bench/correctness.cpp in kind, drawn
anew; exact results come from Python's integers and fractions.
"""

import fractions
import json
import math
import pathlib
import random
import statistics
import sys

try:
    import torch
except ImportError:
    sys.exit(print("torch was not found: its rows are left out"))
if not torch.cuda.is_available():
    sys.exit(print("torch sees no CUDA device: its rows are left out"))

TYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
OPERATIONS = {
    "sum": lambda x, y: torch.sum(x),
    "dot": torch.dot,
    "min": lambda x, y: torch.min(x),
    "sum of magnitudes": lambda x, y: torch.linalg.vector_norm(x, ord=1),
}


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


def exact_sum(values):
    """The exact sum, or what infinities and NaNs make of it."""
    special = [v for v in values if not math.isfinite(v)]
    if special:
        return sum(special)
    scale = 1 << 1074  # every double is an integer over this
    return fractions.Fraction(sum(n * (scale // d) for n, d in (v.as_integer_ratio() for v in values)), scale)


DIGITS, LOWEST, LARGEST = (
    {"f64": 53, "f32": 24},
    {"f64": -1074, "f32": -149},
    {"f64": sys.float_info.max, "f32": float.fromhex("0x1.fffffep127")},
)


def unit(value, kind):
    """The exponent of the last place of a number of this size."""
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if abs(value) < fractions.Fraction(2) ** exponent:
        exponent -= 1
    return max(exponent - DIGITS[kind] + 1, LOWEST[kind])


def rounded(value, kind):
    """To nearest even, as Python rounds fractions to integers; beyond the largest number to infinity."""
    if isinstance(value, float) or value == 0:
        return float(value)
    place = fractions.Fraction(2) ** unit(value, kind)
    nearest = round(value / place) * place
    return float(nearest) if abs(nearest) <= LARGEST[kind] else math.inf if value > 0 else -math.inf


def error(got, expected, kind):
    if math.isnan(got) and math.isnan(expected) or got == expected and math.copysign(1, got) == math.copysign(1, expected):
        return 0
    if not math.isfinite(got) or not math.isfinite(expected) or expected == 0:
        return f"{got:.9g} for {expected:.9g}"
    difference = fractions.Fraction(got) - fractions.Fraction(expected)
    return float(abs(difference) / fractions.Fraction(2) ** unit(fractions.Fraction(expected), kind))


def errors(operation, kind):
    found = {}
    for name, values in cases(kind).items():
        x = torch.tensor(values, dtype=TYPES[kind], device="cuda")
        held = x.tolist()
        if operation == "min":
            expected = math.nan if any(map(math.isnan, held)) else min(held, key=lambda v: (v, math.copysign(1, v)))
        else:
            expected = rounded(exact_sum([abs(v) for v in held] if operation == "sum of magnitudes" else held), kind)
        found[name] = error(OPERATIONS[operation](x, torch.ones_like(x)).item(), expected, kind)
    return found


def timed(run):
    """The median of 21 groups of five calls, and half the distance of the quartiles over it."""
    times = []
    for group in range(22):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(5):
            run()
        end.record()
        end.synchronize()
        if group > 0:  # the first loads the code
            times.append(begin.elapsed_time(end) * 1e-3 / 5)
    low, median, high = statistics.quantiles(times)
    return median, (high - low) / 2 / median


def main():
    path = pathlib.Path(sys.argv[1])
    data = json.loads(path.read_text())
    like = next(r for r in data["rows"] if r["suite"] == "rivals" and r["where"] != "host")
    size = like["bytes"]
    for kind, dtype in TYPES.items():
        whole = torch.rand(size // dtype.itemsize, dtype=dtype, device="cuda")
        for operation, run in OPERATIONS.items():
            if kind in ("f16", "bf16") and operation != "sum":
                continue
            n = len(whole) // 2 if operation == "dot" else len(whole)
            median, spread = timed(lambda: run(whole[:n], whole[len(whole) - n :]))
            row = {
                "suite": "rivals",
                "where": like["where"],
                "what": operation,
                "by": f"torch {torch.__version__}",
                "type": kind,
                "input": "uniform",
                "n": n,
                "bytes": size,
                "median_s": median,
                "spread": spread,
                "rounds": 21,
                "settled": spread <= 0.01,
                "bytes_per_s": size / median,
            }
            if kind in ("f64", "f32"):
                found = errors(operation, kind)
                row |= {"errors_ulp": found, "exact_cases": f"{sum(e == 0 for e in found.values())}/{len(found)}"}
            data["rows"].append(row)
            print(f"torch {operation} {kind} {row['bytes_per_s'] * 1e-9:.1f} GB/s, right on {row.get('exact_cases', '')}")
        del whole
    path.write_text(json.dumps(data, indent=1) + "\n")


main()
