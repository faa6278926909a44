# SPDX-License-Identifier: BSD-3-Clause
"""Exact sums, rounded once to f64 or f32, and errors in units in the last place: what rivals outside the program are judged by."""

import fractions
import math
import sys

DIGITS, LOWEST, LARGEST = (
    {"f64": 53, "f32": 24},
    {"f64": -1074, "f32": -149},
    {"f64": sys.float_info.max, "f32": float.fromhex("0x1.fffffep127")},
)


def exact_sum(values):
    """The exact sum, or what infinities and NaNs make of it."""
    special = [v for v in values if not math.isfinite(v)]
    if special:
        return sum(special)
    scale = 1 << 1074  # every double is an integer over this
    return fractions.Fraction(sum(n * (scale // d) for n, d in (v.as_integer_ratio() for v in values)), scale)


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
    """How many units in the last place of the expected result `got` is off, or words where that says nothing; 0 only for the same bits or
    NaN for NaN."""
    if math.isnan(got) and math.isnan(expected) or got == expected and math.copysign(1, got) == math.copysign(1, expected):
        return 0
    if not math.isfinite(got) or not math.isfinite(expected) or expected == 0:
        return f"{got:.9g} for {expected:.9g}"
    difference = fractions.Fraction(got) - fractions.Fraction(expected)
    return float(abs(difference) / fractions.Fraction(2) ** unit(fractions.Fraction(expected), kind))
