# SPDX-License-Identifier: BSD-3-Clause
"""Turns results of accrue_bench into a self-contained page with pictures, and PNGs beside it.

Usage: bench_report.py OUT_FOLDER RESULTS.json...
Draws what the files hold. ladder/add_counters.py adds the profiler's counters to a ladder's rows first. Needs matplotlib.
"""

import base64
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
BEHIND = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
OTHERS = ["#1f6f8b", "#c9a35b", "#5b8c5a", "#6a5acd", "#8a8a8a", "#d2691e", "#2e8b8b", "#b8860b", "#4682b4", "#556b2f"]
plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 120, "savefig.bbox": "tight"})


def ladder_rows(data):
    return [r for r in data["rows"] if r["suite"] == "ladder"]


def rows_of(data, suite, where):
    return [r for r in data["rows"] if r["suite"] == suite and r["where"] == where and "median_s" in r]


def with_one_limit(data):
    """The host has several loops that only read; the fastest in the company of some rows is their limit."""
    key = lambda r: tuple(r.get(k) for k in ("suite", "where", "what", "type", "input", "n", "threads"))
    fastest = {}
    for r in data["rows"]:
        if r.get("by", "").startswith("read only") and "bytes_per_s" in r:
            fastest[key(r)] = max(r, fastest.get(key(r), r), key=lambda r: r["bytes_per_s"])
    others = [r for r in data["rows"] if not r.get("by", "").startswith("read only")]
    return data | {"rows": others + [r | {"by": "read only"} for r in fastest.values()]}


def share(r, limit):
    """Of the limit's rate: the median of the rounds' ratios, or where a row has none, the ratio of the medians."""
    return r.get("of_limit", r["bytes_per_s"] / limit)


def place_name(data, where):
    return f"{data['processor']}, {data['processors']} cores" if where == "host" else data["device"]


def colors(data):
    """A contender keeps its colour in every picture of a file."""
    found = {"accrue exact": LIBRARY, "accrue fast": "#d9698f", "accrue ordered": "#f0b3c8", "accrue": LIBRARY, "read only": "black"}
    others = sorted({r["by"] for r in data["rows"] if "by" in r} - set(found))
    return found | {by: OTHERS[k % len(OTHERS)] for k, by in enumerate(others)}


def size_text(size_bytes):
    return f"{size_bytes / 2**30:.3g} GiB" if size_bytes >= 2**30 else f"{size_bytes / 2**20:.3g} MiB"


def libraries_beside(rows, ladder):
    return [r for r in rows if r["name"].endswith(f"beside {ladder}")]


def draw_ladders(data, letters):
    """Bars of bandwidth, measured and published, one panel a ladder; the read limit as a line."""
    groups = [(x, [r for r in ladder_rows(data) if r["ladder"] == x] + libraries_beside(ladder_rows(data), x)) for x in letters]
    groups = [(x, rows) for x, rows in groups if rows]
    heights = [len(rows) + 1 for _, rows in groups]
    figure, axes = plt.subplots(
        len(groups), 1, figsize=(8.5, 0.36 * sum(heights) + 0.8 * len(groups)), height_ratios=heights, squeeze=False
    )
    for axis, (letter, rows) in zip(axes[:, 0], groups):
        names = [re.sub(r", beside .$| beside .$", "", r["name"]) for r in rows]
        place = range(len(rows))
        rate = [r["bytes_per_s"] * 1e-9 for r in rows]
        axis.barh([p - 0.2 for p in place], rate, 0.38, color=[MEASURED if r["ladder"] else LIBRARY for r in rows])
        cards = {r["published_on"] for r in rows if "published_on" in r}
        for p, r in zip(place, rows):
            axis.text(rate[p] * 1.03, p - 0.2, f"{rate[p]:.0f}", va="center", fontsize=7, bbox=BEHIND)
            if "published_s" in r:
                published = r["bytes"] / r["published_s"] * 1e-9
                axis.barh(p + 0.2, published, 0.38, color=PUBLISHED)
                axis.text(published * 1.03, p + 0.2, f"{published:.3g}", va="center", fontsize=7, bbox=BEHIND)
        axis.axvline(data["read_bytes_per_s"] * 1e-9, color="black", linewidth=0.8, linestyle="--", zorder=0)
        axis.set_xscale("log")
        axis.set_xlim(1, 20000)
        axis.set_yticks(list(place), names)
        axis.invert_yaxis()
        axis.set_title(
            TITLES[letter] + (f"; published on {', '.join(sorted(cards))}" if cards else ""), loc="left", fontsize=9, fontweight="bold"
        )
    axes[-1, 0].set_xlabel("GB/s, logarithmic")
    figure.tight_layout()
    figure.text(
        0.01,
        -0.012,
        f"Blue: rungs on {data['device']}. Red: accrue, same input. Sand: published. Dashed: a kernel that only reads 2 GiB.",
        fontsize=8,
    )
    return figure


def draw_roofline(data):
    """Additions a second over additions a byte that went over the memory's wires, by the profiler; the roofs are measured too."""
    rows = [r for r in ladder_rows(data) if r["ladder"] and "dram_bytes" in r.get("counters", {})]
    figure, axis = plt.subplots(figsize=(8.5, 5.4))
    read, roofs = data["read_bytes_per_s"], data["additions_per_s"]
    left = min(r["n"] / r["counters"]["dram_bytes"] for r in rows) / 2
    ridge = max(roofs.values()) / read
    axis.plot([left, ridge], [left * read * 1e-9, ridge * read * 1e-9], color="black", linewidth=1)
    axis.text(left * 1.6, left * 2.1 * read * 1e-9, f"read limit, {read * 1e-9:.0f} GB/s", fontsize=8, rotation=38, rotation_mode="anchor")
    for roof in sorted({round(r, -12) for r in roofs.values()}):  # types whose roofs are one within 10^12 share a line
        kinds = ", ".join(kind for kind, r in roofs.items() if round(r, -12) == roof)
        axis.plot([roof / read, 6 * ridge], [roof * 1e-9] * 2, color="black", linewidth=0.8, linestyle="--")
        axis.text(6 * ridge, roof * 1.06e-9, f"{kinds}: {roof * 1e-12:.0f} T additions/s", fontsize=7, ha="right", va="bottom")
    for letter, marker in {"A": "o", "B": "s", "C": "^", "D": "D", "E": "v", "R": "P"}.items():
        mine = [r for r in rows if r["ladder"] == letter]
        if mine:
            axis.scatter(
                [r["n"] / r["counters"]["dram_bytes"] for r in mine],
                [r["n"] / r["median_s"] * 1e-9 for r in mine],
                s=22,
                marker=marker,
                label=f"ladder {letter}" if letter != "R" else "registers",
                alpha=0.8,
            )
    own = [r for r in ladder_rows(data) if not r["ladder"]]
    axis.scatter(
        [r["n"] / r["bytes"] for r in own],
        [r["n"] / r["median_s"] * 1e-9 for r in own],
        s=40,
        marker="*",
        color=LIBRARY,
        label="accrue, by its input's bytes",
    )
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlim(left, 7 * ridge)
    axis.set_xlabel("additions a byte read from or written to memory")
    axis.set_ylabel("10^9 additions a second")
    axis.legend(loc="lower right", fontsize=8)
    axis.set_title(f"Roofline, {data['device']}: reductions lie under the slope, far from the flat roofs", loc="left", fontweight="bold")
    return figure


def contenders_in_order(rows):
    """accrue first, the limit last."""
    names = dict.fromkeys(r["by"] for r in rows)
    return sorted(names, key=lambda by: (by == "read only", not by.startswith("accrue"), by))


def draw_rivals(data, where):
    """Bars of speed as a share of the read limit, one panel an operation and type; beside each the cases on which it is exact."""
    rows = [r for r in rows_of(data, "rivals", where) if r["by"] == "read only" or "exact_cases" in r]
    operations, types = list(dict.fromkeys(r["what"] for r in rows)), list(dict.fromkeys(r["type"] for r in rows))
    most = {o: max(sum(r["what"] == o and r["type"] == t and r["by"] != "read only" for r in rows) for t in types) for o in operations}
    figure, axes = plt.subplots(
        len(operations),
        len(types),
        figsize=(11, sum(0.26 * most[o] + 0.75 for o in operations)),
        squeeze=False,
        height_ratios=[most[o] + 1.5 for o in operations],
    )
    for o, operation in enumerate(operations):
        for t, kind in enumerate(types):
            mine = [r for r in rows if (r["what"], r["type"]) == (operation, kind)]
            limit = next(r["bytes_per_s"] for r in mine if r["by"] == "read only")
            shown = [r for by in contenders_in_order(mine) for r in mine if r["by"] == by and by != "read only"]
            axis = axes[o, t]
            for p, r in enumerate(shown):
                part = share(r, limit)
                right, of = map(int, r["exact_cases"].split("/"))
                axis.barh(p, part, 0.7, color=LIBRARY if r["by"].startswith("accrue") else MEASURED, alpha=1 if right == of else 0.55)
                axis.text(part + 0.015, p, f"{part:.2f}, right on {right} of {of}", va="center", fontsize=7, bbox=BEHIND)
            one = ", one thread" if where == "host" else ""
            axis.set_yticks(
                range(len(shown)),
                [r["by"] + (one if r.get("threads") == 1 and data["processors"] > 1 else "") for r in shown],
                fontsize=7.5,
            )
            axis.invert_yaxis()
            axis.axvline(1, color="black", linewidth=0.8, linestyle="--")
            axis.set_xlim(0, max(1.45, 1.35 * max(share(r, limit) for r in shown)))
            axis.set_title(f"{operation}, {kind}", loc="left", fontsize=9, fontweight="bold")
    figure.tight_layout()
    figure.text(
        0.01,
        -0.02,
        f"{place_name(data, where)}, {size_text(rows[0]['bytes'])}. Share of the rate of the fastest loop that only reads (dashed). "
        "Pale: wrong on some of the easy, ill-conditioned and special inputs.",
        fontsize=8,
    )
    return figure


def rivals_table(data, where):
    """Errors of every contender on every input, in units in the last place."""
    rows = [r for r in rows_of(data, "rivals", where) if "errors_ulp" in r]
    lines = []
    for operation, kind in dict.fromkeys((r["what"], r["type"]) for r in rows):
        mine = [r for r in rows if (r["what"], r["type"]) == (operation, kind)]
        cases = list(mine[0]["errors_ulp"])
        lines.append(f"<tr><td colspan={len(cases) + 2}><b>{operation}, {kind}</b></td></tr>")
        for by in contenders_in_order(mine):
            r = next(r for r in mine if r["by"] == by)
            cells = [html.escape(by), r["exact_cases"]]
            for case in cases:
                error = r["errors_ulp"][case]
                cells.append("" if error == 0 else html.escape(error) if isinstance(error, str) else f"{error:.2g}")
            lines.append("<tr>" + "".join(f"<td>{c}</td>" for c in cells) + "</tr>")
    heads = "".join(f"<th>{html.escape(c)}</th>" for c in ["contender", "right on"] + list(rows[0]["errors_ulp"]))
    return f"<table><tr>{heads}</tr>" + "\n".join(lines) + "</table>"


def draw_sizes(data, where):
    """Bandwidth over size of every contender, in graphs where they may be captured, with the read limit; and over that of the best."""
    color = colors(data)
    rows = rows_of(data, "sizes", where)
    figure, axes = plt.subplots(2, 2, figsize=(11, 8), sharey="row", sharex=True, height_ratios=[3, 2])
    reads = [r for r in data["rows"] if r.get("by") == "read only" and r.get("where") == where]
    most_threads = max((r.get("threads", 0) for r in reads), default=0)
    limits = [r["bytes_per_s"] * 1e-9 for r in reads if r.get("threads", 0) == most_threads]
    for column, kind in enumerate(("f32", "f64")):
        mine = [r for r in rows if r["type"] == kind]
        curves = {}
        for by in contenders_in_order(mine):
            hows = {r.get("how") for r in mine if r["by"] == by}
            how = "graph" if "graph" in hows else "stream" if "stream" in hows else None
            label = by + (", on a stream" if how == "stream" else "")
            curves[label] = by, dict(sorted((r["n"], r["bytes_per_s"] * 1e-9) for r in mine if r["by"] == by and r.get("how") == how))
        best = {n: max(curve[n] for _, curve in curves.values() if n in curve) for n in {r["n"] for r in mine}}
        for label, (by, curve) in curves.items():
            own = by.startswith("accrue")
            style = {"linestyle": "-" if own else "--", "color": color[by], "linewidth": 2 if own else 1.1}
            axes[0, column].plot(list(curve), list(curve.values()), label=label, **style)
            axes[1, column].plot(list(curve), [rate / best[n] for n, rate in curve.items()], **style)
        if limits:
            axes[0, column].axhline(
                statistics.median(limits), color="black", linewidth=0.8, linestyle=":", label="read limit, large inputs"
            )
        axes[0, column].set_xscale("log", base=2)
        axes[0, column].set_yscale("log")
        axes[1, column].set_ylim(0, 1.03)
        axes[1, column].set_xlabel("elements")
        axes[0, column].set_title(f"Sum of {kind}" + (", in a graph" if where != "host" else ""), loc="left", fontweight="bold")
    axes[0, 0].set_ylabel("GB/s, logarithmic; inputs are in no cache")
    axes[1, 0].set_ylabel("over the best at that size")
    axes[0, 1].legend(loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=7.5, frameon=False)
    figure.suptitle(place_name(data, where), x=0.01, ha="left", fontsize=9)
    figure.tight_layout()
    return figure


def draw_exact_against_fast(data, where):
    rows = {(r["type"], r.get("how", ""), r["by"], r["n"]): r["median_s"] for r in rows_of(data, "sizes", where)}
    figure, axis = plt.subplots(figsize=(7, 3.6))
    for kind, color in (("f32", MEASURED), ("f64", LIBRARY)):
        for how, style, note in (("graph", "-", ", in a graph"), ("stream", ":", ", on a stream"), ("", "-", "")):
            points = sorted(
                (n, t / rows[kind, how, "accrue fast", n]) for (k, h, by, n), t in rows.items() if (k, h, by) == (kind, how, "accrue exact")
            )
            if points:
                axis.plot(*zip(*points), style, color=color, label=kind + note)
    axis.axhline(1, color="black", linewidth=0.8)
    axis.set_xscale("log", base=2)
    axis.set_ylim(0, None)
    axis.set_xlabel("elements")
    axis.set_ylabel("time, exact over fast")
    axis.legend(fontsize=8)
    axis.set_title(f"What exactness costs, {place_name(data, where)}", loc="left", fontweight="bold")
    figure.tight_layout()
    return figure


def draw_scaling(data):
    """Bandwidth and speed-up over threads."""
    color = colors(data)
    rows = rows_of(data, "scaling", "host")
    operations = list(dict.fromkeys(r["what"] for r in rows if r["what"] != "read"))
    threads = sorted({r["threads"] for r in rows})
    figure, axes = plt.subplots(2, len(operations), figsize=(11, 6.4), sharey="row", sharex=True)
    for column, operation in enumerate(operations):
        mine = [r for r in rows if r["what"] == operation]
        for by in contenders_in_order(mine):
            points = sorted((r["threads"], r["bytes_per_s"] * 1e-9) for r in mine if r["by"] == by)
            style = {"read only": ":", "OpenMP reduction": "--"}.get(by, "-")
            axes[0, column].plot(*zip(*points), style, marker="o", markersize=3, color=color[by], label=by)
            axes[1, column].plot(
                [t for t, _ in points],
                [rate / points[0][1] for _, rate in points],
                style,
                marker="o",
                markersize=3,
                color=color[by],
                label=by,
            )
        axes[1, column].plot(threads, threads, color="#bbbbbb", linewidth=0.8)
        axes[0, column].set_title(operation + ", f64", loc="left", fontweight="bold")
        axes[1, column].set_xlabel("threads")
        axes[1, column].set_xticks(threads)
        axes[0, column].legend(fontsize=7)
    for axis in axes.flat:
        axis.set_ylim(0, None)
    axes[0, 0].set_ylabel("GB/s")
    axes[1, 0].set_ylabel("speed-up over one thread (grey: ideal)")
    figure.suptitle(
        f"{place_name(data, 'host')}, {data['instruction_set']}, arrays of {size_text(rows[0]['bytes'])}", x=0.01, ha="left", fontsize=9
    )
    figure.tight_layout()
    return figure


def types_table(data, where):
    """Shares of the read limit by operation and type."""
    rows = rows_of(data, "types", where)
    read = {(r["type"], r["input"]): r["bytes_per_s"] for r in rows if r["what"] == "read"}
    types = list(dict.fromkeys(r["type"] for r in rows))
    lines = ["<table><tr><th>share of the read limit</th>" + "".join(f"<th>{t}</th>" for t in types) + "</tr>"]
    for what, kind in dict.fromkeys((r["what"], r["input"]) for r in rows if r["what"] != "read"):
        found = {r["type"]: r for r in rows if (r["what"], r["input"]) == (what, kind)}
        cells = [
            f"{share(found[t], read[t, kind]):.3f}" + ("" if found[t]["verified"] else " <b>WRONG</b>") if t in found else ""
            for t in types
        ]
        lines.append(f"<tr><td>{html.escape(what)}, {kind}</td>" + "".join(f"<td>{c}</td>" for c in cells) + "</tr>")
    return "\n".join(lines) + "</table>"


COUNTERS = [
    ("achieved_occupancy_percent", "achieved, %"),
    ("issue_percent", "issue, %"),
    ("lanes_at_work", "lanes at work"),
    ("branch_efficiency_percent", "branch eff., %"),
    ("load_efficiency_percent", "load eff., %"),
    ("store_efficiency_percent", "store eff., %"),
    ("bank_conflicts", "bank conflicts"),
    ("stalled_at_barriers", "stalled at barriers"),
    ("stalled_on_shared", "on shared memory"),
    ("stalled_on_shuffles", "on shuffles"),
    ("stalled_on_memory", "on memory"),
    ("dram_bytes", "MB moved"),
    ("memory_throughput_percent", "memory busy, %"),
]


def ladder_table(data):
    """All rungs: figures beside the published ones, resources, counters; the counter that shows a rung's limit is marked."""
    heads = (
        [
            "rung",
            "type",
            "time, us",
            "GB/s",
            "of read",
            "step",
            "cumulative",
            "published, us",
            "step",
            "cumulative",
            "right",
            "registers",
            "shared, bytes",
            "occupancy, %",
        ]
        + [text for _, text in COUNTERS]
        + ["limit"]
    )
    lines = ["<table><tr>" + "".join(f"<th>{h}</th>" for h in heads) + "</tr>"]
    for letter, title in TITLES.items():
        rows = [r for r in ladder_rows(data) if r["ladder"] == letter]
        if rows:
            lines.append(f"<tr><td colspan={len(heads)}><b>{title}</b></td></tr>")
        for r in rows + libraries_beside(ladder_rows(data), letter):
            ratio = lambda key: f"{r[key]:.2f}" if key in r else ""
            cells = [
                html.escape(r["name"]),
                r["type"],
                f"{1e6 * r['median_s']:.2f}",
                f"{1e-9 * r['bytes_per_s']:.0f}",
                f"{r['bytes_per_s'] / data['read_bytes_per_s']:.3f}",
                ratio("step"),
                ratio("cumulative"),
                f"{1e6 * r['published_s']:.1f} ({r['published_on']})" if "published_s" in r else "",
                ratio("published_step"),
                ratio("published_cumulative"),
                "yes" if r["verified"] else "<b>NO</b>",
                r.get("registers", ""),
                r.get("shared_bytes", ""),
                f"{100 * r['occupancy']:.0f}" if "occupancy" in r else "",
            ]
            row = "".join(f"<td>{c}</td>" for c in cells)
            for key, _ in COUNTERS:
                value = r.get("counters", {}).get(key)
                text = (
                    ""
                    if value is None
                    else f"{value * 1e-6:.1f}" if key == "dram_bytes" else f"{value:.0f}" if value >= 100 else f"{value:.3g}"
                )
                row += f"<td class=proof>{text}</td>" if r.get("proof") == key else f"<td>{text}</td>"
            lines.append(f"<tr>{row}<td class=limit>{html.escape(r.get('limit', ''))}</td></tr>")
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
        data = with_one_limit(json.loads(pathlib.Path(name).read_text()))
        places = list(dict.fromkeys(r["where"] for r in data["rows"] if "where" in r))
        body.append(f"<h1>{html.escape(data.get('device') or place_name(data, 'host'))}</h1>")
        if any(r["suite"] == "ladder" and "median_s" in r for r in data["rows"]):
            show("ladders", draw_ladders(data, "ABCD"), "The ladders, measured and published")
            show("warps_and_registers", draw_ladders(data, "ER"), "Warps and registers")
            if any("counters" in r for r in data["rows"]):
                show("roofline", draw_roofline(data), "Roofline")
            body.append("<h2>Every rung</h2><div class=wide>" + ladder_table(data) + "</div>")
        for where in places:
            on = "device" if where != "host" else "host"
            if rows_of(data, "rivals", where):
                show(f"rivals_{on}", draw_rivals(data, where), f"Speed and correctness, {place_name(data, where)}")
                body.append(
                    "<h3>Errors in units in the last place; nothing where the result is right</h3><div class=wide>"
                    + rivals_table(data, where)
                    + "</div>"
                )
            if rows_of(data, "sizes", where):
                show(f"sizes_{on}", draw_sizes(data, where), f"Bandwidth over size, {place_name(data, where)}")
                show(f"exact_against_fast_{on}", draw_exact_against_fast(data, where), f"Exact against fast, {place_name(data, where)}")
            if rows_of(data, "types", where):
                body.append(
                    f"<h2>Every operation and type, {place_name(data, where)}</h2><div class=wide>" + types_table(data, where) + "</div>"
                )
        if rows_of(data, "scaling", "host"):
            show("scaling", draw_scaling(data), "Threads")
        facts = ", ".join(f"{key} {value}" for key, value in data.items() if key not in ("rows", "additions_per_s"))
        body.append(f"<p class=source>{html.escape(pathlib.Path(name).name)}: {html.escape(facts)}</p>")
    style = (
        "body{font:15px/1.45 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#222}img{max-width:100%}"
        "table{border-collapse:collapse;font-size:12px}td,th{padding:2px 7px;border-bottom:1px solid #ddd;text-align:right;"
        "white-space:nowrap}td:first-child,th:first-child{text-align:left}.limit{text-align:left}.proof{background:#f3e3c3}"
        ".wide{overflow-x:auto}.source{color:#777;font-size:12px}"
    )
    (folder / "index.html").write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>accrue: measured</title><style>{style}</style>'
        + "\n".join(body)
        + "</html>\n"
    )


main()
