# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of accrue and its rivals: on large inputs, over sizes, over threads."""

import statistics

from load import contenders_in_order, share_of_limit
from pictures_style import BEHIND, LIBRARY, MEASURED, colors, plt
from words import place_name, size_text


def draw_rivals(results, where):
    """Bars of speed as a share of the read limit, one panel an operation and type; beside each the cases on which it is exact."""
    rows = [r for r in results.select("rivals", where=where) if "exact_cases" in r]
    limits = results.limits("rivals", where, ("what", "type"))
    operations, types = list(dict.fromkeys(r["what"] for r in rows)), list(dict.fromkeys(r["type"] for r in rows))
    most = {o: max(sum(r["what"] == o and r["type"] == t for r in rows) for t in types) for o in operations}
    figure, axes = plt.subplots(
        len(operations),
        len(types),
        figsize=(11, sum(0.26 * most[o] + 0.75 for o in operations)),
        squeeze=False,
        height_ratios=[most[o] + 1.5 for o in operations],
    )
    one_thread = ", one thread" if where == "host" and results.header.get("processors") != 1 else ""
    for o, operation in enumerate(operations):
        for t, kind in enumerate(types):
            axis = axes[o, t]
            shown = contenders_in_order([r for r in rows if (r["what"], r["type"]) == (operation, kind)])
            parts = [share_of_limit(r, limits[operation, kind]) for r in shown]
            for p, (r, part) in enumerate(zip(shown, parts)):
                right, of = map(int, r["exact_cases"].split("/"))
                axis.barh(p, part, 0.7, color=LIBRARY if r["by"].startswith("accrue") else MEASURED, alpha=1 if right == of else 0.55)
                axis.text(part + 0.015, p, f"{part:.2f}, right on {right} of {of}", va="center", fontsize=7, bbox=BEHIND)
            names = [r["by"] + (one_thread if r.get("threads") == 1 else "") for r in shown]
            axis.set_yticks(range(len(shown)), names, fontsize=7.5)
            axis.invert_yaxis()
            axis.axvline(1, color="black", linewidth=0.8, linestyle="--")
            axis.set_xlim(0, max(1.45, 1.35 * max(parts)))
            axis.set_title(f"{operation}, {kind}", loc="left", fontsize=9, fontweight="bold")
    figure.tight_layout()
    text = (
        f"{place_name(results, where)}, {size_text(rows[0]['bytes'])}. Share of the rate of the fastest loop that only reads (dashed). "
        "Pale: wrong on some of the easy, ill-conditioned and special inputs."
    )
    figure.text(0.01, -0.02, text, fontsize=8)
    return figure


def read_limit(results, where):
    """Of large inputs, by all threads: the median of what only reads, in bytes a second; None where nothing does."""
    reads = [r for suite in ("rivals", "types", "scaling") for r in results.select(suite, where=where, by="read only")]
    most_threads = max((r.get("threads", 0) for r in reads), default=0)
    rates = [r["bytes_per_s"] for r in reads if r.get("threads", 0) == most_threads]
    return statistics.median(rates) if rates else None


def size_curves(rows):
    """By label the contender and its rates over sizes, in graphs where they may be captured."""
    curves = {}
    for by in dict.fromkeys(r["by"] for r in contenders_in_order(rows)):
        hows = {r.get("how") for r in rows if r["by"] == by}
        how = "graph" if "graph" in hows else "stream" if "stream" in hows else None
        label = by + (", on a stream" if how == "stream" else "")
        curves[label] = by, dict(sorted((r["n"], r["bytes_per_s"] * 1e-9) for r in rows if r["by"] == by and r.get("how") == how))
    return curves


def draw_sizes(results, where):
    """Bandwidth over size of every contender, with the read limit; and over that of the best."""
    color, limit = colors(results), read_limit(results, where)
    figure, axes = plt.subplots(2, 2, figsize=(11, 8), sharey="row", sharex=True, height_ratios=[3, 2])
    for column, kind in enumerate(("f32", "f64")):
        curves = size_curves(results.select("sizes", where=where, type=kind))
        sizes = {n for _, curve in curves.values() for n in curve}
        best = {n: max(curve[n] for _, curve in curves.values() if n in curve) for n in sizes}
        for label, (by, curve) in curves.items():
            own = by.startswith("accrue")
            style = {"linestyle": "-" if own else "--", "color": color[by], "linewidth": 2 if own else 1.1}
            axes[0, column].plot(list(curve), list(curve.values()), label=label, **style)
            axes[1, column].plot(list(curve), [rate / best[n] for n, rate in curve.items()], **style)
        if limit:
            axes[0, column].axhline(limit * 1e-9, color="black", linewidth=0.8, linestyle=":", label="read limit, large inputs")
        axes[0, column].set_xscale("log", base=2)
        axes[0, column].set_yscale("log")
        axes[1, column].set_ylim(0, 1.03)
        axes[1, column].set_xlabel("elements")
        axes[0, column].set_title(f"Sum of {kind}" + (", in a graph" if where != "host" else ""), loc="left", fontweight="bold")
    axes[0, 0].set_ylabel("GB/s, logarithmic; inputs are in no cache")
    axes[1, 0].set_ylabel("over the best at that size")
    axes[0, 1].legend(loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=7.5, frameon=False)
    figure.suptitle(place_name(results, where), x=0.01, ha="left", fontsize=9)
    figure.tight_layout()
    return figure


def draw_exact_against_fast(results, where):
    """Times of exact sums over those of fast ones, over size."""
    time = {(r["type"], r.get("how", ""), r["by"], r["n"]): r["median_s"] for r in results.select("sizes", where=where)}
    figure, axis = plt.subplots(figsize=(7, 3.6))
    for kind, color in (("f32", MEASURED), ("f64", LIBRARY)):
        for how, style, note in (("graph", "-", ", in a graph"), ("stream", ":", ", on a stream"), ("", "-", "")):
            exact = sorted((n, t) for (*key, n), t in time.items() if key == [kind, how, "accrue exact"])
            ratios = [(n, t / time[kind, how, "accrue fast", n]) for n, t in exact if (kind, how, "accrue fast", n) in time]
            if ratios:
                axis.plot(*zip(*ratios), style, color=color, label=kind + note)
    axis.axhline(1, color="black", linewidth=0.8)
    axis.set_xscale("log", base=2)
    axis.set_ylim(0, None)
    axis.set_xlabel("elements")
    axis.set_ylabel("time, exact over fast")
    axis.legend(fontsize=8)
    axis.set_title(f"What exactness costs, {place_name(results, where)}", loc="left", fontweight="bold")
    figure.tight_layout()
    return figure


def draw_scaling(results):
    """Bandwidth and speed-up over threads."""
    color = colors(results)
    rows = results.select("scaling", where="host")
    operations = list(dict.fromkeys(r["what"] for r in rows))
    threads = sorted({r["threads"] for r in rows})
    figure, axes = plt.subplots(2, len(operations), figsize=(11, 6.4), sharey="row", sharex=True, squeeze=False)
    for column, operation in enumerate(operations):
        mine = contenders_in_order([r for r in rows if r["what"] == operation])
        for by in dict.fromkeys(r["by"] for r in mine):
            points = sorted((r["threads"], r["bytes_per_s"] * 1e-9) for r in mine if r["by"] == by)
            line = {"read only": ":", "OpenMP reduction": "--"}.get(by, "-")
            style = {"linestyle": line, "marker": "o", "markersize": 3, "color": color[by], "label": by}
            axes[0, column].plot(*zip(*points), **style)
            axes[1, column].plot([t for t, _ in points], [rate / points[0][1] for _, rate in points], **style)
        axes[1, column].plot(threads, threads, color="#bbbbbb", linewidth=0.8)
        axes[0, column].set_title(operation + ", f64", loc="left", fontweight="bold")
        axes[1, column].set_xlabel("threads")
        axes[1, column].set_xticks(threads)
        axes[0, column].legend(fontsize=7)
    for axis in axes.flat:
        axis.set_ylim(0, None)
    axes[0, 0].set_ylabel("GB/s")
    axes[1, 0].set_ylabel("speed-up over one thread (grey: ideal)")
    title = f"{place_name(results, 'host')}, {results.header['instruction_set']}, arrays of {size_text(rows[0]['bytes'])}"
    figure.suptitle(title, x=0.01, ha="left", fontsize=9)
    figure.tight_layout()
    return figure
