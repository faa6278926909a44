# SPDX-License-Identifier: BSD-3-Clause
"""The suite ladder: what its ladders are called, and the rungs of each."""

TITLES = {
    "A": "A. Sum of 2^22 ints (Harris)",
    "B": "B. The same on 32 million floats, and shuffles",
    "C": "C. Global memory to grid stride, 2^24 floats",
    "D": "D. In place, several data blocks, 2^24 ints",
    "E": "E. Sums of 32 within a warp, 2^20 values",
    "R": "Registers: one kernel three ways, 2^26 floats",
}


def rungs(results, letter):
    """A ladder's rungs, and accrue's sums beside them."""
    beside = [r for r in results.select("ladder", ladder="") if r["name"].endswith(f"beside {letter}")]
    return results.select("ladder", ladder=letter) + beside
