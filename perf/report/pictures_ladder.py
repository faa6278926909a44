# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of the ladders: bandwidth of every rung, and the roofline."""

import re

from ladder import TITLES, rungs
from pictures_style import BEHIND, LIBRARY, MEASURED, PUBLISHED, plt


def draw_ladders(results, letters):
    """Bars of bandwidth, measured and published, one panel a ladder; the read limit as a line."""
    groups = [(letter, rungs(results, letter)) for letter in letters]
    groups = [(letter, rows) for letter, rows in groups if rows]
    heights = [len(rows) + 1 for _, rows in groups]
    size = (8.5, 0.36 * sum(heights) + 0.8 * len(groups))
    figure, axes = plt.subplots(len(groups), 1, figsize=size, height_ratios=heights, squeeze=False)
    for axis, (letter, rows) in zip(axes[:, 0], groups):
        names = [re.sub(r", beside .$| beside .$", "", r["name"]) for r in rows]
        place = range(len(rows))
        rate = [r["bytes_per_s"] * 1e-9 for r in rows]
        axis.barh([p - 0.2 for p in place], rate, 0.38, color=[MEASURED if r["ladder"] else LIBRARY for r in rows])
        for p, r in zip(place, rows):
            axis.text(rate[p] * 1.03, p - 0.2, f"{rate[p]:.0f}", va="center", fontsize=7, bbox=BEHIND)
            if "published_s" in r:
                published = r["bytes"] / r["published_s"] * 1e-9
                axis.barh(p + 0.2, published, 0.38, color=PUBLISHED)
                axis.text(published * 1.03, p + 0.2, f"{published:.3g}", va="center", fontsize=7, bbox=BEHIND)
        axis.axvline(results.header["read_bytes_per_s"] * 1e-9, color="black", linewidth=0.8, linestyle="--", zorder=0)
        axis.set_xscale("log")
        axis.set_xlim(1, 20000)
        axis.set_yticks(list(place), names)
        axis.invert_yaxis()
        cards = sorted({r["published_on"] for r in rows if "published_on" in r})
        title = TITLES[letter] + (f"; published on {', '.join(cards)}" if cards else "")
        axis.set_title(title, loc="left", fontsize=9, fontweight="bold")
    axes[-1, 0].set_xlabel("GB/s, logarithmic")
    figure.tight_layout()
    device = results.header["device"]
    text = f"Blue: rungs on {device}. Red: accrue, same input. Sand: published. Dashed: a kernel that only reads 2 GiB."
    figure.text(0.01, -0.012, text, fontsize=8)
    return figure


def draw_roofline(results):
    """Additions a second over additions a byte that went over the memory's wires, by the profiler; the roofs are measured too."""
    read, roofs = results.header["read_bytes_per_s"], results.header["additions_per_s"]
    rows = [r for r in results.select("ladder") if r["ladder"] and "dram_bytes" in r.get("counters", {})]
    figure, axis = plt.subplots(figsize=(8.5, 5.4))
    left = min(r["n"] / r["counters"]["dram_bytes"] for r in rows) / 2
    ridge = max(roofs.values()) / read
    axis.plot([left, ridge], [left * read * 1e-9, ridge * read * 1e-9], color="black", linewidth=1)
    axis.text(left * 1.6, left * 2.1 * read * 1e-9, f"read limit, {read * 1e-9:.0f} GB/s", fontsize=8, rotation=38, rotation_mode="anchor")
    for roof in sorted({round(r, -12) for r in roofs.values()}):  # types whose roofs are one within 10^12 share a line
        kinds = ", ".join(kind for kind, r in roofs.items() if round(r, -12) == roof)
        axis.plot([roof / read, 6 * ridge], [roof * 1e-9] * 2, color="black", linewidth=0.8, linestyle="--")
        axis.text(6 * ridge, roof * 1.06e-9, f"{kinds}: {roof * 1e-12:.0f} T additions/s", fontsize=7, ha="right", va="bottom")

    def scatter(mine, bytes_of, **style):
        axis.scatter([r["n"] / bytes_of(r) for r in mine], [r["n"] / r["median_s"] * 1e-9 for r in mine], **style)

    for letter, marker in zip(TITLES, "os^DvP"):
        mine = [r for r in rows if r["ladder"] == letter]
        label = f"ladder {letter}" if letter != "R" else "registers"
        if mine:
            scatter(mine, lambda r: r["counters"]["dram_bytes"], s=22, marker=marker, label=label, alpha=0.8)
    own = results.select("ladder", ladder="")
    scatter(own, lambda r: r["bytes"], s=40, marker="*", color=LIBRARY, label="accrue, by its input's bytes")
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlim(left, 7 * ridge)
    axis.set_xlabel("additions a byte read from or written to memory")
    axis.set_ylabel("10^9 additions a second")
    axis.legend(loc="lower right", fontsize=8)
    title = f"Roofline, {results.header['device']}: reductions lie under the slope, far from the flat roofs"
    axis.set_title(title, loc="left", fontweight="bold")
    return figure
