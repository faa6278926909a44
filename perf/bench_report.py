# SPDX-License-Identifier: BSD-3-Clause
"""Turns results files into a self-contained page with pictures, and PNGs beside it.

Usage: bench_report.py OUT_FOLDER RESULTS.json...
Takes what accrue_ladder_perf (ladder/add_counters.py adds the profiler's counters), accrue_cuda_perf and accrue_perf wrote; draws what
the files hold. Needs matplotlib.
"""
import base64
import collections
import html
import json
import pathlib
import re
import statistics
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

TITLES = {
    "A": "A. Sum of 2^22 ints (Harris)",
    "B": "B. The same on 32 million floats, and shuffles",
    "C": "C. Global memory to grid stride, 2^24 floats",
    "D": "D. In place, several data blocks, 2^24 ints",
    "E": "E. Sums of 32 within a warp, 2^20 values",
    "R": "Registers: one kernel three ways, 2^26 floats",
}
MEASURED, PUBLISHED, LIBRARY = "#1f6f8b", "#c9a35b", "#8b1f4f"
plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 120, "savefig.bbox": "tight"})


def bytes_of(row):
    return row["n"] * {"i32": 4, "f32": 4, "f64": 8, "f16": 2}[row["type"]]


def libraries_beside(rows, ladder):
    return [r for r in rows if r["name"].endswith(f"beside {ladder}")]


def draw_ladders(data, letters):
    """Bars of bandwidth, measured and published, one panel a ladder; the read limit as a line."""
    groups = [(x, [r for r in data["rows"] if r["ladder"] == x] + libraries_beside(data["rows"], x)) for x in letters]
    groups = [(x, rows) for x, rows in groups if rows]
    heights = [len(rows) + 1 for _, rows in groups]
    behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
    figure, axes = plt.subplots(len(groups), 1, figsize=(8.5, 0.36 * sum(heights) + 0.8 * len(groups)), height_ratios=heights, squeeze=False)
    for axis, (letter, rows) in zip(axes[:, 0], groups):
        names = [re.sub(r", beside .$| beside .$", "", r["name"]) for r in rows]
        place = range(len(rows))
        rate = [r["bytes_per_s"] * 1e-9 for r in rows]
        axis.barh([p - 0.2 for p in place], rate, 0.38, color=[MEASURED if r["ladder"] else LIBRARY for r in rows])
        cards = {r["published_on"] for r in rows if "published_on" in r}
        for p, r in zip(place, rows):
            axis.text(rate[p] * 1.03, p - 0.2, f"{rate[p]:.0f}", va="center", fontsize=7, bbox=behind)
            if "published_s" in r:
                published = bytes_of(r) / r["published_s"] * 1e-9
                axis.barh(p + 0.2, published, 0.38, color=PUBLISHED)
                axis.text(published * 1.03, p + 0.2, f"{published:.3g}", va="center", fontsize=7, bbox=behind)
        axis.axvline(data["read_bytes_per_s"] * 1e-9, color="black", linewidth=0.8, linestyle="--", zorder=0)
        axis.set_xscale("log")
        axis.set_xlim(1, 20000)
        axis.set_yticks(list(place), names)
        axis.invert_yaxis()
        axis.set_title(TITLES[letter] + (f"; published on {', '.join(sorted(cards))}" if cards else ""), loc="left", fontsize=9, fontweight="bold")
    axes[-1, 0].set_xlabel("GB/s, logarithmic")
    figure.tight_layout()
    figure.text(0.01, -0.012, f"Blue: rungs on {data['device']}. Red: accrue, same input. Sand: published. Dashed: a kernel that only reads 2 GiB.", fontsize=8)
    return figure


def draw_roofline(data):
    """Additions a second over additions a byte of input: a reduction's place is fixed, its height is the method's."""
    figure, axis = plt.subplots(figsize=(8.5, 5.2))
    read = data["read_bytes_per_s"]
    x = [2**k for k in range(-5, 4)]
    axis.plot(x, [v * read * 1e-9 for v in x], color="black", linewidth=1)
    axis.text(0.042, 0.047 * read * 1e-9, f"read limit, {read * 1e-9:.0f} GB/s", rotation=31, fontsize=8)
    markers = {"A": "o", "B": "s", "C": "^", "D": "D", "E": "v", "R": "P"}
    shift = {"A": 0.84, "B": 0.92, "C": 1.0, "D": 1.09, "E": 1.18, "R": 1.27}
    for letter, marker in markers.items():
        rows = [r for r in data["rows"] if r["ladder"] == letter]
        if rows:
            axis.scatter([shift[letter] * r["n"] / bytes_of(r) for r in rows], [r["n"] / r["median_s"] * 1e-9 for r in rows], s=22, marker=marker,
                         label=f"ladder {letter}" if letter != "R" else "registers", alpha=0.8)
    own = [r for r in data["rows"] if not r["ladder"]]
    axis.scatter([r["n"] / bytes_of(r) * 1.38 for r in own], [r["n"] / r["median_s"] * 1e-9 for r in own], s=40, marker="*", color=LIBRARY, label="accrue, same inputs")
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xlim(1 / 24, 4)
    axis.set_xlabel("additions a byte of input (1/8: 64 bits, 1/4: 32 bits, 1/2: 16 bits; ladders side by side, for legibility)")
    axis.set_ylabel("10^9 additions a second")
    axis.legend(loc="lower right", fontsize=8)
    axis.set_title(f"Roofline, {data['device']}: distance to the line is what the method leaves", loc="left", fontweight="bold")
    return figure


def draw_sizes(data):
    """Bandwidth over size, in graphs, with the read limit."""
    read = data["table"][0]["bytes_per_s"] * 1e-9
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True)
    lines = (("fast", "accrue fast", LIBRARY, "-"), ("exact", "accrue exact", MEASURED, "-"), ("newest_cub", "CUB", PUBLISHED, "--"))
    for axis, kind in zip(axes, ("f32", "f64")):
        rows = [r for r in data["sizes"] if r["type"] == kind]
        width = 4 if kind == "f32" else 8
        for key, label, colour, style in lines:
            points = [(r["log2_n"], width * 2 ** r["log2_n"] / r[key + "_graph_us"] * 1e-3) for r in rows if key + "_graph_us" in r]
            version = " " + data["cubs"].get(key, "") if key == "newest_cub" else ""
            axis.plot(*zip(*points), style, color=colour, label=label + version, linewidth=1.6)
        axis.axhline(read, color="black", linewidth=0.8, linestyle=":", label="read limit, 2 GiB")
        axis.set_xlabel("log2 of the number of elements")
        axis.set_title(f"Sum of {kind}, in a graph, {data['device']}", loc="left", fontweight="bold")
        axis.set_yscale("log")
    axes[0].set_ylabel("GB/s, logarithmic (inputs below 50 MB stay in the cache)")
    axes[0].legend(loc="lower right", fontsize=8)
    figure.tight_layout()
    return figure


def draw_exact_against_fast(data):
    figure, axis = plt.subplots(figsize=(7, 3.6))
    for kind, colour in (("f32", MEASURED), ("f64", LIBRARY)):
        for how, style in (("graph", "-"), ("stream", ":")):
            rows = [r for r in data["sizes"] if r["type"] == kind]
            axis.plot([r["log2_n"] for r in rows], [r[f"exact_{how}_us"] / r[f"fast_{how}_us"] for r in rows], style, color=colour, label=f"{kind}, on a {how}" if how == "stream" else f"{kind}, in a graph")
    axis.axhline(1, color="black", linewidth=0.8)
    axis.set_ylim(0, None)
    axis.set_xlabel("log2 of the number of elements")
    axis.set_ylabel("time, exact over fast")
    axis.legend(fontsize=8)
    axis.set_title(f"What exactness costs, {data['device']}", loc="left", fontweight="bold")
    return figure


def draw_scaling(data):
    """Bandwidth over threads, medians; the plain loop is the read limit that a program sees."""
    times = collections.defaultdict(list)
    for b in data["benchmarks"]:
        if b.get("run_type") == "iteration":
            operation, variant, _, _, threads = b["name"].split("/")[:5]
            times[operation, variant, int(threads)].append(b["bytes_per_second"] * 1e-9)
    panels = [("sum_f64", "Sum"), ("dot_f64", "Dot product"), ("min_f64", "Minimum")]
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.6), sharey=True)
    for axis, (operation, title) in zip(axes, panels):
        for variant, label, colour, style in (("plain", "plain OpenMP loop", "black", ":"), ("fast", "accrue fast", LIBRARY, "-"), ("any", "accrue", LIBRARY, "-"), ("exact", "accrue exact", MEASURED, "-")):
            points = sorted((t, statistics.median(v)) for (o, w, t), v in times.items() if (o, w) == (operation, variant))
            if points:
                axis.plot(*zip(*points), style, marker="o", markersize=3, color=colour, label=label)
        axis.set_title(title, loc="left", fontweight="bold")
        axis.set_xlabel("threads")
        axis.set_xticks(sorted({t for _, _, t in times}))
        axis.set_ylim(0, None)
        axis.legend(fontsize=7)
    axes[0].set_ylabel("GB/s")
    size = int(data["context"].get("memory_bytes", 0)) / 2**30
    figure.suptitle(f"{data['context']['processor']}, {data['context']['num_cpus']} cores, {data['context']['instruction_set']}, arrays of {size:g} GiB", x=0.01, ha="left", fontsize=9)
    figure.tight_layout()
    return figure


def ladder_table(data):
    """One HTML table of all rungs: figures, resources, counters."""
    columns = ["rung", "type", "time, us", "GB/s", "of read", "step", "cumulative", "published, us", "right", "registers", "shared, bytes", "occupancy", "achieved",
               "branch eff.", "load eff.", "store eff.", "bank conflicts", "limit"]
    lines = ["<table><tr>" + "".join(f"<th>{c}</th>" for c in columns) + "</tr>"]
    for letter in TITLES:
        before = first = None
        rows = [r for r in data["rows"] if r["ladder"] == letter]
        if rows:
            lines.append(f"<tr><td colspan={len(columns)}><b>{TITLES[letter]}</b></td></tr>")
        for r in rows + libraries_beside(data["rows"], letter):
            t = r["median_s"]
            own = not r["ladder"]
            first = first or t
            c = r.get("counters", {})
            percent = lambda key: f"{c[key]:.0f} %" if key in c else ""
            cells = [html.escape(r["name"]), r["type"], f"{1e6 * t:.2f}", f"{1e-9 * r['bytes_per_s']:.0f}", f"{r['bytes_per_s'] / data['read_bytes_per_s']:.3f}",
                     f"{before / t:.2f}" if before and not own else "", f"{first / t:.2f}" if before and not own else "",
                     f"{1e6 * r['published_s']:.1f} ({r['published_on']})" if "published_s" in r else "", "yes" if r["verified"] else "<b>NO</b>",
                     r.get("registers", ""), r.get("shared_bytes", ""), f"{r['occupancy']:.0%}" if "occupancy" in r else "", percent("achieved_occupancy_percent"),
                     percent("branch_efficiency_percent"), percent("load_efficiency_percent"), percent("store_efficiency_percent"),
                     f"{c['bank_conflicts']:.0f}" if "bank_conflicts" in c else "", html.escape(r.get("limit", ""))]
            lines.append("<tr>" + "".join(f"<td>{c}</td>" for c in cells) + "</tr>")
            before = t if not own else before
    return "\n".join(lines) + "</table>"


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    body = []

    def show(name, figure, text):
        path = folder / f"{name}.png"
        figure.savefig(path)
        plt.close(figure)
        body.append(f'<h2>{text}</h2><img alt="{text}" src="data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}">')

    for name in sys.argv[2:]:
        data = json.loads(pathlib.Path(name).read_text())
        if "context" in data:
            where = f"{data['context']['processor']}, commit {data['context']['commit']}"
            show("scaling", draw_scaling(data), "Threads")
        else:
            where = f"{data['device']}, driver {data['driver']}, {data['compiler']}, commit {data['commit']}, {data['date']}"
            if "sizes" in data:
                show("sizes", draw_sizes(data), "Bandwidth over size")
                show("exact_against_fast", draw_exact_against_fast(data), "Exact against fast")
            if "rows" in data:
                show("ladders", draw_ladders(data, "ABCD"), "The ladders, measured and published")
                show("warps_and_registers", draw_ladders(data, "ER"), "Warps and registers")
                show("roofline", draw_roofline(data), "Roofline")
                body.append("<h2>Every rung</h2><div class=wide>" + ladder_table(data) + "</div>")
        body.append(f"<p class=source>{html.escape(pathlib.Path(name).name)}: {html.escape(where)}</p>")
    style = ("body{font:15px/1.45 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#222}img{max-width:100%}"
             "table{border-collapse:collapse;font-size:12px}td,th{padding:2px 7px;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}"
             "td:first-child,th:first-child,td:last-child,th:last-child{text-align:left}.wide{overflow-x:auto}.source{color:#777;font-size:12px}")
    (folder / "index.html").write_text(f'<!doctype html><html lang="en"><meta charset="utf-8"><title>accrue: measured</title><style>{style}</style>'
                                       "<h1>accrue: measured</h1>" + "\n".join(body) + "</html>\n")


main()
