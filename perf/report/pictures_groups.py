# SPDX-License-Identifier: BSD-3-Clause
"""The suite groups in pictures: speed over the length of groups and over their distribution."""

from pictures_style import LIBRARY, MEASURED, plt
from words import place_name, threads_text

SHAPES = {  # the panels, and in each a line for a grouping
    "rows and columns": {"rows": ("rows", "-"), "columns": ("columns, by how many there are", "--")},
    "segments": {
        "uniform": ("lengths uniform", "-"),
        "power law": ("by a power law", "--"),
        "one giant": ("half in one, the others uniform", ":"),
    },
}


def curves_of(rows, grouping):
    """By contender its speed over length: exact sums on ordinary data, and the rival's."""
    curves = {}
    for r in rows:
        if (r["grouping"], r["what"], r["input"]) == (grouping, "sum", "normal") and r["by"] != "accrue fast":
            curves.setdefault(r["by"], []).append((r["length"], r["bytes_per_s"] * 1e-9))
    return {by: sorted(points) for by, points in curves.items()}


def draw_groups(results, where, threads=None):
    """Gigabytes a second, read and written, over the mean length of groups: exact sums and the rival's."""
    rows = [r for r in results.select("groups", where=where) if r.get("threads") == threads]
    types = sorted({r["type"] for r in rows}, reverse=True)
    figure, axes = plt.subplots(2, len(types), figsize=(5.5 * len(types), 7.5), squeeze=False, sharey="col")
    for column, kind in enumerate(types):
        mine = [r for r in rows if r["type"] == kind]
        for axis, (shape, groupings) in zip(axes[:, column], SHAPES.items()):
            for grouping, (words, style) in groupings.items():
                for by, points in curves_of(mine, grouping).items():
                    color = LIBRARY if by.startswith("accrue") else MEASURED
                    axis.plot(*zip(*points), style, color=color, marker="o", markersize=3, label=f"{by}, {words}")
            axis.set_xscale("log", base=2)
            axis.set_ylim(0, None)
            axis.set_title(f"Sums of {shape}, {kind}", loc="left", fontweight="bold")
            axis.set_xlabel("elements of a row, or columns" if shape != "segments" else "mean elements of a segment")
            axis.legend(fontsize=7, frameon=False)
    for axis in axes[:, 0]:
        axis.set_ylabel("GB/s read and written")
    title = place_name(results, where) + (f", {threads_text(threads)}" if threads else "")
    figure.suptitle(title, x=0.01, ha="left", fontsize=9)
    figure.tight_layout()
    return figure
