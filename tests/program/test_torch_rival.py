# SPDX-License-Identifier: BSD-3-Clause
"""What judges torch: exact sums, their rounding and errors, against the machine's own; and that without torch a results file stays as it
is."""

import fractions
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(SCRIPT.parent))
from exact_arithmetic import error, exact_sum, rounded  # noqa: E402

LARGEST = {"f64": sys.float_info.max, "f32": float.fromhex("0x1.fffffep127")}
SMALLEST = {"f64": 2.0**-1074, "f32": 2.0**-149}


def to_float(x):
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def check_rounding(draw):
    for _ in range(20000):
        x = math.ldexp(draw.uniform(-1, 1), draw.randrange(-170, 132))
        assert rounded(fractions.Fraction(x), "f32") == to_float(x), x
        a, b = draw.getrandbits(60) + 1, draw.getrandbits(60) + 1
        assert rounded(fractions.Fraction(a, b), "f64") == a / b, (a, b)
    for kind, most in LARGEST.items():
        half_place = fractions.Fraction(most) - fractions.Fraction(math.nextafter(most, 0) if kind == "f64" else most - 2.0**104)
        assert rounded(fractions.Fraction(most) + half_place / 2, kind) == math.inf  # a tie, to even
        assert rounded(-fractions.Fraction(most) - half_place / 2, kind) == -math.inf
        assert rounded(fractions.Fraction(most) + half_place * fractions.Fraction(499, 1000), kind) == most
        least = fractions.Fraction(SMALLEST[kind])
        assert rounded(least / 2, kind) == 0 and rounded(least * fractions.Fraction(501, 1000), kind) == SMALLEST[kind]
        assert rounded(least * fractions.Fraction(3, 2), kind) == 2 * SMALLEST[kind]


def check_sums(draw):
    for _ in range(200):
        values = [math.ldexp(draw.uniform(-1, 1), draw.randrange(-1060, 900)) for _ in range(100)]
        values += [-v for v in values[:90]]
        draw.shuffle(values)
        assert rounded(exact_sum(values), "f64") == math.fsum(values), values
    assert exact_sum([1e308, 1e308, -1e308]) == fractions.Fraction(1e308)
    assert rounded(exact_sum([1e308, 1e308]), "f64") == math.inf
    assert rounded(exact_sum([1.0, math.inf]), "f64") == math.inf
    assert math.isnan(exact_sum([math.inf, 1.0, -math.inf])) and math.isnan(exact_sum([1.0, math.nan]))


def check_errors():
    assert error(1.0, 1.0, "f64") == 0 and error(math.nan, math.nan, "f64") == 0 and error(math.inf, math.inf, "f32") == 0
    assert error(math.nextafter(1.0, 2), 1.0, "f64") == 1 and error(math.nextafter(1.0, 0), 1.0, "f64") == 0.5
    assert error(1 + 2.0**-23, 1.0, "f32") == 1 and error(0.0, 2.0**-149, "f32") == 1 and error(2.0**-1073, 2.0**-1074, "f64") == 1
    assert error(-0.0, 0.0, "f64") != 0 and error(math.nan, 1.0, "f64") == "nan for 1" and error(1.0, math.inf, "f64") == "1 for inf"


def check_left_out():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "torch.py").write_text("raise ImportError")
        results = folder / "results.json"
        results.write_text('{"rows": []}')
        done = subprocess.run(
            [sys.executable, str(SCRIPT), str(results)], env=os.environ | {"PYTHONPATH": name}, check=True, capture_output=True, text=True
        )
        assert "torch was not found" in done.stdout and results.read_text() == '{"rows": []}'


check_rounding(random.Random())
check_sums(random.Random())
check_errors()
check_left_out()
