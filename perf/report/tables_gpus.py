# SPDX-License-Identifier: BSD-3-Clause
"""The suite gpus: sums over all GPUs of a machine."""

from markdown import table
from tables_device import device_headline


def time_table(rows):
    """Microseconds of the first GPU, by the number of elements, and the exact sum's over the plain one's."""
    sizes = sorted({r["n"] for r in rows})
    contenders = list(dict.fromkeys(r["by"] for r in rows))

    def seconds(by, n):
        return next(r["median_s"] for r in rows if r["by"] == by and r["n"] == n)

    lines = [[by] + [f"{1e6 * seconds(by, n):.1f}" for n in sizes] for by in contenders]
    ratios = [f"{seconds('accrue', n) / seconds('a local sum and ncclAllReduce', n):.2f}" for n in sizes]
    lines.append(["accrue over a local sum and ncclAllReduce"] + ratios)
    return table(["us, doubles on all GPUs together"] + [f"{n:,}" for n in sizes], lines)


def tables(files):
    """Of every file with such rows, its headline and its table."""
    blocks = []
    for results in files:
        rows = results.select("gpus")
        if rows:
            blocks += [f"{rows[0]['gpus']} of {device_headline(results)}", time_table(rows)]
    return blocks
